//! Results that are withheld: hooks that fail over them and say `on_failure: withhold`, hooks that are not there, results that nobody
//! could read.

use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::*;

use crate::support::*;

const SECRET: &str = "hunter2-hunter2";

/// A handler whose hook withholds.
struct Withholds(Arc<dyn Handler>);

impl Handler for Withholds {
    fn info(&self) -> &HandlerInfo {
        self.0.info()
    }

    fn selects(&self, event: &Event, context: &CallContext) -> bool {
        self.0.selects(event, context)
    }

    fn on_failure(&self) -> OnFailure {
        OnFailure::Withhold
    }

    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> BoxFuture<'a, Answered> {
        self.0.handle(event, context)
    }
}

fn withholds(handler: Arc<dyn Handler>) -> Arc<dyn Handler> {
    Arc::new(Withholds(handler))
}

fn result(content: &str, details: Value) -> Event {
    Event::tool_result(ToolResult {
        call: bash("cat .env"),
        original_input: Arc::new(Value::Null),
        content: content.into(),
        details: Arc::new(details),
        is_error: false,
    })
}

fn secret() -> Event {
    result(SECRET, json!({"stdout": SECRET}))
}

fn of(event: &Event) -> ToolResult {
    let Payload::Result(result) = event.payload() else { panic!("no result") };
    (**result).clone()
}

/// Nothing of the secret anywhere.
fn assert_withheld(emitted: &Emitted, why: &str, case: &str) {
    let all = format!("{emitted:?}");
    assert!(!all.contains(SECRET), "{case}: {all}");
    let ToolResult { content, details, is_error, .. } = of(&emitted.event);
    assert!(
        content.starts_with("[snaphook withheld this result: ") && content.contains(why),
        "{case}: {content}"
    );
    assert!(details.is_null() && is_error && emitted.rewritten, "{case}");
}

