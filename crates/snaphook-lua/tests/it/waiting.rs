//! Handlers that wait: for a person, for a process, for handlers of an event that they caused.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};

use serde_json::json;
use snaphook_core::{Event, UiReply};
use tokio::sync::Semaphore;

use crate::support::*;

const ASKING: &str = "on('tool_call', function(event, ctx)\n\
     if event.command == 'ask' then return { context = tostring(ctx.ui.confirm('sure?')) } end\n\
     return { context = 'at once' }\nend)";

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
        assert_eq!(tell(&asked.await), "context true");
    });
}

#[test]
fn waiting_costs_no_budget_but_computing_after_it_does() {
    let source = "on('tool_call', function(event, ctx)\nctx.ui.confirm('x')\nwhile true do end\nend)";
    let fake = Fake { answers: vec![UiReply::Confirmed(true)].into(), ..Fake::default() };
    let bed = load_with(source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(bed.say().starts_with("budget"));
}

#[test]
fn dropping_a_call_drops_what_it_waits_for() {
    for wrap in
        ["return ctx.ui.confirm('x')", "return coroutine.wrap(function() return ctx.ui.confirm('x') end)()"]
    {
        let gate = Arc::new(Semaphore::new(0));
        let fake = Fake { gate: Some(Arc::clone(&gate)), ..Fake::default() };
        let source = format!("on('tool_call', function(event, ctx) {wrap} end)");
        let bed = load_with(&source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
        runtime().block_on(async {
            let event = bash(json!({}));
            let mut call = Box::pin(bed.fire(&event));
            let mut context = Context::from_waker(Waker::noop());
            assert!(call.as_mut().poll(&mut context).is_pending());
            assert_eq!(Arc::strong_count(&gate), 3, "the dialog holds one");
            drop(call);
            assert_eq!(Arc::strong_count(&gate), 2, "the dialog is gone: {wrap}");
        });
    }
}

#[test]
fn waiting_works_inside_coroutines_and_pcall() {
    for body in [
        "return { context = tostring(select(2, pcall(ctx.ui.confirm, 'x'))) }",
        "return { context = tostring(coroutine.wrap(function() return ctx.ui.confirm('x') end)()) }",
        "local co = coroutine.create(function() return ctx.ui.confirm('x') end) return { context = tostring(select(2, coroutine.resume(co))) }",
        "local co = coroutine.wrap(function() coroutine.yield(1) return ctx.ui.confirm('x') end) co() return { context = tostring(co()) }",
    ] {
        let source = format!("on('tool_call', function(event, ctx) {body} end)");
        let fake = Fake { answers: vec![UiReply::Confirmed(true)].into(), ..Fake::default() };
        let bed = load_with(&source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(bed.say(), "context true", "{body}");
    }
}

#[test]
fn a_handler_may_cause_an_event_that_its_own_hook_answers() {
    let bed = load(
        "on('tool_call', function(event, ctx) ctx.emit('task.done', { n = 1 }) return { context = seen } end)\n\
         on('task.done', function(event, ctx) ctx.exec('true') seen = 'n=' .. event.n end)",
    );
    assert_eq!(bed.say(), "context n=1");
    let event = Event::bus("task.done".into(), json!({"n": 2}).as_object().cloned().unwrap_or_default());
    assert_eq!(tell(&runtime().block_on(bed.fire(&event))), "nothing");
}

#[test]
fn calls_from_many_threads_share_a_vm() {
    let bed = Arc::new(load(
        "on('tool_call', function(event, ctx) local n = 0 for i = 1, 1000 do n += i end ctx.exec('true') return { context = tostring(n) } end)",
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
fn a_coroutine_that_outlives_its_handler_gets_no_other_handlers_answer() {
    let source = "local co on('tool_call', function(event, ctx)\n\
         if event.command == 'start' then\n\
         co = coroutine.create(function() return ctx.ui.confirm('first') end) coroutine.resume(co) end\n\
         local mine = ctx.ui.confirm('second') local _, other = coroutine.resume(co)\n\
         return { context = tostring(mine) .. ' ' .. tostring(other) }\nend)";
    let gate = Arc::new(Semaphore::new(0));
    let fake = Fake { gate: Some(Arc::clone(&gate)), ..Fake::default() };
    *fake.answers.lock().unwrap() = vec![UiReply::Confirmed(true); 2];
    let bed = load_with(source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
    runtime().block_on(async {
        let event = bash(json!({"command": "start"}));
        let mut call = Box::pin(bed.fire(&event));
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        drop(call);
        gate.add_permits(1);
        let said = tell(&bed.fire(&bash(json!({"command": "go on"}))).await);
        assert!(said.starts_with("context true ") && said.contains("the call was cancelled"), "{said}");
    });
}
