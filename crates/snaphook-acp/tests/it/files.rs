//! Files and terminals: what hooks see, rewrite and withhold.

use snaphook::Language;

use crate::scene::{BEGUN, play_all, play_with};

const GATE: &str = r#"
on("tool_call", { tool = "write" }, function(event)
  if event.content == "no" then return { block = true, reason = event.paths[1] } end
  if event.content == "rewrite" then return { content = "new" } end
  if event.content == "move" then return { path = "/p/b" } end
  if event.content == "bad" then return { input = { path = "/p/b" } } end
end)
on("tool_call", { tool = "read" }, function(event)
  if event.paths[1] == "/p/.env" then return { block = true, reason = "not this file" } end
  if event.paths[1] == "/p/other" then return { path = "/p/a" } end
end)
on("tool_call", { tool = "bash" }, function(event)
  if event.command == "rm -r 'a b'" then return { block = true, reason = "not this" } end
  if event.command == "rewrite" or event.command == "rewrite x" then return { command = "echo instead" } end
  if event.command == "hold" then return { hold = { profile = "guarded" } } end
end)
on("tool_result", function(event)
  local text = event.content
  if text == "stay" then return nil end
  if text == "fail" then return { content = "it failed", is_error = true } end
  if text == "throw" then error("broken") end
  if text == "context" then return { context = "by the way" } end
  return { content = event.tool .. ":" .. string.upper(text) }
end)
"#;

fn request(method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1, "method":"{method}","params":{{"_meta":{{"p":1.0}},"sessionId":"s",{params}}},"x":1e1}}"#
    )
}

fn error(text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32050,"message":"{text}"}}}}"#)
}

fn passes(method: &str, params: &str) -> String {
    becomes(method, params, params)
}

/// A request that reaches the editor with other parameters.
fn becomes(method: &str, params: &str, others: &str) -> String {
    format!("{BEGUN}<< {}\n< {}\n", request(method, params), request(method, others))
}

fn refused(method: &str, params: &str, answer: &str) -> String {
    format!("{BEGUN}<< {}\n>> {answer}\n", request(method, params))
}

fn unread(text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32602,"message":"the request cannot be read by hooks, so it is denied: {text}"}}}}"#
    )
}

