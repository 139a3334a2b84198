//! Stacks for scripts. A handler runs on a stack of its own, so that it can be suspended in the middle of whatever Rhai
//! does, and go on later on another thread. Not here: what handlers do there (`handler`), who counts (`meter`).

#![expect(
    unsafe_code,
    reason = "suspending a stack and moving it between threads is not known to the compiler"
)]

pub(crate) mod alloc;

use std::cell::Cell;
use std::io;
use std::sync::Arc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder, on_stack};
use parking_lot::Mutex;

/// Stacks that are kept for the next handler. Each costs the pages that were ever touched, so one on which something went
/// wrong is not kept: it may have been used to its end.
const MAX_IDLE_STACKS: usize = 8;

/// Stacks of one size, with a guard page each.
///
/// The size has two parts. One is for Rhai, whose use is bounded by the limits of call levels and expression depth. The
/// other is for freeing and copying what a script holds: values that own each other in a chain are freed by recursion,
/// and each link of a chain takes fewer bytes of stack than it counts for in the script's memory (`alloc::BYTES_PER_BLOCK`), so
/// that a stack as large as the memory limit is enough. All of it is address space; pages are taken when they are touched.
pub(crate) struct Stacks {
    size: usize,
    idle: Mutex<Vec<DefaultStack>>,
}

/// For Rhai itself: the deepest calls that the limits allow, by a wide margin. Without optimisation its frames are
/// several times as large.
const STACK_FOR_CALLS: usize = if cfg!(debug_assertions) { 128 << 20 } else { 32 << 20 };
/// Bytes of stack for a byte of memory.
const STACK_PER_BYTE: usize = if cfg!(debug_assertions) { 6 } else { 1 };

impl Stacks {
    /// Stacks for scripts that may hold so many bytes.
    pub(crate) fn new(memory: usize) -> Arc<Self> {
        let size = memory.saturating_mul(STACK_PER_BYTE).saturating_add(STACK_FOR_CALLS);
        Arc::new(Stacks { size, idle: Mutex::default() })
    }

    fn take(&self) -> io::Result<DefaultStack> {
        let idle = self.idle.lock().pop();
        idle.map_or_else(|| DefaultStack::new(self.size), Ok)
    }

    fn give(&self, stack: DefaultStack) {
        let mut idle = self.idle.lock();
        if idle.len() < MAX_IDLE_STACKS {
            idle.push(stack);
        }
    }

    /// Runs `work` on such a stack, to its end. The stack is used again if `is_fine` of the result.
    ///
    /// # Errors
    /// There is no memory for a stack; `work` was dropped on the caller's.
    pub(crate) fn run<T>(&self, is_fine: impl FnOnce(&T) -> bool, work: impl FnOnce() -> T) -> io::Result<T> {
        let mut stack = self.take()?;
        // Nothing in there can give way: the one who waits would be left in the middle.
        let before = RestoreYielder(set_yielder(std::ptr::null()));
        let done = on_stack(&mut stack, work);
        drop(before);
        if is_fine(&done) {
            self.give(stack);
        }
        Ok(done)
    }
}

/// Work on a stack of its own that can be suspended.
pub(crate) struct Fiber<T> {
    coroutine: Option<Coroutine<(), (), T, DefaultStack>>,
    /// The place where the work gives way; null until it did.
    yielder: *const Yielder<(), ()>,
    stacks: Arc<Stacks>,
}

// SAFETY: the work is `Send`, and so is what it gives. Besides these, a suspended stack holds what Rhai had in its frames:
// values and references to values that are `Send + Sync` in Rhai's build with `sync`, which `ASSERT_SEND_SYNC` below holds, and at
// most guards of `RwLock`s around values that closures share. Such guards are not `Send` for the sake of systems whose
// locks belong to a thread; the standard library's `RwLock` on Linux, macOS and Windows is made of a futex or a queue
// and has no owner. Neither Rhai nor we keep a reference to a thread-local value across a call that may suspend: all
// such accesses (`meter`, `yielder`, `set_yielder`, `vm_context`) are functions that are not inlined.
unsafe impl<T: Send> Send for Fiber<T> {}

const ASSERT_SEND_SYNC: fn() = || {
    fn is<T: Send + Sync>() {}
    is::<rhai::Dynamic>();
    is::<rhai::Engine>();
    is::<rhai::AST>();
    is::<rhai::EvalAltResult>();
    is::<rhai::Scope<'static>>();
    is::<rhai::GlobalRuntimeState>();
};

thread_local! {
    /// The way the work that runs on this thread gives way.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(std::ptr::null()) };
}

#[inline(never)]
fn yielder() -> *const Yielder<(), ()> {
    YIELDER.get()
}

#[inline(never)]
fn set_yielder(yielder: *const Yielder<(), ()>) -> *const Yielder<(), ()> {
    YIELDER.replace(yielder)
}

impl<T: Send> Fiber<T> {
    /// Makes ready to run `work`.
    ///
    /// # Errors
    /// There is no memory for a stack.
    pub(crate) fn new(stacks: &Arc<Stacks>, work: impl FnOnce() -> T + Send + 'static) -> io::Result<Self>
    where
        T: 'static,
    {
        let _ = ASSERT_SEND_SYNC;
        let stack = stacks.take()?;
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            set_yielder(yielder);
            work()
        });
        Ok(Fiber { coroutine: Some(coroutine), yielder: std::ptr::null(), stacks: Arc::clone(stacks) })
    }

    /// Runs the work until it ends or gives way; `None` if it gave way, or had ended before. A panic of the work goes
    /// on here.
    pub(crate) fn resume(&mut self) -> Option<T> {
        let coroutine = self.coroutine.as_mut().filter(|coroutine| !coroutine.done())?;
        let before = RestoreYielder(set_yielder(self.yielder));
        let result = coroutine.resume(());
        self.yielder = yielder();
        drop(before);
        match result {
            CoroutineResult::Yield(()) => None,
            CoroutineResult::Return(value) => Some(value),
        }
    }
}

impl<T> Fiber<T> {
    /// Keeps the stack for the next handler, if the work has ended.
    pub(crate) fn recycle(mut self) {
        if let Some(coroutine) = self.coroutine.take_if(|coroutine| coroutine.done()) {
            self.stacks.give(coroutine.into_stack());
        }
    }

    /// Returns whether the work has begun and gave way.
    pub(crate) fn is_suspended(&self) -> bool {
        self.coroutine.as_ref().is_some_and(|coroutine| coroutine.started() && !coroutine.done())
    }
}

/// Restores the yielder of the work before, also after a panic.
struct RestoreYielder(*const Yielder<(), ()>);

impl Drop for RestoreYielder {
    fn drop(&mut self) {
        set_yielder(self.0);
    }
}

impl<T> Drop for Fiber<T> {
    fn drop(&mut self) {
        // Unwinds what is suspended, so that everything in its frames is dropped.
        drop(self.coroutine.take());
    }
}

/// Returns whether the caller runs in a [`Fiber`], so that it can wait.
pub(crate) fn can_wait() -> bool {
    !yielder().is_null()
}

/// Suspends the fiber until it is resumed again. Does nothing outside of one.
pub(crate) fn yield_now() {
    let yielder = yielder();
    if !yielder.is_null() {
        // SAFETY: it is set only while its coroutine runs on this thread (`resume`), and lives on that coroutine's
        // stack as long as the work does, which we are in.
        unsafe { (*yielder).suspend(()) };
    }
}
