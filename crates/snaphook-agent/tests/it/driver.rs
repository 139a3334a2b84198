//! The driver: the lifecycle in order, what is told, and that the counts match it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use snaphook::{
    Answer, BoxFuture, CallContext, CancellationToken, Deliver, Event, EventName, Handler, HandlerError,
    HandlerInfo, HookRef, Host, Lifecycle, Scope, Session,
};
use snaphook_agent::driver::{Ending, Replay, SessionDriver, Step, Summary};
use snaphook_agent::replay::Recording;
use snaphook_agent::scratch::{CopyLimits, Scratch};
use tempfile::TempDir;

use crate::support::{create, fixture};

type Answering = Arc<dyn Fn(&Event, &Arc<CallContext>) -> Value + Send + Sync>;

/// A hook in Rust that answers one event with what a script would return.
struct Hook {
    info: HandlerInfo,
    answer: Answering,
}

impl Handler for Hook {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, _event: &Event, _context: &CallContext) -> bool {
        true
    }

    fn handle<'a>(
        &'a self,
        event: &'a Event,
        context: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>> {
        let answer = (self.answer)(event, context);
        Box::pin(async move {
            match answer.get("raise").and_then(Value::as_str) {
                Some(error) => Err(HandlerError::new(snaphook::Cause::Error, error)),
                None => Ok(Answer::parse(&self.info.event, answer)?),
            }
        })
    }
}

fn hook(
    id: &str,
    event: Lifecycle,
    answer: impl Fn(&Event, &Arc<CallContext>) -> Value + Send + Sync + 'static,
) -> Arc<dyn Handler> {
    let hook = HookRef::new(id, id, Scope::User, format!("{id}.lua"));
    let info = HandlerInfo { hook, event: event.into(), line: Some(7), file: None, matcher: None };
    Arc::new(Hook { info, answer: Arc::new(answer) })
}

/// Writes down every event of a run by its name, and a call's id.
fn witnesses(trace: &Arc<Mutex<Vec<String>>>) -> Vec<Arc<dyn Handler>> {
    let witness = |event: &Lifecycle| {
        let trace = Arc::clone(trace);
        hook("witness", *event, move |event, _| {
            let name = match event.name() {
                EventName::Lifecycle(event) => event.name().to_owned(),
                EventName::Bus(name) => name.to_string(),
            };
            let id = event.call().map(|call| format!(":{}", call.id)).unwrap_or_default();
            trace.lock().unwrap().push(name + &id);
            json!({})
        })
    };
    Lifecycle::ALL.iter().map(witness).collect()
}

/// A run of a recording and all that came of it.
struct Played {
    result: Result<Summary, String>,
    steps: Vec<Step>,
    transcript: Vec<Value>,
    scratch: Scratch,
    _under: TempDir,
}

impl Played {
    fn summary(&self) -> &Summary {
        self.result.as_ref().unwrap()
    }

