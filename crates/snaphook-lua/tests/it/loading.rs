//! Scripts that load, and those that must not.

use serde_json::json;
use snaphook_core::{Event, ToolCall};

use crate::support::*;

fn problem(source: &str) -> String {
    match try_load(source, &[]) {
        Ok(_) => "loads".to_owned(),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn what_does_not_load_says_where_and_why() {
    for (source, expected) in [
        ("on('tool_cal', print)", "guard.lua:1: unknown event \"tool_cal\"; did you mean \"tool_call\"?"),
        ("\n\non('tool_call' print)", "guard.lua:3: Expected ')' (to close '(' at column 3), got 'print'"),
        ("local x = nil\nx.y = 1", "guard.lua:2: attempt to index nil with 'y'"),
        ("error('mine')", "guard.lua:1: mine"),
        ("error({})", "guard.lua:1: "),
        (
            "on('tool_call')",
            "guard.lua:1: on() needs a function as its last argument; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            "on(print)",
            "guard.lua:1: on() takes two or three arguments; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            "on('tool_call', { tools = 'bash' }, print)",
            "guard.lua:1: unknown matcher key `tools`; did you mean `tool`? (keys: tool, path, writes, command)",
        ),
        (
            "on('tool_call', { tool = 'Bash' }, print)",
            "guard.lua:1: `tool = \"Bash\"` is an agent's own name; the canonical name is \"bash\"",
        ),
        (
            "on('tool_call', { command = '(' }, print)",
            "guard.lua:1: \"(\" is not a regular expression: unclosed group",
        ),
        (
            "while true do end",
            "guard.lua: loading used up its CPU budget of 1s (do the work in a handler, or less of it)",
        ),
        (
            "local function handler() return { block = true } end",
            "guard.lua: the hook registers no handler, so it would guard nothing (call on(event, handler), or move the file away)",
        ),
        (
            "",
            "guard.lua: the hook registers no handler, so it would guard nothing (call on(event, handler), or move the file away)",
        ),
        (
            "require('x')",
            "guard.lua:1: require(\"x\"): only a folder hook (name/init.lua) has modules; JSON, files, the web and regular expressions are in `snaphook`",
        ),
        (
            "ctx.exec('ls')",
            "guard.lua:1: there is no variable \"ctx\" here: it is the second argument of handlers, function(event, ctx)",
        ),
        (
            "snaphook.shel.commands('x')",
            "guard.lua:1: snaphook has no `shel`; did you mean snaphook.shell? (it has env, fs, glob, http, json, path, regex, shell, time, version)",
        ),
        (
            "os.execute('ls')",
            "guard.lua:1: os.execute is not available to hooks: use ctx.exec(\"git\", { \"status\" }), in a handler",
        ),
        (
            "io.open('x')",
            "guard.lua:1: io.open is not available to hooks: use snaphook.fs.read(path) or snaphook.fs.write(path, text), with a grant",
        ),
        ("\u{1b}Lua", "guard.lua:1: "),
    ] {
        let said = problem(source);
        assert!(
            said == expected || (expected.ends_with(": ") && said.starts_with(expected)),
            "{source}: {said}"
        );
    }
}

#[test]
fn handlers_are_known_with_their_place() {
    let bed = load(
        "on('tool_call', { tool = 'bash' }, function() end)\n\nlocal function f() end\non('task.done', f)",
    );
    let told: Vec<_> = bed
        .hook
        .handlers
        .iter()
        .map(|handler| {
            let info = handler.info();
            format!("{} {} {:?}", info.event, info.location(), info.matcher.as_ref().map(ToString::to_string))
        })
        .collect();
    assert_eq!(told, [r#"tool_call guard.lua:1 Some("{\"tool\":\"bash\"}")"#, "task.done guard.lua:3 None"]);
}

#[test]
fn modules_come_from_the_hooks_own_folder() {
    let modules = [
        ("util.lua", "return { word = 'util' }"),
        ("lib/deep.lua", "return { up = require('../util'), side = require('./side') }"),
        ("lib/side.luau", "return 'side'"),
        ("pack/init.lua", "return 'pack'"),
        ("loop.lua", "return require('loop')"),
        ("broken.lua", "local x = \nreturn nil + 1 1"),
        ("empty.lua", ""),
    ];
    let run = |source: &str| match try_load(
        &format!("local r = {source} print(tostring(r)) on('shutdown', print)"),
        &modules,
    ) {
        Ok(bed) => bed.fake.noted().join(" "),
        Err(problem) => problem.to_string(),
    };
    assert_eq!(run("require('util').word"), "info: util");
    assert_eq!(run("require('./util').word"), "info: util");
    assert_eq!(run("require('lib/deep').up.word .. require('lib.deep').side"), "info: utilside");
    assert_eq!(run("require('pack')"), "info: pack");
    assert_eq!(run("require('empty')"), "info: true");
    assert_eq!(run("require('util') == require('./util')"), "info: true");
    for (source, part) in [
        ("require('loop')", "loop.lua requires itself"),
        ("require('../other')", "leads out of the hook's own folder"),
        ("require('/etc/passwd')", "leads out of the hook's own folder"),
        ("require('utli')", "no module \"utli\" in the hook's folder; did you mean \"util\"?"),
        ("require('broken')", "hooks/guard/broken.lua:2: "),
    ] {
        let said = run(source);
        assert!(said.contains(part), "{source}: {said}");
    }
}

#[test]
fn registration_ends_with_loading() {
    assert_eq!(
        handler("on('tool_call', print)").say(),
        "error at guard.lua:2: on() can be called only while the hook loads, not from a handler"
    );
}

#[test]
fn the_sandbox_is_sealed() {
    for (body, expected) in [
        (
            "string.find = print",
            "error at guard.lua:2: attempt to modify a readonly table (what the host gives cannot be changed; ctx.state and ctx.store have set(key, value))",
        ),
        (
            "snaphook.x = 1",
            "error at guard.lua:2: attempt to modify a readonly table (what the host gives cannot be changed; ctx.state and ctx.store have set(key, value))",
        ),
        (
            "ctx.ui = nil",
            "error at guard.lua:2: attempt to modify a readonly table (what the host gives cannot be changed; ctx.state and ctx.store have set(key, value))",
        ),
        (
            "ctx.ui.confirm = print",
            "error at guard.lua:2: attempt to modify a readonly table (what the host gives cannot be changed; ctx.state and ctx.store have set(key, value))",
        ),
        (
            "getmetatable('').__index = {}",
            "error at guard.lua:2: attempt to modify a readonly table (what the host gives cannot be changed; ctx.state and ctx.store have set(key, value))",
        ),
        (
            "for _, name in { 'getfenv', 'loadstring', 'load', 'dofile', 'collectgarbage', 'newproxy' } do assert(not pcall(function() return _G[name] end)) end return { context = tostring(debug.info) }",
            "context nil",
        ),
        ("return { context = tostring(rawset and pcall(rawset, ctx, 'x', 1)) }", "context false"),
        (
            "return { context = tostring(getmetatable(ctx)) .. tostring(getmetatable(snaphook.json)) }",
            "context lockedlocked",
        ),
        ("x = 1 return { context = tostring(x) }", "context 1"),
    ] {
        let said = handler(body).say();
        assert_eq!(said, expected, "{body}");
    }
}

/// A VM has the libraries that its script can reach, whichever way that does it.
#[test]
fn every_library_that_a_script_can_reach_is_there() {
    for (body, expected) in [
        ("return { context = `{math.floor(1.5)}` }", "context 1"),
        (
            "return { context = `{bit32.band(6, 3)}{utf8.len('é')}{buffer.len(buffer.create(8))}` }",
            "context 218",
        ),
        ("return { context = `{vector.create(1, 2, 3).y}` }", "context 2"),
        ("local name = 'ma' .. 'th' return { context = `{_G[name].floor(1.5)}` }", "context 1"),
        (
            "local names = {} for name in _G do names[name] = true end\n\
             for _, part in { 'th', 'f8', 't32', 'fer', 'tor' } do\n\
               local found = false for name in names do found = found or name:sub(-#part) == part end\n\
               assert(found, part)\n\
             end",
            "nothing",
        ),
    ] {
        assert_eq!(handler(body).say(), expected, "{body}");
    }
    let entry = "local bits = require('./bits') on('tool_call', function() return { context = bits() } end)";
    let module = "return function() return `{bit32.bnot(0)}` end";
    let bed = try_load(entry, &[("init.lua", entry), ("bits.lua", module)]).unwrap();
    assert_eq!(bed.say(), "context 4294967295");
}

#[test]
fn one_hook_does_not_see_another() {
    let one = load("shared = 1 on('tool_call', function() return { context = tostring(shared) } end)");
    let other = load("on('tool_call', function() return { context = tostring(shared) } end)");
    assert_eq!(
        (one.say().as_str(), other.say().as_str()),
        ("context 1", "error at guard.lua:1: there is no variable \"shared\" here")
    );
}

#[test]
fn errors_carry_line_and_traceback() {
    let bed = load(
        "local function inner(x)\n  return x.a.b\nend\non('tool_call', function(event)\n  inner({})\nend)",
    );
    let error = bed.gate(serde_json::json!({})).unwrap_err();
    assert_eq!(error.message, "attempt to index nil with 'b'");
    assert_eq!(error.location.map(|place| place.to_string()).as_deref(), Some("guard.lua:2"));
    let frames = error.traceback.unwrap_or_default();
    assert!(frames.contains("guard.lua:2") && frames.contains("guard.lua:5"), "{frames}");
    let deep = load("on('tool_call', function(event, ctx)\n  ctx.log(nil)\nend)");
    assert!(deep.say().starts_with("error at guard.lua:2: bad argument"), "{}", deep.say());
    let colon = handler("ctx.ui:confirm('x')");
    let expected = "bad argument 1 to ctx.ui.confirm: expected a string, got table; if it was called with a colon, write a dot";
    assert_eq!(colon.say(), format!("error at guard.lua:2: {expected}"));
}

#[test]
fn a_thrown_table_tells_its_message() {
    const TABLE: &str = "table; write error(\"text\"), or return { block = true, reason = \"…\" } to deny";
    for (thrown, expected) in [
        ("{ message = 'no such branch', code = 5 }", "no such branch"),
        ("setmetatable({}, { __index = function() while true do end end })", TABLE),
        ("{ message = 5 }", TABLE),
        ("true", "boolean"),
    ] {
        let said = handler(&format!("error({thrown})")).say();
        assert_eq!(said, format!("error at guard.lua:2: {expected}"), "{thrown}");
    }
}

#[test]
fn a_script_cannot_flood_the_log() {
    let bed = handler("error(('x'):rep(1e6))");
    assert!(bed.gate(serde_json::json!({})).unwrap_err().message.len() < 5000);
    let bed = handler("local function f() return 1 + f() end f()");
    assert!(bed.gate(serde_json::json!({})).unwrap_err().traceback.unwrap().lines().count() < 30);
}

#[test]
fn a_script_that_eats_memory_does_not_load() {
    let unhurried = snaphook_core::Limits { load_cpu: std::time::Duration::from_secs(60), ..limits() };
    for source in [
        "local t = {} while true do t[#t + 1] = string.rep('x', 1e6) .. #t end",
        "local t = {} pcall(function() while true do t[#t + 1] = string.rep('x', 1e6) .. #t end end) on('tool_call', print)",
    ] {
        let Err(problem) = load_with(source, &[], Fake::default(), unhurried.clone()) else {
            panic!("{source}")
        };
        assert!(problem.to_string().starts_with("guard.lua: the memory limit"), "{problem}");
    }
}

/// A hook that is known runs when it is first called, and answers as any other.
#[test]
fn a_known_hook_loads_when_it_is_called() {
    let source = "print('loading') on('tool_call', { tool = 'bash' }, function() return { block = true, reason = 'no' } end)";
    let bed = known(source, source);
    assert_eq!(bed.fake.noted(), Vec::<String>::new(), "the script did not run yet");
    let handler = &bed.hook.handlers[0];
    assert!(handler.selects(&bash(json!({"command": "ls"})), &bed.context()));
    let other = Event::tool_call(ToolCall::new("1", "read", json!({"path": "a"})));
    assert!(!handler.selects(&other, &bed.context()), "its matcher is known as well");
    assert_eq!(bed.say(), "deny no");
    assert_eq!(bed.say(), "deny no");
    assert_eq!(bed.fake.noted().len(), 1, "it ran once: {:?}", bed.fake.noted());
}

#[test]
fn a_known_hook_that_is_another_now_denies() {
    let then = "on('tool_call', function() end)";
    for (now, said) in [
        ("on('tool_result', function() end)", "it registered other handlers than the first time"),
        (
            "on('tool_call', { tool = 'bash' }, function() end)",
            "it registered other handlers than the first time",
        ),
        ("error('broken')", "load at guard.lua:1: the hook could not be loaded: guard.lua:1: broken"),
    ] {
        let bed = known(now, then);
        for _ in 0..2 {
            assert!(bed.say().contains(said), "{}", bed.say());
        }
    }
}
