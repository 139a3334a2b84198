//! From the bytes of a lifecycle file to its lists. A file that cannot be read as a whole has no hooks; an entry or a list that
//! cannot be read is left out alone, and the rest counts. Every finding has its place. Not here: YAML (`document`), values in
//! commands (`template`).

use std::time::Duration;

use snaphook_core::{Hold, Product, nearest};
use snaphook_discovery::yaml::{Entry, Node, Value};

use super::document::read;
use super::{Command, DEFAULT_TIMEOUT, Finding, Lifecycle, List, TextPosition, Variable, Weight, template};

/// The largest file that is read.
pub const MAX_BYTES: usize = 1 << 20;

/// The longest time limit, in seconds: a day.
const MAX_TIMEOUT_SECONDS: i64 = 24 * 3600;

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    /// Its commands; none if the file is broken.
    pub lifecycle: Lifecycle,
    /// The findings, in the order of the file.
    pub findings: Vec<Finding>,
    /// True if nothing of the file counts.
    pub broken: bool,
    /// The number of entries and lists that are left out because they cannot be read, or cannot be made safe.
    pub left_out: usize,
}

/// Reads a lifecycle file of our own.
pub fn parse(bytes: &[u8]) -> Parsed {
    parse_for(bytes, Product::Snaphook)
}

/// Reads a lifecycle file of a product: one of iteratr's may have any version, which iteratr itself never looks at, and its
/// commands' output is put together as iteratr does it.
pub fn parse_for(bytes: &[u8], product: Product) -> Parsed {
    let mut reader = Reader { lifecycle: Lifecycle::of(product), ..Reader::default() };
    match text(bytes).and_then(read) {
        Err(finding) => reader.broken(finding),
        Ok(node) => reader.file(node),
    }
    let Reader { lifecycle, mut findings, broken, left_out } = reader;
    findings.sort_by_key(|finding| finding.position);
    let lifecycle = if broken { Lifecycle::default() } else { lifecycle };
    Parsed { lifecycle, findings, broken, left_out }
}

