//! A plain HTTP client: it writes a request to a socket, and keeps every byte of the answer.

use std::io::ErrorKind;

use serde_json::{Value, json};
use snaphook_testing::model::{Exchange, ScriptedModel, Wire};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer, as far as it came.
pub struct Received {
    pub head: String,
    /// The bytes after the head, as they came.
    pub rest: Vec<u8>,
    /// The error that ended it.
    pub error: Option<ErrorKind>,
}

/// The path of a wire below its base URL, and the least body.
pub fn request(wire: Wire, streamed: bool) -> (&'static str, Value) {
    match wire {
        Wire::Anthropic => {
            ("/messages", json!({ "model": "claude-test", "stream": streamed, "messages": [] }))
        }
        Wire::OpenAiChat => {
            let options = json!({ "include_usage": true });
            let body =
                json!({ "model": "gpt-test", "stream": streamed, "stream_options": options, "messages": [] });
            ("/chat/completions", body)
        }
        Wire::OpenAiResponses => {
            ("/responses", json!({ "model": "gpt-test", "stream": streamed, "input": [] }))
        }
        Wire::Gemini if streamed => {
            ("/models/gemini-test:streamGenerateContent?alt=sse", json!({ "contents": [] }))
        }
        Wire::Gemini => ("/models/gemini-test:generateContent", json!({ "contents": [] })),
    }
}

/// Connects and sends a request to a wire.
pub async fn send(model: &ScriptedModel, wire: Wire, streamed: bool) -> TcpStream {
    let (path, body) = request(wire, streamed);
    let root = model.root();
    let base = model.url(wire);
    let path = format!("{}{path}", base.strip_prefix(&root).unwrap());
    let mut stream = connect(model).await;
    write(&mut stream, "POST", &path, &body.to_string()).await;
    stream
}

pub async fn connect(model: &ScriptedModel) -> TcpStream {
    TcpStream::connect(model.root().strip_prefix("http://").unwrap()).await.unwrap()
}

/// Writes a request after whose answer the server closes the connection.
pub async fn write(stream: &mut TcpStream, method: &str, path: &str, body: &str) {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: model.test\r\nX-Test: ä\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
}

/// Reads until these bytes were there, or the end.
pub async fn read_until(stream: &mut TcpStream, end: Option<&str>) -> Received {
    let (mut bytes, mut error) = (Vec::new(), None);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            Err(failed) => {
                error = Some(failed.kind());
                break;
            }
        }
        if end.is_some_and(|end| bytes.windows(end.len()).any(|window| window == end.as_bytes())) {
            break;
        }
    }
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    let rest = bytes.split_off(end);
    Received { head: String::from_utf8(bytes).unwrap(), rest, error }
}

pub async fn read(stream: &mut TcpStream) -> Received {
    read_until(stream, None).await
}

/// The answer of a script of one exchange.
pub async fn answer(exchange: Exchange, wire: Wire, streamed: bool) -> Received {
    let model = ScriptedModel::start([exchange]).await.unwrap();
    read(&mut send(&model, wire, streamed).await).await
}

impl Received {
    pub fn status(&self) -> u16 {
        self.head.split(' ').nth(1).map_or(0, |status| status.parse().unwrap())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let field = |line: &&str| line.split_once(": ").is_some_and(|(known, _)| known == name);
        self.head.lines().find(field).and_then(|line| line.split_once(": ")).map(|(_, value)| value)
    }

    /// The chunks that are complete, and what is left: none if HTTP says that the body is complete.
    pub fn chunks(&self) -> (Vec<&[u8]>, Option<&[u8]>) {
        if let Some(length) = self.header("content-length") {
            let is_whole = self.rest.len() == length.parse::<usize>().unwrap();
            return if is_whole { (vec![&self.rest], None) } else { (Vec::new(), Some(&self.rest)) };
        }
        let (mut chunks, mut rest) = (Vec::new(), self.rest.as_slice());
        while let Some(line) = rest.windows(2).position(|window| window == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
            let Some(chunk) = rest.get(line + 2..line + 2 + size) else { break };
            let Some(after) = rest.get(line + 2 + size..).and_then(|after| after.strip_prefix(b"\r\n"))
            else {
                break;
            };
            if size == 0 {
                assert!(after.is_empty());
                return (chunks, None);
            }
            chunks.push(chunk);
            rest = after;
        }
        (chunks, Some(rest))
    }

    pub fn is_complete(&self) -> bool {
        !self.head.is_empty() && self.chunks().1.is_none()
    }

    /// The body, as far as it is in complete chunks.
    pub fn body(&self) -> String {
        String::from_utf8(self.chunks().0.concat()).unwrap()
    }

    /// The events of the body, by the rules for server-sent events: the name and the data of each.
    pub fn events(&self) -> Vec<(Option<String>, String)> {
        let text = self.body().replace("\r\n", "\n").replace('\r', "\n");
        let mut events = Vec::new();
        let (mut name, mut data): (_, Vec<&str>) = (None, Vec::new());
        for line in text.split('\n') {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" if line.is_empty() && !data.is_empty() => {
                    events.push((name.take(), std::mem::take(&mut data).join("\n")));
                }
                "event" => name = Some(value.to_owned()),
                "data" => data.push(value),
                _ => {}
            }
        }
        events
    }
}
