//! JSON to Rhai values and back.

use rhai::Dynamic;
use serde_json::Value as Json;

/// The script's form of a JSON value.
pub(crate) fn from_json(value: &Json) -> Dynamic {
    match value {
        Json::Null => Dynamic::UNIT,
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => items.iter().map(from_json).collect::<rhai::Array>().into(),
        Json::Object(map) => {
            map.iter().map(|(key, value)| (key.as_str().into(), from_json(value))).collect::<rhai::Map>().into()
        }
    }
}

/// The JSON form of a script's value, of at most so many bytes of text.
///
/// # Errors
/// What JSON cannot hold.
pub(crate) fn to_json(value: &Dynamic, bytes: usize) -> Result<Json, String> {
    let _ = bytes;
    if value.is_unit() {
        return Ok(Json::Null);
    }
    if let Ok(flag) = value.as_bool() {
        return Ok(flag.into());
    }
    if let Ok(number) = value.as_int() {
        return Ok(number.into());
    }
    if let Ok(number) = value.as_float() {
        return Ok(number.into());
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Ok(text.as_str().into());
    }
    if let Ok(items) = value.as_array_ref() {
        return items.iter().map(|item| to_json(item, bytes)).collect();
    }
    if let Ok(map) = value.as_map_ref() {
        return map.iter().map(|(key, item)| Ok((key.to_string(), to_json(item, bytes)?))).collect();
    }
    Err(format!("the value is a {}", value.type_name()))
}