fn text(bytes: &[u8]) -> Result<&str, Finding> {
    let bad = |position, message: String, help: &str| Finding {
        weight: Weight::Warning,
        position,
        message,
        help: Some(help.to_owned()),
    };
    if bytes.len() > MAX_BYTES {
        return Err(bad(None, "it is larger than 1 MiB".to_owned(), "move commands into scripts"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        bad(Some(place_at(bytes, at)), format!("it is not UTF-8: byte 0x{byte:02x}"), "save it as UTF-8")
    })?;
    if let Some(at) = text.find('\0') {
        return Err(bad(Some(place_at(bytes, at)), "it contains a NUL byte".to_owned(), "remove it"));
    }
    // With a tab in the indentation, YAML's own message is about something else.
    for (at, whole) in text.lines().enumerate() {
        let indented = whole.len() - whole.trim_start_matches([' ', '\t']).len();
        let tab = whole[..indented].find('\t').filter(|_| !whole.trim().is_empty());
        if let Some(tab) = tab.filter(|tab| whole[..*tab].trim_matches(' ').is_empty()) {
            // In a block of text a tab is text.
            if read(text).is_err() {
                let number = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
                let position = Some(TextPosition { line: number(at), column: number(tab) });
                return Err(bad(position, "a tab indents this line".to_owned(), "YAML takes blanks only"));
            }
            break;
        }
    }
    Ok(text)
}

fn place_at(bytes: &[u8], at: usize) -> TextPosition {
    let before = bytes.get(..at).unwrap_or(bytes);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    TextPosition { line: number(line), column: number(column) }
}

#[derive(Default)]
struct Reader {
    lifecycle: Lifecycle,
    findings: Vec<Finding>,
    broken: bool,
    left_out: usize,
}

impl Reader {
    fn add_finding(
        &mut self,
        weight: Weight,
        position: TextPosition,
        message: impl Into<String>,
        help: &str,
    ) {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.findings.push(Finding { weight, position: Some(position), message: message.into(), help });
    }

    fn warn(&mut self, position: TextPosition, message: impl Into<String>, help: &str) {
        self.add_finding(Weight::Warning, position, message, help);
    }

    fn broken(&mut self, finding: Finding) {
        self.broken = true;
        self.findings.push(finding);
    }

    /// Notes what is wrong with the file as a whole.
    fn breaks(&mut self, position: TextPosition, message: impl Into<String>, help: &str) {
        self.broken = true;
        self.warn(position, message, help);
    }

    fn file(&mut self, node: Node) {
        let entries = match node.value {
            Value::Map(entries) => entries,
            Value::Null => {
                self.add_finding(Weight::Note, node.position, "it has no hooks", "");
                return;
            }
            other => {
                let message = format!("it is {}, not `version` and `hooks`", other.kind());
                return self.breaks(node.position, message, "begin it with `version: 1`");
            }
        };
        if self.duplicates(&entries) {
            self.broken = true;
        }
        let version = entries.iter().find(|entry| entry.key == "version");
        match version.map(|entry| (entry.position, entry.node.position, &entry.node.value)) {
            Some((_, _, Value::Int(1))) => {}
            Some((_, position, Value::Int(other))) if self.lifecycle.product() == Product::Iteratr => {
                self.warn(position, format!("version {other} is read as version 1"), "write `version: 1`");
            }
            Some((_, position, Value::Int(other))) => {
                self.breaks(
                    position,
                    format!("version {other} is not known"),
                    "this snaphook reads version 1",
                );
            }
            Some((_, position, other)) => {
                self.breaks(position, format!("`version` is {}, not 1", other.kind()), "write `version: 1`");
            }
            // iteratr itself never looked at it.
            None => {
                self.warn(node.position, "it says no version, and is read as version 1", "add `version: 1`")
            }
        }
        for Entry { key, position, node } in entries {
            match key.as_str() {
                "version" => {}
                "hooks" => self.lists(node),
                _ => self.unknown(position, &key, ["version", "hooks"]),
            }
        }
    }

    fn unknown<'a>(&mut self, position: TextPosition, key: &str, known: impl IntoIterator<Item = &'a str>) {
        let help = nearest(key, known).map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        self.warn(position, format!("the key `{}` is not known", printable_excerpt(key)), &help);
    }

    /// Reports duplicate keys, and returns true if there are any. The second of two keys could be the one that was meant:
    /// that is not known.
    fn duplicates(&mut self, entries: &[Entry]) -> bool {
        let mut found = false;
        for (at, entry) in entries.iter().enumerate() {
            if entries[..at].iter().any(|before| before.key == entry.key) {
                let message = format!("duplicate key `{}`", printable_excerpt(&entry.key));
                self.warn(entry.position, message, "keep one of them");
                found = true;
            }
        }
        found
    }

    fn lists(&mut self, node: Node) {
        let entries = match node.value {
            Value::Map(entries) => entries,
            Value::Null => return,
            other => {
                let message = format!("`hooks` is {}, not a map of lists", other.kind());
                return self.breaks(node.position, message, "");
            }
        };
        if self.duplicates(&entries) {
            self.broken = true;
        }
        for Entry { key, position, node } in entries {
            match List::from_name(&key) {
                Some(list) => self.list(list, node),
                None => self.unknown(position, &key, List::NAMES.iter().copied()),
            }
        }
    }

    fn list(&mut self, list: List, node: Node) {
        match node.value {
            Value::List(nodes) => nodes.into_iter().for_each(|node| self.command(list, node)),
            Value::Null => {}
            other => {
                let message =
                    format!("`{list}` is {}, not a list of commands, and is left out", other.kind());
                self.left_out += 1;
                self.warn(node.position, message, "begin each command with `- command:`");
            }
        }
    }

    /// Says why an entry of a list is left out. The others count (law 10).
    fn leaves_out(&mut self, list: List, position: TextPosition, why: &str, help: &str) {
        self.left_out += 1;
        self.warn(position, format!("this entry of `{list}` is left out: {why}"), help);
    }

    fn command(&mut self, list: List, node: Node) {
        let position = node.position;
        let entries = match node.value {
            Value::Map(entries) => entries,
            other => {
                let why = format!("it is {}, not a map with `command`", other.kind());
                return self.leaves_out(list, position, &why, "write `- command: \"…\"`");
            }
        };
        if self.duplicates(&entries) {
            return self.leaves_out(list, position, "it has a duplicate key", "keep one of them");
        }
        let mut written = None;
        let mut timeout = DEFAULT_TIMEOUT;
        let mut pipe = None;
        let mut hold = None;
        for Entry { key, position, node } in entries {
            let (at, value) = (node.position, node.value);
            match key.as_str() {
                "command" => match command_text(value) {
                    Ok(text) => written = Some((text, at)),
                    Err(why) => {
                        let why = format!("`command` is {why}, not a command");
                        return self.leaves_out(list, at, &why, "put it in quotes");
                    }
                },
                "timeout" => match seconds(&value) {
                    Some((seconds, None)) => timeout = seconds,
                    Some((seconds, Some(said))) => {
                        timeout = seconds;
                        let message = format!("`timeout` is {said}, and is read as {}", seconds.as_secs());
                        let help = format!("write whole seconds from 1 to {MAX_TIMEOUT_SECONDS}");
                        self.warn(at, message, &help);
                    }
                    None => {
                        let why = format!(
                            "`timeout` is {}, not whole seconds from 1 to {MAX_TIMEOUT_SECONDS}",
                            value.kind()
                        );
                        return self.leaves_out(list, at, &why, "write a number without a unit");
                    }
                },
                "pipe_output" => match switch(&value) {
                    Some(value) => pipe = value,
                    None => {
                        let why = format!("`pipe_output` is {}, not true or false", value.kind());
                        return self.leaves_out(list, at, &why, "write `pipe_output: true`");
                    }
                },
                "hold" => match Hold::parse(&value.into_json()) {
                    Ok(directive) => hold = Some(Box::new(directive)),
                    Err(error) => {
                        let help = "or remove it, and the command is not held";
                        return self.leaves_out(list, at, &error.to_string(), help);
                    }
                },
                key => self.unknown(position, key, ["command", "timeout", "pipe_output", "hold"]),
            }
        }
        let Some((written, at)) = written else {
            return self.leaves_out(list, position, "it has no `command`", "write `- command: \"…\"`");
        };
        if list == List::PreIteration && pipe.is_none() {
            let help = "add `pipe_output: true` if the agent is to see it; before version 2 it always did";
            self.add_finding(
                Weight::Note,
                position,
                "the output of this pre_iteration command is not given to the agent",
                help,
            );
        }
        self.placeholders(list, &written, at);
        match template::rewrite(&written) {
            Ok(text) => {
                let pipe_output = pipe.unwrap_or_default();
                self.lifecycle
                    .push(list, Command { written, text, timeout, pipe_output, hold, position: at });
            }
            Err(refused) => {
                let message = format!("this command does not run: {}", refused.message);
                self.left_out += 1;
                self.warn(at, message, &refused.help);
            }
        }
    }

    fn placeholders(&mut self, list: List, command: &str, position: TextPosition) {
        let mut told = Vec::new();
        for (_, text) in template::unknown(command) {
            let name = text.trim_matches(['{', '}', ' ']);
            if !told.contains(&text) {
                told.push(text);
                let near = nearest(name, Variable::NAMES.iter().copied());
                let help = near.map(|near| format!("did you mean `{{{{{near}}}}}`?")).unwrap_or_default();
                self.warn(
                    position,
                    format!("`{}` is no placeholder, and stays as it is", printable_excerpt(text)),
                    &help,
                );
            }
        }
        for variable in Variable::ALL {
            let text = format!("{{{{{}}}}}", variable.as_str());
            if command.contains(&text) && !list.has(variable) {
                let lists = List::ALL.into_iter().filter(|list| list.has(variable)).map(List::as_str);
                let help = format!("it is there in {}", lists.collect::<Vec<_>>().join(", "));
                self.warn(position, format!("`{text}` is empty in `{list}`"), &help);
            }
        }
    }
}

