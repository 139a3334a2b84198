//! The messages that pass a session, and their form.

use snaphook_mcp::Options;

use crate::scene::play;

/// Gates by the argument `text`.
const GATE: &str = r#"
on("tool_call", { tool = "mcp" }, function(event, ctx)
  local text = event.input.text
  if text == "no" then return { block = true, reason = "not this" } end
  if text == "ask" then return { ask = "Really?" } end
  if text == "confirm" and not ctx.ui.confirm("Sure?") then return { block = true, reason = "not confirmed" } end
  if text == "select" then return { input = { text = ctx.ui.select("Which?", { "one", "two" }) or "nothing" } } end
  if text == "input" then return { input = { text = ctx.ui.input("What?") or "nothing" } } end
  if text == "throw" then error("broken") end
  if text == "rewrite" or event.native_tool == "bare" then return { input = { text = "new" } } end
  if text == "context" then return { context = "by the way" } end
  if text == "part" then
    local input = event.input
    input.text = "new"
    return { input = input }
  end
end)
"#;

const RESULTS: &str = r#"
on("tool_result", { tool = "mcp" }, function(event)
  if event.content == "stay" then return nil end
  if event.content == "name" then return { content = event.tool .. " " .. event.native_tool } end
  return { content = event.content .. "!", is_error = event.is_error }
end)
"#;

const READS: &str = r#"
on("mcp.resource_read", function(event)
  if event.uri == "file:///secret" then return { block = true, reason = event.server .. " keeps this" } end
end)
on("mcp.prompt_get", function(event)
  if event.prompt == "evil" and event.arguments.a == 1 then return { block = true, reason = "no" } end
end)
on("mcp.tools_list", function(event)
  local shown = {}
  for _, tool in event.tools do
    if tool.name ~= "hidden" then
      if tool.name == "b" then tool = { name = "b", description = "other" } end
      table.insert(shown, tool)
    end
  end
  return { tools = shown }
end)
"#;

const ASKABLE: &str = r#"
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}
>> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}
<< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"the server"}}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"the server"}}}
"#;

const CONFIRM: &str = r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"confirm"}}}
< {"jsonrpc":"2.0","id":"snaphook-1","method":"elicitation/create","params":{"message":"Snaphook asks for a hook:\nSure?\n(asked by the hook \"h\")","requestedSchema":{"type":"object","properties":{},"required":[]}}}
"#;

const NOT_CONFIRMED: &str = r#"
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"not confirmed [h at h.lua:2]"}],"isError":true}}
"#;

fn named() -> Options {
    Options { name: Some("s".to_owned()), ..Options::default() }
}

async fn play_all(cases: &[(&str, &str, String)]) {
    for (name, lua, steps) in cases {
        play(name, lua, named(), steps).await;
    }
}

