//! Servers of tools that take too long: none is waited for longer than it says. The sessions with hooks and a model are in the
//! command's own tests.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{CancellationToken, Host};
use snaphook_agent::driver::{ServerState, Step};
use snaphook_agent::mcp::{ServerConfig, ServerPlan, Servers, Surroundings};
use snaphook_agent::toolset::ToolSource as _;
use snaphook_core::ToolCall;
use snaphook_mcp::pins::{Pins, Server};
use tempfile::TempDir;

use crate::support::env;

/// Starts the server of the fixtures with these words, and says what became of it.
async fn start(folder: &Path, words: &[&str]) -> (Servers, Vec<Step>) {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/mcp/toolbox.py");
    let args: Vec<&str> = [server.to_str().unwrap()].into_iter().chain(words.iter().copied()).collect();
    let Value::Object(entry) = json!({ "command": "python3", "args": args }) else { panic!() };
    let env = env();
    let around = Surroundings { folder, env: &env };
    let config = ServerConfig::read("box", &entry, around, || Err("no TLS")).unwrap();
    let pins = Server { name: "box".to_owned(), target: config.words.clone() };
    let plan = ServerPlan { config, pins: Arc::new(Pins::new(None, pins)) };
    let mut steps = Vec::new();
    let host = Host::builder().build();
    let tell = &mut |step| steps.push(step);
    let servers = Servers::start(vec![plan], folder, host, CancellationToken::new(), tell).await;
    (servers, steps)
}

/// Time passes at once where nothing else happens, and a server that says nothing is nothing.
#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up() {
    let folder = TempDir::new().unwrap();
    let (servers, steps) = start(folder.path(), &["mute", "stubborn"]).await;
    let [Step::Server { state: ServerState::Failed { why }, .. }] = &steps[..] else { panic!("{steps:?}") };
    assert!(why.starts_with("it said nothing usable for 30 seconds"), "{why}");
    assert!(servers.changed().await.unwrap().tools.is_empty());
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_and_the_next_one_runs() {
    let folder = TempDir::new().unwrap();
    let (servers, steps) = start(folder.path(), &[]).await;
    assert!(matches!(steps[..], [Step::Server { state: ServerState::Connected { tools: 11 }, .. }]));
    let tools = servers.changed().await.unwrap().tools;
    assert!(servers.changed().await.is_none(), "nothing is new");
    let tool = |name: &str| Arc::clone(&tools.iter().find(|(spec, _)| spec.name == name).unwrap().1);
    let hang = ToolCall::new("1", "mcp__box__hang", json!({}));
    tokio::time::pause();
    let said = tool("mcp__box__hang").run(&hang, None).await;
    tokio::time::resume();
    let text = "the MCP server box did not answer within 120 seconds, and the request was cancelled; it may have run";
    assert_eq!((said.is_error, said.content.as_str()), (true, text));
    let echo = ToolCall::new("2", "mcp__box__echo", json!({"a": 1}));
    assert_eq!(tool("mcp__box__echo").run(&echo, None).await.content, "{\"a\": 1}");
    servers.close().await;
    // The server reads in order, so it has heard of it.
    let heard = std::fs::read_to_string(folder.path().join("cancelled")).unwrap();
    assert_eq!(heard, "the call was given up\n");
    let said = tool("mcp__box__echo").run(&echo, None).await;
    assert!(said.content.starts_with("the MCP server box has ended"), "{}", said.content);
}
