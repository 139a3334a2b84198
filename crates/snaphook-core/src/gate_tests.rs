//! The laws as properties: handlers are pure functions of the input here, so whole hosts can be made up at random.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::hook::Scope;
use crate::lifecycle::Lifecycle;
use crate::tool::ToolCall;
use crate::{Field, Rewrite};

/// A handler of the tests: what it does to a command line.
#[derive(Debug, Clone)]
enum TestHandler {
    Abstain,
    Allow,
    /// Asks when the text is in the command.
    Ask(&'static str),
    /// Denies when the text is in the command.
    Deny(&'static str),
    /// Replaces the first text by the second.
    Replace(&'static str, &'static str),
    /// Holds the command with no network.
    Hold(&'static str),
    /// Never answers legally.
    Fail,
}

fn info(index: usize) -> HandlerInfo {
    HandlerInfo {
        hook: HookRef::new(format!("h{index}"), format!("h{index}"), Scope::User, format!("h{index}.lua")),
        event: Lifecycle::ToolCall.into(),
        line: Some(1),
        file: None,
        matcher: None,
    }
}

fn command(event: &Event) -> String {
    event.call().and_then(|call| call.command().map(|text| text.into_owned())).unwrap_or_default()
}

fn answer(hand: &TestHandler, event: &Event) -> Result<Answer, HandlerError> {
    let line = command(event);
    let with = |verdict, reason: &str| Ok(Answer { verdict, reason: reason.into(), ..Answer::default() });
    match hand {
        TestHandler::Allow => with(Verdict::Allow, ""),
        TestHandler::Ask(text) if line.contains(text) => with(Verdict::Ask, "sure?"),
        TestHandler::Deny(text) if line.contains(text) => with(Verdict::Deny, text),
        TestHandler::Replace(from, to) if line.contains(from) => {
            let rewrite = Rewrite::Fields(vec![(Field::Command, line.replace(from, to))]);
            Ok(Answer { rewrite: Some(rewrite), ..Answer::default() })
        }
        TestHandler::Hold(path) => {
            let hold = Hold::parse(&json!({ "deny_write": [path] })).map(Box::new).ok();
            Ok(Answer { hold, ..Answer::default() })
        }
        TestHandler::Fail => Err(HandlerError::new(Cause::Error, "boom")),
        _ => Ok(Answer::default()),
    }
}

/// Runs the hands over a command; also says which command each of them saw, in order.
fn run(hands: &[TestHandler], line: &str) -> (Decision, Vec<(usize, String)>) {
    let event = Event::tool_call(ToolCall::new("1", "bash", json!({"command": line})));
    let mut run = GateRun::new(event, hands.len());
    let mut saw = Vec::new();
    while let Some(index) = run.next(|_, _| true) {
        saw.push((index, command(run.event())));
        let outcome = answer(&hands[index], run.event());
        run.record(index, &info(index), outcome);
    }
    (run.finish(), saw)
}

fn verdict(hands: &[TestHandler], line: &str) -> Verdict {
    run(hands, line).0.verdict
}

#[test]
fn the_strictest_verdict_wins_wherever_it_stands() {
    let deny = TestHandler::Deny("rm");
    for hands in [
        vec![TestHandler::Allow, deny.clone()],
        vec![deny.clone(), TestHandler::Allow],
        vec![TestHandler::Ask("rm"), deny.clone(), TestHandler::Allow],
        vec![TestHandler::Allow, TestHandler::Fail],
    ] {
        assert_eq!(verdict(&hands, "rm x"), Verdict::Deny, "{hands:?}");
    }
    assert_eq!(
        verdict(&[TestHandler::Allow, TestHandler::Ask("rm"), TestHandler::Allow], "rm x"),
        Verdict::Ask
    );
    assert_eq!(verdict(&[TestHandler::Abstain, TestHandler::Allow], "rm x"), Verdict::Allow);
    assert_eq!(verdict(&[], "rm x"), Verdict::Abstain);
}

#[test]
fn a_later_rewrite_does_not_get_past_an_earlier_gate() {
    let (decision, saw) = run(&[TestHandler::Deny("rm -rf /"), TestHandler::Replace("ls", "rm -rf /")], "ls");
    assert_eq!(decision.verdict, Verdict::Deny);
    assert_eq!(saw, [(0, "ls".into()), (1, "ls".into()), (0, "rm -rf /".into())]);
    assert_eq!(command(&decision.original), "ls");
}

#[test]
fn what_a_handler_wrote_itself_counts_as_seen() {
    let (decision, saw) = run(&[TestHandler::Replace("npm", "pnpm "), TestHandler::Abstain], "npm i");
    assert_eq!(saw.len(), 2);
    assert_eq!(command(&decision.event), "pnpm  i");
    assert!(decision.is_allowed() && decision.is_rewritten());
}

#[test]
fn rewrites_that_never_rest_deny() {
    let (decision, saw) = run(&[TestHandler::Replace("a", "b"), TestHandler::Replace("b", "a")], "a");
    assert_eq!(decision.verdict, Verdict::Deny);
    assert_eq!(decision.reasons.last().unwrap().cause, Some(Cause::NoRest));
    assert!(saw.len() <= 2 * MAX_ROUNDS as usize);
}

#[test]
fn every_reason_is_kept_and_a_deny_is_never_silent() {
    let (decision, _) =
        run(&[TestHandler::Deny("x"), TestHandler::Ask("x"), TestHandler::Fail, TestHandler::Deny("x")], "x");
    assert_eq!(decision.reasons.len(), 4);
    assert!(decision.reasons.iter().all(|reason| !reason.text.is_empty()));
    let synthetic: Vec<_> = decision.reasons.iter().map(Reason::is_synthetic).collect();
    assert_eq!(synthetic, [false, false, true, false]);
}

#[test]
fn a_matcher_is_asked_again_about_the_rewritten_input() {
    let event = Event::tool_call(ToolCall::new("1", "bash", json!({"command": "ls"})));
    let mut run = GateRun::new(event, 2);
    let hands = [TestHandler::Deny("rm"), TestHandler::Replace("ls", "rm x")];
    // The gate only wants to see commands with "rm".
    let selects = |index: usize, event: &Event| index != 0 || command(event).contains("rm");
    while let Some(index) = run.next(selects) {
        let outcome = answer(&hands[index], run.event());
        run.record(index, &info(index), outcome);
    }
    assert_eq!(run.finish().verdict, Verdict::Deny);
}

fn steady() -> impl Strategy<Value = TestHandler> {
    let text = prop::sample::select(vec!["a", "b", "c", "ab", "bc"]);
    prop_oneof![
        Just(TestHandler::Abstain),
        Just(TestHandler::Allow),
        Just(TestHandler::Fail),
        text.clone().prop_map(TestHandler::Hold),
        text.clone().prop_map(TestHandler::Ask),
        text.prop_map(TestHandler::Deny),
    ]
}

fn any_handler() -> impl Strategy<Value = TestHandler> {
    let text = || prop::sample::select(vec!["a", "b", "c", "ab", "", "cc"]);
    let from = prop::sample::select(vec!["a", "b", "c", "ab"]);
    prop_oneof![3 => steady(), 2 => (from, text()).prop_map(|(from, to)| TestHandler::Replace(from, to))]
}

proptest! {
    #[test]
    fn order_does_not_matter_among_hooks_that_do_not_rewrite(
        (hands, shuffled) in prop::collection::vec(steady(), 0..7)
            .prop_flat_map(|hands| (Just(hands.clone()), Just(hands).prop_shuffle())),
        line in "[abc]{0,6}",
    ) {
        let (one, other) = (run(&hands, &line).0, run(&shuffled, &line).0);
        prop_assert_eq!(one.verdict, other.verdict);
        let texts = |decision: &Decision| {
            let mut texts: Vec<_> = decision.reasons.iter().map(|r| (r.verdict, r.cause)).collect();
            texts.sort_by_key(|(verdict, cause)| (*verdict, cause.map(|cause| cause.as_str())));
            texts
        };
        prop_assert_eq!(texts(&one), texts(&other));
    }

    #[test]
    fn adding_a_hook_never_loosens(
        hands in prop::collection::vec(steady(), 0..7),
        added in steady(),
        at in any::<prop::sample::Index>(),
        line in "[abc]{0,6}",
    ) {
        let before = verdict(&hands, &line);
        let mut more = hands;
        more.insert(at.index(more.len() + 1), added);
        prop_assert!(verdict(&more, &line) >= before);
    }

    #[test]
    fn a_rewriting_hook_only_loosens_by_changing_what_runs(
        hands in prop::collection::vec(any_handler(), 0..7),
        line in "[abc]{0,6}",
    ) {
        let (decision, _) = run(&hands, &line);
        if decision.verdict != Verdict::Deny {
            // Nobody who sees what runs denies it, and nobody wants it otherwise.
            for hand in &hands {
                let said = answer(hand, &decision.event).unwrap();
                prop_assert!(said.verdict <= decision.verdict);
            }
        }
    }

    #[test]
    fn what_runs_was_seen_by_every_gate(
        hands in prop::collection::vec(any_handler(), 0..7),
        line in "[abc]{0,6}",
    ) {
        let (decision, saw) = run(&hands, &line);
        prop_assert!(saw.len() <= hands.len() * MAX_ROUNDS as usize);
        if decision.verdict != Verdict::Deny {
            let last = command(&decision.event);
            for (index, hand) in hands.iter().enumerate() {
                let (_, seen) = saw.iter().rev().find(|(who, _)| *who == index).unwrap();
                let wrote = match hand {
                    TestHandler::Replace(from, to) => seen.replace(from, to),
                    _ => seen.clone(),
                };
                prop_assert!(*seen == last || wrote == last);
            }
        }
    }
}

// ---- directives of a hold ----

fn held(decision: &Decision) -> Option<serde_json::Value> {
    decision.hold.as_ref().map(|hold| hold.to_json())
}

#[test]
fn directives_combine_and_are_of_no_use_to_what_does_not_run() {
    use TestHandler::{Allow, Deny, Hold, Replace};
    for (hands, expected) in [
        (vec![], None),
        (vec![Hold("a"), Allow], Some(json!({"deny_write": ["a"]}))),
        (vec![Hold("b"), Hold("a")], Some(json!({"deny_write": ["a", "b"]}))),
        (vec![Hold("a"), Replace("ls", "pwd")], Some(json!({"deny_write": ["a"]}))),
        (vec![Hold("a"), Deny("ls")], None),
    ] {
        assert_eq!(held(&run(&hands, "ls").0), expected, "{hands:?}");
    }
}

#[test]
fn a_call_without_a_command_line_cannot_be_held() {
    let event = Event::tool_call(ToolCall::new("1", "read", json!({"file_path": "a"})));
    let mut run = GateRun::new(event, 1);
    let index = run.next(|_, _| true).unwrap();
    let outcome = answer(&TestHandler::Hold("a"), run.event());
    run.record(index, &info(index), outcome);
    let decision = run.finish();
    assert_eq!((decision.verdict, decision.hold), (Verdict::Deny, None));
    assert_eq!(decision.reasons[0].cause, Some(Cause::Malformed));
}

proptest! {
    #[test]
    fn what_one_hook_holds_no_other_loosens(
        hands in prop::collection::vec(any_handler(), 0..7),
        line in "[abc]{0,6}",
    ) {
        let (decision, _) = run(&hands, &line);
        let held = held(&decision).map(|hold| hold["deny_write"].clone()).unwrap_or_default();
        if decision.verdict != Verdict::Deny {
            for hand in &hands {
                if let TestHandler::Hold(path) = hand {
                    prop_assert!(held.as_array().unwrap().contains(&json!(path)), "{:?}", held);
                }
            }
        }
    }
}

// ---- the default ----

fn run_by_default(hands: &[TestHandler], line: &str, default: DefaultVerdict) -> Decision {
    let event = Event::tool_call(ToolCall::new("1", "bash", json!({"command": line})));
    let rule = Arc::new(DefaultRule::new(default, "the test"));
    let mut run = GateRun::new(event, hands.len()).with_default(&rule);
    while let Some(index) = run.next(|_, _| true) {
        let outcome = answer(&hands[index], run.event());
        run.record(index, &info(index), outcome);
    }
    run.finish()
}

#[test]
fn what_nobody_allows_comes_to_the_default() {
    use DefaultVerdict::{Ask, Deny};
    for (hands, default, want) in [
        (vec![], Deny, Verdict::Deny),
        (vec![], Ask, Verdict::Ask),
        (vec![TestHandler::Abstain], Deny, Verdict::Deny),
        (vec![TestHandler::Allow], Deny, Verdict::Allow),
        (vec![TestHandler::Allow, TestHandler::Ask("ls")], Deny, Verdict::Ask),
        // A question is no leave.
        (vec![TestHandler::Ask("ls")], Deny, Verdict::Deny),
        (vec![TestHandler::Ask("ls")], Ask, Verdict::Ask),
        // What was allowed is not what would run.
        (vec![TestHandler::Replace("ls", "rm")], Deny, Verdict::Deny),
        (vec![TestHandler::Replace("ls", "rm"), TestHandler::Allow], Deny, Verdict::Allow),
    ] {
        let decision = run_by_default(&hands, "ls", default);
        assert_eq!(decision.verdict, want, "{hands:?} {default:?}");
    }
    let decision = run_by_default(&[], "ls", Deny);
    let [reason] = decision.reasons.as_slice() else { panic!("one reason: {:?}", decision.reasons) };
    assert_eq!(reason.cause, Some(Cause::Default));
    assert!(reason.text.contains("the test"), "{}", reason.text);
}

#[test]
fn an_allow_of_what_was_rewritten_since_counts_for_nothing() {
    let mut run = GateRun::new(Event::tool_call(ToolCall::new("1", "bash", json!({"command": "ls"}))), 2)
        .with_default(&Arc::new(DefaultRule::new(DefaultVerdict::Deny, "")));
    // The first allows "ls" only, the second makes "rm" of it.
    while let Some(index) = run.next(|_, _| true) {
        let hand = match index {
            0 if command(run.event()) == "ls" => TestHandler::Allow,
            0 => TestHandler::Abstain,
            _ => TestHandler::Replace("ls", "rm"),
        };
        let outcome = answer(&hand, run.event());
        run.record(index, &info(index), outcome);
    }
    assert_eq!(run.finish().verdict, Verdict::Deny);
}

#[test]
fn only_tool_calls_have_a_default() {
    let event =
        Event::lifecycle(Lifecycle::UserPrompt, serde_json::Map::from_iter([("prompt".into(), json!("x"))]));
    let rule = Arc::new(DefaultRule::new(DefaultVerdict::Deny, ""));
    assert_eq!(GateRun::new(event.unwrap(), 0).with_default(&rule).finish().verdict, Verdict::Abstain);
}

proptest! {
    #[test]
    fn a_default_never_loosens(hands in prop::collection::vec(any_handler(), 0..7), line in "[abc]{0,6}") {
        use DefaultVerdict::{Allow, Ask, Deny};
        let [loose, ask, deny] = [Allow, Ask, Deny].map(|default| run_by_default(&hands, &line, default));
        prop_assert_eq!(loose.verdict, verdict(&hands, &line));
        prop_assert!(loose.verdict <= ask.verdict);
        prop_assert!(ask.verdict <= deny.verdict);
        if deny.verdict != Verdict::Deny {
            prop_assert!(hands.iter().any(|hand| matches!(hand, TestHandler::Allow)));
        }
        // Nobody's reason is lost.
        prop_assert!(loose.reasons.iter().all(|reason| deny.reasons.contains(reason)));
    }

    #[test]
    fn a_rule_is_only_ever_tightened(one in 0..3_usize, other in 0..3_usize) {
        let rule = |at: usize| DefaultRule::new([DefaultVerdict::Allow, DefaultVerdict::Ask, DefaultVerdict::Deny][at], "");
        let tightened = rule(one).tightened(rule(other)).verdict;
        prop_assert!(tightened >= rule(one).verdict && tightened >= rule(other).verdict);
    }
}