/// The text of a command. A word that YAML takes for a value (`true`) is the command of that name.
fn command_text(value: Value) -> Result<String, &'static str> {
    match value {
        Value::Text(text) if text.trim().is_empty() => Err("empty"),
        Value::Text(text) => Ok(text),
        Value::Bool(word) => Ok(word.to_string()),
        Value::Int(number) => Ok(number.to_string()),
        Value::Null => Err("empty"),
        other => Err(other.kind()),
    }
}

/// A time limit, with what the file says where that is something else; `None` where it is no number. Zero and less are the
/// default, as iteratr has it.
fn seconds(value: &Value) -> Option<(Duration, Option<String>)> {
    let (is_too_long, said) = match value {
        Value::Null => return Some((DEFAULT_TIMEOUT, None)),
        Value::Int(seconds @ 1..=MAX_TIMEOUT_SECONDS) => {
            return Some((Duration::from_secs(seconds.unsigned_abs()), None));
        }
        Value::Int(seconds) => (*seconds > 0, seconds.to_string()),
        Value::Float(seconds) if seconds.is_nan() => return None,
        Value::Float(seconds) => match Duration::try_from_secs_f64(seconds.trunc()) {
            Ok(limit) if (1..=MAX_TIMEOUT_SECONDS.unsigned_abs()).contains(&limit.as_secs()) => {
                return Some((limit, Some(seconds.to_string())));
            }
            _ => (*seconds >= 1.0, seconds.to_string()),
        },
        _ => return None,
    };
    let limit =
        if is_too_long { Duration::from_secs(MAX_TIMEOUT_SECONDS.unsigned_abs()) } else { DEFAULT_TIMEOUT };
    Some((limit, Some(said)))
}

/// A switch that may be left open (`Some(None)`); the words of YAML 1.1 are read, too, as iteratr reads them.
fn switch(value: &Value) -> Option<Option<bool>> {
    let word = match value {
        Value::Bool(value) => return Some(Some(*value)),
        Value::Null => return Some(None),
        Value::Text(word) => word,
        _ => return None,
    };
    match word.to_ascii_lowercase().as_str() {
        "yes" | "on" | "y" => Some(Some(true)),
        "no" | "off" | "n" => Some(Some(false)),
        _ => None,
    }
}

/// A text of the file in a message.
fn printable_excerpt(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    plain
}
