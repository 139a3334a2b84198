//! People: what becomes of "ask" and of dialogs, with and without a person.

use std::sync::Arc;

use serde_json::json;
use snaphook::*;

use crate::support::*;

fn asks(id: &str, question: &str) -> Arc<dyn Handler> {
    says(id, "tool_call", json!({"ask": question}))
}

#[tokio::test]
async fn ask_is_resolved_by_whoever_is_there() {
    let t = "tool_call";
    let cases: Vec<(Handlers, &str, &str, usize)> = vec![
        (vec![asks("a", "Sure?")], "yes", "allow: ls", 1),
        (vec![asks("a", "Sure?")], "no", "deny[]: declined by the person: Sure? [a at a.lua:1]", 1),
        (vec![asks("a", "Sure?")], "", "deny[]: declined by the person: Sure? [a at a.lua:1]", 1),
        (vec![asks("a", "Sure?"), asks("b", "Sure?")], "yes", "allow: ls", 1),
        (vec![asks("a", "Sure?"), asks("b", "Really?")], "yes,yes", "allow: ls", 2),
        (
            vec![asks("a", "Sure?"), asks("b", "Really?")],
            "yes,no",
            "deny[]: declined by the person: Really? [b at b.lua:1]",
            2,
        ),
        // A call that is denied anyway needs no question.
        (
            vec![asks("a", "Sure?"), says("b", t, json!({"block": true, "reason": "no"}))],
            "yes",
            "deny[]: no [b at b.lua:1]",
            0,
        ),
        (
            vec![says("b", t, json!({"block": true, "reason": "no"})), confirms("a", "Sure?")],
            "yes",
            "deny[]: no [b at b.lua:1]",
            0,
        ),
        (vec![confirms("a", "Sure?")], "yes", "allow: ls", 1),
        (vec![confirms("a", "Sure?")], "no", "deny[]: Sure? no [a at a.lua:1]", 1),
    ];
    for (number, (handlers, answers, expected, asked)) in cases.into_iter().enumerate() {
        let ui = Arc::new(ScriptedUi::parse(answers));
        let host = builder(handlers).ui(ui.clone()).build();
        assert_eq!(gated(&host, "ls").await, expected, "case {number}");
        assert_eq!(ui.questions().len(), asked, "case {number}");
    }
}

#[tokio::test]
async fn an_approval_is_a_reason_and_the_dialog_shows_what_runs() {
    let rewrites = says("r", "tool_call", json!({"command": "ls \u{1b}[8m; rm \u{202e}x"}));
    let ui = Arc::new(ScriptedUi::parse("yes"));
    let host = builder([asks("a", "Sure?"), rewrites]).ui(ui.clone()).build();
    let std::ops::ControlFlow::Continue(permitted) = host.gate(bash("ls"), &CallOptions::default()).await
    else {
        panic!("it was denied")
    };
    assert_eq!(permitted.decision.message(), "approved by the person: Sure? [a at a.lua:1]");
    let UiRequest::Confirm { title, message } = ui.questions()[0].request.clone() else {
        panic!("no confirmation")
    };
    assert_eq!(title, "Sure?");
    let expected = "Asked by the hook \"a\" (user):\nbash: ls \\u{1b}[8m; rm \\u{202e}x";
    assert_eq!(message.as_deref(), Some(expected));
}

#[tokio::test]
async fn headless_ask_denies_and_says_what_to_do() {
    let expected = "deny[headless]: needs approval, and nobody can be asked (headless): Sure? Run it \
                    with a terminal, or adjust the hook \"a\". [a at a.lua:1]";
    assert_eq!(gated(&host([asks("a", "Sure?")]), "ls").await, expected);
    // The same script runs unchanged: it asks, gets a no, and blocks by its own words.
    assert_eq!(gated(&host([confirms("a", "Sure?")]), "ls").await, "deny[]: Sure? no [a at a.lua:1]");
}

