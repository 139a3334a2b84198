//! Clients of the protocol of 2026-07-28, which are asked through results: the question is an answer, the answer a request.

use snaphook_mcp::Options;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use crate::scene::{TEST_TIMEOUT, play};

const ASKS: &str = r#"
on("tool_call", { tool = "mcp" }, function(event, ctx)
  local text = event.input.text
  if text == "ask" then return { ask = "Really?" } end
  if text == "confirm" and not ctx.ui.confirm("Sure?") then return { block = true, reason = "not confirmed" } end
  if text == "twice" and not (ctx.ui.confirm("One?") and ctx.ui.confirm("Two?")) then return { block = true, reason = "no" } end
  if text == "select" then return { input = { text = ctx.ui.select("Which?", { "one", "two" }) or "nothing" } } end
  if text == "person" then return { input = { text = tostring(ctx.has_ui) } } end
end)
on("mcp.resource_read", function(event, ctx)
  if event.uri == "a:secret" and not ctx.ui.confirm("Read?") then return { block = true, reason = "not read" } end
end)
on("mcp.prompt_get", function(event, ctx)
  if event.arguments.a == 1 and not ctx.ui.confirm("Get?") then return { block = true, reason = "not got" } end
end)
"#;

/// A request, as a client writes it that says this of itself.
fn request(id: u32, method: &str, what: &str, can: &str, more: &str) -> String {
    let meta = format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{can}}}"#
    );
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{what},"_meta":{meta}{more}}}}}"#)
}

const FORMS: &str = r#"{"elicitation":{"form":{}}}"#;

fn call(id: u32, text: &str, more: &str) -> String {
    request(id, "tools/call", &format!(r#""name":"t","arguments":{{"text":"{text}"}}"#), FORMS, more)
}

/// Returns what a hook's question is to the client.
fn question(id: u32, title: &str, fields: &str, required: &str, state: &str) -> String {
    let message = format!(r#"Snaphook asks for a hook:\n{title}\n(asked by the hook \"h\")"#);
    let schema = format!(r#"{{"type":"object","properties":{fields},"required":{required}}}"#);
    asked(id, &message, &schema, state)
}

fn asked(id: u32, message: &str, schema: &str, state: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"input_required","inputRequests":{{"snaphook":{{"method":"elicitation/create","params":{{"message":"{message}","requestedSchema":{schema}}}}}}},"requestState":"{state}"}}}}"#
    )
}

fn confirm(id: u32, title: &str, state: &str) -> String {
    question(id, title, "{}", "[]", state)
}

