//! Every budget of the design, measured in one run beside its floor: `cargo bench -p snaphook --bench budgets`.
//! A budget that is not met is printed, never an error: timings depend on the machine. Method and results:
//! `docs/dev/performance.md`. `-- --only WORD` runs the parts whose name has the word; `-- --count NAME N` repeats one
//! case N times and says nothing, for a profiler that counts instructions.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a program that measures and prints"
)]

mod audit_scenes;
mod measure;
mod rhai_scenes;
mod scenes;
mod trust_scenes;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use measure::{Case, Timing, compare, once, resident, time};
use scenes::{Bare, call, emit, host, pass, ready};
use snaphook::{CallOptions, Cause, Host, Limits};

/// As the command has it: Rhai scripts are metered, everything else pays for the look.
#[global_allocator]
static ALLOCATOR: snaphook_rhai::MeteredAllocator = snaphook_rhai::MeteredAllocator;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [flag, name, times] = args.as_slice()
        && flag == "--count"
    {
        return count(name, times.parse().unwrap());
    }
    let only = args.iter().position(|arg| arg == "--only").and_then(|at| args.get(at + 1));
    let wanted = |name: &str| only.is_none_or(|word| name.contains(word.as_str()));
    let began = Instant::now();
    // Memory first: what other parts leave behind would be used again, and hide what hooks need.
    let parts: [(&str, fn()); 9] = [
        ("memory", memory),
        ("gate", gates),
        ("audit", audit_scenes::all),
        ("result", results),
        ("growth", growth),
        ("load", loads),
        ("trust", trust_scenes::all),
        ("stop", stops),
        ("rhai", rhai_scenes::all),
    ];
    println!("CPU time of the thread unless it says wall; least and middle of many samples\n");
    println!("{:<58} {:>10} {:>10} {:>9} {:>6}  {:>9}", "", "least", "middle", "floor", "ratio", "budget");
    for (name, part) in parts {
        if wanted(name) {
            part();
        }
    }
    println!("\nmeasured in {:.0} s", began.elapsed().as_secs_f64());
}

/// Prints one line; `budget` in nanoseconds.
fn line(what: &str, took: Timing, floor: Option<Timing>, budget: Option<f64>) {
    let ratio = floor.map(|floor| format!("{:.1}", took.middle / floor.middle)).unwrap_or_default();
    let floor = floor.map(|floor| show(floor.middle)).unwrap_or_default();
    let verdict = match budget {
        Some(budget) if took.middle <= budget => "ok",
        Some(budget) if took.least <= budget => "ok (least)",
        Some(_) => "OVER",
        None => "",
    };
    let budget = budget.map(show).unwrap_or_default();
    let (least, middle) = (show(took.least), show(took.middle));
    println!("{what:<58} {least:>10} {middle:>10} {floor:>9} {ratio:>6}  {budget:>9} {verdict}");
}

fn show(nanos: f64) -> String {
    match nanos {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.2} µs", n / 1e3),
        n => format!("{:.2} ms", n / 1e6),
    }
}

fn memory() {
    const HOOKS: usize = 100;
    let engine = scenes::engine();
    let load = |count| scenes::host_of(scenes::scripts(count, scenes::GUARD), &engine, Limits::default());
    // What one hook brings for all: the compiled prelude, the allocator's first pages.
    let first = load(1);
    pass(&first, &call());
    let before = resident();
    let host = load(HOOKS);
    let loaded = resident();
    pass(&host, &call());
    let once = resident();
    (0..1000).for_each(|_| pass(&host, &call()));
    let often = resident();
    let each =
        |then: Option<f64>| before.zip(then).map(|(before, then)| (then - before) / 1024.0 / HOOKS as f64);
    let own: usize = host.hooks().iter().map(|hook| hook.memory).sum();
    println!("memory a hook: growth of the resident set over {HOOKS} hooks");
    for (when, kib) in
        [("loaded", each(loaded)), ("after one gate", each(once)), ("after 1000 gates", each(often))]
    {
        match kib {
            Some(kib) => println!(
                "  {when:<20} {kib:>6.0} KiB   budget 300 KiB {}",
                if kib <= 300.0 { "ok" } else { "OVER" }
            ),
            None => println!("  {when:<20} unknown on this system"),
        }
    }
    println!("  reserved by Luau's allocator, most of it never touched: {} KiB\n", own / HOOKS / 1024);
}

