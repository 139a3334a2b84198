//! `snaphook.http` from outside: a real server, the real command, and an environment that would lead elsewhere.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::support::Sandbox;

/// A server on this machine that says back what it was asked.
struct Echo {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Echo {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, asked) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = request(&stream);
                log.lock().unwrap().push(request.clone());
                let head = "HTTP/1.1 201 Created\r\nx-a: b\r\nconnection: close";
                write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{request}", request.len()).unwrap();
            }
        });
        Echo { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// The first line of a request, and its body.
fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    format!("{} {}", first.trim(), String::from_utf8(body).unwrap())
}

fn hooks(grant: &str, port: u16) -> [(&'static str, String); 2] {
    [
        (
            "web.lua",
            format!(
                "-----\n-- name: web\n-- grants:\n--   net: [\"{grant}\"]\n-----\n\
                 on('tool_call', function(event, ctx)\n\
                   local one = snaphook.http.get('http://localhost:{port}/a', {{ timeout = 20 }})\n\
                   local two = snaphook.http.post('http://localhost:{port}/b', event.command)\n\
                   return {{ context = `{{one.status}} {{one.headers['x-a']}} {{one.url}} {{one.body}}, {{two.body}}` }}\n\
                 end)\n"
            ),
        ),
        (
            "web.rhai",
            format!(
                "//---\n// name: web\n// grants:\n//   net: [\"{grant}\"]\n//---\n\
                 on(\"tool_call\", |event, ctx| {{\n\
                   let one = snaphook::http::get(\"http://localhost:{port}/a\", #{{ timeout: 20 }});\n\
                   let two = snaphook::http::post(\"http://localhost:{port}/b\", event.command);\n\
                   #{{ context: `${{one.status}} ${{one.headers[\"x-a\"]}} ${{one.url}} ${{one.body}}, ${{two.body}}` }}\n\
                 }});\n"
            ),
        ),
    ]
}

/// Decides about `ls`, with variables that other programs take a proxy from.
fn gate(name: &str, text: &str, proxy: u16) -> (String, String) {
    let place = Sandbox::new();
    place.write(&format!("config/hooks/{name}"), text);
    let mut command =
        place.command(&["check", "--record", "--json", "--tool", "bash", "--input", r#"{"command":"ls"}"#]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, format!("http://127.0.0.1:{proxy}"));
    }
    let output = command.output().unwrap();
    let line = std::fs::read_dir(place.path("state/audit")).unwrap().map(|entry| entry.unwrap().path());
    let line = line.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect();
    (String::from_utf8(output.stdout).unwrap(), line)
}

/// Each field of a response and each other name, read by scripts in both languages.
#[test]
fn a_response_has_the_fields_of_its_stub() {
    let api = xtask::script_api::api().unwrap();
    let class = api.class("HttpResponse").unwrap();
    let server = Echo::start();
    let port = server.port;
    for field in class.fields.iter().map(|field| field.name.as_str()).chain(["stat"]) {
        for (name, text) in hooks(&format!("localhost:{port}"), port) {
            let text = text.replace("one.status", &format!("one.{field}"));
            let (said, _) = gate(name, &text, port);
            assert_eq!(said.contains("has no `stat`"), field == "stat", "{field} in {name}: {said}");
            assert_eq!(said.contains(r#""decision":"allow""#), field != "stat", "{field} in {name}: {said}");
        }
    }
    assert_eq!(class.fields.len(), 4);
}

#[test]
fn hooks_in_both_languages_reach_what_they_are_granted_and_no_proxy() {
    let (server, proxy) = (Echo::start(), Echo::start());
    let port = server.port;
    for (name, text) in hooks(&format!("localhost:{port}"), port) {
        let (said, audit) = gate(name, &text, proxy.port);
        let expected = format!("201 b http://localhost:{port}/a GET /a HTTP/1.1 , POST /b HTTP/1.1 ls");
        assert!(said.contains(&expected), "{name}: {said}");
        assert_eq!(server.asked(), ["GET /a HTTP/1.1 ", "POST /b HTTP/1.1 ls"], "{name}");
        assert!(
            audit.contains(&format!("\"grant\":\"net:localhost:{port}\",\"count\":2}}")),
            "{name}: {audit}"
        );
    }
    for (name, text) in hooks("localhost", port) {
        let (said, audit) = gate(name, &text, proxy.port);
        assert!(said.contains(&format!("http://localhost:{port}/a is not granted")), "{name}: {said}");
        let noted = format!("\"grant\":\"net:localhost:{port}\",\"count\":1,\"denied\":true}}");
        assert!(audit.contains(&noted), "{name}: {audit}");
    }
    assert_eq!(server.asked(), [] as [String; 0]);
    assert_eq!(proxy.asked(), [] as [String; 0], "no proxy was asked");
}
