//! The messages that pass, and those that are refused for their form.

use crate::scene::{BEGUN, play, play_all};

#[tokio::test]
async fn what_no_hook_concerns_passes_as_it_came_and_in_order() {
    let steps = r#"
> {"jsonrpc":"2.0","id":0, "method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"_meta":{"a":1.0}}}
>> {"jsonrpc":"2.0","id":0, "method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"_meta":{"a":1.0}}}
<< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"unknown":1e2}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"unknown":1e2}}
> {"jsonrpc":"2.0","id":"a","method":"_vendor.dev/extension",  "params":{"x":1.0,"\u0061":[]},"more":1e5}
>> {"jsonrpc":"2.0","id":"a","method":"_vendor.dev/extension",  "params":{"x":1.0,"\u0061":[]},"more":1e5}
<< {"result":{"_meta":{"k":1E3}},"id":"a","jsonrpc":"2.0"}
< {"result":{"_meta":{"k":1E3}},"id":"a","jsonrpc":"2.0"}
<< {"jsonrpc":"2.0","id":7,"method":"_vendor.dev/ask"}
< {"jsonrpc":"2.0","id":7,"method":"_vendor.dev/ask"}
> {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"none","data":[]}}
>> {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"none","data":[]}}
<< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"new_kind","x":0.50}}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"new_kind","x":0.50}}}
<< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"T"}}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"T"}}}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}
< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}
> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"other"}}
>> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"other"}}
> {"jsonrpc":"2.0","id":1,"method":"terminal/release","params":{}}
>> {"jsonrpc":"2.0","id":1,"method":"terminal/release","params":{}}
> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}
>> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}
<< {"jsonrpc":"2.0","id":9,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"t"}}
< {"jsonrpc":"2.0","id":9,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"t"}}
"#;
    let hook = r#"on("tool_call", function() return { block = true, reason = "no" } end)"#;
    play("without hooks", "", steps).await;
    play("with hooks", hook, steps).await;
}

#[tokio::test]
async fn many_messages_keep_their_order() {
    let mut steps = String::new();
    for number in 0..40 {
        steps += &format!("<< {{\"jsonrpc\":\"2.0\",\"method\":\"_n\",\"params\":{number}}}\n");
    }
    for number in 0..40 {
        steps += &format!("< {{\"jsonrpc\":\"2.0\",\"method\":\"_n\",\"params\":{number}}}\n");
    }
    play("order", "", &steps).await;
}

#[tokio::test]
async fn a_later_version_is_not_offered() {
    let steps = r#"
> {"jsonrpc":"2.0","id":0, "method":"initialize","params":{"protocolVersion": 2,"a":1.0}}
>> {"jsonrpc":"2.0","id":0, "method":"initialize","params":{"protocolVersion": 1,"a":1.0}}
"#;
    play("version 2", "", steps).await;
}

