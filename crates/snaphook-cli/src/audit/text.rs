//! Audit lines and what verifying them came to, as lines for people.

use serde_json::Value;
use snaphook_audit::{AuditLog, BadLine, StoredLine, Verified, VerifiedHeads};

use crate::print::{self, Paint};

/// The amount of an input that is shown.
const MAX_INPUT: usize = 200;
/// The length of one grant, and of all that a hook used.
const MAX_GRANT: usize = 100;
const MAX_GRANTS: usize = 400;

/// One decision with its reasons, or one rewritten result.
pub(super) fn line(paint: Paint, line: &StoredLine) -> String {
    let time: String = line.text_of("time").chars().take(19).collect::<String>().replace('T', " ");
    let event = line.text_of("event");
    let word = match line.text_of("decision") {
        "deny" => paint.red("deny "),
        "ask" => paint.yellow("ask  "),
        "allow" => paint.green("allow"),
        _ => paint.cyan("note "),
    };
    let tool = line.text_of("gen_ai.tool.name");
    let what = match (tool, event) {
        ("", event) => event.to_owned(),
        (tool, "tool_call") => tool.to_owned(),
        (tool, event) => format!("{event} {tool}"),
    };
    let session = print::brief(line.text_of("gen_ai.conversation.id"), 40);
    let mut text = format!(
        "{} {word} {} {}\n",
        paint.dim(&time),
        paint.bold(&print::brief(&what, 80)),
        paint.dim(&format!("[{session}]"))
    );
    for (label, field) in
        [("input", "gen_ai.tool.call.arguments"), ("was", "original_input"), ("fields", "fields")]
    {
        if let Some(value) = line.fields.get(field) {
            text += &format!("      {} {}\n", paint.dim(label), print::brief(&value.to_string(), MAX_INPUT));
        }
    }
    for (label, field) in [("input", "input_hash"), ("was", "original_input_hash"), ("fields", "fields_hash")]
    {
        if let Some(value) = line.fields.get(field) {
            let (hash, bytes) = (value["hash"].as_str().unwrap_or_default(), &value["bytes"]);
            text += &format!("      {} {} ({bytes} bytes)\n", paint.dim(label), print::brief(hash, 80));
        }
    }
    if let Some(result) = line.fields.get("result") {
        text += &format!("      {}\n", rewritten(result));
    }
    for reason in list(line, "reasons") {
        text += &format!("      {}\n", reason_line(paint, reason));
    }
    for hook in list(line, "hooks") {
        text += &grants(paint, hook);
    }
    text
}

