//! A Rhai handler at work: the event goes in, the function runs turn by turn, the answer is re-typed.
//!
//! A handler begins on the caller's thread, on a stack of its own. One that does not wait ends there. One that waits is
//! suspended where it stands; what it waits for is driven out here, while the VM is free, so that other handlers of the
//! hook can run, and an event that the handler caused can come back to its own hook. Dropping the future unwinds the
//! stack.

use std::sync::Arc;
use std::task::{Context, Poll};

use rhai::Dynamic;
use snaphook_core::{Answer, CallContext, Cause, Event, HandlerError, Notation};
use snaphook_script::kit::{self, Meter};

use crate::bindings::ctx::Ctx;
use crate::convert;
use crate::event::EventObject;
use crate::ffi::Fiber;
use crate::meter::{Foreign, outside};
use crate::plain;
use crate::vm::{Halt, Vm, no_stack, read_outside};
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
    fiber: Option<Fiber<Outcome>>,
}

impl<'a> HandlerCall<'a> {
    pub(crate) fn new(vm: Arc<Vm>, index: usize, event: &'a Event, call: &Arc<CallContext>) -> Self {
        let meter = Meter::new(&vm.context.limits);
        HandlerCall { vm, index, event, run: Run::new(Arc::clone(call)), meter, fiber: None }
    }

    /// Goes on until the handler waits or has ended.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            if self.run.is_waiting() && !self.run.drive(context) {
                return Poll::Pending;
            }
            let fiber = match &mut self.fiber {
                Some(fiber) => fiber,
                None => match start(&self.vm, self.index, self.event) {
                    Ok(fiber) => self.fiber.insert(fiber),
                    Err(error) => {
                        return Poll::Ready(Err(HandlerError::new(Cause::Error, no_stack(&error))));
                    }
                },
            };
            let turn = self.vm.turn(context, &self.run, &mut self.meter, || fiber.resume());
            let Poll::Ready(turn) = turn else { return Poll::Pending };
            match turn {
                Ok(Some(outcome)) => {
                    if outcome.is_ok() {
                        self.fiber.take().into_iter().for_each(Fiber::recycle);
                    }
                    return Poll::Ready(outcome);
                }
                // It waits: begin to drive that.
                Ok(None) => {}
                Err(halt) => return Poll::Ready(Err(self.halt_error(halt))),
            }
        }
    }

    fn halt_error(&self, halt: Halt) -> HandlerError {
        let limits = &self.vm.context.limits;
        match halt {
            Halt::Budget(turn) => turn.used_up(limits),
            Halt::Memory => kit::out_of_memory(limits),
        }
    }
}

impl Drop for HandlerCall<'_> {
    fn drop(&mut self) {
        // What is waited for: dialogs, processes. Then the stack that waits.
        self.run.cancel();
        if let Some(fiber) = self.fiber.take().filter(Fiber::is_suspended) {
            self.vm.drop_suspended(fiber);
        }
    }
}

/// Makes the stack that the handler runs on.
fn start(vm: &Arc<Vm>, index: usize, event: &Event) -> std::io::Result<Fiber<Outcome>> {
    let (vm, event) = (Arc::clone(vm), Foreign::new(event.clone()));
    let stacks = Arc::clone(&vm.context.stacks);
    Fiber::new(&stacks, move || run(&vm, index, event))
}

/// The whole of a handler's call, on its own stack.
fn run(vm: &Arc<Vm>, index: usize, event: Foreign<Event>) -> Outcome {
    let Some(registration) = vm.registered.handlers.get(index) else {
        return Err(outside(|| {
            HandlerError::new(Cause::Load, "the handler is gone since the hook was restarted")
        }));
    };
    let mut args = [Dynamic::from(EventObject::new(event)), Dynamic::from(Ctx)];
    let result = vm.call(&registration.function, &mut args);
    match result {
        Ok(value) => outside(|| read(vm, registration.event.clone(), &value)),
        Err(error) => {
            let file =
                outside(|| registration.file.as_ref().unwrap_or(&vm.context.hook.file).display().to_string());
            let read = read_outside(error, &file);
            outside(|| {
                drop(file);
                Err(read.into_handler_error(Cause::Error))
            })
        }
    }
}

fn read(vm: &Vm, event: snaphook_core::EventName, value: &Dynamic) -> Outcome {
    if value.is_unit() {
        return Ok(Answer::default());
    }
    let malformed = |text: &str| HandlerError::new(Cause::Malformed, format!("{event} answer: {text}"));
    if value.is::<EventObject>() {
        return Err(malformed("the value is the event itself"));
    }
    let mut json = convert::to_json(value, vm.context.limits.text, plain::FORMS)
        .map_err(|error| malformed(&error.to_string()))?;
    // `()` is absent, as `nil` is in Lua: `#{ context: maybe }`.
    if let Some(map) = json.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
    Ok(Answer::parse_in(&event, json, Notation::Rhai)?)
}
