//! The lines of a block as keys and values with line numbers: YAML, else a flat reading. Not here: which keys exist.

use super::block::Block;
use crate::diagnostic::Diagnostic;
use crate::display::quoted;
use crate::yaml::{self, Unread};
pub use crate::yaml::{Entry, Node, TextPosition, Value};

/// The most values of a block.
const MAX_NODES: usize = 4096;

/// Reads a block: YAML first; when that fails, one `key: value` a line. Duplicate keys are kept for the caller.
pub fn read(block: &Block) -> Result<Vec<Entry>, Vec<Diagnostic>> {
    if let Some(entries) = plain(block) {
        return Ok(entries);
    }
    let yaml = match strict(block) {
        Ok(entries) => return Ok(entries),
        Err(diagnostic) => diagnostic,
    };
    match flat(block) {
        Flat::Entries(entries) => Ok(entries),
        Flat::Nested => Err(vec![yaml]),
        Flat::Diagnostic(diagnostic) => Err(vec![diagnostic]),
    }
}

/// Lines that YAML and everybody else read alike: a key, a colon, and words. Most front matter is no more than that, and a parser
/// for all of YAML takes forty thousand instructions for it, in each process. `None`: YAML has to say what it is.
fn plain(block: &Block) -> Option<Vec<Entry>> {
    let is_key = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_lowercase())
            && key.bytes().all(|c| c.is_ascii_lowercase() || c == b'_')
            && !is_special(key)
    };
    let lines = block.body.lines().enumerate();
    let entry = |(at, line): (usize, &str)| {
        let (key, value) = line.split_once(": ")?;
        let value = if is_key(key) && is_words(value) { Value::Text(value.to_owned()) } else { return None };
        let line = block.open.saturating_add(u32::try_from(at).ok()?).saturating_add(1);
        let behind = u32::try_from(key.len()).ok()?.saturating_add(3);
        let node = Node { position: TextPosition { line, column: behind }, value };
        Some(Entry { key: key.to_owned(), position: TextPosition { line, column: 1 }, node })
    };
    lines.map(entry).collect::<Option<Vec<_>>>().filter(|entries| !entries.is_empty())
}

/// Returns whether a value is text to YAML, and this text: it begins with a letter, has nothing in it that can mean
/// more than itself, and is no word that stands for another value.
fn is_words(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == ')')
        && value.bytes().all(|c| c.is_ascii_alphanumeric() || b" .,;()/_-+=".contains(&c))
        && !is_special(value)
}

/// Returns whether YAML, in any of its versions, could take a word for something else than text.
fn is_special(word: &str) -> bool {
    let short = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];
    short.iter().any(|special| word.eq_ignore_ascii_case(special))
}

fn strict(block: &Block) -> Result<Vec<Entry>, Diagnostic> {
    if block.body.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Vec::new());
    }
    let node = yaml::read(&block.body, MAX_NODES).map_err(|(why, position)| {
        let line = position.map_or(block.open, |position| block.open.saturating_add(position.line));
        let diagnostic = |message: &str| Diagnostic::at(line.min(block.close), message);
        match why {
            Unread::Alias => diagnostic("front matter may not use anchors (`&`) and aliases (`*`)")
                .help("write the value out"),
            Unread::TooMuch => {
                diagnostic("front matter is nested too deeply or has too many values").help("keep it short")
            }
            Unread::Invalid(message) => {
                diagnostic(&format!("front matter is not valid YAML: {}", quoted(&message)))
                    .help("put values with special characters in quotes")
            }
        }
    })?;
    match shift(node, block.open) {
        Node { value: Value::Map(entries), .. } => Ok(entries),
        Node { value: Value::Null, .. } => Ok(Vec::new()),
        Node { position: TextPosition { line, .. }, value } => {
            Err(Diagnostic::at(line, format!("front matter is {}, not `key: value` lines", value.kind())))
        }
    }
}

/// Lines of the body become lines of the file.
fn shift(node: Node, by: u32) -> Node {
    let down = |position: TextPosition| TextPosition { line: position.line.saturating_add(by), ..position };
    let value = match node.value {
        Value::List(nodes) => Value::List(nodes.into_iter().map(|node| shift(node, by)).collect()),
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|entry| Entry {
                    key: entry.key,
                    position: down(entry.position),
                    node: shift(entry.node, by),
                })
                .collect(),
        ),
        value => value,
    };
    Node { position: down(node.position), value }
}