#[tokio::test]
async fn writes_pass_their_gate() {
    const WRITE: &str = "fs/write_text_file";
    let ok = r#"{"jsonrpc":"2.0","id":1,"result":null}"#;
    play_all(
        GATE,
        &[
            ("as it came", passes(WRITE, r#""path": "/p/a","content":"\u0061","more":1e2"#) + format!("> {ok}\n>> {ok}\n").as_str()),
            ("denied", refused(WRITE, r#""path":"/p/a","content":"no""#, &error("denied by snaphook: /p/a [h at h.lua:2]"))),
            (
                "rewritten",
                format!(
                    "{BEGUN}<< {}\n< {}\n",
                    request(WRITE, r#""path":"/p/a","content":"rewrite","more":1e2"#),
                    r#"{"jsonrpc":"2.0","id":1, "method":"fs/write_text_file","params":{"path":"/p/a","content":"new","more":1e2,"sessionId":"s","_meta":{"p":1.0}},"x":1e1}"#
                ),
            ),
            (
                "elsewhere",
                format!(
                    "{BEGUN}<< {}\n< {}\n",
                    request(WRITE, r#""path":"/p/a","content":"move""#),
                    r#"{"jsonrpc":"2.0","id":1, "method":"fs/write_text_file","params":{"path":"/p/b","content":"move","sessionId":"s","_meta":{"p":1.0}},"x":1e1}"#
                ),
            ),
            ("rewritten to nothing", refused(WRITE, r#""path":"/p/a","content":"bad""#, &error("the rewritten request cannot be written: it has no `content`, or one of another type"))),
            ("a key twice", refused(WRITE, r#""path":"/p/a","path":"/p/b","content":"x""#, &error("the request cannot be read by hooks, so it is denied: it has no `sessionId`, or a key twice"))),
            ("another spelling", refused(WRITE, r#""path":"/p/a","Path":"/p/b","content":"x""#, &unread("`Path` is not how the protocol spells it"))),
            ("no path", refused(WRITE, r#""content":"x""#, &unread("it has no `path`, or one of another type"))),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_read_is_looked_at() {
    const READ: &str = "fs/read_text_file";
    let read = |said: &str, heard: &str| {
        format!(
            "{}> {{\"jsonrpc\":\"2.0\",\"id\":1,{said}}}\n>> {{\"jsonrpc\":\"2.0\",\"id\":1,{heard}}}\n",
            passes(READ, r#""path":"/p/a""#)
        )
    };
    let head = r#"{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"s","prompt":["#;
    let context = format!("> {head}]}}}}\n>> {head}{{\"type\":\"text\",\"text\":\"by the way\"}}]}}}}\n");
    play_all(
        GATE,
        &[
            ("denied", refused(READ, r#""path":"/p/.env""#, &error("denied by snaphook: not this file [h at h.lua:8]"))),
            (
                "another file",
                format!(
                    "{BEGUN}<< {}\n< {}\n",
                    request(READ, r#""path":"/p/other","line":2"#),
                    r#"{"jsonrpc":"2.0","id":1, "method":"fs/read_text_file","params":{"path":"/p/a","line":2,"sessionId":"s","_meta":{"p":1.0}},"x":1e1}"#
                ),
            ),
            ("as it came", read(r#" "result":{"content":"sta\u0079","_meta":{"a":1.0}}"#, r#" "result":{"content":"sta\u0079","_meta":{"a":1.0}}"#)),
            ("rewritten", read(r#""result":{"_meta":{"a":1.0}, "content": "secret\n"}"#, r#""result":{"_meta":{"a":1.0}, "content": "read:SECRET\n"}"#)),
            ("failed by a hook", read(r#""result":{"content":"fail"}"#, r#""error":{"code":-32050,"message":"it failed"}"#)),
            ("a hook that throws keeps it", read(r#""result":{"content":"throw"}"#, r#""result":{"content":"throw"}"#)),
            ("an error", read(r#""error":{"code":-1,"message":"none","data":[]}"#, r#""error":{"code":-1,"message":"read:NONE","data":[]}"#)),
            ("with context", read(r#""result":{"content":"context"}"#, r#""result":{"content":"context"}"#) + context.as_str()),
            (
                "nothing that can be read",
                read(r#""result":{"content":7}"#, r#""error":{"code":-32050,"message":"[snaphook withheld this result: its text does not decode, so no hook could check it]"}"#),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn commands_pass_their_gate_and_what_they_print_is_looked_at() {
    const CREATE: &str = "terminal/create";
    let rewritten = |params: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1, "method":"terminal/create","params":{{{params},"sessionId":"s","_meta":{{"p":1.0}}}},"x":1e1}}"#
        )
    };
    let created = r#"{"jsonrpc":"2.0","id":1,"result":{"terminalId":"t"}}"#;
    let output =
        r#"{"jsonrpc":"2.0","id":2,"method":"terminal/output","params":{"sessionId":"s","terminalId":"t"}}"#;
    let other = output.replace("\"t\"", "\"u\"");
    let printed = |text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"output":"{text}","truncated":false}}}}"#)
    };
    play_all(
        GATE,
        &[
            ("denied", refused(CREATE, r#""command":"rm","args":["-r","a b"]"#, &error("denied by snaphook: not this [h at h.lua:12]"))),
            ("a line", format!("{BEGUN}<< {}\n< {}\n", request(CREATE, r#""command":"rewrite","cwd":"/p""#), rewritten(r#""command":"echo instead","cwd":"/p""#))),
            (
                "a program with arguments",
                format!("{BEGUN}<< {}\n< {}\n", request(CREATE, r#""command":"rewrite","args":["x"]"#), rewritten(r#""command":"/bin/sh","args":["-c","echo instead"]"#)),
            ),
            ("two readings", refused(CREATE, r#""command":"ls ;","args":["x"]"#, &unread("its `command` has several words, and it has `args`: editors run that differently"))),
            (
                "nothing that holds",
                refused(CREATE, r#""command":"hold""#, &error("denied by snaphook: a hook wants this command held, and this host holds no commands; the program that embeds it has to set a holder")),
            ),
            (
                "its output",
                format!(
                    "{}> {created}\n>> {created}\n<< {output}\n< {output}\n> {}\n>> {}\n<< {other}\n< {other}\n> {{2}}\n>> {{2}}\n",
                    passes(CREATE, r#""command":"ls""#),
                    printed("out"),
                    printed("bash:OUT"),
                )
                .replace("{2}", &printed("of another")),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_same_in_rhai() {
    let hook = r#"
on("tool_call", #{ tool: "write" }, |event| {
    if event.content == "no" { return #{ block: true, reason: "not this" }; }
    if event.content == "rewrite" { return #{ content: "new" }; }
});
"#;
    let steps = format!(
        "{BEGUN}<< {}\n>> {}\n<< {}\n< {}\n",
        request("fs/write_text_file", r#""path":"/p/a","content":"no""#),
        error("denied by snaphook: not this [h at h.lua:2]"),
        request("fs/write_text_file", r#""path":"/p/a","content":"rewrite""#),
        r#"{"jsonrpc":"2.0","id":1, "method":"fs/write_text_file","params":{"path":"/p/a","content":"new","sessionId":"s","_meta":{"p":1.0}},"x":1e1}"#
    );
    play_with("rhai", Language::Rhai, hook, false, &steps).await;
}
