//! Tests of the proxy's reading and deciding, over real loopback connections.

use std::net::TcpListener;

use snaphook_core::Net;

use super::*;

fn hosts(list: &[String]) -> NetHosts {
    match Net::hosts(list.iter().map(|text| NetGrant::parse(text).unwrap())) {
        Net::Hosts(hosts) => hosts,
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_are_read() {
    for (first, expected) in [
        ("CONNECT a.org:443 HTTP/1.1", Some("a.org 443 -")),
        ("CONNECT [::1]:9 HTTP/1.1", Some("::1 9 -")),
        ("GET http://a.org/x?y HTTP/1.1", Some("a.org 80 GET /x?y HTTP/1.1")),
        ("GET http://a.org HTTP/1.1", Some("a.org 80 GET / HTTP/1.1")),
        ("GET http://a.org?q HTTP/1.0", Some("a.org 80 GET /?q HTTP/1.0")),
        ("GET http://a.org:81/ HTTP/1.1", Some("a.org 81 GET / HTTP/1.1")),
        ("CONNECT a.org HTTP/1.1", None),
        ("GET /x HTTP/1.1", None),
        ("GET http://u@a.org/ HTTP/1.1", None),
        ("GET http://a.org:x/ HTTP/1.1", None),
        ("GET http://a.org/", None),
        ("", None),
    ] {
        let head = [first.to_owned(), "Host: other.org".to_owned(), "A: b".to_owned()];
        let read = request(&head).ok().map(|(target, forwarded)| {
            let forwarded = forwarded.map(|head| String::from_utf8(head).unwrap());
            assert!(
                forwarded
                    .as_ref()
                    .is_none_or(|head| !head.contains("other.org") && head.contains("A: b\r\n"))
            );
            let line = forwarded.as_deref().and_then(|head| head.lines().next()).unwrap_or("-").to_owned();
            format!("{} {} {line}", target.host, target.port)
        });
        assert_eq!(read.as_deref(), expected, "{first}");
    }
}

#[test]
fn addresses_of_this_machine_are_known() {
    for (address, expected) in [
        ("127.0.0.1", true),
        ("127.9.9.9", true),
        ("0.0.0.0", true),
        ("169.254.169.254", true),
        ("::1", true),
        ("::", true),
        ("::ffff:127.0.0.1", true),
        ("fe80::1", true),
        ("10.0.0.1", false),
        ("93.184.216.34", false),
        ("2606::1", false),
    ] {
        assert_eq!(leads_inward(address.parse().unwrap()), expected, "{address}");
    }
}

/// A server that answers each connection with what it was sent, and a proxy before it.
fn through(allowed: &str, asked: impl Fn(u16) -> Vec<u8>) -> String {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let echo = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        stream.write_all(&bytes).unwrap();
    });
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = proxy.local_addr().unwrap();
    let hosts = hosts(&[allowed.replace("PORT", &port.to_string())]);
    let served = thread::spawn(move || serve(proxy.accept().unwrap().0, &hosts));
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(&asked(port)).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    served.join().unwrap();
    // Not every case reaches the server; a connection ends it all the same.
    drop(TcpStream::connect(("127.0.0.1", port)));
    echo.join().unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn allowed_hosts_are_reached_and_others_are_not() {
    let connect = |host: &'static str| {
        move |port: u16| format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\nhello").into_bytes()
    };
    let get = |host: &'static str| {
        move |port: u16| format!("GET http://{host}:{port}/p HTTP/1.1\r\nHost: x\r\n\r\nbody").into_bytes()
    };
    let socks = |name: &'static str| {
        move |port: u16| {
            let mut bytes = vec![5, 1, 0, 5, 1, 0, 3, name.len() as u8];
            bytes.extend(name.as_bytes());
            bytes.extend(port.to_be_bytes());
            bytes.extend(b"hello");
            bytes
        }
    };
    let answer = through("127.0.0.1:PORT", connect("127.0.0.1"));
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\nhello");
    let answer = through("localhost:PORT", get("LOCALHOST."));
    assert!(
        answer.starts_with("GET /p HTTP/1.1\r\nHost: LOCALHOST.:") && answer.ends_with("\r\n\r\nbody"),
        "{answer}"
    );
    assert!(through("localhost:PORT", socks("localhost")).ends_with("hello"));
    for answer in [
        through("localhost:PORT", connect("127.0.0.1")),
        through("127.0.0.1:1", connect("127.0.0.1")),
        through("a.org:PORT", get("localhost")),
    ] {
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden"), "{answer}");
        assert!(answer.contains("is not among the hosts that this command may reach"), "{answer}");
    }
    assert!(through("a.org:PORT", |_| b"nonsense\r\n\r\n".to_vec()).starts_with("HTTP/1.1 400"));
    assert_eq!(through("a.org:PORT", socks("localhost")).as_bytes()[3], 2);
}
