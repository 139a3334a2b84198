//! Prompts: blocked, rewritten, cancelled, with what waits for the model.

use crate::scene::{BEGUN, play_all};

const GATE: &str = r#"
on("user_prompt", function(event, ctx)
  local prompt = event.prompt
  if prompt == "no" then return { block = true, reason = "not this" } end
  if prompt == "ask" then return { ask = "Send it?" } end
  if prompt == "two\nlines" then return { prompt = "one" } end
  if prompt == "rewrite" then return { prompt = "new" } end
  if prompt == "" then return { prompt = "seen" } end
  if prompt == "context" then
    ctx.send("later", { deliver = "next_turn" })
    return { context = "by the way" }
  end
end)
"#;

fn prompt(blocks: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1, "method":"session/prompt","params":{{"sessionId":"s","prompt": [{blocks}],"_meta":{{"a":1.0}}}}}}"#
    )
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn becomes(blocks: &str, others: &str) -> String {
    format!("{BEGUN}> {}\n>> {}\n", prompt(blocks), prompt(others))
}

const REFUSED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"refusal"}}"#;

fn said(text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
    )
}

#[tokio::test]
async fn prompts_pass_their_gate() {
    let image = r#"{"type":"image","data":"AAAA","mimeType":"image/png","size":1.0}"#;
    let marked = r#"{"text":"go","type":"text","_meta":{"a":1.0}}"#;
    let question = r#"{"jsonrpc":"2.0","id":"snaphook-1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"snaphook-1","title":"Snaphook asks for a hook: Send it?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Asked by the hook \"h\" (user):\n{\"prompt\":\"ask\"}"}}]},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}"#;
    let over = |status: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call_update","toolCallId":"snaphook-1","status":"{status}"}}}}}}"#
        )
    };
    let ask = text("ask");
    let error =
        |text: &str| format!(r#"< {{"jsonrpc":"2.0","id":1,"error":{{"code":-32602,"message":"{text}"}}}}"#);
    let cancel = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    let done = r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}"#;
    play_all(
        GATE,
        &[
            ("as it came", format!("{}<< {done}\n< {done}\n", becomes(&format!("{marked}, {image}"), &format!("{marked}, {image}")))),
            ("blocked", format!("{BEGUN}> {}\n< {}\n< {REFUSED}\n", prompt(&text("no")), said("Blocked by snaphook: not this [h at h.lua:2]"))),
            (
                "rewritten",
                format!(
                    "{BEGUN}> {}\n>> {}\n",
                    prompt(&format!(r#"{image}, {{"text":"rewrite","type":"text","_meta":{{"a":1.0}}}}"#)),
                    prompt(&format!(r#"{image},{{"text":"new","type":"text","_meta":{{"a":1.0}}}}"#))
                ),
            ),
            ("several texts", becomes(&format!("{},{image},{}", text("two"), text("lines")), &format!("{},{image}", text("one")))),
            ("no text", becomes(image, &format!("{image},{}", text("seen")))),
            ("with context", becomes(&text("context"), &format!("{},{}", text("context"), text(r"by the way\n\nlater")))),
            (
                "asked: no",
                format!(
                    "{BEGUN}> {}\n< {question}\n> {}\n< {}\n< {}\n< {REFUSED}\n",
                    prompt(&ask),
                    r#"{"jsonrpc":"2.0","id":"snaphook-1","result":{"outcome":{"outcome":"selected","optionId":"no"}}}"#,
                    over("failed"),
                    said("Blocked by snaphook: declined by the person: Send it? [h at h.lua:2]")
                ),
            ),
            (
                "cancelled at its gate",
                format!(
                    "{BEGUN}> {}\n< {question}\n> {cancel}\n>> {cancel}\n< {}\n< {}\n",
                    prompt(&ask),
                    over("failed"),
                    r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}"#
                ),
            ),
            (
                "withdrawn at its gate",
                format!(
                    "{BEGUN}> {}\n< {question}\n> {}\n< {}\n< {}\n",
                    prompt(&ask),
                    r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#,
                    over("failed"),
                    r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}"#
                ),
            ),
            ("no list", format!("{BEGUN}> {}\n{}\n", prompt("").replace("[]", "7"), error("the prompt cannot be read by hooks, so it is denied: it has no `prompt`, or one of another type"))),
            ("a key twice", format!("{BEGUN}> {}\n{}\n", prompt(r#"{"a":1,"a":2}"#), error(r#"the prompt cannot be read by hooks, so it is denied: the key \"a\" occurs twice in one object"#))),
            ("no session", format!("> {}\n{}\n", prompt(""), error(r#"the session \"s\" was not begun through snaphook, so it is not known which hooks guard it; begin it with `session/new` or `session/load`"#))),
        ],
    )
    .await;
}