#[tokio::test]
async fn what_is_no_message_reaches_neither_side() {
    let answered = |said: &str, heard: &str| format!("> {said}\n< {heard}\n");
    let error = |id: &str, code: i32, text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{text}"}}}}"#)
    };
    let twice = error(
        "3",
        -32700,
        "the message cannot be read: it is not a JSON-RPC message: duplicate field `method`",
    );
    play_all(
        "",
        &[
            (
                "no JSON",
                answered("no", &error("null", -32700, "the message cannot be read: it is not JSON: expected ident")),
            ),
            ("a method twice", answered(r#"{"jsonrpc":"2.0","id":3,"method":"a","method":"b"}"#, &twice)),
            (
                "another spelling",
                answered(
                    r#"{"jsonrpc":"2.0","id":3,"method":"Session/Prompt","params":{}}"#,
                    &error("3", -32600, "`Session/Prompt` is not how the protocol spells `session/prompt`, which snaphook has to see"),
                ),
            ),
            (
                "an id twice",
                format!(
                    "> {0}\n>> {0}\n> {0}\n< {1}\n",
                    r#"{"jsonrpc":"2.0","id":3,"method":"a"}"#,
                    error("3", -32600, "a request with this id is open already")
                ),
            ),
            ("a prompt without an id", r#"> {"jsonrpc":"2.0","method":"session/prompt","params":{"sessionId":"s"}}"#.to_owned()),
            ("rubbish of the agent", "<< rubbish\n".to_owned()),
            (
                "a request of the agent that is torn",
                format!("<< {}\n>> {}\n", r#"{"jsonrpc":"2.0","id":3,"method":"a","method":"b"}"#,
                    error("3", -32700, "the agent's message cannot be read: it is not a JSON-RPC message: duplicate field `method`")),
            ),
            (
                "an answer of the agent that is torn",
                format!(
                    "> {0}\n>> {0}\n<< {1}\n< {2}\n",
                    r#"{"jsonrpc":"2.0","id":3,"method":"a"}"#,
                    r#"{"jsonrpc":"2.0","id":3,"result":1,"result":2}"#,
                    error("3", -32700, "the agent's message cannot be read: it is not a JSON-RPC message: duplicate field `result`")
                ),
            ),
            (
                "an update with a key twice",
                r#"<< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","a":1,"a":2}}}"#.to_owned(),
            ),
            ("a gated request without an id", r#"<< {"jsonrpc":"2.0","method":"fs/write_text_file","params":{}}"#.to_owned()),
            (
                "a gated request in another spelling",
                format!("<< {}\n>> {}\n", r#"{"jsonrpc":"2.0","id":3,"method":"fs/Write_text_file","params":{}}"#,
                    error("3", -32600, "`fs/Write_text_file` is not how the protocol spells `fs/write_text_file`, which has a gate")),
            ),
            (
                "a batch is taken apart",
                format!(
                    "> [{0}, {1}]\n>> {0}\n>> {1}\n<< [{2}]\n< {2}\n",
                    r#"{"jsonrpc":"2.0","method":"_a"}"#, r#"{"jsonrpc":"2.0","id":1,"method":"_b"}"#, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
                ),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn sessions_have_the_hooks_of_their_folders() {
    let hook = r#"on("tool_call", { tool = "read" }, function(event, ctx) return { block = true, reason = ctx.session_id } end)"#;
    let read = |id: u8, session: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"fs/read_text_file","params":{{"sessionId":"{session}","path":"/p/a"}}}}"#
        )
    };
    let denied = |id: u8, text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32050,"message":"{text}"}}}}"#)
    };
    let unknown = |session: &str| {
        format!(
            r#"the session \"{session}\" was not begun through snaphook, so it is not known which hooks guard it; begin it with `session/new` or `session/load`"#
        )
    };
    let loaded = |id: u8, session: &str, cwd: &str| {
        let load = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"session/load","params":{{"sessionId":"{session}","cwd":"{cwd}"}}}}"#
        );
        let done = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#);
        format!("> {load}\n>> {load}\n<< {done}\n< {done}\n")
    };
    let refused = |id: u8, cwd: &str, text: &str| {
        format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"session/new\",\"params\":{{\"cwd\":{cwd}}}}}\n< {{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32602,\"message\":\"snaphook refuses the session: {text}\"}}}}\n"
        )
    };
    play_all(
        hook,
        &[
            ("no session", format!("<< {}\n>> {}\n", read(1, "s"), denied(1, &unknown("s")))),
            ("a session", format!("{BEGUN}<< {}\n>> {}\n", read(1, "s"), denied(1, "denied by snaphook: s [h at h.lua:1]"))),
            ("a session of the agent's own", format!("{BEGUN}<< {}\n>> {}\n", read(1, "sub"), denied(1, "denied by snaphook: s [h at h.lua:1]"))),
            (
                "two sessions",
                format!("{BEGUN}{}<< {}\n>> {}\n<< {}\n>> {}\n", loaded(5, "t", "/p"), read(1, "t"),
                    denied(1, "denied by snaphook: t [h at h.lua:1]"), read(2, "s"), denied(2, "denied by snaphook: s [h at h.lua:1]")),
            ),
            (
                "two folders",
                format!("{BEGUN}{}<< {}\n>> {}\n", loaded(5, "t", "/q"), read(1, "sub"), denied(1, &unknown("sub"))),
            ),
            ("a folder that is gone", refused(1, "\"/gone\"", "the folder is gone")),
            ("a relative folder", refused(1, "\"p\"", "`cwd` is not an absolute path")),
            ("no folder", refused(1, "7", "`cwd` is not an absolute path")),
            ("a folder twice", refused(1, "\"/p\",\"cwd\":\"/q\"", r#"the key \"cwd\" occurs twice in one object"#)),
            (
                "hooks that do not load",
                format!("{}<< {}\n>> {}\n", loaded(5, "b", "/broken"), read(1, "b"),
                    denied(1, r#"denied by snaphook: the hook \"h\" did not load: h.lua:1: Expected identifier when parsing expression, got <eof> [h at h.lua:1]"#)),
            ),
        ],
    )
    .await;
}