/// The value of a `key: value` line as it is, without its quotes and without a comment behind it.
pub(super) fn raw_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().split_once(':')?;
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inner, after)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote))
            && (after.trim().is_empty() || after.trim_start().starts_with('#'))
        {
            return Some((key.trim_end(), inner));
        }
    }
    let value = if value.starts_with('#') { "" } else { value };
    Some((key.trim_end(), value.split_once(" #").map_or(value, |(value, _)| value).trim_end()))
}

enum Flat {
    Entries(Vec<Entry>),
    /// The lines are more than flat, so YAML's complaint is the one that helps.
    Nested,
    Diagnostic(Diagnostic),
}

/// Reads a block as old files rely on it: everything after the first colon is the value, whatever YAML thinks of
/// its characters.
fn flat(block: &Block) -> Flat {
    let mut entries = Vec::new();
    for (at, line) in block.body.lines().enumerate() {
        let number = block.open.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)).saturating_add(1);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') || trimmed == "-" || trimmed.starts_with("- ") {
            return Flat::Nested;
        }
        let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let (key, value) = match trimmed.split_once(':') {
            Some((key, value)) if !key.trim_end().is_empty() && key.trim_end().chars().all(is_key) => {
                (key.trim_end(), value.trim())
            }
            _ => {
                let diagnostic = Diagnostic::at(
                    number,
                    format!("front matter line is not `key: value`: `{}`", quoted(trimmed)),
                );
                return Flat::Diagnostic(
                    diagnostic.help("write a key, a colon and a value, or start the line with `#`"),
                );
            }
        };
        // Keys whose value is never one plain word.
        if matches!(key, "grants" | "examples") {
            return Flat::Nested;
        }
        let Some(value) = flat_value(value) else { return Flat::Nested };
        let position = TextPosition { line: number, column: 1 };
        entries.push(Entry { key: key.to_owned(), position, node: Node { position, value } });
    }
    Flat::Entries(entries)
}

/// One value of the flat reading; `None` when a quote or a block scalar stays open.
fn flat_value(text: &str) -> Option<Value> {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            let (inner, after) = rest.split_once(quote)?;
            let after = after.trim_start();
            if after.is_empty() || after.starts_with('#') {
                return Some(Value::Text(inner.to_owned()));
            }
            return Some(Value::Text(text.to_owned()));
        }
    }
    let text = text.split_once(" #").map_or(text, |(value, _)| value).trim_end();
    Some(match text {
        "|" | ">" | "|-" | ">-" => return None,
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Text(text.to_owned()),
        },
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::front_matter::Style;

    fn block(body: &str) -> Block {
        let close = u32::try_from(body.lines().count()).unwrap() + 4;
        Block { style: Style::Dashes, open: 3, close, body: body.to_owned() }
    }

    #[test]
    fn plain_lines_are_what_most_hooks_have() {
        let read = plain(&block("name: guard-1\ndescription: Guards bash, write (and more)\n")).unwrap();
        let read: Vec<_> =
            read.into_iter().map(|entry| (entry.key, entry.position.line, entry.node)).collect();
        let text = |line, column, text: &str| Node {
            position: TextPosition { line, column },
            value: Value::Text(text.to_owned()),
        };
        let wanted = [
            ("name".to_owned(), 4, text(4, 7, "guard-1")),
            ("description".to_owned(), 5, text(5, 14, "Guards bash, write (and more)")),
        ];
        assert_eq!(read, wanted);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Whatever is read without YAML, YAML reads alike.
        #[test]
        fn plain_lines_are_read_as_yaml_reads_them(
            lines in prop::collection::vec(
                (
                    prop_oneof![6 => "[a-z_]{1,6}", 1 => "on|no|true|null|y", 1 => "[ a-zA-Z#-]{0,4}"],
                    prop_oneof![6 => ": ", 1 => ":|:  | : "],
                    prop_oneof![
                        "[a-zA-Z][ a-zA-Z0-9.,;()/_+=-]{0,12}",
                        "[Tt]rue|[Nn]ull|[Nn]a[Nn]|[Ii]nf|[Yy]es|[Oo]ff|e1|E9|Infinity|0x1|1e3|12|~|-",
                        "[ -~]{0,10}",
                        "[a-z]{1,3}( #|#|: |:|, | - )[a-z]{0,3}",
                        "[|>&*!%@`'\"\\[{#?-][ -~é]{0,6}",
                    ],
                ),
                0..4,
            )
        ) {
            let body: String = lines.iter().map(|(key, colon, value)| format!("{key}{colon}{value}\n")).collect();
            let block = block(&body);
            if let Some(read) = plain(&block) {
                prop_assert_eq!(Ok(read), strict(&block).map_err(|diagnostic| format!("{diagnostic:?}")), "{}", body);
            }
        }
    }
}