    fn read(&self, file: &str) -> String {
        let path = self.scratch.project().join(file);
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// What was told, one line a step.
    fn told(&self) -> Vec<String> {
        self.steps.iter().filter_map(line).collect()
    }
}

fn line(step: &Step) -> Option<String> {
    Some(match step {
        Step::PromptSent { text, .. } => format!("prompt {text}"),
        Step::PromptBlocked { decision, .. } => format!("blocked prompt: {}", decision.message()),
        Step::AssistantText { text, subagent } => {
            format!("{} says {text}", subagent.as_deref().unwrap_or("agent"))
        }
        Step::CallDecided { call, decision } => {
            let how = if decision.is_rewritten() { " rewritten" } else { "" };
            match decision.is_allowed() {
                true => format!("{} allowed{how}", call.id),
                false => format!("{} denied{how}: {}", call.id, decision.message()),
            }
        }
        Step::CallFinished { result, rewritten, recorded, .. } => {
            let mut words = vec![format!("{} finished", result.call.id)];
            words.extend(rewritten.then(|| "rewritten".to_owned()));
            words.extend(recorded.then(|| "recorded".to_owned()));
            words.extend(result.is_error.then(|| "failed".to_owned()));
            words.join(" ")
        }
        Step::Delivered { deliver, text } => {
            format!("{} from {}: {}", deliver.as_str(), text.hook.id, text.text)
        }
        Step::ContinueWith { text } => format!("go on: {}", text.text),
        Step::Terminated { turns_left_out } => format!("terminated, {turns_left_out} left out"),
        Step::CheckPassed { handler } => format!("check {} passed", handler.hook.id),
        Step::CheckFailed { reason, pending, .. } => format!("check failed: {reason}, {pending} pending"),
        Step::Notice { text } => format!("notice {text}"),
        Step::Report(report) => format!("report {report}"),
        Step::Problem(problem) => format!("problem {}", problem.message),
        Step::SubagentStarted { subagent } => format!("{subagent} starts"),
        Step::SubagentEnded { subagent } => format!("{subagent} ends"),
        _ => return None,
    })
}

async fn play(recording: Recording, hooks: Vec<Arc<dyn Handler>>, cancel: CancellationToken) -> Played {
    let under = TempDir::new().unwrap();
    let scratch =
        create(under.path(), &recording.base, &recording.files, CopyLimits::default()).await.unwrap();
    let folder = scratch.project().to_owned();
    let session = Session { id: "s".into(), cwd: folder.clone(), project_root: folder, ..Session::default() };
    let builder =
        hooks.into_iter().fold(Host::builder().session(session), |builder, hook| builder.handler(hook));
    let host = builder.build();
    let mut steps = Vec::new();
    let mut driver = Replay::new(recording, &scratch).unwrap().interrupted_by(cancel);
    let result = driver.run(&host, &mut |step: &Step| steps.push(step.clone())).await;
    let played = Played {
        result: result.map_err(|error| error.to_string()),
        steps,
        transcript: driver.transcript().to_vec(),
        scratch,
        _under: under,
    };
    counts_match(&played);
    played
}

/// The summary's counts are those of the steps, counted another way.
fn counts_match(played: &Played) {
    let summary = played.summary();
    let count = |what: fn(&Step) -> bool| played.steps.iter().filter(|step| what(step)).count() as u64;
    let decided = count(|step| matches!(step, Step::CallDecided { .. }));
    assert_eq!((summary.calls, summary.allowed + summary.denied), (decided, decided));
    let finished = count(|step| matches!(step, Step::CallFinished { .. }));
    assert_eq!(summary.allowed, finished, "every allowed call finishes, and no other");
    assert_eq!(
        summary.prompts,
        count(|step| matches!(step, Step::PromptSent { .. } | Step::PromptBlocked { .. }))
    );
    assert_eq!(summary.turns, count(|step| matches!(step, Step::TurnStarted { .. })));
    assert_eq!(
        summary.failed,
        count(|step| matches!(step, Step::CallFinished { result, .. } if result.is_error))
    );
    assert_eq!(
        summary.rewritten_inputs,
        count(
            |step| matches!(step, Step::CallFinished { result, .. } if *result.original_input != *result.call.input)
        )
    );
    assert_eq!(
        summary.rewritten_results,
        count(|step| matches!(step, Step::CallFinished { rewritten: true, .. }))
    );
    assert_eq!(summary.reports, count(|step| matches!(step, Step::Report(_))));
    let Some(Step::Ended(ended)) = played.steps.last() else { panic!("the last step is the end") };
    assert_eq!(ended, summary);
}

fn recording(text: &str) -> Recording {
    let text = format!("{{\"type\":\"session\",\"version\":1,\"project\":\"empty\"}}\n{text}");
    Recording::parse(Path::new("my.jsonl"), &text).unwrap()
}

fn bash(id: &str, command: &str) -> String {
    json!({"id": id, "tool": "bash", "input": {"command": command}}).to_string()
}

fn turn(text: &str, calls: &[String]) -> String {
    format!("{{\"type\":\"turn\",\"text\":\"{text}\",\"calls\":[{}]}}\n", calls.join(","))
}

fn prompt(text: &str) -> String {
    format!("{{\"type\":\"prompt\",\"text\":\"{text}\"}}\n")
}

fn command(event: &Event) -> String {
    event.call().and_then(|call| call.command().map(String::from)).unwrap_or_default()
}

fn block(pattern: &'static str) -> Arc<dyn Handler> {
    hook("guard", Lifecycle::ToolCall, move |event, _| match command(event).contains(pattern) {
        true => json!({"block": true, "reason": format!("no {pattern} here")}),
        false => json!({}),
    })
}

#[tokio::test]
async fn the_lifecycle_is_in_order_also_when_a_call_is_blocked() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let mut hooks = witnesses(&trace);
    hooks.push(block("sudo"));
    let text = prompt("go")
        + &turn("two", &[bash("a", "sudo ls"), bash("b", "echo b"), bash("c", "exit 2")])
        + &turn("done", &[]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    let trace = trace.lock().unwrap();
    // The results of parallel calls come in any order.
    let mut sorted = trace.clone();
    let results = sorted.iter().position(|name| name.starts_with("tool_result")).unwrap();
    sorted[results..results + 2].sort();
    assert_eq!(
        sorted.join(" > "),
        "startup > session > session_start > user_prompt > agent_start \
         > turn_start > context > model_request > model_response \
         > tool_call:a > tool_call:b > tool_call:c > tool_result:b > tool_result:c > turn_end \
         > turn_start > context > model_request > model_response > turn_end \
         > agent_end > session_end > shutdown"
    );
    assert_eq!(
        played.told(),
        [
            "prompt go",
            "agent says two",
            "a denied: no sudo here [guard at guard.lua:7]",
            "b allowed",
            "c allowed",
            "b finished",
            "c finished failed",
            "agent says done"
        ]
    );
    let roles: Vec<_> = played.transcript.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "tool", "assistant"]);
    assert_eq!(played.transcript[2]["content"], "no sudo here [guard at guard.lua:7]");
}

