//! The messages to an author who writes another language's words, or another hook system's names: script by script, beside
//! `snapshots/`.

use crate::support::*;

/// Whole scripts that do not load.
const LOADING: &[&str] = &[
    "on('PreToolUse', print)",
    "on('Stop', print)",
    "on('zzz', print)",
    "on('tool_call', { command = 'git' })",
    "print(os.getenv('HOME'))",
    "local f = io.open('/etc/passwd')",
    "require('lfs')",
    "on('tool_call', (event) => { })",
    "on('tool_call', function(event)\n  if event.command != 'ls' then return end\nend)",
    "on('tool_call', function(event)\n  if event.command == 'ls' && true then return end\nend)",
    "on('tool_call', function(event)\n  if a || b then return end\nend)",
    "on('tool_call', function(event)\n  if !event.command then return end\nend)",
    "on('tool_call', function(event)\n  return { block: true }\nend)",
    "on('tool_call', function(event)\n  return #{ block: true }\nend)",
    "let x = 1",
    "// a comment\non('tool_call', print)",
    "on('tool_call', function(event)\n  if (event.command == 'ls') {\n    return\n  }\nend)",
    "on('tool_call', function(event)\n  if x then return 1\n  else if y then return 2\n  end\nend)",
    "try\n  x()\ncatch e then\nend",
    "fn guard(event)\nend",
    "local n = 0\nn++",
];

/// Bodies of a handler of `tool_call`.
const RUNNING: &[&str] = &[
    "local home = os.getenv('HOME')",
    "os.execute('ls')",
    "io.popen('git status')",
    "io.write('x')",
    "console.log('x')",
    "printf('%s', 'x')",
    "if event.url == null then return end",
    "local t = JSON.parse('{}')",
    "if command == 'ls' then return end",
    "local f = loadstring('return 1')",
    "snaphook.shell.commands(nil)",
    "snaphook.shell.commands(event.url)",
    "snaphook.fs.read()",
    "ctx.log({})",
    "ctx.ui.confirm(true, {})",
    "ctx.state.get({})",
    "snaphook.path.join({})",
    "snaphook.regex.find('a')",
    "ctx.exec('missing')",
    "ctx.exec('git status')",
    "ctx.exec('git log | head')",
    "ctx.exec({ 'git', 'status' })",
    "ctx.exec('git', 'status')",
    "ctx.exec('git', { status = true })",
    "for _, cmd in snaphook.shell.commands(\"'\") do end",
    "local s = 'x' .. event.url",
    "local s = 'x' .. event.input",
    "local s = event.command + 'x'",
    "local s = string.format('%d', 'x')",
    "local s = string.format('%s', nil)",
    "local s = string.format('%s %s', 'x')",
    "local s = string.format('100%')",
    "local s = event.command:includes('x')",
    "local s = event.command:startsWith('x')",
    "event.paths:push('x')",
    "if event.tool_name == 'Bash' then return end",
    "if event.toolInput.command then return end",
    "if event.file_path then return end",
    "if event.cwd then return end",
    "event:block('no')",
    "error({ block = true })",
    "return 'block'",
    "return false",
    "return true",
    "return { 'block' }",
    "return { blocked = true }",
    "return { blok = true }",
    "return { deny = 'no' }",
    "return { decision = 'block', reason = 'no' }",
    "return { hookSpecificOutput = { permissionDecision = 'deny' } }",
    "return { allow = false }",
    "return { reason = 'no' }",
    "return { message = 'no' }",
    "return { updatedInput = {} }",
    "return { additionalContext = 'x' }",
    "return { continue = false }",
    "return { input = 'ls' }",
    "return { input = { 'ls' } }",
    "return { block = 'yes' }",
    "return { block = true, reason = { 'a' } }",
    "return true, 'no'",
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
            let source = format!("on('{event}', function() return 7 end)");
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
        let bed = load(&format!("\non('{event}', print)"));
        let warned: Vec<String> = bed.hook.problems.iter().map(ToString::to_string).collect();
        let expected = meant.map(|meant| {
            format!("guard.lua:2: \"{event}\" is an event of your own that no agent sends; did you mean \"{meant}\"?")
        });
        assert_eq!(warned, Vec::from_iter(expected));
    }
}

#[test]
fn no_field_is_named_that_the_event_does_not_have() {
    for (event, field, expected) in [
        ("user_prompt", "file_path", "user_prompt events have no field `file_path` (fields: name, prompt)"),
        ("user_prompt", "cwd", "user_prompt events have no field `cwd`; read ctx.cwd (fields: name, prompt)"),
        (
            "files_changed",
            "event",
            "files_changed events have no field `event`; read event.name (fields: name, files)",
        ),
    ] {
        let said = fire_empty(&format!("on('{event}', function(event) local x = event.{field} end)"));
        assert_eq!(said, format!("error at guard.lua:1: {expected}"));
    }
}
