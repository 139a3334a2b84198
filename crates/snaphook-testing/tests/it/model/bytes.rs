//! The bytes that each wire sends, streamed and whole.

use serde_json::json;
use snaphook_testing::model::{Call, Exchange, ScriptedModel, Stop, Wire};

use super::client::{Received, answer, connect, read, request, write};

/// The answers that snapshots show.
fn answers() -> [(&'static str, Exchange); 5] {
    let bash = || Call::new("bash", json!({ "command": "cargo test" }));
    [
        ("text", Exchange::text("Grüße aus der Welt.").usage(120, 7)),
        ("one call", Exchange::calls([bash()])),
        (
            "text and two calls",
            Exchange::text("Look:").and_call(bash().id("own_id")).and_call(Call::new("read", json!({}))),
        ),
        ("token limit, without usage", Exchange::text("half").stop(Stop::TokenLimit).without_usage()),
        ("nothing", Exchange::new([]).stop(Stop::ContentFilter)),
    ]
}

/// An answer as text: its head without the date, its body with carriage returns that can be seen.
pub fn shown(received: &Received) -> String {
    let head: Vec<&str> =
        received.head.trim_end().lines().filter(|line| !line.starts_with("date: ")).collect();
    format!("{}\n\n{}", head.join("\n"), received.body().replace('\r', "␍"))
}

#[tokio::test]
async fn each_wire_is_as_its_provider_writes_it() {
    for wire in Wire::ALL {
        for (mode, streamed) in [("stream", true), ("whole", false)] {
            let mut text = String::new();
            for (name, exchange) in answers() {
                let received = answer(exchange, wire, streamed).await;
                assert!(received.is_complete());
                text += &format!("---- {name}\n{}\n", shown(&received));
            }
            insta::assert_snapshot!(format!("{wire:?}_{mode}"), text);
        }
    }
}

#[tokio::test]
async fn errors_are_in_the_form_of_the_wire() {
    let mut text = String::new();
    for wire in Wire::ALL {
        for exchange in
            [Exchange::status(400), Exchange::status(429).header("retry-after", "3"), Exchange::status(529)]
        {
            let received = answer(exchange, wire, true).await;
            text += &format!("---- {wire:?}\n{}\n", shown(&received));
        }
    }
    insta::assert_snapshot!(text);
    let page = Exchange::status(502).header("content-type", "text/html").body("<h1>bad gateway</h1>");
    let received = answer(page, Wire::Gemini, true).await;
    assert_eq!((received.status(), received.header("content-type")), (502, Some("text/html")));
    assert_eq!(received.body(), "<h1>bad gateway</h1>");
}

/// Without `alt=sse` Gemini streams the elements of an array.
#[tokio::test]
async fn gemini_streams_an_array() {
    let model = ScriptedModel::start([Exchange::text("a text of several frames")]).await.unwrap();
    let mut stream = connect(&model).await;
    write(&mut stream, "POST", "/v1beta/models/gemini-test:streamGenerateContent?key=1", "{}").await;
    let received = read(&mut stream).await;
    let frames: Vec<serde_json::Value> = serde_json::from_str(&received.body()).unwrap();
    let text: String = frames
        .iter()
        .filter_map(|frame| frame["candidates"][0]["content"]["parts"][0]["text"].as_str())
        .collect();
    assert_eq!((frames.len(), text.as_str()), (3, "a text of several frames"));
    assert_eq!(received.header("content-type"), Some("application/json; charset=UTF-8"));
}

/// Usage is a frame of its own only where it was asked for.
#[tokio::test]
async fn chat_sends_usage_if_asked() {
    let model = ScriptedModel::start([Exchange::text("a")]).await.unwrap();
    let mut stream = connect(&model).await;
    write(&mut stream, "POST", "/v1/chat/completions", r#"{"stream":true}"#).await;
    assert!(!read(&mut stream).await.body().contains("usage"));
}

#[tokio::test]
async fn any_base_url_works() {
    for wire in Wire::ALL {
        let (path, body) = request(wire, false);
        for base in ["", "/v1", "/v1beta", "/openai/v1", "/a/b/c"] {
            let model = ScriptedModel::start([Exchange::text("here")]).await.unwrap();
            let mut stream = connect(&model).await;
            write(&mut stream, "POST", &format!("{base}{path}"), &body.to_string()).await;
            let received = read(&mut stream).await;
            assert_eq!(received.status(), 200, "{base}{path}");
            assert_eq!(model.requests()[0].wire, Some(wire));
        }
    }
}
