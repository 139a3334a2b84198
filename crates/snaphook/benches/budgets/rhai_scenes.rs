//! The same in Rhai: hooks, hosts, and the same handler in a plain engine without any of it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhai::{AST, Dynamic, Engine, FnPtr, Map};
use snaphook::{CallOptions, Cause, HookRef, Host, Language, Limits, Scope, Script};
use snaphook_rhai::RhaiEngine;

use crate::line;
use crate::measure::{Case, Timing, compare, once, resident};
use crate::scenes::{self, call, emit, pass, ready};

/// `scenes::GUARD`, line by line.
const GUARD: &str = r#"//---
// name: guard
// description: Refuses a few commands
//---
let patterns = [
  #{ find: "rm -rf", why: "deletes without asking" },
  #{ find: "git push --force", why: "rewrites what others have" },
  #{ find: "mkfs", why: "makes a file system" },
];

on("tool_call", |event| {
  let command = event.command;
  if command == () {
    return;
  }
  for pattern in patterns {
    if command.contains(pattern.find) {
      return #{ block: true, reason: pattern.why };
    }
  }
});
"#;

const EMPTY: &str = r#"on("tool_call", |event| ());"#;

const UNTOUCHED: &str = r#"
on("tool_result", |event| {
  if event.tool == "bash" && event.is_error {
    return #{ context: "the command failed" };
  }
});
"#;

const TOUCHED: &str = r#"
on("tool_result", |event| {
  if event.content.contains("PRIVATE KEY") {
    return #{ content: "[removed]" };
  }
});
"#;

const RUNAWAY: &str = r#"on("tool_call", |event| { while true {} });"#;

fn scripts(count: usize, source: &str) -> Vec<Script> {
    let script = |index| Script {
        hook: HookRef::new(
            format!("guard-{index}"),
            "guard",
            Scope::User,
            format!("hooks/guard_{index}.rhai"),
        ),
        source: source.into(),
        modules: Arc::default(),
        grants: Arc::default(),
        path: None,
        executable: None,
    };
    (0..count).map(script).collect()
}

fn host_of(scripts: Vec<Script>, engine: &Arc<RhaiEngine>, limits: Limits) -> Host {
    let builder = Host::builder().engine(Language::Rhai, Arc::clone(engine) as _).limits(limits);
    let host =
        scripts.into_iter().fold(builder, |builder, script| builder.script(script, Language::Rhai)).build();
    assert_eq!(host.problems(), Vec::new(), "the hooks load");
    host
}

fn host(count: usize, source: &str) -> Host {
    host_of(scripts(count, source), &Arc::new(RhaiEngine::new()), Limits::default())
}

/// The floor: the handler of a hook in a plain engine, with a map for an event. No limits, no host.
struct Bare {
    engine: Engine,
    tree: AST,
    handler: FnPtr,
    event: Map,
}

impl Bare {
    fn new(source: &str) -> Self {
        let mut engine = Engine::new();
        let found = Arc::new(std::sync::Mutex::new(None));
        let keep = Arc::clone(&found);
        engine.register_fn("on", move |_: &str, handler: FnPtr| *keep.lock().unwrap() = Some(handler));
        let tree = engine.compile(source).unwrap();
        engine.run_ast(&tree).unwrap();
        let handler = found.lock().unwrap().take().unwrap();
        let event = engine.eval::<Map>(
            r#"#{ name: "tool_call", id: "call_1", tool: "bash", native_tool: "bash", paths: [], command: "cargo test --workspace",
                  input: #{ command: "cargo test --workspace", description: "Run the tests" } }"#,
        );
        Bare { engine, tree, handler, event: event.unwrap() }
    }

    fn call(&self) {
        let done = self.handler.call::<Dynamic>(&self.engine, &self.tree, (self.event.clone(),));
        assert!(done.is_ok_and(|value| value.is_unit()));
    }
}

/// Everything that is measured of Rhai.
pub fn all() {
    memory();
    gates();
    results();
    loads();
    stops();
}

