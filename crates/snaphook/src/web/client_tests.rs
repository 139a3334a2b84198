//! The client against servers of this process, over real sockets. What they say is hostile where it can be.

#[path = "client_tests/servers.rs"]
mod servers;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use snaphook_core::{BoxFuture, HookRef, HttpRequest, HttpResponse, Scope, ServiceError};

use super::{HttpClient, system_tls, tls_builder};
use crate::grants::Reach;
use crate::web::dial::{Lookup, SystemLookup};
use crate::web::{MAX_HTTP_BODY, MAX_REDIRECTS, Web, WebPlace, check};
use servers::{Server, moved, ok, request};

// ---- clients ----

fn get(url: &str) -> HttpRequest {
    HttpRequest { method: "GET".into(), url: url.into(), ..HttpRequest::default() }
}

fn post(url: &str, body: &str) -> HttpRequest {
    HttpRequest { method: "POST".into(), body: Some(body.into()), ..get(url) }
}

fn headers(list: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

async fn ask(
    client: &HttpClient,
    net: &[String],
    request: HttpRequest,
) -> Result<HttpResponse, ServiceError> {
    let reach = Reach::new(net);
    let request = check(&reach, request)?;
    let hook = HookRef::new("a", "a", Scope::User, "a.lua");
    client.run(WebPlace { hook, reach }, request).await
}

async fn fetch(server: &Server, request: HttpRequest) -> Result<HttpResponse, ServiceError> {
    ask(&HttpClient::default(), &[server.grant()], request).await
}

async fn shown(server: &Server, path: &str) -> String {
    match fetch(server, get(&server.url(path))).await {
        Ok(HttpResponse { status, body, .. }) => format!("{status} {body}"),
        Err(error) => error.0.replace(&server.url(""), "URL"),
    }
}

/// Gives one list of numbers after the other; what is asked of it more often panics.
#[derive(Default)]
struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Lookup for Arc<Names> {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name);
        let answer = self.answers.lock().unwrap().pop_front().expect("an unexpected lookup");
        Box::pin(async move { Ok(answer) })
    }
}

/// A client that gets these numbers, one list a lookup.
fn numbers(answers: &[&[&str]]) -> (HttpClient, Arc<Names>) {
    let read = |list: &&[&str]| list.iter().map(|number| number.parse().unwrap()).collect();
    let names =
        Arc::new(Names { answers: Mutex::new(answers.iter().map(read).collect()), ..Names::default() });
    (HttpClient::with(Box::new(Arc::clone(&names)), OnceLock::new()), names)
}

// ---- what is asked and answered ----

#[tokio::test]
async fn a_request_goes_out_as_it_was_written_and_the_answer_comes_back_whole() {
    let server = Server::says(
        "HTTP/1.1 404 Not Found\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n\
         5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
    );
    let asked = HttpRequest {
        headers: headers(&[("X-Key", "v"), ("Content-Type", "application/json")]),
        ..post(&server.url("/a?b=c#d"), "{}")
    };
    let response = fetch(&server, asked).await.unwrap();
    assert_eq!((response.status, response.body.as_str()), (404, "hello!"));
    assert_eq!(response.url, server.url("/a?b=c"));
    assert_eq!(
        (response.headers["x-a"].as_str(), response.headers["content-type"].as_str()),
        ("1, 2", "text/plain")
    );
    let [asked] = &server.asked()[..] else { panic!("one request") };
    assert!(asked.starts_with("POST /a?b=c HTTP/1.1\r\n"), "{asked}");
    assert!(asked.ends_with("\r\n\r\n{}"), "{asked}");
    for line in ["x-key: v", "content-type: application/json", &format!("host: {}", server.grant())] {
        assert!(asked.contains(&format!("\r\n{line}\r\n")), "{line} in {asked}");
    }
    for unasked in ["referer", "cookie", "authorization"] {
        assert!(!asked.contains(unasked), "{asked}");
    }
}

#[tokio::test]
async fn a_body_without_a_type_is_text_and_a_request_without_a_body_has_none() {
    let server = Server::says(ok("x"));
    fetch(&server, post(&server.url("/"), "é")).await.unwrap();
    fetch(&server, get(&server.url("/"))).await.unwrap();
    let asked = server.asked();
    assert!(asked[0].contains("\r\ncontent-type: text/plain; charset=utf-8\r\n"), "{}", asked[0]);
    assert!(asked[0].contains("\r\nuser-agent: snaphook/"), "{}", asked[0]);
    assert!(!asked[1].contains("content-"), "{}", asked[1]);
}

