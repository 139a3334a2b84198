//! Our server with the proxy and its hooks behind it: what a client that goes means for them, and what they make of what a server says.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{Answer, EventName, Handler, HandlerInfo, HookRef, Host, Lifecycle, Scope, handler_fn};
use snaphook_mcp::{ElicitationUi, Proxy, run};
use snaphook_mcp_transport::http::server::{Backend, Options, Server};
use snaphook_mcp_transport::transport::{Incoming, channel};
use snaphook_mcp_transport::{Message, MessageKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::scene::TEST_TIMEOUT;

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(TEST_TIMEOUT, what).await.unwrap()
}

/// Our server, which ends with it.
struct Serving {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

/// Sends a request without a session on a connection of its own.
async fn send(serving: &Serving, method: &str, name: &str) -> TcpStream {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{meta},"name":"{name}"}}}}"#
    );
    let head = [
        "POST /mcp HTTP/1.1",
        &format!("Host: {}", serving.address),
        "Connection: close",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "Mcp-Protocol-Version: 2026-07-28",
        &format!("Mcp-Method: {method}"),
        &format!("Mcp-Name: {name}"),
        &format!("Content-Length: {}", body.len()),
    ];
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    stream.write_all(format!("{}\r\n\r\n{body}", head.join("\r\n")).as_bytes()).await.unwrap();
    stream
}

/// Returns the body of the answer to such a request.
async fn answer(serving: &Serving, method: &str) -> String {
    let mut stream = send(serving, method, "").await;
    let mut answer = String::new();
    soon(stream.read_to_string(&mut answer)).await.unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn result(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#)
}

struct Goes(mpsc::UnboundedSender<&'static str>);

impl Drop for Goes {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

fn about(event: impl Into<EventName>) -> HandlerInfo {
    HandlerInfo::new(HookRef::new("h", "h", Scope::User, "h"), event)
}

/// Serves a server that answers every request with `result`, behind a gate with this hook. `hears` is called with what reaches it.
async fn serve(hook: Arc<dyn Handler>, result: Value, hears: mpsc::UnboundedSender<Message>) -> Serving {
    let backend: Backend = Arc::new(move |client| {
        let elicitation = Arc::new(ElicitationUi::default());
        let host = Host::builder().handler(Arc::clone(&hook)).ui(elicitation.clone()).build();
        let (result, hears) = (result.clone(), hears.clone());
        Box::pin(async move {
            let (server, mut at_server) = channel();
            let options = snaphook_mcp::Options { name: Some("s".to_owned()), ..Default::default() };
            let session = run(Proxy { host, elicitation, options }, client, server);
            let answers = async {
                while let Some(message) = at_server.outgoing.recv().await {
                    if let MessageKind::Request { id, .. } = message.kind() {
                        let answer = Message::result(id, &result);
                        let _ = at_server.incoming.send(Incoming::Message(answer)).await;
                    }
                    let _ = hears.send(message);
                }
            };
            tokio::join!(session, answers);
        })
    });
    let server = Server::bind("127.0.0.1:0", Options::default()).await.unwrap();
    let (address, (stop, stopped)) = (server.address(), oneshot::channel());
    tokio::spawn(server.run(backend, async {
        let _ = stopped.await;
    }));
    Serving { address, _stop: stop }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_ends_the_handlers_at_its_gate_and_the_server_never_hears_of_it() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (hears, mut heard) = mpsc::unbounded_channel();
    // A gate at which nothing ever passes. It says who comes, and who goes.
    let stuck = handler_fn(about(Lifecycle::ToolCall), move |_, _| {
        let goes = Goes(tell.clone());
        async move {
            let _ = goes.0.send("there");
            std::future::pending().await
        }
    });
    let serving = serve(stuck, json!({}), hears).await;
    let asked = send(&serving, "tools/call", "t").await;
    assert_eq!(soon(told.recv()).await, Some("there"));
    drop(asked);
    assert_eq!(soon(told.recv()).await, Some("gone"));
    // What is not gated passes, and is the first that the server hears.
    assert_eq!(answer(&serving, "tools/list").await, result("{}"));
    let first = soon(heard.recv()).await.unwrap();
    assert!(
        matches!(first.kind(), MessageKind::Request { method, .. } if **method == *"tools/list"),
        "{first:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_says_is_looked_at_over_http_as_well() {
    // Takes a word out of every text.
    let hides = handler_fn(about(EventName::Bus("mcp.server_message".into())), |event, _| {
        let texts = event.subject()["texts"].to_string().replace("secret", "hidden");
        let texts: Value = serde_json::from_str(&texts).unwrap();
        std::future::ready(Ok(Answer::parse(event.name(), json!({ "texts": texts })).unwrap()))
    });
    let (hears, _heard) = mpsc::unbounded_channel();
    let serving = serve(hides, json!({"tools": [], "a secret": ["secret"]}), hears).await;
    let answer = answer(&serving, "tools/list").await;
    let hidden = json!({"tools": [], "a hidden": ["hidden"]});
    assert_eq!(answer, result(&hidden.to_string()));
}
