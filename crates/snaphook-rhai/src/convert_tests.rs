//! The trips in and out, and their bounds.

use proptest::prelude::*;
use rhai::{Array, Dynamic, Engine, Map};
use serde_json::{Value as Json, json};
use snaphook_script::value::MAX_DEPTH;

use super::{ValueError, from_json};

const ROOM: usize = 1 << 20;

fn to_json(value: &Dynamic, bytes: usize) -> Result<Json, ValueError> {
    super::to_json(value, bytes, crate::plain::FORMS)
}

fn eval(script: &str) -> Dynamic {
    let mut engine = Engine::new_raw();
    engine.register_global_module(crate::natives::library());
    engine.eval(script).unwrap_or_else(|error| panic!("{script}: {error}"))
}

#[test]
fn a_script_s_value_as_json() {
    for (script, expected) in [
        ("()", json!(null)),
        ("true", json!(true)),
        ("42", json!(42)),
        ("-9223372036854775807 - 1", json!(i64::MIN)),
        ("2.0", json!(2)),
        ("-0.0", json!(0)),
        ("2.5", json!(2.5)),
        ("9007199254740992.0", json!(9_007_199_254_740_992_i64)),
        ("1e300", json!(1e300)),
        ("'x'", json!("x")),
        ("\"ünï🎉\"", json!("ünï🎉")),
        ("[]", json!([])),
        ("#{}", json!({})),
        ("[1, [], #{}, ()]", json!([1, [], {}, null])),
        ("#{b: 1, a: #{c: ()}}", json!({"a": {"c": null}, "b": 1})),
        ("let a = [1]; let f = || a; a", json!([1])),
    ] {
        let said = to_json(&eval(script), ROOM).unwrap();
        assert_eq!(said.to_string(), expected.to_string(), "{script}");
    }
}

fn why(value: &Dynamic, bytes: usize) -> String {
    to_json(value, bytes).unwrap_err().to_string()
}

#[test]
fn what_json_cannot_hold_is_named_with_its_place() {
    for (script, expected) in [
        ("|| 1", "the value is a function"),
        ("#{input: #{a: [0, || 1]}}", "`input.a.1` is a function"),
        ("#{a: blob(3)}", "`a` is a blob"),
        ("#{a: 1..2}", "`a` is a range"),
        ("#{a: 1..=2}", "`a` is a range"),
        ("[0.0 / 0.0]", "`0` is not a finite number"),
        ("#{a: 1.0 / 0.0}", "`a` is not a finite number"),
        ("#{a: \"abc\".chars()}", "`a` is an object of the host"),
    ] {
        assert_eq!(why(&eval(script), ROOM), expected, "{script}");
    }
}

#[test]
fn bounds() {
    let text = Dynamic::from("x".repeat(100));
    assert!(to_json(&text, 100).is_ok());
    assert_eq!(why(&text, 99), "the value is too long");
    let keys: Map = [("long".into(), Dynamic::from("text"))].into();
    assert_eq!(why(&keys.into(), 7), "`long` is too long");
    // The same text many times costs nothing in the script, and as many times in JSON.
    let shared: Array = vec![text; 50];
    assert_eq!(why(&shared.into(), 1000), "`10` is too long");
    let many: Array = vec![Dynamic::UNIT; 1 << 18];
    assert_eq!(why(&many.into(), ROOM), "`262143` has too many values");
}

#[test]
fn depth_is_bounded_both_ways() {
    let nested = |levels| (0..levels).fold(Dynamic::UNIT, |inner, _| Dynamic::from_array(vec![inner]));
    assert!(to_json(&nested(MAX_DEPTH), ROOM).is_ok());
    let error = why(&nested(MAX_DEPTH + 1), ROOM);
    assert!(error.ends_with("is nested too deeply, or contains itself"), "{error}");
    let nested = |levels| (1..levels).fold(json!(null), |inner, _| json!([inner]));
    assert!(from_json(&nested(MAX_DEPTH)).is_ok());
    let error = from_json(&nested(MAX_DEPTH + 1)).unwrap_err();
    assert!(error.to_string().contains("the value is nested too deeply"), "{error}");
}

#[test]
fn integers_that_no_i64_holds_become_floats() {
    let value = from_json(&json!(u64::MAX)).unwrap();
    assert_eq!(value.as_float(), Ok(18_446_744_073_709_551_616.0));
    assert_eq!(from_json(&json!(i64::MIN)).unwrap().as_int(), Ok(i64::MIN));
    assert_eq!(from_json(&json!(1.0)).unwrap().as_float(), Ok(1.0));
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()).prop_map(Json::from),
        ".*".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map(".*", inner, 0..6)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn there_and_back(value in any_json()) {
        let back = to_json(&from_json(&value).unwrap(), ROOM).unwrap();
        // A whole float comes back as an integer: the same number, whose form the host restores.
        prop_assert_eq!(snaphook_core::number::keep(&value, &back), value);
    }
}