#[tokio::test]
async fn the_tour_shows_what_hooks_do() {
    let gate = hook("gate", Lifecycle::ToolCall, |event, _| {
        let command = command(event);
        let path = event.call().and_then(|call| call.paths().first().map(|path| path.to_string()));
        match () {
            () if command.contains("rm -rf") => json!({"ask": "Delete recursively?"}),
            () if command.contains("push --force") => json!({"block": true, "reason": "no force push"}),
            () if command.starts_with("git log") => {
                json!({"command": command.replace("git log", "git --no-pager log")})
            }
            () if path.as_deref() == Some(".env") => json!({"block": true, "reason": ".env is protected"}),
            () => json!({}),
        }
    });
    let redact = hook("redact", Lifecycle::ToolResult, |event, _| {
        let content = event.subject().as_str().unwrap_or_default().to_owned();
        match content.contains("sk-FAKE") {
            true => json!({"content": content.replace("sk-FAKE00000000000000000000NOTREAL", "[redacted]")}),
            false => json!({}),
        }
    });
    let played = play(Recording::tour().unwrap(), vec![gate, redact], CancellationToken::new()).await;
    let expected = Summary {
        prompts: 4,
        turns: 16,
        calls: 16,
        allowed: 13,
        denied: 3,
        asked: 1,
        rewritten_inputs: 1,
        rewritten_results: 1,
        failed: 1,
        duration: played.summary().duration,
        ..Summary::default()
    };
    assert_eq!(*played.summary(), expected);
    let denied: Vec<_> = played.told().into_iter().filter(|line| line.contains("denied")).collect();
    assert_eq!(
        denied,
        [
            "key-3 denied: .env is protected [gate at gate.lua:7]",
            "ship-2 denied: this needs a person's yes and nobody can be asked here (headless): Delete recursively? \
             Run it with a terminal, or adjust the hook \"gate\". [gate at gate.lua:7]",
            "ship-4 denied: no force push [gate at gate.lua:7]"
        ]
    );
    assert!(played.read(".env").contains("sk-FAKE0000"));
    assert!(played.read("src/lib.sh").contains("${1:-world}"));
    assert!(played.scratch.project().join("build/greeter").exists());
    let transcript = serde_json::to_string(&played.transcript).unwrap();
    assert!(transcript.contains("[redacted]") && transcript.contains("ok   greets the world"));
    assert!(!transcript.contains("sk-FAKE0000"), "the secret reached the agent");
}

