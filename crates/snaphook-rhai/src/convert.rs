//! JSON to Rhai values and back.
//!
//! | Rhai | JSON |
//! |---|---|
//! | `()` | `null` |
//! | an integer, a float | a number; a whole float up to 2^53 is an integer, as in Lua; `nan` and `inf` are errors |
//! | a string, a char | text |
//! | an array, a map | an array, an object; empty ones differ |
//! | a blob, a range, a function, an object of the host | an error that names the place |
//!
//! Not here: what an answer means (`handler`), which objects of the host are plain values (`plain`).

use rhai::{Array, Blob, Dynamic, EvalAltResult, FnPtr, Map};
use serde_json::{Map as JsonMap, Number, Value as Json};
use snaphook_script::value::{Bounds, MAX_DEPTH, ValueError, ValueProblem};

/// Returns the form for scripts of an object of the host that is a plain value in JSON; `None` for any other.
pub(crate) type PlainForm = fn(&Dynamic) -> Option<Dynamic>;

/// The script's form of a JSON value.
///
/// # Errors
/// The value nests deeper than 128 levels.
pub(crate) fn from_json(value: &Json) -> Result<Dynamic, Box<EvalAltResult>> {
    read(value, 1)
}

fn read(value: &Json, depth: usize) -> Result<Dynamic, Box<EvalAltResult>> {
    if depth > MAX_DEPTH {
        return Err("the value is nested too deeply".into());
    }
    Ok(match value {
        Json::Null => Dynamic::UNIT,
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => self::number(number),
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => {
            let items: Result<Array, _> = items.iter().map(|item| read(item, depth + 1)).collect();
            items?.into()
        }
        Json::Object(map) => {
            let mut out = Map::new();
            for (key, item) in map {
                out.insert(key.as_str().into(), read(item, depth + 1)?);
            }
            out.into()
        }
    })
}

/// Converts a number: what no `i64` holds becomes a float. Lua has floats only, so both languages see the same value.
fn number(number: &Number) -> Dynamic {
    match number.as_i64() {
        Some(whole) => whole.into(),
        None => number.as_f64().unwrap_or(f64::NAN).into(),
    }
}

/// The JSON form of a script's value, of at most so many bytes of text. `plain` knows the objects of the host
/// that have one.
///
/// # Errors
/// A value that JSON cannot hold, with the key where it stands; a value over the bounds.
pub(crate) fn to_json(
    value: &Dynamic,
    bytes: usize,
    plain: &'static [PlainForm],
) -> Result<Json, ValueError> {
    Writer { bounds: Bounds::new(bytes), plain }.write(value)
}

struct Writer {
    bounds: Bounds,
    plain: &'static [PlainForm],
}

impl Writer {
    fn write(&mut self, value: &Dynamic) -> Result<Json, ValueError> {
        self.bounds.count_value()?;
        if value.is_unit() {
            return Ok(Json::Null);
        }
        if let Ok(flag) = value.as_bool() {
            return Ok(Json::Bool(flag));
        }
        if let Ok(number) = value.as_int() {
            return Ok(Json::from(number));
        }
        if let Ok(number) = value.as_float() {
            return self.bounds.number(number);
        }
        if let Ok(char) = value.as_char() {
            return self.text(char.encode_utf8(&mut [0; 4])).map(Json::String);
        }
        if let Ok(text) = value.as_immutable_string_ref() {
            return self.text(&text).map(Json::String);
        }
        if let Ok(items) = value.as_array_ref() {
            return self.array(&items);
        }
        if let Ok(map) = value.as_map_ref() {
            return self.map(&map);
        }
        if let Some(plain) = self.plain.iter().find_map(|form| form(value)) {
            return self.write(&plain);
        }
        Err(self.bounds.at(ValueProblem::Type(type_with_article(value).to_owned())))
    }

    fn text(&mut self, text: &str) -> Result<String, ValueError> {
        self.bounds.count_text(text.len())?;
        Ok(text.to_owned())
    }

    fn array(&mut self, items: &Array) -> Result<Json, ValueError> {
        self.bounds.check_depth()?;
        let mut list = Vec::with_capacity(items.len().min(1024));
        for (index, item) in items.iter().enumerate() {
            self.bounds.enter(index.to_string());
            list.push(self.write(item)?);
            self.bounds.leave();
        }
        Ok(Json::Array(list))
    }

    fn map(&mut self, map: &Map) -> Result<Json, ValueError> {
        self.bounds.check_depth()?;
        let mut object = JsonMap::new();
        for (key, item) in map {
            let key = self.text(key)?;
            self.bounds.enter(key);
            let item = self.write(item)?;
            object.insert(self.bounds.leave(), item);
        }
        Ok(Json::Object(object))
    }
}

/// Names the type of a value that JSON cannot hold, with its article.
fn type_with_article(value: &Dynamic) -> &'static str {
    if value.is::<FnPtr>() {
        "a function"
    } else if value.is::<Blob>() {
        "a blob"
    } else if value.is::<std::ops::Range<i64>>() || value.is::<std::ops::RangeInclusive<i64>>() {
        "a range"
    } else if value.is_timestamp() {
        "a timestamp"
    } else {
        "an object of the host"
    }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
