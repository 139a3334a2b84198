//! Our server with the proxy and its hooks behind it: what a client that goes means for them, and what they make of what a server says.

use std::sync::Arc;

use serde_json::json;
use snaphook::{
    Answer, BoxFuture, CallContext, Event, EventName, Handler, HandlerError, HandlerInfo, HookRef, Host,
    Lifecycle, Scope,
};
use snaphook_mcp::http::server::{Backend, Options};
use snaphook_mcp::link::{Incoming, link};
use snaphook_mcp::{Kind, Message, Person, Proxy, run};
use tokio::sync::mpsc;

use crate::alone::{asking, fields, request, result};
use crate::support::{Asked, Serving, soon};

/// A gate at which nothing ever passes. It says who comes, and who goes.
struct Stuck(HandlerInfo, mpsc::UnboundedSender<&'static str>);

struct Goes(mpsc::UnboundedSender<&'static str>);

impl Drop for Goes {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

impl Handler for Stuck {
    fn info(&self) -> &HandlerInfo {
        &self.0
    }

    fn selects(&self, _: &Event, _: &CallContext) -> bool {
        true
    }

    fn handle<'a>(
        &'a self,
        _: &'a Event,
        _: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>> {
        Box::pin(async {
            let _goes = Goes(self.1.clone());
            let _ = self.1.send("there");
            std::future::pending().await
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_ends_the_handlers_at_its_gate_and_the_server_never_hears_of_it() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (hears, mut heard) = mpsc::unbounded_channel();
    let backend: Backend = Arc::new(move |client| {
        let hook = HookRef::new("h", "h", Scope::User, "h");
        let info =
            HandlerInfo { hook, event: Lifecycle::ToolCall.into(), line: None, file: None, matcher: None };
        let person = Arc::new(Person::default());
        let host = Host::builder().handler(Arc::new(Stuck(info, tell.clone()))).ui(person.clone()).build();
        let hears = hears.clone();
        Box::pin(async move {
            let (server, mut at_server) = link();
            let options = snaphook_mcp::Options { name: Some("s".to_owned()), ..Default::default() };
            let session = run(Proxy { host, person, options }, client, server);
            let answers = async {
                while let Some(message) = at_server.outgoing.recv().await {
                    if let Kind::Request { id, .. } = message.kind() {
                        let answer = Message::result(id, &json!({}));
                        let _ = at_server.incoming.send(Incoming::Message(answer)).await;
                    }
                    let _ = hears.send(message);
                }
            };
            tokio::join!(session, answers);
        })
    });
    let serving = Serving::start(backend, Options::default()).await;
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

/// Takes a word out of all that the server says.
struct Hides(HandlerInfo);

impl Handler for Hides {
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
        Box::pin(async {
            let texts = event.subject()["texts"].to_string().replace("secret", "hidden");
            let texts: serde_json::Value = serde_json::from_str(&texts).unwrap();
            Ok(Answer::parse(event.name(), json!({ "texts": texts })).unwrap())
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_says_is_looked_at_over_http_as_well() {
    let backend: Backend = Arc::new(move |client| {
        let hook = HookRef::new("h", "h", Scope::User, "h");
        let event = EventName::Bus("mcp.server_message".into());
        let info = HandlerInfo { hook, event, line: None, file: None, matcher: None };
        let person = Arc::new(Person::default());
        let host = Host::builder().handler(Arc::new(Hides(info))).ui(person.clone()).build();
        Box::pin(async move {
            let (server, mut at_server) = link();
            let options = snaphook_mcp::Options { name: Some("s".to_owned()), ..Default::default() };
            let session = run(Proxy { host, person, options }, client, server);
            let answers = async {
                while let Some(message) = at_server.outgoing.recv().await {
                    let Kind::Request { id, .. } = message.kind() else { continue };
                    let answer = Message::result(id, &json!({"tools": [], "a secret": ["secret"]}));
                    let _ = at_server.incoming.send(Incoming::Message(answer)).await;
                }
            };
            tokio::join!(session, answers);
        })
    });
    let serving = Serving::start(backend, Options::default()).await;
    let answer = soon(asking(&serving.url, "1", "tools/list")).await.unwrap();
    let hidden = json!({"tools": [], "a hidden": ["hidden"]});
    assert_eq!(answer.body, result("1", &hidden.to_string()));
}
