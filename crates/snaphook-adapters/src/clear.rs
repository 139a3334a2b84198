//! Calls that would say one thing to a hook and another to the agent. A model chooses the input, and an agent reads it in its own way: the
//! first of several keys, whatever their case. So each text below a key that tells, in any spelling, of a command, a file or an address
//! has to be in the field that hooks see; a call with one that is not is no call that can be judged. Not here: where each agent has its
//! fields (`keys`, and each agent's `tools`), and tools without a description.

use serde_json::Value;
use snaphook_core::{Event, Payload, ToolCall, quoted_word};

use crate::agent::Unreadable;
use crate::patch;

/// Keys, folded, whose texts are of a command line.
const COMMANDS: &[&str] =
    &["command", "commands", "cmd", "commandline", "shellcommand", "argv", "args", "arguments"];
/// Keys whose texts are files.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "filepath",
    "filepaths",
    "filename",
    "file",
    "files",
    "notebookpath",
    "absolutepath",
    "targetfile",
    "operations",
    "ops",
];
/// Keys whose texts are addresses.
const ADDRESSES: &[&str] = &["url", "urls", "requests"];

/// Looks at each call among the events.
///
/// # Errors
/// One is not clear. The text says which key is too much.
pub(crate) fn all(events: &[Event]) -> Result<(), Unreadable> {
    let before = events.iter().filter(|event| !matches!(event.payload(), Payload::Result(_)));
    before.filter_map(Event::call).try_for_each(call)
}

fn call(call: &ToolCall) -> Result<(), Unreadable> {
    match &*call.tool {
        "bash" => command(call),
        "read" | "glob" | "grep" => paths(call),
        "write" | "edit" | "notebook" => paths(call).and_then(|()| patches(call)),
        "web_fetch" => addresses(call),
        _ => Ok(()),
    }
}

fn command(call: &ToolCall) -> Result<(), Unreadable> {
    let line = call.command().ok_or_else(|| {
        Unreadable("the call runs a command, and its input has none that can be read".to_owned())
    })?;
    let whole = format!("\n{line}\n");
    for (key, value) in telling(&call.input, COMMANDS) {
        let is_in = match value {
            // The command of its own line, or with its arguments behind it.
            Value::String(text) => {
                let text = text.trim_matches('\n');
                text.is_empty()
                    || whole.contains(&format!("\n{text}\n"))
                    || whole.contains(&format!("\n{text} "))
                    || line.ends_with(&format!(" {text}"))
            }
            other => leaves(other)
                .into_iter()
                .all(|text| line.contains(text) || line.contains(&*quoted_word(text))),
        };
        if !is_in {
            return Err(unclear(key, "a command"));
        }
    }
    Ok(())
}

fn paths(call: &ToolCall) -> Result<(), Unreadable> {
    let known = call.paths();
    for (key, value) in telling(&call.input, PATHS) {
        if named(value).into_iter().any(|path| !path.is_empty() && known.iter().all(|known| known != path)) {
            return Err(unclear(key, "a file"));
        }
    }
    Ok(())
}

fn addresses(call: &ToolCall) -> Result<(), Unreadable> {
    let known = call.url().unwrap_or_default();
    for (key, value) in telling(&call.input, ADDRESSES) {
        if leaves(value).into_iter().any(|address| !address.is_empty() && !known.contains(address)) {
            return Err(unclear(key, "an address"));
        }
    }
    Ok(())
}

/// A patch may be under any key; one that is written into a file is a text like others.
fn patches(call: &ToolCall) -> Result<(), Unreadable> {
    let known = call.paths();
    let content = call.content().unwrap_or_default();
    for (key, value) in call.input.as_object().into_iter().flatten() {
        for text in leaves(value).into_iter().filter(|text| patch::is_patch(text)) {
            let is_content = content.contains(text) || folded(key).starts_with("old");
            if !is_content
                && patch::paths(text).into_iter().any(|path| known.iter().all(|known| *known != path))
            {
                return Err(unclear(key, "a patch"));
            }
        }
    }
    Ok(())
}

fn unclear(key: &str, what: &str) -> Unreadable {
    Unreadable(format!(
        "`{key}` of the tool's input names {what} beside the one that is judged; leave it out"
    ))
}

/// The fields of the input whose keys are among these, however they are written.
fn telling<'a>(
    input: &'a Value,
    keys: &'static [&'static str],
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    input.as_object().into_iter().flatten().filter(|(key, _)| keys.contains(&&*folded(key)))
}

/// A key as decoders compare keys that do not mind case, without the signs between its words.
fn folded(key: &str) -> String {
    let lower = key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase);
    lower.map(|c| if c == '\u{17f}' { 's' } else { c }).collect()
}

/// All texts in a value.
fn leaves(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(map) => map.values().flat_map(leaves).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The files in a value: a text, those of a list, and what maps have under such a key.
fn named(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(named).collect(),
        Value::Object(_) => telling(value, PATHS).flat_map(|(_, inner)| named(inner)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