#[tokio::test]
async fn without_hooks_every_call_of_the_tour_runs() {
    let played = play(Recording::tour().unwrap(), Vec::new(), CancellationToken::new()).await;
    let summary = played.summary();
    // The failing test, and the push: the scratch project has no remote.
    assert_eq!((summary.calls, summary.allowed, summary.failed), (16, 16, 2));
    assert!(!played.scratch.project().join("build").exists());
}

#[tokio::test]
async fn a_prompt_is_gated_too() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let mut hooks = witnesses(&trace);
    hooks.push(hook("prompts", Lifecycle::UserPrompt, |event, _| {
        match event.subject()["prompt"].as_str().unwrap() {
            "bad" => json!({"block": true, "reason": "not this"}),
            "short" => json!({"prompt": "rather long", "context": "be kind"}),
            _ => json!({}),
        }
    }));
    let text =
        prompt("bad") + &turn("never", &[bash("a", "touch never")]) + &prompt("short") + &turn("yes", &[]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(
        played.told(),
        [
            "blocked prompt: not this [prompts at prompts.lua:7]",
            "prompt rather long",
            "now from prompts: be kind",
            "agent says yes"
        ]
    );
    assert_eq!(trace.lock().unwrap().iter().filter(|name| *name == "agent_start").count(), 1);
    assert_eq!((played.summary().prompts, played.summary().blocked_prompts), (2, 1));
}

#[tokio::test]
async fn text_of_hooks_is_delivered_in_time() {
    let sender = |deliver: Deliver, text: &'static str| {
        move |event: &Event, context: &Arc<CallContext>| {
            let hook = HookRef::new("sender", "sender", Scope::User, "sender.lua");
            if event.call().is_none_or(|call| &*call.id == "a") {
                context.services.send(&hook, text.to_owned(), deliver);
            }
            json!({})
        }
    };
    let hooks = vec![
        hook("sender", Lifecycle::SessionStart, |_, _| json!({"context": "branch main"})),
        hook("sender", Lifecycle::ToolCall, sender(Deliver::Now, "hurry")),
        hook("sender", Lifecycle::ToolResult, sender(Deliver::NextTurn, "later")),
        hook("sender", Lifecycle::TurnEnd, sender(Deliver::FollowUp, "after all")),
        hook("ender", Lifecycle::AgentEnd, |_, _| json!({"continue_with": "more"})),
        hook("late", Lifecycle::SessionEnd, |_, _| json!({"context": "too late"})),
    ];
    let text = prompt("go") + &turn("one", &[bash("a", "true"), bash("b", "true")]) + &turn("two", &[]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(
        played.told(),
        [
            "prompt go",
            "next_turn from sender: branch main",
            "agent says one",
            "a allowed",
            "b allowed",
            "a finished",
            "b finished",
            "now from sender: hurry",
            "next_turn from sender: later",
            "agent says two",
            "go on: more",
            "follow_up from sender: after all",
            "follow_up from sender: after all",
            "notice 1 text of hooks found no turn to be delivered with"
        ]
    );
    let from_hooks = played.transcript.iter().filter(|message| message.get("from").is_some()).count();
    assert_eq!((from_hooks, played.summary().delivered), (6, 5));
}

