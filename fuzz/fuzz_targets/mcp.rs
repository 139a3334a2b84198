//! An MCP session: what a client and a server say, in turns, as bytes. A line begins with who says it: `<` the client, `>` the server, both with a
//! line break behind it, `(` and `)` the same without one. Whatever is said, nothing that was denied reaches the server, only messages reach either side,
//! notices pass in their order as the bytes that they came as, each request has one answer, and the session ends.
#![no_main]

use std::sync::Arc;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snaphook::{
    Answer, BoxFuture, CallContext, Event, EventName, Handler, HandlerError, HandlerInfo, HookRef, Host,
    Lifecycle, Payload, Rewrite, Scope, Verdict,
};
use snaphook_mcp::pins::{PinGate, Pins, Server};
use snaphook_mcp::{ElicitationUi, Options, Proxy, run};
use snaphook_mcp_transport::{Message, MessageKind, framed};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf};

/// The longest message that the session takes.
const MAX_MESSAGE_BYTES: usize = 1024;

/// What is denied has this in its name or address.
const DENIED: &str = "deny";

/// Denies what has the word in it, rewrites the input of what has `rewrite`, and every result of that.
struct Gate(HandlerInfo);

impl Handler for Gate {
    fn info(&self) -> &HandlerInfo {
        &self.0
    }

    fn selects(&self, _: &Event, _: &CallContext) -> bool {
        true
    }

