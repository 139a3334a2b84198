//! Scripts that compute for ever or eat memory. Each is stopped, and the next call works.

use snaphook_lua::{InterruptChecker, LuaEngine};

use crate::support::*;

/// Each file of `tests/conformance/containment`: a gate that allows `ok` and does its worst on anything else. Its first
/// line says what it comes to.
fn hostile() -> Vec<(String, String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/containment");
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "lua"))
        .map(|path| {
            let source = std::fs::read_to_string(&path).unwrap();
            let expected = source.split_once("expect: ").unwrap().1.lines().next().unwrap().to_owned();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), expected, source)
        })
        .collect();
    cases.sort();
    assert!(cases.len() >= 40);
    cases
}

/// A hook whose budget is no matter, however busy the machine is.
fn unhurried(source: &str) -> Bed {
    let limits = snaphook_core::Limits { handler_cpu: std::time::Duration::from_secs(60), ..limits() };
    let limits = snaphook_core::Limits { event_cpu: limits.handler_cpu, ..limits };
    load_with(source, &[], Fake::default(), limits).unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn hostile_scripts_are_stopped_and_the_next_call_works() {
    for (name, expected, source) in hostile() {
        let bed = if expected == "budget" { load(&source) } else { unhurried(&source) };
        let said = bed.say();
        match expected.as_str() {
            "harmless" => assert!(!said.starts_with("allow"), "{name}: {said}"),
            causes => assert!(causes.split('|').any(|cause| said.starts_with(cause)), "{name}: {said}"),
        }
        let next = tell(&bed.gate(serde_json::json!({"command": "ok"})));
        assert_eq!(next, "allow ", "after {name}");
    }
}

/// Both when it looks anyway and when it sleeps, because nobody computed for a while.
#[test]
fn a_thread_of_the_program_stops_scripts_as_the_engines_own_does() {
    let (give, take) = std::sync::mpsc::channel::<InterruptChecker>();
    let (sleeps, asleep) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let mut checker = take.recv().unwrap();
        loop {
            match checker.check() {
                Some(time) => std::thread::park_timeout(time),
                None if sleeps.send(()).is_ok() => std::thread::park(),
                None => return,
            }
        }
    });
    let (engine, checker) = LuaEngine::with_timer_thread(thread.thread().clone());
    let source =
        "on('tool_call', function(event) while event.command ~= 'ok' do end return { allow = true } end)";
    let bed = load_by(&engine, source, &[], Fake::default(), limits())
        .unwrap_or_else(|problem| panic!("{problem}"));
    give.send(checker).unwrap();
    for round in 0..2 {
        assert!(bed.say().starts_with("budget"), "round {round}");
        assert_eq!(tell(&bed.gate(serde_json::json!({"command": "ok"}))), "allow ", "round {round}");
        asleep.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    }
    drop(asleep);
    // A turn wakes it, and then it sees that nobody listens.
    assert_eq!(tell(&bed.gate(serde_json::json!({"command": "ok"}))), "allow ");
    thread.join().unwrap();
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
    let bed = unhurried(
        "local n = 0 on('tool_call', function(event, ctx)\n\
         n += 1 ctx.state.set('n', ctx.state.get('n', 0) + 1)\n\
         if event.command == 'eat' then local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end\n\
         return { context = n .. ' ' .. ctx.state.get('n') }\nend)",
    );
    assert_eq!(bed.say(), "context 1 1");
    assert!(tell(&bed.gate(serde_json::json!({"command": "eat"}))).starts_with("memory"));
    assert_eq!(bed.say(), "context 1 3");
}

#[test]
fn no_script_of_its_own_runs_without_the_memory_limit() {
    // Each body gets code of the script's run from within the host.
    for body in [
        "local t = setmetatable({}, { __tostring = function() eat() return 'x' end }) return ctx[t]",
        "local t = setmetatable({}, { __tostring = function() eat() return 'x' end }) return snaphook.json[t]",
        "local t = setmetatable({}, { __index = function() eat() end, __iter = function() eat() end, __len = function() eat() end }) return { input = t }",
        "error(setmetatable({}, { __tostring = function() eat() return 'x' end }))",
        "ctx.exec('true') eat()",
        "ctx.ui.confirm('x') pcall(eat)",
        "coroutine.wrap(function() ctx.exec('true') eat() end)()",
        "ctx.emit('some.thing') eat()",
    ] {
        let bed = unhurried(&format!(
            "function eat() local t = {{}} for i = 1, 400 do t[i] = ('x'):rep(1e6) .. i end ate = true end ate = false\n\
             on('tool_call', function(event, ctx)\n{body}\nend)\n\
             on('some.thing', function(event, ctx) eat() end)\n\
             on('turn_end', function() return {{ context = tostring(ate) }} end)"
        ));
        bed.say();
        let event = snaphook_core::Event::lifecycle(
            snaphook_core::Lifecycle::TurnEnd,
            serde_json::json!({"turn_index": 0}).as_object().cloned().unwrap_or_default(),
        );
        let ate = tell(&runtime().block_on(bed.fire(&event.unwrap())));
        assert_eq!(ate, "context false", "{body}: 400 MB in 64");
    }
}
