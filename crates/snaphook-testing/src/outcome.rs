//! The outcome of an event, as a plain map for test scripts and as text for people. Not here: comparing it (`expect`).

use std::path::Path;

use serde_json::{Map, Value, json};
use snaphook::{
    Checks, ContextText, Decision, Emitted, Event, FailedCheck, HandlerInfo, Payload, Reason, Report, Verdict,
};
use snaphook_script::path;

use crate::values::{list, object, text};

/// The side effects of the event.
#[derive(Default)]
pub(crate) struct SideEffects {
    pub(crate) asked: Vec<Value>,
    pub(crate) notified: Vec<Value>,
    pub(crate) sent: Vec<Value>,
    pub(crate) ran: Vec<String>,
    pub(crate) fetched: Vec<Value>,
    pub(crate) reports: Vec<Report>,
}

/// The map of a gated event. The caller adds its number.
pub(crate) fn gated(decision: &Decision, side_effects: SideEffects) -> Map<String, Value> {
    let mut map = plain(&decision.original, &decision.event, &decision.context, side_effects);
    map.insert("decision".to_owned(), json!(word(decision.verdict)));
    map.insert("reasons".to_owned(), decision.reasons.iter().map(reason).collect());
    map.insert("terminate".to_owned(), json!(decision.terminate));
    map.insert("rewritten".to_owned(), json!(decision.is_rewritten_by_hooks()));
    if let Some(hold) = &decision.hold {
        map.insert("hold".to_owned(), hold.to_json());
    }
    map
}

/// The map of an event that cannot be denied.
pub(crate) fn emitted(original: &Event, emitted: &Emitted, side_effects: SideEffects) -> Map<String, Value> {
    // Of a notice it waits for the agent, and is among what was sent as well.
    let context: Vec<_> = emitted.context.iter().chain(&emitted.queued).cloned().collect();
    let mut map = plain(original, &emitted.event, &context, side_effects);
    if let Payload::Result(result) = emitted.event.payload() {
        map.insert("content".to_owned(), json!(&*result.content));
        map.insert("is_error".to_owned(), json!(result.is_error));
        if !result.details.is_null() {
            map.insert("details".to_owned(), (*result.details).clone());
        }
    }
    map.insert("rewritten".to_owned(), json!(emitted.rewritten));
    if let Some(why) = &emitted.withheld {
        let is_result = matches!(emitted.event.payload(), Payload::Result(_));
        let thing = if is_result { "result" } else { "message" };
        map.insert("withheld".to_owned(), json!(why.text(thing)));
    }
    map.insert("continue_with".to_owned(), emitted.continue_with.iter().map(context_json).collect());
    map.insert("checks".to_owned(), checks(&emitted.checks));
    map
}

