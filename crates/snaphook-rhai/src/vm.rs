//! One hook's VM: what its script left behind when it loaded, and the account of what it may still use. Rhai's engine is
//! shared; see `engine`. Not here: what it is asked to do (`handler`).

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;
use rhai::{Dynamic, Engine, NativeCallContext, Position, Scope};
use snaphook_core::{Answer, CallContext, Event, HandlerError, Problem, Script};
use snaphook_script::kit::{self, Meter, Registered, ScriptError, Turn, VmSource};

use crate::callback::Callback;
use crate::compile::compile;
use crate::error;
use crate::ffi::{Fiber, Stacks};
use crate::handler::HandlerCall;
use crate::meter::{self, Visit, VisitResult, outside};
use crate::plain;
use crate::raise::Raised;
use crate::vm_context::{ActiveScript, Run, Tests, VmContext, enter, printed};

/// The state that all VMs of an engine share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) stacks: Mutex<Vec<(usize, Arc<Stacks>)>>,
}

impl Shared {
    fn stacks(&self, memory: usize) -> Arc<Stacks> {
        let mut all = self.stacks.lock();
        if let Some((_, stacks)) = all.iter().find(|(size, _)| *size == memory) {
            return Arc::clone(stacks);
        }
        let stacks = Stacks::new(memory);
        all.push((memory, Arc::clone(&stacks)));
        stacks
    }
}

/// A hook that loaded.
pub(crate) struct Vm {
    pub(crate) shared: Arc<Shared>,
    pub(crate) context: Arc<VmContext>,
    pub(crate) registered: Registered<Callback>,
    /// Bytes that the hook holds.
    held: AtomicIsize,
    /// Held by the call that is inside. Never waited for: a call that finds it taken comes back when it is free.
    entry: Mutex<()>,
    waiters: Mutex<Vec<Waker>>,
}

/// The reason why a turn in the VM came to nothing.
pub(crate) enum Halt {
    /// The CPU budget was used up.
    Budget(Turn),
    /// The hook holds too much.
    Memory,
}

/// The way code that cannot wait came to its end.
pub(crate) enum RunEnd {
    Fine,
    Failed(ScriptError),
    OutOfTime,
    OutOfMemory,
    NoStack(std::io::Error),
}

/// Reads a script's error. The error is on the script's account, with whatever it threw; the text
/// that is read is on the host's.
pub(crate) fn read_outside(error: Raised, file: &str) -> ScriptError {
    outside(|| error::read(&error, file))
}

impl kit::Vm for Vm {
    type Shared = Arc<Shared>;
    type Function = Callback;

    fn load(source: &VmSource<Arc<Shared>>) -> Result<Self, Problem> {
        Vm::load_any(source, None)
    }

    fn registered(&self) -> &Registered<Callback> {
        &self.registered
    }

    fn is_spent(&self) -> bool {
        self.context.is_spent()
    }

    fn memory(&self) -> usize {
        usize::try_from(self.held.load(Ordering::Relaxed)).unwrap_or(0)
    }

    fn handle<'a>(
        self: Arc<Self>,
        index: usize,
        event: &'a Event,
        context: &'a Arc<CallContext>,
    ) -> impl Future<Output = Result<Answer, HandlerError>> + Send + 'a {
        let mut work = HandlerCall::new(self, index, event, context);
        poll_fn(move |context| work.poll(context))
    }
}

impl Vm {
    /// Runs the script; what it registers is the VM. `tests` are those of a script of tests.
    ///
    /// # Errors
    /// Everything that keeps a hook from loading, with the line in its file.
    pub(crate) fn load_any(
        source: &VmSource<Arc<Shared>>,
        tests: Option<Arc<Tests>>,
    ) -> Result<Self, Problem> {
        let VmSource { script, limits, shared, .. } = source;
        let context = Arc::new(VmContext::new(source, &shared.stacks(limits.memory), tests, plain::FORMS));
        let mut vm = Vm {
            shared: Arc::clone(shared),
            context,
            registered: Registered::default(),
            held: AtomicIsize::new(0),
            entry: Mutex::new(()),
            waiters: Mutex::default(),
        };
        let file = source.file();
        let shown = file.display().to_string();
        let ended = vm.run_to_end(limits.load_cpu, || {
            vm.compile_and_run(script).map_err(|error| read_outside(error, &shown))
        });
        match ended {
            RunEnd::Fine => {}
            RunEnd::Failed(error) => return Err(error.into_problem(file)),
            RunEnd::OutOfMemory => return Err(source.load_took_too_much()),
            RunEnd::OutOfTime => return Err(source.load_took_too_long()),
            RunEnd::NoStack(error) => return Err(Problem::error(file, no_stack(&error))),
        }
        vm.registered = vm.context.registrations.seal();
        Ok(vm)
    }

