//! Scripts that compute for ever or eat memory. Each is stopped, and the next call works.

use crate::support::*;

/// Each file of `tests/conformance/containment`: a gate that allows `ok` and does its worst on anything else. Its first
/// line says what it comes to.
fn hostile() -> Vec<(String, String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/containment");
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rhai"))
        .map(|path| {
            let source = std::fs::read_to_string(&path).unwrap();
            let expected = source.split_once("expect: ").unwrap().1.lines().next().unwrap().to_owned();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), expected, source)
        })
        .collect();
    cases.sort();
    assert!(cases.len() >= 65);
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
        let bed = if expected.contains("budget") { load(&source) } else { unhurried(&source) };
        let said = bed.say();
        match expected.as_str() {
            "harmless" => assert!(!said.starts_with("allow"), "{name}: {said}"),
            causes => assert!(causes.split('|').any(|cause| said.starts_with(cause)), "{name}: {said}"),
        }
        let next = tell(&bed.gate(serde_json::json!({"command": "ok"})));
        assert_eq!(next, "allow ", "after {name}");
    }
}

#[test]
fn the_events_budget_is_shared() {
    let bed = load_with(
        "on(\"tool_call\", |event| { while true {} });",
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
        "let n = 0; on(\"tool_call\", |event, ctx| {\n\
         n += 1; ctx.state.set(\"n\", ctx.state.get(\"n\", 0) + 1);\n\
         if event.command == \"eat\" { let t = []; while true { t.push(\"0123456789\" + t.len()); } }\n\
         #{ context: `${n} ${ctx.state.get(\"n\")}` }\n});",
    );
    assert_eq!(bed.say(), "context 1 1");
    assert!(tell(&bed.gate(serde_json::json!({"command": "eat"}))).starts_with("memory"));
    assert_eq!(bed.say(), "context 1 3");
}

/// Values that own each other in a chain are freed by recursion. Whatever the memory limit lets a script build has to fit
/// on the stack: within a turn, kept for later turns, and when the hook goes.
#[test]
fn chains_as_long_as_memory_allows_are_freed() {
    let bed = unhurried(
        "let kept = (); let n = 0;\n\
         on(\"tool_call\", |event| {\n\
         if event.command == \"ok\" { return #{ allow: true } }\n\
         if event.command == \"keep\" { for i in 0..60_000 { let next = kept; kept = || next; } return }\n\
         let head = (); while true { let next = head; head = || next; }\n});",
    );
    assert_eq!(bed.say(), "memory: the memory limit of 64 MiB is reached");
    assert_eq!(tell(&bed.gate(serde_json::json!({"command": "ok"}))), "allow ");
    assert_eq!(tell(&bed.gate(serde_json::json!({"command": "keep"}))), "nothing");
    assert_eq!(tell(&bed.gate(serde_json::json!({"command": "keep"}))), "nothing");
    // On a thread with little stack of its own.
    std::thread::Builder::new().stack_size(256 << 10).spawn(move || drop(bed)).unwrap().join().unwrap();
}

#[test]
fn lists_in_lists_are_copied_and_freed_at_any_depth() {
    let bed = load_with(
        "on(\"tool_call\", |event| {\n\
         if event.command == \"ok\" { return #{ allow: true } }\n\
         let t = []; for i in 0..4000 { t = [t]; } let copy = t; copy.push(t); copy == t;\n\
         let m = #{}; for i in 0..4000 { m = #{ inner: m }; } let other = m; other.x = m; other == m;\n\
         #{ context: \"fine\" }\n});",
        &[],
        Fake::default(),
        snaphook_core::Limits {
            handler_cpu: std::time::Duration::from_secs(60),
            event_cpu: std::time::Duration::from_secs(60),
            ..limits()
        },
    )
    .unwrap_or_else(|problem| panic!("{problem}"));
    let said = bed.say();
    assert!(said == "context fine" || said.starts_with("error at guard.rhai"), "{said}");
    assert_eq!(tell(&bed.gate(serde_json::json!({"command": "ok"}))), "allow ");
}
