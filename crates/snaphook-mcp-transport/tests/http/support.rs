//! Snaphook's server with something behind it, and a server that sends prepared answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore};
use snaphook_mcp_transport::http::server::{Backend, Options, Server};
use snaphook_mcp_transport::transport::{Incoming, Transport, TransportDriver, channel};
use snaphook_mcp_transport::{Id, Message, MessageKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The time that anything may take before a test fails: so long that only what never happens takes longer, on a machine that is
/// busy with other things, too.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(180);

pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_TIMEOUT, what).await.expect("it took too long")
}

// ---- the clock ----

/// Has the runtime's clock say that it is later, and waits until nobody has anything left to do about it. The clock stands still
/// for that only, so that tests wait for sockets as long as it takes.
pub async fn later(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    rest().await;
}

/// Waits until every task of the runtime waits for something else. A clock that stands moves on by itself then, and only then.
pub async fn all_wait() {
    tokio::time::pause();
    rest().await;
}

async fn rest() {
    tokio::time::sleep(Duration::from_millis(1)).await;
    tokio::time::resume();
}

// ---- what is behind our server ----

/// The program behind a session of the server, as seen by a test.
pub struct Behind {
    pub link: Transport,
    _done: oneshot::Sender<()>,
}

impl Behind {
    pub async fn hears(&mut self) -> Message {
        match soon(self.link.incoming.recv()).await {
            Some(Incoming::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    pub async fn says(&self, text: &str) {
        self.link.outgoing.send(message(text)).await.unwrap();
    }
}

pub fn message(text: &str) -> Message {
    Message::read(text.as_bytes().to_vec()).unwrap()
}

/// Our server, listening, and the sessions that it begins.
pub struct Ours {
    pub url: String,
    pub sessions: mpsc::Receiver<Behind>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

impl Ours {
    pub async fn start(options: Options) -> Self {
        let (begun, sessions) = mpsc::channel(16);
        let backend: Backend = Arc::new(move |link| {
            let begun = begun.clone();
            Box::pin(async move {
                let (done, ended) = oneshot::channel();
                begun.send(Behind { link, _done: done }).await.unwrap();
                // As long as the test keeps it.
                let _ = ended.await;
            })
        });
        let Serving { url, stop, running } = Serving::start(backend, options).await;
        Ours { url, sessions, stop, running }
    }

    /// A session whose `initialize` was answered with this version.
    pub async fn session(&mut self, version: &str) -> (String, Behind) {
        let first = tokio::spawn(post(&self.url, &[], INITIALIZE));
        let mut behind = soon(self.sessions.recv()).await.unwrap();
        assert_eq!(behind.hears().await.bytes(), INITIALIZE);
        behind
            .says(&format!(r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{version}"}}}}"#))
            .await;
        let answer = soon(first).await.unwrap();
        (answer.header("mcp-session-id").to_owned(), behind)
    }

    pub async fn stop(mut self) {
        drop(self.stop.take());
        soon(self.running).await.unwrap();
    }
}

pub const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

/// Our server with any backend.
pub struct Serving {
    pub url: String,
    pub stop: Option<oneshot::Sender<()>>,
    pub running: JoinHandle<()>,
}

impl Serving {
    pub async fn start(backend: Backend, options: Options) -> Self {
        let server = Server::bind("127.0.0.1:0", options).await.unwrap();
        let url = format!("http://{}/mcp", server.address());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(server.run(backend, async {
            let _ = stopped.await;
        }));
        Serving { url, stop: Some(stop), running }
    }
}

// ---- requests by hand ----

/// An answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// A connection to a server, on which a request was sent.
pub struct SentRequest {
    stream: TcpStream,
    read: Vec<u8>,
}

pub const POST: &[(&str, &str)] =
    &[("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

impl SentRequest {
    pub async fn new(method: &str, url: &str, fields: &[(&str, &str)], body: &str) -> Self {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let mut head = format!("{method} /{path} HTTP/1.1\r\nConnection: close\r\n");
        if !fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {host}\r\n");
        }
        for (name, value) in fields {
            head += &format!("{name}: {value}\r\n");
        }
        if !fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.unwrap();
        SentRequest { stream, read: Vec::new() }
    }

    /// Returns what came until the text is there.
    pub async fn until(&mut self, text: &str) -> String {
        loop {
            let read = String::from_utf8_lossy(&self.read).into_owned();
            if read.contains(text) {
                return read;
            }
            let mut piece = [0; 4096];
            let length = soon(self.stream.read(&mut piece)).await.unwrap();
            assert_ne!(length, 0, "it ended with {read:?}");
            self.read.extend_from_slice(&piece[..length]);
        }
    }

    pub async fn whole(mut self) -> Answer {
        soon(self.stream.read_to_end(&mut self.read)).await.unwrap();
        let text = String::from_utf8(self.read).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        Answer { status, head: head.to_owned(), body }
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        whole += &rest[..length];
        body = rest[length..].strip_prefix("\r\n").unwrap();
    }
    whole
}

/// A message by POST, with what the protocol wants of one.
pub fn post(url: &str, fields: &[(&str, &str)], body: &str) -> impl Future<Output = Answer> + Send + 'static {
    let (url, body) = (url.to_owned(), body.to_owned());
    let fields: Vec<(String, String)> =
        POST.iter().chain(fields).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    async move {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        SentRequest::new("POST", &url, &fields, &body).await.whole().await
    }
}

/// Returns what the events of a body bring, with their ids.
pub fn events(body: &str) -> Vec<(String, String)> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_default().to_owned()
    };
    let blocks = body.split("\n\n").filter(|block| !block.trim().is_empty() && !block.starts_with(':'));
    blocks.map(|block| (field(block, "id"), field(block, "data"))).collect()
}

// ---- a server that sends prepared answers ----

/// A request, as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub line: String,
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn has(&self, field: &str) -> bool {
        self.head.lines().any(|line| line.eq_ignore_ascii_case(field))
    }

    /// The JSON-RPC method.
    pub fn method(&self) -> String {
        match Message::read(self.body.clone().into_bytes()).map(|message| message.kind().clone()) {
            Ok(MessageKind::Request { method, .. } | MessageKind::Notification { method }) => method.into(),
            _ => String::new(),
        }
    }
}

/// A server that answers each request as the script says; an empty answer leaves the connection open.
pub struct Scripted {
    pub url: String,
    pub asked: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Scripted {
    pub async fn start(script: impl Fn(&Request) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (kept, script) = (Arc::clone(&asked), Arc::new(script));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&script), Arc::clone(&kept)));
            }
        });
        Scripted { url, asked, task }
    }

    pub fn lines(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|asked| asked.line.clone()).collect()
    }
}

