//! Servers of this process, on loopback addresses.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that answers each connection by a function and remembers what it was asked.
pub(super) struct Server {
    pub(super) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn at(
        address: &str,
        answer: impl Fn(&str, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let (port, asked) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, log, answer) = (stream.unwrap(), Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let request = request(&mut stream)?;
                    log.lock().unwrap().push(request.clone());
                    // The client may be gone already: that is what some of the tests are about.
                    answer(&request, &mut stream)
                });
            }
        });
        Server { port, asked }
    }

    pub(super) fn new(
        answer: impl Fn(&str, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Server::at("127.0.0.1", answer)
    }

    /// One that says always the same.
    pub(super) fn says(text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        Server::new(move |_, stream| stream.write_all(&text))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn grant(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads a request: its head, and the body that it announces.
pub(super) fn request(stream: &mut impl Read) -> io::Result<String> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let from = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(value) = head[from..].strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(head + &String::from_utf8(body).unwrap())
}

pub(super) fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub(super) fn moved(status: u16, to: &str) -> String {
    format!("HTTP/1.1 {status} Moved\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
}
