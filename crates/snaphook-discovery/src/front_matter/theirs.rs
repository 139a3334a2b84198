//! Front matter of Discobot's hooks, which Discobot reads line by line: what follows the first colon is the value, whatever YAML makes
//! of its characters. Here: its keys read that way, and what a file that cannot be read says it is for. Not here: types of keys
//! (`check`), what only executables have (`executable`).

use snaphook_core::Lifecycle;

use super::block::{Block, FileKind, Style};
use super::executable::TYPES;
use super::values::{self, Entry, Node, TextPosition, Value, raw_value};
use crate::diagnostic::Diagnostic;
use crate::display::quoted;

/// The keys that Discobot knows.
const KEYS: [&str; 6] = ["name", "type", "description", "run_as", "pattern", "notify_llm"];

/// Reads a block as Discobot does, with remarks on what has no effect. Its own keys have the text of their lines; keys that only we
/// know are YAML as in our own files.
pub(crate) fn read(block: &Block) -> (Vec<Entry>, Vec<Diagnostic>) {
    let mut remarks = Vec::new();
    let entries = values::read(block).unwrap_or_else(|_| lines(block, &mut remarks));
    let mut read: Vec<Entry> = Vec::new();
    for entry in entries {
        let Some(entry) = plain(block, entry) else { continue };
        let before = read.iter().position(|other| other.key == entry.key);
        if let Some(before) = before.filter(|_| KEYS.contains(&entry.key.as_str())) {
            let line = read.remove(before).position.line;
            let message =
                format!("duplicate key `{}`: the one below counts, and this one has no effect", entry.key);
            remarks.push(Diagnostic::at(line, message).help("keep one of them"));
        }
        read.push(entry);
    }
    (read, remarks)
}

/// An entry with its line's text where that is what Discobot reads; `None` where it has no value.
fn plain(block: &Block, mut entry: Entry) -> Option<Entry> {
    if !KEYS.contains(&entry.key.as_str()) {
        return Some(entry);
    }
    let at = entry.position.line.checked_sub(block.open.saturating_add(1))?;
    let line = block.body.lines().nth(usize::try_from(at).ok()?).unwrap_or_default();
    let raw = raw_value(line).filter(|(key, _)| *key == entry.key).map(|(_, raw)| raw);
    let keeps = match (&entry.node.value, raw) {
        (Value::Text(_) | Value::Bool(_), _) | (_, None) => true,
        // A list in snaphook's form: one in lines, or one whose patterns are in quotes.
        (Value::List(_), Some(raw)) => raw.is_empty() || raw.starts_with("[\"") || raw.starts_with("['"),
        _ => false,
    };
    if let Some(raw) =
        raw.filter(|_| !keeps || (matches!(entry.node.value, Value::Bool(_)) && entry.key != "notify_llm"))
    {
        entry.node.value = Value::Text(raw.to_owned());
    }
    let is_empty = matches!(&entry.node.value, Value::Text(text) if text.trim().is_empty());
    (!is_empty).then_some(entry)
}

/// Every line with a colon, as a key and its text.
fn lines(block: &Block, remarks: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (at, line) in block.body.lines().enumerate() {
        let number = block.open.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)).saturating_add(1);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let Some((key, value)) = raw_value(trimmed) else {
            let message =
                format!("front matter line is not `key: value`, and has no effect: `{}`", quoted(trimmed));
            remarks.push(Diagnostic::at(number, message));
            continue;
        };
        let position = TextPosition { line: number, column: 1 };
        let node = Node { position, value: Value::Text(value.to_owned()) };
        entries.push(Entry { key: key.to_owned(), position, node });
    }
    entries
}

/// The facts that are known of a file without reading its front matter as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Legible {
    /// It names an `event`, so it may be a gate.
    Event,
    /// It names this `type`, and no event.
    Type(Lifecycle),
    /// Neither: it is no hook to Discobot.
    Nothing,
}

/// Returns what a file says it is for, line by line, up to the end of its front matter or to its own end.
pub(crate) fn legible(text: &str) -> Legible {
    let mut lines = text.lines().skip(usize::from(text.starts_with("#!"))).map(str::trim);
    let Some(style) = lines.find(|line| !line.is_empty()).and_then(Style::of) else {
        return Legible::Nothing;
    };
    let mut found = Legible::Nothing;
    for line in lines.take_while(|line| Style::of(line) != Some(style)) {
        let line = line.strip_prefix(style.leader()).unwrap_or(line);
        match raw_value(line) {
            Some(("event", _)) => return Legible::Event,
            Some(("type", kind)) => found = type_of(kind).map_or(Legible::Nothing, Legible::Type),
            _ => {}
        }
    }
    found
}

/// Returns true where Discobot would take the file for a hook, or the file names an event.
pub(crate) fn may_be_hook(text: &str) -> bool {
    let Ok(Some(block)) = super::block::split(text, FileKind::Executable) else {
        return legible(text) != Legible::Nothing;
    };
    read(&block).0.iter().any(|entry| match (entry.key.as_str(), &entry.node.value) {
        ("event", _) => true,
        ("type", Value::Text(kind)) => type_of(kind.trim()).is_some(),
        _ => false,
    })
}

fn type_of(name: &str) -> Option<Lifecycle> {
    TYPES.into_iter().find(|(known, _)| *known == name).map(|(_, event)| event)
}
