//! A thread that runs short handlers itself, and is stood in for where they are not short.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};

use serde_json::json;
use snaphook::*;

use crate::support::*;

/// The place where a handler ran.
type Threads = Arc<Mutex<Vec<ThreadId>>>;

fn notes_its_thread(threads: &Threads) -> Arc<dyn Handler> {
    let threads = Arc::clone(threads);
    on("a", "tool_call", move |_, _| {
        threads.lock().unwrap().push(thread::current().id());
        async { nothing() }
    })
}

#[test]
fn a_short_handler_runs_on_the_thread_that_leads() {
    let threads = Threads::default();
    let host = host([notes_its_thread(&threads)]);
    let leads = led(async move {
        let leads = thread::current().id();
        assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
        leads
    });
    assert_eq!(*threads.lock().unwrap(), [leads]);
}

#[test]
fn who_waits_on_another_thread_has_handlers_run_on_a_third() {
    let threads = Threads::default();
    let host = host([notes_its_thread(&threads)]);
    let lead = Lead::start(runtime()).unwrap();
    assert_eq!(show(lead.block_on(host.gate(bash("ls"), &CallOptions::supervised()))), "allow: ls");
    let leads = lead.block_on(async { tokio::spawn(async { thread::current().id() }).await }).unwrap();
    let ran = threads.lock().unwrap()[0];
    assert!(ran != leads && ran != thread::current().id());
}

/// A handler that blocks until a task on the same runtime lets it go on: without somebody who stands in, neither would ever end.
#[test]
fn all_else_goes_on_where_a_handler_is_late() {
    let (go, may) = mpsc::channel();
    let may = Mutex::new(may);
    let (began, begun) = tokio::sync::mpsc::unbounded_channel();
    let waits = on("a", "tool_call", move |_, _| {
        began.send(thread::current().id()).unwrap();
        may.lock().unwrap().recv().unwrap();
        async { nothing() }
    });
    let host = host([waits]);
    let places = led(async move {
        let mut begun = begun;
        let mut places = Vec::new();
        // The second time nobody trusts it to be short.
        for line in ["one", "two"] {
            let first = thread::current().id();
            let gate = {
                let host = host.clone();
                tokio::spawn(async move { show(host.gate(bash(line), &CallOptions::supervised()).await) })
            };
            let ran = begun.recv().await.unwrap();
            places.push((ran == first, thread::current().id() == first));
            go.send(()).unwrap();
            assert_eq!(gate.await.unwrap(), format!("allow: {line}"));
        }
        places
    });
    assert_eq!(places, [(true, false), (false, true)]);
}

#[test]
fn a_handler_that_waits_goes_on_elsewhere_and_one_that_panics_is_a_denial() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let handler = on("a", "tool_call", move |event, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move {
            match &*command(&event) {
                "panic" => panic!("oh"),
                "yield" => tokio::task::yield_now().await,
                "sleep" => tokio::time::sleep(std::time::Duration::from_millis(1)).await,
                _ => {}
            }
            nothing()
        }
    });
    let host = host([handler]);
    let said = led(async move {
        let mut said = Vec::new();
        // The first, and each behind a row of those that are handed over. One that panics is late, maybe: to say so takes time.
        for line in ["yield", "sleep", "ls", "panic"] {
            for _ in 0..10 {
                said.push(show(host.gate(bash(line), &CallOptions::supervised()).await));
            }
        }
        said
    });
    assert_eq!(runs.load(Ordering::Relaxed), 40);
    let panicked = "deny[panic]: the hook \"a\" failed: panicked: oh [a at a.lua:1]";
    for (at, said) in said.iter().enumerate() {
        let want = ["allow: yield", "allow: sleep", "allow: ls", panicked][at / 10];
        assert_eq!(said, want, "{at}");
    }
}

#[test]
fn many_at_once_are_all_answered_and_a_handler_may_cause_events() {
    let asks = on("a", "tool_call", |event, context| async move {
        if command(&event).ends_with('7') {
            let services = Arc::clone(&context.services);
            let _ = services.emit(&hook("a"), &context, "acme.ping".into(), map(json!({}))).await;
        }
        if command(&event).ends_with('3') {
            answer("tool_call", json!({"block": true, "reason": "three"}))
        } else {
            nothing()
        }
    });
    let pinged = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&pinged);
    let pings = on("b", "acme.ping", move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { nothing() }
    });
    let host = host([asks, pings]);
    let said = led(async move {
        let gates: Vec<_> = (0..200)
            .map(|number| {
                let host = host.clone();
                tokio::spawn(async move {
                    show(host.gate(bash(&number.to_string()), &CallOptions::supervised()).await)
                })
            })
            .collect();
        let mut said = Vec::new();
        for gate in gates {
            said.push(gate.await.unwrap());
        }
        said
    });
    for (number, said) in said.iter().enumerate() {
        let want = match number % 10 {
            3 => "deny[]: three [a at a.lua:1]".to_owned(),
            _ => format!("allow: {number}"),
        };
        assert_eq!(*said, want);
    }
    assert_eq!(pinged.load(Ordering::Relaxed), 20);
}

/// One thread is at a handler that ends with the test only.
#[test]
fn what_is_on_the_runtime_ends_with_who_leads() {
    let (go, may) = mpsc::channel::<()>();
    let may = Mutex::new(may);
    let blocks = on("a", "tool_call", move |_, _| {
        let _ = may.lock().unwrap().recv();
        async { nothing() }
    });
    for (line, host) in [("free", host([])), ("blocked", host([blocks]))] {
        let trace = Trace::default();
        let lead = Lead::start(runtime()).unwrap();
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel();
        lead.block_on(async {
            let dropped = OnDrop(trace.clone(), "dropped");
            tokio::spawn(async move {
                let _dropped = dropped;
                begin.send(()).unwrap();
                std::future::pending::<()>().await;
            });
            let _ = begun.recv().await;
            if line == "blocked" {
                tokio::spawn(async move { host.gate(bash(line), &CallOptions::supervised()).await });
                tokio::task::yield_now().await;
            }
        });
        drop(lead);
        if line == "free" {
            assert_eq!(trace.all(), "dropped");
        }
    }
    drop(go);
}
