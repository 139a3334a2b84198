//! Turns, checks and continuations: when checks begin, who gives them up, how often the agent goes on.

use std::time::Duration;

use proptest::prelude::*;
use snaphook_session::agent_loop::continuations::TurnOrigin;
use snaphook_session::agent_loop::iterations::{Limits, Step};
use snaphook_session::agent_loop::turn::{GRACE, Turn};
use snaphook_session::agent_loop::{Act, AgentLoop, Moment, Saved};

fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// A loop by a clock of its own. Acts about lists of commands are done at once, with no output, and left out.
struct TestLoop {
    agent_loop: AgentLoop,
    now: Duration,
}

impl TestLoop {
    fn new() -> Self {
        let mut told = TestLoop { agent_loop: AgentLoop::new(GRACE, Limits::default()), now: ms(0) };
        assert_eq!(told.at(Moment::Begin), []);
        told
    }

    fn at(&mut self, moment: Moment) -> Vec<Act> {
        let mut rest = self.agent_loop.at(self.now, moment);
        let mut acts = Vec::new();
        while !rest.is_empty() {
            let act = rest.remove(0);
            let answer = match act {
                Act::Iterate(Step::Run { .. }) => Moment::Ran(String::new()),
                Act::Iterate(Step::Check) => Moment::Complete(false),
                Act::Iterate(Step::Send(_) | Step::Next) => continue,
                act => {
                    acts.push(act);
                    continue;
                }
            };
            rest.extend(self.agent_loop.at(self.now, answer));
        }
        acts
    }

    fn prompt(&mut self) -> Vec<Act> {
        self.at(Moment::Prompt("do it".to_owned()))
    }

    fn wait(&mut self, time: Duration) -> Vec<Act> {
        self.now += time;
        self.at(Moment::Due)
    }

    /// Ends the turn, and waits until its checks begin.
    fn checks(&mut self) -> u64 {
        assert_eq!(self.at(Moment::Ended), [Act::WaitUntil(self.now + GRACE)]);
        let acts = self.wait(GRACE);
        let [Act::Evaluate(number)] = acts[..] else { panic!("{acts:?}") };
        number
    }

    fn evaluated(&mut self, number: u64, wants: bool) -> Vec<Act> {
        assert_eq!(self.at(Moment::Evaluated(number)), []);
        if wants { self.go_on() } else { self.at(Moment::Rest) }
    }

    fn go_on(&mut self) -> Vec<Act> {
        self.at(Moment::GoOn(TurnOrigin::default(), "the check failed".to_owned()))
    }
}

#[test]
fn checks_begin_200_ms_after_the_turn_and_never_within_one() {
    let mut told = TestLoop::new();
    assert_eq!(told.wait(ms(500)), [], "nothing was said yet");
    assert_eq!(told.prompt(), []);
    assert_eq!(told.wait(ms(500)), [], "the agent works");
    assert_eq!(told.at(Moment::Ended), [Act::WaitUntil(ms(1200))]);
    assert_eq!(told.wait(ms(199)), []);
    assert_eq!(told.wait(ms(1)), [Act::Evaluate(1)]);
    assert_eq!(told.wait(ms(1)), [], "once");
}

#[test]
fn without_a_grace_checks_begin_at_once() {
    let mut agent_loop = AgentLoop::resume(Saved::default(), Turn::working(Duration::ZERO));
    assert_eq!(agent_loop.at(ms(5), Moment::Ended), [Act::Evaluate(1)]);
}

#[test]
fn a_prompt_within_the_grace_means_no_checks() {
    let mut told = TestLoop::new();
    told.prompt();
    told.at(Moment::Ended);
    assert_eq!(told.prompt(), []);
    assert_eq!(told.wait(ms(500)), []);
    assert_eq!(told.checks(), 1, "after that turn");
}

#[test]
fn a_prompt_within_checks_ends_them_and_their_result_counts_for_nothing() {
    let mut told = TestLoop::new();
    told.prompt();
    assert_eq!(told.checks(), 1);
    assert_eq!(told.prompt(), [Act::Abandon(1)]);
    told.at(Moment::Evaluated(1));
    assert_eq!(told.wait(ms(999)), [], "the turn runs on");
    assert_eq!(told.checks(), 2, "what is pending comes after the person's turn");
    told.at(Moment::Evaluated(1));
    assert_eq!(told.prompt(), [Act::Abandon(2)], "the first one's end, late, is not the second one's");
    let third = told.checks();
    assert_eq!(told.evaluated(third, true), [Act::GoOn(1)]);
}

#[test]
fn nothing_to_say_means_that_nothing_happens() {
    let mut told = TestLoop::new();
    told.prompt();
    let number = told.checks();
    assert_eq!(told.evaluated(number, false), []);
    assert_eq!(told.wait(ms(9999)), []);
    assert_eq!(told.agent_loop.iterations().iteration(), 1);
}

#[test]
fn three_times_in_a_row_the_fourth_is_enough_and_the_person_resets_it() {
    let mut told = TestLoop::new();
    for _ in 0..3 {
        told.prompt();
        for turn in 1..=4 {
            // A turn for a check is a turn like any other: it is checked when it ends.
            let number = told.checks();
            let expected = if turn <= 3 { Act::GoOn(turn) } else { Act::Enough };
            assert_eq!(told.evaluated(number, true), [expected]);
        }
        assert_eq!(told.at(Moment::Rest), []);
        assert_eq!(told.wait(ms(60_000)), [], "it rests");
    }
}

