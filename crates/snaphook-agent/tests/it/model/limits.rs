//! The bounds of a session, and its interruption.

use std::time::Duration;

use snaphook_agent::driver::{Ending, Limit, Step};
use snaphook_agent::model::driver::ModelLimits;
use snaphook_testing::model::{Call, Exchange, Wire};

use super::{Interrupt, Scene, runs};

/// Answers that never come to an end.
fn endless() -> Vec<Exchange> {
    let call = || Call::new("bash", runs("x"));
    (0..40).map(|_| Exchange::calls([call(), call()])).collect()
}

#[tokio::test]
async fn a_session_ends_at_each_of_its_limits() {
    let none = ModelLimits::default();
    // Limits, the one that ends it, turns, and calls that ran.
    let cases = [
        (ModelLimits { turns: Some(3), ..none }, Limit::Turns, 3, 6),
        (ModelLimits { tokens: Some(100), ..none }, Limit::Tokens, 3, 6),
        (ModelLimits { calls: Some(4), ..none }, Limit::Calls, 2, 4),
        // A turn that would go over it does not run in part.
        (ModelLimits { calls: Some(3), ..none }, Limit::Calls, 2, 2),
    ];
    for (limits, limit, turns, ran) in cases {
        let mut scene = Scene::new(Wire::OpenAiChat, endless());
        scene.options.limits = limits;
        let played = scene.play().await;
        let summary = played.summary();
        assert_eq!((summary.ending, summary.limit), (Ending::Limit, Some(limit)));
        assert_eq!((summary.turns, played.ran().lines().count()), (turns, ran), "{limit:?}");
        // Every call has its answer, so that the session can be gone on with.
        let messages = snaphook_agent::message::to_json(&played.driven.messages);
        snaphook_agent::message::from_json(messages).unwrap();
    }
}

#[tokio::test]
async fn tokens_are_estimated_where_the_provider_does_not_tell() {
    let script = endless().into_iter().map(Exchange::without_usage);
    let mut scene = Scene::new(Wire::OpenAiChat, script);
    scene.options.limits.tokens = Some(200);
    assert_eq!(scene.play().await.summary().limit, Some(Limit::Tokens));
}

#[tokio::test]
async fn a_session_ends_when_its_time_is_over() {
    let script = vec![Exchange::text("x").hold("never")];
    let mut scene = Scene::new(Wire::OpenAiChat, script);
    scene.plan = Box::new(|plan| plan.timeout = Some(Duration::from_millis(50)));
    let played = scene.play().await;
    assert_eq!((played.summary().ending, played.summary().limit), (Ending::Limit, Some(Limit::Time)));
}

/// In the midst of an answer, while it is waited for, and while a tool runs: it ends at once, and the closing events come.
#[tokio::test]
async fn an_interruption_ends_whatever_runs() {
    let tool = Call::new("bash", serde_json::json!({"command": "echo begun > ran; sleep 600"}));
    let places = [
        (Interrupt::AtGate("gate"), Exchange::text("x").hold("gate")),
        (Interrupt::AtGate("gate"), Exchange::text("one two three").pause(3, "gate")),
        (Interrupt::WhenRan, Exchange::calls([tool])),
    ];
    for (interrupt, exchange) in places {
        let scene = Scene { interrupt, ..Scene::new(Wire::Anthropic, [exchange]) };
        let played = scene.play().await;
        assert_eq!(played.summary().ending, Ending::Interrupted, "{interrupt:?}");
        assert!(matches!(played.steps.last(), Some(Step::Ended(_))), "{interrupt:?}");
        assert_eq!(played.ran().is_empty(), interrupt != Interrupt::WhenRan);
    }
}
