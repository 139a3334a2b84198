//! Permission requests: what hooks see of them, and what is answered.

use snaphook::Language;

use crate::scene::{BEGUN, play, play_all, play_with};

/// Decides by the command.
const GATE: &str = r#"
on("tool_call", { tool = "bash" }, function(event, ctx)
  local command = event.command
  if command == "no" then return { block = true, reason = "not this" } end
  if command == "ask" then return { ask = "Really?" } end
  if command == "rewrite" then return { command = "echo instead" } end
  if command == "throw" then error("broken") end
  if command == "confirm" and not ctx.ui.confirm("Sure?") then return { block = true, reason = "not confirmed" } end
  if command == "select" then return { block = true, reason = ctx.ui.select("Which?", { "one", "two" }) or "nothing" } end
  if command == "input" then return { block = true, reason = ctx.ui.input("What?") or "nothing" } end
  if command == "allow" then return { allow = true } end
  if command == "stop" then return { block = true, reason = "stop it", terminate = true } end
  if command == "context" then return { context = "by the way" } end
end)
on("permission_request", function(event)
  if event.command == "permission" then return { block = true, reason = "no permission" } end
end)
on("tool_call", { tool = "write" }, function(event)
  if event.content == "ask" then return { ask = "Write?" } end
end)
"#;

const OPTIONS: &str = r#"[{"optionId":"A","name":"Always","kind":"allow_always"},{"optionId":"Y","name":"Yes","kind":"allow_once"},{"optionId":"N","name":"No","kind":"reject_once"}]"#;

fn request(id: u8, call: &str, options: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id}, "method":"session/request_permission","params":{{"sessionId":"s","toolCall":{call},"options":{options}}}}}"#
    )
}

fn run(id: u8, command: &str) -> String {
    request(
        id,
        &format!(r#"{{"toolCallId":"c{id}","kind":"execute","rawInput":{{"command":"{command}"}}}}"#),
        OPTIONS,
    )
}

fn selected(id: u8, option: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}}}"#
    )
}

const CANCELLED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}"#;

/// Our question, and its end.
fn question(number: u8, title: &str, message: &str, options: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"snaphook-{number}","method":"session/request_permission","params":{{"sessionId":"s","toolCall":{{"toolCallId":"snaphook-{number}","title":"Snaphook asks for a hook: {title}","kind":"other","status":"pending","content":[{{"type":"content","content":{{"type":"text","text":"{message}"}}}}]}},"options":{options}}}}}"#
    )
}

const YES_NO: &str = r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]"#;

fn over(number: u8, status: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call_update","toolCallId":"snaphook-{number}","status":"{status}"}}}}}}"#
    )
}

fn asked(command: &str) -> String {
    question(1, "Really?", &format!(r#"Asked by the hook \"h\" (user):\nexecute: {command}"#), YES_NO)
}

/// The person's answer to our first question.
fn answered(option: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"snaphook-1","result":{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}}}"#
    )
}

