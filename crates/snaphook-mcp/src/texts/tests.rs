//! Texts of messages: which are found, and what a message is with others in their place.

use serde_json::{Value, json};
use snaphook::{MAX_RESULT_DEPTH, MAX_RESULT_TEXT, MAX_RESULT_VALUES, Unreadable};

use super::*;

fn message(text: &str) -> Message {
    Message::read(text.to_owned()).unwrap()
}

fn texts(text: &str) -> Result<Vec<String>, Unreadable> {
    let message = message(text);
    Texts::read(&message, Vec::new()).map(|mut texts| texts.take())
}

fn result(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"an id","result":{result}}}"#)
}

#[test]
fn each_text_is_found_and_nothing_of_the_protocol() {
    for (body, want) in [
        ("{}", vec![]),
        (r#"{"resultType":"complete","n":1.5,"isError":true,"size":[null,-1e5]}"#, vec!["n"]),
        (
            r#"{"contents":[{"uri":"u","text":"a\n\u0062"}], "x":{"y":["z",["w"]]}}"#,
            vec!["u", "a\nb", "x", "y", "z", "w"],
        ),
        (
            r#"{"content":[{"type":"text","text":"t"},{"type":"other","role":"user","level":"hot"}]}"#,
            vec!["t", "other", "hot"],
        ),
        (r#"{"type":"text","Type":"text","":""}"#, vec!["Type", "text", "", ""]),
        (r#"{"type":["string","null","b"],"jsonrpc":"2.0","id":"7","method":"ping"}"#, vec!["b", "2.0", "7"]),
        (r#""alone""#, vec!["alone"]),
        (r#" [ "a" , { "uri" : "b" } ] "#, vec!["a", "b"]),
        (r#"{"_meta":{"snaphook/note":"mine"}}"#, vec!["mine"]),
    ] {
        assert_eq!(texts(&result(body)).unwrap(), want, "{body}");
    }
    for (whole, want) in [
        (
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","message":"m"}}"#,
            vec!["p", "m"],
        ),
        (r#"{"jsonrpc":"2.0","method":"notifications/secret"}"#, vec!["notifications/secret"]),
        (
            r#"{"more":"a","error":{"code":1,"message":"b","data":["c"]},"id":null,"jsonrpc":"2.0"}"#,
            vec!["more", "a", "b", "c"],
        ),
        (r#"{"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"method":"x"}}"#, vec!["x"]),
    ] {
        assert_eq!(texts(whole).unwrap(), want, "{whole}");
    }
}

#[test]
fn what_no_hook_could_look_at_is_not_read() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (body, want) in [
        (r#"{"a":"\ud83d"}"#.to_owned(), Some(Unreadable::Text)),
        (r#"{"\ude00":1}"#.to_owned(), Some(Unreadable::Text)),
        (r#"{"uri":"a","uri":"b"}"#.to_owned(), Some(Unreadable::Form)),
        (r#"{"a":[{"b":1,"\u0062":1}]}"#.to_owned(), Some(Unreadable::Form)),
        (deep(MAX_RESULT_DEPTH + 1), None),
        (deep(MAX_RESULT_DEPTH + 2), Some(Unreadable::TooDeep)),
        (deep(100_000), Some(Unreadable::TooDeep)),
        (json!(vec![0; MAX_RESULT_VALUES]).to_string(), Some(Unreadable::TooMany)),
        (json!("x".repeat(MAX_RESULT_TEXT + 1)).to_string(), Some(Unreadable::TooLarge)),
    ] {
        assert_eq!(texts(&result(&body)).err(), want, "{body:.100}");
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"result":{},"x":1,"x":"a"}"#;
    assert_eq!(texts(twice), Err(Unreadable::Form));
}

#[test]
fn a_text_is_replaced_and_all_else_stays() {
    let told = message(
        r#"{"jsonrpc":"2.0", "id":1e0,"result":{"contents" : [{"uri":"\u0075","n":1.50,"text":"a"}],"k\u0031":{"k2":"b"}}}"#,
    );
    let mut texts = Texts::read(&told, Vec::new()).unwrap();
    let before: Vec<Value> = texts.take().into_iter().map(Value::from).collect();
    assert_eq!(before, ["u", "n", "a", "k1", "k2", "b"]);
    let with = |after: [&str; 6]| {
        let after: Vec<Value> = after.iter().map(|text| Value::from(*text)).collect();
        texts.with(&before, &after).map(|message| String::from_utf8(message.bytes().to_vec()).unwrap())
    };
    let same = with(["u", "n", "a", "k1", "k2", "b"]).unwrap();
    assert_eq!(same.as_bytes(), &**told.bytes());
    assert_eq!(
        with(["u", "n", "\"\n", "k1", "other", "b"]).unwrap(),
        r#"{"jsonrpc":"2.0", "id":1e0,"result":{"contents" : [{"uri":"\u0075","n":1.50,"text":"\"\n"}],"k\u0031":{"other":"b"}}}"#
    );
    // Two keys that become one, and a key that becomes one of the protocol's.
    assert_eq!(with(["u", "uri", "a", "k1", "k2", "b"]), Err(Unreadable::Form));
    assert_eq!(with(["u", "n", "a", "contents", "k2", "b"]), Err(Unreadable::Form));
}

#[test]
fn what_was_shown_is_passed_over() {
    let told = message(&result(r#"{"a":"x","b":["y",{"c":"z"}],"d":"w"}"#));
    let text = std::str::from_utf8(told.bytes()).unwrap();
    let at = |part: &str| {
        let start = text.find(part).unwrap();
        start..start + part.len()
    };
    let shown = vec![at(r#"["y",{"c":"z"}]"#), at(r#""x""#)];
    assert_eq!(Texts::read(&told, shown).unwrap().take(), ["a", "b", "d", "w"]);
}

#[test]
fn base64_is_binary_where_the_protocol_has_it() {
    let long = "QUJD".repeat(100);
    let cases = [
        // Of which the texts do not have it.
        (
            format!(r#"{{"type":"image","data":"{long}","mimeType":"image/png"}}"#),
            vec!["image/png"],
            json!([{"bytes": 300, "mime_type": "image/png"}]),
        ),
        (format!(r#"{{"data":"{long}","type":"audio"}}"#), vec![], json!([{"bytes": 300}])),
        (format!(r#"{{"uri":"u","blob":"{long}"}}"#), vec!["u"], json!([{"bytes": 300}])),
        // Short: a key can be written so.
        (
            r#"{"type":"image","data":"AKIAIOSFODNN7EXAMPLE"}"#.to_owned(),
            vec!["AKIAIOSFODNN7EXAMPLE"],
            json!([{"bytes": 15}]),
        ),
        (r#"{"uri":"u","blob":"QQ=="}"#.to_owned(), vec!["u", "QQ=="], json!([{"bytes": 1}])),
        // No base64, or not where it would be.
        (format!(r#"{{"type":"image","data":"{long} "}}"#), vec![&*format!("{long} ")], json!([])),
        (format!(r#"{{"type":"text","data":"{long}"}}"#), vec![&*long], json!([])),
        (format!(r#"{{"blob":"{long}"}}"#), vec![&*long], json!([])),
    ]
    .map(|(body, texts, binary)| (body, texts.into_iter().map(str::to_owned).collect::<Vec<_>>(), binary));
    for (body, want, binary) in cases {
        let told = message(&result(&format!("[{body}]")));
        let mut texts = Texts::read(&told, Vec::new()).unwrap();
        assert_eq!(Value::from(texts.binary()), binary, "{body:.60}");
        assert_eq!(texts.take(), want, "{body:.60}");
        let without = texts.without_binary().unwrap();
        assert_eq!(without.is_some(), binary != json!([]), "{body:.60}");
        if let Some(without) = without {
            let mut left = Texts::read(&without, Vec::new()).unwrap();
            assert!(
                left.binary().is_empty()
                    && left.take().iter().all(|text| text == "u" || text == "text/plain")
            );
        }
    }
}

#[test]
fn a_block_that_is_withheld_becomes_a_text() {
    let told = message(&result(
        r#"{"content":[{"type":"image","data":"QUJD","_meta":{"x":{"type":"image","data":"QQ=="}}},{"type":"resource","resource":{"uri":"u","mimeType":"image/png","blob":"QUJD"}}],"n":1.0}"#,
    ));
    let without = Texts::read(&told, Vec::new()).unwrap().without_binary().unwrap().unwrap();
    let note = BINARY_WITHHELD;
    let want = format!(
        r#"{{"content":[{{"text":"{note}","type":"text"}},{{"type":"resource","resource":{{"uri":"u","mimeType":"text/plain","text":"{note}"}}}}],"n":1.0}}"#
    );
    let got: Value = serde_json::from_slice(without.bytes()).unwrap();
    assert_eq!(got["result"], serde_json::from_str::<Value>(&want).unwrap());
    assert!(without.body().unwrap().contains(r#""n":1.0"#));
}
