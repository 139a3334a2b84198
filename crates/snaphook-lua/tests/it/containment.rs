//! Scripts that compute for ever or eat memory. Each is stopped, and the next call works.

use crate::support::*;

/// Bodies that never end by themselves, with the cause of their end. `nothing`: the call returns harmlessly.
const HOSTILE: &[(&str, &str)] = &[
    ("while true do end", "budget"),
    ("repeat until false", "budget"),
    ("for i = 1, 1e15 do end", "budget"),
    ("local function f() return f() end f()", "error"),
    ("while true do pcall(function() while true do end end) end", "budget"),
    ("pcall(function() while true do end end) return { allow = true }", "budget"),
    ("xpcall(function() while true do end end, function() while true do end end)", "budget"),
    ("local function f() return pcall(f) end f() while true do f() end", "budget"),
    (
        "local co = coroutine.create(function() while true do end end) while true do coroutine.resume(co) end",
        "budget",
    ),
    ("coroutine.wrap(function() while true do end end)()", "budget"),
    ("while true do coroutine.wrap(function() coroutine.yield() end)() end", "budget"),
    ("local s = ('a'):rep(30) .. 'b' s:find(('a*'):rep(30) .. 'c')", "budget"),
    ("local s = ('a'):rep(1e5) s:gsub('.-b', 'x') s:find('.-.-.-.-b')", "budget"),
    (
        "local s = ('x'):rep(8e6) local n = ('x'):rep(4e6) .. 'y' while true do s:find(n, 1, true) end",
        "budget",
    ),
    ("table.move({}, 1, 2^31 - 2, 2)", "error"),
    (
        "local t = {} for i = 1, 3e5 do t[i] = (i % 2 == 0 and 'a' or 'b') end local a, b = ('x'):rep(4e6) .. 'a', ('x'):rep(4e6) .. 'b' \
      for i = 1, #t do t[i] = i % 2 == 0 and a or b end table.sort(t)",
        "budget",
    ),
    ("table.sort({ 3, 1, 2, 5, 4 }, function() return true end)", ""),
    ("table.sort({ 1, 2, 3 }, function() while true do end end)", "budget"),
    ("return { context = ('x'):rep(2^53) }", ""),
    ("return { context = ('x'):rep(1e9) }", ""),
    ("(''):rep(2^53)", "nothing"),
    (
        "local t = setmetatable({}, { __index = function(t, k) while true do end end }) return { context = t.x }",
        "budget",
    ),
    ("local t = setmetatable({}, { __tostring = function() while true do end end }) tostring(t)", "budget"),
    (
        "local t = setmetatable({}, { __iter = function() return function() return 1 end end }) for _ in t do end",
        "budget",
    ),
    ("local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end", "memory"),
    ("local t = {} while true do t = { t, function() return t end } end", "memory"),
    (
        "local t = {} pcall(function() while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end) return { allow = true }",
        "memory",
    ),
    (
        "local t = {} coroutine.resume(coroutine.create(function() while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end)) return { allow = true }",
        "memory",
    ),
    (
        "local t = {} xpcall(function() while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end, function() end) return { allow = true }",
        "memory",
    ),
    ("local b = {} while true do b[#b + 1] = buffer.create(1e6) end", "memory"),
    ("table.create(1e9, 0)", "error"),
    ("local s = 'x' while true do s = s .. s end", "memory"),
    ("local t = table.create(1e5, ('x'):rep(1e5)) table.concat(t)", "memory"),
    ("local function f() return 1 + f() end f()", "error"),
    ("string.split(('x'):rep(1e6), ('x'):rep(1000))", "error"),
    ("while true do coroutine.yield() end", "error"),
    ("while true do snaphook.json.encode({ 1, 2, 3 }) end", "budget"),
    ("while true do snaphook.regex.matches('(a*)*b', ('a'):rep(1000)) end", "budget"),
    ("while true do ctx.log('x') ctx.log('x') end", "budget"),
    ("while true do ctx.exec('true') end", "budget"),
];

#[test]
fn hostile_scripts_are_stopped_and_the_next_call_works() {
    for (body, cause) in HOSTILE {
        let source = format!(
            "on('tool_call', function(event, ctx)\nif event.command == 'ok' then return {{ allow = true }} end\n{body}\nend)"
        );
        let bed = load(&source);
        let began = std::time::Instant::now();
        let said = bed.say();
        let took = began.elapsed();
        match *cause {
            "" => assert!(!said.starts_with("allow"), "{body}: {said}"),
            cause => assert!(said.starts_with(cause), "{body}: {said}"),
        }
        // Not a timing test: without a stop none of these would end at all.
        assert!(took.as_secs() < 20, "{body}: {took:?}");
        let next = tell(&bed.gate(serde_json::json!({"command": "ok"})));
        assert_eq!(next, "allow ", "after {body}");
    }
}

#[test]
fn the_events_budget_is_shared() {
    let bed = load_with(
        "on('tool_call', function() while true do end end)",
        &[],
        Fake::default(),
        snaphook_core::Limits { event_cpu: std::time::Duration::from_millis(50), ..limits() },
    )
    .unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(bed.say(), "budget: the handlers of this event used up their CPU budget of 50ms");
}

#[test]
fn a_replaced_vm_has_its_handlers_again_and_its_state_still() {
    let bed = load(
        "local n = 0 on('tool_call', function(event, ctx)\n\
         n += 1 ctx.state.set('n', ctx.state.get('n', 0) + 1)\n\
         if event.command == 'eat' then local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end\n\
         return { context = n .. ' ' .. ctx.state.get('n') }\nend)",
    );
    assert_eq!(bed.say(), "context 1 1");
    assert!(tell(&bed.gate(serde_json::json!({"command": "eat"}))).starts_with("memory"));
    assert_eq!(bed.say(), "context 1 3");
}
