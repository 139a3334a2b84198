//! The loop of iterations and the loop of checks, over the model driver: iteratr's and Discobot's, whose rows in
//! `docs/dev/compatibility.md` name these tests.

use std::sync::{Arc, Mutex};

use serde_json::json;
use snaphook::{BoxFuture, CancellationToken, Deliver, HookRef, Lifecycle, Scope};
use snaphook_agent::driver::{Complete, Ending, ListRun, ListValues, Lists, Repeated, Step, Until};
use snaphook_command::lifecycle::List;
use snaphook_session::agent_loop::iterations::Limits;
use snaphook_testing::model::{Call, Exchange, Wire};

use super::{Played, Scene, runs};
use crate::driver::hook;

/// Lists that write down that they ran, and say something for the agent.
#[derive(Clone, Default)]
struct Told {
    log: Arc<Mutex<Vec<String>>>,
    piped: &'static [(List, &'static str)],
}

impl Lists for Told {
    fn run<'a>(&'a self, list: List, values: ListValues, _: &'a CancellationToken) -> BoxFuture<'a, ListRun> {
        let number = values.iteration.map(|number| format!(" {number}")).unwrap_or_default();
        let error = values.error.map(|error| format!(" ({error})")).unwrap_or_default();
        self.log.lock().unwrap().push(format!("{list}{number}{error}"));
        let piped = self.piped.iter().find(|(of, _)| *of == list).map(|(_, text)| (*text).to_owned());
        Box::pin(std::future::ready(ListRun { piped: piped.unwrap_or_default(), notes: Vec::new() }))
    }
}

/// A scene of so many iterations at most.
fn iterations(count: u64, script: impl IntoIterator<Item = Exchange>, lists: Told) -> Scene {
    let mut scene = Scene::new(Wire::OpenAiChat, script);
    scene.prompts = Box::new(Repeated::new("go"));
    scene.plan = Box::new(move |plan| {
        plan.limits = Limits { iterations: Some(count), duration: None };
        plan.lists = Arc::new(lists);
    });
    scene
}

/// What the last message of the person in each request was: its parts.
fn asked(played: &Played) -> Vec<Vec<String>> {
    let parts = |request: &snaphook_testing::model::Request| {
        let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
        let last =
            messages.iter().rev().find(|message| message["role"] == "user").cloned().unwrap_or_default();
        match &last["content"] {
            // The client library makes one text of several.
            serde_json::Value::String(text) => text.split("\n\n").map(str::to_owned).collect(),
            parts => parts
                .as_array()
                .into_iter()
                .flatten()
                .map(|part| part["text"].as_str().unwrap_or_default().to_owned())
                .collect(),
        }
    };
    played.server.requests().iter().map(parts).collect()
}

#[tokio::test]
async fn lists_run_in_order_and_their_output_goes_where_it_should() {
    let lists = Told {
        piped: &[
            (List::SessionStart, "built"),
            (List::PreIteration, "linted"),
            (List::PostIteration, "tested"),
            (List::SessionEnd, "nobody hears"),
        ],
        ..Told::default()
    };
    let log = Arc::clone(&lists.log);
    let script = ["one", "two", "last"].map(Exchange::text);
    let played = iterations(2, script, lists).play().await;
    assert_eq!(
        log.lock().unwrap().join(" > "),
        "session_start > pre_iteration 1 > post_iteration 1 > pre_iteration 2 > post_iteration 2 > session_end"
    );
    // What hooks say is the first part of the request, the prompt the last; what is left is delivered at the end.
    assert_eq!(asked(&played), [vec!["built\nlinted", "go"], vec!["tested\nlinted", "go"], vec!["tested"]]);
    assert_eq!(played.summary().ending, Ending::Completed);
}

#[tokio::test]
async fn without_output_there_is_only_the_prompt_and_no_last_delivery() {
    let played = iterations(2, ["one", "two"].map(Exchange::text), Told::default()).play().await;
    assert_eq!(asked(&played), [["go"], ["go"]]);
}

