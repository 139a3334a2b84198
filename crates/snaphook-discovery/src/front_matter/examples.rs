//! `examples`: calls with the decisions that the author of a hook expects. Not here: trying them (`snaphook-testing`).

use serde_json::{Map, Value as Json};
use snaphook_core::Verdict;

use super::faults::{duplicates, text, unknown_key, wrong_type};
use super::values::{Entry, Node, Value};
use crate::diagnostic::Diagnostic;
use crate::display::quoted;

/// One call, and what the hook should say to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its line in the file, from 1.
    pub line: u32,
    /// The call, by the keys that hook tests use: `tool`, `command`, `path`, …
    pub call: Map<String, Json>,
    /// The decision: allow, ask or deny.
    pub expect: Verdict,
    /// A regular expression that is found in a reason of that decision.
    pub reason: Option<String>,
}

/// The keys of a call that are text.
const TEXTS: [&str; 8] = ["tool", "command", "path", "content", "url", "agent", "subagent", "id"];
/// Every key.
const KEYS: [&str; 11] =
    ["tool", "command", "path", "content", "url", "input", "agent", "subagent", "id", "expect", "reason"];
/// More belong into a test file.
const MAX_EXAMPLES: usize = 100;
const MAX_REASON_CHARS: usize = 1000;

/// Reads the list.
pub(super) fn read(line: u32, node: Node) -> Result<Vec<Example>, Vec<Diagnostic>> {
    let nodes = match node.value {
        Value::List(nodes) => nodes,
        other => return Err(wrong_type("examples", "a list", line, &other)),
    };
    if nodes.len() > MAX_EXAMPLES {
        let diagnostic = Diagnostic::at(line, format!("`examples` has more than {MAX_EXAMPLES} entries"));
        return Err(vec![diagnostic.help("move them to a test file beside the hook")]);
    }
    let mut examples = Vec::new();
    let mut diagnostics = Vec::new();
    for node in nodes {
        match example(node) {
            Ok(example) => examples.push(example),
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() { Ok(examples) } else { Err(diagnostics) }
}

fn example(node: Node) -> Result<Example, Vec<Diagnostic>> {
    let line = node.position.line;
    let entries = match node.value {
        Value::Map(entries) => entries,
        other => {
            let diagnostic = Diagnostic::at(line, format!("an example is {}, not a map", other.kind()));
            return Err(vec![diagnostic.help("write `{ tool: bash, command: \"ls\", expect: allow }`")]);
        }
    };
    let mut diagnostics = duplicates(&entries, "");
    let mut example = Example { line, call: Map::new(), expect: Verdict::Abstain, reason: None };
    for entry in entries {
        if let Err(found) = take(&mut example, entry) {
            diagnostics.extend(found);
        }
    }
    if diagnostics.is_empty() {
        for (key, missing) in
            [("tool", !example.call.contains_key("tool")), ("expect", example.expect == Verdict::Abstain)]
        {
            if missing {
                let diagnostic = Diagnostic::at(line, format!("an example has no `{key}`"));
                diagnostics.push(diagnostic.help("write `{ tool: bash, command: \"ls\", expect: allow }`"));
            }
        }
        if example.call.contains_key("input")
            && ["command", "path", "content", "url"].iter().any(|key| example.call.contains_key(*key))
        {
            let text = "`input` is the whole input of a call, so no other field may be given";
            diagnostics.push(Diagnostic::at(line, text));
        }
    }
    if diagnostics.is_empty() { Ok(example) } else { Err(diagnostics) }
}

fn take(example: &mut Example, entry: Entry) -> Result<(), Vec<Diagnostic>> {
    let Entry { key, position, node } = entry;
    let line = position.line;
    match key.as_str() {
        "expect" => example.expect = expected(line, &node)?,
        "reason" => example.reason = Some(text(&key, line, &node, MAX_REASON_CHARS)?),
        "input" => match node.value {
            value @ Value::Map(_) => {
                example.call.insert(key, value.into_json());
            }
            other => return Err(wrong_type("input", "a map", line, &other)),
        },
        known if TEXTS.contains(&known) => match node.value {
            Value::Text(text) => {
                example.call.insert(key, Json::String(text));
            }
            other => return Err(wrong_type(known, "text", line, &other)),
        },
        unknown => return Err(vec![unknown_key(unknown, "key of an example", &KEYS, line)]),
    }
    Ok(())
}

fn expected(line: u32, node: &Node) -> Result<Verdict, Vec<Diagnostic>> {
    match &node.value {
        Value::Text(text) => match text.as_str() {
            "allow" => Ok(Verdict::Allow),
            "ask" => Ok(Verdict::Ask),
            "deny" => Ok(Verdict::Deny),
            other => {
                let diagnostic = Diagnostic::at(line, format!("`expect` is `{}`", quoted(other)));
                Err(vec![diagnostic.help("it is allow, ask or deny")])
            }
        },
        other => Err(wrong_type("expect", "text", line, other)),
    }
}
