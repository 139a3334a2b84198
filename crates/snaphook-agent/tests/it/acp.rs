//! An ACP agent that is played here, driven through the proxy and the gates of a host.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use snaphook::{
    Answer, CancellationToken, HandlerInfo, HookRef, Host, Lifecycle, Scope, Verdict, handler_fn,
};
use snaphook_agent::acp::{AcpAgent, StartError};
use snaphook_agent::driver::{DriveError, DrivePlan, Listed, Step, Summary, drive};
use snaphook_agent::tools::Workspace;
use snaphook_mcp_transport::message::{Id, Message, MessageKind};
use snaphook_mcp_transport::transport::{Incoming, Transport, TransportDriver, channel};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::env;

/// Far longer than anything here takes.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// What an agent does for a prompt: it asks for each of these, one after the other, and ends its turn.
type Script = &'static [(&'static str, &'static str)];

const FOR_ONCE: &str =
    r#"[{"optionId":"y","name":"Y","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_once"}]"#;

/// An agent that does the next script for each prompt, and keeps what it hears.
async fn agent(
    mut side: TransportDriver,
    scripts: Vec<Script>,
    stop: &'static str,
    heard: mpsc::UnboundedSender<String>,
) {
    let mut scripts = scripts.into_iter();
    while let Some(message) = side.outgoing.recv().await {
        let MessageKind::Request { id, method } = message.kind().clone() else {
            let _ = heard.send(String::from_utf8_lossy(message.bytes()).into_owned());
            continue;
        };
        let params: Value = serde_json::from_str(message.body().unwrap()).unwrap();
        let result = match &*method {
            "initialize" => json!({"protocolVersion": 1, "agentInfo": {"name": "played", "version": "1"}}),
            "session/new" if stop == "sign in" => {
                let error = Message::error(Some(&id), -32000, "Authentication required");
                say(&side.incoming, error).await;
                continue;
            }
            "session/new" => json!({"sessionId": "s"}),
            _ => {
                let texts: Vec<_> = params["prompt"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|block| block["text"].as_str().unwrap())
                    .collect();
                let _ = heard.send(format!("prompt: {}", texts.join(" | ")));
                for (method, params) in scripts.next().unwrap_or_default() {
                    if *method == "die" {
                        return;
                    }
                    if *method == "wait" {
                        // For the cancellation.
                        let cancelled = side.outgoing.recv().await.unwrap();
                        let _ = heard.send(String::from_utf8_lossy(cancelled.bytes()).into_owned());
                        continue;
                    }
                    let params = params.replace("OPTIONS", FOR_ONCE);
                    let params: Value = serde_json::from_str(&params).unwrap();
                    if *method == "session/update" {
                        say(&side.incoming, Message::notification(method, &params)).await;
                        continue;
                    }
                    say(&side.incoming, Message::request(&Id::text("a"), method, &params)).await;
                    let answer = side.outgoing.recv().await.unwrap();
                    let _ = heard.send(answer.body().unwrap().to_owned());
                }
                json!({"stopReason": stop})
            }
        };
        say(&side.incoming, Message::result(&id, &result)).await;
    }
}

async fn say(to: &mpsc::Sender<Incoming>, message: Message) {
    // As it would come from a pipe.
    let message = Message::read(message.bytes().clone()).unwrap();
    let _ = to.send(Incoming::Message(message)).await;
}

/// A host that denies what contains `no`, and rewrites writes of `old`.
fn host() -> Host {
    let hook = HookRef::new("h", "h", Scope::User, "h.rs");
    let gate = handler_fn(HandlerInfo::new(hook, Lifecycle::ToolCall), |event, _| async move {
        let call = event.call().unwrap();
        let about = call.command().or_else(|| call.content()).unwrap_or_default().into_owned();
        let verdict = if about.contains("no") { Verdict::Deny } else { Verdict::Abstain };
        let terminate = about.contains("no more");
        Ok(Answer { verdict, reason: "not this".into(), terminate, ..Answer::default() })
    });
    Host::builder().handler(gate).build()
}

/// What happened: what the agent heard, the steps, and the end.
struct Played {
    heard: Vec<String>,
    steps: Vec<String>,
    summary: Result<Summary, DriveError>,
}

