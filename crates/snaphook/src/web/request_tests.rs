//! The requests that a script may send.

use std::time::Duration;

use snaphook_core::HttpRequest;

use super::check;
use crate::grants::Reach;
use crate::web::{MAX_HTTP_BODY, MAX_HTTP_HEADERS};

fn get() -> HttpRequest {
    HttpRequest { method: "GET".into(), url: "https://a.test/".into(), ..HttpRequest::default() }
}

fn with(headers: impl IntoIterator<Item = (String, String)>) -> HttpRequest {
    HttpRequest { headers: headers.into_iter().collect(), ..get() }
}

fn said(request: HttpRequest) -> String {
    let reach = Reach::new(&["a.test".to_owned()]);
    match check(&reach, request) {
        Ok(request) => format!("{:?} {:?}", request.headers, request.timeout),
        Err(error) => error.0,
    }
}

#[test]
fn header_fields_are_the_script_s_own_and_of_one_line() {
    for (name, value, expected) in [
        ("X-Key", "v", r#"[("x-key", "v")] 30s"#),
        ("Authorization", "Bearer a\tb", r#"[("authorization", "Bearer a\tb")] 30s"#),
        ("cookie", "a=b", r#"[("cookie", "a=b")] 30s"#),
        ("x", "", r#"[("x", "")] 30s"#),
        ("x", "a\r\nHost: evil.test", "no single line"),
        ("x", "a\nb", "no single line"),
        ("x", "a\rb", "no single line"),
        ("x", "a\0b", "no single line"),
        ("x", "\u{7f}", "no single line"),
        ("x", "é", "no single line"),
        ("x\r\ny", "a", "is no name"),
        ("x: y", "a", "is no name"),
        ("", "a", "is no name"),
        ("é", "a", "is no name"),
        ("Host", "evil.test", "cannot be set"),
        ("content-length", "0", "cannot be set"),
        ("Transfer-Encoding", "chunked", "cannot be set"),
        ("CONNECTION", "close", "cannot be set"),
        ("keep-alive", "1", "cannot be set"),
        ("te", "trailers", "cannot be set"),
        ("trailer", "x", "cannot be set"),
        ("upgrade", "websocket", "cannot be set"),
        ("expect", "100-continue", "cannot be set"),
        ("accept-encoding", "br", "cannot be set"),
        ("Proxy-Authorization", "x", "cannot be set"),
        ("proxy-connection", "x", "cannot be set"),
    ] {
        let said = said(with([(name.to_owned(), value.to_owned())]));
        assert!(said.contains(expected), "{name:?}: {value:?}: {said}");
    }
    let twice = [("x-key", "1"), ("X-Key", "2")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert!(said(with(twice)).contains("given twice"));
}

#[test]
fn what_is_too_much_is_not_sent() {
    let long = |length: usize| "a".repeat(length);
    for (request, expected) in [
        (HttpRequest { method: "DELETE".into(), ..get() }, "no method `DELETE`"),
        (HttpRequest { method: "get".into(), ..get() }, "no method `get`"),
        (HttpRequest { body: Some(long(MAX_HTTP_BODY)), ..get() }, "[] 30s"),
        (HttpRequest { body: Some(long(MAX_HTTP_BODY + 1)), ..get() }, "at most 4 MiB"),
        (HttpRequest { timeout: Some(Duration::from_secs(300)), ..get() }, "[] 300s"),
        (HttpRequest { timeout: Some(Duration::from_millis(300_001)), ..get() }, "at most 300 seconds"),
        (HttpRequest { url: format!("https://a.test/{}", long(17_000)), ..get() }, "longer than 16384 bytes"),
        (with([("a".to_owned(), long(MAX_HTTP_HEADERS))]), "too many header fields"),
        (with((0..65).map(|n| (format!("x{n}"), String::new()))), "too many header fields"),
        (HttpRequest { url: "https://b.test/".into(), ..get() }, "`net: [b.test]`"),
    ] {
        let said = said(request);
        assert!(said.contains(expected), "{said:.200}");
    }
}
