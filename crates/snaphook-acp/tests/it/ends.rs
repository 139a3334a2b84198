//! The end of either side, and messages that are too long.

use snaphook_acp::{Ended, Proxy, run};
use snaphook_mcp_transport::framed;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::scene::{BEGUN, TEST_TIMEOUT, play};

const ASKS: &str = r#"on("tool_call", function() return { ask = "Really?" } end)"#;

#[tokio::test]
async fn an_agent_that_dies_leaves_no_request_open() {
    let steps = format!(
        "{BEGUN}> {0}\n>> {0}\nxx\n< {1}\n",
        r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"the agent is gone"}}"#
    );
    assert_eq!(play("the agent dies", ASKS, &steps).await, Ended::Agent);
}

#[tokio::test]
async fn an_editor_that_goes_ends_the_agents_input() {
    let read =
        r#"{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}"#;
    let question = r#"{"jsonrpc":"2.0","id":"snaphook-1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"snaphook-1","title":"Snaphook asks for a hook: Really?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Asked by the hook \"h\" (user):\nfs/read_text_file: {\"path\":\"/a\"}"}}]},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}"#;
    let steps = format!("{BEGUN}<< {read}\n< {question}\nx\n");
    assert_eq!(play("the editor goes", ASKS, &steps).await, Ended::Editor);
}

/// Pipes in memory, with a limit that is reached soon.
#[tokio::test]
async fn a_message_that_is_too_long_is_an_error_and_the_next_is_read() {
    struct NoHosts;
    impl snaphook_acp::Hosts for NoHosts {
        fn host(
            &self,
            _: &std::path::Path,
            ui: std::sync::Arc<dyn snaphook::UiContext>,
        ) -> Result<snaphook::Host, snaphook_acp::HostError> {
            Ok(snaphook::Host::builder().ui(ui).build())
        }
    }
    const MAX: usize = 1000;
    let ((editor, at_editor), (agent, at_agent)) = (tokio::io::duplex(MAX), tokio::io::duplex(MAX));
    let sides = [at_editor, at_agent].map(|side| {
        let (from, to) = tokio::io::split(side);
        framed(from, to, MAX).transport
    });
    let [at_editor, at_agent] = sides;
    let proxy = Proxy::new(std::sync::Arc::new(NoHosts), "/p");
    let running = tokio::spawn(run(proxy, at_editor, at_agent));
    let (from_editor, mut editor) = tokio::io::split(editor);
    let (from_agent, mut agent) = tokio::io::split(agent);
    let (mut editor_hears, mut agent_hears) =
        (BufReader::new(from_editor).lines(), BufReader::new(from_agent).lines());
    let big = "x".repeat(3 * MAX);
    let hears = async |lines: &mut tokio::io::Lines<_>| {
        tokio::time::timeout(TEST_TIMEOUT, lines.next_line()).await.unwrap().unwrap().unwrap_or_default()
    };

    editor
        .write_all(
            format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\",\"params\":\"{big}\"}}\n").as_bytes(),
        )
        .await
        .unwrap();
    assert_eq!(
        hears(&mut editor_hears).await,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"the message cannot be read: it is longer than 1000 bytes"}}"#
    );
    let ask = r#"{"jsonrpc":"2.0","id":8,"method":"a"}"#;
    editor.write_all(format!("{ask}\n").as_bytes()).await.unwrap();
    let heard = tokio::time::timeout(TEST_TIMEOUT, agent_hears.next_line()).await.unwrap().unwrap();
    assert_eq!(heard.as_deref(), Some(ask));
    agent
        .write_all(format!("{{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":\"{big}\"}}\n").as_bytes())
        .await
        .unwrap();
    assert_eq!(
        hears(&mut editor_hears).await,
        r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32700,"message":"the agent's message cannot be read: it is longer than 1000 bytes"}}"#
    );
    agent
        .write_all(
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"fs/write_text_file\",\"params\":\"{big}\"}}\n"
            )
            .as_bytes(),
        )
        .await
        .unwrap();
    let heard = tokio::time::timeout(TEST_TIMEOUT, agent_hears.next_line()).await.unwrap().unwrap();
    assert_eq!(
        heard.as_deref(),
        Some(
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32700,"message":"the agent's message cannot be read: it is longer than 1000 bytes"}}"#
        )
    );
    editor.shutdown().await.unwrap();
    let ended = tokio::time::timeout(TEST_TIMEOUT, running).await.unwrap().unwrap();
    assert_eq!(ended, Ended::Editor);
}