#[tokio::test]
async fn nothing_is_kept_between_two_requests() {
    // It would go on with the same connection.
    let server = Server::new(|_, stream| {
        let fields = "set-cookie: a=b\r\nset-cookie: c=d\r\nconnection: keep-alive";
        stream.write_all(format!("HTTP/1.1 200 OK\r\n{fields}\r\ncontent-length: 0\r\n\r\n").as_bytes())?;
        stream.read_exact(&mut [0])
    });
    let client = HttpClient::default();
    for _ in 0..2 {
        let response = ask(&client, &[server.grant()], get(&server.url("/"))).await.unwrap();
        assert_eq!(response.headers["set-cookie"], "a=b, c=d");
    }
    let asked = server.asked();
    assert_eq!(asked.len(), 2, "each on a connection of its own");
    assert!(!asked[1].contains("cookie"), "{}", asked[1]);
}

#[tokio::test]
async fn bodies_are_text_and_bytes_that_are_none_are_replaced() {
    for (answer, expected) in [
        (ok("é").into_bytes(), "200 é"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na\xffb".to_vec(), "200 a\u{fffd}b"),
        (b"HTTP/1.1 200 OK\r\n\r\nto the end".to_vec(), "200 to the end"),
        (b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), "204 "),
        (b"HTTP/1.1 500 Oops\r\ncontent-length: 1\r\n\r\nx".to_vec(), "500 x"),
        (b"HTTP/1.1 304 Not Modified\r\nlocation: /x\r\n\r\n".to_vec(), "304 "),
        (b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n".to_vec(), "302 "),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx".to_vec(), "200 x"),
    ] {
        assert_eq!(shown(&Server::says(answer), "/").await, expected);
    }
}

// ---- where it goes ----

#[tokio::test]
async fn redirects_are_followed_within_the_grants() {
    let other = Server::says(ok("other"));
    let target = other.url("/t");
    let server = Server::new(move |request, stream| {
        let path = request.split(' ').nth(1).unwrap().to_owned();
        let answer = match path.as_str() {
            "/end" => ok(&request.replace("\r\n", "|")),
            "/loop" => moved(302, "/loop"),
            "/out" => moved(302, &target),
            "/file" => moved(302, "file:///etc/passwd"),
            "/private" => moved(302, "http://10.0.0.1/"),
            "/meta" => moved(307, "http://169.254.169.254/latest/meta-data"),
            "/user" => moved(302, "http://a:b@127.0.0.1/"),
            "/name" => moved(302, "http://localhost:1/"),
            "/back" => moved(302, "\\\\evil.test/"),
            path => match path.strip_prefix("/chain/").unwrap_or_default().parse::<usize>() {
                Ok(0) => moved(302, "/end"),
                Ok(n) => moved(302, &format!("/chain/{}", n - 1)),
                Err(_) => moved(path[1..].parse().unwrap(), "/end"),
            },
        };
        stream.write_all(answer.as_bytes())
    });
    // The method and the body, as browsers do it.
    for (status, expected) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")] {
        let sent = HttpRequest {
            headers: headers(&[("x-key", "v")]),
            ..post(&server.url(&format!("/{status}")), "BODY")
        };
        let response = fetch(&server, sent).await.unwrap();
        assert!(response.body.starts_with(&format!("{expected} /end ")), "{status}: {}", response.body);
        let has_body = response.body.ends_with("BODY") && response.body.contains("content-type");
        assert_eq!(has_body, expected == "POST", "{status}: {}", response.body);
        assert!(response.body.contains("x-key: v"), "{status}: {}", response.body);
        assert_eq!(response.url, server.url("/end"));
    }
    let last = format!("/chain/{}", MAX_REDIRECTS - 1);
    assert!(shown(&server, &last).await.starts_with("200 GET /end "), "the most that are followed");
    let port = other.port;
    for (path, expected) in [
        (
            format!("/chain/{MAX_REDIRECTS}"),
            format!("failed to reach URL/chain/{MAX_REDIRECTS}: more than 5 redirects"),
        ),
        ("/loop".into(), "failed to reach URL/loop: more than 5 redirects".into()),
        ("/out".into(), format!("needs `net: [\"127.0.0.1:{port}\"]`")),
        ("/file".into(), "it redirects, and file:///etc/passwd is refused: only https and http".into()),
        ("/private".into(), "needs `net: [\"10.0.0.1\"]`".into()),
        ("/meta".into(), "needs `net: [\"169.254.169.254\"]`".into()),
        ("/user".into(), "before the host is not taken".into()),
        ("/name".into(), "needs `net: [\"localhost:1\"]`".into()),
        ("/back".into(), "has a '\\\\' in it".into()),
    ] {
        let came = shown(&server, &path).await;
        assert!(came.contains(&expected), "{path}: {came}");
    }
    assert_eq!(other.asked(), [] as [String; 0], "no request went there");
}

