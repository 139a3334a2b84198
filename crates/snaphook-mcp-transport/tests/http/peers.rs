//! Both sides with the protocol's own SDK as peer: its client speaks to our server, behind which our client speaks to its server.

use std::sync::{Arc, Mutex};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData, Implementation, JsonObject,
    ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, RoleServer, ServerHandler};
use serde_json::{Value, json};
use snaphook_mcp_transport::http::client::Client;
use snaphook_mcp_transport::http::server::{Backend, Options};
use snaphook_mcp_transport::transport::{Incoming, Transport, channel};
use snaphook_mcp_transport::{Message, MessageKind};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::{Facing, Serving, no_tls, soon};

/// A server of the SDK.
#[derive(Clone)]
struct Peer;

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let text = match &*request.name {
            "echo" => arguments.to_string(),
            "big" => "x".repeat(10 << 20),
            "progress" => {
                let token = context.meta.get_progress_token().expect("a token");
                for n in 1..=5 {
                    let progress = ProgressNotificationParam::new(token.clone(), f64::from(n));
                    context.peer.notify_progress(progress).await.unwrap();
                }
                "done".to_owned()
            }
            "ask" => {
                let asked = json!({
                    "mode": "form",
                    "message": "your name?",
                    "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } }
                });
                let asked = serde_json::from_value::<ElicitRequestParams>(asked).unwrap();
                let said: ElicitResult = context.peer.create_elicitation(asked).await.unwrap();
                serde_json::to_string(&said).unwrap()
            }
            _ => return Ok(CallToolResult::error(vec![ContentBlock::text("no such tool")]).into()),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// The SDK's server at an address of this machine.
async fn peer(json_response: bool, sessions: bool) -> String {
    let config = StreamableHttpServerConfig::default()
        .with_json_response(json_response)
        .with_legacy_session_mode(sessions);
    let service = StreamableHttpService::new(|| Ok(Peer), Arc::new(LocalSessionManager::default()), config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(async move {
                drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
            });
        }
    });
    format!("http://{address}/mcp")
}

/// A client of the SDK.
#[derive(Clone, Default)]
struct Person {
    progress: Arc<Mutex<Vec<f64>>>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::builder().enable_elicitation().build(),
            Implementation::new("person", "1"),
        )
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push(params.progress);
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let mut said = ElicitResult::new(ElicitationAction::Accept);
        said.content = Some(json!({ "name": "Ada" }));
        Ok(said)
    }
}

/// Our server, and behind each session our client for the server at `url`.
async fn between(url: String) -> Serving {
    let backend: Backend = Arc::new(move |mut person| {
        let client = Client::new(&url, &[], no_tls).unwrap();
        Box::pin(async move {
            let (Transport { mut incoming, outgoing }, driver) = channel();
            let mut outgoing = Some(outgoing);
            let running = tokio::spawn(client.run(driver, CancellationToken::new()));
            loop {
                tokio::select! {
                    said = person.incoming.recv(), if outgoing.is_some() => match (said, &outgoing) {
                        (Some(Incoming::Message(message)), Some(to)) => to.send(message).await.unwrap(),
                        (Some(Incoming::Invalid(error)), _) => panic!("{error}"),
                        (None, _) | (_, None) => outgoing = None,
                    },
                    said = incoming.recv() => match said {
                        Some(Incoming::Message(message)) => drop(person.outgoing.send(message).await),
                        Some(Incoming::Invalid(error)) => panic!("{error}"),
                        None => break,
                    },
                }
            }
            running.await.unwrap();
        })
    });
    Serving::start(backend, Options::default()).await
}

async fn person(url: &str, mode: ClientLifecycleMode) -> (Person, RunningService<RoleClient, Person>) {
    let http = reqwest::Client::builder().tls_backend_preconfigured(no_tls().unwrap()).no_proxy();
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::with_client(http.build().unwrap(), config);
    let person = Person::default();
    let running = soon(person.clone().serve_with_lifecycle(transport, mode)).await.unwrap();
    (person, running)
}

