//! Numbers that went through a script. Luau has one number type, so `1.0` and integers beyond 2^53 come back
//! changed without being edited; what was not touched keeps its exact JSON form.

use serde_json::{Number, Value};

/// `new`, with each number that equals its counterpart in `old` as a double put back as `old` has it.
pub fn keep(old: &Value, new: &Value) -> Value {
    match (old, new) {
        (Value::Number(before), Value::Number(after)) if same(before, after) => old.clone(),
        (Value::Array(before), Value::Array(after)) => {
            let kept = after.iter().enumerate();
            kept.map(|(at, value)| keep(before.get(at).unwrap_or(&Value::Null), value)).collect()
        }
        (Value::Object(before), Value::Object(after)) => {
            // The order of the old keys first, so that a script's table order does not show.
            let old_keys = before.keys().filter(|key| after.contains_key(*key));
            let new_keys = after.keys().filter(|key| !before.contains_key(*key));
            let value_of = |key: &String| keep(before.get(key).unwrap_or(&Value::Null), &after[key]);
            old_keys.chain(new_keys).map(|key| (key.clone(), value_of(key))).collect()
        }
        _ => new.clone(),
    }
}

fn same(before: &Number, after: &Number) -> bool {
    before == after || before.as_f64().is_some() && before.as_f64() == after.as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn untouched_numbers_keep_their_form() {
        let old = json!({"a": 1.0, "b": 9_007_199_254_740_993_i64, "c": [1, 2.0], "d": 1});
        let new = json!({"d": 2, "c": [1, 2, 3], "b": 9_007_199_254_740_992_i64, "a": 1, "e": true});
        let kept = keep(&old, &new);
        assert_eq!(kept.to_string(), r#"{"a":1.0,"b":9007199254740993,"c":[1,2.0,3],"d":2,"e":true}"#);
    }
}