fn plain(
    original: &Event,
    event: &Event,
    context: &[ContextText],
    side_effects: SideEffects,
) -> Map<String, Value> {
    let map = json!({
        "event": event.name(),
        "input": input(event),
        "original_input": match original.payload() {
            Payload::Result(result) => (*result.original_input).clone(),
            _ => input(original),
        },
        "context": context.iter().map(context_json).collect::<Vec<_>>(),
        "asked": side_effects.asked,
        "notified": side_effects.notified,
        "sent": side_effects.sent,
        "ran": side_effects.ran,
        "fetched": side_effects.fetched,
        "failures": side_effects.reports.iter().map(failure).collect::<Vec<_>>(),
    });
    match map {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The input of a call, the fields of another event.
fn input(event: &Event) -> Value {
    match event.call() {
        Some(call) => (*call.input).clone(),
        None => event.subject(),
    }
}

/// The word for a decision: an abstention of all allows.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Abstain | Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

fn context_json(said: &ContextText) -> Value {
    json!({ "hook": said.hook.id, "text": said.text })
}

fn reason(reason: &Reason) -> Value {
    let place = reason.location.as_ref();
    object(json!({
        "hook": reason.hook.as_ref().map(|hook| hook.id.as_str()),
        "file": place.map(|place| place.file.display().to_string()),
        "line": place.and_then(|place| place.line),
        "verdict": reason.verdict,
        "reason": reason.text,
        "cause": reason.cause,
    }))
}

fn failure(report: &Report) -> Value {
    object(json!({
        "hook": report.hook.as_ref().map(|hook| hook.id.as_str()),
        "file": report.location.as_ref().map(|place| place.file.display().to_string()),
        "line": report.location.as_ref().and_then(|place| place.line),
        "event": report.event,
        "cause": report.cause,
        "message": report.message,
        "traceback": report.traceback,
    }))
}

fn checks(checks: &Checks) -> Value {
    let handlers = |list: &[HandlerInfo]| list.iter().map(|info| json!(info.hook.id)).collect::<Vec<_>>();
    let failed = |check: &FailedCheck| {
        let place = check.handler.location();
        object(json!({
            "hook": check.handler.hook.id,
            "file": place.file.display().to_string(),
            "line": place.line,
            "reason": check.reason,
            "cause": check.cause,
        }))
    };
    object(json!({
        "passed": handlers(&checks.passed),
        "failed": checks.failed.as_ref().map(failed),
        "pending": handlers(&checks.pending),
    }))
}

// ---- for people ----

/// All that is known of an outcome, as indented lines: the decision with its reasons, what was asked and told, what
/// failed. Places are shown below `folder`.
pub(crate) fn describe(outcome: &Map<String, Value>, folder: &Path) -> String {
    let mut out = String::new();
    let event = outcome.get("event").and_then(Value::as_str).unwrap_or_default();
    match outcome.get("decision").and_then(Value::as_str) {
        Some(decision) => out += &format!("{event}: {decision}\n"),
        None => out += &format!("{event}\n"),
    }
    for reason in list(outcome, "reasons") {
        let cause = text(reason, "cause");
        let cause = if cause.is_empty() { String::new() } else { format!(" ({cause})") };
        let place = location_text(reason, folder);
        let hook = if text(reason, "hook").is_empty() { "host" } else { text(reason, "hook") };
        out += &entry(&format!(
            "{:<5} {hook}{place}{cause}: {}",
            text(reason, "verdict"),
            text(reason, "reason")
        ));
    }
    if outcome.get("input") != outcome.get("original_input") {
        out += &entry(&format!("input rewritten: {}", short(outcome.get("input"))));
    }
    if let Some(hold) = outcome.get("hold") {
        out += &entry(&format!("held: {hold}"));
    }
    for told in list(outcome, "context") {
        out += &entry(&format!("context {}: {}", text(told, "hook"), text(told, "text")));
    }
    for asked in list(outcome, "asked") {
        let what = [text(asked, "title"), text(asked, "message")].into_iter().filter(|text| !text.is_empty());
        let answer = match asked.get("answer") {
            None => "no answer".to_owned(),
            Some(answer) => answer.to_string(),
        };
        let problem = text(asked, "problem");
        let problem = if problem.is_empty() { String::new() } else { format!(" ({problem})") };
        let what = what.collect::<Vec<_>>().join(" / ");
        out += &entry(&format!("asked {} {what} -> {answer}{problem}", text(asked, "kind")));
    }
    for told in list(outcome, "notified") {
        let status = text(told, "status");
        let status = if status.is_empty() { String::new() } else { format!(" {status}") };
        out += &entry(&format!("notified {}{status}: {}", text(told, "hook"), text(told, "text")));
    }
    for sent in list(outcome, "sent") {
        out +=
            &entry(&format!("sent {} {}: {}", text(sent, "hook"), text(sent, "deliver"), text(sent, "text")));
    }
    for failure in list(outcome, "failures") {
        let told = |reason: &Value| text(reason, "reason").ends_with(text(failure, "message"));
        if text(failure, "traceback").lines().count() <= 1 && list(outcome, "reasons").iter().any(told) {
            continue;
        }
        let place = location_text(failure, folder);
        out += &entry(&format!("failed {}{place}: {}", text(failure, "hook"), text(failure, "message")));
        // One frame is the place itself.
        let frames = text(failure, "traceback");
        if frames.lines().count() > 1 {
            out += &entry(&format!("    {frames}"));
        }
    }
    if out.len() > MAX_BYTES {
        out.truncate(out.floor_char_boundary(MAX_BYTES));
        out.push_str("…\n");
    }
    out
}

/// The most that all of it may take up, in bytes.
const MAX_BYTES: usize = 32 << 10;
/// The most that one entry may take up, in characters.
const MAX_ENTRY_CHARS: usize = 2000;

fn entry(line: &str) -> String {
    let mut cut: String = line.trim_end().chars().take(MAX_ENTRY_CHARS).collect();
    if cut.len() < line.trim_end().len() {
        cut.push('…');
    }
    format!("  {}\n", cut.replace('\n', "\n      "))
}

fn location_text(value: &Value, folder: &Path) -> String {
    let file = text(value, "file");
    if file.is_empty() {
        return String::new();
    }
    let shown = below(folder, file);
    match value.get("line").and_then(Value::as_u64) {
        Some(line) => format!(" {shown}:{line}"),
        None => format!(" {shown}"),
    }
}

/// A file of a hook as people find it: below the folder of the test.
pub(crate) fn below(folder: &Path, file: &str) -> String {
    if Path::new(file).is_absolute() {
        return file.to_owned();
    }
    match folder.to_str() {
        Some("" | ".") | None => file.to_owned(),
        Some(folder) => path::normalize(&format!("{folder}/{file}")),
    }
}

fn short(value: Option<&Value>) -> String {
    let text = value.map(Value::to_string).unwrap_or_default();
    let cut: String = text.chars().take(400).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}
