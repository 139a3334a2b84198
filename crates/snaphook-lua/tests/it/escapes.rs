//! Ways out of the sandbox that need no grant: each is refused, and what it wanted to change is as it was. What computes or eats
//! for ever is in `containment`.

use snaphook_core::Engine;

use crate::support::*;

/// An attempt ends with `escaped` if it worked. Others would be told with an error in the hook's own file.
#[test]
fn no_library_leads_out() {
    for attempt in [
        // Code that nobody hashed.
        "load('return 1')()",
        "loadstring('return 1')()",
        "loadfile('x')",
        "dofile('x')",
        "string.dump(function() end)",
        "require('os')",
        "require('../x')",
        "package.loadlib('x.so', 'x')",
        "package.loaded.x = 1",
        "module('x')",
        // Other functions' variables, and the interpreter's own parts.
        "getfenv(0).x = 1",
        "getfenv(on).x = 1",
        "setfenv(function() end, {})",
        "debug.getinfo(1)",
        "debug.getregistry()",
        "debug.getupvalue(ctx.exec, 1)",
        "debug.setmetatable('', {})",
        "debug.sethook()",
        "collectgarbage('stop')",
        "gcinfo()",
        "newproxy(true)",
        // The system.
        "os.execute('true')",
        "os.getenv('HOME')",
        "os.exit(0)",
        "os.remove('x')",
        "io.open('/etc/passwd')",
        "io.popen('true')",
        "_G.io.open('/etc/passwd')",
        "_G['o' .. 's'].execute('true')",
        "rawget(_G, 'os').execute('true')",
        "rawget(_G, 'io').open('/etc/passwd')",
    ] {
        let said = handler(&format!("{attempt} return {{ context = 'escaped' }}")).say();
        assert!(said.starts_with("error at guard.lua:2: "), "{attempt}: {said}");
    }
}

#[test]
fn nothing_of_the_hosts_can_be_changed() {
    for attempt in [
        "string.find = print",
        "rawset(string, 'find', print)",
        "table.insert = print",
        "table.clear(table)",
        "math.huge = 1",
        "rawset(math, 'huge', 1)",
        "coroutine.wrap = print",
        "snaphook.shell = {}",
        "snaphook.shell.commands = function() return {} end",
        "rawset(snaphook.shell, 'commands', print)",
        "table.clear(snaphook)",
        "table.insert(snaphook, 1)",
        "ctx.exec = print",
        "rawset(ctx, 'exec', print)",
        "rawset(ctx.ui, 'confirm', function() return true end)",
        "setmetatable(string, {})",
        "setmetatable(snaphook, {})",
        "setmetatable(ctx, { __index = {} })",
        "setmetatable('', {})",
        "getmetatable('').__index = {}",
        "rawset(getmetatable(''), '__index', {})",
        "getmetatable(ctx).__index = {}",
        "for name in _G do rawset(_G[name], 'x', 1) end",
    ] {
        let said = handler(&format!("{attempt} return {{ context = 'escaped' }}")).say();
        assert!(said.starts_with("error at guard.lua:2: "), "{attempt}: {said}");
    }
}

/// A hook that changes its own variables changes nothing for another one of the same engine.
#[test]
fn what_one_hook_does_another_does_not_see() {
    let engine = engine();
    let load = |source: &str| {
        let fake = std::sync::Arc::new(Fake::default());
        let services: std::sync::Arc<dyn snaphook_core::Services> = fake.clone();
        let hook = engine.load(snaphook_core::LoadRequest::new(&script(source, &[]), &services, &limits()));
        Bed { hook: hook.unwrap_or_else(|problem| panic!("{problem}")), fake, limits: limits() }
    };
    let before = "on('tool_call', function(event, ctx)\n\
        local found = snaphook.shell.commands(event.command)\n\
        return { block = found[1].name == 'rm' and event.command:find('rm') ~= nil, reason = 'no rm ' .. tostring(rawget(_G, 'marker')) }\nend)";
    let gate = load(before);
    let hostile = load(
        "on('tool_call', function(event, ctx)\n\
         for _, attempt in { function() string.find = nil end, function() getmetatable('').__index = {} end, function() snaphook.shell = nil end } do pcall(attempt) end\n\
         marker = 'seen' on = nil print = nil snaphook = nil ctx = nil event.command = 'ls' _G = nil\nend)",
    );
    let rm = serde_json::json!({"command": "rm x"});
    assert_eq!(tell(&hostile.gate(rm.clone())), "nothing");
    for gate in [&gate, &load(before)] {
        assert_eq!(tell(&gate.gate(rm.clone())), "deny no rm nil");
    }
}

/// Names of modules are looked up among the scripts that were read with the hook; no spelling reaches a file.
#[test]
fn no_spelling_of_a_module_leads_out_of_the_folder() {
    let modules = [("util.lua", "return 1"), ("lib/deep.lua", "return 2")];
    let loads = |name: &str| {
        let source = format!("require({}) on('shutdown', function() end)", serde_json::json!(name));
        try_load(&source, &modules).map(drop).map_err(|problem| problem.to_string())
    };
    for inside in ["util", "./util", "lib/deep", "lib/../util", "util/", "lib.deep"] {
        assert_eq!(loads(inside), Ok(()), "{inside}");
    }
    for outside in [
        "..",
        "../guard",
        "../../etc/passwd",
        "lib/../../guard/util",
        "./../guard/util",
        "/etc/passwd",
        "//etc/passwd",
        "~/x",
        "..\\guard",
        "lib\\..\\..\\x",
        "C:\\x",
        "\\\\host\\x",
        "file:///etc/passwd",
        "https://example.org/x",
        "@self/../x",
        "%2e%2e/guard",
        "..%2fguard",
        "\u{2024}\u{2024}/guard",
        "\u{ff0e}\u{ff0e}/guard",
        "\u{ff55}til",
        "UTIL",
        "Util",
        "util\0",
        "util\0.lua",
        "util.lua\0/../x",
        " util",
        "",
        ".",
        "./",
    ] {
        let said = loads(outside);
        assert!(said.is_err(), "{outside:?}");
    }
}