#[tokio::test]
async fn a_failing_agent_is_told_at_once_and_the_session_goes_on() {
    let lists = Told { piped: &[(List::OnError, "look at the diff")], ..Told::default() };
    let log = Arc::clone(&lists.log);
    let script = [Exchange::status(400), Exchange::text("recovered"), Exchange::text("two")];
    let played = iterations(3, script, lists).play().await;
    let log = log.lock().unwrap();
    assert_eq!(log[..3], ["session_start", "pre_iteration 1", &log[2]]);
    assert!(log[2].starts_with("on_error 1 (the model cannot be asked: 400"), "{log:?}");
    // A recovery counts as an iteration.
    assert_eq!(log[3..], ["pre_iteration 2", "post_iteration 2", "session_end"]);
    // The prompt that failed is still without an answer.
    assert_eq!(asked(&played)[1], ["go", "look at the diff"]);
    assert_eq!(played.summary().ending, Ending::Completed);
}

#[tokio::test]
async fn output_of_a_completed_task_waits_for_the_next_iteration() {
    let lists = Told { piped: &[(List::PostIteration, "tested")], ..Told::default() };
    let mut scene = iterations(2, ["one", "two", "last"].map(Exchange::text), lists);
    let waiting = snaphook_session::agent_loop::pending::Pending::default();
    let (first, plan) = (waiting.clone(), scene.plan);
    scene.plan = Box::new(move |changed| {
        plan(changed);
        changed.waiting = first;
    });
    // As a hook does that sees a task done, while the agent works.
    scene.hooks.push(hook("tasks", Lifecycle::TurnStart, move |event, _| {
        if event.subject()["turn_index"] == 0 {
            drop(waiting.push("task 7 is validated".to_owned()));
        }
        json!({})
    }));
    let played = scene.play().await;
    assert_eq!(asked(&played)[1], ["task 7 is validated\ntested", "go"]);
}

struct When(fn() -> bool);

impl Complete for When {
    fn is_complete<'a>(&'a self, _: &'a CancellationToken) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready((self.0)()))
    }
}

#[tokio::test]
async fn iterations_end_when_the_session_is_complete() {
    let until = |until: fn() -> Until| {
        let mut scene = iterations(5, ["one", "two DONE", "three"].map(Exchange::text), Told::default());
        let plan = scene.plan;
        scene.plan = Box::new(move |changed| {
            plan(changed);
            changed.until = Some(until());
        });
        scene
    };
    let played = until(|| Until::Text("DONE".to_owned())).play().await;
    assert_eq!((played.server.requests().len(), played.summary().ending), (2, Ending::Completed));
    let played = until(|| Until::Check(Arc::new(When(|| true)))).play().await;
    assert_eq!((played.server.requests().len(), played.summary().ending), (1, Ending::Completed));
    // Not complete when they end: a limit.
    let mut scene = iterations(2, ["one", "two"].map(Exchange::text), Told::default());
    let plan = scene.plan;
    scene.plan = Box::new(move |changed| {
        plan(changed);
        changed.until = Some(Until::Text("DONE".to_owned()));
    });
    assert_eq!(scene.play().await.summary().ending, Ending::Limit);
}

#[tokio::test]
async fn iterations_that_come_to_nothing_end() {
    let stop_after = |script: Vec<Exchange>| {
        let mut scene = iterations(9, script, Told::default());
        let plan = scene.plan;
        scene.plan = Box::new(move |changed| {
            plan(changed);
            changed.no_progress = Some(2);
        });
        scene
    };
    let turn = |command: &str| {
        [Exchange::calls([Call::new("bash", json!({"command": command}))]), Exchange::text("hm")]
    };
    // The first changes something, the next two do not.
    let script = ["echo x > x", "cat x", "cat x", "cat x"].map(turn).into_iter().flatten().collect();
    let played = stop_after(script).play().await;
    assert_eq!((played.summary().ending, played.summary().prompts), (Ending::NoProgress, 3));
    // No call at all.
    let played = stop_after(vec![Exchange::text("I have nothing to do.")]).play().await;
    assert_eq!((played.summary().ending, played.summary().prompts), (Ending::NoProgress, 1));
    // A call that needs a person, in a session where nobody can be asked.
    let mut scene = stop_after(turn("deploy").into());
    scene.hooks.push(hook("asks", Lifecycle::ToolCall, |_, _| json!({"ask": "Deploy?"})));
    assert_eq!(scene.play().await.summary().ending, Ending::BlockedOnHuman);
}

