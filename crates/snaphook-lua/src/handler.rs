//! A Lua handler at work: the event goes in, the function runs as a coroutine turn by turn, the answer is re-typed.
//!
//! One handler's time has two parts. In a turn the script computes, inside the VM, on the meter. Between turns it waits;
//! what it waits for is driven out here, while the VM is free, so that other handlers of the hook can run, and an event
//! that the handler caused can come back to its own hook.

use std::sync::Arc;
use std::task::{Context, Poll};

use mlua::{Lua, Value};
use snaphook_core::{Answer, CallContext, Cause, Event, HandlerError, Notation, remedy};
use snaphook_script::kit::{self, Meter};

use crate::error;
use crate::event_templates::{EventTemplates, Fields};
use crate::ffi::{Coroutine, Resumed, StartValues};
use crate::vm::{Halt, Vm};
use crate::vm_context::Run;

type Outcome = Result<Answer, HandlerError>;

/// A handler's call under way.
pub(crate) struct HandlerCall<'a> {
    vm: Arc<Vm>,
    /// The place of the handler among those of the hook.
    index: usize,
    event: &'a Event,
    run: Arc<Run>,
    meter: Meter,
    thread: Option<Coroutine>,
}

impl<'a> HandlerCall<'a> {
    pub(crate) fn new(vm: Arc<Vm>, index: usize, event: &'a Event, call: &Arc<CallContext>) -> Self {
        let meter = Meter::new(&vm.context.limits);
        HandlerCall { vm, index, event, run: Run::new(Arc::clone(call)), meter, thread: None }
    }

    /// Goes on until the handler waits or has ended.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            if self.thread.is_some() && self.run.is_waiting() && !self.run.drive(context) {
                return Poll::Pending;
            }
            let (vm, index, event, thread) = (&*self.vm, self.index, self.event, &mut self.thread);
            let turn = vm.turn(context, &self.run, &mut self.meter, |lua, templates| {
                step(vm, index, event, lua, templates, thread)
            });
            let Poll::Ready(turn) = turn else { return Poll::Pending };
            match turn {
                Ok(Poll::Ready(outcome)) => return Poll::Ready(self.check_memory(outcome)),
                Ok(Poll::Pending) if self.run.is_waiting() => {}
                Ok(Poll::Pending) => {
                    let text = "coroutine.yield in a handler: only coroutines of the script's own can yield";
                    return Poll::Ready(self.check_memory(Err(HandlerError::new(Cause::Error, text))));
                }
                Err(halt) => return Poll::Ready(Err(self.halt_error(halt))),
            }
        }
    }

    /// Running out of memory fails the handler whatever it made of it.
    fn check_memory(&self, outcome: Outcome) -> Outcome {
        if self.vm.context.is_out_of_memory() {
            return Err(kit::out_of_memory(&self.vm.context.limits));
        }
        if let Err(error) = &outcome
            && error.cause == Cause::Memory
        {
            // The script did not catch the error; the VM must be replaced all the same.
            self.vm.context.note_out_of_memory();
        }
        outcome
    }

    fn halt_error(&self, halt: Halt) -> HandlerError {
        match halt {
            Halt::Budget(turn) => turn.used_up(&self.vm.context.limits),
            Halt::Stuck => {
                let text = "another call is still computing in the hook and does not stop";
                HandlerError::new(Cause::Stuck, text)
            }
        }
    }
}

impl Drop for HandlerCall<'_> {
    fn drop(&mut self) {
        // What is waited for: dialogs, processes.
        match Arc::get_mut(&mut self.run) {
            Some(run) => run.cancel_now(),
            None => self.run.cancel(),
        }
        // The next handler resets what this one left on it.
        self.vm.idle.lock().extend(self.thread.take());
    }
}

/// One turn: starts the coroutine or goes on with it; reads what it returned.
fn step(
    vm: &Vm,
    index: usize,
    event: &Event,
    lua: &Lua,
    templates: &mut EventTemplates,
    thread: &mut Option<Coroutine>,
) -> Poll<Outcome> {
    let resumed = match thread {
        Some(waiting) => waiting.go_on(lua),
        None => start(vm, index, event, lua, templates, thread),
    };
    match resumed {
        Ok(Resumed::Waits) => Poll::Pending,
        Ok(Resumed::Returned(count, value)) => Poll::Ready(read(vm, event, lua, count, &value)),
        Ok(Resumed::Failed(error)) | Err(error) => Poll::Ready(Err(failed(&error))),
    }
}

/// Starts the coroutine, and goes on to where it returns or waits.
fn start(
    vm: &Vm,
    index: usize,
    event: &Event,
    lua: &Lua,
    templates: &mut EventTemplates,
    thread: &mut Option<Coroutine>,
) -> mlua::Result<Resumed> {
    let registration = vm
        .registered
        .handlers
        .get(index)
        .ok_or_else(|| mlua::Error::runtime("the handler is gone since the hook was restarted"))?;
    let metas = vm.context.metas;
    let idle = vm.idle.lock().pop();
    let coroutine = thread.insert(match idle {
        Some(idle) => idle,
        None => Coroutine::new(lua)?,
    });
    let mut fields = Fields::new();
    if let Some((templated, node)) = templates.of(lua, event, &mut fields, metas)? {
        let node = node.map(Value::UserData);
        let kept = StartValues { ctx: vm.ctx, metas, limit: vm.context.limits.memory };
        return coroutine.start(lua, registration.function, &templated, node.as_ref(), kept);
    }
    let table = Value::Table(templates.push(lua, event, metas)?);
    coroutine.start_with(lua, vm.call_function, registration.function, &table, vm.ctx, metas)
}

fn read(vm: &Vm, event: &Event, lua: &Lua, count: usize, value: &Value) -> Outcome {
    if count > 1 {
        let (name, remedy) = (event.name(), remedy(event.name(), Notation::Lua));
        let text = format!("{name} handler returned {count} values, not one; {remedy}");
        return Err(HandlerError::new(Cause::Malformed, text));
    }
    if value.is_nil() {
        return Ok(Answer::default());
    }
    let json = vm
        .context
        .answer_to_json(lua, value)
        .map_err(|text| HandlerError::new(Cause::Malformed, format!("{} answer: {text}", event.name())))?;
    Ok(Answer::parse_in(event.name(), json, Notation::Lua)?)
}

fn failed(error: &mlua::Error) -> HandlerError {
    error::read(error).into_handler_error(Cause::Error)
}
