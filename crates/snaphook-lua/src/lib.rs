//! The Luau engine: one sealed VM a hook, handlers as coroutines, limits that hold against hostile scripts.
//!
//! | file | what |
//! |---|---|
//! | `compile` | a text to a function |
//! | `vm` | a VM's life: made, sealed, entered |
//! | `handler` | an event on its way through a script and back |
//! | `interrupt_timer` | stops what computes too long |
//! | `on`, `bindings/` | what scripts see, one file a global |
//! | `testing`, `stopwatch`, `coverage` | scripts of tests, and which lines of hooks they reach |
//! | `ffi`, `event_templates`, `lazy`, `convert` | values in and out |
//! | `prelude.luau` | the shims around what Luau's own library would let through |
//!
//! Not here: what events and answers mean (`snaphook-core`), what the API's functions do and what engines are made of
//! (`snaphook-script`, its `kit`).
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! use snaphook::{CallOptions, HookRef, Host, Language, Scope, Script, ToolCall};
//! use snaphook_lua::LuaEngine;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let source = r#"on("tool_call", { command = "sudo" }, function(event, ctx)
//!   return { block = true, reason = "no sudo here" }
//! end)"#;
//! let hook = HookRef::new("guard", "guard", Scope::User, "guard.lua");
//! let host = Host::builder()
//!     .engine(Language::Lua, Arc::new(LuaEngine::new()?))
//!     .script(Script::new(hook, source), Language::Lua)
//!     .build();
//!
//! let call = ToolCall::new("1", "bash", serde_json::json!({"command": "sudo make install"}));
//! let ControlFlow::Break(denied) = host.gate(call, &CallOptions::supervised()).await else { panic!("it passed") };
//! assert_eq!(denied.message(), "no sudo here [guard at guard.lua:1]");
//! # Ok(())
//! # }
//! ```

mod bindings;
mod compile;
mod convert;
mod coverage;
mod error;
mod event_templates;
mod ffi;
mod gc;
mod handler;
mod hints;
mod host_mark;
mod interrupt_timer;
mod lazy;
mod on;
mod raise;
mod stopwatch;
mod testing;
mod vm;
mod vm_context;

use std::sync::Arc;

use snaphook_core::{Coverage, Engine, HandlerInfo, LoadRequest, LoadedHook, Problem, TestBench, TestCase};
use snaphook_script::kit::{self, HookVm, VmSource};

pub use crate::interrupt_timer::InterruptChecker;
use crate::interrupt_timer::InterruptTimer;
use crate::vm::{Shared, Vm};

/// The engine. One serves any number of hooks; it keeps one thread that stops runaway scripts, or is given one.
pub struct LuaEngine {
    shared: Shared,
}

impl LuaEngine {
    /// Starts the engine.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new() -> std::io::Result<Self> {
        Ok(LuaEngine { shared: Shared { timer: InterruptTimer::start()?, coverage: false } })
    }

    /// Makes an engine that starts no thread. The given thread calls [`InterruptChecker::check`], and
    /// is parked for as long as that returns. Starting a thread takes longer than many hooks run.
    pub fn with_timer_thread(thread: std::thread::Thread) -> (Self, InterruptChecker) {
        let (timer, checker) = InterruptTimer::on(thread);
        (LuaEngine { shared: Shared { timer, coverage: false } }, checker)
    }

    /// Starts an engine that counts which lines of hooks run ([`LoadedHook::coverage`]). Its hooks are slower.
    ///
    /// # Errors
    /// As [`LuaEngine::new`].
    pub fn with_coverage() -> std::io::Result<Self> {
        Ok(LuaEngine { shared: Shared { coverage: true, ..LuaEngine::new()?.shared } })
    }

    fn source(&self, request: LoadRequest<'_>) -> VmSource<Shared> {
        VmSource::new(request, self.shared.clone())
    }

    /// Adds the counters of lines, if they are counted.
    fn counted(&self, (hook, loaded): (Arc<HookVm<Vm>>, LoadedHook)) -> LoadedHook {
        let coverage = self.shared.coverage.then(|| -> Coverage {
            Arc::new(move || hook.present().map(|vm| vm.coverage()).unwrap_or_default())
        });
        LoadedHook { coverage, ..loaded }
    }
}

/// Every object that scripts reach (`snaphook.json`, `ctx.ui`, …) and every kind of value that they get (`ShellCommand`, …),
/// with the names of its members, from the lists that the bindings register. Tests hold it against the stubs and against
/// the other language.
pub fn members() -> Vec<(&'static str, Vec<&'static str>)> {
    bindings::names()
}

impl Engine for LuaEngine {
    fn load(&self, request: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        kit::load(self.source(request)).map(|hook| self.counted(hook))
    }

    fn load_known(&self, request: LoadRequest<'_>, known: &[HandlerInfo]) -> Result<LoadedHook, Problem> {
        match kit::load_known(self.source(request), known) {
            Some(hook) => Ok(self.counted(hook)),
            None => self.load(request),
        }
    }

    fn load_tests(
        &self,
        request: LoadRequest<'_>,
        bench: &Arc<dyn TestBench>,
    ) -> Result<Vec<TestCase>, Problem> {
        kit::load_tests::<Vm>(self.source(request), bench)
    }
}