fn gates() {
    let bare = Bare::new(scenes::GUARD);
    let (none, one, out) = (Host::builder().build(), host(1, scenes::GUARD), host(100, &scenes::excluded()));
    let out_one = host(1, &scenes::excluded());
    let call = call();
    let [floor, coroutine, empty, empty_async, host_only, gate, excluded, excluded_one] = compare(
        [
            Case::new(|| bare.call()),
            Case::new(|| bare.call_async()),
            Case::new(|| bare.empty()),
            Case::new(|| bare.empty_async()),
            Case::new(|| pass(&none, &call)),
            Case::new(|| pass(&one, &call)),
            Case::new(|| pass(&out, &call)),
            Case::new(|| pass(&out_one, &call)),
        ],
        200,
    );
    line("floor: empty call in a plain VM", empty, None, None);
    line("floor: empty call as a coroutine", empty_async, None, None);
    line("floor: the handler in a plain VM, event made beforehand", floor, None, None);
    line("floor: the same as a coroutine", coroutine, None, None);
    line("gate without a handler", host_only, None, None);
    line("gate, one Lua handler, small event", gate, Some(floor), Some(1500.0));
    let bare = Timing { least: gate.least / floor.least, middle: gate.middle / floor.middle };
    println!("{:<58} {:>9.1}x {:>9.1}x", "  as a multiple of the bare handler call", bare.least, bare.middle);
    let three = Timing { least: gate.least / coroutine.least, middle: gate.middle / coroutine.middle };
    let verdict = if three.middle <= 3.0 {
        "ok"
    } else if three.least <= 3.0 {
        "ok (least)"
    } else {
        "OVER"
    };
    println!(
        "{:<58} {:>9.1}x {:>9.1}x {:>9} {:>6}  {:>9} {verdict}",
        "  as a multiple of the handler as a coroutine", three.least, three.middle, "", "", "3.0x"
    );
    line("gate, one handler whose matcher excludes the call", excluded_one, None, None);
    let each = |of: Timing, none: Timing| Timing {
        least: (of.least - none.least) / 100.0,
        middle: (of.middle - none.middle) / 100.0,
    };
    line("excluded by its matcher, for each of 100 handlers", each(excluded, host_only), None, Some(100.0));
    println!();
}

fn results() {
    let (untouched, touched) = (host(1, scenes::UNTOUCHED), host(1, scenes::TOUCHED));
    let bare = Bare::new(scenes::GUARD);
    let big = scenes::result(100_000);
    let text = big.content.to_string();
    let [floor, text, without, with] = compare(
        [
            Case::new(|| bare.call()),
            Case::new(|| bare.text(&text)),
            Case::new(|| emit(&untouched, &big)),
            Case::new(|| emit(&touched, &big)),
        ],
        150,
    );
    line("100 KB tool result that the handler does not touch", without, Some(floor), Some(2000.0));
    line("100 KB tool result, searched (floor: the text in a VM)", with, Some(text), None);
    let redact = host(1, scenes::REDACT);
    let clean = scenes::result(1 << 20);
    let mut secret = clean.clone();
    secret.content = format!("{}API_TOKEN=abcdef0123456789\n{}", clean.content, clean.content).into();
    let [clean, secret] =
        compare([Case::new(|| emit(&redact, &clean)), Case::new(|| emit(&redact, &secret))], 20);
    line("1 MB tool result through the example redact-secrets", clean, None, None);
    line("2 MB tool result with a secret through redact-secrets", secret, None, None);
    println!();
}

