//! A Lua handler at work: the event goes in, the function runs as a coroutine turn by turn, the answer is re-typed.
//!
//! One handler's time has two parts. In a turn the script computes, inside the VM, on the meter. Between turns it waits;
//! what it waits for is driven out here, with nobody in the VM, so that other handlers of the hook can run, and an event
//! that the handler caused can come back to its own hook.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use mlua::{Lua, Value};
use snaphook_core::{
    Answer, BoxFuture, CallContext, Cause, Event, Handler, HandlerError, HandlerInfo, Notation, remedy,
};

use crate::bridge::Run;
use crate::error::ScriptError;
use crate::hook_vm::HookVm;
use crate::raw::{Coroutine, Kept, Resumed};
use crate::shapes::{Fields, Shapes};
use crate::vm::{Halt, Meter, Vm, new_run, out_of_memory};

/// One registration of a hook, as the host sees it.
pub(crate) struct LuaHandler {
    pub(crate) info: HandlerInfo,
    pub(crate) matcher: Option<Arc<snaphook_script::matcher::Matcher>>,
    pub(crate) hook: Arc<HookVm>,
    pub(crate) index: usize,
}

impl Handler for LuaHandler {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, event: &Event, context: &CallContext) -> bool {
        self.matcher.as_ref().is_none_or(|matcher| matcher.matches(event, &context.session))
    }

    fn files_for(&self, files: &[String]) -> Vec<String> {
        let wanted = |file: &&String| self.matcher.as_ref().is_none_or(|matcher| matcher.matches_file(file));
        files.iter().filter(wanted).cloned().collect()
    }

    fn handle<'a>(
        &'a self,
        event: &'a Event,
        context: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>> {
        Box::pin(async move {
            let vm = self.hook.vm()?;
            let mut work = Work {
                vm: &vm,
                handler: self,
                event,
                run: new_run(context),
                meter: Meter { left: vm.bridge.limits.handler_cpu },
                thread: None,
            };
            poll_fn(|context| work.go_on(context)).await
        })
    }
}

type Outcome = Result<Answer, HandlerError>;

/// A handler's call under way.
struct Work<'a> {
    vm: &'a Arc<Vm>,
    handler: &'a LuaHandler,
    event: &'a Event,
    run: Arc<Run>,
    meter: Meter,
    thread: Option<Coroutine>,
}

impl Work<'_> {
    fn go_on(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            if self.thread.is_some() && self.run.is_waiting() && !self.run.drive(context) {
                return Poll::Pending;
            }
            let (vm, handler, event) = (self.vm, self.handler, self.event);
            let thread = &mut self.thread;
            let turn = vm.turn(context, &self.run, &mut self.meter, |lua, shapes| {
                step(vm, handler, event, lua, shapes, thread)
            });
            let Poll::Ready(turn) = turn else { return Poll::Pending };
            match turn {
                Ok(Poll::Ready(outcome)) => return Poll::Ready(self.settle(outcome)),
                Ok(Poll::Pending) if self.run.is_waiting() => {}
                Ok(Poll::Pending) => {
                    let text = "coroutine.yield in a handler: only coroutines of the script's own can yield";
                    return Poll::Ready(self.settle(Err(HandlerError::new(Cause::Error, text))));
                }
                Err(halt) => return Poll::Ready(Err(self.halted(halt))),
            }
        }
    }

    /// Running out of memory fails the handler whatever it made of it.
    fn settle(&self, outcome: Outcome) -> Outcome {
        if self.vm.bridge.is_out_of_memory() {
            return Err(HandlerError::new(Cause::Memory, out_of_memory(&self.vm.bridge.limits)));
        }
        if let Err(error) = &outcome
            && error.cause == Cause::Memory
        {
            // The script did not catch the error; the VM must be replaced all the same.
            self.vm.bridge.note_out_of_memory();
        }
        outcome
    }

    fn halted(&self, halt: Halt) -> HandlerError {
        let limits = &self.vm.bridge.limits;
        match halt {
            Halt::Budget { together: false } => HandlerError::new(
                Cause::Budget,
                format!("it used up its CPU budget of {:?}", limits.handler_cpu),
            ),
            Halt::Budget { together: true } => {
                let text =
                    format!("the handlers of this event used up their CPU budget of {:?}", limits.event_cpu);
                HandlerError::new(Cause::Budget, text)
            }
            Halt::Stuck => {
                let text = "another call is still computing in the hook and does not stop";
                HandlerError::new(Cause::Stuck, text)
            }
        }
    }
}

impl Drop for Work<'_> {
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
    handler: &LuaHandler,
    event: &Event,
    lua: &Lua,
    shapes: &mut Shapes,
    thread: &mut Option<Coroutine>,
) -> Poll<Outcome> {
    let resumed = match thread {
        Some(waiting) => waiting.go_on(lua),
        None => start(vm, handler, event, lua, shapes, thread),
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
    handler: &LuaHandler,
    event: &Event,
    lua: &Lua,
    shapes: &mut Shapes,
    thread: &mut Option<Coroutine>,
) -> mlua::Result<Resumed> {
    let registration = vm
        .registrations
        .get(handler.index)
        .ok_or_else(|| mlua::Error::runtime("the handler is gone since the hook was restarted"))?;
    let metas = vm.bridge.metas;
    let idle = vm.idle.lock().pop();
    let coroutine = thread.insert(match idle {
        Some(idle) => idle,
        None => Coroutine::new(lua)?,
    });
    let mut fields = Fields::new();
    if let Some((shaped, node)) = shapes.of(lua, event, &mut fields, metas)? {
        let node = node.map(Value::UserData);
        let kept = Kept { ctx: vm.ctx, metas, limit: vm.bridge.limits.memory };
        return coroutine.start(lua, registration.function, &shaped, node.as_ref(), kept);
    }
    let table = Value::Table(shapes.push(lua, event, metas)?);
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
        .bridge
        .answer_to_json(lua, value)
        .map_err(|text| HandlerError::new(Cause::Malformed, format!("{} answer: {text}", event.name())))?;
    Ok(Answer::parse_in(event.name(), json, Notation::Lua)?)
}

fn failed(error: &mlua::Error) -> HandlerError {
    ScriptError::read(error).into_handler_error(Cause::Error)
}
