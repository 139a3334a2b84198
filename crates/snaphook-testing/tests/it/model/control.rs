//! What a test sees of a scripted model, and what it decides while an answer is sent.

use serde_json::json;
use snaphook_testing::model::{Delivery, Exchange, Fault, ModelError, ScriptedModel, Wire};
use tokio::io::AsyncWriteExt;

use super::client::{connect, read, read_until, request, send, write};

#[tokio::test]
async fn requests_are_kept_in_order() {
    let model = ScriptedModel::start([Exchange::text("a"), Exchange::text("b")]).await.unwrap();
    let mut stream = connect(&model).await;
    write(&mut stream, "POST", "/openai/v1/chat/completions?x=1", r#"{"model":"m","stream":true}"#).await;
    read(&mut stream).await;
    let mut stream = connect(&model).await;
    write(&mut stream, "GET", "/v1/models", "").await;
    assert_eq!(read(&mut stream).await.status(), 404);
    read(&mut send(&model, Wire::Gemini, false).await).await;
    let requests = model.requests();
    let short: Vec<_> =
        requests.iter().map(|one| (one.method.as_str(), one.path.as_str(), one.wire)).collect();
    assert_eq!(
        short,
        [
            ("POST", "/openai/v1/chat/completions", Some(Wire::OpenAiChat)),
            ("GET", "/v1/models", None),
            ("POST", "/v1beta/models/gemini-test:generateContent", Some(Wire::Gemini)),
        ]
    );
    let first = &requests[0];
    assert_eq!((first.query.as_deref(), first.streamed), (Some("x=1"), true));
    assert_eq!(first.body, json!({ "model": "m", "stream": true }));
    assert_eq!((first.header("host"), first.header("x-test")), (Some("model.test"), Some("ä")));
    assert_eq!(first.header("x-other"), None);
    assert_eq!(serde_json::to_value(first).unwrap()["wire"], "openai_chat");
    assert_eq!(model.request(2).await, requests[2]);
    assert_eq!(model.remaining(), 0);
}

#[tokio::test]
async fn a_script_that_is_used_up_says_so() {
    for wire in Wire::ALL {
        let model = ScriptedModel::start([Exchange::text("only one")]).await.unwrap();
        assert_eq!(read(&mut send(&model, wire, true).await).await.status(), 200);
        let received = read(&mut send(&model, wire, true).await).await;
        assert_eq!(received.status(), 500);
        assert!(received.body().contains("the script is used up: it has 1 exchanges, and this is request 2"));
        model.push(Exchange::text("more"));
        assert_eq!(read(&mut send(&model, wire, true).await).await.status(), 200);
    }
}

#[tokio::test]
async fn a_pause_ends_when_the_test_says_so() {
    for wire in Wire::ALL {
        let model =
            ScriptedModel::start([Exchange::text("a text of several frames").pause(1, "go")]).await.unwrap();
        let mut stream = send(&model, wire, true).await;
        model.reached("go").await;
        let end = if wire == Wire::Gemini { "\r\n\r\n\r\n" } else { "\n\n\r\n" };
        let begun = read_until(&mut stream, Some(end)).await;
        assert_eq!((begun.chunks().0.len(), begun.is_complete()), (1, false), "{wire:?}");
        model.release("go");
        let rest = read(&mut stream).await;
        assert_eq!(rest.error, None);
        assert_eq!(model.delivery(0).await, Delivery::Sent);
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_is_noted() {
    let faults = [Fault::Pause { after: 1, gate: "go".into() }, Fault::Hold { gate: "go".into() }];
    for (fault, streamed) in faults.iter().flat_map(|fault| [(fault, true), (fault, false)]) {
        for wire in Wire::ALL {
            let model = ScriptedModel::start([Exchange::text("a text").fault(fault.clone())]).await.unwrap();
            let stream = send(&model, wire, streamed).await;
            model.reached("go").await;
            drop(stream);
            assert_eq!(model.delivery(0).await, Delivery::HungUp, "{fault:?} {wire:?}");
        }
    }
}

#[tokio::test]
async fn connections_are_independent() {
    let held = Exchange::text("first").hold("go");
    let model =
        ScriptedModel::start([held, Exchange::text("second"), Exchange::text("third")]).await.unwrap();
    let mut first = send(&model, Wire::OpenAiChat, false).await;
    model.reached("go").await;
    assert!(read(&mut send(&model, Wire::OpenAiChat, false).await).await.body().contains("second"));
    model.release("go");
    assert!(read(&mut first).await.body().contains("first"));
    // Two requests on one connection, of which the second waits for the first answer.
    model.push(Exchange::text("fourth"));
    let (path, body) = request(Wire::OpenAiChat, false);
    let body = body.to_string();
    let mut stream = connect(&model).await;
    let head = format!("POST /v1{path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    assert!(String::from_utf8(read_until(&mut stream, Some("third")).await.rest).unwrap().contains("third"));
    write(&mut stream, "POST", &format!("/v1{path}"), &body).await;
    assert!(String::from_utf8(read(&mut stream).await.rest).unwrap().contains("fourth"));
}

#[tokio::test]
async fn a_script_is_data() {
    let script = json!([
        { "parts": [{ "text": "hi" }, { "call": { "name": "bash", "arguments": { "command": "ls" }, "id": "one" } }] },
        { "parts": [{ "call": { "name": "bash", "arguments": "{", "form": "text" } }], "stop": "end", "usage": null },
        { "stop": { "other": "x" }, "usage": { "input": 1, "output": 2, "cached": 1 } },
        { "status": 429, "headers": [["retry-after", "1"]], "body": "slow down" },
        { "faults": [
            "no_ids", "comments", "no_space", "many_lines",
            { "index": "missing" }, { "index": { "plus": 1 } }, { "index": { "same": 0 } },
            { "replace": { "at": 0, "raw": "" } }, { "insert": { "at": -1, "raw": "" } },
            { "remove": { "at": 0 } }, { "repeat": { "at": 0 } }, { "error": { "after": 1, "status": 500 } },
            { "line_ends": "crlf" }, { "split_at": [1] }, { "split_inside": "é" }, { "split_every": 1 },
            { "cut": { "after": 1, "bytes": 3, "how": "reset" } }, { "cut": { "after": 1, "how": "clean" } },
            { "no_answer": "close" }, { "pause": { "after": 1, "gate": "a" } }, { "hold": { "gate": "a" } },
            { "endless": { "after": 1 } }, { "endless": { "after": 1, "raw": "x" } },
        ] },
    ]);
    let exchanges: Vec<Exchange> = serde_json::from_value(script.clone()).unwrap();
    let again: Vec<Exchange> = serde_json::from_str(&serde_json::to_string(&exchanges).unwrap()).unwrap();
    assert_eq!(exchanges, again);
    let model = ScriptedModel::from_json(&script.to_string()).await.unwrap();
    assert_eq!(model.remaining(), 5);
    for wrong in ["{}", r#"[{"part": []}]"#, r#"[{"faults": ["crlf"]}]"#] {
        assert!(matches!(ScriptedModel::from_json(wrong).await, Err(ModelError::Script(_))), "{wrong}");
    }
}
