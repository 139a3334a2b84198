//! Our server: what it answers to what.

use snaphook_mcp_transport::http::server::{BindError, Options, Server};
use tokio::sync::mpsc::error::TryRecvError;

use crate::support::{INITIALIZE, Ours, POST, SentRequest, all_wait, events, later, post, soon};

const V: &str = "2025-11-25";

fn request(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

async fn get(url: &str, session: &str, after: Option<&str>) -> SentRequest {
    let mut fields = vec![("Accept", "text/event-stream"), ("Mcp-Session-Id", session)];
    fields.extend(after.map(|after| ("Last-Event-ID", after)));
    SentRequest::new("GET", url, &fields, "").await
}

#[tokio::test]
async fn an_answer_is_json_and_its_bytes_are_those_that_came() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    assert_eq!(session.len(), 32);
    let asked = r#"{ "jsonrpc":"2.0", "id":"\u0061", "method":"x/y", "params":{"b":1e2,"_meta":{"é":"\u00e9"}}, "z":[] }"#;
    let posted = tokio::spawn(post(&ours.url, &[("Mcp-Session-Id", &session)], asked));
    assert_eq!(behind.hears().await.bytes(), asked);
    let said = r#"{"result":{"n":1.0e0, "é" :"\u00e9"},"jsonrpc":"2.0","id":"a","extra":null}"#;
    behind.says(said).await;
    let answer = soon(posted).await.unwrap();
    assert_eq!(
        (answer.status, answer.header("content-type"), &*answer.body),
        (200, "application/json", said)
    );
}

#[tokio::test]
async fn what_asks_for_nothing_is_taken() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    for text in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"s-1","result":{}}"#,
        r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}]"#,
    ] {
        let answer = post(&ours.url, &[("Mcp-Session-Id", &session)], text).await;
        assert_eq!((answer.status, &*answer.body), (202, ""), "{text}");
        assert_eq!(behind.hears().await.bytes(), text);
    }
}

#[tokio::test]
async fn other_messages_go_with_the_request_that_they_belong_to() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session("2025-06-18").await;
    let ask = |id: &str| {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"t","params":{{"_meta":{{"progressToken":"t{id}"}}}}}}"#
        );
        tokio::spawn(post(&ours.url, &[("Mcp-Session-Id", &session)], &text))
    };
    let first = ask("1");
    behind.hears().await;
    let second = ask("2");
    behind.hears().await;
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t1","progress":1}}"#;
    let question = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}"#;
    let answer = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    behind.says(progress).await;
    behind.says(question).await;
    behind.says(&answer("1")).await;
    let first = soon(first).await.unwrap();
    assert_eq!(first.header("content-type"), "text/event-stream");
    let brings: Vec<String> = events(&first.body).into_iter().map(|(_, data)| data).collect();
    assert_eq!(brings, [progress, &answer("1")]);
    // The progress of what is done belongs to no request any more, so it goes where the rest does.
    behind.says(progress).await;
    behind.says(&answer("2")).await;
    let second = soon(second).await.unwrap();
    let brings: Vec<String> = events(&second.body).into_iter().map(|(_, data)| data).collect();
    assert_eq!(brings, [question, progress, &answer("2")]);
}