/// A handler that fails, by the word for it in what the model gets.
fn failures() -> Vec<(&'static str, Arc<dyn Handler>)> {
    let t = "tool_result";
    let quoting = |cause| {
        on("f", "tool_result", move |event, _| async move {
            Err(HandlerError::new(cause, format!("cannot read {}", event.subject())))
        })
    };
    vec![
        ("raised an error", quoting(Cause::Error)),
        ("used up its computing time", quoting(Cause::Budget)),
        ("reached its memory limit", quoting(Cause::Memory)),
        ("panicked", on("f", t, |event, _| async move { panic!("over {}", event.subject()) })),
        (
            "panicked",
            on_where("f", t, None, |event| panic!("over {}", event.subject()), |_, _| async { nothing() }),
        ),
        ("malformed", says("f", t, json!({"isError": true}))),
        ("malformed", says("f", t, json!(SECRET))),
        ("malformed", says("f", t, json!({"is_error": SECRET}))),
        ("no answer in time", hangs("f", t)),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_withholds_fails_closed() {
    for options in [CallOptions::default(), CallOptions::supervised()] {
        for (why, handler) in failures() {
            let kept = host([Arc::clone(&handler)]).emit(secret(), &options).await;
            assert_eq!((kept.rewritten, &*of(&kept.event).content), (false, SECRET), "{why}");
            for behind in [false, true] {
                let seen = on("b", "tool_result", |event, _| async move {
                    assert!(!format!("{event:?}").contains(SECRET));
                    nothing()
                });
                let handlers = [Some(withholds(Arc::clone(&handler))), behind.then_some(seen)];
                let emitted = host(handlers.into_iter().flatten()).emit(secret(), &options).await;
                assert_withheld(&emitted, why, why);
                assert!(emitted.event.subject().to_string().contains("\\\"f\\\""), "{why}: by whom");
                assert_eq!(emitted.reports.len(), 1, "{why}: {:?}", emitted.reports);
            }
        }
    }
}

#[tokio::test]
async fn what_a_hook_left_before_another_one_failed_is_withheld_too() {
    let redacts = says("a", "tool_result", json!({"content": "half redacted", "context": "note"}));
    let fails =
        withholds(on("f", "tool_result", |_, _| async { Err(HandlerError::new(Cause::Error, "no")) }));
    let emitted = host([redacts, fails]).emit(secret(), &CallOptions::default()).await;
    assert_withheld(&emitted, "raised an error", "behind");
    assert_eq!(emitted.context.len(), 1);
}

#[tokio::test]
async fn a_hook_that_withholds_and_does_not_care_keeps_nothing_back() {
    let other = on_where("f", "tool_result", None, |_| false, |_, _| async { panic!("not for it") });
    let fine = says("f", "tool_result", json!({}));
    for handler in [other, fine] {
        let emitted = host([withholds(handler)]).emit(secret(), &CallOptions::default()).await;
        assert_eq!((emitted.rewritten, &*of(&emitted.event).content), (false, SECRET));
    }
}

#[tokio::test]
async fn a_cancelled_result_is_withheld() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let options = CallOptions { cancel: Some(cancel), ..CallOptions::default() };
    let emitted = host([withholds(hangs("f", "tool_result"))]).emit(secret(), &options).await;
    assert!(emitted.cancelled);
    assert_withheld(&emitted, "was cancelled", "cancelled");
}

#[tokio::test]
async fn hooks_that_are_not_there_withhold_where_they_say_so_or_nobody_knows() {
    let gone = |on_failure: Option<OnFailure>, cause: Option<Cause>| {
        let mut problem = Problem::error("redact.lua", "expected ')'");
        (problem.on_failure, problem.cause) = (on_failure, cause);
        Discovery { problems: vec![problem], ..Discovery::default() }
    };
    for (on_failure, cause, why) in [
        (Some(OnFailure::Keep), None, None),
        (Some(OnFailure::Keep), Some(Cause::Untrusted), None),
        (Some(OnFailure::Withhold), None, Some("did not load")),
        (Some(OnFailure::Withhold), Some(Cause::Untrusted), Some("is not trusted")),
        (None, None, Some("did not load")),
    ] {
        let case = format!("{on_failure:?} {cause:?}");
        let host = builder([]).discovery(gone(on_failure, cause)).build();
        let emitted = host.emit(secret(), &CallOptions::default()).await;
        assert_eq!(host.could_rewrite(&bash("ls")), why.is_some(), "{case}");
        match why {
            Some(why) => assert_withheld(&emitted, why, &case),
            None => assert_eq!(&*of(&emitted.event).content, SECRET, "{case}"),
        }
    }
}

#[tokio::test]
async fn a_script_says_it_in_its_front_matter() {
    let source = "-----\n-- on_failure: withhold\n-----\n";
    // Its own engine takes the lines of the block for events: it does not load.
    for (front, withheld) in [(source, true), ("", false), ("-----\n-- on_failure: hold\n-----\n", true)] {
        let script = script("redact", Scope::User, &format!("{front}error 4 expected ')'"));
        let host =
            Host::builder().engine(Language::Lua, Arc::new(FakeEngine)).script(script, Language::Lua).build();
        let emitted = host.emit(secret(), &CallOptions::default()).await;
        assert_eq!(of(&emitted.event).content.contains(SECRET), !withheld, "{front}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_withheld_from_all_handlers() {
    let deep = (0..200).fold(json!(SECRET), |inner, _| json!([inner]));
    let many = json!(vec![SECRET; MAX_RESULT_VALUES + 1]);
    let long = SECRET.repeat(MAX_RESULT_TEXT / SECRET.len() + 1);
    let looks = || on("a", "tool_result", |_, _| async { panic!("nothing to see") });
    let only_read = |_: &Event| false;
    let elsewhere =
        || on_where("a", "tool_result", Some(json!({"tool": "read"})), only_read, |_, _| async { nothing() });
    for (event, why) in [
        (result(SECRET, deep), "nested too deep"),
        (result(SECRET, many), "too many values"),
        (result(&long, json!(null)), "too large"),
    ] {
        assert_withheld(&host([looks()]).emit(event.clone(), &CallOptions::default()).await, why, why);
        assert!(!host([elsewhere()]).emit(event, &CallOptions::default()).await.rewritten, "{why}");
    }
    let unread = |host: Host| host.unreadable_result(Some(bash("ls")), Unreadable::Text);
    assert_withheld(&unread(host([looks()])).unwrap(), "does not decode", "text");
    assert!(unread(host([elsewhere()])).is_none());
    assert!(unread(host([])).is_none());
    // It is not known that it is not the call that the handler is for.
    let unknown = host([elsewhere()]).unreadable_result(None, Unreadable::Form).unwrap();
    assert_withheld(&unknown, "form is unknown", "no call");
    assert!(host([]).unreadable_result(None, Unreadable::Form).is_none());
}

#[tokio::test]
async fn tools_behind_the_gate_show_what_is_withheld() {
    struct Cat;
    impl Tool for Cat {
        fn name(&self) -> &str {
            "bash"
        }

        fn run<'a>(&'a self, _: &'a ToolCall, _: PartialOutput) -> BoxFuture<'a, ToolOutput> {
            Box::pin(async { ToolOutput::text(SECRET) })
        }
    }
    let fails =
        withholds(on("f", "tool_result", |_, _| async { Err(HandlerError::new(Cause::Error, "no")) }));
    let outcome = host([fails]).call_tool(&Cat, bash("cat .env"), None, &CallOptions::supervised()).await;
    assert!(outcome.rewritten_result && outcome.output.is_error);
    assert!(!format!("{outcome:?}").contains(SECRET));
}

fn result_event(texts: &[&str]) -> Event {
    let fields = json!({"server": "s", "method": "m", "kind": "result", "texts": texts, "binary": []});
    Event::bus(BusSpec::SERVER_MESSAGE.into(), map(fields))
}

fn texts(emitted: &Emitted) -> Value {
    emitted.event.subject()["texts"].clone()
}

#[tokio::test]
async fn what_a_server_says_is_rewritten_in_order_or_withheld() {
    const NAME: &str = BusSpec::SERVER_MESSAGE;
    let rewrites = |id: &'static str| {
        on(id, NAME, move |event, _| async move {
            let before = event.subject()["texts"].clone();
            let after: Vec<Value> = before
                .as_array()
                .unwrap()
                .iter()
                .map(|text| format!("{}{id}", text.as_str().unwrap()).into())
                .collect();
            answer(NAME, json!({"texts": after}))
        })
    };
    let emitted =
        host([rewrites("1"), rewrites("2")]).emit(result_event(&["a", "b"]), &CallOptions::default()).await;
    assert_eq!((texts(&emitted), emitted.rewritten, &emitted.withheld), (json!(["a12", "b12"]), true, &None));

    // A block takes all, and no hook looks any more.
    let blocks = says("b", NAME, json!({"block": true, "reason": "no pins"}));
    let unreached = || on("c", NAME, |_, _| async { panic!("nothing to see") });
    let emitted = host([rewrites("1"), blocks, unreached()])
        .emit(result_event(&[SECRET]), &CallOptions::default())
        .await;
    assert_eq!(
        emitted.withheld.as_ref().unwrap().text("message"),
        "[snaphook withheld this message: the hook \"b\" blocked it: no pins]"
    );
    assert!(emitted.reports.is_empty() && !format!("{emitted:?}").contains(SECRET));
    assert_eq!(texts(&emitted), json!([]));
    assert!(
        host([says("b", NAME, json!({"block": false}))])
            .emit(result_event(&["a"]), &CallOptions::default())
            .await
            .withheld
            .is_none()
    );

    // Too few texts are a failure like any other.
    let few = || says("f", NAME, json!({"texts": ["one"]}));
    let emitted = host([few(), rewrites("1")]).emit(result_event(&["a", "b"]), &CallOptions::default()).await;
    assert_eq!((texts(&emitted), &emitted.withheld), (json!(["a1", "b1"]), &None));
    assert_eq!(
        emitted.reports[0].message,
        "mcp.server_message answer `texts` must have 2 texts, as the event has, not 1"
    );
    let emitted = host([withholds(few()), unreached()])
        .emit(result_event(&[SECRET, "b"]), &CallOptions::default())
        .await;
    assert!(emitted.withheld.is_some() && !format!("{emitted:?}").contains(SECRET), "{emitted:?}");
    assert!(emitted.reports[0].message.contains("so the message was withheld"), "{:?}", emitted.reports);

    // What is not there, or cannot be read.
    let name = EventName::Bus(NAME.into());
    let missing = Problem::error("a.lua", "is torn").with_on_failure(OnFailure::Withhold);
    let gone = builder([]).discovery(Discovery { problems: vec![missing], ..Discovery::default() }).build();
    assert!(
        gone.looks_at(&name)
            && gone.emit(result_event(&[SECRET]), &CallOptions::default()).await.withheld.is_some()
    );
    assert!(
        !host([]).looks_at(&name)
            && host([]).emit(result_event(&["a"]), &CallOptions::default()).await.withheld.is_none()
    );
    assert!(host([]).unreadable_event(result_event(&[]), Unreadable::Text).is_none());
    let unread = host([unreached()]).unreadable_event(result_event(&[]), Unreadable::Text).unwrap();
    assert_eq!(unread.withheld, Some(Withheld::Unreadable(Unreadable::Text)));
    let many =
        host([unreached()]).emit(result_event(&vec![""; MAX_RESULT_VALUES]), &CallOptions::default()).await;
    assert_eq!(many.withheld, Some(Withheld::Unreadable(Unreadable::TooMany)));
}
