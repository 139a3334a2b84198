//! One hook's VM: made, sealed, loaded, entered. Not here: what it is asked to do (`handler`).

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use mlua::{Function, Lua, LuaOptions, StdLib, Table, Value};
use parking_lot::Mutex;
use snaphook_core::{Answer, CallContext, Event, FileCoverage, HandlerError, Problem, Script};
use snaphook_cpu::Stretch;
use snaphook_script::kit::{self, Meter, Registered, Turn, VmSource};

use crate::bindings;
use crate::compile::{compile, limited};
use crate::coverage;
use crate::error;
use crate::event_templates::EventTemplates;
use crate::ffi::{self, Coroutine, Interrupt, MemoryLimit, Metatables, Pin};
use crate::gc;
use crate::handler::HandlerCall;
use crate::interrupt_timer::{Alarm, InterruptTimer};
use crate::lazy;
use crate::stopwatch::Stopwatch;
use crate::vm_context::{Registrations, Role, Run, Tests, VmContext};

/// The state that all VMs of an engine share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) timer: Arc<InterruptTimer>,
    /// True if lines are counted.
    pub(crate) coverage: bool,
}

/// A sealed VM with one hook in it.
pub(crate) struct Vm {
    pub(crate) context: Arc<VmContext>,
    pub(crate) registered: Registered<Pin>,
    pub(crate) ctx: Pin,
    /// Calls handlers with an event that is made already.
    pub(crate) call_function: Pin,
    /// Coroutines that no handler runs in at the moment.
    pub(crate) idle: Mutex<Vec<Coroutine>>,
    alarm: Arc<Alarm>,
    timer: Arc<InterruptTimer>,
    /// Held by the call that is inside. Never waited for: a call that finds it taken comes back when it is free.
    entry: Mutex<EventTemplates>,
    contended: AtomicBool,
    /// The number of times that it was entered, up to [`FIRST_TUNED_TURN`].
    turns: AtomicU8,
    lua: Lua,
}

/// The turn from which on a VM collects as one that stays does. The first one may be the only one, in a process for one event:
/// at the pace that suits the others it would go through all of its memory, and give it back a moment later.
const FIRST_TUNED_TURN: u8 = 2;

/// The reason why a turn in the VM came to nothing.
pub(crate) enum Halt {
    /// The CPU budget was used up.
    Budget(Turn),
    /// Another call computes in the VM and does not stop.
    Stuck,
}

impl kit::Vm for Vm {
    type Shared = Shared;
    type Function = Pin;

    fn load(source: &VmSource<Shared>) -> Result<Self, Problem> {
        let registrations = Arc::new(Registrations::new(source.script.hook.clone()));
        let mut vm = Self::make(source, Role::Hook(&registrations))?;
        vm.registered = registrations.seal();
        Ok(vm)
    }

    fn registered(&self) -> &Registered<Pin> {
        &self.registered
    }

    fn is_spent(&self) -> bool {
        self.context.is_out_of_memory() || self.alarm.is_stuck()
    }

    fn memory(&self) -> usize {
        self.lua.used_memory()
    }

