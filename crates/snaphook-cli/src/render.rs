//! Decisions, reasons and problems as JSON and as lines for people.

use serde_json::{Value, json};
use snaphook::{
    ContextText, Decision, Event, Executable, Grants, Payload, Problem, Product, Reason, Report, RunAs,
    Severity, Verdict,
};
use snaphook_discovery::{Directories, printable};

use crate::excerpt::excerpt;
use crate::print::Paint;

/// The word for a decision: an abstention of all allows.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Abstain | Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

/// The fields of a decision.
pub(crate) fn decision(decision: &Decision) -> Value {
    json!({
        "decision": word(decision.verdict),
        "reasons": decision.reasons.iter().map(reason).collect::<Vec<_>>(),
        "input": subject(&decision.event),
        "original_input": subject(&decision.original),
        "context": context(&decision.context),
        "terminate": decision.terminate,
        "rewritten": decision.is_rewritten_by_hooks(),
        "hold": decision.hold.as_ref().map(|hold| hold.to_json()),
    })
}

fn subject(event: &Event) -> Value {
    match event.payload() {
        Payload::Call(call) => (*call.input).clone(),
        Payload::Result(_) | Payload::Fields(_) => event.subject(),
    }
}

fn reason(reason: &Reason) -> Value {
    let place = reason.location.as_ref();
    json!({
        "hook": reason.hook.as_ref().map(|hook| hook.id.as_str()),
        "file": place.map(|place| place.file.display().to_string()),
        "line": place.and_then(|place| place.line),
        "verdict": reason.verdict,
        "reason": reason.text,
        "synthetic": reason.is_synthetic(),
        "cause": reason.cause,
    })
}

/// Texts for the model.
pub(crate) fn context(texts: &[ContextText]) -> Value {
    texts.iter().map(|text| json!({ "hook": text.hook.id, "text": text.text })).collect()
}

/// A report.
pub(crate) fn report(report: &Report) -> Value {
    json!({
        "hook": report.hook.as_ref().map(|hook| hook.id.as_str()),
        "file": report.location.as_ref().map(|place| place.file.display().to_string()),
        "line": report.location.as_ref().and_then(|place| place.line),
        "event": report.event,
        "cause": report.cause,
        "message": report.message,
        "traceback": report.traceback,
    })
}

/// One reason as lines: `deny  permission-gate  hooks/gate.lua:12  text`.
pub(crate) fn reason_line(paint: Paint, reason: &Reason) -> String {
    let verdict = match reason.verdict {
        Verdict::Deny => paint.red("deny "),
        Verdict::Ask => paint.yellow("ask  "),
        Verdict::Allow | Verdict::Abstain => paint.green("allow"),
    };
    let place = reason.location.as_ref().map(|place| printable(&place.to_string())).unwrap_or_default();
    let hook = reason.hook.as_ref().map_or("host", |hook| hook.id.as_str());
    let cause = reason.cause.map(|cause| format!(" ({})", cause.as_str())).unwrap_or_default();
    let text = crate::print::lines(&reason.text).replace('\n', "\n        ");
    let place = if place.is_empty() { String::new() } else { format!(" {}", paint.dim(&place)) };
    format!("{verdict} {}{place}{cause}: {text}", paint.bold(hook))
}

/// Returns what a hook may do, as JSON: a list for each kind.
pub(crate) fn grants(grants: &Grants) -> Value {
    grants.iter().map(|(kind, list)| (kind.to_owned(), json!(list))).collect::<serde_json::Map<_, _>>().into()
}

/// The same as lines; none where nothing is granted.
pub(crate) fn grant_lines(grants: &Grants) -> String {
    let given = grants.iter().filter(|(_, list)| !list.is_empty());
    given.map(|(kind, list)| format!("    grants {kind}: {}\n", printable(&list.join(", ")))).collect()
}

/// One problem as a line.
pub(crate) fn problem_line(paint: Paint, problem: &Problem) -> String {
    let severity = match problem.severity {
        Severity::Error => paint.red("error"),
        Severity::Warning => paint.yellow("warning"),
        Severity::Note => paint.dim("note"),
    };
    format!("{severity}: {}", crate::print::lines(&problem.to_string()))
}

/// One problem as a line, and below it the line of the file that it is about.
pub(crate) fn problem_text(paint: Paint, problem: &Problem, directories: &Directories) -> String {
    let excerpt = problem.line.and_then(|line| excerpt(paint, &problem.file, line, directories));
    format!("{}\n{}", problem_line(paint, problem), excerpt.unwrap_or_default())
}

/// Returns what an executable says about itself, as lines.
pub(crate) fn executable_lines(executable: &Executable) -> String {
    let mut text = format!("    event {}\n", printable(executable.event.as_str()));
    for (name, patterns) in [("pattern", &executable.patterns), ("ignore", &executable.ignore)] {
        if !patterns.is_empty() {
            text += &format!("    {name} {}\n", printable(&patterns.join(", ")));
        }
    }
    if executable.run_as == RunAs::Root {
        text += "    run_as root\n";
    }
    if let Some(hold) = &executable.hold {
        text += &format!("    hold {}\n", printable(&hold.to_json().to_string()));
    }
    if let Some(timeout) = executable.timeout {
        text += &format!("    timeout {timeout:?}\n");
    }
    if executable.product != Product::Snaphook {
        text += &format!("    with the conventions of {}\n", executable.product.title());
    }
    text
}

/// The same as a document.
pub(crate) fn executable(executable: &Executable) -> Value {
    json!({
        "event": executable.event,
        "pattern": executable.patterns,
        "ignore": executable.ignore,
        "notify_llm": executable.notify,
        "run_as": if executable.run_as == RunAs::Root { "root" } else { "user" },
        "hold": executable.hold.as_ref().map(|hold| hold.to_json()),
        "timeout_ms": u64::try_from(executable.time_limit().as_millis()).unwrap_or(u64::MAX),
        "product": executable.product.as_str(),
    })
}
