//! Handlers that wait: for a person, for a process, for handlers of an event that they caused.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};

use serde_json::json;
use snaphook_core::{Event, UiReply};
use tokio::sync::Semaphore;

use crate::support::*;

const ASKING: &str = "let asked = 0; on(\"tool_call\", |event, ctx| {\n\
     asked += 1;\n\
     if event.command == \"ask\" { return #{ context: `${ctx.ui.confirm(\"sure?\")} ${asked}` } }\n\
     #{ context: \"at once\" }\n});";

fn asking() -> (Bed, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let fake = Fake { gate: Some(Arc::clone(&gate)), ..Fake::default() };
    *fake.answers.lock().unwrap() = vec![UiReply::Confirmed(true); 3];
    (load_with(ASKING, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}")), gate)
}

#[test]
fn other_calls_run_while_one_waits() {
    let (bed, gate) = asking();
    runtime().block_on(async {
        let question = bash(json!({"command": "ask"}));
        let mut asked = Box::pin(bed.fire(&question));
        let mut context = Context::from_waker(Waker::noop());
        assert!(asked.as_mut().poll(&mut context).is_pending());
        for _ in 0..100 {
            assert_eq!(tell(&bed.fire(&bash(json!({"command": "ls"}))).await), "context at once");
        }
        gate.add_permits(1);
        assert_eq!(tell(&asked.await), "context true 101");
    });
}

#[test]
fn many_wait_at_the_same_time() {
    let (bed, gate) = asking();
    *bed.fake.answers.lock().unwrap() = vec![UiReply::Confirmed(true); 100];
    runtime().block_on(async {
        let question = bash(json!({"command": "ask"}));
        let mut calls: Vec<_> = (0..100).map(|_| Box::pin(bed.fire(&question))).collect();
        for call in &mut calls {
            assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        gate.add_permits(100);
        for call in calls {
            assert_eq!(tell(&call.await), "context true 100");
        }
    });
}

#[test]
fn waiting_costs_no_budget_but_computing_after_it_does() {
    let source = "on(\"tool_call\", |event, ctx| { ctx.ui.confirm(\"x\"); while true {} });";
    let fake = Fake { answers: vec![UiReply::Confirmed(true)].into(), ..Fake::default() };
    let bed = load_with(source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(bed.say().starts_with("budget"));
}

/// Little memory, and time enough on a busy machine.
fn small() -> snaphook_core::Limits {
    let time = std::time::Duration::from_secs(60);
    snaphook_core::Limits { memory: 8 << 20, handler_cpu: time, event_cpu: time, ..limits() }
}

#[test]
fn dropping_a_call_drops_what_it_waits_for_and_all_it_held() {
    for body in [
        "ctx.ui.confirm(\"x\")",
        "[1, 2].map(|x| ctx.ui.confirm(\"x\"))",
        "try { ctx.ui.confirm(\"x\"); } catch {}",
    ] {
        let gate = Arc::new(Semaphore::new(0));
        let fake = Fake { gate: Some(Arc::clone(&gate)), ..Fake::default() };
        let source = format!(
            "on(\"tool_call\", |event, ctx| {{ let held = []; for i in 0..1000 {{ held.push(`text ${{i}}`); }} {body}; }});\n\
             on(\"task.done\", |event| #{{ context: \"fine\" }});"
        );
        let bed = load_with(&source, &[], fake, small()).unwrap_or_else(|problem| panic!("{problem}"));
        runtime().block_on(async {
            for _ in 0..150 {
                let event = bash(json!({}));
                let mut call = Box::pin(bed.fire(&event));
                let mut context = Context::from_waker(Waker::noop());
                let polled = call.as_mut().poll(&mut context);
                assert!(polled.is_pending(), "{polled:?}");
                assert_eq!(Arc::strong_count(&gate), 3, "the dialog holds one");
                drop(call);
                assert_eq!(Arc::strong_count(&gate), 2, "the dialog is gone: {body}");
            }
            // 150 times 100 KB would be over the limit if any were left.
            let event = Event::bus("task.done".into(), serde_json::Map::new());
            assert_eq!(tell(&bed.fire(&event).await), "context fine");
        });
    }
}

#[test]
fn waiting_works_inside_callbacks_and_try() {
    for body in [
        "#{ context: `${[1].map(|x| ctx.ui.confirm(\"x\"))}` }",
        "let r = []; try { r.push(ctx.ui.confirm(\"x\")); } catch {} #{ context: `${r}` }",
        "let f = |x| ctx.ui.confirm(x); #{ context: `[${f.call(\"x\")}]` }",
    ] {
        let source = format!("on(\"tool_call\", |event, ctx| {{ {body} }});");
        let fake = Fake { answers: vec![UiReply::Confirmed(true)].into(), ..Fake::default() };
        let bed = load_with(&source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(bed.say(), "context [true]", "{body}");
    }
}

#[test]
fn a_handler_may_cause_an_event_that_its_own_hook_answers() {
    let bed = load(
        "let seen = #{}; on(\"tool_call\", |event, ctx| { ctx.emit(\"task.done\", #{ n: 1 }); #{ context: seen.n } });\n\
         on(\"task.done\", |event, ctx| { ctx.exec(\"true\"); seen.n = `n=${event.n}`; });",
    );
    assert_eq!(bed.say(), "context n=1");
    let event = Event::bus("task.done".into(), json!({"n": 2}).as_object().cloned().unwrap_or_default());
    assert_eq!(tell(&runtime().block_on(bed.fire(&event))), "nothing");
}

#[test]
fn calls_from_many_threads_share_a_vm() {
    let bed = Arc::new(load(
        "on(\"tool_call\", |event, ctx| { let n = 0; for i in 1..=1000 { n += i; } ctx.exec(\"true\"); #{ context: n.to_string() } });",
    ));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let bed = Arc::clone(&bed);
            std::thread::spawn(move || (0..200).for_each(|_| assert_eq!(bed.say(), "context 500500")))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_handler_goes_on_on_another_thread() {
    let (bed, gate) = asking();
    let bed = Arc::new(bed);
    let (sender, receiver) = std::sync::mpsc::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let theirs = Arc::clone(&bed);
    let mut call = Box::pin(async move { tell(&theirs.fire(&bash(json!({"command": "ask"}))).await) });
    assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    gate.add_permits(1);
    std::thread::spawn(move || sender.send(runtime.block_on(call)));
    assert_eq!(receiver.recv().unwrap(), "context true 1");
    assert_eq!(bed.say(), "context at once");
}

#[test]
fn a_handler_waits_a_thousand_times_at_most() {
    let bed = handler("for i in 0..2000 { ctx.exec(\"true\"); }");
    assert_eq!(
        bed.say(),
        "error at guard.rhai:2: a handler may wait for the host at most 1000 times for one event"
    );
}

#[test]
fn the_account_does_not_drift() {
    let source = "let kept = #{}; on(\"tool_call\", |event, ctx| {\n\
         kept.last = event.input; kept.event = event;\n\
         if event.command == \"ls\" { return #{ input: event.input, context: \"short\" } }\n\
         ctx.state.set(\"n\", #{ text: event.command, list: [1, 2, 3] });\n\
         let re = [snaphook::regex::find_all(\"[a-z]+\", event.command), snaphook::glob::matches([\"*.rs\", \"!x\"], event.command)];\n\
         try { snaphook::regex::find(\"(\", \"x\"); } catch {} try { snaphook::shell::commands(\"'\"); } catch {}\n\
         let got = ctx.state.get(\"n\"); let said = ctx.exec(\"echo\", [\"a\"]).stdout;\n\
         try { ctx.log(1); } catch {} try { ctx.send(\"x\", #{ deliver: |x| x }); } catch {}\n\
         try { ctx.exec(\"missing\"); } catch {} try { throw #{ a: event }; } catch {}\n\
         if event.command == \"fail\" { throw \"a rather long message that the host keeps longer than the script\" }\n\
         if event.command == \"bad\" { return |x| x }\n\
         #{ input: event.input, context: `${got} ${said}` }\n});\n\
         on(\"task.done\", |event| { let t = []; for i in 0..25_000 { t.push(\"0123456789 0123456789\" + i); } #{ context: \"fits\" } });";
    let bed = load_with(source, &[], Fake::default(), small()).unwrap_or_else(|problem| panic!("{problem}"));
    let fits = || {
        let event = Event::bus("task.done".into(), serde_json::Map::new());
        tell(&runtime().block_on(bed.fire(&event)))
    };
    // About 4 MB of the 8 fit. Were 50 bytes an event left (or missing), it would not (or twice as much would).
    assert_eq!(fits(), "context fits");
    let runtime = runtime();
    for n in 0..100_000u32 {
        let command = match n % 100 {
            0 => "fail",
            1 => "bad",
            2..5 => "all",
            _ => "ls",
        };
        let _ = runtime.block_on(bed.fire(&bash(json!({ "command": command, "list": [n] }))));
        bed.fake.log.lock().unwrap().clear();
    }
    assert_eq!(fits(), "context fits");
}
