//! The text that a tool types into a terminal, as it stands there when all keys were pressed. Not here: other command lines in an
//! input (`free_text`).

use std::collections::BTreeMap;

use serde_json::Value;

/// Words in the names of tools that type what they are given.
#[rustfmt::skip]
pub(crate) const TYPISTS: &[&str] = &[
    "stdin", "keys", "key", "keystrokes", "keyboard", "terminal", "tmux", "screen", "pty", "tty", "console",
    "repl", "type", "typing", "expect", "term", "iterm", "keypress",
];

/// The names that keys have.
const KEYS: &[(&str, &str)] = &[
    ("space", " "),
    ("enter", "\n"),
    ("return", "\n"),
    ("kpenter", "\n"),
    ("c-m", "\n"),
    ("c-j", "\n"),
    ("tab", "\t"),
    ("bspace", "\u{8}"),
    ("backspace", "\u{8}"),
    ("c-h", "\u{8}"),
    ("c-u", "\u{15}"),
];

/// Every text that is typed, and those of a list or under one key as one: what a terminal makes of them.
pub(crate) fn keys(value: &Value, lines: &mut Vec<String>) {
    let mut by_key = BTreeMap::new();
    gather(value, "", &mut by_key, lines);
    let all: Vec<&str> = by_key.values().flatten().copied().collect();
    for texts in by_key.values().chain([&all]).filter(|texts| texts.len() > 1) {
        let pressed: Vec<&str> = texts.iter().map(|text| key(text)).collect();
        for all in [texts.concat(), pressed.concat(), texts.join(" ")] {
            lines.push(erased(&all));
        }
    }
}

fn gather<'a>(
    value: &'a Value,
    name: &'a str,
    by_key: &mut BTreeMap<&'a str, Vec<&'a str>>,
    lines: &mut Vec<String>,
) {
    match value {
        Value::String(text) => {
            lines.push(erased(text));
            let words: Vec<&str> = text.split(' ').map(key).collect();
            if words.len() > 1 && words.iter().zip(text.split(' ')).any(|(key, word)| *key != word) {
                lines.push(erased(&words.concat()));
            }
            by_key.entry(name).or_default().push(text);
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, name, by_key, lines)),
        Value::Object(map) => map.iter().for_each(|(name, item)| gather(item, name, by_key, lines)),
        _ => {}
    }
}

/// Returns what the key of a name types; other text is typed as it is.
fn key(text: &str) -> &str {
    let plain = text.trim_matches(['<', '>', '{', '}']).to_lowercase();
    KEYS.iter().find(|(name, _)| *name == plain).map_or(text, |(_, typed)| typed)
}

/// Returns whether a text goes back and forth in a line while it is typed, in which something of ours may then stand.
pub(crate) fn goes_back(tool: &str, input: &Value) -> bool {
    let mut found = false;
    if crate::tools::words(tool).iter().any(|word| TYPISTS.contains(&word.as_str())) {
        crate::texts(input, &mut |text| {
            let moves = [
                "\u{1b}[D", "\u{1b}[C", "\u{1b}[H", "\u{1b}[F", "\u{1b}[1", "\u{1b}b", "\u{1b}f", "\u{1b}OD",
                "\u{1b}OH",
            ];
            let controls = ['\u{1}', '\u{2}', '\u{5}', '\u{6}', '\u{b}', '\u{14}', '\u{17}', '\u{19}'];
            let goes = moves.iter().any(|one| text.contains(one)) || text.contains(controls);
            let letters: String =
                text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
            let ours = ["trust", "snap", "hook", "claude", "codex", "ignore", "config"];
            found |= goes && ours.iter().any(|word| letters.contains(word));
        });
    }
    found
}

/// A text as it stands when keys that take back were pressed.
fn erased(text: &str) -> String {
    // What terminals put around a text that is pasted.
    let text = text.replace("\u{1b}[200~", "").replace("\u{1b}[201~", "");
    let mut line = String::new();
    for c in text.chars() {
        match c {
            '\u{8}' | '\u{7f}' => {
                line.pop();
            }
            '\r' => line.push('\n'),
            '\u{15}' => line.truncate(line.rfind('\n').map_or(0, |at| at + 1)),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => line.push(c),
        }
    }
    line
}