#[tokio::test]
async fn what_no_hook_concerns_passes_as_it_came() {
    let steps = r#"
> {"jsonrpc":"2.0","id":"a","method":"any/thing",  "params":{"x":1.0,"\u0061":[]},"more":1e5}
>> {"jsonrpc":"2.0","id":"a","method":"any/thing",  "params":{"x":1.0,"\u0061":[]},"more":1e5}
<< {"jsonrpc":"2.0", "method":"notifications/progress","params":{"progressToken":"p","progress":0.50}}
< {"jsonrpc":"2.0", "method":"notifications/progress","params":{"progressToken":"p","progress":0.50}}
<< {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}
< {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}
> {"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}
>> {"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}
<< {"result":{"_meta":{"k":1E3}},"id":"a","jsonrpc":"2.0"}
< {"result":{"_meta":{"k":1E3}},"id":"a","jsonrpc":"2.0"}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"p":1.0},"arguments":{"b":1e2,"text":"yes"},"name":"t"}}
>> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"p":1.0},"arguments":{"b":1e2,"text":"yes"},"name":"t"}}
<< {"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"stay","type":"text"}],"structuredContent":{"a":1.0}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"stay","type":"text"}],"structuredContent":{"a":1.0}}}
> [{"jsonrpc":"2.0","id":3,"method":"ping"}, {"jsonrpc":"2.0","method":"n"}]
>> [{"jsonrpc":"2.0","id":3,"method":"ping"}, {"jsonrpc":"2.0","method":"n"}]
<< [{"jsonrpc":"2.0","id":3,"result":{}} ]
< [{"jsonrpc":"2.0","id":3,"result":{}} ]
> {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///open"}}
>> {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///open"}}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"none","data":[]}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"none","data":[]}}
"#;
    let all = format!("{GATE}{RESULTS}{READS}");
    play_all(&[("without hooks", "", steps.to_owned()), ("with hooks", &all, steps.to_owned())]).await;
}

#[tokio::test]
async fn calls_pass_their_gates() {
    let denied = |text: &str, what: &str| {
        format!(
            r#"
> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{text}}}}}
< {{"jsonrpc":"2.0","id":1,{what}}}
"#
        )
    };
    let wrong = |what: &str| {
        format!(
            r#""error":{{"code":-32602,"message":"the call cannot be read by hooks, so it is denied: {what}"}}"#
        )
    };
    let cases = [
        ("denied", GATE, denied(r#"{"text":"no"}"#, r#""result":{"content":[{"type":"text","text":"not this [h at h.lua:2]"}],"isError":true}"#)),
        (
            "broken",
            GATE,
            denied(r#"{"text":"throw"}"#, r#""result":{"content":[{"type":"text","text":"the hook \"h\" failed: broken [h at h.lua:9]"}],"isError":true}"#),
        ),
        ("a key twice", GATE, denied(r#"{"text":"yes","a":{"b":1,"b":2}}"#, &wrong(r#"the key \"b\" occurs twice in one object"#))),
        ("a key in two spellings", GATE, denied(r#"{"text":"yes","Text":"no"}"#, &wrong("some servers take the arguments `text` and `Text` for one"))),
        ("no object", GATE, denied("[]", &wrong("`arguments` is not an object"))),
        (
            "rewritten",
            GATE,
            r#"
> {"jsonrpc":"2.0","id":1, "method":"tools/call","params":{"_meta":{"p":1.0},"arguments":{"text":"rewrite"},"name":"t"},"x":1e1}
>> {"jsonrpc":"2.0","id":1, "method":"tools/call","params":{"_meta":{"p":1.0},"arguments":{"text":"new"},"name":"t"},"x":1e1}
<< {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":1,"result":{}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bare" }}
>> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bare" ,"arguments":{"text":"new"}}}
<< {"jsonrpc":"2.0","id":2,"result":{}}
< {"jsonrpc":"2.0","id":2,"result":{}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{"wei": 123456789012345678901234 , "text":"part"}}}
>> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{"wei":123456789012345678901234,"text":"new"}}}
<< {"jsonrpc":"2.0","id":3,"result":{}}
< {"jsonrpc":"2.0","id":3,"result":{}}
"#
            .to_owned(),
        ),
        (
            "context",
            GATE,
            r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"context"}}}
>> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"context"}}}
<< {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"a","type":"text"}],"x":1.0}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"a","type":"text"},{"type":"text","text":"by the way"}],"x":1.0}}
"#
            .to_owned(),
        ),
        (
            "parts of a batch",
            GATE,
            r#"
> [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"no"}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]
>> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"not this [h at h.lua:2]"}],"isError":true}}
<< {"jsonrpc":"2.0","id":2,"result":{}}
< {"jsonrpc":"2.0","id":2,"result":{}}
"#
            .to_owned(),
        ),
    ];
    play_all(&cases).await;
    let as_error = Options { denied_as_error: true, ..named() };
    let steps = denied(r#"{"text":"no"}"#, r#""error":{"code":-32050,"message":"not this [h at h.lua:2]"}"#);
    play("denied as an error", GATE, as_error, &steps).await;
}