#[tokio::test]
async fn headless_questions_have_the_answers_of_the_law() {
    let select = UiRequest::Select { title: "Which?".into(), options: vec!["x".into()] };
    let input = UiRequest::Input { title: "What?".into(), initial: Some("x".into()) };
    let host = host([on("a", "tool_call", move |_, context| {
        let (select, input) = (select.clone(), input.clone());
        async move {
            assert!(!context.services.has_ui(&hook("a"), &context));
            assert_eq!(ask(&context, "a", confirm("Sure?")).await, UiReply::Confirmed(false));
            assert_eq!(ask(&context, "a", select).await, UiReply::Nothing);
            assert_eq!(ask(&context, "a", input).await, UiReply::Nothing);
            nothing()
        }
    })]);
    assert_eq!(gated(&host, "ls").await, "allow: ls");
}

#[tokio::test]
async fn a_call_may_have_a_person_of_its_own() {
    let sees = on("sees", "tool_call", |_, context| async move {
        assert!(context.services.has_ui(&hook("a"), &context));
        nothing()
    });
    let caused = on("caused", "a.b", |_, context| async move {
        assert_eq!(ask(&context, "caused", confirm("And this?")).await, UiReply::Confirmed(true));
        nothing()
    });
    let causes = on("causes", "tool_call", |_, context| async move {
        let fields = serde_json::Map::new();
        context.services.emit(&hook("causes"), &context, "a.b".into(), fields).await.unwrap();
        nothing()
    });
    let host = host([sees, causes, caused, confirms("a", "Sure?"), asks("b", "Really?")]);
    let ui = Arc::new(ScriptedUi::parse("yes,yes,yes,yes,yes,yes"));
    for supervised in [false, true] {
        let own = CallOptions { ui: Some(ui.clone()), supervised, ..CallOptions::default() };
        assert_eq!(show(host.gate(bash("ls"), &own).await), "allow: ls");
    }
    assert_eq!(ui.questions().len(), 6);
    assert!(gated(&host, "ls").await.starts_with("deny"), "and no other call has");
}

#[tokio::test]
async fn questions_may_be_left_to_somebody_outside() {
    let defer = CallOptions { ask: AskMode::Defer, ..CallOptions::default() };
    let host = host([asks("a", "Sure?")]);
    assert_eq!(show(host.gate(bash("ls"), &defer).await), "ask: Sure? [a at a.lua:1]");

    // A confirmation becomes an ask; the handlers after it still run.
    let denies = says("b", "tool_call", json!({"block": true, "reason": "no"}));
    let host = |handlers: Handlers| builder(handlers).ui(Arc::new(DeferUi)).build();
    let deferred = host(vec![confirms("a", "Sure?")]);
    assert_eq!(gated(&deferred, "ls").await, "ask: Sure? [a at a.lua:1]");
    assert_eq!(
        show(deferred.gate(bash("ls"), &CallOptions::supervised()).await),
        "ask: Sure? [a at a.lua:1]"
    );
    let denied = host(vec![confirms("a", "Sure?"), denies]);
    assert_eq!(gated(&denied, "ls").await, "deny[]: no [b at b.lua:1]");
}

#[tokio::test]
async fn a_deferred_question_stands_even_if_the_handler_answers_around_it() {
    // As a script that starts the dialog in a coroutine and forgets it.
    let host = builder([on("a", "tool_call", |_, context| async move {
        let dialog = context.services.ui(&hook("a"), &context, confirm("Sure?"));
        tokio::select! { biased; _ = dialog => {}, () = std::future::ready(()) => {} }
        nothing()
    })]);
    assert_eq!(gated(&host.ui(Arc::new(DeferUi)).build(), "ls").await, "ask: Sure? [a at a.lua:1]");
}

#[tokio::test]
async fn a_handler_that_asks_from_another_task_is_abandoned_too() {
    let host = builder([on("a", "tool_call", |_, context| async move {
        let dialog = context.services.ui(&hook("a"), &context, confirm("Sure?"));
        let _ = tokio::spawn(dialog).await;
        nothing()
    })]);
    assert_eq!(gated(&host.ui(Arc::new(DeferUi)).build(), "ls").await, "ask: Sure? [a at a.lua:1]");
}

