//! Our client, with servers that say what a test wants.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Facing, Request, Scripted, id, message, nothing, says, says_events, says_json, soon};

const SESSION: &str = "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n";
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#;

/// A server with a session, which answers calls like this.
async fn server(calls: impl Fn(&Request) -> String + Send + Sync + 'static) -> Scripted {
    Scripted::start(move |asked| match (asked.line.as_str(), asked.method().as_str()) {
        ("POST /mcp", "initialize") => says("200 OK", SESSION, INITIALIZED),
        ("POST /mcp", "notifications/initialized") => nothing("202 Accepted"),
        ("DELETE /mcp", _) => nothing("204 No Content"),
        _ => calls(asked),
    })
    .await
}

/// Returns how a call is answered.
async fn called(calls: impl Fn(&Request) -> String + Send + Sync + 'static) -> String {
    let server = server(move |asked| match asked.line.as_str() {
        "GET /mcp" if !asked.head.to_ascii_lowercase().contains("last-event-id") => {
            nothing("405 Method Not Allowed")
        }
        _ => calls(asked),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    client.hears().await.replace(&server.url, "URL")
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{}}"#;
const RESULT: &str = r#"{"jsonrpc":"2.0", "id":"c", "result":{"n":1.0,"é":"\u00e9"}}"#;

fn failed(why: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"c","error":{{"code":-32000,"message":"the MCP server at URL: {why}"}}}}"#
    )
}

#[tokio::test]
async fn messages_go_and_answers_come_as_the_bytes_that_they_were() {
    let text =
        r#"{ "jsonrpc":"2.0", "id":1.0, "method":"x", "params":{"b":1e2,"_meta":{"é":"\u00e9"}}, "z":[] }"#;
    let result = r#"{"z":{}, "result":{"n":1.0,"é":"\u00e9"},"id":1.0,"jsonrpc":"2.0"}"#;
    let server = server(move |_| says_json(result)).await;
    let mut client = Facing::start(&server.url, &[("X-Key".to_owned(), "v1".to_owned())]);
    client.begins().await;
    client.says(text).await;
    assert_eq!(client.hears().await, result);
    client.ends().await;
    let asked = server.asked.lock().unwrap().clone();
    let posts: Vec<&Request> = asked.iter().filter(|asked| asked.line.starts_with("POST")).collect();
    assert_eq!(posts[2].body, text);
    for (at, asked) in posts.iter().enumerate() {
        assert!(asked.has("accept: application/json, text/event-stream"), "{}", asked.head);
        assert!(asked.has("content-type: application/json") && asked.has("x-key: v1"), "{}", asked.head);
        let later = at > 0;
        assert_eq!(asked.has("mcp-session-id: s1"), later, "{}", asked.head);
        assert_eq!(asked.has("mcp-protocol-version: 2025-06-18"), later, "{}", asked.head);
    }
    let last = asked.last().unwrap();
    assert!(
        last.line == "DELETE /mcp" && last.has("mcp-session-id: s1") && last.has("x-key: v1"),
        "{last:?}"
    );
}

