//! Reading a whole value, and writing one back with as much as possible left as it was. Not here: objects whose values stay text, and
//! the replacement of parts of a message (`json`).

use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use snaphook_core::strict_json::Strict;

use crate::json::{Fields, JsonError, folded, same_folded};

/// Reads a value strictly.
///
/// # Errors
/// The text is not JSON, or one of its objects has a key twice.
pub fn strict(text: &str) -> Result<Value, JsonError> {
    let Strict(value) = serde_json::from_str(text)?;
    Ok(value)
}

/// The depth to which a value is looked into for what is the same; each level reads it once more.
const MAX_REWRITTEN_DEPTH: u8 = 8;

/// Returns what `before` became, where that is written so. What is the same stays as it is written: a number may have
/// more digits than any number here keeps.
pub fn rewritten(written: &str, before: &Value, after: &Value) -> String {
    rewritten_in(MAX_REWRITTEN_DEPTH, written, before, after)
}

fn rewritten_in(deep: u8, written: &str, before: &Value, after: &Value) -> String {
    if before == after {
        return written.to_owned();
    }
    let Some(deep) = deep.checked_sub(1) else { return after.to_string() };
    let part = |was: Option<(&&RawValue, &Value)>, after: &Value| match was {
        Some((written, before)) => rewritten_in(deep, written.get(), before, after),
        None => after.to_string(),
    };
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let Ok(fields) = Fields::read(written) else { return Value::Object(after.clone()).to_string() };
            let written: HashMap<&str, &RawValue> =
                fields.0.iter().map(|(name, written)| (&**name, *written)).collect();
            let entry = |(name, after): (&String, &Value)| {
                let was = written.get(&**name).zip(before.get(name));
                format!("{}:{}", Value::from(&**name), part(was, after))
            };
            format!("{{{}}}", after.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        (Value::Array(before), Value::Array(after)) => {
            let written: Vec<&RawValue> = serde_json::from_str(written).unwrap_or_default();
            let element = |(at, after)| part(written.get(at).zip(before.get(at)), after);
            format!("[{}]", after.iter().enumerate().map(element).collect::<Vec<_>>().join(","))
        }
        _ => after.to_string(),
    }
}

/// Two keys of one object that a reader who does not mind case takes for one.
pub fn folded_twice(fields: &Map<String, Value>) -> Option<(&str, &str)> {
    let keys = fields.keys().map(String::as_str);
    if fields.len() <= MAX_COMPARED_KEYS {
        let pairs =
            keys.clone().enumerate().flat_map(|(at, key)| keys.clone().take(at).map(move |one| (one, key)));
        return pairs.into_iter().find(|(one, key)| same_folded(one, key));
    }
    let mut seen = HashMap::with_capacity(fields.len());
    for key in keys {
        if let Some(before) = seen.insert(folded(key).collect::<String>(), key) {
            return Some((before, key));
        }
    }
    None
}

/// So many keys are compared with each other, and not by a table.
const MAX_COMPARED_KEYS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn a_key_that_stands_twice_is_an_error_however_it_is_written_and_wherever() {
        for text in [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":2}"#, r#"[{"x":{"a":1,"b":[{"c":1,"c":1}]}}]"#] {
            assert!(strict(text).unwrap_err().to_string().contains("occurs twice"), "{text}");
        }
        assert!(Fields::read(r#"{"a":1,"\u0061":2}"#).is_err());
        let text = r#"{"a":[1,-2,1.5,null,true,"x\n"],"b":{"a":{}}}"#;
        assert_eq!(strict(text).unwrap().to_string(), text);
    }

    #[test]
    fn keys_that_only_differ_in_case_are_found() {
        for (key, found) in [
            ("name", false),
            ("Name", true),
            ("argument\u{17f}", true),
            ("names", false),
            ("ARGUMENTS", true),
        ] {
            let text = format!(r#"{{"arguments":1,"{key}":2}}"#);
            let fields = Fields::read(&text).unwrap();
            assert_eq!(fields.look_alike(&["name", "arguments"]).is_some(), found, "{key}");
        }
        for others in [1, MAX_COMPARED_KEYS - 3, MAX_COMPARED_KEYS - 2, 3 * MAX_COMPARED_KEYS] {
            let others: String = (0..others).map(|number| format!(r#""path{number}":1,"#)).collect();
            let fields = |last: &str| strict(&format!(r#"{{{others}"\u212aey":2,"{last}":3}}"#)).unwrap();
            assert_eq!(folded_twice(fields("key").as_object().unwrap()), Some(("\u{212a}ey", "key")));
            assert_eq!(folded_twice(fields("keys").as_object().unwrap()), None);
        }
    }

    #[test]
    fn what_is_the_same_stays_as_it_is_written() {
        const BIG: &str = "123456789012345678901234";
        let read = strict(BIG).unwrap().to_string();
        assert_ne!(read, BIG);
        let deep = |levels: usize, leaf: &str| format!("{}{leaf}{}", "[".repeat(levels), "]".repeat(levels));
        for (written, after, want) in [
            (
                format!(r#"{{"a": {BIG}, "b": 1}}"#),
                format!(r#"{{"b":2,"a":{BIG}}}"#),
                format!(r#"{{"b":2,"a":{BIG}}}"#),
            ),
            (
                format!(r#"{{"a":[{BIG},{{"b": {BIG},"c":1e2}}, {BIG}]}}"#),
                format!(r#"{{"new":[],"a":[7,{{"c":1e2,"b":{BIG},"d":1}},{BIG},{BIG}]}}"#),
                format!(r#"{{"new":[],"a":[7,{{"c":1e2,"b":{BIG},"d":1}},{BIG},{read}]}}"#),
            ),
            (
                format!(r#"{{"\u0061":{{"x": {BIG} }},"b":1}}"#),
                format!(r#"{{"a":{{"x":{BIG}}}}}"#),
                format!(r#"{{"a":{{"x": {BIG} }}}}"#),
            ),
            (r#"{"a":[1]}"#.into(), r#"{"a":{"b":1}}"#.into(), r#"{"a":{"b":1}}"#.into()),
            (deep(7, &format!("{BIG},1")), deep(7, &format!("{BIG},2")), deep(7, &format!("{BIG},2"))),
            (deep(9, &format!("{BIG},1")), deep(9, &format!("{BIG},2")), deep(9, &format!("{read},2"))),
        ] {
            let got = rewritten(&written, &strict(&written).unwrap(), &strict(&after).unwrap());
            assert_eq!(got, want, "{written}");
        }
    }

    /// Few keys and values, so that much is the same.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2i64..3).prop_map(Value::from),
            Just(Value::from(1e300)),
            "[a\"\\\\\n]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[ab\"]{0,1}", inner), 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_rewritten_is_what_it_became(before in any_json(), after in any_json()) {
            for written in [before.to_string(), format!("{before:#}")] {
                prop_assert_eq!(&strict(&rewritten(&written, &before, &after)).unwrap(), &after, "{}", written);
            }
        }
    }
}
