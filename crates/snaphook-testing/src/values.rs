//! Small helpers over JSON values.

use serde_json::{Map, Value};

/// An object without its keys that are null: for scripts, what is not there is absent.
pub(crate) fn object(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        other => other,
    }
}

/// The object's list under a key.
pub(crate) fn list<'a>(map: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    map.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The object's text under a key; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether two values are the same to a script: numbers by value, an empty list like an empty map.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64() && !(both_whole(a, b)),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Array(list), Value::Object(map)) | (Value::Object(map), Value::Array(list)) => {
            list.is_empty() && map.is_empty()
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whole numbers are compared as such: as floats, large ones would lose their last digits.
fn both_whole(a: &serde_json::Number, b: &serde_json::Number) -> bool {
    (a.is_i64() || a.is_u64()) && (b.is_i64() || b.is_u64())
}

/// The value with the keys of its maps in order, so that a diff shows what differs and not how it is sorted.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            Value::Object(pairs.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        other => other.clone(),
    }
}
