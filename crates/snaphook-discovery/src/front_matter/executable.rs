//! The keys that only executables have: what they come to together, each fault with its line. Not here: the keys that all files
//! have (`check`), running anything.

use std::time::Duration;

use snaphook_core::{EventName, Executable, Hold, HoldError, Lifecycle, Product, ReplyClass, RunAs, nearest};
use snaphook_script::glob::Globs;

use super::faults::{text, wrong_type};
use super::values::{Entry, Node, Value};
use crate::diagnostic::Diagnostic;
use crate::display::quoted;

/// The other names of events.
pub(super) const TYPES: [(&str, Lifecycle); 3] = [
    ("session", Lifecycle::Startup),
    ("file", Lifecycle::FilesChanged),
    ("pre-commit", Lifecycle::PreCommit),
];

const MAX_PATTERN_CHARS: usize = 4096;
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// The values of the keys, one by one.
#[derive(Debug, Default)]
pub(super) struct Keys {
    kind: Option<(u32, Lifecycle)>,
    event: Option<(u32, EventName)>,
    pattern: Option<(u32, Vec<String>)>,
    ignore: Option<(u32, Vec<String>)>,
    notify: Option<(u32, bool)>,
    run_as: Option<(u32, RunAs)>,
    timeout: Option<Duration>,
    compat: Option<Product>,
    hold: Option<Box<Hold>>,
}

impl Keys {
    /// Takes one of [`super::EXECUTABLE_KEYS`].
    pub(super) fn take(
        &mut self,
        entry: Entry,
        product: Product,
        remarks: &mut Vec<Diagnostic>,
    ) -> Result<(), Vec<Diagnostic>> {
        let Entry { key, position, node } = entry;
        let line = position.line;
        let theirs = product == Product::Discobot;
        match key.as_str() {
            "type" => self.kind = Some((line, kind(line, &node)?)),
            "event" => self.event = Some((line, event(line, &node)?)),
            "pattern" => {
                let patterns = patterns(&key, line, node)?;
                if theirs {
                    patterns.iter().try_for_each(|pattern| reads_alike(line, pattern))?;
                }
                self.pattern = Some((line, patterns));
            }
            "ignore" => self.ignore = Some((line, patterns(&key, line, node)?)),
            "notify_llm" => match node.value {
                Value::Bool(notify) => self.notify = Some((line, notify)),
                Value::Text(word) if theirs => {
                    let is_no = ["false", "no", "0"].iter().any(|no| word.trim().eq_ignore_ascii_case(no));
                    self.notify = Some((line, !is_no));
                }
                other => return Err(wrong_type(&key, "true or false", line, &other)),
            },
            "run_as" => {
                let who = text(&key, line, &node, MAX_PATTERN_CHARS)?;
                let run_as = match who.as_str() {
                    "user" => RunAs::User,
                    "root" => RunAs::Root,
                    other if theirs => {
                        let message =
                            format!("`run_as` is `{}`, and the hook runs as the user", quoted(other));
                        remarks.push(Diagnostic::at(line, message).help("it may be `user` or `root`"));
                        return Ok(());
                    }
                    other => {
                        let message = format!("`run_as` is `{}`", quoted(other));
                        return Err(vec![Diagnostic::at(line, message).help("it may be `user` or `root`")]);
                    }
                };
                self.run_as = Some((line, run_as));
            }
            "compat" => {
                let name = text(&key, line, &node, MAX_PATTERN_CHARS)?;
                let product = Product::other(&name).ok_or_else(|| {
                    let diagnostic = Diagnostic::at(line, format!("`compat` is `{}`", quoted(&name)));
                    vec![diagnostic.help("it may be discobot, iteratr or marvin")]
                })?;
                self.compat = Some(product);
            }
            "hold" => {
                let hold = Hold::parse(&node.value.into_json());
                let faulty = |error: HoldError| vec![Diagnostic::at(line, error.to_string())];
                self.hold = Some(Box::new(hold.map_err(faulty)?));
            }
            _ => self.timeout = Some(timeout(line, &node)?),
        }
        Ok(())
    }