/// A check of changed files that fails until the file `fixed` is there.
fn check() -> Arc<dyn snaphook::Handler> {
    hook("lint", Lifecycle::FilesChanged, |event, context| {
        let fixed = context.session.project_root.join("fixed").exists();
        assert!(!event.subject()["files"].as_array().unwrap().is_empty());
        if fixed { json!({}) } else { json!({"fail": true, "reason": "x.txt is red"}) }
    })
}

fn checked(script: Vec<Exchange>) -> Scene {
    let mut scene = Scene::new(Wire::OpenAiChat, script);
    scene.hooks.push(check());
    scene.plan = Box::new(|plan| {
        let folder = plan.workspace.root().join("status");
        plan.checks = Some(snaphook_command::status::Store::new(folder));
    });
    scene
}

#[tokio::test]
async fn a_failing_check_makes_the_agent_go_on_until_it_passes() {
    let change = |command: &str| Exchange::calls([Call::new("bash", json!({"command": command}))]);
    let script =
        vec![change("echo x > x.txt"), Exchange::text("one"), change("touch fixed"), Exchange::text("two")];
    let played = checked(script).play().await;
    let told = played.told();
    let sent: Vec<&String> = told.iter().filter(|line| line.starts_with("check: ")).collect();
    assert_eq!(sent.len(), 1, "{told:?}");
    assert!(sent[0].contains("x.txt is red") && sent[0].contains("(Attempt 1/3)"), "{sent:?}");
    assert_eq!(played.summary().ending, Ending::Completed);
    assert!(played.steps.iter().any(|step| matches!(step, Step::CheckPassed { .. })));
}

#[tokio::test]
async fn after_three_attempts_the_check_stays_pending_and_the_session_is_red() {
    let change = || Exchange::calls([Call::new("bash", json!({"command": "date +%N >> x.txt"}))]);
    let script = (0..5).flat_map(|_| [change(), Exchange::text("hm")]).collect();
    let played = checked(script).play().await;
    let told = played.told();
    let attempts: Vec<&str> = told.iter().filter_map(|line| line.split("(Attempt ").nth(1)).collect();
    assert_eq!(attempts, ["1/3)", "2/3)", "3/3)"]);
    assert_eq!(played.summary().ending, Ending::ChecksFailed);
    assert!(played.dropped().iter().any(|note| note.contains("often enough")), "{:?}", played.dropped());
    let status = std::fs::read_to_string(played.project.path().join("status/status.json")).unwrap();
    assert!(status.contains("lint"), "{status}");
}

#[tokio::test]
async fn hooks_make_the_agent_go_on_three_times_at_most() {
    let mut scene = Scene::new(Wire::OpenAiChat, (0..9).map(|_| Exchange::text("done")));
    scene.hooks.push(hook("more", Lifecycle::AgentEnd, |_, _| json!({"continue_with": "more"})));
    let played = scene.play().await;
    assert_eq!(played.server.requests().len(), 4);
    // What a hook sends for later is a reason to go on, too.
    let sender = hook("later", Lifecycle::ToolCall, |_, context| {
        let hook = HookRef::new("later", "later", Scope::User, "later.lua");
        context.services.send(&hook, "and the tests?".to_owned(), Deliver::FollowUp);
        json!({})
    });
    let script =
        [Exchange::calls([Call::new("bash", runs("x"))]), Exchange::text("one"), Exchange::text("two")];
    let scene = Scene { hooks: vec![sender], ..Scene::new(Wire::OpenAiChat, script) };
    let played = scene.play().await;
    assert_eq!(played.told().last().map(String::as_str), Some("assistant: two"));
    assert!(played.told().contains(&"later: and the tests?".to_owned()), "{:?}", played.told());
}