    /// Collects what loading left behind. Not part of loading: a process that looks at one event would pay for memory that it
    /// gives back anyway.
    fn tidy(&self) {
        self.turns.store(FIRST_TUNED_TURN, Ordering::Relaxed);
        gc::tune(&self.lua);
        gc::collect_after_load(&self.lua);
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
    /// Makes a VM and runs a test script in it.
    ///
    /// # Errors
    /// As of a hook.
    pub(crate) fn load_test_script(source: &VmSource<Shared>, tests: &Arc<Tests>) -> Result<Self, Problem> {
        Self::make(source, Role::Test(tests))
    }

    /// Makes a VM and runs the script in it.
    fn make(source: &VmSource<Shared>, role: Role<'_>) -> Result<Self, Problem> {
        let vm = Self::empty(source, role).map_err(|error| problem(&source.script, &error))?;
        vm.run_script(source)?;
        Ok(vm)
    }

    fn empty(source: &VmSource<Shared>, role: Role<'_>) -> mlua::Result<Self> {
        let VmSource { script, services, limits, shared: Shared { timer, coverage } } = source;
        let lua = Lua::new_with(
            libraries(script, role),
            LuaOptions::new().catch_rust_panics(true).thread_pool_size(16),
        )?;
        // Nothing that is made here is dropped again: to look for it is a twentieth of what a process for one event computes.
        lua.gc_stop();
        lua.set_app_data(MemoryLimit(limits.memory));
        if *coverage && matches!(role, Role::Hook(_)) {
            coverage::count(&lua);
        }
        let (metas, array, mark) = lazy_metatables(&lua)?;
        let context = VmContext::new(script.hook.clone(), Arc::clone(services), limits.clone(), metas, array);
        let context = Arc::new(context);
        let (ctx, call_function) = bindings::install(&lua, &context, role, script, mark)?;
        lua.sandbox(true)?;
        lua.set_memory_limit(0)?;
        let alarm = Alarm::new(Interrupt::of(&lua), limits.stop_grace);
        timer.add(&alarm);
        lua.gc_restart();
        if let Role::Test(tests) = role {
            tests.clock.attach(Stopwatch::new(Arc::clone(&alarm), Arc::clone(timer)));
        }
        let vm = Vm {
            context,
            registered: Registered::default(),
            ctx: ffi::pin(&lua, ctx)?,
            call_function: ffi::pin(&lua, call_function)?,
            idle: Mutex::default(),
            alarm,
            timer: Arc::clone(timer),
            entry: Mutex::default(),
            contended: AtomicBool::new(false),
            turns: AtomicU8::new(0),
            lua,
        };
        Ok(vm)
    }

    fn run_script(&self, source: &VmSource<Shared>) -> Result<(), Problem> {
        let script = &source.script;
        self.alarm.arm(&self.timer, Stretch::begin(), source.limits.load_cpu);
        let done = compile(&self.lua, &script.source, &source.file().display().to_string())
            .and_then(|chunk| limited(&self.lua, || chunk.call::<()>(())));
        if self.alarm.disarm() {
            return Err(source.load_took_too_long());
        }
        done.map_err(|error| problem(script, &error))?;
        if self.context.is_out_of_memory() {
            return Err(source.load_took_too_much());
        }
        Ok(())
    }

    /// Does `work` inside the VM as one turn of `run`, on the meter. Whoever comes while another is inside gets
    /// `Pending` and is woken later.
    pub(crate) fn turn<T>(
        &self,
        context: &mut Context<'_>,
        run: &Arc<Run>,
        meter: &mut Meter,
        work: impl FnOnce(&Lua, &mut EventTemplates) -> T,
    ) -> Poll<Result<T, Halt>> {
        let Some(mut entry) = self.try_enter(context) else {
            return if self.alarm.is_stuck() { Poll::Ready(Err(Halt::Stuck)) } else { Poll::Pending };
        };
        if self.turns.load(Ordering::Relaxed) < FIRST_TUNED_TURN {
            self.came_again();
        }
        let turn = meter.turn(&run.call);
        let visit = Visit::begin(self, run, turn.allowed);
        let done = work(&self.lua, &mut entry);
        let (spent, stopped) = visit.end();
        meter.charge(&run.call, spent);
        drop(entry);
        if self.contended.swap(false, Ordering::SeqCst) {
            self.alarm.wake_waiters();
        }
        Poll::Ready(if stopped { Err(Halt::Budget(turn)) } else { Ok(done) })
    }

    fn try_enter(&self, context: &Context<'_>) -> Option<parking_lot::MutexGuard<'_, EventTemplates>> {
        if let Some(entry) = self.entry.try_lock() {
            return Some(entry);
        }
        // First on the list, then check again: a call that leaves in between either sees this one on the list or has left.
        self.alarm.wait(context.waker());
        self.contended.store(true, Ordering::SeqCst);
        self.entry.try_lock()
    }

    /// The memory limit is for scripts, and set where their code begins to run; see [`ffi::host_function`].
    fn unlimit(&self) {
        // Fails only for a VM that mlua does not own.
        let _ = self.lua.set_memory_limit(0);
    }

    /// Whoever comes for the second time has a VM that stays.
    fn came_again(&self) {
        if self.turns.fetch_add(1, Ordering::Relaxed) + 1 == FIRST_TUNED_TURN {
            gc::tune(&self.lua);
        }
    }

    /// Returns which lines ran so far, by file; empty unless it was made to count them.
    pub(crate) fn coverage(&self) -> Vec<FileCoverage> {
        coverage::read(&self.lua)
    }

    /// Calls a function of the script's outside of any event.
    pub(crate) fn call(&self, function: &Function, argument: impl mlua::IntoLuaMulti) -> mlua::Result<()> {
        limited(&self.lua, || function.call::<()>(argument))
    }

    /// The VM itself, for who makes things in it between two visits.
    pub(crate) fn lua(&self) -> &Lua {
        &self.lua
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        self.alarm.retire();
    }
}

/// One stay in the VM: the clock runs, and the bindings know the running handler. Ends on a panic, too.
struct Visit<'a> {
    vm: &'a Vm,
    turn: Stretch,
    open: bool,
}

impl<'a> Visit<'a> {
    fn begin(vm: &'a Vm, run: &Arc<Run>, allowed: Duration) -> Self {
        vm.context.enter(Some(Arc::clone(run)));
        let turn = Stretch::begin();
        vm.alarm.arm(&vm.timer, turn, allowed);
        Visit { vm, turn, open: true }
    }

