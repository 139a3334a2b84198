//! Our server: requests without a session, which clients of the protocol of 2026-07-28 send. All share one server, so what counts
//! is that each hears what is its own, and nothing else.

use serde_json::{Value, json};
use snaphook_mcp_transport::http::server::Options;
use snaphook_mcp_transport::{Message, MessageKind};
use tokio::sync::mpsc::error::TryRecvError;
use tokio::task::JoinHandle;

use crate::support::{
    Answer, Behind, INITIALIZE, Ours, POST, SentRequest, events, later, message, post, soon,
};

const V: &str = "2026-07-28";
const VERSION: (&str, &str) = ("MCP-Protocol-Version", V);
const STREAM: (&str, &str) = ("Accept", "text/event-stream, application/json");

/// A request, with more in its `_meta`, and more parameters.
pub fn request(id: &str, method: &str, meta: &str, more: &str) -> String {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":{{{version}{meta}}}{more}}}}}"#
    )
}

/// Its header fields, with more.
pub fn fields<'a>(method: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = POST.iter().filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
    kept.copied().chain([VERSION, ("Mcp-Method", method)]).chain(more.iter().copied()).collect()
}

async fn asks(url: &str, id: &str, method: &str, meta: &str, more: &[(&str, &str)]) -> SentRequest {
    SentRequest::new("POST", url, &fields(method, more), &request(id, method, meta, "")).await
}

pub fn asking(url: &str, id: &str, method: &str) -> JoinHandle<Answer> {
    let (url, id, method) = (url.to_owned(), id.to_owned(), method.to_owned());
    tokio::spawn(async move { asks(&url, &id, &method, "", &[]).await.whole().await })
}

/// The request as the server has it.
struct Heard {
    id: String,
    token: Value,
    method: String,
}

async fn hears(behind: &mut Behind) -> Heard {
    let message = behind.hears().await;
    let whole: Value = serde_json::from_slice(message.bytes()).unwrap();
    let MessageKind::Request { id, method } = message.kind() else { panic!("{message:?}") };
    let token = whole["params"]["_meta"]["progressToken"].clone();
    Heard { id: id.to_string(), token, method: method.to_string() }
}

/// The one whose request was taken back.
async fn cancelled(behind: &mut Behind) -> String {
    let message = behind.hears().await;
    let whole: Value = serde_json::from_slice(message.bytes()).unwrap();
    assert_eq!(whole["method"], "notifications/cancelled", "{whole}");
    whole["params"]["requestId"].to_string()
}