#[tokio::test]
async fn another_host_is_not_told_who_asks() {
    let other = Server::says(ok("other"));
    let target = other.url("/t");
    let server = Server::new(move |_, stream| stream.write_all(moved(307, &target).as_bytes()));
    let sent = HttpRequest {
        headers: headers(&[
            ("authorization", "s1"),
            ("cookie", "s2"),
            ("x-api-key", "s3"),
            ("accept", "a/b"),
        ]),
        ..post(&server.url("/"), "BODY")
    };
    let response = ask(&HttpClient::default(), &[server.grant(), other.grant()], sent).await.unwrap();
    assert_eq!((response.body.as_str(), response.url), ("other", other.url("/t")));
    assert!(server.asked()[0].contains("authorization: s1"), "{:?}", server.asked());
    let [asked] = &other.asked()[..] else { panic!("one request") };
    assert!(asked.contains("accept: a/b") && asked.ends_with("BODY"), "{asked}");
    for secret in ["s1", "s2", "s3", "referer"] {
        assert!(!asked.contains(secret), "{secret} in {asked}");
    }
}

#[tokio::test]
async fn a_name_that_leads_into_the_network_is_refused_before_anything_is_sent() {
    for list in [
        &["127.0.0.1"][..],
        &["1.1.1.1", "127.0.0.1"],
        &["127.0.0.1", "1.1.1.1"],
        &["10.0.0.1"],
        &["169.254.169.254"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["2002:7f00:1::"],
        &["0.0.0.0"],
    ] {
        let server = Server::says(ok("secret"));
        let (client, names) = numbers(&[list]);
        let address = format!("http://evil.test:{}/", server.port);
        let net = [format!("evil.test:{}", server.port), format!("localhost:{}", server.port)];
        let error = ask(&client, &net, get(&address)).await.unwrap_err();
        assert!(error.0.contains("address, which is not granted"), "{list:?}: {error}");
        assert_eq!(server.asked(), [] as [String; 0], "{list:?}");
        assert_eq!(*names.asked.lock().unwrap(), ["evil.test"]);
    }
    let (client, _) = numbers(&[&[]]);
    let error = ask(&client, &["a.test".into()], get("http://a.test/")).await.unwrap_err();
    assert_eq!(error.0, "failed to reach http://a.test/: a.test was not found: it has no address");
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_what_was_checked_is_where_it_connects() {
    let good = Server::new(|request, stream| {
        let answer = if request.starts_with("GET /again") { moved(302, "/") } else { ok("good") };
        stream.write_all(answer.as_bytes())
    });
    // The same port at another loopback address, which is not granted.
    let Ok(listener) = TcpListener::bind(("127.0.0.2", good.port)) else { return };
    listener.set_nonblocking(true).unwrap();
    let address = |path: &str| format!("http://rebind.test:{}{path}", good.port);
    let net = [format!("rebind.test:{}", good.port), good.grant()];

    let (client, names) = numbers(&[&["127.0.0.1"], &["127.0.0.2"]]);
    assert_eq!(ask(&client, &net, get(&address("/"))).await.unwrap().body, "good");
    assert_eq!(names.asked.lock().unwrap().len(), 1, "one exchange, one lookup");
    // The next exchange looks it up anew, and finds that it moved.
    let error = ask(&client, &net, get(&address("/"))).await.unwrap_err();
    assert!(error.0.contains("leads to 127.0.0.2, a loopback address"), "{error}");

    // So does each redirect, also to the same name.
    let (client, names) = numbers(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let error = ask(&client, &net, get(&address("/again"))).await.unwrap_err();
    assert!(error.0.contains("leads to 127.0.0.2"), "{error}");
    assert_eq!(names.asked.lock().unwrap().len(), 2);
    assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock, "there was no connection");
}

#[tokio::test]
async fn localhost_is_this_machine_whatever_name_servers_say() {
    let server = Server::says(ok("here"));
    let (client, names) = numbers(&[]);
    let net = [format!("localhost:{}", server.port)];
    for host in ["localhost", "LOCALHOST."] {
        let response = ask(&client, &net, get(&format!("http://{host}:{}/", server.port))).await.unwrap();
        assert_eq!(
            (response.body.as_str(), response.url),
            ("here", format!("http://localhost:{}/", server.port))
        );
    }
    assert_eq!(*names.asked.lock().unwrap(), [] as [String; 0]);
    assert!(server.asked()[1].contains(&format!("host: localhost:{}", server.port)), "{:?}", server.asked());
}

// ---- servers that mean harm ----

#[tokio::test]
async fn answers_that_are_too_long_are_given_up() {
    let big = "a".repeat(1 << 16);
    let chunk = format!("10000\r\n{big}\r\n").into_bytes();
    let endless = Server::new(move |_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
        loop {
            stream.write_all(&chunk)?;
        }
    });
    assert_eq!(shown(&endless, "/").await, "failed to reach URL/: the answer is longer than 4 MiB");

    let announced =
        Server::says(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\nx", MAX_HTTP_BODY + 1));
    assert_eq!(shown(&announced, "/").await, "failed to reach URL/: the answer is longer than 4 MiB");

    let exactly = Server::says(ok(&"a".repeat(MAX_HTTP_BODY)));
    assert_eq!(shown(&exactly, "/").await.len(), MAX_HTTP_BODY + 4);

    // 64 MiB of zeros in 64 KiB.
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![0; 64 << 20]).unwrap();
    let bomb = packer.finish().unwrap();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", bomb.len())
            .into_bytes();
    answer.extend_from_slice(&bomb);
    assert_eq!(
        shown(&Server::says(answer), "/").await,
        "failed to reach URL/: the answer is longer than 4 MiB"
    );

    let fields =
        Server::says(format!("HTTP/1.1 200 OK\r\nx: {}\r\ncontent-length: 0\r\n\r\n", "a".repeat(70_000)));
    let expected = "failed to reach URL/: the header fields of the answer are longer than 64 KiB";
    assert_eq!(shown(&fields, "/").await, expected);

    let endless = Server::new(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        loop {
            stream.write_all(b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n")?;
        }
    });
    assert!(shown(&endless, "/").await.starts_with("failed to reach URL/: "));
}

#[tokio::test]
async fn packed_answers_are_unpacked_where_it_is_known_how() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(b"packed").unwrap();
    let packed = packer.finish().unwrap();
    let answer = |encoding: &str, body: &[u8]| {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body].concat()
    };
    for (answer, expected) in [
        (answer("gzip", &packed), "200 packed"),
        (answer("identity", b"plain"), "200 plain"),
        (answer("br", b"x"), "failed to reach URL/: the answer is packed as \"br\", which was not requested"),
        (answer("gzip", b"no gzip"), "failed to reach URL/: "),
        (answer("gzip", &packed[..packed.len() / 2]), "failed to reach URL/: "),
    ] {
        let came = shown(&Server::says(answer), "/").await;
        assert!(came.starts_with(expected), "{came:?}");
    }
}