#[tokio::test]
async fn a_question_left_behind_is_not_the_next_handler_s() {
    let leaves = on("a", "tool_call", |_, context| async move {
        let dialog = context.services.ui(&hook("a"), &context, confirm("Sure?"));
        tokio::spawn(dialog);
        nothing()
    });
    let denies = on("b", "tool_call", |_, _| async {
        settle().await;
        answer("tool_call", json!({"block": true, "reason": "no"}))
    });
    let host = builder([leaves, denies]).ui(Arc::new(DeferUi)).build();
    assert_eq!(gated(&host, "ls").await, "deny[]: no [b at b.lua:1]");
}

#[tokio::test]
async fn outside_of_gates_nothing_is_deferred() {
    let trace = Trace::default();
    let told = trace.clone();
    let host = builder([on("a", "turn_end", move |_, context| {
        let told = told.clone();
        async move {
            told.add(format!("{:?}", ask(&context, "a", confirm("Sure?")).await));
            nothing()
        }
    })]);
    let host = host.ui(Arc::new(DeferUi)).build();
    assert!(
        host.emit(lifecycle(Lifecycle::TurnEnd, json!({"turn_index": 1})), &CallOptions::default())
            .await
            .reports
            .is_empty()
    );
    assert_eq!(trace.all(), "Confirmed(false)", "the handler was answered, not dropped");
}

#[tokio::test]
async fn one_dialog_at_a_time_and_who_gives_up_leaves_the_queue() {
    let ui = Arc::new(ManualUi::default());
    let host = builder([on("a", "tool_call", |event, context| async move {
        let title: &'static str = command(&event).leak();
        match ask(&context, "a", confirm(title)).await {
            UiReply::Confirmed(true) => nothing(),
            _ => answer("tool_call", json!({"block": true, "reason": "no"})),
        }
    })]);
    let host = host.ui(ui.clone()).build();
    let start = |line: &'static str| {
        let host = host.clone();
        tokio::spawn(async move { gated(&host, line).await })
    };
    let first = start("one");
    settle().await;
    let second = start("two");
    settle().await;
    let third = start("three");
    settle().await;
    assert_eq!(ui.titles(), ["one"]);
    second.abort();
    settle().await;
    ui.reply(UiReply::Confirmed(true));
    settle().await;
    assert_eq!(ui.titles(), ["three"]);
    ui.reply(UiReply::Nothing);
    assert_eq!(first.await.unwrap(), "allow: one");
    assert_eq!(third.await.unwrap(), "deny[]: no [a at a.lua:1]");
}

#[tokio::test]
async fn dropping_a_call_closes_its_dialog() {
    let ui = Arc::new(ManualUi::default());
    for handler in [confirms("a", "Sure?"), asks("a", "Sure?")] {
        let host = builder([handler]).ui(ui.clone()).build();
        let running = tokio::spawn(async move { gated(&host, "ls").await });
        settle().await;
        assert_eq!(ui.titles(), ["Sure?"]);
        running.abort();
        settle().await;
        ui.open.lock().unwrap().clear();
    }
    assert_eq!(ui.closed.all(), "closed closed");
}

#[tokio::test]
async fn a_script_of_answers_says_what_did_not_fit() {
    let ui = ScriptedUi::parse("maybe, second ,2,7,text");
    let select = || UiRequest::Select { title: "?".into(), options: vec!["first".into(), "second".into()] };
    let input = UiRequest::Input { title: "?".into(), initial: None };
    let mut replies = Vec::new();
    for request in [confirm("?"), select(), select(), select(), input, confirm("?")] {
        replies.push(ui.ask(None, request).await);
    }
    use UiReply::{Confirmed, Nothing, Selected, Text};
    assert_eq!(
        replies,
        [Confirmed(false), Selected(1), Selected(1), Nothing, Text("text".into()), Confirmed(false)]
    );
    let problems: Vec<_> = ui.questions().into_iter().filter_map(|asked| asked.problem).collect();
    assert_eq!(
        problems,
        [
            "\"maybe\" is neither yes nor no",
            "\"7\" is not one of the choices",
            "the script of answers is exhausted"
        ]
    );
    assert!(ui.unused().is_empty());
}