async fn answer(
    mut stream: TcpStream,
    script: Arc<impl Fn(&Request) -> String>,
    asked: Arc<Mutex<Vec<Request>>>,
) {
    let mut read = Vec::new();
    let request = loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                let (line, head) = head.split_once("\r\n").unwrap();
                let line = line.trim_end_matches(" HTTP/1.1").to_owned();
                break Request { line, head: head.to_owned(), body: body.to_owned() };
            }
        }
        let mut piece = [0; 65536];
        match stream.read(&mut piece).await {
            Ok(length) if length > 0 => read.extend_from_slice(&piece[..length]),
            _ => return,
        }
    };
    asked.lock().unwrap().push(request.clone());
    let said = script(&request);
    if said.is_empty() {
        // Until the client goes.
        let _ = stream.read(&mut [0; 1]).await;
        return;
    }
    let _ = stream.write_all(said.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// An answer that ends with its connection.
pub fn says(status: &str, fields: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{fields}\r\n{body}")
}

pub fn says_json(body: &str) -> String {
    says("200 OK", "Content-Type: application/json\r\n", body)
}

pub fn says_events(body: &str) -> String {
    says("200 OK", "Content-Type: text/event-stream\r\n", body)
}

pub fn nothing(status: &str) -> String {
    says(status, "Content-Length: 0\r\n", "")
}

// ---- our client ----

/// Our client, as seen by the proxy.
pub struct Facing {
    pub link: Transport,
    pub running: JoinHandle<()>,
    pub end: CancellationToken,
}

impl Facing {
    pub fn start(url: &str, fields: &[(String, String)]) -> Self {
        let (link, driver): (Transport, TransportDriver) = channel();
        let client = snaphook_mcp_transport::http::client::Client::new(url, fields, no_tls).unwrap();
        let end = CancellationToken::new();
        Facing { link, running: tokio::spawn(client.run(driver, end.clone())), end }
    }

    pub async fn says(&self, text: &str) {
        self.link.outgoing.send(message(text)).await.unwrap();
    }

    pub async fn hears(&mut self) -> String {
        match soon(self.link.incoming.recv()).await {
            Some(Incoming::Message(message)) => String::from_utf8(message.bytes().to_vec()).unwrap(),
            Some(Incoming::Invalid(unreadable)) => format!("unreadable: {}", unreadable.reason),
            None => "the end".to_owned(),
        }
    }

    /// Says the first messages, and hears the answer.
    pub async fn begins(&mut self) {
        self.says(INITIALIZE).await;
        let answer = self.hears().await;
        assert!(answer.contains("protocolVersion"), "{answer}");
        self.says(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    pub async fn ends(self) {
        let Transport { incoming, outgoing } = self.link;
        drop(outgoing);
        soon(self.running).await.unwrap();
        drop(incoming);
    }
}

pub fn id(text: &str) -> Id {
    Id::read(&serde_json::value::RawValue::from_string(text.to_owned()).unwrap()).unwrap()
}

/// The TLS configuration of tests, which trusts no certificate.
pub fn no_tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}