#[tokio::test]
async fn servers_that_are_slow_or_leave_are_errors() {
    // Each byte comes in time; all of them do not.
    let drip = |head: &'static str, piece: &'static str| {
        Server::new(move |_, stream| {
            stream.write_all(head.as_bytes())?;
            loop {
                stream.write_all(piece.as_bytes())?;
                std::thread::sleep(Duration::from_millis(20));
            }
        })
    };
    let silent = Server::new(|_, stream| stream.read_exact(&mut [0]));
    let redirecting = Server::new(|_, stream| {
        std::thread::sleep(Duration::from_millis(150));
        stream.write_all(moved(302, "/").as_bytes())
    });
    for server in [
        silent,
        redirecting,
        drip("HTTP/1.1 200 OK\r\n", "x-a: b\r\n"),
        drip("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        drip("HTTP/1.1 200 OK\r\n\r\n", "x"),
        drip("", "HTTP/1.1 100 Continue\r\n\r\n"),
    ] {
        let request = HttpRequest { timeout: Some(Duration::from_millis(300)), ..get(&server.url("/")) };
        let error = fetch(&server, request).await.unwrap_err();
        assert!(error.0.ends_with(": there was no whole answer within 0.3 s"), "{error}");
    }
    for (answer, expected) in [
        ("", "connection closed"),
        ("HTTP/1.1 200", ""),
        ("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort", ""),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel", ""),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", ""),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", ""),
        ("HTTP/1.1 200 OK\r\nx\0y: z\r\n\r\n", ""),
        ("SSH-2.0-OpenSSH_9.6\r\n", ""),
        ("<html>", ""),
    ] {
        let came = shown(&Server::says(answer), "/").await;
        let why = came.strip_prefix("failed to reach URL/: ").unwrap_or_else(|| panic!("{answer:?}: {came}"));
        assert!(!why.is_empty() && why.contains(expected), "{answer:?}: {came}");
    }
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error =
        ask(&HttpClient::default(), &[gone.to_string()], get(&format!("http://{gone}/?token=x"))).await;
    let error = error.unwrap_err().0;
    assert!(
        error.starts_with(&format!("failed to reach http://{gone}/: ")) && error.contains("refused"),
        "{error}"
    );
}

