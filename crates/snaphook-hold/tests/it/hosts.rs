//! `net = [hosts]` and `net = "loopback"`: what is reached through the proxy, and what is not. Not here: how requests are read
//! (`proxy`).

use serde_json::json;

use crate::bed::{Bed, User};
use crate::servers::Servers;

const CONNECT: &str = "
import os, socket, sys
proxy = os.environ['https_proxy'].split(':')
s = socket.create_connection(('127.0.0.1', int(proxy[2])))
s.send(b'CONNECT %s HTTP/1.1\\r\\n\\r\\n' % sys.argv[1].encode())
print(s.recv(99).split(b'\\r')[0].decode())
s.send(b'new'); s.close()
";

#[test]
fn only_named_hosts_are_reached() {
    for user in User::all() {
        let bed = Bed::new(user);
        let servers = Servers::start(&bed.path("run/socket"), &bed.path("h/.tool/settings.json"));
        let port = servers.port;
        let named = json!({"hold": {"net": [format!("127.0.0.1:{port}")]}});
        let other = json!({"hold": {"net": ["127.0.0.1:1", "a.org"]}});
        let direct = format!("import socket; socket.create_connection(('127.0.0.1', {port})).send(b'new')");
        let to = format!("127.0.0.1:{port}");
        let run = |policy, words: &[&str]| {
            let words: Vec<String> =
                ["/usr/bin/python3", "-c"].iter().chain(words).map(|word| (*word).to_owned()).collect();
            let output = bed.run(Some(policy), &words);
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
        };
        assert!(run(&named, &[CONNECT, &to]).contains("200 Connection established"));
        assert_eq!(servers.hits(), 1);
        assert!(run(&other, &[CONNECT, &to]).contains("403 Forbidden"));
        assert!(run(&named, &[&direct]).contains("refused"));
        assert_eq!(servers.hits(), 1);
    }
}

/// The command has no child that it did not start, and its end is not waited for by anybody's streams.
#[test]
fn the_proxy_is_nobodys_child() {
    for user in User::all() {
        let bed = Bed::new(user);
        let policy = json!({"hold": {"net": ["a.org"]}});
        let script = "cat /proc/$$/task/$$/children; echo; env | grep -c -i _proxy=";
        let output = bed.run(Some(&policy), &["sh", "-c", script].map(str::to_owned));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<_> = text.lines().collect();
        // The child is `cat` itself.
        assert!(lines[0].split_whitespace().count() <= 1 && lines[1] == "8", "{text}");
    }
}

#[test]
fn a_loopback_of_its_own() {
    for user in User::all() {
        let bed = Bed::new(user);
        let servers = Servers::start(&bed.path("run/socket"), &bed.path("h/.tool/settings.json"));
        let script = format!(
            "import socket\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n\
             socket.create_connection(s.getsockname()); print('own')\n\
             socket.create_connection(('127.0.0.1', {}))",
            servers.port
        );
        let policy = json!({"hold": {"net": "loopback"}});
        let output = bed.run(Some(&policy), &["/usr/bin/python3", "-c", &script].map(str::to_owned));
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(text.starts_with("own\n") && text.contains("refused"), "{text}");
        assert_eq!(servers.hits(), 0);
    }
}