#[tokio::test]
async fn results_pass_the_hooks_that_look_at_them() {
    let rewritten = |result: &str, want: &str| {
        format!(
            r#"
> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t"}}}}
>> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t"}}}}
<< {{"jsonrpc":"2.0", "id":1,{result}}}
< {{"jsonrpc":"2.0", "id":1,{want}}}
"#
        )
    };
    let cases = [
        (
            "text",
            RESULTS,
            rewritten(
                r#""result":{"content":[{"type":"text","text":"a"}],"k":1e1}"#,
                r#""result":{"content":[{"type":"text","text":"a!"}],"k":1e1}"#,
            ),
        ),
        (
            "failed",
            RESULTS,
            rewritten(
                r#""result":{"content":[{"type":"text","text":"a"}],"isError":true}"#,
                r#""result":{"content":[{"type":"text","text":"a!"}],"isError":true}"#,
            ),
        ),
        (
            "error",
            RESULTS,
            rewritten(
                r#""error":{"code":-1,"message":"a","data":1}"#,
                r#""error":{"code":-1,"message":"a!"}"#,
            ),
        ),
        (
            "the names",
            RESULTS,
            rewritten(
                r#""result":{"content":[{"type":"text","text":"name"}]}"#,
                r#""result":{"content":[{"type":"text","text":"mcp__s__t t"}]}"#,
            ),
        ),
    ];
    play_all(&cases).await;
    let unreadable = r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}
>> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}
<< {"jsonrpc":"2.0","id":1,"result":{"content":[],"content":[{"type":"text","text":"secret"}]}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"[snaphook withheld this result: its form is unknown, so no hook could check it]"}],"isError":true}}
"#;
    play("in two ways", RESULTS, named(), unreadable).await;
}

#[tokio::test]
async fn what_is_read_and_listed_passes_hooks() {
    play_all(&[(
        "reads",
        READS,
        r#"
> {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///secret"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"s keeps this [h at h.lua:2]"}}
> {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"evil","arguments":{"a":1}}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32050,"message":"no [h at h.lua:5]"}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"a","uri":"b"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"the request cannot be read by hooks, so it is denied: the key \"uri\" occurs twice in one object"}}
> {"jsonrpc":"2.0","id":4,"method":"tools/list"}
>> {"jsonrpc":"2.0","id":4,"method":"tools/list"}
<< {"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"a","x":1.0},{"name":"hidden"},{"name":"b","description":"old","inputSchema":{"k":1e1}}],"nextCursor":"n"}}
< {"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"a","x":1.0},{"name":"b","description":"other","inputSchema":{"k":1e1}}],"nextCursor":"n"}}
"#
        .to_owned(),
    )])
    .await;
}

