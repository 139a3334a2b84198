//! The messages to an author who writes another language's words, or another hook system's names: script by script, beside
//! `snapshots/`.

use crate::support::*;

/// Whole scripts that do not load.
const LOADING: &[&str] = &[
    "on(\"PreToolUse\", |event| ());",
    "on(\"Stop\", |event| ());",
    "on(\"zzz\", |event| ());",
    "on(\"tool_call\", #{ command: \"git\" });",
    "on('tool_call', |event| ());",
    "print(snaphook.shell.commands(\"ls\"));",
    "import \"lfs\" as lfs;",
    "let lfs = require(\"lfs\");",
    "on(\"tool_call\", function(event) { });",
    "on(\"tool_call\", (event) => { });",
    "on(\"tool_call\", |event| {\n  return { block: true };\n});",
    "on(\"tool_call\", |event| {\n  return {\n    block: true,\n  };\n});",
    "on(\"tool_call\", |event| {\n  return { \"block\": true };\n});",
    "on(\"tool_call\", |event| {\n  if event.url == nil { return; }\n});",
    "on(\"tool_call\", |event| {\n  if event.url == null { return; }\n});",
    "on(\"tool_call\", |event| {\n  if event.tool == 'bash' { return; }\n});",
    "on(\"tool_call\", |event| {\n  if true and false { return; }\n});",
    "on(\"tool_call\", |event| {\n  if true or false { return; }\n});",
    "on(\"tool_call\", |event| {\n  if not true { return; }\n});",
    "on(\"tool_call\", |event| {\n  if event.tool ~= \"bash\" { return; }\n});",
    "on(\"tool_call\", |event| {\n  if event.tool === \"bash\" { return; }\n});",
    "on(\"tool_call\", |event| {\n  if true then return end\n});",
    "on(\"tool_call\", |event| {\n  if true { 1 } elseif false { 2 }\n});",
    "local x = 1;",
    "var x = 1;",
    "-- a comment\non(\"tool_call\", |event| ());",
    "let n = #list;",
    "function guard(event) { }",
    "for (const x of [1]) { }",
    "for x in [1] do\nend",
    "let words = [\"rm\"];\nfn bad(word) {\n  words.contains(word)\n}",
    "const WORDS = [\"rm\"];\nfn bad(word) {\n  WORDS.contains(word)\n}",
    "fn bad(word) { comand == word }",
    "let n = 0;\nn++;",
    "async fn guard(event) { }",
    "let m = new Map();",
];

/// Bodies of a handler of `tool_call`.
const RUNNING: &[&str] = &[
    "console.log(\"x\")",
    "let home = os.getenv(\"HOME\");",
    "snaphook::shell::commands(())",
    "snaphook::shell::commands(event.url)",
    "snaphook::shell::commands('x')",
    "snaphook::fs::read()",
    "ctx.log(#{})",
    "ctx.ui.confirm(true)",
    "ctx.state.get(#{})",
    "ctx.exec(\"git status\")",
    "ctx.exec([\"git\", \"status\"])",
    "ctx.exec(\"git\", \"status\")",
    "ctx.exec(\"git\", { \"status\" })",
    "ctx.exec(\"git\", #{ status: true })",
    "print(\"a\", \"b\")",
    "println(\"a\")",
    "let s = tostring(1);",
    "let ok = pcall(|| 1);",
    "error(\"no\")",
    "for (k, v) in pairs(#{}) {}",
    "let s = \"a\" .. \"b\";",
    "let s = event.command.includes(\"x\");",
    "let s = event.command.startsWith(\"x\");",
    "let n = event.command.length;",
    "let n = event.url.len();",
    "if event.command { return; }",
    "if !event.url { return; }",
    "snaphook::shell::commands(\"'\")",
    "if event.tool_name == \"Bash\" { return; }",
    "if event.toolInput.command == \"x\" { return; }",
    "if event.file_path == \"x\" { return; }",
    "if event.cwd == \"x\" { return; }",
    "throw #{ block: true }",
    "return \"block\"",
    "return false",
    "return true",
    "return [\"block\"]",
    "return #{ blocked: true }",
    "return #{ blok: true }",
    "return #{ deny: \"no\" }",
    "return #{ decision: \"block\", reason: \"no\" }",
    "return #{ hookSpecificOutput: #{ permissionDecision: \"deny\" } }",
    "return #{ allow: false }",
    "return #{ reason: \"no\" }",
    "return #{ message: \"no\" }",
    "return #{ updatedInput: #{} }",
    "return #{ additionalContext: \"x\" }",
    "return #{ \"continue\": false }",
    "return #{ input: \"ls\" }",
    "return #{ input: [\"ls\"] }",
    "return #{ block: \"yes\" }",
    "return #{ block: true, reason: [\"a\"] }",
];

#[test]
fn mistakes_of_those_who_come_from_elsewhere() {
    let loading = LOADING.iter().map(|source| match try_load(source, &[]) {
        Ok(_) => shown(source, "loads"),
        Err(problem) => shown(source, &problem.to_string()),
    });
    let running = RUNNING.iter().map(|body| match try_load(&in_a_handler(body), &[]) {
        Ok(bed) => shown(body, &bed.say()),
        Err(problem) => shown(body, &problem.to_string()),
    });
    insta::assert_snapshot!(loading.chain(running).collect::<String>());
}

/// Each event has a sample of its own answers.
#[test]
fn an_answer_of_each_class() {
    let said =
        ["user_prompt", "tool_result", "files_changed", "agent_end", "turn_end", "shutdown"].map(|event| {
            let source = format!("on(\"{event}\", |event| 7);");
            shown(&source, &fire_empty(&source))
        });
    insta::assert_snapshot!(said.concat());
}

#[test]
fn an_event_that_never_comes_is_a_warning() {
    for (event, meant) in [
        ("tool.call", Some("tool_call")),
        ("session.start", Some("session_start")),
        ("tool.execute.before", Some("tool_call")),
        ("acme.deployed", None),
    ] {
        let bed = load(&format!("\non(\"{event}\", |event| ());"));
        let warned: Vec<String> = bed.hook.problems.iter().map(ToString::to_string).collect();
        let expected = meant.map(|meant| {
            format!("guard.rhai:2: \"{event}\" is an event of your own that no agent sends; did you mean \"{meant}\"?")
        });
        assert_eq!(warned, Vec::from_iter(expected));
    }
}
