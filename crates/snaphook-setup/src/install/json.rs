//! Our entries in a JSON settings file: put in, and taken out, with everything else left as it is, comments and order included.
//! Not here: reading and writing files.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use snaphook_adapters::install::{Part, is_ours};

use crate::EditError;

/// The text with these parts in it and no older ones of snaphook's.
pub(crate) fn put(text: &str, parts: &[Part], agent: &str) -> Result<String, EditError> {
    let root = parse(text)?;
    let object = root.object_value_or_create().ok_or(EditError::NotObject)?;
    let wanted = |at: &[String], value: &Value| {
        parts.iter().any(
            |part| matches!(part, Part::Element { at: there, value: same } if there == at && same == value),
        )
    };
    remove_stale(&object, agent, &mut Vec::new(), &wanted)?;
    for part in parts {
        match part {
            Part::Element { at, value } => {
                let list = list_at(&object, at)?;
                let there = list.elements().iter().any(|element| value_of(element).as_ref() == Some(value));
                if !there {
                    list.append(input(value));
                }
            }
            Part::Constant { at, value } => {
                let Some((last, above)) = at.split_last() else { continue };
                let object = object_at(&object, above)?;
                if object.get(last).is_none() {
                    object.append(last, input(value));
                }
            }
        }
    }
    let after = root.to_string();
    // What we write, we can read.
    parse(&after)?;
    let after = marked(text, after);
    Ok(if after.ends_with('\n') || text.trim_end() == text && !text.is_empty() {
        after
    } else {
        format!("{after}\n")
    })
}

/// The text without our entries, and without the lists and objects that are empty then.
pub(crate) fn take(text: &str, agent: &str) -> Result<String, EditError> {
    let root = parse(text)?;
    if let Some(object) = root.object_value() {
        remove_stale(&object, agent, &mut Vec::new(), &|_, _| false)?;
    }
    Ok(marked(text, root.to_string()))
}

/// JSON as agents take it: with comments and trailing commas, and nothing else that some parsers let pass.
pub(crate) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    }
}

fn parse(text: &str) -> Result<CstRootNode, EditError> {
    CstRootNode::parse(unmarked(text), &options()).map_err(|error| EditError::Json(error.to_string()))
}

/// Without the byte order mark that some editors put in front.
fn unmarked(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// With it, where the text had one.
fn marked(before: &str, after: String) -> String {
    if before.starts_with(MARK) { format!("{MARK}{after}") } else { after }
}

const MARK: char = '\u{feff}';

/// Every text of snaphook's in a document.
pub(crate) fn ours(text: &str, agent: &str) -> Result<Vec<String>, EditError> {
    value(text).map(|document| ours_in(&document, agent))
}

/// Every text of snaphook's in a document that was read.
pub(crate) fn ours_in(document: &Value, agent: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(document, agent, &mut found);
    found
}

/// The document.
pub(crate) fn value(text: &str) -> Result<Value, EditError> {
    Ok(parse(text)?.value().and_then(|node| value_of(&node)).unwrap_or_default())
}

fn collect(value: &Value, agent: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if is_ours(text, agent) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| collect(value, agent, found)),
        Value::Object(map) => map.values().for_each(|value| collect(value, agent, found)),
        _ => {}
    }
}

fn value_of(node: &CstNode) -> Option<Value> {
    node.to_serde_value()
}

/// Takes out the elements of lists that are ours and not `wanted`; what is empty through that goes, too.
fn remove_stale(
    object: &CstObject,
    agent: &str,
    at: &mut Vec<String>,
    wanted: &dyn Fn(&[String], &Value) -> bool,
) -> Result<(), EditError> {
    for property in object.properties() {
        let Some(name) = property.name().and_then(|name| name.decoded_value().ok()) else { continue };
        at.push(name);
        if let Some(list) = property.array_value() {
            let mut removed = false;
            for element in list.elements() {
                let Some(value) = value_of(&element) else { continue };
                if mentions(&value, agent) && !wanted(at, &value) {
                    element.remove();
                    removed = true;
                }
            }
            if removed && list.elements().is_empty() {
                property.remove();
            }
        } else if let Some(inner) = property.object_value() {
            let before = inner.properties().len();
            remove_stale(&inner, agent, at, wanted)?;
            if before > 0 && inner.properties().is_empty() {
                property.remove();
            }
        }
        at.pop();
    }
    Ok(())
}

/// Returns whether any text in a value is ours.
pub(crate) fn mentions(value: &Value, agent: &str) -> bool {
    !ours_in(value, agent).is_empty()
}

fn object_at(object: &CstObject, at: &[String]) -> Result<CstObject, EditError> {
    at.iter().try_fold(object.clone(), |object, key| {
        once(&object, key)?;
        object
            .object_value_or_create(key)
            .ok_or_else(|| EditError::Type { key: key.clone(), expected: "an object" })
    })
}

fn list_at(object: &CstObject, at: &[String]) -> Result<CstArray, EditError> {
    let (last, above) = at.split_last().ok_or(EditError::NotObject)?;
    let object = object_at(object, above)?;
    once(&object, last)?;
    let list = object.array_value_or_create(last);
    list.ok_or_else(|| EditError::Type { key: at.join("."), expected: "a list" })
}

/// Of two with the same name agents take the last, and we would write into the first.
fn once(object: &CstObject, key: &str) -> Result<(), EditError> {
    let named = |name: &String| name == key;
    let names = object.properties().into_iter().filter_map(|property| property.name()?.decoded_value().ok());
    match names.filter(named).count() {
        0 | 1 => Ok(()),
        _ => Err(EditError::Twice(key.to_owned())),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