#[tokio::test]
async fn the_person_is_asked_through_the_client() {
    let confirm = |answer: &str, rest: &str| {
        format!("{ASKABLE}{CONFIRM}> {{\"jsonrpc\":\"2.0\",\"id\":\"snaphook-1\",{answer}}}\n{rest}")
    };
    let passes = r#"
>> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"confirm"}}}
<< {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":1,"result":{}}
"#;
    let schema = |what: &str, title: &str, field: &str, name: &str| {
        format!(
            r#"{ASKABLE}
> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"text":"{what}"}}}}}}
< {{"jsonrpc":"2.0","id":"snaphook-1","method":"elicitation/create","params":{{"message":"Snaphook asks for a hook:\n{title}\n(asked by the hook \"h\")","requestedSchema":{{"type":"object","properties":{{"{name}":{field}}},"required":["{name}"]}}}}}}
"#
        )
    };
    let answered = |name: &str, given: &str, got: &str| {
        format!(
            r#"
> {{"jsonrpc":"2.0","id":"snaphook-1","result":{{"action":"accept","content":{{"{name}":"{given}"}}}}}}
>> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"text":"{got}"}}}}}}
<< {{"jsonrpc":"2.0","id":1,"result":{{}}}}
< {{"jsonrpc":"2.0","id":1,"result":{{}}}}
"#
        )
    };
    let select = schema("select", "Which?", r#"{"type":"string","enum":["one","two"]}"#, "choice");
    let input = schema("input", "What?", r#"{"type":"string"}"#, "text");
    let cases = [
        ("accepted", GATE, confirm(r#""result":{"action":"accept","content":{}}"#, passes)),
        ("declined", GATE, confirm(r#""result":{"action":"decline"}"#, NOT_CONFIRMED)),
        ("cancelled", GATE, confirm(r#""result":{"action":"cancel"}"#, NOT_CONFIRMED)),
        ("an error", GATE, confirm(r#""error":{"code":-1,"message":"no"}"#, NOT_CONFIRMED)),
        ("rubbish", GATE, confirm(r#""result":{"action":["accept"]}"#, NOT_CONFIRMED)),
        ("answered twice", GATE, confirm(r#""result":{"action":"decline"}"#, &format!(r#"{NOT_CONFIRMED}
> {{"jsonrpc":"2.0","id":"snaphook-1","result":{{"action":"accept"}}}}
"#))),
        ("the client goes", GATE, format!("{ASKABLE}{CONFIRM}x\n{NOT_CONFIRMED}")),
        ("selected", GATE, format!("{select}{}", answered("choice", "two", "two"))),
        ("selected what is not there", GATE, format!("{select}{}", answered("choice", "three", "nothing"))),
        ("typed", GATE, format!("{input}{}", answered("text", "word", "word"))),
        (
            "without a person",
            GATE,
            r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"confirm"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"not confirmed [h at h.lua:2]"}],"isError":true}}
"#
            .to_owned(),
        ),
    ];
    play_all(&cases).await;
}

/// A gate that waits for a person is as slow as any.
#[tokio::test]
async fn a_slow_gate_delays_no_other_and_is_cancelled() {
    let other = r#"
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"text":"yes"}}}
>> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"text":"yes"}}}
<< {"jsonrpc":"2.0","id":2,"result":{}}
< {"jsonrpc":"2.0","id":2,"result":{}}
"#;
    let cancelled = r#"
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}
< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"snaphook-1","reason":"the answer is no longer needed"}}
"#;
    let at_server = r#"
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}
>> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
>> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}
>> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}
"#;
    let late = r#"
<< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"late"}]}}
> {"jsonrpc":"2.0","id":4,"method":"ping"}
>> {"jsonrpc":"2.0","id":4,"method":"ping"}
<< {"jsonrpc":"2.0","id":4,"result":{}}
< {"jsonrpc":"2.0","id":4,"result":{}}
"#;
    let hooks = format!("{GATE}{RESULTS}");
    play_all(&[
        ("another", GATE, format!("{ASKABLE}{CONFIRM}{other}> {{\"jsonrpc\":\"2.0\",\"id\":\"snaphook-1\",\"result\":{{\"action\":\"decline\"}}}}\n{NOT_CONFIRMED}")),
        ("cancelled at its gate", GATE, format!("{ASKABLE}{CONFIRM}{cancelled}{other}")),
        ("cancelled at the server", GATE, at_server.to_owned()),
        ("its late answer", &hooks, format!("{at_server}{late}")),
    ])
    .await;
}

