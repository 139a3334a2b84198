//! What tools said, as text; and the way back: a text put into the shape that a tool's result has.

use serde_json::{Map, Value, json};

/// The text of a result, whatever its shape: what a model would read, or the JSON where nobody can tell.
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
        None => text_of_leaf(block),
    }
}

fn text_of_leaf(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

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
    ["output", "result", "text", "message"].into_iter().find_map(get).map(str::to_owned)
}

/// The result with another text, in its own shape; `None` where the shape has no single place for a text.
pub(crate) fn reshaped(response: &Value, text: &str) -> Option<Value> {
    match response {
        Value::String(_) => Some(Value::from(text)),
        Value::Array(blocks)
            if blocks.iter().all(|block| block.get("text").is_some_and(Value::is_string)) =>
        {
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