#[tokio::test]
async fn a_denial_can_stop_the_agent() {
    let stop = hook("stop", Lifecycle::ToolCall, |event, _| match command(event).as_str() {
        "bad" => json!({"block": true, "reason": "enough", "terminate": true}),
        _ => json!({}),
    });
    let text = prompt("go")
        + &turn("one", &[bash("a", "bad"), bash("b", "true")])
        + &turn("never", &[bash("c", "true")])
        + &turn("never", &[])
        + &prompt("again")
        + &turn("yes", &[]);
    let played = play(recording(&text), vec![stop], CancellationToken::new()).await;
    assert_eq!(
        played.told(),
        [
            "prompt go",
            "agent says one",
            "a denied: enough [stop at stop.lua:7]",
            "b allowed",
            "b finished",
            "terminated, 2 left out",
            "prompt again",
            "agent says yes"
        ]
    );
}

#[tokio::test]
async fn an_interruption_ends_the_call_and_closes_the_session() {
    let trace = Arc::new(Mutex::new(Vec::new()));
    let cancel = CancellationToken::new();
    let mut hooks = witnesses(&trace);
    // The result handlers are left out: they would hold back the output that we react to.
    hooks.retain(|hook| hook.info().event != Lifecycle::ToolResult.into());
    let token = cancel.clone();
    let text = prompt("go")
        + &turn("wait", &[bash("a", "echo begun > begun; sleep 600")])
        + &turn("never", &[])
        + &prompt("never");
    let recording = recording(&text);
    let under = TempDir::new().unwrap();
    let scratch =
        create(under.path(), &recording.base, &recording.files, CopyLimits::default()).await.unwrap();
    let begun = scratch.project().join("begun");
    let waiting = tokio::spawn(async move {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        token.cancel();
    });
    let host = hooks.into_iter().fold(Host::builder(), |builder, hook| builder.handler(hook)).build();
    let mut driver = Replay::new(recording, &scratch).unwrap().interrupted_by(cancel);
    let mut steps = Vec::new();
    let summary = driver.run(&host, &mut |step: &Step| steps.push(step.clone())).await.unwrap();
    waiting.await.unwrap();
    assert_eq!((summary.ending, summary.prompts, summary.calls), (Ending::Interrupted, 1, 1));
    assert_eq!(
        trace.lock().unwrap().join(" > "),
        "startup > session > session_start > user_prompt > agent_start > turn_start > context > model_request \
         > model_response > tool_call:a > turn_end > agent_error > agent_end > session_end > shutdown"
    );
}

#[tokio::test]
async fn checks_see_what_changed() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let files = Arc::clone(&seen);
    let hooks = vec![
        hook("first", Lifecycle::FilesChanged, move |event, _| {
            files.lock().unwrap().push(event.subject()["files"].to_string());
            json!({})
        }),
        hook("second", Lifecycle::FilesChanged, |_, _| json!({"fail": true, "reason": "red"})),
        hook("third", Lifecycle::FilesChanged, |_, _| json!({})),
    ];
    let text = prompt("change")
        + &turn("", &[bash("a", "echo x > new; mkdir d; echo y > d/deep")])
        + &prompt("look")
        + &turn("", &[bash("b", "cat new")])
        + &prompt("remove")
        + &turn("", &[bash("c", "rm new; echo longer > d/deep")]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!(*seen.lock().unwrap(), ["[\"d/deep\",\"new\"]", "[\"d/deep\",\"new\"]"]);
    let checks: Vec<_> = played.told().into_iter().filter(|line| line.starts_with("check")).collect();
    assert_eq!(checks, ["check first passed", "check failed: red, 1 pending"].repeat(2));
    assert_eq!(played.summary().failed_checks, 2);
}

