//! `snaphook.http` of scripts in a host: who has no client, who is dropped, and what a client is given.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use snaphook::*;
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use tokio::sync::oneshot;

use crate::support::*;

/// A host with one script that asks for `url`, and may reach `net`.
fn asking(language: Language, url: &str, net: &str) -> Builder {
    let source = match language {
        Language::Lua => {
            format!("on('tool_call', function() return {{ context = snaphook.http.get('{url}').body }} end)")
        }
        Language::Rhai => {
            format!("on(\"tool_call\", |event| #{{ context: snaphook::http::get(\"{url}\").body }});")
        }
        Language::Executable | Language::Lifecycle | Language::McpServer => unreachable!("no script"),
    };
    let grants = Grants { net: vec![net.to_owned()], ..Grants::default() };
    let script = Script {
        hook: hook("web"),
        source: source.into(),
        modules: Arc::default(),
        grants: Arc::new(grants),
        path: None,
        executable: None,
    };
    Host::builder()
        .engine(Language::Lua, Arc::new(LuaEngine::new().unwrap()))
        .engine(Language::Rhai, Arc::new(RhaiEngine::new()))
        .script(script, language)
}

const LANGUAGES: [Language; 2] = [Language::Lua, Language::Rhai];

#[tokio::test]
async fn a_host_without_a_client_reaches_nothing_and_says_so() {
    for language in LANGUAGES {
        let host = asking(language, "https://example.org/", "example.org").build();
        let said = gated(&host, "ls").await;
        assert!(said.contains("failed: this program has no web client"), "{language:?}: {said}");
    }
}

/// Remembers what it was given.
#[derive(Default)]
struct RecordingWeb(Mutex<Vec<String>>);

impl Web for RecordingWeb {
    fn run(&self, place: WebPlace, request: WebRequest) -> ServiceFuture<HttpResponse> {
        let WebRequest { method, url, timeout, .. } = request;
        let line = format!("{} {} {url} {timeout:?} {:?}", place.hook.id, method.as_str(), place.reach);
        self.0.lock().unwrap().push(line);
        Box::pin(async { Ok(HttpResponse { status: 200, body: "told".into(), ..HttpResponse::default() }) })
    }
}

#[tokio::test]
async fn a_client_is_given_what_was_checked_and_nothing_that_is_not_granted() {
    for language in LANGUAGES {
        let told = Arc::new(RecordingWeb::default());
        let client: Arc<dyn Web> = Arc::<RecordingWeb>::clone(&told);
        let host =
            asking(language, "HTTPS://EXAMPLE.org./a#b", "example.org").web(Arc::clone(&client)).build();
        assert_eq!(gated(&host, "ls").await, "allow: ls");
        assert_eq!(*told.0.lock().unwrap(), ["web GET https://example.org/a 30s [\"example.org\"]"]);
        let host = asking(language, "https://example.com/", "example.org").web(client).build();
        assert!(gated(&host, "ls").await.contains("https://example.com/ is not granted"), "{language:?}");
        assert_eq!(told.0.lock().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_handler_that_is_dropped_ends_its_request() {
    for language in LANGUAGES {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, was_asked) = oneshot::channel();
        let (left, has_left) = oneshot::channel();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut piece = [0; 1024];
            assert!(stream.read(&mut piece).unwrap() > 0);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nbegun").unwrap();
            asked.send(()).unwrap();
            // The end, or an error: the other side is gone.
            while stream.read(&mut piece).is_ok_and(|length| length > 0) {}
            left.send(()).unwrap();
        });
        let url = format!("http://127.0.0.1:{port}/");
        let host = asking(language, &url, &format!("127.0.0.1:{port}"));
        let host = host.web(Arc::new(HttpClient::default())).build();
        let gate = tokio::spawn(async move { gated(&host, "ls").await });
        was_asked.await.unwrap();
        gate.abort();
        assert!(gate.await.unwrap_err().is_cancelled(), "{language:?}");
        tokio::time::timeout(Duration::from_secs(20), has_left).await.unwrap().unwrap();
    }
}