    /// Returns what they come to; `None` where the file says of no event. What another product would pass over is a
    /// remark.
    pub(super) fn finish(
        self,
        product: Product,
        remarks: &mut Vec<Diagnostic>,
    ) -> Result<Option<Executable>, Vec<Diagnostic>> {
        let named = match (self.kind, self.event) {
            (Some((line, kind)), Some((_, event))) if event != EventName::from(kind) => {
                let message = format!("`type` says `{kind}`, `event` says `{event}`");
                return Err(vec![Diagnostic::at(line, message).help("keep one of them")]);
            }
            (kind, Some((_, event))) => Some((kind.map(|(line, _)| line), event, kind.is_none())),
            (Some((line, kind)), None) => Some((Some(line), kind.into(), false)),
            (None, None) => None,
        };
        let Some((line_of_type, event, answers)) = named else { return Ok(None) };
        let mut diagnostics = Vec::new();
        let is_check = event.class() == ReplyClass::Check;
        let starts = event == EventName::from(Lifecycle::Startup);
        // There every hook for commits runs at each commit.
        let is_their_commit = product == Product::Discobot && event == EventName::from(Lifecycle::PreCommit);
        let takes_files = is_check && !is_their_commit;
        // Each with whether the event has it.
        for (key, line, fits, of) in [
            ("pattern", self.pattern.as_ref().map(|(line, _)| *line), takes_files, "checks of files"),
            ("ignore", self.ignore.as_ref().map(|(line, _)| *line), takes_files, "checks of files"),
            ("notify_llm", self.notify.map(|(line, _)| line), is_check, "checks of files"),
            ("run_as", self.run_as.map(|(line, _)| line), starts, "what runs at the start"),
        ] {
            let Some(line) = line.filter(|_| !fits) else { continue };
            let diagnostic =
                Diagnostic::at(line, format!("`{key}` is a key of {of}, and this is for `{event}`"));
            match product {
                Product::Discobot => remarks.push(diagnostic.help("it has no effect here")),
                _ => diagnostics.push(diagnostic.help("remove it, or name another event")),
            }
        }
        let named_file = line_of_type.filter(|_| event == EventName::from(Lifecycle::FilesChanged));
        if let Some(line) = named_file.filter(|_| self.pattern.is_none()) {
            diagnostics.push(
                Diagnostic::at(line, "`type: file` needs a `pattern`")
                    .help("name the files that it checks: `pattern: \"*.go\"`, or `pattern: \"*\"` for all"),
            );
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        Ok(Some(Executable {
            patterns: self.pattern.filter(|_| takes_files).map(|(_, patterns)| patterns).unwrap_or_default(),
            ignore: self.ignore.filter(|_| takes_files).map(|(_, patterns)| patterns).unwrap_or_default(),
            notify: self.notify.is_none_or(|(_, notify)| notify),
            run_as: self.run_as.filter(|_| starts).map(|(_, run_as)| run_as).unwrap_or_default(),
            timeout: self.timeout,
            // What was written for another product goes on seeing its variables.
            product: self.compat.unwrap_or(product),
            answers,
            hold: self.hold,
            ..Executable::new(event)
        }))
    }
}

fn kind(line: u32, node: &Node) -> Result<Lifecycle, Vec<Diagnostic>> {
    let name = text("type", line, node, MAX_PATTERN_CHARS)?;
    let names = TYPES.map(|(name, _)| name);
    TYPES.into_iter().find(|(known, _)| *known == name).map(|(_, event)| event).ok_or_else(|| {
        let near = nearest(&name, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let diagnostic = Diagnostic::at(line, format!("`type` is `{}`{near}", quoted(&name)));
        vec![diagnostic.help("it may be session, file or pre-commit; `event` names any other event")]
    })
}

fn event(line: u32, node: &Node) -> Result<EventName, Vec<Diagnostic>> {
    let name = text("event", line, node, MAX_PATTERN_CHARS)?;
    EventName::parse(&name).map_err(|unknown| vec![Diagnostic::at(line, unknown.to_string())])
}

/// Refuses what a pattern of Discobot's means there and not here: it would be a check that never runs, without a word.
fn reads_alike(line: u32, pattern: &str) -> Result<(), Vec<Diagnostic>> {
    let extended = ["@(", "+(", "?(", "*(", "!("].iter().any(|opens| pattern.contains(opens));
    let (why, help) = if extended {
        ("has an extended glob like `+(a|b)`", "write braces: `*.{ts,tsx}`")
    } else if pattern.starts_with('!') {
        ("begins with `!`", "name the files that it is for, and those that it is not for under `ignore`")
    } else {
        return Ok(());
    };
    let message = format!("`pattern` {why}, which snaphook does not read: `{}`", quoted(pattern));
    Err(vec![Diagnostic::at(line, message).help(help)])
}

/// One pattern, or a list.
fn patterns(key: &str, line: u32, node: Node) -> Result<Vec<String>, Vec<Diagnostic>> {
    let nodes = match node.value {
        Value::List(nodes) if nodes.is_empty() => {
            return Err(vec![Diagnostic::at(line, format!("`{key}` is an empty list"))]);
        }
        Value::List(nodes) => nodes,
        value => vec![Node { position: node.position, value }],
    };
    let one = |node: &Node| {
        let pattern = text(key, node.position.line, node, MAX_PATTERN_CHARS)?;
        match Globs::new([pattern.as_str()]) {
            Ok(_) => Ok(pattern),
            Err(bad) => Err(vec![Diagnostic::at(node.position.line, format!("`{key}`: {bad}"))]),
        }
    };
    nodes.iter().map(one).collect()
}

/// Seconds, or a number with its unit.
fn timeout(line: u32, node: &Node) -> Result<Duration, Vec<Diagnostic>> {
    let wrong = |said: &str| {
        let diagnostic = Diagnostic::at(line, format!("`timeout` is {said}"));
        vec![diagnostic.help("write seconds, or `500ms`, `10s`, `5m`, `1h`; a day is the most")]
    };
    let duration = match &node.value {
        Value::Int(seconds) => {
            u64::try_from(*seconds).map(Duration::from_secs).map_err(|_| wrong(&seconds.to_string()))?
        }
        Value::Float(seconds) => {
            Duration::try_from_secs_f64(*seconds).map_err(|_| wrong(&seconds.to_string()))?
        }
        Value::Text(text) => parse_duration(text.trim()).ok_or_else(|| wrong(&quoted(text)))?,
        other => return Err(wrong(other.kind())),
    };
    if duration.is_zero() || duration > MAX_TIMEOUT {
        return Err(wrong(&format!("{} s", duration.as_secs_f64())));
    }
    Ok(duration)
}

fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    match text.strip_prefix(digits)? {
        "" | "s" => Some(Duration::from_secs(number)),
        "ms" => Some(Duration::from_millis(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        "h" => number.checked_mul(3600).map(Duration::from_secs),
        _ => None,
    }
}