    fn handle<'a>(
        &'a self,
        event: &'a Event,
        _: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>> {
        let denied = || Answer { verdict: Verdict::Deny, reason: "no".to_owned(), ..Answer::default() };
        let answer = match (event.payload(), event.call()) {
            (Payload::Result(result), _) if result.call.native_tool.contains("rewrite") => {
                let fields = [("content".to_owned(), Value::from("other"))];
                Answer { rewrite: Some(Rewrite::Payload(fields.into_iter().collect())), ..Answer::default() }
            }
            (Payload::Result(_), _) => Answer::default(),
            (_, Some(call)) if call.native_tool.contains(DENIED) => denied(),
            (_, Some(call)) if call.native_tool.contains("rewrite") && call.input.get("new").is_none() => {
                let input = serde_json::json!({"new": 1});
                Answer { rewrite: Some(Rewrite::Input(input)), ..Answer::default() }
            }
            (Payload::Fields(fields), _) => {
                let has = |name: &str| {
                    fields.get(name).and_then(Value::as_str).is_some_and(|text| text.contains(DENIED))
                };
                if has("uri") || has("prompt") { denied() } else { Answer::default() }
            }
            _ => Answer::default(),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn host(pins: Arc<Pins>) -> Host {
    let names = ["mcp.resource_read", "mcp.prompt_get"]
        .map(|name| EventName::parse(name).unwrap_or_else(|_| panic!("{name}")));
    let events = [Lifecycle::ToolCall.into(), Lifecycle::ToolResult.into()].into_iter().chain(names);
    let hook = HookRef::new("gate", "gate", Scope::User, "gate.rs");
    let gate = |event| {
        Arc::new(Gate(HandlerInfo { hook: hook.clone(), event, line: None, file: None, matcher: None }))
    };
    let builder = Host::builder().handler(Arc::new(PinGate::new(pins, false)));
    events.fold(builder, |builder, event| builder.handler(gate(event))).build()
}

/// Who says what.
fn steps(data: &[u8]) -> Vec<(bool, Vec<u8>)> {
    let line = |line: &[u8]| {
        let (first, rest) = line.split_first()?;
        let mut bytes = rest.to_vec();
        if matches!(first, b'<' | b'>') {
            bytes.push(b'\n');
        }
        match first {
            b'<' | b'(' => Some((true, bytes)),
            b'>' | b')' => Some((false, bytes)),
            _ => None,
        }
    };
    data.split(|byte| *byte == b'\n').filter_map(line).collect()
}

async fn all(mut from: ReadHalf<DuplexStream>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes).await;
    bytes
}

/// What each side was told in the end: the client, the server.
async fn session(steps: &[(bool, Vec<u8>)]) -> (Vec<u8>, Vec<u8>) {
    let (client, client_end) = tokio::io::duplex(1 << 16);
    let (server, server_end) = tokio::io::duplex(1 << 16);
    let (from_client, to_client) = tokio::io::split(client_end);
    let (from_server, to_server) = tokio::io::split(server_end);
    let pins = Arc::new(Pins::new(None, Server { name: "server".to_owned(), target: Vec::new() }));
    let proxy = Proxy {
        host: host(Arc::clone(&pins)),
        elicitation: Arc::new(ElicitationUi::default()),
        options: Options { called: "server".to_owned(), pins: Some(pins), ..Options::default() },
    };
    let (client_side, server_side) = (
        framed(from_client, to_client, MAX_MESSAGE_BYTES),
        framed(from_server, to_server, MAX_MESSAGE_BYTES),
    );
    let session = tokio::spawn(run(proxy, client_side.transport, server_side.transport));
    let (client_hears, mut client_says) = tokio::io::split(client);
    let (server_hears, mut server_says) = tokio::io::split(server);
    let (client_heard, server_heard) = (tokio::spawn(all(client_hears)), tokio::spawn(all(server_hears)));
    for (is_client, bytes) in steps {
        let to = if *is_client { &mut client_says } else { &mut server_says };
        let _ = to.write_all(bytes).await;
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
    }
    // What is open then gets an error.
    let _ = server_says.shutdown().await;
    let _ = client_says.shutdown().await;
    let ended = session.await;
    assert!(ended.is_ok(), "the session panicked");
    (client_heard.await.unwrap_or_default(), server_heard.await.unwrap_or_default())
}

/// Frames that one side said, or was told.
struct Said {
    messages: Vec<Message>,
    /// Some were none, or may have been too long.
    has_rubbish: bool,
    has_batch: bool,
}

fn said(bytes: &[u8]) -> Said {
    let mut said = Said { messages: Vec::new(), has_rubbish: false, has_batch: false };
    for frame in bytes.split(|byte| *byte == b'\n').filter(|frame| !frame.trim_ascii().is_empty()) {
        match Message::read(frame.to_vec()) {
            Ok(message) if frame.len() + 2 < MAX_MESSAGE_BYTES => {
                said.has_batch |= *message.kind() == MessageKind::Batch;
                said.messages.push(message);
            }
            _ => said.has_rubbish = true,
        }
    }
    said
}

fn of(steps: &[(bool, Vec<u8>)], client: bool) -> Vec<u8> {
    steps.iter().filter(|(is_client, _)| *is_client == client).flat_map(|(_, bytes)| bytes.clone()).collect()
}

const CANCELLED: &str = "notifications/cancelled";

/// Notices that do not pass as they are: one of a gated method asks for something that no gate has seen.
const GATED_METHODS: &[&str] = &[CANCELLED, "tools/call", "resources/read", "prompts/get"];

/// The notices and, of the server, the requests: what passes as it is.
fn passing(messages: &[Message], requests: bool) -> Vec<&[u8]> {
    let passes = |message: &&Message| match message.kind() {
        MessageKind::Notification { method } => !GATED_METHODS.contains(&&**method),
        MessageKind::Request { .. } => requests,
        _ => false,
    };
    messages.iter().filter(passes).map(|message| &message.bytes()[..]).collect()
}

/// As a server reads it that is not strict.
fn is_denied(message: &Value) -> bool {
    let text = |key: &str| message["params"][key].as_str().is_some_and(|text| text.contains(DENIED));
    match message["method"].as_str() {
        Some("tools/call" | "prompts/get") => text("name"),
        Some("resources/read") => text("uri"),
        _ => false,
    }
}

fn check(steps: &[(bool, Vec<u8>)], to_client: &[u8], to_server: &[u8]) {
    for bytes in [to_client, to_server] {
        for frame in bytes.split(|byte| *byte == b'\n').filter(|frame| !frame.is_empty()) {
            assert!(
                Message::read(frame.to_vec()).is_ok(),
                "no message was passed on: {}",
                String::from_utf8_lossy(frame)
            );
        }
    }
    for frame in to_server.split(|byte| *byte == b'\n').filter(|frame| !frame.is_empty()) {
        let value: Value = serde_json::from_slice(frame).unwrap_or_default();
        let denied = is_denied(&value) || value.as_array().is_some_and(|parts| parts.iter().any(is_denied));
        assert!(!denied, "what was denied reached the server: {value}");
    }
    let (client, server) = (said(&of(steps, true)), said(&of(steps, false)));
    let (client_heard, server_heard) = (said(to_client), said(to_server));
    if !client.has_batch && !client.has_rubbish {
        assert_eq!(
            passing(&client.messages, false),
            passing(&server_heard.messages, false),
            "client to server"
        );
    }
    if !server.has_batch && !server.has_rubbish {
        assert_eq!(
            passing(&server.messages, true),
            passing(&client_heard.messages, true),
            "server to client"
        );
    }
    let cancels = |message: &Message| matches!(message.kind(), MessageKind::Notification { method } if &**method == CANCELLED);
    if client.has_batch || client.has_rubbish || client.messages.iter().any(cancels) {
        return;
    }
    let mut answers = Vec::new();
    for message in &client_heard.messages {
        let parts = message.parts();
        let all = std::iter::once(message).chain(parts.iter().flatten());
        answers.extend(all.filter_map(|message| match message.kind() {
            MessageKind::Response { id: Some(id), .. } => Some(id.clone()),
            _ => None,
        }));
    }
    let id = |message: &Message| match message.kind() {
        MessageKind::Request { id, .. } => Some(id.clone()),
        _ => None,
    };
    let ids: Vec<_> = client.messages.iter().filter_map(id).collect();
    for id in &ids {
        let asked = ids.iter().filter(|other| *other == id).count();
        let answered = answers.iter().filter(|other| *other == id).count();
        assert_eq!(asked, answered, "answers to {id}");
    }
}

fuzz_target!(|data: &[u8]| {
    let steps = steps(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    let ended =
        runtime.block_on(async { tokio::time::timeout(Duration::from_secs(5), session(&steps)).await });
    let Ok((to_client, to_server)) = ended else { panic!("the session does not end") };
    check(&steps, &to_client, &to_server);
    runtime.shutdown_background();
});
