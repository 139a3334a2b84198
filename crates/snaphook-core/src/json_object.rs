//! JSON objects in which nothing is said twice. Not here: what their keys mean.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

/// Reads one JSON object, with nothing behind it and no key twice: which of two would count is a matter of taste. Objects in it
/// are read as usual, where the last one counts.
///
/// # Errors
/// The text is anything else; the error has line and column.
pub fn json_object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let object = reader.deserialize_map(Once)?;
    reader.end()?;
    Ok(object)
}

struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            object.insert(key, value);
        }
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_there_once() {
        assert_eq!(json_object(r#"{"a": 1, "b": {}}"#).unwrap().len(), 2);
        for (text, error) in [
            (r#"{"a": 1, "a": 2}"#, "duplicate key `a`"),
            (r#"{"a": 1, "\u0061": 2}"#, "duplicate key `a`"),
            ("{} {}", "trailing characters"),
            ("[]", "expected an object"),
            ("{", "EOF"),
        ] {
            assert!(json_object(text).unwrap_err().to_string().contains(error), "{text}");
        }
    }
}