    /// Runs a script's code that cannot wait, on a stack of its own and on the meter.
    pub(crate) fn run_to_end(
        &self,
        time: Duration,
        work: impl FnOnce() -> Result<(), ScriptError>,
    ) -> RunEnd {
        let is_fine = |ended: &RunEnd| matches!(ended, RunEnd::Fine);
        let ran = self.context.stacks.run(is_fine, || {
            let spend_on_panic = SpendOnPanic(&self.context);
            let _here = enter(ActiveScript { vm: Arc::clone(&self.context), run: None });
            let visit = self.visit(time);
            let done = work();
            let halt = self.leave(visit).halt;
            std::mem::forget(spend_on_panic);
            match (halt, done) {
                (Some(meter::Halt::Memory), _) => {
                    self.context.give_up();
                    RunEnd::OutOfMemory
                }
                (Some(meter::Halt::Time), _) => RunEnd::OutOfTime,
                (None, Ok(())) => RunEnd::Fine,
                (None, Err(error)) => RunEnd::Failed(error),
            }
        });
        ran.unwrap_or_else(RunEnd::NoStack)
    }

    fn compile_and_run(&self, script: &Script) -> Result<(), Raised> {
        let engine = &self.shared.engine;
        let mut tree = compile(engine, &script.source)?;
        tree.set_source(script.hook.file.display().to_string());
        engine.run_ast_with_scope(&mut Scope::new(), &tree)?;
        printed()
    }

    /// Calls a function of the script. On a stack of its own, in a turn.
    ///
    /// # Errors
    /// Those of the script.
    pub(crate) fn call(&self, function: &Callback, args: &mut [Dynamic]) -> Result<Dynamic, Raised> {
        let engine = &self.shared.engine;
        let Callback { pointer, surroundings, takes } = function;
        let context = NativeCallContext::new_with_all_fields(
            engine,
            pointer.fn_name(),
            None,
            surroundings,
            Position::NONE,
        );
        let value = pointer.call_raw(&context, None, args.get_mut(..*takes).unwrap_or_default())?;
        printed()?;
        Ok(value)
    }

    /// Does `work` as one turn of `run`, on the meter. Whoever comes while another is inside gets `Pending` and is woken
    /// later.
    pub(crate) fn turn<T>(
        &self,
        context: &mut Context<'_>,
        run: &Arc<Run>,
        meter: &mut Meter,
        work: impl FnOnce() -> T,
    ) -> Poll<Result<T, Halt>> {
        let Some(entry) = self.try_enter(context) else { return Poll::Pending };
        let turn = meter.turn(&run.call);
        let spend_on_panic = SpendOnPanic(&self.context);
        let here = enter(ActiveScript { vm: Arc::clone(&self.context), run: Some(Arc::clone(run)) });
        let visit = self.visit(turn.allowed);
        let done = work();
        let VisitResult { time, halt, .. } = self.leave(visit);
        drop(here);
        std::mem::forget(spend_on_panic);
        meter.charge(&run.call, time);
        drop(entry);
        for waiter in std::mem::take(&mut *self.waiters.lock()) {
            waiter.wake();
        }
        Poll::Ready(match halt {
            None => Ok(done),
            Some(meter::Halt::Time) => Err(Halt::Budget(turn)),
            Some(meter::Halt::Memory) => {
                self.context.give_up();
                Err(Halt::Memory)
            }
        })
    }

    /// Drops something that the script's values are in, on a stack that is large enough and on the hook's account.
    pub(crate) fn drop_inside<T>(&self, thing: T) {
        let mut thing = Some(thing);
        // What is dropped may be deep.
        let dropped = self.context.stacks.run(
            |()| false,
            || {
                let visit = self.visit(Duration::MAX);
                drop(thing.take());
                self.leave(visit);
            },
        );
        if dropped.is_err() {
            // Without a stack it stays: freeing it here could overflow the caller's.
            std::mem::forget(thing);
            self.context.give_up();
        }
    }

    /// Drops a handler that waits.
    pub(crate) fn drop_suspended<T>(&self, fiber: Fiber<T>) {
        let visit = self.visit(Duration::MAX);
        drop(fiber);
        self.leave(visit);
    }

    fn visit(&self, time: Duration) -> Visit {
        Visit::begin(time, self.held.load(Ordering::Relaxed), self.context.limits.memory)
    }

    fn leave(&self, visit: Visit) -> VisitResult {
        let spent = visit.end();
        self.held.fetch_add(spent.memory, Ordering::Relaxed);
        spent
    }

    fn try_enter(&self, context: &Context<'_>) -> Option<parking_lot::MutexGuard<'_, ()>> {
        if let Some(entry) = self.entry.try_lock() {
            return Some(entry);
        }
        // First on the list, then check again: a call that leaves in between either sees this one on the list or has left.
        self.waiters.lock().push(context.waker().clone());
        self.entry.try_lock()
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        let registered = std::mem::take(&mut self.registered);
        let modules = std::mem::take(&mut *self.context.modules.lock());
        self.drop_inside((registered, modules, self.context.registrations.seal()));
    }
}

/// Left behind by a panic, it tells that the hook was left in the middle of something.
struct SpendOnPanic<'a>(&'a VmContext);

impl Drop for SpendOnPanic<'_> {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// The message about a stack that the system does not give.
pub(crate) fn no_stack(error: &std::io::Error) -> String {
    format!("there is no memory for a stack: {error}")
}
