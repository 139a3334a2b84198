//! Providers that refuse, are busy, or are not there.

use std::time::Duration;

use serde_json::json;
use snaphook_agent::driver::{Ending, Step};
use snaphook_testing::model::{Exchange, Wire};

use super::Scene;

/// The times that were waited, and how the session ended.
async fn waits(wire: Wire, script: Vec<Exchange>) -> (Vec<Option<Duration>>, Ending, usize) {
    let played = Scene::new(wire, script).play().await;
    let waits = played.steps.iter().filter_map(|step| match step {
        Step::TurnBroken { again_after, .. } => Some(*again_after),
        _ => None,
    });
    (waits.collect(), played.summary().ending, played.server.requests().len())
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_when_it_says() {
    for wire in Wire::ALL {
        for status in [429, 500, 503, 529] {
            let (without, ending, requests) =
                waits(wire, vec![Exchange::status(status), Exchange::text("hi")]).await;
            assert_eq!((ending, requests), (Ending::Completed, 2), "{wire:?} {status}");
            assert!(without[0].is_some_and(|wait| wait <= Duration::from_millis(10)), "{without:?}");
            let later = Exchange::status(status).header("retry-after", "0");
            let (with, ending, _) = waits(wire, vec![later, Exchange::text("hi")]).await;
            assert_eq!((with, ending), (vec![Some(Duration::ZERO)], Ending::Completed), "{wire:?} {status}");
        }
        let millis = Exchange::status(429).header("retry-after-ms", "3");
        assert_eq!(waits(wire, vec![millis, Exchange::text("hi")]).await.0, [Some(Duration::from_millis(3))]);
    }
}

#[tokio::test]
async fn a_provider_that_stays_busy_fails_the_session() {
    let (waited, ending, requests) = waits(Wire::OpenAiChat, vec![Exchange::status(529); 9]).await;
    assert_eq!((ending, requests), (Ending::Failed, 4));
    assert_eq!(waited.last(), Some(&None));
    // One that wants to be left alone for an hour is not waited for.
    let hour = Exchange::status(429).header("retry-after", "3600");
    assert_eq!(waits(Wire::OpenAiChat, vec![hour]).await, (vec![None], Ending::Failed, 1));
}

#[tokio::test]
async fn a_refusal_is_no_reason_to_ask_again() {
    for wire in Wire::ALL {
        for status in [400, 401, 403, 404] {
            let (waited, ending, requests) =
                waits(wire, vec![Exchange::status(status), Exchange::text("hi")]).await;
            assert_eq!((waited, ending, requests), (vec![None], Ending::Failed, 1), "{wire:?} {status}");
        }
    }
    // Unless it says so itself, or says the contrary.
    let asks = Exchange::status(400).header("x-should-retry", "true");
    assert_eq!(waits(Wire::OpenAiChat, vec![asks, Exchange::text("hi")]).await.1, Ending::Completed);
    let not = Exchange::status(500).header("x-should-retry", "false");
    assert_eq!(waits(Wire::OpenAiChat, vec![not, Exchange::text("hi")]).await.1, Ending::Failed);
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_summed_up_once() {
    let too_long = || {
        let body = json!({"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum", "type": "invalid_request_error"}});
        Exchange::status(400).body(body.to_string())
    };
    let script = [too_long(), Exchange::text("They want it to go."), Exchange::text("hi")];
    let played = Scene::new(Wire::Anthropic, script).play().await;
    assert_eq!(played.summary().ending, Ending::Completed, "{:?}", played.dropped());
    assert_eq!(
        played.told(),
        [
            "user: The conversation until here was summed up, because it filled what can be read at once:\n\nThey want it to go.",
            "assistant: hi"
        ]
    );
    let played = Scene::new(Wire::Anthropic, [too_long(), Exchange::text("Sum."), too_long()]).play().await;
    assert_eq!(played.summary().ending, Ending::Failed);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let name = snaphook_agent::model::provider::ModelName::parse("openai-chat/x").unwrap();
    let model =
        snaphook_agent::model::client::ProviderModel::new(&name, Some("http://127.0.0.1:9/v1"), None, || {
            Err::<_, &str>("none")
        });
    let request = snaphook_agent::model::Request {
        model: None,
        system: None,
        messages: vec![std::sync::Arc::new(snaphook_agent::message::Message::user("x"))],
        tools: std::sync::Arc::default(),
        max_output: None,
        temperature: None,
        whole: false,
    };
    let error = snaphook_agent::model::Model::ask(&model.unwrap(), &request, &|_| {}).await.unwrap_err();
    assert!(error.to_string().contains("onnection refused"), "{error}");
}