async fn play(
    scripts: Vec<Script>,
    stop: &'static str,
    prompts: &[&str],
    cancels: bool,
) -> Result<Played, StartError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "1\n2\n").unwrap();
    let workspace = Arc::new(Workspace::new(folder.path()).unwrap());
    let (transport, side): (Transport, TransportDriver) = channel();
    let (tell, mut heard) = mpsc::unbounded_channel();
    let playing = tokio::spawn(agent(side, scripts, stop, tell));
    let host = host();
    let mut driver = AcpAgent::start(host.clone(), Arc::clone(&workspace), env(), transport).await?;
    assert_eq!(driver.info().name.as_deref(), Some("played 1"));
    let cancel = CancellationToken::new();
    let plan = DrivePlan { cancel: cancel.clone(), ..DrivePlan::new("session", "played", workspace) };
    let mut steps = Vec::new();
    let mut observer = |step: &Step| {
        match step {
            Step::CallDecided { call, decision } => {
                steps.push(format!("{} {:?}", call.tool, decision.verdict).to_lowercase())
            }
            Step::AssistantText { text, .. } => steps.push(format!("text: {text}")),
            Step::Notice { text } => steps.push(format!("note: {text}")),
            Step::AgentFailed { error } => steps.push(format!("failed: {error}")),
            _ => {}
        }
        if cancels && matches!(step, Step::TextDelta { .. }) {
            cancel.cancel();
        }
    };
    let prompts = prompts.iter().map(|prompt| (*prompt).to_owned()).collect();
    let mut prompts = Listed::new(prompts);
    let driving = drive(&host, &mut driver, &mut prompts, &plan, Vec::new(), &mut observer);
    let driven = timeout(TEST_TIMEOUT, driving).await.unwrap();
    drop(driver);
    timeout(TEST_TIMEOUT, playing).await.unwrap().unwrap();
    let mut all = Vec::new();
    while let Some(text) = heard.recv().await {
        all.push(text);
    }
    Ok(Played { heard: all, steps, summary: driven.summary })
}

const TEXT: (&str, &str) = (
    "session/update",
    r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}}"#,
);

const DENIED: (&str, &str) = (
    "session/request_permission",
    r#"{"sessionId":"s","toolCall":{"toolCallId":"c","title":"T","kind":"execute","rawInput":{"command":"no"}},"options":OPTIONS}"#,
);

