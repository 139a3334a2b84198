//! Sessions that are written down, and gone on with after any end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use snaphook_agent::driver::{Ending, Listed, Recorder as _};
use snaphook_agent::message::{Continuation, Message, MessageCall};
use snaphook_agent::replay::Recording;
use snaphook_agent::sessions::{NewSession, SessionFile, find, list, resume};
use snaphook_testing::model::{Call, Exchange, Wire};
use tempfile::TempDir;

use super::{Interrupt, Scene, runs};

fn begin(state: &Path, id: &str) -> SessionFile {
    let new = NewSession {
        id: id.to_owned(),
        model: "openai-chat/test-1".to_owned(),
        base_url: None,
        folder: PathBuf::from("/somewhere"),
        began: "2026-01-01T00:00:00Z".to_owned(),
    };
    SessionFile::begin(state, new).unwrap()
}

fn written(file: SessionFile) -> Scene {
    let mut scene = Scene::new(Wire::OpenAiChat, []);
    scene.plan = Box::new(move |plan| plan.recorder = Some(Arc::new(file)));
    scene
}

#[tokio::test]
async fn what_was_said_is_in_the_file_and_the_session_goes_on() {
    let state = TempDir::new().unwrap();
    let script =
        vec![Exchange::text("I look.").and_call(Call::new("bash", runs("one"))), Exchange::text("Done.")];
    let scene = Scene { script, ..written(begin(state.path(), "s1")) };
    let played = scene.play().await;
    let said = played.driven.messages.clone();
    let path = find(state.path(), Some("s1"), Path::new("/")).unwrap().path;
    let resumed = resume(&path).unwrap();
    assert_eq!(resumed.messages, said);
    assert_eq!((resumed.model.as_str(), resumed.interrupted_calls), ("openai-chat/test-1", 0));
    // Two at once would write into each other.
    assert!(resume(&path).unwrap_err().to_string().contains("is open in another process"));

    let mut scene = Scene { script: vec![Exchange::text("More.")], ..written(resumed.file) };
    scene.messages = resumed.messages;
    scene.prompts = Box::new(Listed::new(vec!["and now?".to_owned()]));
    let played = scene.play().await;
    assert_eq!(
        played.told(),
        [
            "user: go",
            "assistant: I look. call_1=bash {\"command\":\"echo one >> ran\"}",
            "call_1: ",
            "assistant: Done.",
            "user: and now?",
            "assistant: More."
        ]
    );
    // The model gets all of it.
    assert!(played.server.requests()[0].body.to_string().contains("I look."));
    // The file is a recording.
    let recording = Recording::load(&path).unwrap();
    assert_eq!(
        recording.prompts.iter().map(|prompt| prompt.text.as_str()).collect::<Vec<_>>(),
        ["go", "and now?"]
    );
}

/// Cut at every byte: what is whole counts, and no call that began runs again.
#[test]
fn a_session_can_be_gone_on_with_from_any_place() {
    let state = TempDir::new().unwrap();
    let file = begin(state.path(), "s2");
    let call = |id: &str| MessageCall {
        id: id.to_owned(),
        tool: "bash".to_owned(),
        input: json!({}),
        signatures: Vec::new(),
    };
    file.message(&Message::user("go"), None).unwrap();
    file.message(
        &Message::assistant("ä", vec![call("call_1"), call("call_2")], Continuation::default()),
        None,
    )
    .unwrap();
    file.started("call_1").unwrap();
    file.message(&Message::tool("call_1", "x", false), None).unwrap();
    file.compacted("all of it").unwrap();
    file.message(&Message::user("more"), None).unwrap();
    let path = file.path().to_owned();
    drop(file);
    let whole = std::fs::read(&path).unwrap();
    let mut ends = std::collections::BTreeSet::new();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let resumed = resume(&path).unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
        let results: Vec<String> = resumed
            .messages
            .iter()
            .filter_map(|message| match message {
                Message::Tool { call_id, content, .. } => {
                    Some(format!("{call_id}: {}", content.split('.').next().unwrap()))
                }
                _ => None,
            })
            .collect();
        ends.insert(format!("{} {}", resumed.messages.len(), results.join(", ")));
        drop(resumed);
        // What was found missing is in the file now: the second time it is the same.
        let again = resume(&path).unwrap();
        assert_eq!(again.interrupted_calls, 0, "cut at {cut}");
    }
    let running = "The session was interrupted while this call ran: it may have run in part or as a whole";
    let before = "The session was interrupted before this call ran: it did not run";
    assert_eq!(
        ends.into_iter().collect::<Vec<_>>(),
        [
            "0 ".to_owned(),
            "1 ".to_owned(),
            "2 ".to_owned(),
            format!("4 call_1: {before}, call_2: {before}"),
            format!("4 call_1: {running}, call_2: {before}"),
            format!("4 call_1: x, call_2: {before}"),
        ]
    );
}

#[tokio::test]
async fn a_call_that_was_interrupted_does_not_run_again() {
    let state = TempDir::new().unwrap();
    let tool = Call::new("bash", json!({"command": "echo begun >> ran; sleep 600"}));
    let scene = Scene {
        script: vec![Exchange::calls([tool])],
        interrupt: Interrupt::WhenRan,
        ..written(begin(state.path(), "s3"))
    };
    assert_eq!(scene.play().await.summary().ending, Ending::Interrupted);
    let text = std::fs::read_to_string(state.path().join("runs/s3.jsonl")).unwrap();
    assert!(text.contains("\"started\""), "{text}");
    let resumed = resume(&state.path().join("runs/s3.jsonl")).unwrap();
    let mut scene = Scene { script: vec![Exchange::text("I see.")], ..written(resumed.file) };
    scene.messages = resumed.messages;
    let played = scene.play().await;
    assert_eq!(played.ran(), "");
}

#[test]
fn sessions_are_found_by_the_beginning_of_their_id() {
    let state = TempDir::new().unwrap();
    for id in ["20260101-a", "20260101-b", "20260202-c"] {
        let file = begin(state.path(), id);
        file.message(&Message::user(format!("task of {id}")), None).unwrap();
    }
    let here = Path::new("/somewhere");
    assert_eq!(list(state.path()).len(), 3);
    assert_eq!(find(state.path(), Some("20260202"), here).unwrap().prompt, "task of 20260202-c");
    let error =
        |id: Option<&str>, folder: &str| find(state.path(), id, Path::new(folder)).unwrap_err().to_string();
    assert!(error(Some("20260101"), "/").starts_with("several sessions begin with 20260101: "));
    assert_eq!(error(Some("x"), "/"), "there is no session x; `snaphook sessions` lists them");
    assert_eq!(error(None, "/elsewhere"), "there is no session of this project to go on with");
    assert!(find(state.path(), None, here).is_ok());
    // What is no session is said to be none, and hides no other.
    std::fs::write(state.path().join("runs/odd.jsonl"), "x").unwrap();
    assert_eq!(list(state.path()).iter().filter(|session| session.broken).count(), 1);
}