async fn call(client: &RunningService<RoleClient, Person>, name: &'static str, arguments: Value) -> String {
    let arguments: JsonObject = serde_json::from_value(arguments).unwrap();
    let result =
        soon(client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments))).await.unwrap();
    let text = result.content.first().and_then(|block| Some(block.as_text()?.text.clone()));
    text.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sdks_client_and_server_hear_each_other_through_ours() {
    for (json_response, sessions) in [(false, true), (true, false), (false, false)] {
        let serving = between(peer(json_response, sessions).await).await;
        let (person, client) = person(&serving.url, ClientLifecycleMode::Initialize).await;
        assert_eq!(call(&client, "echo", json!({ "a": 1.5, "é": [] })).await, r#"{"a":1.5,"é":[]}"#);
        assert_eq!(call(&client, "no", json!({})).await, "no such tool");
        assert_eq!(call(&client, "big", json!({})).await.len(), 10 << 20);
        let calls = (0..100).map(|n| {
            let client = &client;
            async move {
                let said = call(client, "echo", json!({ "n": n })).await;
                assert_eq!(said, format!(r#"{{"n":{n}}}"#));
            }
        });
        futures_util::future::join_all(calls).await;
        assert_eq!(call(&client, "progress", json!({})).await, "done");
        soon(async {
            while person.progress.lock().unwrap().len() < 5 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        // The SDK handles each on a task of its own, so their order is not to be seen here.
        let mut progress = std::mem::take(&mut *person.progress.lock().unwrap());
        progress.sort_by(f64::total_cmp);
        assert_eq!(progress, [1.0, 2.0, 3.0, 4.0, 5.0]);
        if sessions {
            let said = call(&client, "ask", json!({})).await;
            assert!(said.contains("accept") && said.contains("Ada"), "{said}");
        }
        soon(client.cancel()).await.unwrap();
        drop(serving.stop);
        soon(serving.running).await.unwrap();
    }
}

/// The newest protocol has no sessions: our client passes its messages on to a server that knows it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_without_a_session_reach_a_server_that_has_none() {
    let mut facing = Facing::start(&peer(false, true).await, &[]);
    let ask = |id: u32, method: &str, more: &str| {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"p","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":{meta}{more}}}}}"#)
    };
    facing.says(&ask(1, "server/discover", "")).await;
    let said = facing.hears().await;
    assert!(said.contains(r#""supportedVersions""#), "{said}");
    facing.says(&ask(2, "tools/call", r#","name":"echo","arguments":{"a":1}"#)).await;
    let said = facing.hears().await;
    assert!(said.contains(r#"{\"a\":1}"#), "{said}");
}

fn newest() -> Vec<ProtocolVersion> {
    vec![ProtocolVersion::V_2026_07_28]
}

fn version(client: &RunningService<RoleClient, Person>) -> ProtocolVersion {
    client.peer_info().unwrap().protocol_version.clone()
}

/// Clients of the newest protocol begin no session. All speak to one server, and number their requests alike.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_the_sdk_that_begin_no_session_hear_their_own() {
    let serving = between(peer(false, true).await).await;
    let modes = (0..8).map(|n| match n % 2 {
        0 => ClientLifecycleMode::Auto { preferred_versions: newest(), legacy_version: None },
        _ => ClientLifecycleMode::Discover { preferred_versions: newest() },
    });
    let url = &serving.url;
    let clients = modes.enumerate().map(|(who, mode)| async move {
        let (person, client) = person(url, mode).await;
        assert_eq!(version(&client), ProtocolVersion::V_2026_07_28);
        for n in 0..10 {
            let said = call(&client, "echo", json!({ "who": who, "n": n })).await;
            assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), json!({ "who": who, "n": n }));
        }
        assert_eq!(call(&client, "no", json!({})).await, "no such tool");
        assert_eq!(call(&client, "progress", json!({})).await, "done");
        soon(async {
            while person.progress.lock().unwrap().len() < 5 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        soon(client.cancel()).await.unwrap();
        assert_eq!(person.progress.lock().unwrap().len(), 5);
    });
    futures_util::future::join_all(clients).await;
}

/// A client of the newest protocol goes back to one with sessions where the server knows no other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_would_rather_not_begin_a_session_begins_one() {
    let backend: Backend = Arc::new(|mut link| {
        Box::pin(async move {
            while let Some(Incoming::Message(message)) = link.incoming.recv().await {
                let MessageKind::Request { id, method } = message.kind() else { continue };
                let answer = match &**method {
                    "initialize" => Message::result(
                        id,
                        &json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": "old", "version": "1" } }),
                    ),
                    "tools/call" => {
                        Message::result(id, &json!({ "content": [{ "type": "text", "text": "old" }] }))
                    }
                    _ => Message::error(Some(id), -32601, "Method not found"),
                };
                let _ = link.outgoing.send(answer).await;
            }
        })
    });
    let serving = Serving::start(backend, Options::default()).await;
    let mode = ClientLifecycleMode::Auto { preferred_versions: newest(), legacy_version: None };
    let (_, client) = person(&serving.url, mode).await;
    assert_eq!(version(&client), ProtocolVersion::V_2025_11_25);
    assert_eq!(call(&client, "echo", json!({})).await, "old");
    soon(client.cancel()).await.unwrap();
}