#[tokio::test]
async fn ids_belong_to_one_request() {
    play_all(&[(
        "ids",
        GATE,
        r#"
> {"jsonrpc":"2.0","id":1,"method":"first"}
>> {"jsonrpc":"2.0","id":1,"method":"first"}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with this id is open already"}}
> {"jsonrpc":"2.0","id":1.0,"method":"second"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with this id is open already"}}
<< {"jsonrpc":"2.0","id":"1","result":"nobody asked"}
<< {"jsonrpc":"2.0","id":2,"result":"nobody asked"}
<< {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":1,"result":{}}
<< {"jsonrpc":"2.0","id":1,"result":"twice"}
> {"jsonrpc":"2.0","id":1,"method":"again"}
>> {"jsonrpc":"2.0","id":1,"method":"again"}
<< {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":1,"result":{}}
"#
        .to_owned(),
    )])
    .await;
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_or_dropped() {
    play_all(&[(
        "methods that a server may take for gated ones",
        "",
        r#"
> {"jsonrpc":"2.0","id":1,"method":"tools/Call","params":{"name":"t"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`tools/Call` is not how the protocol spells `tools/call`, which has a gate"}}
> {"jsonrpc":"2.0","id":2,"method":" resources/read"}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"` resources/read` is not how the protocol spells `resources/read`, which has a gate"}}
> {"jsonrpc":"2.0","method":"/prompts/get"}
> [{"jsonrpc":"2.0","id":3,"method":"TOOLS/CALL"},{"jsonrpc":"2.0","id":4,"method":"ping"}]
< {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"`TOOLS/CALL` is not how the protocol spells `tools/call`, which has a gate"}}
>> {"jsonrpc":"2.0","id":4,"method":"ping"}
<< {"jsonrpc":"2.0","id":4,"result":{}}
< {"jsonrpc":"2.0","id":4,"result":{}}
> {"jsonrpc":"2.0","id":6,"method":"tool\u017f/call","params":{"name":"t"}}
< {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"`toolſ/call` is not how the protocol spells `tools/call`, which has a gate"}}
> {"jsonrpc":"2.0","id":5,"method":"tools/calls"}
>> {"jsonrpc":"2.0","id":5,"method":"tools/calls"}
<< {"jsonrpc":"2.0","id":5,"result":{}}
< {"jsonrpc":"2.0","id":5,"result":{}}
"#
        .to_owned(),
    ), (
        "broken frames",
        "",
        r#"
> rubbish
> {"jsonrpc":"2.0","id":1,"method":"a","method":"tools/call"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"the message cannot be read: it is not a JSON-RPC message: duplicate field `method`"}}
> {"jsonrpc":"2.0","id":2,"method":"ping","Method":"tools/call"}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32700,"message":"the message cannot be read: it is not a JSON-RPC message: a key is another spelling of `method`"}}
> {"jsonrpc":"2.0","id":3,"method":"ping"}
>> {"jsonrpc":"2.0","id":3,"method":"ping"}
<< rubbish
<< {"jsonrpc":"2.0","method":"a","method":"b"}
<< {"jsonrpc":"2.0","id":3,"result":1,"result":2}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32700,"message":"the server's answer cannot be read: it is not a JSON-RPC message: duplicate field `result`"}}
"#
        .to_owned(),
    )])
    .await;
}

#[tokio::test]
async fn without_a_server_everything_open_and_everything_new_fails() {
    let gone = r#"{"code":-32000,"message":"the server \"s\" is gone"}}"#;
    play_all(&[(
        "gone",
        GATE,
        format!(
            r#"
> {{"jsonrpc":"2.0","id":1,"method":"a"}}
>> {{"jsonrpc":"2.0","id":1,"method":"a"}}
xx
< {{"jsonrpc":"2.0","id":1,"error":{gone}
> {{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"t"}}}}
< {{"jsonrpc":"2.0","id":2,"error":{gone}
> {{"jsonrpc":"2.0","id":3,"method":"b"}}
< {{"jsonrpc":"2.0","id":3,"error":{gone}
"#
        ),
    )])
    .await;
}

/// A call that comes before the server said what it is called waits for the name.
#[tokio::test]
async fn a_server_is_known_by_what_it_calls_itself() {
    let steps = r#"
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}
>> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
<< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"the server"}}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"the server"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"known [h at h.lua:1]"}],"isError":true}}
"#;
    let lua = r#"on("tool_call", { tool = "mcp__the_server__t" }, function() return { block = true, reason = "known" } end)"#;
    play("its name", lua, Options { called: "program".to_owned(), ..Options::default() }, steps).await;
}
