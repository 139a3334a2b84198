//! Runs of the driver with hooks written in Rust; after each the counts are held against the steps.

mod lifecycle;
mod recordings;

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use snaphook::{
    Answer, CallContext, CancellationToken, Event, EventName, Handler, HandlerError, HandlerInfo, HookRef,
    Host, Lifecycle, Scope, Session, handler_fn,
};
use snaphook_agent::driver::{DriveError, Replay, Step, Summary};
use snaphook_agent::replay::Recording;
use snaphook_agent::scratch::{CopyLimits, Scratch};
use tempfile::TempDir;

use crate::support::create;

/// Makes a hook in Rust that answers one event with what a script would return.
pub fn hook(
    id: &str,
    event: Lifecycle,
    answer: impl Fn(&Event, &Arc<CallContext>) -> Value + Send + Sync + 'static,
) -> Arc<dyn Handler> {
    let hook = HookRef::new(id, id, Scope::User, format!("{id}.lua"));
    let info = HandlerInfo { line: Some(7), ..HandlerInfo::new(hook, event) };
    handler_fn(info, move |event, context| {
        let answer = answer(&event, &context);
        std::future::ready(match answer.get("raise").and_then(Value::as_str) {
            Some(error) => Err(HandlerError::new(snaphook::Cause::Error, error)),
            None => Answer::parse(event.name(), answer).map_err(HandlerError::from),
        })
    })
}

/// Writes down every event of a run by its name, and a call's id.
pub fn witnesses(trace: &Arc<Mutex<Vec<String>>>) -> Vec<Arc<dyn Handler>> {
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
pub struct Played {
    result: Result<Summary, DriveError>,
    pub steps: Vec<Step>,
    pub transcript: Vec<Value>,
    pub scratch: Scratch,
    _under: TempDir,
}

impl Played {
    pub fn summary(&self) -> &Summary {
        self.result.as_ref().unwrap()
    }

    pub fn read(&self, file: &str) -> String {
        let path = self.scratch.project().join(file);
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Returns the reported steps, one line each.
    pub fn report_lines(&self) -> Vec<String> {
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
            if decision.is_allowed() {
                format!("{} allowed{how}", call.id)
            } else {
                format!("{} denied{how}: {}", call.id, decision.message())
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
        Step::CheckPassed { hook } => format!("check {} passed", hook.id),
        Step::CheckFailed { reason, pending, .. } => format!("check failed: {reason}, {pending} pending"),
        Step::Notice { text } => format!("notice {text}"),
        Step::Report(report) => format!("report {report}"),
        Step::Problem(problem) => format!("problem {}", problem.message),
        Step::SubagentStarted { subagent } => format!("{subagent} starts"),
        Step::SubagentEnded { subagent } => format!("{subagent} ends"),
        _ => return None,
    })
}

pub async fn play(recording: Recording, hooks: Vec<Arc<dyn Handler>>, cancel: CancellationToken) -> Played {
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
    let played = Played { result, steps, transcript: driver.transcript(), scratch, _under: under };
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

pub fn recording(text: &str) -> Recording {
    let text = format!("{{\"type\":\"session\",\"version\":1,\"project\":\"empty\"}}\n{text}");
    Recording::parse(Path::new("my.jsonl"), &text).unwrap()
}

pub fn bash(id: &str, command: &str) -> String {
    json!({"id": id, "tool": "bash", "input": {"command": command}}).to_string()
}

pub fn turn(text: &str, calls: &[String]) -> String {
    format!("{{\"type\":\"turn\",\"text\":\"{text}\",\"calls\":[{}]}}\n", calls.join(","))
}

pub fn prompt(text: &str) -> String {
    format!("{{\"type\":\"prompt\",\"text\":\"{text}\"}}\n")
}

pub fn command(event: &Event) -> String {
    event.call().and_then(|call| call.command().map(String::from)).unwrap_or_default()
}

pub fn block(pattern: &'static str) -> Arc<dyn Handler> {
    hook("guard", Lifecycle::ToolCall, move |event, _| {
        if command(event).contains(pattern) {
            json!({"block": true, "reason": format!("no {pattern} here")})
        } else {
            json!({})
        }
    })
}
