//! Our server with the proxy and its hooks behind it: what a client that goes means for them, and what they make of what a server says.

use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{Answer, EventName, Handler, HandlerInfo, HookRef, Host, Lifecycle, Scope, handler_fn};
use snaphook_mcp::http::server::{Backend, Options};
use snaphook_mcp::link::{Incoming, link};
use snaphook_mcp::{Kind, Message, Person, Proxy, run};
use tokio::sync::mpsc;

use crate::alone::{asking, fields, request, result};
use crate::support::{Asked, Serving, soon};

struct Goes(mpsc::UnboundedSender<&'static str>);

impl Drop for Goes {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

fn about(event: impl Into<EventName>) -> HandlerInfo {
    HandlerInfo::new(HookRef::new("h", "h", Scope::User, "h"), event)
}

/// Serves a server that answers every request with `result`, behind a gate with this hook. `hears` is told what reaches it.
async fn serve(hook: Arc<dyn Handler>, result: Value, hears: mpsc::UnboundedSender<Message>) -> Serving {
    let backend: Backend = Arc::new(move |client| {
        let person = Arc::new(Person::default());
        let host = Host::builder().handler(Arc::clone(&hook)).ui(person.clone()).build();
        let (result, hears) = (result.clone(), hears.clone());
        Box::pin(async move {
            let (server, mut at_server) = link();
            let options = snaphook_mcp::Options { name: Some("s".to_owned()), ..Default::default() };
            let session = run(Proxy { host, person, options }, client, server);
            let answers = async {
                while let Some(message) = at_server.outgoing.recv().await {
                    if let Kind::Request { id, .. } = message.kind() {
                        let answer = Message::result(id, &result);
                        let _ = at_server.incoming.send(Incoming::Message(answer)).await;
                    }
                    let _ = hears.send(message);
                }
            };
            tokio::join!(session, answers);
        })
    });
    Serving::start(backend, Options::default()).await
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
    let fields = fields("tools/call", &[("Mcp-Name", "t")]);
    let call = request("1", "tools/call", "", r#","name":"t""#);
    let asked = Asked::new("POST", &serving.url, &fields, &call).await;
    assert_eq!(soon(told.recv()).await, Some("there"));
    drop(asked);
    assert_eq!(soon(told.recv()).await, Some("gone"));
    // What is not gated passes, and is the first that the server hears.
    assert_eq!(soon(asking(&serving.url, "1", "tools/list")).await.unwrap().body, result("1", "{}"));
    let first = soon(heard.recv()).await.unwrap();
    assert!(matches!(first.kind(), Kind::Request { method, .. } if **method == *"tools/list"), "{first:?}");
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
    let answer = soon(asking(&serving.url, "1", "tools/list")).await.unwrap();
    let hidden = json!({"tools": [], "a hidden": ["hidden"]});
    assert_eq!(answer.body, result("1", &hidden.to_string()));
}