    fn end(mut self) -> (Duration, bool) {
        self.open = false;
        let stopped = self.vm.alarm.disarm();
        self.vm.unlimit();
        self.vm.context.enter(None);
        (self.turn.spent(), stopped)
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if self.open {
            self.vm.alarm.disarm();
            self.vm.unlimit();
            self.vm.context.enter(None);
        }
    }
}

/// The libraries that a hook can reach. Making one takes longer than seeing that it is not named: a global is reached by its name
/// in a script's text, or through `_G`, and in no other way (`prelude.luau`). The prelude has use for the others.
fn libraries(script: &Script, role: Role<'_>) -> StdLib {
    let named = |name: &str| {
        let texts = std::iter::once(&script.source).chain(script.modules.values());
        texts.into_iter().any(|text| text.contains(name))
    };
    let all = matches!(role, Role::Test(_)) || named("_G");
    let by_name = [
        ("math", StdLib::MATH),
        ("utf8", StdLib::UTF8),
        ("bit32", StdLib::BIT),
        ("buffer", StdLib::BUFFER),
        ("vector", StdLib::VECTOR),
    ];
    let always = StdLib::COROUTINE | StdLib::TABLE | StdLib::STRING | StdLib::DEBUG;
    by_name
        .into_iter()
        .filter(|(name, _)| all || named(name))
        .fold(always, |libraries, (_, one)| libraries | one)
}

/// Returns what raw pushes need, the metatable of arrays, and the mark of tables that are not whole.
fn lazy_metatables(lua: &Lua) -> mlua::Result<(Metatables, Table, Table)> {
    let array = lua.create_table()?;
    array.set_readonly(true);
    let mark = lua.create_table()?;
    mark.set_readonly(true);
    let metas = Arc::new(OnceLock::<Metatables>::new());
    let later = |metas: &Arc<OnceLock<Metatables>>| {
        metas.get().copied().ok_or_else(|| mlua::Error::runtime("the VM is not ready"))
    };
    let for_index = Arc::clone(&metas);
    let index = ffi::host_function(lua, move |lua, (table, key): (Table, Value)| {
        lazy::touch(lua, &table, &key, later(&for_index)?)
    })?;
    let for_iter = Arc::clone(&metas);
    let next: Function = lua.globals().get("next")?;
    let iter = ffi::host_function(lua, move |lua, table: Table| {
        lazy::fill(lua, &table, later(&for_iter)?)?;
        Ok((next.clone(), table))
    })?;
    let lazy = lua.create_table_with_capacity(1, 3)?;
    lazy.raw_set(1, false)?;
    lazy.raw_set("__index", index)?;
    lazy.raw_set("__iter", iter)?;
    lazy.raw_set("__metatable", &mark)?;
    let empty = lua.create_table()?;
    empty.set_metatable(Some(array.clone()))?;
    empty.set_readonly(true);
    let pinned = Metatables {
        names: ffi::Names::pin(lua)?,
        array: ffi::pin(lua, &array)?,
        empty_array: ffi::pin(lua, empty)?,
        lazy: ffi::pin(lua, lazy)?,
    };
    let _ = metas.set(pinned);
    Ok((pinned, array, mark))
}

fn problem(script: &Script, error: &mlua::Error) -> Problem {
    let mut read = error::read(error);
    if let Some(source) = read.location.as_ref().and_then(|place| script.text_of(&place.file)) {
        error::explain(&mut read, error, source);
    }
    read.into_problem(&script.hook.file)
}