/// A hook of the turn's end and a check are one count, and so are a subagent's continuations that name no prompt.
#[test]
fn whoever_makes_the_agent_go_on_it_is_one_count() {
    let mut told = TestLoop::new();
    told.prompt();
    assert_eq!(told.go_on(), [Act::GoOn(1)], "a subagent, within the turn");
    let number = told.checks();
    assert_eq!(told.evaluated(number, true), [Act::GoOn(2)]);
    let number = told.checks();
    assert_eq!(told.evaluated(number, true), [Act::GoOn(3)]);
    assert_eq!(told.go_on(), [Act::Enough]);
}

#[test]
fn a_prompt_while_a_turn_runs_is_refused_and_the_turn_can_be_ended() {
    let mut told = TestLoop::new();
    told.prompt();
    let number = told.checks();
    assert_eq!(told.evaluated(number, true), [Act::GoOn(1)]);
    assert_eq!(told.prompt(), [Act::Refuse], "a turn for a check is one");
    assert_eq!(told.at(Moment::CancelTurn), [Act::EndTurn]);
    assert_eq!(told.at(Moment::CancelTurn), []);
    assert_eq!(told.prompt(), []);
    assert_eq!(told.at(Moment::NextPrompt("x".to_owned())), [Act::Refuse], "and so is the person's own");
}

#[test]
fn a_blocked_prompt_begins_no_iteration_and_resets_the_count() {
    let mut told = TestLoop::new();
    told.prompt();
    for _ in 0..3 {
        let number = told.checks();
        told.evaluated(number, true);
    }
    assert_eq!(told.go_on(), [Act::Enough]);
    assert_eq!(told.at(Moment::PromptBlocked("no".to_owned())), []);
    assert_eq!(told.go_on(), [Act::GoOn(1)]);
    assert_eq!(told.agent_loop.iterations().iteration(), 1);
}

#[test]
fn the_state_outlives_a_process() {
    let mut told = TestLoop::new();
    told.prompt();
    let number = told.checks();
    told.evaluated(number, true);
    let text = serde_json::to_string(&told.agent_loop.save()).unwrap();
    let saved: Saved = serde_json::from_str(&text).unwrap();
    assert_eq!(saved, told.agent_loop.save());
    let resumed = AgentLoop::resume(saved, Turn::new(Duration::ZERO));
    assert_eq!(resumed.continued(&TurnOrigin::default()), 1);
    assert_eq!(serde_json::from_str::<Saved>("{\"later\":1}").unwrap(), Saved::default());
}

#[derive(Debug, Clone, Copy)]
enum Input {
    Prompt,
    Ended,
    Cancel,
    Pass(u64),
    Result { late: bool, wants: bool },
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        1 => Just(Input::Prompt),
        3 => Just(Input::Ended),
        1 => Just(Input::Cancel),
        3 => (0..300_u64).prop_map(Input::Pass),
        3 => (any::<bool>(), prop::bool::weighted(0.75)).prop_map(|(late, wants)| Input::Result { late, wants }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: no checks within a turn or before the grace is over, no turn within a turn, and
    /// three continuations in a row at most.
    #[test]
    fn it_never_gets_out_of_hand(inputs in prop::collection::vec(input(), 1..80)) {
        let mut told = TestLoop::new();
        let (mut running, mut in_a_row) = (None, 0);
        let mut turn_ended: Option<Duration> = None;
        let mut working = false;
        for input in inputs {
            match input {
                Input::Prompt => {
                    let acts = told.prompt();
                    prop_assert_eq!(acts == [Act::Refuse], working);
                    if !working {
                        let abandoned: Vec<Act> = running.take().map(Act::Abandon).into_iter().collect();
                        prop_assert_eq!(acts, abandoned);
                        (working, in_a_row, turn_ended) = (true, 0, None);
                    }
                }
                Input::Ended => {
                    let acts = told.at(Moment::Ended);
                    prop_assert_eq!(acts == [Act::WaitUntil(told.now + GRACE)], working);
                    if working {
                        (working, turn_ended) = (false, Some(told.now));
                    }
                }
                Input::Cancel => {
                    prop_assert_eq!(told.at(Moment::CancelTurn) == [Act::EndTurn], working);
                    working = false;
                }
                Input::Pass(millis) => {
                    if let [Act::Evaluate(number)] = told.wait(ms(millis))[..] {
                        let ended = turn_ended.take();
                        prop_assert!(ended.is_some_and(|ended| told.now >= ended + GRACE));
                        prop_assert!(!working && running.is_none());
                        running = Some(number);
                    }
                }
                Input::Result { late: true, .. } => prop_assert_eq!(told.at(Moment::Evaluated(0)), []),
                Input::Result { late: false, wants } => {
                    let Some(number) = running.take() else { continue };
                    match told.evaluated(number, wants)[..] {
                        [Act::GoOn(attempt)] => {
                            in_a_row += 1;
                            prop_assert_eq!((attempt, wants), (in_a_row, true));
                            prop_assert!(in_a_row <= 3);
                            working = true;
                        }
                        // Three in a row, or the bound of a minute over several prompts.
                        [Act::Enough] => {
                            prop_assert!(wants);
                            prop_assert_eq!(told.at(Moment::Rest), []);
                        }
                        ref other => prop_assert_eq!((other, wants), (&[][..], false)),
                    }
                }
            }
        }
    }
}
