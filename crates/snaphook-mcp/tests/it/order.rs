//! A hook that takes its time over what the server says: nothing is turned around or lost, and what does not wait for it goes on.

use std::sync::Arc;

use serde_json::Value;
use snaphook::{Answer, EventName, Handler, HandlerInfo, HookRef, Language, Payload, Scope, handler_fn};
use snaphook_mcp::{ElicitationUi, Options, Proxy, run};
use snaphook_mcp_transport::Message;
use snaphook_mcp_transport::transport::{Incoming, TransportDriver, channel};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::scene::{TEST_TIMEOUT, builder_in};

/// Makes a handler of the server's messages, which waits over texts that say so. It tells when it begins to wait.
fn slow(waits: Arc<Semaphore>, goes_on: Arc<Semaphore>) -> Arc<dyn Handler> {
    let hook = HookRef::new("slow", "slow", Scope::Managed, "slow.rs");
    let info = HandlerInfo::new(hook, EventName::Bus("mcp.server_message".into()));
    handler_fn(info, move |event, _| {
        let (waits, goes_on) = (Arc::clone(&waits), Arc::clone(&goes_on));
        async move {
            let Payload::Fields(fields) = event.payload() else { panic!("{event:?}") };
            if fields["texts"].as_array().unwrap().contains(&Value::from("slow")) {
                waits.add_permits(1);
                goes_on.acquire().await.unwrap().forget();
            }
            Ok(Answer::default())
        }
    })
}

struct Session {
    client: TransportDriver,
    server: TransportDriver,
    waits: Arc<Semaphore>,
    goes_on: Arc<Semaphore>,
}

impl Session {
    fn new(lua: &str) -> Self {
        let elicitation = Arc::new(ElicitationUi::default());
        let (waits, goes_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let host = builder_in(Language::Lua, lua, &elicitation)
            .handler(slow(Arc::clone(&waits), Arc::clone(&goes_on)))
            .build();
        let ((client, at_client), (server, at_server)) = (channel(), channel());
        let options = Options { name: Some("s".to_owned()), ..Options::default() };
        tokio::spawn(run(Proxy { host, elicitation, options }, client, server));
        Session { client: at_client, server: at_server, waits, goes_on }
    }

    async fn client_says(&self, text: &str) {
        self.client.incoming.send(Incoming::Message(Message::read(text.to_owned()).unwrap())).await.unwrap();
    }

    async fn server_says(&self, text: &str) {
        let says = self.server.incoming.send(Incoming::Message(Message::read(text.to_owned()).unwrap()));
        timeout(TEST_TIMEOUT, says).await.unwrap().unwrap();
    }

    async fn client_hears(&mut self) -> String {
        let heard = timeout(TEST_TIMEOUT, self.client.outgoing.recv()).await.unwrap().unwrap();
        String::from_utf8(heard.bytes().to_vec()).unwrap()
    }

    async fn ask(&mut self, id: u64, method: &str) {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"name":"t","uri":"u"}}}}"#);
        self.client_says(&text).await;
        let heard = timeout(TEST_TIMEOUT, self.server.outgoing.recv()).await.unwrap().unwrap();
        assert_eq!(&**heard.bytes(), text.as_bytes());
    }

    /// Until the handler waits, and everything else that could go on has.
    async fn settles(&self) {
        timeout(TEST_TIMEOUT, self.waits.acquire()).await.unwrap().unwrap().forget();
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
    }
}

fn progress(text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"message":"{text}"}}}}"#
    )
}