/// Returns what a request has more that answers a question.
fn answer(action: &str, state: &str) -> String {
    format!(r#","inputResponses":{{"snaphook":{action}}},"requestState":"{state}""#)
}

const YES: &str = r#"{"action":"accept","content":{}}"#;

/// The request reaches the server so, and its answer the client.
fn passes(id: u32, request: &str) -> String {
    let result = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    format!(">> {request}\n<< {result}\n< {result}\n")
}

fn denied(id: u32, why: &str) -> String {
    format!(
        r#"< {{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{why}"}}],"isError":true,"resultType":"complete"}}}}"#
    )
}

fn refused(id: u32, why: &str) -> String {
    format!(r#"< {{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"message":"{why}"}}}}"#)
}

const NOT_OPEN: &str = "the question that this answers is not open any more; call again without it";

#[tokio::test]
async fn a_question_is_an_answer_and_the_answer_a_request() {
    let asks = format!("> {}\n< {}\n", call(1, "confirm", ""), confirm(1, "Sure?", "snaphook-1"));
    let answers = |action: &str| format!("{asks}> {}\n", call(2, "confirm", &answer(action, "snaphook-1")));
    let no = denied(2, "not confirmed [h at h.lua:2]");
    let which = r#"{"choice":{"type":"string","enum":["one","two"]}}"#;
    let selected = |id: u32, choice: &str| {
        let action = format!(r#"{{"action":"accept","content":{{"choice":"{choice}"}}}}"#);
        format!(
            "> {}\n< {}\n> {}\n",
            call(id, "select", ""),
            question(id, "Which?", which, r#"["choice"]"#, "snaphook-1"),
            call(id + 1, "select", &answer(&action, "snaphook-1"))
        )
    };
    let really = r#"Asked by the hook \"h\" (user):\nt: {\"text\":\"ask\"}"#;
    let ask = format!(
        "> {}\n< {}\n> {}\n{}",
        call(1, "ask", ""),
        asked(
            1,
            &format!(r"Snaphook asks for a hook:\nReally?\n{really}"),
            r#"{"type":"object","properties":{},"required":[]}"#,
            "snaphook-1"
        ),
        call(2, "ask", &answer(YES, "snaphook-1")),
        passes(2, &call(2, "ask", ""))
    );
    let twice = format!(
        "> {}\n< {}\n> {}\n< {}\n> {}\n{}",
        call(1, "twice", ""),
        confirm(1, "One?", "snaphook-1"),
        call(2, "twice", &answer(YES, "snaphook-1")),
        confirm(2, "Two?", "snaphook-2"),
        call(3, "twice", &answer(YES, "snaphook-2")),
        passes(3, &call(3, "twice", ""))
    );
    let theirs = r#","inputResponses":{"s":{"a":1.0}},"requestState":"the server's""#;
    let cases = [
        ("accepted", format!("{}{}", answers(YES), passes(2, &call(2, "confirm", "")))),
        ("declined", format!("{}{no}", answers(r#"{"action":"decline"}"#))),
        ("cancelled", format!("{}{no}", answers(r#"{"action":"cancel"}"#))),
        ("rubbish", format!("{}{no}", answers(r#"["accept"]"#))),
        (
            "without an answer",
            format!("{asks}> {}\n{no}", call(2, "confirm", r#","requestState":"snaphook-1""#)),
        ),
        ("an ask", ask),
        ("two questions", twice),
        ("selected", format!("{}{}", selected(1, "two"), passes(2, &call(2, "two", "")))),
        (
            "selected what is not there",
            format!("{}{}", selected(1, "three"), passes(2, &call(2, "nothing", ""))),
        ),
        // What the client answers to the server waits with the question, and is there again behind it.
        (
            "amid the server's",
            format!(
                "> {}\n< {}\n> {}\n{}",
                call(1, "confirm", theirs),
                confirm(1, "Sure?", "snaphook-1"),
                call(2, "confirm", &answer(YES, "snaphook-1")),
                passes(2, &call(2, "confirm", theirs))
            ),
        ),
        (
            "the server's alone",
            format!("> {}\n{}", call(1, "yes", theirs), passes(1, &call(1, "yes", theirs))),
        ),
        ("a person is there", format!("> {}\n{}", call(1, "person", ""), passes(1, &call(1, "true", "")))),
    ];
    for (name, steps) in cases {
        play(name, ASKS, named(), &steps).await;
    }
}

#[tokio::test]
async fn an_answer_is_for_what_was_asked_and_counts_once() {
    let asks = format!("> {}\n< {}\n", call(1, "confirm", ""), confirm(1, "Sure?", "snaphook-1"));
    let about_another = "this answers a question about another request";
    let late = format!("> {}\n{}", call(9, "confirm", &answer(YES, "snaphook-1")), refused(9, NOT_OPEN));
    let other = |request: String| format!("{asks}> {request}\n{}\n{late}", refused(2, about_another));
    let more = answer(YES, "snaphook-1");
    let cases = [
        (
            "twice",
            format!("{asks}> {}\n{}{late}", call(2, "confirm", &more), passes(2, &call(2, "confirm", ""))),
        ),
        ("other arguments", other(call(2, "twice", &more))),
        (
            "another tool",
            other(request(2, "tools/call", r#""name":"u","arguments":{"text":"confirm"}"#, FORMS, &more)),
        ),
        ("something else", other(request(2, "resources/read", r#""uri":"a:secret""#, FORMS, &more))),
        ("the client goes", format!("{asks}x\n")),
        (
            "another call meanwhile",
            format!("{asks}> {}\n{}", call(3, "yes", ""), passes(3, &call(3, "yes", ""))),
        ),
        (
            "the second is declined",
            format!(
                "> {}\n< {}\n> {}\n< {}\n> {}\n{}",
                call(1, "twice", ""),
                confirm(1, "One?", "snaphook-1"),
                call(2, "twice", &answer(YES, "snaphook-1")),
                confirm(2, "Two?", "snaphook-2"),
                call(3, "twice", &answer(r#"{"action":"decline"}"#, "snaphook-2")),
                denied(3, "no [h at h.lua:2]")
            ),
        ),
    ];
    for (name, steps) in cases {
        play(name, ASKS, named(), &steps).await;
    }
}

const LOOKS: &str = r#"
on("tool_call", { tool = "mcp" }, function(event, ctx)
  local text = event.input.text
  if (text == "both" or text == "before") and not ctx.ui.confirm("Call?") then return { block = true, reason = "not called" } end
end)
on("tool_result", { tool = "mcp" }, function(event, ctx)
  if event.input.text ~= "before" and not ctx.ui.confirm("Show?") then return { content = "hidden" } end
end)
"#;

fn shown(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"secret"}}],"x":1.0}}}}"#
    )
}

fn hidden(id: &str) -> String {
    shown(id).replace("secret", "hidden")
}

#[tokio::test]
async fn a_question_about_a_result_keeps_it_until_the_answer() {
    const LATE: &str =
        "the question that this answers is not open any more; the tool has run, and its result is not kept";
    let ran = |id: u32, text: &str, more: &str| {
        let call = |more: &str| call(id, text, more);
        format!("> {}\n>> {}\n<< {}\n", call(more), call(""), shown(&format!("{id}.0")))
    };
    let show = |id: u32, state: u32| confirm(id, "Show?", &format!("snaphook-{state}-ran"));
    let asks = format!("{}< {}\n", ran(1, "a", ""), show(1, 1));
    let more = |action: &str| answer(action, "snaphook-1-ran");
    let answers = |action: &str| format!("{asks}> {}\n", call(2, "a", &more(action)));
    let late = format!("> {}\n{}\n", call(9, "a", &more(YES)), refused(9, LATE));
    let both = format!(
        "> {}\n< {}\n{}< {}\n> {}\n< {}",
        call(1, "both", ""),
        confirm(1, "Call?", "snaphook-1"),
        ran(2, "both", &answer(YES, "snaphook-1")),
        show(2, 2),
        call(3, "both", &answer(YES, "snaphook-2-ran")),
        shown("3")
    );
    // The call has its answer by then.
    let task = r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"}}}"#;
    let fetch = request(2, "tasks/result", r#""taskId":"t""#, FORMS, "");
    let of_task = format!(
        "> {call}\n>> {call}\n<< {task}\n< {task}\n> {fetch}\n>> {fetch}\n<< {}\n< {}",
        shown("2"),
        hidden("2"),
        call = call(1, "a", "")
    );
    let before = format!(
        "> {}\n< {}\n{}< {}",
        call(1, "before", ""),
        confirm(1, "Call?", "snaphook-1"),
        ran(2, "before", &answer(YES, "snaphook-1")),
        shown("2.0")
    );
    let cases = [
        ("asked before only", before),
        ("shown", format!("{}< {}\n{late}", answers(YES), shown("2"))),
        ("hidden", format!("{}< {}\n{late}", answers(r#"{"action":"decline"}"#), hidden("2"))),
        ("cancelled", format!("{}< {}", answers(r#"{"action":"cancel"}"#), hidden("2"))),
        ("rubbish", format!("{}< {}", answers("7"), hidden("2"))),
        ("asked before and behind", both),
        (
            "for another call",
            format!(
                "{asks}> {}\n{}\n{late}",
                call(2, "b", &more(YES)),
                refused(2, "this answers a question about another request")
            ),
        ),
        ("of a task", of_task),
        ("the client goes", format!("{asks}x\n")),
        ("the server goes", format!("{asks}xx\n")),
        (
            "the client went before",
            format!("> {call}\n>> {call}\nx\n<< {}\n< {}", shown("1"), hidden("1"), call = call(1, "a", "")),
        ),
        ("meanwhile", format!("{asks}{}< {}\n", ran(2, "b", ""), show(2, 2))),
        (
            "an older client is not asked",
            format!("{}< {}", ran(1, "a", "").replace("2026-07-28", "2025-11-25"), hidden("1.0")),
        ),
    ];
    for (name, steps) in cases {
        play(name, LOOKS, named(), &steps).await;
    }
}

const CANCELLED: &str = "deny: the call was cancelled";

async fn next(mut decided: UnboundedReceiver<String>) -> String {
    timeout(TEST_TIMEOUT, decided.recv()).await.unwrap().unwrap()
}

#[tokio::test]
async fn the_request_that_waits_behind_a_question_can_be_cancelled() {
    const SPINS: &str = r#"
on("tool_call", { tool = "mcp" }, function(event, ctx)
  if ctx.ui.confirm("Spin?") then while true do end end
end)
"#;
    let answered = |text: &str, title: &str| {
        let question = confirm(1, title, "snaphook-1");
        let answer = call(2, text, &answer(YES, "snaphook-1"));
        format!("> {}\n< {question}\n> {answer}\n", call(1, text, ""))
    };
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let at_server = format!(
        "{}>> {}\n> {cancel}\n>> {cancel}\n<< {}\n",
        answered("both", "Call?"),
        call(2, "both", ""),
        shown("2")
    );
    // So that the hook has the answer before the cancellation comes.
    let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
    let meanwhile = format!("> {ping}\n{}", passes(3, ping)).repeat(3);
    let at_gate = format!("{}{meanwhile}> {cancel}\n", answered("a", "Spin?"));
    let decided = play("at its gate", SPINS, named(), &at_gate).await;
    assert_eq!(next(decided).await, CANCELLED);
    play("at the server", LOOKS, named(), &at_server).await;
}

#[tokio::test]
async fn a_question_is_open_for_an_hour() {
    let asks = format!("> {}\n< {}\n", call(1, "confirm", ""), confirm(1, "Sure?", "snaphook-1"));
    let answered = call(2, "confirm", &answer(YES, "snaphook-1"));
    let in_time = format!("{asks}m 59\n> {answered}\n{}", passes(2, &call(2, "confirm", "")));
    let late = format!("{asks}m 61\n> {answered}\n{}", refused(2, NOT_OPEN));
    play("in time", ASKS, named(), &in_time).await;
    let decided = play("late", ASKS, named(), &late).await;
    assert_eq!(next(decided).await, CANCELLED);
}

#[tokio::test]
async fn of_too_many_questions_the_oldest_is_given_up() {
    let mut steps = String::new();
    for id in 1..=65 {
        let state = format!("snaphook-{id}");
        steps += &format!("> {}\n< {}\n", call(id, "confirm", ""), confirm(id, "Sure?", &state));
    }
    for (id, state) in [(66, 1), (67, 2), (68, 65)] {
        let request = call(id, "confirm", &answer(YES, &format!("snaphook-{state}")));
        let comes_to = match state {
            1 => refused(id, NOT_OPEN),
            _ => passes(id, &call(id, "confirm", "")),
        };
        steps += &format!("> {request}\n{comes_to}\n");
    }
    play("many", ASKS, named(), &steps).await;
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_not_asked() {
    let no = |can: &str| {
        let call = request(1, "tools/call", r#""name":"t","arguments":{"text":"confirm"}"#, can, "");
        format!("> {call}\n{}", denied(1, "not confirmed [h at h.lua:2]"))
    };
    for can in [
        "{}",
        r#"{"elicitation":{"url":{}}}"#,
        r#"{"elicitation":[]}"#,
        "1",
        r#"{"elicitation":{},"elicitation":{}}"#,
    ] {
        play(can, ASKS, named(), &no(can)).await;
    }
    // Of a version before, the client says in `initialize` what it can do.
    let older = call(1, "confirm", "").replace("2026-07-28", "2025-11-25");
    let denied = denied(1, "not confirmed [h at h.lua:2]");
    play("older", ASKS, named(), &format!("> {older}\n{denied}")).await;
}

#[tokio::test]
async fn what_is_read_is_asked_about_in_the_same_way() {
    for (method, what, title, why) in [
        ("resources/read", r#""uri":"a:secret""#, "Read?", "not read"),
        ("prompts/get", r#""name":"p","arguments":{"a":1}"#, "Get?", "not got"),
    ] {
        let asks = |more: &str| request(1 + u32::from(!more.is_empty()), method, what, FORMS, more);
        let begin = format!("> {}\n< {}\n", asks(""), confirm(1, title, "snaphook-1"));
        let yes = format!(
            "> {}\n{}",
            asks(&answer(YES, "snaphook-1")),
            passes(2, &request(2, method, what, FORMS, ""))
        );
        play(method, ASKS, named(), &format!("{begin}{yes}")).await;
        let no = format!(
            "> {}\n< {{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{{\"code\":-32050,\"message\":\"{why} [h at h.lua:{}]\"}}}}",
            asks(&answer(r#"{"action":"cancel"}"#, "snaphook-1")),
            if why == "not read" { 10 } else { 13 }
        );
        play(method, ASKS, named(), &format!("{begin}{no}")).await;
    }
}

fn named() -> Options {
    Options { name: Some("s".to_owned()), ..Options::default() }
}
