//! The results of tools, as text; and the way back: a text put into the shape that a tool's result has.

use serde_json::{Map, Value, json};

/// The text of a result, whatever its shape: what a model would read, or the JSON where that is not known.
pub(crate) fn text(response: &Value) -> String {
    match response {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().map(block).collect();
            texts.join("\n")
        }
        Value::Object(map) => of_map(map).unwrap_or_else(|| response.to_string()),
        other => other.to_string(),
    }
}

fn block(block: &Value) -> String {
    match block.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => {
            let mut texts = Vec::new();
            leaves(block, &mut texts);
            texts.join("\n")
        }
    }
}

/// The texts in a block that has no text of its own, decoded: in JSON a secret may hide behind an escape. Not the bytes of a picture.
fn leaves<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(parts) => parts.iter().for_each(|part| leaves(part, texts)),
        Value::Object(map) => {
            for (name, part) in
                map.iter().filter(|(name, _)| !matches!(name.as_str(), "data" | "blob" | "type"))
            {
                texts.push(name);
                leaves(part, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The names under which results have their text, where they have nothing else for it.
const TEXTS: [&str; 4] = ["output", "result", "text", "message"];

fn of_map(map: &Map<String, Value>) -> Option<String> {
    let get = |name: &str| map.get(name).and_then(Value::as_str);
    if map.contains_key("stdout") || map.contains_key("stderr") {
        let parts = [get("stdout"), get("stderr")].into_iter().flatten().filter(|text| !text.is_empty());
        return Some(parts.collect::<Vec<_>>().join("\n"));
    }
    if let Some(content) = map.get("file").and_then(|file| file.get("content")).and_then(Value::as_str) {
        return Some(content.to_owned());
    }
    if let Some(content @ (Value::String(_) | Value::Array(_))) = map.get("content") {
        return Some(text(content));
    }
    if let Some(content) = map.get("llmContent") {
        return Some(text(content));
    }
    TEXTS.into_iter().find_map(get).map(str::to_owned)
}

/// The result with nothing in it, in its own shape: texts and lists are empty, numbers are 0. What says which shape it is stays.
pub(crate) fn emptied(response: &Value) -> Value {
    let names_shape = |name: &str, value: &Value| {
        let is_word = |text: &str| {
            text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        ["type", "mode", "kind", "status"].contains(&name) && value.as_str().is_some_and(is_word)
    };
    match response {
        Value::String(_) => "".into(),
        Value::Number(_) => 0.into(),
        Value::Array(_) => json!([]),
        Value::Null | Value::Bool(_) => response.clone(),
        Value::Object(map) => {
            let parts = map.iter().map(|(name, value)| {
                if names_shape(name, value) {
                    (name.clone(), value.clone())
                } else {
                    (name.clone(), emptied(value))
                }
            });
            Value::Object(parts.collect())
        }
    }
}

/// The result with another text, in its own shape; `None` where the shape has no single place for a text.
pub(crate) fn reshaped(response: &Value, text: &str) -> Option<Value> {
    match response {
        Value::String(_) => Some(Value::from(text)),
        // The texts of all blocks are in it; what was in the others beside them goes.
        Value::Array(blocks) if blocks.iter().all(Value::is_object) => {
            Some(json!([{"type": "text", "text": text}]))
        }
        Value::Object(map) => {
            let mut new = map.clone();
            if map.contains_key("stdout") {
                new.insert("stdout".into(), text.into());
                if map.contains_key("stderr") {
                    new.insert("stderr".into(), "".into());
                }
                return Some(Value::Object(new));
            }
            if let Some(Value::Object(file)) = new.get_mut("file")
                && file.contains_key("content")
            {
                let lines = text.lines().count();
                file.insert("content".into(), text.into());
                for name in ["numLines", "totalLines"] {
                    if file.contains_key(name) {
                        file.insert(name.into(), lines.into());
                    }
                }
                return Some(Value::Object(new));
            }
            match map.get("content") {
                Some(content @ (Value::String(_) | Value::Array(_))) => {
                    let content = reshaped(content, text)?;
                    new.insert("content".into(), content);
                    Some(Value::Object(new))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The result with another text, in its own shape, for an agent that takes no other: as [`reshaped`], and where there is no single
/// place for a text, the fields that the text has as JSON; else it stands for the first text of a result with nothing in it.
/// A result of nothing but lists of fields is empty then. `None` for what has no fields.
pub(crate) fn in_shape(response: &Value, text: &str) -> Option<Value> {
    if let Some(new) = reshaped(response, text) {
        return Some(new);
    }
    let map = response.as_object()?;
    let mut new = map.clone();
    if let Some(content) = map.get("llmContent").and_then(|content| reshaped(content, text)) {
        new.insert("llmContent".to_owned(), content);
        return Some(Value::Object(new));
    }
    if let Some(name) = TEXTS.into_iter().find(|name| map.get(*name).is_some_and(Value::is_string)) {
        new.insert(name.to_owned(), text.into());
        return Some(Value::Object(new));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) if fields.keys().all(|name| map.contains_key(name)) => {
            Some(Value::Object(fields))
        }
        _ => {
            let mut empty = emptied(response);
            let lists = |value: &Value| value.get(0).is_some_and(Value::is_string);
            let list = map.iter().find(|(_, value)| lists(value)).map(|(name, _)| name);
            let fields = empty.as_object_mut()?;
            if let Some(first) = fields.values_mut().find(|value| **value == "") {
                *first = text.into();
            } else if let Some(list) = list {
                fields.insert(list.clone(), json!([text]));
            }
            Some(empty)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gets_the_shape_of_the_result() {
        for (response, text, want) in [
            (json!({"bytes": 1, "result": "a"}), "b", json!({"bytes": 1, "result": "b"})),
            (json!({"llmContent": "a", "n": 1}), "b", json!({"llmContent": "b", "n": 1})),
            (
                json!({"filePath": "f", "lines": ["a"]}),
                "{\"filePath\":\"f\",\"lines\":[\"b\"]}",
                json!({"filePath": "f", "lines": ["b"]}),
            ),
            (
                json!({"type": "update", "filePath": "f", "lines": ["a"]}),
                "withheld",
                json!({"type": "update", "filePath": "withheld", "lines": []}),
            ),
            (json!({"filePath": "f", "n": 1}), "{\"other\":1}", json!({"filePath": "{\"other\":1}", "n": 0})),
            (json!({"stdout": "a"}), "b", json!({"stdout": "b"})),
        ] {
            assert_eq!(in_shape(&response, text), Some(want), "{response}");
        }
        assert_eq!(
            in_shape(&json!({"n": 1, "filenames": ["a"]}), "b"),
            Some(json!({"n": 0, "filenames": ["b"]}))
        );
        assert_eq!(in_shape(&json!({"todos": [{"a": "b"}]}), "b"), Some(json!({"todos": []})));
        assert_eq!(in_shape(&json!(1), "b"), None);
    }
}
