//! Whatever either side sends: no panic, no hang, and nothing reaches the server that was denied.

use proptest::prelude::*;
use serde_json::Value;
use snaphook_mcp::{ElicitationUi, Options, Proxy, run};
use snaphook_mcp_transport::{Transport, framed};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use tokio::time::timeout;

use crate::scene::{TEST_TIMEOUT, host};

/// Every call is denied.
const NOTHING: &str = r#"on("tool_call", function() return { block = true, reason = "no" } end)"#;

/// The longest message here.
const MAX_MESSAGE_BYTES: usize = 2000;

/// The messages of a peer; `%` is an id.
const WORDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"t","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"tools\u002fcall","params":{"name":"t"}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"ping","Method":"tools/call","params":{"name":"t"}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"ping","method":"tools/call","params":{"name":"t"}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":2}}}"#,
    r#"[{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","id":%,"method":"ping"}]"#,
    r#"[[{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"t"}}]]"#,
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":%,"result":{"content":[{"type":"text","text":"x"}]}}"#,
    r#"[{"jsonrpc":"2.0","id":%,"result":{}},{"jsonrpc":"2.0","id":%,"error":{"code":1,"message":"m"}}]"#,
    r#"{"jsonrpc":"2.0","id":%,"error":{"code":1,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}"#,
    "[]",
    "{}",
    "null",
];

fn frame() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![Just("1"), Just("1.0"), Just("2"), Just("\"1\""), Just("null"), Just("[]")];
    let word = (prop::sample::select(WORDS), id).prop_map(|(word, id)| word.replace('%', id).into_bytes());
    let torn = (word.clone(), any::<prop::sample::Index>()).prop_map(|(mut word, at)| {
        word.truncate(at.index(word.len()));
        word
    });
    let broken =
        (word.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut word, at, byte)| {
            let at = at.index(word.len());
            word[at] = byte;
            word
        });
    let giant = word.clone().prop_map(|word| [word, vec![b' '; MAX_MESSAGE_BYTES]].concat());
    let noise = prop::collection::vec(any::<u8>(), 0..40);
    let line = prop_oneof![6 => word, 1 => torn, 2 => broken, 1 => giant, 1 => noise];
    line.prop_map(|line| [line, b"\n".to_vec()].concat())
}

fn frames() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(frame(), 0..20).prop_map(|frames| frames.concat())
}

fn side(stream: DuplexStream) -> Transport {
    let (from, to) = split(stream);
    framed(from, to, MAX_MESSAGE_BYTES).transport
}

/// Says all this, and then this; listens until a line has `until` in it.
async fn peer(stream: DuplexStream, says: Vec<u8>, last: &str, until: &str) -> (Vec<String>, DuplexStream) {
    let (from, mut to) = split(stream);
    let last = last.to_owned();
    let saying = async {
        to.write_all(&says).await.unwrap();
        to.write_all(format!("\n{last}\n").as_bytes()).await.unwrap();
        to
    };
    let mut from = BufReader::new(from);
    let listening = async {
        let mut heard = Vec::new();
        loop {
            let mut line = Vec::new();
            assert_ne!(from.read_until(b'\n', &mut line).await.unwrap(), 0, "the end, before {until}");
            let line = String::from_utf8(line).unwrap();
            let over = line.contains(until);
            heard.push(line);
            if over {
                return heard;
            }
        }
    };
    let (to, heard) = tokio::join!(saying, listening);
    (heard, from.into_inner().unsplit(to))
}

async fn survives(client_says: Vec<u8>, server_says: Vec<u8>) {
    let elicitation = Arc::new(ElicitationUi::default());
    let host = host(NOTHING, &elicitation);
    let ((client, at_client), (server, at_server)) = (duplex(1 << 16), duplex(1 << 16));
    let options = Options { name: Some("s".to_owned()), ..Options::default() };
    let session = tokio::spawn(run(Proxy { host, elicitation, options }, side(client), side(server)));
    let last = r#"{"jsonrpc":"2.0","id":"last","method":"last"}"#;
    let client = peer(at_client, client_says, last, "\"the last answer\"");
    let server = async {
        let (heard, stream) = peer(at_server, server_says, "", "\"last\"").await;
        let (from, mut to) = split(stream);
        to.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"result\":\"the last answer\"}\n")
            .await
            .unwrap();
        (heard, from.unsplit(to))
    };
    let both = async { tokio::join!(client, server) };
    let ((_, at_client), (heard, at_server)) = timeout(TEST_TIMEOUT, both).await.unwrap();
    for line in heard {
        let said: Value = serde_json::from_str(&line).unwrap();
        let parts = said.as_array().cloned().unwrap_or_else(|| vec![said]);
        for part in parts.iter().filter(|part| part.get("id").is_some()) {
            assert_ne!(part["method"], "tools/call", "{line}");
            assert_eq!(part.get("Method"), None, "{line}");
        }
    }
    drop((at_client, at_server));
    timeout(TEST_TIMEOUT, session).await.unwrap().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_frames_from_both_sides(client in frames(), server in frames()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(survives(client, server));
    }
}
