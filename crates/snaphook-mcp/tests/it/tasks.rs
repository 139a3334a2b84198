//! Calls whose results come later, in what the server says of a task: with `tasks/result` up to the protocol of 2025-11-25, inside of
//! what `tasks/get` and `notifications/tasks` say since 2026-07-28. What is no result yet, and of which kind our own are.

use snaphook_mcp::Options;

use crate::scene::play;

const RESULTS: &str = r#"
on("tool_result", { tool = "mcp" }, function(event)
  return { content = event.content .. "!" }
end)
"#;

const CALL: &str = r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","task":{}}}
>> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","task":{}}}
"#;

async fn play_all(cases: &[(&str, &str)]) {
    for (name, steps) in cases {
        let options = Options { name: Some("s".to_owned()), ..Options::default() };
        play(name, RESULTS, options, &format!("{CALL}{steps}")).await;
    }
}

#[tokio::test]
async fn hooks_look_at_a_result_that_comes_later() {
    play_all(&[
        (
            "tasks/result",
            r#"
<< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a","status":"working" }}}
< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a","status":"working" }}}
> {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done!"}]}}
"#,
        ),
        (
            "tasks/get",
            r#"
<< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"a","status":"working" }}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"a","status":"working" }}
> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":2,"result":{"taskId":"a", "status":"working"}}
< {"jsonrpc":"2.0","id":2,"result":{"taskId":"a", "status":"working"}}
> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":3,"result":{"taskId":"a", "status":"completed","result":{"content":[{"type":"text","text":"done"}]},"x":1.0}}
< {"jsonrpc":"2.0","id":3,"result":{"taskId":"a", "status":"completed","result":{"content":[{"type":"text","text":"done!"}]},"x":1.0}}
> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":4,"result":{"taskId":"a","status":"failed","error":{"code":1,"message":"gone"}}}
< {"jsonrpc":"2.0","id":4,"result":{"taskId":"a","status":"failed","error":{"code":1,"message":"gone!"}}}
> {"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":5,"result":{"taskId":"a","Result":{"content":[]}}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32050,"message":"[snaphook withheld this result: its form is unknown, so no hook could check it]"}}
> {"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":"another"}}
>> {"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":"another"}}
<< {"jsonrpc":"2.0","id":6,"result":{"taskId":"another"}}
< {"jsonrpc":"2.0","id":6,"result":{"taskId":"another"}}
"#,
        ),
        (
            "notifications/tasks",
            r#"
<< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"a","status":"working"}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"a","status":"working"}}
<< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","status":"working"}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","status":"working"}}
<< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","result":{"content":[{"type":"text","text":"done"}]}}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","result":{"content":[{"type":"text","text":"done!"}]}}}
"#,
        ),
    ])
    .await;
}

/// Texts about a task beside its result go to handlers of all messages, which are not shown the result.
#[tokio::test]
async fn what_stands_beside_a_later_result_is_looked_at() {
    let hooks = format!(
        r#"{RESULTS}
on("mcp.server_message", function(event)
  local texts = {{}}
  for i, text in event.texts do texts[i] = text .. "?" end
  return {{ texts = texts }}
end)
"#
    );
    let steps = r#"
<< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a","status":"working","statusMessage":"s"}}}
< {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a?","status":"working","statusMessage":"s?"}}}
> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":2,"result":{"statusMessage":"s","result":{"content":[{"type":"text","text":"t","x":"u"}]}}}
< {"jsonrpc":"2.0","id":2,"result":{"statusMessage":"s?","result":{"content":[{"type":"text","text":"t!"}]}}}
<< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a","statusMessage":"s","error":{"code":1,"message":"t","x":"u"}}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"a?","statusMessage":"s?","error":{"code":1,"message":"t!","x?":"u?"}}}
> {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"a"}}
>> {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"a"}}
<< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"image","data":"AA==","alt":"b"}],"structuredContent":{"c":"d"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"image","data":"AA==?","alt?":"b?"},{"type":"text","text":"!"}],"isError":true,"_meta":{"snaphook/note":"structuredContent was dropped: hooks rewrote the text, and it would still say what they took out"}}}
"#;
    let options = Options { name: Some("s".to_owned()), ..Options::default() };
    play("beside a result", &hooks, options, &format!("{CALL}{steps}")).await;
}

#[tokio::test]
async fn a_denial_says_of_which_kind_it_is_where_the_protocol_wants_it() {
    let gate = r#"on("tool_call", { tool = "mcp" }, function() return { block = true, reason = "no" } end)"#;
    let steps = r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no [h at h.lua:1]"}],"isError":true,"resultType":"complete"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no [h at h.lua:1]"}],"isError":true}}
"#;
    let options = Options { name: Some("s".to_owned()), ..Options::default() };
    play("a denial", gate, options, steps).await;
}

#[tokio::test]
async fn what_is_no_result_yet_is_not_shown_to_hooks() {
    play_all(&[
        (
            "a question first",
            r#"
<< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{ }}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{ }}}
"#,
        ),
        (
            "one that has a result beside it, for clients that know no kinds of results",
            r#"
<< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","content":[{"type":"text","text":"a"}]}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","content":[{"type":"text","text":"a!"}]}}
"#,
        ),
    ])
    .await;
}