#[tokio::test]
async fn requests_of_an_agent_pass_the_gates_and_are_served() {
    const SCRIPT: Script = &[
        TEXT,
        (
            "session/request_permission",
            r#"{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls"}},"options":OPTIONS}"#,
        ),
        ("fs/read_text_file", r#"{"sessionId":"s","path":"a","line":2}"#),
        ("fs/read_text_file", r#"{"sessionId":"s","path":"../b"}"#),
        ("fs/write_text_file", r#"{"sessionId":"s","path":"b","content":"new"}"#),
        ("fs/read_text_file", r#"{"sessionId":"s","path":"b"}"#),
        ("fs/write_text_file", r#"{"sessionId":"s","path":"b","content":"no"}"#),
        ("terminal/create", r#"{"sessionId":"s","command":"echo out; echo err >&2; exit 3"}"#),
        ("terminal/wait_for_exit", r#"{"sessionId":"s","terminalId":"terminal-1"}"#),
        ("terminal/output", r#"{"sessionId":"s","terminalId":"terminal-1"}"#),
        ("terminal/create", r#"{"sessionId":"s","command":"sleep","args":["600"]}"#),
        ("terminal/kill", r#"{"sessionId":"s","terminalId":"terminal-2"}"#),
        ("terminal/release", r#"{"sessionId":"s","terminalId":"terminal-2"}"#),
        ("terminal/output", r#"{"sessionId":"s","terminalId":"terminal-2"}"#),
        ("terminal/create", r#"{"sessionId":"s","command":"ls","cwd":"/"}"#),
    ];
    let played = play(vec![SCRIPT, &[]], "end_turn", &["one", "two"], false).await.unwrap();
    let selected = |option: &str| format!(r#"{{"outcome":{{"optionId":"{option}","outcome":"selected"}}}}"#);
    let plain = |text: &str| {
        serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| value.to_string())
    };
    let heard: Vec<_> = played.heard.iter().map(|text| plain(text)).collect();
    let error = |code: i64, text: &str| plain(&format!(r#"{{"code":{code},"message":"{text}"}}"#));
    let told = "Snaphook denied `fs/write_text_file` of b: not this [h at h.rs]";
    assert_eq!(
        heard,
        [
            "prompt: one".to_owned(),
            plain(
                &selected("y").replace(
                    r#""optionId":"y","outcome":"selected""#,
                    r#""outcome":"selected","optionId":"y""#
                )
            ),
            plain(r#"{"content":"2\n"}"#),
            error(-32001, "../b is outside the session's scratch project"),
            plain("{}"),
            plain(r#"{"content":"new"}"#),
            error(-32050, "denied by snaphook: not this [h at h.rs]"),
            plain(r#"{"terminalId":"terminal-1"}"#),
            plain(r#"{"exitCode":3,"signal":null}"#),
            plain(r#"{"output":"out\nerr\n","truncated":false,"exitStatus":{"exitCode":3,"signal":null}}"#),
            plain(r#"{"terminalId":"terminal-2"}"#),
            plain("{}"),
            plain("{}"),
            error(-32001, "there is no terminal terminal-2"),
            error(-32001, "/ is outside the session's scratch project"),
            format!(
                "prompt: Tool calls of yours were denied by hooks, not by a person; the reasons are below. Go on with the task without them, or say what keeps you from it. | {told}"
            ),
            "prompt: two".to_owned(),
        ]
    );
    let decided: Vec<_> = played.steps.iter().map(String::as_str).collect();
    assert_eq!(
        decided,
        [
            "bash abstain",
            "read abstain",
            "read abstain",
            "write abstain",
            "read abstain",
            "write deny",
            "bash abstain",
            "bash abstain",
            "bash abstain",
            "note: the agent is told why calls were denied",
            "text: hello",
        ]
    );
    let summary = played.summary.unwrap();
    assert_eq!((summary.prompts, summary.calls, summary.denied), (2, 9, 1));
}

#[tokio::test]
async fn a_denial_does_not_end_a_session_even_if_the_agent_ends_its_turn_over_it() {
    for (stop, prompts, failed) in [("end_turn", 2, false), ("cancelled", 4, true), ("refusal", 1, true)] {
        let scripts = match stop {
            "cancelled" => vec![&[DENIED] as Script, &[DENIED], &[DENIED], &[DENIED]],
            _ => vec![&[DENIED] as Script],
        };
        let played = play(scripts, stop, &["one"], false).await.unwrap();
        let texts: Vec<_> = played.heard.iter().filter(|text| text.starts_with("prompt: ")).collect();
        assert_eq!(texts.len(), prompts, "{stop}: {:?}", played.heard);
        for text in texts.iter().skip(1) {
            assert!(text.ends_with(r#"| Snaphook denied the call "T": not this [h at h.rs]"#), "{text}");
        }
        assert_eq!(
            played.steps.iter().any(|step| step.starts_with("failed: ")),
            failed,
            "{stop}: {:?}",
            played.steps
        );
    }
}

#[tokio::test]
async fn a_denial_can_end_the_session() {
    const SCRIPT: Script = &[
        (
            "session/request_permission",
            r#"{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"no more"}},"options":OPTIONS}"#,
        ),
        ("wait", ""),
    ];
    let played = play(vec![SCRIPT], "cancelled", &["one", "two"], false).await.unwrap();
    let cancelled = played.heard.last().unwrap();
    assert!(cancelled.contains("session/cancel") && played.heard.len() == 3, "{:?}", played.heard);
    assert_eq!(played.summary.unwrap().ending, snaphook_agent::driver::Ending::Terminated);
}

#[tokio::test]
async fn an_interruption_cancels_the_turn() {
    const SCRIPT: Script = &[TEXT, ("wait", "")];
    let played = play(vec![SCRIPT], "cancelled", &["one", "two"], true).await.unwrap();
    assert_eq!(
        played.heard,
        ["prompt: one", r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#]
    );
    assert_eq!(played.summary.unwrap().ending, snaphook_agent::driver::Ending::Interrupted);
}

#[tokio::test]
async fn an_agent_that_dies_or_wants_a_sign_in_is_said_to() {
    let played = play(vec![&[TEXT, ("die", "")]], "end_turn", &["one"], false).await.unwrap();
    assert!(
        played.steps.iter().any(|step| step
            .starts_with("failed: the agent answered `session/prompt` with an error: the agent is gone")),
        "{:?}",
        played.steps
    );
    let Err(error) = play(Vec::new(), "sign in", &["one"], false).await else { panic!("it began") };
    assert!(error.to_string().contains("sign in with the agent's own command first"), "{error}");
}
