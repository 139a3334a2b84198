//! The faults that any key may have: another type, a text that is too long, an unknown name, a second one.
//! Not here: the meaning of a single key (`check`, `executable`, `examples`).

use std::collections::HashMap;

use super::values::{Entry, Node, TextPosition, Value};
use crate::diagnostic::Diagnostic;
use crate::display::quoted;

pub(super) fn wrong_type(key: &str, wanted: &str, line: u32, value: &Value) -> Vec<Diagnostic> {
    let diagnostic = Diagnostic::at(line, format!("`{key}` has to be {wanted}, but it is {}", value.kind()));
    let scalar = matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_));
    vec![if wanted == "text" && scalar { diagnostic.help("put it in quotes") } else { diagnostic }]
}

pub(super) fn text(key: &str, line: u32, node: &Node, max_chars: usize) -> Result<String, Vec<Diagnostic>> {
    let Value::Text(text) = &node.value else { return Err(wrong_type(key, "text", line, &node.value)) };
    let text = text.trim();
    let wrong = |what: String| Err(vec![Diagnostic::at(line, format!("`{key}` {what}"))]);
    if text.is_empty() {
        return wrong("is empty".to_owned());
    }
    if text.contains('\n') {
        return wrong("has more than one line".to_owned());
    }
    if let Some(bad) = text.chars().find(|c| snaphook_core::is_unprintable(*c)) {
        return wrong(format!("contains the control character U+{:04X}", u32::from(bad)));
    }
    if text.chars().count() > max_chars {
        return wrong(format!("is longer than {max_chars} characters"));
    }
    Ok(text.to_owned())
}

pub(super) fn unknown_key(key: &str, what: &str, known: &[&str], line: u32) -> Diagnostic {
    let diagnostic = Diagnostic::at(line, format!("unknown {what} `{}`", quoted(key)));
    let nearest = known
        .iter()
        .map(|candidate| (strsim::osa_distance(&key.to_lowercase(), candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(1))
        .min();
    match nearest {
        Some((_, candidate)) => diagnostic.help(format!("did you mean `{candidate}`?")),
        None => diagnostic.help(format!("there are {}", known.join(", "))),
    }
}

pub(super) fn duplicates(entries: &[Entry], prefix: &str) -> Vec<Diagnostic> {
    let mut first = HashMap::new();
    let mut diagnostics = Vec::new();
    for Entry { key, position: TextPosition { line, .. }, .. } in entries {
        match first.get(key.as_str()) {
            Some(earlier) => diagnostics.push(
                Diagnostic::at(
                    *line,
                    format!("duplicate key `{prefix}{}`, first on line {earlier}", quoted(key)),
                )
                .help("keep one of them"),
            ),
            None => {
                first.insert(key.as_str(), *line);
            }
        }
    }
    diagnostics
}