#[tokio::test]
async fn a_failing_hook_is_reported_and_denies() {
    let hooks = vec![
        hook("broken", Lifecycle::ToolCall, |_, _| json!({"raise": "attempt to index nil"})),
        hook("lost", Lifecycle::TurnStart, |_, _| json!({"raise": "oops"})),
    ];
    let text = prompt("go") + &turn("", &[bash("a", "touch x")]);
    let played = play(recording(&text), hooks, CancellationToken::new()).await;
    assert_eq!((played.summary().denied, played.summary().reports), (1, 2));
    assert!(!played.scratch.project().join("x").exists());
    assert!(played.told().iter().any(|line| line.starts_with("report lost.lua:7: ")), "{:?}", played.told());
}

#[tokio::test]
async fn output_is_told_only_if_nobody_could_rewrite_it() {
    let text = prompt("go") + &turn("", &[bash("a", "echo live")]);
    let plain = play(recording(&text), Vec::new(), CancellationToken::new()).await;
    let shown =
        |played: &Played| played.steps.iter().filter(|step| matches!(step, Step::CallOutput { .. })).count();
    assert_eq!(shown(&plain), 1);
    let redact = hook("redact", Lifecycle::ToolResult, |_, _| json!({}));
    assert_eq!(shown(&play(recording(&text), vec![redact], CancellationToken::new()).await), 0);
}

#[tokio::test]
async fn a_claude_transcript_replays() {
    let rewrite = hook("rewrite", Lifecycle::ToolCall, |event, _| match &*event.call().unwrap().tool {
        "mcp__bank__rate" => json!({"input": {"currency": "USD"}}),
        _ => json!({}),
    });
    let natives = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&natives);
    let look = hook("look", Lifecycle::ToolResult, move |event, _| {
        let call = event.call().unwrap();
        let who = call.subagent.as_deref().unwrap_or("-");
        seen.lock().unwrap().push(format!("{who} {} {}", call.native_tool, call.tool));
        json!({})
    });
    let recording = Recording::load(&fixture("claude-shop.jsonl")).unwrap();
    let played = play(recording, vec![rewrite, look], CancellationToken::new()).await;
    let told = played.told();
    assert_eq!(
        told.get(3..).unwrap_or_default(),
        [
            "prompt What does the shop sell?",
            "agent says I look.",
            "toolu_1 allowed",
            "toolu_2 allowed",
            "toolu_1 finished",
            "toolu_2 finished",
            "agent says Apples and pears.",
            "prompt Make pears 5, and\nnote it.",
            "toolu_3 allowed",
            "toolu_3 finished",
            "toolu_4 allowed",
            "toolu_4 finished",
            "toolu_5 allowed",
            "toolu_5 finished",
            "toolu_6 allowed rewritten",
            "toolu_6 finished recorded",
            "notice the input of mcp__bank__rate was rewritten, but its result is the recorded one of the original input",
            "toolu_7 allowed",
            "toolu_7 finished recorded",
            "a1 starts",
            "toolu_8 allowed",
            "toolu_8 finished",
            "a1 says 12 pears",
            "a1 ends",
            "agent says Done."
        ]
    );
    assert_eq!(played.read("prices.txt"), "apple 3\npear 5\n");
    // A file's content keeps the paths that it had.
    assert_eq!(played.read("notes/today.txt"), "pears: 5, see /home/ann/shop/prices.txt\n");
    let finished = played.steps.iter().filter_map(|step| match step {
        Step::CallFinished { result, .. } => Some(result),
        _ => None,
    });
    let cat = { finished }.find(|result| &*result.call.id == "toolu_5").unwrap();
    assert_eq!(&*cat.content, "apple 3\npear 5\ntoday.txt", "{:?}", cat.call.input);
    let natives = natives.lock().unwrap();
    assert!(
        natives.contains(&"a1 Read read".to_owned()) && natives.contains(&"- Task task".to_owned()),
        "{natives:?}"
    );
}

#[test]
fn the_page_about_replay_files_is_true() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/replay.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let recording = Recording::parse(&PathBuf::from("docs/replay.md"), example).unwrap();
    assert_eq!((recording.calls(), recording.files.len()), (2, 1));
}