#[tokio::test]
async fn what_the_server_says_keeps_its_order() {
    for (method, result) in [
        ("tools/call", r#"{"content":[{"type":"text","text":"done"}]}"#),
        ("tools/list", r#"{"tools":[{"name":"a"}]}"#),
        ("resources/read", r#"{"contents":[]}"#),
        ("ping", "{}"),
    ] {
        let mut session =
            Session::new(r#"on("tool_result", function() end) on("mcp.tools_list", function() end)"#);
        session.ask(1, method).await;
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let plain = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned();
        let said = [progress("slow"), progress("quick"), plain, progress("slow"), answer];
        for text in &said {
            session.server_says(text).await;
        }
        session.settles().await;
        assert!(session.client.outgoing.try_recv().is_err(), "{method}: something passed the slow one");
        session.goes_on.add_permits(2);
        for text in &said {
            assert_eq!(session.client_hears().await, *text, "{method}");
        }
    }
}

/// Also behind an answer, where it has no hook of its own.
#[tokio::test]
async fn what_comes_behind_an_answer_stays_behind_it() {
    for (method, result) in [
        ("tools/call", r#"{"content":[{"type":"text","text":"slow"}]}"#),
        ("tools/call", r#""slow""#),
        ("prompts/get", r#"{"messages":["slow"]}"#),
        ("ping", r#"["slow"]"#),
    ] {
        let mut session = Session::new("");
        session.ask(1, method).await;
        let said = [format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#), progress("behind")];
        for text in &said {
            session.server_says(text).await;
        }
        session.settles().await;
        assert!(session.client.outgoing.try_recv().is_err(), "{method}: something passed the slow one");
        session.goes_on.add_permits(1);
        for text in &said {
            assert_eq!(session.client_hears().await, *text, "{method}");
        }
    }
}

/// The server says far more than waits anywhere, and it is all there.
#[tokio::test]
async fn what_waits_behind_a_slow_hook_is_not_lost() {
    let mut session = Session::new("");
    let server = session.server.incoming.clone();
    let saying = tokio::spawn(async move {
        for number in 0..1000 {
            let text = if number == 0 { progress("slow") } else { progress(&number.to_string()) };
            server.send(Incoming::Message(Message::read(text).unwrap())).await.unwrap();
        }
    });
    session.settles().await;
    // The rest waits at the server, not in memory.
    assert!(!saying.is_finished());
    session.goes_on.add_permits(1);
    assert_eq!(session.client_hears().await, progress("slow"));
    for number in 1..1000 {
        assert_eq!(session.client_hears().await, progress(&number.to_string()));
    }
    timeout(TEST_TIMEOUT, saying).await.unwrap().unwrap();
}

#[tokio::test]
async fn gates_and_requests_go_on_meanwhile() {
    let gate = r#"on("tool_call", function() return { block = true, reason = "no" } end)"#;
    let mut session = Session::new(gate);
    session.server_says(&progress("slow")).await;
    session.settles().await;
    session.client_says(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#).await;
    assert!(session.client_hears().await.contains("\"isError\":true"));
    session.ask(2, "resources/list").await;
    session.goes_on.add_permits(1);
    assert_eq!(session.client_hears().await, progress("slow"));
}

/// A client that cancels a request need not wait for the hook that looks at its answer.
#[tokio::test]
async fn an_answer_that_nobody_waits_for_is_looked_at_no_longer() {
    let mut session = Session::new("");
    session.ask(1, "resources/read").await;
    session.server_says(r#"{"jsonrpc":"2.0","id":1,"result":{"contents":["slow"]}}"#).await;
    session.settles().await;
    session
        .client_says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    session.server_says(&progress("next")).await;
    assert_eq!(session.client_hears().await, progress("next"));
}

/// A server that takes no answers does not stop its own messages.
#[tokio::test]
async fn a_server_that_reads_nothing_is_still_heard() {
    let blocks = r#"on("mcp.server_message", function(event) if event.kind == "request" then return { block = true } end end)"#;
    let mut session = Session::new(blocks);
    for id in 0..200 {
        session
            .server_says(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list","params":{{"a":1}}}}"#
            ))
            .await;
    }
    session.server_says(&progress("at last")).await;
    assert_eq!(session.client_hears().await, progress("at last"));
    let mut refused = 0;
    while let Ok(answer) = session.server.outgoing.try_recv() {
        let text = String::from_utf8_lossy(answer.bytes()).into_owned();
        assert!(
            text.contains(r#""error":{"code":-32050"#) && text.contains("the hook \\\"h\\\" blocked it"),
            "{text}"
        );
        refused += 1;
    }
    assert_eq!(refused, 64);
}