/// The next prompt, which has the reasons in it.
fn next_prompt(reason: &str) -> String {
    let head = r#"{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"s", "prompt":[{"type":"text","text":"go"}"#;
    format!("> {head}]}}}}\n>> {head},{{\"text\":\"{reason}\",\"type\":\"text\"}}]}}}}\n").replace(
        &format!("{{\"text\":\"{reason}\",\"type\":\"text\"}}"),
        &format!(r#"{{"type":"text","text":"{reason}"}}"#),
    )
}

fn denied(reason: &str, command: &str) -> String {
    let text = format!(r#"Snaphook denied the call \"bash\": {reason}"#);
    format!("{BEGUN}<< {}\n>> {}\n{}", run(1, command), selected(1, "N"), next_prompt(&text))
}

#[tokio::test]
async fn a_call_that_is_denied_is_rejected_and_the_reason_is_in_the_next_prompt() {
    play_all(
        GATE,
        &[
            ("denied", denied("not this [h at h.lua:2]", "no")),
            ("broken", denied(r#"the hook \"h\" failed: broken [h at h.lua:7]"#, "throw")),
            ("by a hook for permissions", denied("no permission [h at h.lua:15]", "permission")),
            ("rewritten", denied("a hook changes this call, and a permission cannot carry the change; run this instead: echo instead", "rewrite")),
            ("nothing to type in", denied("nothing [h at h.lua:2]", "input")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_call_that_no_hook_objects_to_goes_to_the_person() {
    let passes = |name: &'static str, request: String| {
        let steps = format!("{BEGUN}<< {request}\n< {request}\n> {0}\n>> {0}\n", selected(1, "A"));
        (name, steps)
    };
    play_all(
        GATE,
        &[
            passes("no objection", run(1, "ls")),
            passes("allowed", run(1, "allow")),
            passes(
                "of another tool",
                request(1, r#"{"toolCallId":"c","kind":"read","title":"no"}"#, OPTIONS),
            ),
            passes("without options", request(1, r#"{"toolCallId":"c","kind":"read"}"#, "[]")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_hooks_question_is_put_by_the_editor_and_answers_the_agents() {
    let ask = |then: &str| format!("{BEGUN}<< {}\n< {}\n{then}", run(1, "ask"), asked("ask"));
    let denied = |how: &str| format!(r#"Snaphook denied the call \"bash\": {how} Really? [h at h.lua:2]"#);
    let error = r#"> {"jsonrpc":"2.0","id":"snaphook-1","error":{"code":-32601,"message":"none"}}"#;
    let cancelled = r#"> {"jsonrpc":"2.0","id":"snaphook-1","result":{"outcome":{"outcome":"cancelled"}}}"#;
    let no = |said: &str| {
        ask(&format!(
            "{said}\n< {}\n>> {}\n{}",
            over(1, "failed"),
            selected(1, "N"),
            next_prompt(&denied("declined by the person:"))
        ))
    };
    let only_always = request(
        1,
        r#"{"toolCallId":"c","kind":"execute","rawInput":{"command":"ask"}}"#,
        r#"[{"optionId":"A","name":"Always","kind":"allow_always"}]"#,
    );
    play_all(
        GATE,
        &[
            (
                "yes",
                ask(&format!("> {}\n< {}\n>> {}\n", answered("yes"), over(1, "completed"), selected(1, "Y"))),
            ),
            ("no", no(&format!("> {}", answered("no")))),
            ("an editor that cannot ask", no(error)),
            ("dismissed", no(cancelled)),
            (
                "an answer that was not offered",
                ask(&format!(
                    "> {}\n< {}\n>> {}\n{}",
                    answered("other"),
                    over(1, "completed"),
                    selected(1, "N"),
                    next_prompt(&denied("declined by the person:"))
                )),
            ),
            (
                "the agent offers no yes for just this",
                format!(
                    "{BEGUN}<< {only_always}\n< {}\n> {}\n< {}\n< {only_always}\n> {{2}}\n>> {{2}}\n",
                    asked("ask"),
                    answered("yes"),
                    over(1, "completed")
                )
                .replace("{2}", &selected(1, "A")),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_handler_can_ask_itself() {
    let by = r#"(asked by the hook \"h\")"#;
    let choices = r#"[{"optionId":"0","name":"one","kind":"allow_once"},{"optionId":"1","name":"two","kind":"allow_once"},{"optionId":"no","name":"None of these","kind":"reject_once"}]"#;
    let steps = |command: &str, asked: String, option: &str, status: &str, then: String| {
        format!(
            "{BEGUN}<< {}\n< {asked}\n> {}\n< {}\n{then}",
            run(1, command),
            answered(option),
            over(1, status)
        )
    };
    let sure = || question(1, "Sure?", by, YES_NO);
    let which = || question(1, "Which?", by, choices);
    let denied = |reason: &str| {
        format!(
            ">> {}\n{}",
            selected(1, "N"),
            next_prompt(&format!(r#"Snaphook denied the call \"bash\": {reason} [h at h.lua:2]"#))
        )
    };
    play_all(
        GATE,
        &[
            // It was the hook's question, not the agent's.
            ("confirmed", steps("confirm", sure(), "yes", "completed", format!("< {}\n", run(1, "confirm")))),
            ("not confirmed", steps("confirm", sure(), "no", "failed", denied("not confirmed"))),
            ("selected", steps("select", which(), "1", "completed", denied("two"))),
            ("none of them", steps("select", which(), "no", "failed", denied("nothing"))),
        ],
    )
    .await;
}

#[tokio::test]
async fn without_a_person_what_needs_one_is_denied() {
    let text = r#"Snaphook denied the call \"bash\": needs approval, and nobody can be asked (headless): Really? Run it with a terminal, or adjust the hook \"h\". [h at h.lua:2]"#;
    let steps = format!("{BEGUN}<< {}\n>> {}\n{}", run(1, "ask"), selected(1, "N"), next_prompt(text));
    play_with("headless", Language::Lua, GATE, true, &steps).await;
}

#[tokio::test]
async fn a_yes_to_an_edit_counts_for_the_write_that_follows() {
    let call = r#"{"toolCallId":"c","kind":"edit","title":"Write a","content":[{"type":"diff","path":"/p/a","oldText":null,"newText":"ask"}]}"#;
    let asked = question(1, "Write?", r#"Asked by the hook \"h\" (user):\nedit: "#, YES_NO);
    let asked = asked.replace("edit: \"", &format!("edit: {}\"", call.replace('"', "\\\"")));
    let write = r#"{"jsonrpc":"2.0","id":2,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/p/a","content":"ask"}}"#;
    let again = write.replace("\"id\":2", "\"id\":3");
    let asked_again = question(
        2,
        "Write?",
        r#"Asked by the hook \"h\" (user):\nfs/write_text_file: {\"path\":\"/p/a\",\"content\":\"ask\"}"#,
        YES_NO,
    );
    let steps = format!(
        "{BEGUN}<< {0}\n< {asked}\n> {1}\n< {2}\n>> {3}\n<< {write}\n< {write}\n<< {again}\n< {asked_again}\n",
        request(1, call, OPTIONS),
        answered("yes"),
        over(1, "completed"),
        selected(1, "Y")
    );
    // The question that is open when the editor goes is not answered.
    play("asked once", GATE, &steps).await;
}

#[tokio::test]
async fn what_was_told_before_counts_and_the_person_sees_the_reason() {
    let update = |fields: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"toolCallId":"c",{fields}}}}}}}"#
        )
    };
    let start = update(r#""sessionUpdate":"tool_call","title":"Run it","kind":"execute""#);
    let input = update(r#""sessionUpdate":"tool_call_update","rawInput":{"command":"no"}"#);
    let shown = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"Denied by snaphook: not this [h at h.lua:2]"}}]}}}"#;
    let steps = format!(
        "{BEGUN}<< {start}\n< {start}\n<< {input}\n< {input}\n<< {}\n< {shown}\n>> {}\n{}",
        request(1, r#"{"toolCallId":"c"}"#, OPTIONS),
        selected(1, "N"),
        next_prompt(r#"Snaphook denied the call \"Run it\": not this [h at h.lua:2]"#)
    );
    play("told before", GATE, &steps).await;
}

#[tokio::test]
async fn what_hooks_cannot_read_is_denied() {
    let wrong = |call: &str, options: &str, text: &str| {
        let text = format!("the request cannot be read by hooks, so it is denied: {text}");
        let error = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32602,"message":"{text}"}}}}"#);
        format!("{BEGUN}<< {}\n>> {error}\n{}", request(1, call, options), next_prompt(&text))
    };
    play_all(
        GATE,
        &[
            (
                "a key twice",
                wrong(
                    r#"{"toolCallId":"c","rawInput":{"a":1,"a":2}}"#,
                    "[]",
                    r#"the key \"a\" occurs twice in one object"#,
                ),
            ),
            (
                "another spelling",
                wrong(
                    r#"{"toolCallId":"c","RawInput":{}}"#,
                    "[]",
                    "`RawInput` is not how the protocol spells it",
                ),
            ),
            (
                "no command",
                wrong(
                    r#"{"toolCallId":"c","kind":"execute"}"#,
                    "[]",
                    "it runs a command, and neither `rawInput` nor `title` says which",
                ),
            ),
            (
                "no options",
                wrong(r#"{"toolCallId":"c"}"#, "null", "it has no `options`, or one of another type"),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_turn_that_is_cancelled_answers_what_is_open() {
    let cancel = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    let steps = format!(
        "{BEGUN}<< {}\n< {}\n> {cancel}\n>>~ {cancel}\n>>~ {CANCELLED}\n< {}\n> {}\n<< {{1}}\n>> {{2}}\n",
        run(1, "ask"),
        asked("ask"),
        over(1, "failed"),
        answered("yes"),
    )
    .replace("{1}", &run(1, "no"))
    .replace("{2}", &selected(1, "N"));
    // The late yes is nobody's, and the next call of the same id has a gate of its own.
    play("cancelled", GATE, &steps).await;

    let withdrawn = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#;
    let steps = format!(
        "{BEGUN}<< {}\n< {}\n<< {withdrawn}\n< {}\n>> {CANCELLED}\n",
        run(1, "ask"),
        asked("ask"),
        over(1, "failed")
    );
    play("withdrawn by the agent", GATE, &steps).await;
}

#[tokio::test]
async fn a_denial_that_ends_all_cancels_the_turn() {
    let cancel = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    let open = run(2, "ask");
    let steps = format!(
        "{BEGUN}<< {open}\n< {}\n<< {}\n>>~ {}\n>>~ {cancel}\n>>~ {}\n< {}\n",
        asked("ask"),
        run(1, "stop"),
        selected(1, "N"),
        CANCELLED.replace("\"id\":1", "\"id\":2"),
        over(1, "failed"),
    );
    play("terminated", GATE, &steps).await;
}

#[tokio::test]
async fn many_requests_at_once_are_each_answered_once() {
    let mut steps = BEGUN.to_owned();
    for id in 1..=40 {
        steps += &format!("<< {}\n", run(id, if id % 2 == 0 { "no" } else { "ls" }));
    }
    for id in (2..=40).step_by(2) {
        steps += &format!(">>~ {}\n", selected(id, "N"));
    }
    for id in (1..=40).step_by(2) {
        steps += &format!("<~ {}\n", run(id, "ls"));
    }
    for id in (1..=40).rev().step_by(2) {
        steps += &format!("> {0}\n>> {0}\n", selected(id - 1, "Y"));
    }
    play("many", GATE, &steps).await;
}

#[tokio::test]
async fn an_id_of_ours_is_refused() {
    let steps = format!(
        "{BEGUN}<< {}\n< {}\n<< {}\n>> {}\n",
        run(1, "ask"),
        asked("ask"),
        r#"{"jsonrpc":"2.0","id":"snaphook-9","method":"_x"}"#,
        r#"{"jsonrpc":"2.0","id":"snaphook-9","error":{"code":-32600,"message":"the id is one of snaphook's"}}"#
    );
    play("ours", GATE, &steps).await;
}