pub fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn progress(token: &Value, who: &str) -> String {
    note("progress", &format!(r#"{{"progressToken":{token},"progress":1,"message":"{who}"}}"#))
}

fn note(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
}

fn of(subscription: &str) -> String {
    format!(r#"{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{subscription}}}}}"#)
}

fn brings(answer: &Answer) -> Vec<String> {
    events(&answer.body).into_iter().map(|(id, data)| format!("{id}{data}")).collect()
}

#[tokio::test]
async fn a_request_passes_as_it_came_but_for_its_name() {
    let mut ours = Ours::start(Options::default()).await;
    let asked = r#"{ "jsonrpc":"2.0", "id":"\u0061", "method":"x/y", "params":{"b":1e2,"_meta":{"progressToken" : "t","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"é":"\u00e9"}}, "z":[] }"#;
    let fields = fields("x/y", &[]);
    let posted = SentRequest::new("POST", &ours.url, &fields, asked).await;
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let heard = behind.hears().await;
    let MessageKind::Request { id, .. } = heard.kind() else { panic!("{heard:?}") };
    let want = asked.replacen(r#""\u0061""#, id.as_json(), 1).replacen(r#" "t""#, &format!(" {id}"), 1);
    assert_eq!(heard.bytes(), want.as_str());
    let said = |id: &str| {
        format!(r#"{{"result":{{"n":1.0e0, "é" :"\u00e9"}},"jsonrpc":"2.0","id":{id},"extra":null}}"#)
    };
    behind.says(&said(id.as_json())).await;
    let answer = posted.whole().await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.body, said(r#""\u0061""#));
    assert_eq!(answer.header("mcp-session-id"), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_call_their_requests_alike_hear_what_is_their_own_and_nothing_else() {
    const CLIENTS: usize = 120;
    let mut ours = Ours::start(Options::default()).await;
    // Some ids and tokens are one number, some one text; and each of these is the name of another's at the server.
    let names = ["0", "1", "2", "3", "\"0\"", "\"1\"", "\"t\"", "7.0", "-0", "1e1"];
    let clients: Vec<_> = (0..CLIENTS)
        .map(|n| {
            let (url, name) = (ours.url.clone(), names[n % names.len()]);
            tokio::spawn(async move {
                let method = format!("client/{n}");
                let meta = format!(r#","progressToken":{name}"#);
                let asked = asks(&url, name, &method, &meta, &[STREAM]).await;
                (n, name, asked.whole().await)
            })
        })
        .collect();
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let mut heard = Vec::new();
    for _ in 0..CLIENTS {
        heard.push(hears(&mut behind).await);
    }
    let mut ids: Vec<_> = heard.iter().map(|heard| heard.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), CLIENTS);
    // Of no request: tokens that clients chose, and what names no request at all.
    for token in [json!("0"), json!("1"), json!("t"), json!(0), json!([1]), Value::Null] {
        behind.says(&progress(&token, "nobody")).await;
    }
    behind.says(&note("message", r#"{"level":"info","data":"nobody"}"#)).await;
    behind.says(&note("tools/list_changed", "{}")).await;
    behind.says(&note("progress", r#"{"progress":1,"message":"nobody"}"#)).await;
    behind.says(&result("123456789", r#""nobody""#)).await;
    behind.says(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"nobody"}}"#).await;
    for round in 0..3 {
        for at in 0..CLIENTS {
            // Another order each time.
            let heard = &heard[(at * 7 + round * 31) % CLIENTS];
            let said = match round {
                2 => result(&heard.id, &format!(r#""{}""#, heard.method)),
                _ => progress(&heard.token, &heard.method),
            };
            behind.says(&said).await;
        }
    }
    for client in clients {
        let (n, name, answer) = soon(client).await.unwrap();
        let method = format!("client/{n}");
        let token = serde_json::value::RawValue::from_string(name.to_owned()).unwrap();
        let told =
            note("progress", &format!(r#"{{"progressToken":{token},"progress":1,"message":"{method}"}}"#));
        let want = [told.clone(), told, result(name, &format!(r#""{method}""#))];
        assert_eq!(brings(&answer), want, "{answer:?}");
    }
    // It was one server for all.
    assert!(ours.sessions.try_recv().is_err());
}

#[tokio::test]
async fn a_subscription_hears_what_names_it_until_one_side_ends_it() {
    let mut ours = Ours::start(Options::default()).await;
    let mut one = asks(&ours.url, "1", "subscriptions/listen", "", &[]).await;
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let first = hears(&mut behind).await.id;
    let other = asks(&ours.url, "1", "subscriptions/listen", "", &[]).await;
    let second = hears(&mut behind).await.id;
    let mut third = asks(&ours.url, "\"x\"", "subscriptions/listen", "", &[]).await;
    let last = hears(&mut behind).await.id;
    let call = asking(&ours.url, "1", "tools/x");
    let called = hears(&mut behind).await.id;
    for id in [&second, &first, &last] {
        behind.says(&note("subscriptions/acknowledged", &of(id))).await;
    }
    behind.says(&note("tools/list_changed", &of(&first))).await;
    // Of a request that is no subscription, and of no request.
    behind.says(&note("prompts/list_changed", &of(&called))).await;
    behind.says(&note("prompts/list_changed", "{}")).await;
    // Not for the server to end.
    behind.says(&note("cancelled", &format!(r#"{{"requestId":{called}}}"#))).await;
    behind.says(&result(&called, "7")).await;
    let call = soon(call).await.unwrap();
    assert_eq!((&*call.body, call.header("content-type")), (&*result("1", "7"), "application/json"));
    // The server ends one without, and one with an answer.
    behind.says(&note("cancelled", &format!(r#"{{"requestId":{second}}}"#))).await;
    assert_eq!(brings(&other.whole().await), [note("subscriptions/acknowledged", &of("1"))]);
    third.until("acknowledged").await;
    behind.says(&result(&last, &of(&last))).await;
    let want = [note("subscriptions/acknowledged", &of("\"x\"")), result("\"x\"", &of("\"x\""))];
    assert_eq!(brings(&third.whole().await), want);
    // The client ends one.
    let read = one.until("tools/list_changed").await;
    assert!(!read.contains("prompts/") && !read.contains("id: "), "{read}");
    drop(one);
    assert_eq!(cancelled(&mut behind).await, first);
}

#[tokio::test]
async fn a_client_that_goes_has_taken_its_request_back() {
    let mut ours = Ours::start(Options::default()).await;
    let begins_a_stream: [(&[(&str, &str)], &str); 3] =
        [(&[], ""), (&[STREAM], "\r\n\r\n"), (&[], "message\":\"x")];
    let stays = asks(&ours.url, "1", "stays", "", &[]).await;
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let kept = hears(&mut behind).await.id;
    for (more, until) in begins_a_stream {
        let mut goes = asks(&ours.url, "1", "goes", r#","progressToken":1"#, more).await;
        let Heard { id, token, .. } = hears(&mut behind).await;
        if until.contains('x') {
            behind.says(&progress(&token, "x")).await;
        }
        goes.until(until).await;
        drop(goes);
        assert_eq!(cancelled(&mut behind).await, id, "{more:?} {until:?}");
        // Later messages of the server are dropped.
        behind.says(&result(&id, "\"late\"")).await;
    }
    behind.says(&result(&kept, "7")).await;
    assert!(stays.whole().await.body.contains(&result("1", "7")));
    // Who goes with the answer takes nothing back: the next message is the next request.
    let again = asking(&ours.url, "1", "again");
    let next = hears(&mut behind).await;
    assert_eq!(next.method, "again");
    behind.says(&result(&next.id, "8")).await;
    assert_eq!(soon(again).await.unwrap().body, result("1", "8"));
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_nobody_and_loses_its_subscription() {
    let mut ours = Ours::start(Options::default()).await;
    let lazy = asks(&ours.url, "1", "subscriptions/listen", "", &[STREAM]).await;
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let listens = hears(&mut behind).await.id;
    let calls = asks(&ours.url, "2", "tools/x", r#","progressToken":1"#, &[STREAM]).await;
    let called = hears(&mut behind).await;
    let much = "x".repeat(200_000);
    for _ in 0..200 {
        let params = of(&listens).replacen('{', &format!(r#"{{"uri":"{much}","#), 1);
        behind.says(&note("resources/updated", &params)).await;
        behind.says(&progress(&called.token, &much)).await;
    }
    assert_eq!(cancelled(&mut behind).await, listens);
    let other = asking(&ours.url, "1", "other");
    let id = hears(&mut behind).await.id;
    behind.says(&result(&id, "7")).await;
    assert_eq!(soon(other).await.unwrap().body, result("1", "7"));
    // A call loses progress, and not its answer.
    behind.says(&result(&called.id, "8")).await;
    let brought = brings(&calls.whole().await);
    assert!(brought.len() < 200, "{}", brought.len());
    assert_eq!(brought.last().unwrap(), &result("2", "8"));
    let heard = brings(&lazy.whole().await);
    assert!(!heard.is_empty() && heard.len() < 200, "{}", heard.len());
}

#[tokio::test]
async fn what_the_server_asks_is_refused_and_its_errors_have_the_protocols_status() {
    let mut ours = Ours::start(Options::default()).await;
    let mut kept: Option<Behind> = None;
    for (code, status) in [
        (-32601, 404),
        (-32600, 400),
        (-32700, 400),
        (-32020, 400),
        (-32021, 400),
        (-32022, 400),
        (-32602, 200),
        (-32603, 200),
        (-32050, 200),
        (-32000, 200),
        (7, 200),
    ] {
        let asked = asking(&ours.url, "1", "a");
        if kept.is_none() {
            kept = soon(ours.sessions.recv()).await;
        }
        let behind = kept.as_mut().unwrap();
        let id = hears(behind).await.id;
        let error =
            |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"m"}}}}"#);
        behind.says(r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}"#).await;
        let refused = behind.hears().await;
        assert!(
            matches!(refused.kind(), MessageKind::Response { id: Some(id), is_error: true } if id.plain() == "q")
        );
        behind.says(&error(&id)).await;
        let answer = soon(asked).await.unwrap();
        assert_eq!((answer.status, &*answer.body), (status, &*error("1")));
    }
}

#[tokio::test]
async fn what_is_not_as_the_protocol_has_it_does_not_come_through() {
    let mut ours = Ours::start(Options::default()).await;
    let plain = |method: &str| request("5", method, "", "");
    let call = |name: &str| request("5", "tools/call", "", &format!(r#","name":"{name}""#));
    let meta = |more: &str| request("5", "a", more, "");
    let m = |method: &'static str| ("Mcp-Method", method);
    let n = |name: &'static str| ("Mcp-Name", name);
    let future = plain("a").replace(V, "2031-01-01");
    for (what, more, body, status, code) in [
        ("no fields", &[][..], plain("a"), 400, -32020),
        ("no method", &[VERSION], plain("a"), 400, -32020),
        ("no version", &[m("a")], plain("a"), 400, -32020),
        ("another method", &[VERSION, m("b")], plain("a"), 400, -32020),
        ("another version", &[("MCP-Protocol-Version", "2025-11-25"), m("a")], plain("a"), 400, -32020),
        ("no name", &[VERSION, m("tools/call")], call("x"), 400, -32020),
        ("another name", &[VERSION, m("tools/call"), n("y")], call("x"), 400, -32020),
        ("names", &[VERSION, m("tools/call"), n("x"), n("x")], call("x"), 400, -32020),
        ("a version of later", &[("MCP-Protocol-Version", "2031-01-01"), m("a")], future, 400, -32022),
        ("an earlier version in it", &[VERSION, m("a")], plain("a").replace(V, "2025-11-25"), 400, -32020),
        ("no capabilities", &[VERSION, m("a")], plain("a").replace("clientCap", "cap"), 400, -32602),
        (
            "nothing of itself",
            &[VERSION, m("a")],
            r#"{"jsonrpc":"2.0","id":5,"method":"a"}"#.to_owned(),
            400,
            -32602,
        ),
        (
            "no version in it",
            &[VERSION, m("a")],
            plain("a").replace("protocolVersion", "version"),
            400,
            -32602,
        ),
        ("a method of earlier", &[VERSION, m("initialize")], plain("initialize"), 404, -32601),
        ("two tokens", &[VERSION, m("a")], meta(r#","progressToken":1,"progressToken":2"#), 400, -32602),
        ("a token in another case", &[VERSION, m("a")], meta(r#","ProgressToken":2"#), 400, -32602),
        ("a page", &[VERSION, m("a"), ("Origin", "https://evil.example")], plain("a"), 403, -32000),
        ("another host", &[VERSION, m("a"), ("Host", "evil.example")], plain("a"), 403, -32000),
        ("too long", &[VERSION, m("a"), ("Content-Length", "67108865")], String::new(), 413, -32000),
        ("a batch", &[m("a")], format!("[{}]", plain("a")), 400, -32600),
        ("an answer", &[m("a")], result("5", "1"), 400, -32600),
        ("an invalid session", &[VERSION, m("a"), ("Mcp-Session-Id", "00")], plain("a"), 404, -32000),
        ("no version of its own", &[], r#"{"jsonrpc":"2.0","id":5,"method":"a"}"#.to_owned(), 400, -32600),
        ("an earlier version", &[], plain("a").replace(V, "2025-11-25"), 400, -32600),
        ("a notification of earlier", &[], note("initialized", "{}"), 400, -32600),
    ] {
        let answer = post(&ours.url, more, &body).await;
        let error: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status, error["error"]["code"].as_i64()),
            (status, Some(code)),
            "{what}: {answer:?}"
        );
        if matches!(code, -32020 | -32022 | -32602 | -32601) {
            assert_eq!(error["id"], 5, "{what}: {answer:?}");
        }
        if code == -32022 {
            assert_eq!(error["error"]["data"], json!({ "supported": [V], "requested": "2031-01-01" }));
        }
    }
    // Accepted, and dropped: a client could mean another's request.
    for method in ["cancelled", "initialized", "progress"] {
        let answer = post(&ours.url, &[VERSION], &note(method, r#"{"requestId":1,"progressToken":1}"#)).await;
        assert_eq!((answer.status, &*answer.body), (202, ""), "{method}");
    }
    // None of it reached a server, or began one.
    assert!(ours.sessions.try_recv().is_err());
    let wrapped = [VERSION, m("tools/call"), n("=?base64?w6k=?=")];
    let passes = tokio::spawn(post(&ours.url, &wrapped, &call("é")));
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let id = hears(&mut behind).await.id;
    behind.says(&result(&id, "1")).await;
    assert_eq!(soon(passes).await.unwrap().status, 200);
}

#[tokio::test]
async fn the_field_for_an_argument_of_a_listed_tool_has_to_say_what_the_call_says() {
    let mut ours = Ours::start(Options::default()).await;
    let call = request("5", "tools/call", "", r#","name":"t","arguments":{"region":"eu"}"#);
    let url = ours.url.clone();
    let calling = |region: Option<&'static str>| {
        let (url, call) = (url.clone(), call.clone());
        let more = region.map(|region| ("Mcp-Param-Region", region));
        async move {
            let more = [&[("Mcp-Name", "t")], more.as_slice()].concat();
            SentRequest::new("POST", &url, &fields("tools/call", &more), &call).await.whole().await
        }
    };
    // The tool's question has no answer yet.
    let first = tokio::spawn(calling(None));
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let id = hears(&mut behind).await.id;
    behind.says(&result(&id, "1")).await;
    assert_eq!(soon(first).await.unwrap().status, 200);
    let lists = asking(&ours.url, "1", "tools/list");
    let id = hears(&mut behind).await.id;
    let schema = r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
    behind.says(&result(&id, &format!(r#"{{"tools":[{{"name":"t","inputSchema":{schema}}}]}}"#))).await;
    assert_eq!(soon(lists).await.unwrap().status, 200);
    for region in [None, Some("us")] {
        let refused = calling(region).await;
        let error: Value = serde_json::from_str(&refused.body).unwrap();
        assert_eq!((refused.status, &error["error"]["code"], &error["id"]), (400, &json!(-32020), &json!(5)));
    }
    let passes = tokio::spawn(calling(Some("eu")));
    let id = hears(&mut behind).await.id;
    behind.says(&result(&id, "2")).await;
    assert_eq!(soon(passes).await.unwrap().body, result("5", "2"));
}

#[tokio::test]
async fn the_server_is_one_of_the_sessions_and_ends_like_one() {
    let mut ours = Ours::start(Options { sessions: 1, ..Options::default() }).await;
    let (session, kept) = ours.session("2025-11-25").await;
    let full = soon(asking(&ours.url, "1", "a")).await.unwrap();
    assert_eq!(full.status, 503, "{full:?}");
    drop(kept);
    SentRequest::new("DELETE", &ours.url, &[("Mcp-Session-Id", &session)], "").await.whole().await;
    // One that ends is begun anew, and takes one place again.
    for _ in 0..2 {
        let asked = asking(&ours.url, "1", "a");
        let mut behind = soon(ours.sessions.recv()).await.unwrap();
        hears(&mut behind).await;
        assert_eq!(post(&ours.url, &[], INITIALIZE).await.status, 503);
        assert_eq!(SentRequest::new("DELETE", &ours.url, &[], "").await.whole().await.status, 400);
        drop(behind);
        let answer = soon(asked).await.unwrap();
        assert!(
            answer.body.contains("the server has ended") && answer.body.contains(r#""id":1"#),
            "{answer:?}"
        );
    }
    ours.session("2025-11-25").await;
    // By time, but not while a request is open.
    let idle = Options::default().idle;
    let mut ours = Ours::start(Options::default()).await;
    let asked = asks(&ours.url, "1", "a", "", &[]).await;
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    let id = hears(&mut behind).await.id;
    later(idle * 2).await;
    assert_eq!(behind.link.incoming.try_recv().unwrap_err(), TryRecvError::Empty);
    behind.says(&result(&id, "1")).await;
    assert_eq!(asked.whole().await.status, 200);
    later(idle / 2).await;
    assert_eq!(behind.link.incoming.try_recv().unwrap_err(), TryRecvError::Empty);
    later(idle).await;
    assert_eq!(behind.link.incoming.try_recv().unwrap_err(), TryRecvError::Disconnected);
    // With the gate.
    let mut ours = Ours::start(Options::default()).await;
    let asked = asking(&ours.url, "1", "a");
    let mut behind = soon(ours.sessions.recv()).await.unwrap();
    hears(&mut behind).await;
    let behind = tokio::spawn(async move {
        // The whole of it, which the server waits for.
        let mut behind = behind;
        assert!(behind.link.incoming.recv().await.is_none());
    });
    ours.stop().await;
    soon(behind).await.unwrap();
    assert!(soon(asked).await.unwrap().body.contains("the gate was ended"));
}

#[tokio::test]
async fn a_session_and_requests_without_one_have_servers_of_their_own() {
    let mut ours = Ours::start(Options::default()).await;
    let asked = asking(&ours.url, "0", "a");
    let mut shared = soon(ours.sessions.recv()).await.unwrap();
    let id = hears(&mut shared).await.id;
    let (session, mut own) = ours.session("2025-11-25").await;
    let mine = [("Mcp-Session-Id", session.as_str())];
    let called = tokio::spawn(post(&ours.url, &mine, r#"{"jsonrpc":"2.0","id":0,"method":"b"}"#));
    let heard: Message = own.hears().await;
    assert_eq!(heard.bytes(), message(r#"{"jsonrpc":"2.0","id":0,"method":"b"}"#).bytes());
    own.says(&result("0", "1")).await;
    own.says(&result(&id, "\"another's\"")).await;
    shared.says(&result("0", "\"another's\"")).await;
    shared.says(&result(&id, "2")).await;
    assert_eq!(soon(called).await.unwrap().body, result("0", "1"));
    assert_eq!(soon(asked).await.unwrap().body, result("0", "2"));
    // An `initialize` begins a session, whatever it says of its version.
    let first = INITIALIZE.replacen(
        r#""params":{"#,
        r#""params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"#,
        1,
    );
    let first = tokio::spawn(post(&ours.url, &[], &first));
    let mut begun = soon(ours.sessions.recv()).await.unwrap();
    begun.hears().await;
    begun.says(&result("0", "{}")).await;
    assert_eq!(soon(first).await.unwrap().header("mcp-session-id").len(), 32);
}