#[tokio::test]
async fn an_answer_that_takes_long_becomes_a_stream() {
    let mut ours = Ours::start(Options::default()).await;
    for (version, primed) in [(V, 1), ("2025-06-18", 0)] {
        let (session, mut behind) = ours.session(version).await;
        let fields = [POST, &[("Mcp-Session-Id", session.as_str())]].concat();
        let mut asked = SentRequest::new("POST", &ours.url, &fields, &request("1", "slow")).await;
        behind.hears().await;
        // Nothing is said until the head is there.
        let head = asked.until("\r\n\r\n").await;
        assert!(head.contains("text/event-stream"), "{head}");
        behind.says(r#"{"jsonrpc":"2.0","id":1,"result":7}"#).await;
        let events = events(&asked.whole().await.body);
        assert_eq!(events.len(), 1 + primed, "{events:?}");
        assert!(events.iter().take(primed).all(|(id, data)| id.ends_with("-0") && data.is_empty()));
        assert_eq!(events.last().unwrap().1, r#"{"jsonrpc":"2.0","id":1,"result":7}"#);
    }
}

#[tokio::test]
async fn a_client_that_prefers_streams_gets_one() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    for (accept, version, want) in [
        ("text/event-stream, application/json", V, Some(2)),
        ("text/event-stream;q=1,application/json", "2025-03-26", Some(1)),
        ("application/json, text/event-stream", V, None),
        ("*/*", V, None),
    ] {
        let fields = [
            ("Content-Type", "application/json"),
            ("Accept", accept),
            ("Mcp-Session-Id", session.as_str()),
            ("MCP-Protocol-Version", version),
        ];
        let asked = SentRequest::new("POST", &ours.url, &fields, &request("1", "a")).await;
        behind.hears().await;
        behind.says(r#"{"jsonrpc":"2.0","id":1,"result":7}"#).await;
        let answer = asked.whole().await;
        let brought =
            (answer.header("content-type") == "text/event-stream").then(|| events(&answer.body).len());
        assert_eq!(brought, want, "{accept} {version}: {answer:?}");
    }
}

#[tokio::test]
async fn a_batch_is_answered_as_a_stream() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session("2025-03-26").await;
    let batch = format!("[{},{}]", request("1", "a"), request("2", "b"));
    let posted = tokio::spawn(post(&ours.url, &[("Mcp-Session-Id", &session)], &batch));
    assert_eq!(behind.hears().await.bytes(), batch.as_str());
    let (one, two) = (r#"{"jsonrpc":"2.0","id":1,"result":1}"#, r#"{"jsonrpc":"2.0","id":2,"result":2}"#);
    behind.says(&format!("[{two},{one}]")).await;
    let brings: Vec<String> =
        events(&soon(posted).await.unwrap().body).into_iter().map(|(_, data)| data).collect();
    assert_eq!(brings, [two, one]);
}

#[tokio::test]
async fn what_belongs_to_no_request_waits_for_a_stream_and_is_there_again_for_who_comes_back() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, behind) = ours.session(V).await;
    let note = |n: u32| format!(r#"{{"jsonrpc":"2.0","method":"n{n}"}}"#);
    behind.says(&note(1)).await;
    let mut stream = get(&ours.url, &session, None).await;
    stream.until(&note(1)).await;
    behind.says(&note(2)).await;
    let read = stream.until(&note(2)).await;
    assert!(read.contains("retry: 1000"), "{read}");
    let ids: Vec<&str> = read.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert_eq!(ids.len(), 3, "{read}");
    drop(stream);
    for (after, there, gone) in [(ids[0], &[1, 2][..], None), (ids[1], &[2], Some(1)), (ids[2], &[], Some(2))]
    {
        let mut again = get(&ours.url, &session, Some(after)).await;
        behind.says(&note(3)).await;
        let read = again.until(&note(3)).await;
        for n in there {
            assert!(read.contains(&note(*n)), "{after}: {read}");
        }
        assert!(gone.is_none_or(|n| !read.contains(&note(n))), "{after}: {read}");
    }
}

#[tokio::test]
async fn an_answer_whose_stream_broke_is_there_for_who_comes_back() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    let fields = [POST, &[("Mcp-Session-Id", session.as_str())]].concat();
    let mut asked = SentRequest::new("POST", &ours.url, &fields, &request("1", "slow")).await;
    behind.hears().await;
    behind.says(r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#).await;
    let read = asked.until("ping").await;
    let ids: Vec<&str> = read.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    drop(asked);
    // To go is not to cancel; once before the answer, once after.
    let waits = tokio::spawn(get(&ours.url, &session, ids.last().copied()).await.whole());
    behind.says(r#"{"jsonrpc":"2.0","id":1,"result":7}"#).await;
    let (early, late) =
        (soon(waits).await.unwrap(), get(&ours.url, &session, ids.first().copied()).await.whole().await);
    let brings = |body: &str| events(body).into_iter().map(|(_, data)| data).collect::<Vec<_>>();
    assert_eq!(brings(&early.body), [r#"{"jsonrpc":"2.0","id":1,"result":7}"#]);
    assert_eq!(
        brings(&late.body),
        [r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#, r#"{"jsonrpc":"2.0","id":1,"result":7}"#]
    );
    for wrong in ["p99-1", "1", "x-y", "g-"] {
        let answer = get(&ours.url, &session, Some(wrong)).await.whole().await;
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
}

#[tokio::test]
async fn requests_that_the_protocol_does_not_know_are_refused() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, behind) = ours.session(V).await;
    let with = |more: &[(&'static str, &'static str)], drop: &str| {
        let kept = POST.iter().filter(|(name, _)| *name != drop).copied();
        kept.chain(more.iter().copied()).collect::<Vec<_>>()
    };
    let list = request("1", "tools/list");
    for (what, method, path, fields, body, status) in [
        ("no session", "POST", "", with(&[], ""), list.as_str(), 400),
        ("another's session", "POST", "", with(&[("Mcp-Session-Id", "00")], ""), &list, 404),
        ("no session to listen to", "GET", "", vec![("Accept", "text/event-stream")], "", 400),
        ("no session to end", "DELETE", "", vec![], "", 400),
        ("no session of that id to end", "DELETE", "", vec![("Mcp-Session-Id", "00")], "", 404),
        ("no JSON", "POST", "", with(&[], ""), "{", 400),
        ("no message", "POST", "", with(&[], ""), "{}", 400),
        (
            "not UTF-8 and twice the id",
            "POST",
            "",
            with(&[], ""),
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#,
            400,
        ),
        (
            "another media type",
            "POST",
            "",
            with(&[("Content-Type", "text/plain")], "Content-Type"),
            &list,
            415,
        ),
        ("no streams accepted", "POST", "", with(&[("Accept", "application/json")], "Accept"), &list, 406),
        ("nothing accepted", "GET", "", vec![], "", 406),
        ("another method", "PUT", "", with(&[], ""), &list, 405),
        ("another method", "OPTIONS", "", vec![], "", 405),
        ("another path", "POST", "/x", with(&[], ""), &list, 404),
        ("another name", "POST", "", with(&[("Host", "evil.example")], ""), INITIALIZE, 403),
        ("a page", "POST", "", with(&[("Origin", "https://evil.example")], ""), INITIALIZE, 403),
        ("another version", "POST", "", with(&[("MCP-Protocol-Version", "1999-01-01")], ""), INITIALIZE, 400),
        ("too long", "POST", "", with(&[("Content-Length", "67108865")], ""), "", 413),
    ] {
        let answer =
            SentRequest::new(method, &format!("{}{path}", ours.url), &fields, body).await.whole().await;
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        assert!(answer.body.contains(r#""error""#), "{what}: {answer:?}");
        assert_eq!(answer.header("allow"), if status == 405 { "POST, GET, DELETE" } else { "" });
    }
    // None of it came through.
    let (mine, mut behind) = (("Mcp-Session-Id", session.as_str()), behind);
    assert_eq!(post(&ours.url, &[mine], r#"{"jsonrpc":"2.0","method":"n"}"#).await.status, 202);
    assert_eq!(behind.hears().await.bytes(), r#"{"jsonrpc":"2.0","method":"n"}"#);
    assert!(ours.sessions.try_recv().is_err());
}

#[tokio::test]
async fn an_id_that_is_open_is_refused_and_can_be_used_again() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    let mine = [("Mcp-Session-Id", session.as_str())];
    for _ in 0..2 {
        let first = tokio::spawn(post(&ours.url, &mine, &request("1", "a")));
        behind.hears().await;
        let second = post(&ours.url, &mine, &request("1", "b")).await;
        assert_eq!(second.status, 400, "{second:?}");
        behind.says(r#"{"jsonrpc":"2.0","id":1,"result":1}"#).await;
        assert_eq!(soon(first).await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn a_session_ends_by_delete_by_its_server_and_by_time() {
    let mut ours = Ours::start(Options::default()).await;
    let open = request("1", "open");
    // By the client.
    let (session, mut behind) = ours.session(V).await;
    let mine = [("Mcp-Session-Id", session.as_str())];
    let (waits, stream) = (tokio::spawn(post(&ours.url, &mine, &open)), get(&ours.url, &session, None).await);
    behind.hears().await;
    let ended = SentRequest::new("DELETE", &ours.url, &mine, "").await.whole().await;
    assert_eq!(ended.status, 204);
    assert!(soon(waits).await.unwrap().body.contains("the client has ended the session"));
    assert_eq!(stream.whole().await.status, 200);
    assert!(soon(behind.link.incoming.recv()).await.is_none());
    assert_eq!(post(&ours.url, &mine, &open).await.status, 404);
    // By the server.
    let (session, mut behind) = ours.session(V).await;
    let mine = [("Mcp-Session-Id", session.as_str())];
    let waits = tokio::spawn(post(&ours.url, &mine, &open));
    behind.hears().await;
    drop(behind);
    let answer = soon(waits).await.unwrap();
    assert!(answer.body.contains("the server has ended") && answer.body.contains(r#""id":1"#), "{answer:?}");
    assert_eq!(post(&ours.url, &mine, &open).await.status, 404);
    // By time, but not while a request is open.
    let idle = Options::default().idle;
    let (session, mut behind) = ours.session(V).await;
    let mine = [("Mcp-Session-Id", session.as_str())];
    let asked = SentRequest::new("POST", &ours.url, &[POST, &mine].concat(), &open).await;
    behind.hears().await;
    later(idle * 2).await;
    assert_eq!(behind.link.incoming.try_recv().unwrap_err(), TryRecvError::Empty);
    behind.says(r#"{"jsonrpc":"2.0","id":1,"result":1}"#).await;
    assert_eq!(asked.whole().await.status, 200);
    later(idle / 2).await;
    assert_eq!(behind.link.incoming.try_recv().unwrap_err(), TryRecvError::Empty);
    later(idle).await;
    assert_eq!(behind.link.incoming.try_recv().unwrap_err(), TryRecvError::Disconnected);
    assert_eq!(post(&ours.url, &mine, &open).await.status, 404);
}

#[tokio::test]
async fn there_are_only_so_many_sessions() {
    let mut ours = Ours::start(Options { sessions: 2, ..Options::default() }).await;
    let (_first, (second, kept)) = (ours.session(V).await, ours.session(V).await);
    assert_eq!(post(&ours.url, &[], INITIALIZE).await.status, 503);
    drop(kept);
    SentRequest::new("DELETE", &ours.url, &[("Mcp-Session-Id", &second)], "").await.whole().await;
    ours.session(V).await;
}

#[tokio::test]
async fn to_stop_ends_sessions_and_answers_what_is_open() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    let mine = [("Mcp-Session-Id", session.as_str())];
    let waits = tokio::spawn(post(&ours.url, &mine, &request("1", "open")));
    behind.hears().await;
    let behind = tokio::spawn(async move {
        // The whole of it, which the server waits for.
        let mut behind = behind;
        assert!(behind.link.incoming.recv().await.is_none());
    });
    ours.stop().await;
    soon(behind).await.unwrap();
    assert!(soon(waits).await.unwrap().body.contains("the gate was ended"));
}

#[tokio::test]
async fn a_client_that_does_not_read_makes_the_server_wait_and_loses_nothing() {
    let mut ours = Ours::start(Options::default()).await;
    let (session, mut behind) = ours.session(V).await;
    let fields = [POST, &[("Mcp-Session-Id", session.as_str())]].concat();
    let asked = SentRequest::new("POST", &ours.url, &fields, &request("1", "much")).await;
    behind.hears().await;
    let (text, count) = ("x".repeat(200_000), 400);
    let sender = tokio::spawn(async move {
        for n in 0..count {
            behind.says(&format!(r#"{{"jsonrpc":"2.0","method":"n","params":[{n},"{text}"]}}"#)).await;
        }
        behind.says(r#"{"jsonrpc":"2.0","id":1,"result":1}"#).await;
        behind
    });
    // It stops before all is said.
    all_wait().await;
    assert!(!sender.is_finished());
    let events = events(&asked.whole().await.body);
    assert_eq!(events.len(), count + 1 + usize::from(events[0].1.is_empty()));
    soon(sender).await.unwrap();
}

/// It and we would wait for each other for ever.
#[tokio::test]
async fn a_server_that_asks_more_than_anybody_hears_is_refused_and_not_waited_for() {
    let mut ours = Ours::start(Options::default()).await;
    let (_, mut behind) = ours.session(V).await;
    for number in 0..2000 {
        soon(behind.says(&request(&number.to_string(), "roots/list"))).await;
    }
    // The first ones wait for a stream.
    let refused = behind.hears().await;
    let want = r#"{"jsonrpc":"2.0","id":256,"error":{"code":-32000,"message":"the client has no stream open for it"}}"#;
    assert_eq!(refused.bytes(), want);
}

#[tokio::test]
async fn other_machines_connect_only_where_that_was_asked_for() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let refused = Server::bind(address, Options::default()).await.unwrap_err();
        assert!(matches!(refused, BindError::Remote(_)), "{refused}");
    }
    let allowed = Options { allow_remote: true, ..Options::default() };
    assert_ne!(Server::bind("0.0.0.0:0", allowed).await.unwrap().address().port(), 0);
    assert_ne!(Server::bind("localhost:0", Options::default()).await.unwrap().address().port(), 0);
    for wrong in ["", "8000", "example.com:80", "127.0.0.1", "127.0.0.1:x"] {
        let error = Server::bind(wrong, Options::default()).await.unwrap_err();
        assert!(matches!(error, BindError::Address(_)), "{wrong}: {error}");
    }
}