fn growth() {
    let bare = Bare::new(scenes::GUARD);
    let call = call();
    for (count, budget) in
        [(1, None), (2, None), (5, None), (10, Some(15e3)), (20, None), (50, None), (100, Some(200e3))]
    {
        let host = host(count, scenes::GUARD);
        let [floor, gate] = compare([Case::new(|| bare.call()), Case::new(|| pass(&host, &call))], 80);
        line(&format!("gate, {count} handlers in their own VMs"), gate, Some(floor), budget);
    }
    println!();
    let sizes = [200, 2_000, 10_000, 100_000, 1_000_000];
    let (plain, search) = (host(1, scenes::GATE_UNTOUCHED), host(1, scenes::GATE_TOUCHED));
    for size in sizes {
        let call = scenes::write_call(size);
        let [without, with] =
            compare([Case::new(|| pass(&plain, &call)), Case::new(|| pass(&search, &call))], 60);
        line(&format!("gate, a call that writes {size} bytes, untouched"), without, None, None);
        line(&format!("gate, a call that writes {size} bytes, searched"), with, None, None);
    }
    println!();
    let (plain, search) = (host(1, scenes::UNTOUCHED), host(1, scenes::TOUCHED));
    for size in sizes {
        let result = scenes::result(size);
        let [without, with] =
            compare([Case::new(|| emit(&plain, &result)), Case::new(|| emit(&search, &result))], 60);
        line(&format!("result of {size} bytes, untouched"), without, None, None);
        line(&format!("result of {size} bytes, searched"), with, None, None);
    }
    println!();
}

fn loads() {
    let engine = scenes::engine();
    let vm = time(20, mlua::Lua::new);
    line("floor: a plain VM, nothing in it", vm, None, None);
    for (count, rounds, budget) in [(1, 100, 0.4e6), (10, 40, 3e6), (100, 12, 30e6)] {
        let (wall, cpu) = once(rounds, || {
            scenes::host_of(scenes::scripts(count, scenes::GUARD), &engine, Limits::default())
        });
        line(&format!("load {count} hooks, own VMs, ready to gate"), cpu, Some(vm), Some(budget));
        line("  wall", wall, None, None);
    }
    println!();
}

fn stops() {
    let budget = Duration::from_millis(20);
    let limits = Limits { handler_cpu: budget, ..Limits::default() };
    let host = scenes::host_of(scenes::scripts(1, scenes::RUNAWAY), &scenes::engine(), limits);
    let samples = (0..40).map(|_| {
        let began = Instant::now();
        let outcome = ready(host.gate(call(), &CallOptions::default()));
        let late = began.elapsed().saturating_sub(budget);
        let ControlFlow::Break(denied) = outcome else { unreachable!("it never ends by itself") };
        assert!(denied.decision.deciding().any(|reason| reason.cause == Some(Cause::Budget)));
        late.as_nanos() as f64
    });
    line("runaway handler stopped after its budget, wall", Timing::of(samples.collect()), None, Some(10e6));
}

/// Repeats one case for a profiler.
fn count(name: &str, times: usize) {
    let repeat = |work: &mut dyn FnMut()| (0..times).for_each(|_| work());
    match name {
        "gate" => {
            let (host, call) = (host(1, scenes::GUARD), call());
            repeat(&mut || pass(&host, &call));
        }
        "result" => {
            let (host, result) = (host(1, scenes::UNTOUCHED), scenes::result(100_000));
            repeat(&mut || emit(&host, &result));
        }
        "excluded" => {
            let (host, call) = (host(100, &scenes::excluded()), call());
            repeat(&mut || pass(&host, &call));
        }
        "bare" => {
            let bare = Bare::new(scenes::GUARD);
            repeat(&mut || bare.call());
        }
        "load" => {
            let engine = scenes::engine();
            repeat(&mut || {
                drop(scenes::host_of(scenes::scripts(1, scenes::GUARD), &engine, Limits::default()))
            });
        }
        audit if audit_scenes::count(audit, times) => {}
        rhai if rhai_scenes::count(rhai, times) => {}
        _ => println!(
            "gate, result, excluded, bare or load; audit or masked; rhai-gate, rhai-empty, rhai-bare or rhai-load"
        ),
    }
}