#[tokio::test]
async fn who_is_dropped_is_no_longer_connected() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let server = Server::new(move |_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nbegun")?;
        tell.lock().unwrap().send("asked").unwrap();
        let left = stream.read(&mut [0]).map_or(true, |length| length == 0);
        tell.lock().unwrap().send(if left { "left" } else { "said more" }).unwrap();
        Ok(())
    });
    let next = |told: Receiver<&'static str>| async move {
        tokio::task::spawn_blocking(move || (told.recv_timeout(Duration::from_secs(20)), told)).await.unwrap()
    };
    let waiting = tokio::spawn({
        let (net, request) = ([server.grant()], get(&server.url("/")));
        async move { ask(&HttpClient::default(), &net, request).await }
    });
    let (said, told) = next(told).await;
    assert_eq!(said, Ok("asked"));
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert_eq!(next(told).await.0, Ok("left"));
}

// ---- certificates ----

/// A server with a certificate for these names that it made itself, and a client's configuration that trusts it.
fn secure(names: &[&str]) -> (u16, rustls::ClientConfig) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config =
        Arc::new(config.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            std::thread::spawn(move || {
                request(&mut stream)?;
                stream.write_all(ok("secure").as_bytes())?;
                stream.conn.send_close_notify();
                stream.flush()
            });
        }
    });
    let mut roots = rustls::RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    (port, tls_builder().unwrap().with_root_certificates(roots).with_no_client_auth())
}

#[tokio::test]
async fn certificates_are_asked_for_and_have_to_be_for_the_host() {
    let trusting = |config: &rustls::ClientConfig| {
        let tls = OnceLock::new();
        let _empty = tls.set(Ok(config.clone()));
        HttpClient::with(Box::new(SystemLookup), tls)
    };
    let (port, config) = secure(&["localhost"]);
    let net = [format!("localhost:{port}"), format!("127.0.0.1:{port}")];
    let address = format!("https://localhost:{port}/");
    assert_eq!(ask(&trusting(&config), &net, get(&address)).await.unwrap().body, "secure");

    // For another name, and from an unknown issuer.
    let by_number = format!("https://127.0.0.1:{port}/");
    let error = ask(&trusting(&config), &net, get(&by_number)).await.unwrap_err();
    assert!(error.0.contains("certificate not valid for name"), "{error}");
    let nobody =
        tls_builder().unwrap().with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    let error = ask(&trusting(&nobody), &net, get(&address)).await.unwrap_err();
    assert!(error.0.contains("invalid peer certificate: UnknownIssuer"), "{error}");
    let (_, another) = secure(&["localhost"]);
    let error = ask(&trusting(&another), &net, get(&address)).await.unwrap_err();
    assert!(error.0.contains("invalid peer certificate"), "{error}");

    // The system's own roots, where it has some, do not have it either.
    let error = ask(&HttpClient::default(), &net, get(&address)).await.unwrap_err();
    let expected =
        if system_tls().is_ok() { "invalid peer certificate" } else { "https is not to be had here" };
    assert!(error.0.contains(expected), "{error}");

    // http to a server of https, and the other way round.
    assert!(ask(&trusting(&config), &net, get(&format!("http://localhost:{port}/"))).await.is_err());
    let plain = Server::says(ok("plain"));
    let address = format!("https://127.0.0.1:{}/", plain.port);
    assert!(ask(&trusting(&config), &[plain.grant()], get(&address)).await.is_err());
    assert_eq!(plain.asked(), [] as [String; 0], "nothing was said in the clear");
}