fn memory() {
    const HOOKS: usize = 100;
    let engine = Arc::new(RhaiEngine::new());
    let first = host_of(scripts(1, GUARD), &engine, Limits::default());
    pass(&first, &call());
    let before = resident();
    let host = host_of(scripts(HOOKS, GUARD), &engine, Limits::default());
    pass(&host, &call());
    let each = before.zip(resident()).map(|(before, then)| (then - before) / 1024.0 / HOOKS as f64);
    let own: usize = host.hooks().iter().map(|hook| hook.memory).sum();
    let counted = own as f64 / HOOKS as f64 / 1024.0;
    match each {
        Some(kib) => {
            println!(
                "Rhai: memory a hook, after one gate: {kib:.0} KiB, counted {counted:.0} KiB (budget 300)"
            )
        }
        None => println!("Rhai: memory a hook: counted {counted:.0} KiB"),
    }
}

fn gates() {
    let (bare, bare_empty) = (Bare::new(GUARD), Bare::new(EMPTY));
    let (one, empty, ten, hundred) = (host(1, GUARD), host(1, EMPTY), host(10, GUARD), host(100, GUARD));
    let call = call();
    let [floor, floor_empty, gate, gate_empty, gate_ten, gate_hundred] = compare(
        [
            Case::new(|| bare.call()),
            Case::new(|| bare_empty.call()),
            Case::new(|| pass(&one, &call)),
            Case::new(|| pass(&empty, &call)),
            Case::new(|| pass(&ten, &call)),
            Case::new(|| pass(&hundred, &call)),
        ],
        200,
    );
    line("Rhai: floor: empty call in a plain engine, event as a map", floor_empty, None, None);
    line("Rhai: floor: the handler in a plain engine", floor, None, None);
    line("Rhai: gate, an empty handler", gate_empty, Some(floor_empty), None);
    line("Rhai: gate, one handler, small event", gate, Some(floor), Some(6e3));
    line("Rhai: gate, 10 handlers", gate_ten, Some(floor), None);
    line("Rhai: gate, 100 handlers", gate_hundred, Some(floor), None);
    println!();
}

fn results() {
    let (untouched, touched) = (host(1, UNTOUCHED), host(1, TOUCHED));
    let big = scenes::result(100_000);
    let [without, with] =
        compare([Case::new(|| emit(&untouched, &big)), Case::new(|| emit(&touched, &big))], 150);
    line("Rhai: 100 KB tool result that the handler does not touch", without, None, None);
    line("Rhai: 100 KB tool result, searched", with, None, None);
    println!();
}

fn loads() {
    let make = || drop(host_of(scripts(1, GUARD), &Arc::new(RhaiEngine::new()), Limits::default()));
    let (_, first) = once(30, make);
    line("Rhai: the engine and one hook", first, None, None);
    let engine = Arc::new(RhaiEngine::new());
    for (count, rounds, budget) in [(1, 100, None), (10, 40, None), (100, 12, Some(40e6))] {
        let (wall, cpu) = once(rounds, || host_of(scripts(count, GUARD), &engine, Limits::default()));
        line(&format!("Rhai: load {count} hooks, ready to gate"), cpu, None, budget);
        line("  wall", wall, None, None);
    }
    println!();
}

fn stops() {
    let budget = Duration::from_millis(20);
    let limits = Limits { handler_cpu: budget, ..Limits::default() };
    let host = host_of(scripts(1, RUNAWAY), &Arc::new(RhaiEngine::new()), limits);
    let samples = (0..40).map(|_| {
        let began = Instant::now();
        let outcome = ready(host.gate(call(), &CallOptions::default()));
        let late = began.elapsed().saturating_sub(budget);
        let ControlFlow::Break(denied) = outcome else { unreachable!("it never ends by itself") };
        assert!(denied.decision.deciding().any(|reason| reason.cause == Some(Cause::Budget)));
        late.as_nanos() as f64
    });
    line(
        "Rhai: runaway handler stopped after its budget, wall",
        Timing::of(samples.collect()),
        None,
        Some(10e6),
    );
}

/// Repeats one case for a profiler.
pub fn count(name: &str, times: usize) -> bool {
    match name {
        "rhai-gate" => {
            let (host, call) = (host(1, GUARD), call());
            (0..times).for_each(|_| pass(&host, &call));
        }
        "rhai-empty" => {
            let (host, call) = (host(1, EMPTY), call());
            (0..times).for_each(|_| pass(&host, &call));
        }
        "rhai-bare" => {
            let bare = Bare::new(GUARD);
            (0..times).for_each(|_| bare.call());
        }
        "rhai-load" => {
            let engine = Arc::new(RhaiEngine::new());
            (0..times).for_each(|_| drop(host_of(scripts(1, GUARD), &engine, Limits::default())));
        }
        _ => return false,
    }
    true
}