#[tokio::test]
async fn a_stream_brings_what_the_server_says_meanwhile() {
    let note = r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#;
    let server = server(move |asked| match asked.line.as_str() {
        "POST /mcp" => says_events(&format!(
            ": hi\n\nevent: other\ndata: 1\n\nid: 1\ndata:\n\ndata: {note}\n\nevent: message\ndata: {RESULT}\n\n"
        )),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    assert_eq!([client.hears().await, client.hears().await], [note, RESULT]);
}

#[tokio::test]
async fn calls_do_not_wait_for_each_other() {
    // The first call is never answered, but its connection is held.
    let server = server(|asked| match asked.method().as_str() {
        "tools/call" => String::new(),
        "ping" => says_json(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    client.says(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    assert_eq!(client.hears().await, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
}

#[tokio::test]
async fn messages_go_in_order() {
    let server = server(|asked| match asked.method().as_str() {
        "" => nothing("405 Method Not Allowed"),
        method if method.starts_with("notifications/") => nothing("202 Accepted"),
        _ => String::new(),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    let mut want = Vec::new();
    for n in 0..40 {
        client.says(&format!(r#"{{"jsonrpc":"2.0","id":"{n}","method":"call{n}"}}"#)).await;
        client.says(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/{n}"}}"#)).await;
        want.push(format!("notifications/{n}"));
    }
    soon(async {
        while server.asked.lock().unwrap().iter().filter(|asked| asked.method() == "notifications/39").count()
            == 0
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let asked = server.asked.lock().unwrap().clone();
    let methods: Vec<String> =
        asked.iter().map(Request::method).filter(|method| !method.is_empty()).collect();
    let notes: Vec<&String> = methods
        .iter()
        .filter(|method| method.starts_with("notifications/") && !method.ends_with("ed"))
        .collect();
    assert_eq!(notes, want.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn what_http_says_wrong_is_an_error_for_the_call() {
    let other = r#"{"jsonrpc":"2.0","id":"other","result":{}}"#;
    for (said, want) in [
        (nothing("401 Unauthorized"), "it answered 401 Unauthorized"),
        (
            says("403 Forbidden", "Content-Type: text/plain\r\n", "go\naway"),
            "it answered 403 Forbidden: go away",
        ),
        (
            says(
                "400 Bad Request",
                "Content-Type: application/json\r\n",
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
            ),
            "it answered 400 Bad Request: no",
        ),
        (nothing("500 Internal Server Error"), "it answered 500 Internal Server Error"),
        (nothing("202 Accepted"), "it accepted the request and gave no answer"),
        (says("200 OK", "Content-Type: text/html\r\n", "<p>"), "it answered with text/html"),
        (says("200 OK", "", "x"), "it answered with no media type"),
        (
            says_json("{"),
            "its answer cannot be read: it is not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            says_json(""),
            "its answer cannot be read: it is not JSON: EOF while parsing a value at line 1 column 0",
        ),
        (
            says("200 OK", "Content-Type: application/json\r\nContent-Length: 67108865\r\n", ""),
            "its answer is longer than 64 MiB",
        ),
        (says_events("data: {}"), "its stream ended before the answer"),
        (says("302 Found", "Location: /other\r\n", ""), "it answered 302 Found"),
        (says("307 Temporary Redirect", "", ""), "it redirects without an address"),
        (
            says("307 Temporary Redirect", "Location: http://evil.example/mcp\r\n", ""),
            "it redirects to http://evil.example, which is not followed; if it is meant, name that address",
        ),
        (says("308 Permanent Redirect", "Location: /mcp\r\n", ""), "it redirects more than 3 times"),
        ("HTTP/1.1 banana\r\n\r\n".to_owned(), "invalid HTTP status-code parsed"),
    ] {
        let shown = said.clone();
        assert_eq!(called(move |_| said.clone()).await, failed(want), "{shown}");
    }
    // An error of the protocol passes, whatever its status, and so does what is no answer to anything.
    let error = r#"{"jsonrpc":"2.0", "id":"c", "error":{"code":-32601,"message":"x"}}"#;
    let json = "Content-Type: application/json\r\n";
    assert_eq!(called(move |_| says("404 Not Found", json, error)).await, error);
    assert_eq!(called(move |_| says_json(other)).await, other);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_and_the_next_call_may_work() {
    let count = AtomicUsize::new(0);
    let server = server(move |asked| match asked.line.as_str() {
        "POST /mcp" if count.fetch_add(1, Ordering::SeqCst) == 0 => "\r".to_owned(),
        "POST /mcp" => says_json(RESULT),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    assert!(client.hears().await.contains(r#""id":"c","error":{"code":-32000"#));
    client.says(CALL).await;
    assert_eq!(client.hears().await, RESULT);
    let mut stateless = Facing::start("http://127.0.0.1:1/mcp", &[]);
    stateless.says(CALL).await;
    let said = stateless.hears().await;
    assert!(said.contains("refused"), "{said}");
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_everything() {
    let server = server(|asked| match asked.line.as_str() {
        "POST /mcp" => says("307 Temporary Redirect", "Location: /mcp/\r\n", ""),
        "POST /mcp/" if asked.body == CALL && asked.has("mcp-session-id: s1") && asked.has("x-key: v") => {
            says_json(RESULT)
        }
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[("X-Key".to_owned(), "v".to_owned())]);
    client.begins().await;
    client.says(CALL).await;
    assert_eq!(client.hears().await, RESULT);
}

#[tokio::test]
async fn no_field_reaches_another_origin() {
    let other = Scripted::start(|_| says_json(RESULT)).await;
    let place = other.url.clone();
    let server = server(move |_| says("307 Temporary Redirect", &format!("Location: {place}\r\n"), "")).await;
    let mut client = Facing::start(&server.url, &[("Authorization".to_owned(), "secret".to_owned())]);
    client.begins().await;
    client.says(CALL).await;
    assert!(client.hears().await.contains("which is not followed"));
    client.ends().await;
    assert_eq!(other.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn a_stream_that_breaks_is_taken_up_where_it_broke() {
    let said = called(|asked| match asked.line.as_str() {
        "POST /mcp" => says_events("id: e1\nretry: 1\ndata:\n\nid: e2\ndata:"),
        _ if asked.has("last-event-id: e1") && asked.has("mcp-session-id: s1") => {
            says_events("id: e3\ndata:\n\n")
        }
        _ if asked.has("last-event-id: e3") => says_events(&format!("data: {RESULT}\n\n")),
        _ => nothing("400 Bad Request"),
    })
    .await;
    assert_eq!(said, RESULT);
    let said = called(|asked| match asked.line.as_str() {
        "POST /mcp" => says_events("id: e1\nretry: 1\ndata:\n\n"),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let why =
        "its stream ended before the answer, and did not open again: it answered 405 Method Not Allowed";
    assert_eq!(said, failed(why));
}

#[tokio::test]
async fn a_broken_answer_on_a_stream_is_an_error_and_the_stream_goes_on() {
    let server = server(|asked| match asked.line.as_str() {
        "POST /mcp" => says_events(&format!(
            "data: {{\"id\":\"c\"}}\n\ndata: rubbish\n\ndata: {}\n\n",
            r#"{"jsonrpc":"2.0","method":"n"}"#
        )),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    let said = [client.hears().await, client.hears().await, client.hears().await, client.hears().await];
    assert!(said[0].contains(r#""id":"c","error""#) && said[0].contains("cannot be read"), "{said:?}");
    assert!(said[1].starts_with("unreadable:") && said[2].starts_with("unreadable:"), "{said:?}");
    assert_eq!(said[3], r#"{"jsonrpc":"2.0","method":"n"}"#);
}

#[tokio::test]
async fn the_servers_own_stream_is_read_and_taken_up_again() {
    let note = |n: u32| format!(r#"{{"jsonrpc":"2.0","method":"n{n}"}}"#);
    let server = server(move |asked| match asked.line.as_str() {
        "GET /mcp" if asked.has("last-event-id: a") => says_events(&format!("id: b\ndata: {}\n\n", note(2))),
        // The place is not known any more.
        "GET /mcp" if asked.has("last-event-id: b") => nothing("400 Bad Request"),
        "GET /mcp" => says_events(&format!("id: a\nretry: 1\ndata: {}\n\n", note(1))),
        _ => nothing("500 Never"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    for n in [1, 2, 1, 2] {
        assert_eq!(client.hears().await, note(n));
    }
}

#[tokio::test]
async fn a_session_that_is_gone_ends_what_is_open_and_the_side() {
    let server = server(|asked| match asked.method().as_str() {
        "tools/call" => String::new(),
        "ping" => nothing("404 Not Found"),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    client.says(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    let mut said = [client.hears().await, client.hears().await];
    said.sort();
    assert!(said[0].contains(r#""id":"c""#) && said[0].contains("the session is gone"), "{said:?}");
    assert!(said[1].contains(r#""id":2"#) && said[1].contains("session"), "{said:?}");
    assert_eq!(client.hears().await, "the end");
    soon(client.running).await.unwrap();
    assert!(!server.lines().contains(&"DELETE /mcp".to_owned()));
}

#[tokio::test]
async fn what_was_cancelled_gets_no_error_where_it_is_not_answered() {
    let server = server(|asked| match (asked.line.as_str(), asked.method().as_str()) {
        (_, "tools/call") => says_events("id: 1\nretry: 1\ndata:\n\n"),
        (_, "notifications/cancelled") => nothing("202 Accepted"),
        (_, "ping") => says_json(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
        ("GET /mcp", _) if asked.has("last-event-id: 1") => says_events(": alive\n\n"),
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    client.says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}"#).await;
    client.says(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    assert_eq!(client.hears().await, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    // All is done, or this would wait for the call.
    client.ends().await;
}

#[tokio::test]
async fn a_call_without_a_session_is_taken_back_by_going() {
    let server = Scripted::start(|_| String::new()).await;
    let mut client = Facing::start(&server.url, &[]);
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    client.says(&CALL.replace("{}}", &format!("{{\"_meta\":{meta}}}}}"))).await;
    soon(async {
        while server.lines().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    client.says(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}"#).await;
    // The call is over, or this would wait for it; and there is nothing to hear.
    let snaphook_mcp_transport::Transport { incoming, outgoing } = &mut client.link;
    *outgoing = snaphook_mcp_transport::transport::channel().0.outgoing;
    assert!(soon(incoming.recv()).await.is_none());
    let asked = server.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].has("mcp-method: tools/call"), "{asked:?}");
}

#[tokio::test]
async fn an_argument_that_a_listed_tool_wants_in_a_field_stands_there() {
    let request = |id: &str, method: &str, params: &str| {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{{{params}"_meta":{meta}}}}}"#)
    };
    let call = request("c", "tools/call", r#""name":"t","arguments":{"region":"eu"},"#);
    let lists = request("l", "tools/list", "");
    let list = r#"{"tools":[{"name":"t","inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}"#;
    let list = format!(r#"{{"jsonrpc":"2.0","id":"l","result":{list}}}"#);
    for streams in [false, true] {
        let listed = if streams { says_events(&format!("data: {list}\n\n")) } else { says_json(&list) };
        let server = Scripted::start(move |asked| match asked.method().as_str() {
            "tools/list" => listed.clone(),
            _ => says_json(RESULT),
        })
        .await;
        // One for each call, which the field of the same name takes the place of.
        let given = [("Mcp-Param-Region".to_owned(), "mine".to_owned())];
        let mut client = Facing::start(&server.url, &given);
        for (says, hears) in [(&call, RESULT), (&lists, &list), (&call, RESULT)] {
            client.says(says).await;
            assert_eq!(client.hears().await, *hears);
        }
        let asked = server.asked.lock().unwrap().clone();
        let said: Vec<bool> = asked.iter().map(|asked| asked.has("mcp-param-region: eu")).collect();
        assert_eq!(said, [false, false, true], "{asked:?}");
        assert!(asked.iter().all(|asked| asked.head.matches("mcp-param").count() == 1), "{asked:?}");
    }
}

#[tokio::test]
async fn who_is_told_to_end_ends_the_session() {
    let server = server(|_| String::new()).await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    client.end.cancel();
    soon(client.running).await.unwrap();
    assert!(server.lines().contains(&"DELETE /mcp".to_owned()));
}

#[tokio::test]
async fn what_was_asked_is_answered_after_the_last_word() {
    let server = server(|asked| match asked.line.as_str() {
        "POST /mcp" => {
            says_events(&format!("data: {}\n\ndata: {RESULT}\n\n", r#"{"jsonrpc":"2.0","method":"n"}"#))
        }
        _ => nothing("405 Method Not Allowed"),
    })
    .await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    let snaphook_mcp_transport::Transport { mut incoming, outgoing } = client.link;
    drop(outgoing);
    let mut said = Vec::new();
    while let Some(snaphook_mcp_transport::Incoming::Message(message)) = soon(incoming.recv()).await {
        said.push(message.bytes().clone());
    }
    assert_eq!(said, [r#"{"jsonrpc":"2.0","method":"n"}"#, RESULT]);
    soon(client.running).await.unwrap();
    assert!(server.lines().contains(&"DELETE /mcp".to_owned()));
}

#[tokio::test]
async fn who_no_longer_listens_is_not_waited_for() {
    let server = server(|_| String::new()).await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(CALL).await;
    drop(client.link);
    soon(client.running).await.unwrap();
}

#[tokio::test]
async fn a_batch_is_answered_part_by_part_if_it_fails() {
    let server = server(|_| nothing("500 Oops")).await;
    let mut client = Facing::start(&server.url, &[]);
    client.begins().await;
    client.says(r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"x","method":"b"}]"#).await;
    for want in ["1", "\"x\""] {
        let said = client.hears().await;
        assert!(
            matches!(message(&said).kind(), snaphook_mcp_transport::MessageKind::Response { id: Some(said), .. } if *said == id(want)),
            "{said}"
        );
    }
}