/// Returns what a hook used of its grants, and what it asked for and was not granted; nothing where it did neither.
fn grants(paint: Paint, hook: &Value) -> String {
    let all = hook["grants"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut text = String::new();
    for (label, denied) in [("used", false), ("not granted", true)] {
        let one = |grant: &Value| {
            let name = print::brief(grant["grant"].as_str().unwrap_or_default(), MAX_GRANT);
            match grant["count"].as_u64() {
                None | Some(0 | 1) => name,
                Some(count) => format!("{name} ({count} times)"),
            }
        };
        let of_these = |grant: &&Value| (grant["denied"] == true) == denied;
        let names: Vec<_> = all.iter().filter(of_these).map(one).collect();
        if names.is_empty() {
            continue;
        }
        let label = if denied { paint.yellow(label) } else { paint.dim(label) };
        let hook = print::brief(hook["id"].as_str().unwrap_or_default(), 80);
        text += &format!(
            "      {label} {}: {}\n",
            paint.bold(&hook),
            print::brief(&names.join(", "), MAX_GRANTS)
        );
    }
    text
}

fn rewritten(result: &Value) -> String {
    let by: Vec<_> =
        result["rewritten_by"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if by.is_empty() {
        let failed = if result["is_error_after"] == true { ", the tool failed" } else { "" };
        return format!("result of {} bytes{failed}", result["bytes_after"]);
    }
    print::brief(
        &format!(
            "result rewritten by {}: {} bytes became {}",
            by.join(", "),
            result["bytes_before"],
            result["bytes_after"]
        ),
        300,
    )
}

fn reason_line(paint: Paint, reason: &Value) -> String {
    let field = |name: &str| print::brief(reason[name].as_str().unwrap_or_default(), 400);
    let hook = match field("hook") {
        hook if hook.is_empty() => "host".to_owned(),
        hook => hook,
    };
    let place = match (field("file"), reason["line"].as_u64()) {
        (file, _) if file.is_empty() => String::new(),
        (file, Some(line)) => format!(" {file}:{line}"),
        (file, None) => format!(" {file}"),
    };
    let cause = match field("cause") {
        cause if cause.is_empty() => String::new(),
        cause => format!(" ({cause})"),
    };
    format!("{} {}{}{cause}: {}", field("verdict"), paint.bold(&hook), paint.dim(&place), field("text"))
}

/// A list field of a line.
pub(super) fn list<'a>(line: &'a StoredLine, field: &str) -> impl Iterator<Item = &'a Value> {
    line.fields.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// Returns what verifying the heads came to; nothing where there are none.
pub(super) fn heads(paint: Paint, log: &AuditLog, heads: &VerifiedHeads) -> String {
    let lines = if heads.lines == 1 { "1 line".to_owned() } else { format!("{} lines", heads.lines) };
    let mut text = match &heads.bad {
        Some(bad) => broken(paint, "the heads", log, bad, &lines),
        None if heads.lines == 0 => return String::new(),
        None => format!("{} {}: {lines}\n", paint.green("holds "), paint.bold("the heads")),
    };
    for note in &heads.notes {
        text += &format!("      {} {}\n", paint.yellow("note:"), print::brief(note, 300));
    }
    for hash in &heads.found {
        text += &format!("      a line, which was expected, is there: {hash}\n");
    }
    if let Some((seq, hash)) = &heads.last {
        text += &format!("      {}\n", paint.dim(&format!("the last line is {seq}: {hash}")));
    }
    text
}

fn broken(paint: Paint, what: &str, log: &AuditLog, bad: &BadLine, lines: &str) -> String {
    let file = print::brief(&log.dir().join(&bad.file).display().to_string(), 1000);
    format!(
        "{} {}: {file}:{}: {}\n      {lines} before it hold\n",
        paint.red("BROKEN"),
        paint.bold(what),
        bad.line,
        print::brief(&bad.why, 300)
    )
}

/// Returns what verifying a session came to.
pub(super) fn verified(paint: Paint, name: &str, log: &AuditLog, verified: &Verified) -> String {
    let session = print::brief(verified.session.as_deref().unwrap_or(name), 100);
    let files = if verified.files == 1 { "1 file".to_owned() } else { format!("{} files", verified.files) };
    let lines = if verified.lines == 1 { "1 line".to_owned() } else { format!("{} lines", verified.lines) };
    let mut text = match &verified.bad {
        None => format!("{} {}: {lines} in {files}\n", paint.green("holds "), paint.bold(&session)),
        Some(bad) => broken(paint, &session, log, bad, &lines),
    };
    for note in &verified.notes {
        text += &format!("      {} {}\n", paint.yellow("note:"), print::brief(note, 300));
    }
    for (seq, hash) in &verified.found {
        text += &format!("      line {seq}, which was expected, is there: {hash}\n");
    }
    if let Some((seq, hash)) = &verified.last {
        text += &format!("      {}\n", paint.dim(&format!("the last line is {seq}: {hash}")));
    }
    text
}

/// An expected line that is not there.
pub(super) fn missing(paint: Paint, hash: &str) -> String {
    format!(
        "{} {hash}\n      no line that holds has this hash: lines were cut off, a file was removed, or the chain was written \
         anew\n",
        paint.red("MISSING")
    )
}
