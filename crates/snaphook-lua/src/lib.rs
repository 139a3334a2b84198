//! The Luau engine: one sealed VM a hook, handlers as coroutines, limits that hold against hostile scripts.
//!
//! | file | what |
//! |---|---|
//! | `vm`, `hook_vm` | a VM's life: made, sealed, entered, replaced |
//! | `handler` | an event on its way through a script and back |
//! | `watchdog` | stops what computes too long |
//! | `on`, `bindings/` | what scripts see, one file a global |
//! | `testing`, `coverage` | scripts of tests, and which lines of hooks they reach |
//! | `raw`, `shapes`, `lazy`, `convert` | values in and out |
//! | `prelude.luau` | the shims around what Luau's own library would let through |
//!
//! Not here: what events and answers mean (`snaphook-core`), what the API's functions do (`snaphook-script`).
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
mod bridge;
mod collector;
mod convert;
mod coverage;
mod error;
mod handler;
mod hints;
mod hook_vm;
mod lazy;
mod on;
mod ours;
mod raw;
mod shapes;
mod testing;
mod vm;
mod watchdog;

use std::sync::Arc;

use snaphook_core::{
    Coverage, Engine, Handler, HandlerInfo, Limits, LoadedHook, Problem, Script, Services, TestBench,
    TestCase,
};

use snaphook_script::matcher::Matcher;

use crate::handler::LuaHandler;
use crate::hook_vm::HookVm;
use crate::on::Registration;
pub use crate::watchdog::Lookout;
use crate::watchdog::Watchdog;

/// The engine. One serves any number of hooks; it keeps one thread that stops runaway scripts, or is given one.
pub struct LuaEngine {
    watchdog: Arc<Watchdog>,
    coverage: bool,
}

impl LuaEngine {
    /// Starts the engine.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new() -> std::io::Result<Self> {
        Ok(LuaEngine { watchdog: Watchdog::start()?, coverage: false })
    }

    /// An engine that starts no thread: this one calls [`Lookout::look`], and is parked for as long as that says. To start a thread
    /// takes longer than many a hook.
    pub fn watched_by(thread: std::thread::Thread) -> (Self, Lookout) {
        let (watchdog, lookout) = Watchdog::on(thread);
        (LuaEngine { watchdog, coverage: false }, lookout)
    }

    /// Starts an engine that counts which lines of hooks run ([`LoadedHook::coverage`]). Its hooks are slower.
    ///
    /// # Errors
    /// As [`LuaEngine::new`].
    pub fn with_coverage() -> std::io::Result<Self> {
        Ok(LuaEngine { coverage: true, ..LuaEngine::new()? })
    }
}

/// Every object that scripts reach (`snaphook.json`, `ctx.ui`, …) and every kind of value that they get (`ShellCommand`, …),
/// with the names of its members, from the lists that the bindings register. Tests hold it against the stubs and against
/// the other language.
pub fn members() -> Vec<(&'static str, Vec<&'static str>)> {
    bindings::names()
}

impl Engine for LuaEngine {
    fn load(
        &self,
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
    ) -> Result<LoadedHook, Problem> {
        let (hook, vm) = HookVm::load(script, services, limits, &self.watchdog, self.coverage)?;
        let hook = Arc::new(hook);
        // A file in a hooks folder that guards nothing is a slip, or was emptied by somebody.
        if vm.registrations.is_empty() {
            let text = "the hook registers no handler, so it would guard nothing";
            return Err(Problem::error(&script.hook.file, text)
                .with_help("call on(event, handler), or move the file away"));
        }
        let counted = Arc::clone(&hook);
        let handlers = vm.registrations.iter().enumerate().map(|(index, registration)| {
            let handler: Arc<dyn Handler> = Arc::new(LuaHandler {
                info: info(script, registration),
                matcher: registration.matcher.clone(),
                hook: Arc::clone(&hook),
                index,
            });
            handler
        });
        Ok(LoadedHook {
            handlers: handlers.collect(),
            problems: vm.warnings.clone(),
            memory: vm.memory(),
            coverage: self.coverage.then(|| -> Coverage { Arc::new(move || counted.coverage()) }),
        })
    }

    fn load_known(
        &self,
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
        known: &[HandlerInfo],
    ) -> Result<LoadedHook, Problem> {
        let matchers = known.iter().map(|info| matcher(info).ok_or(())).collect::<Result<Vec<_>, _>>();
        let Ok(matchers) = matchers else { return self.load(script, services, limits) };
        let hook = Arc::new(HookVm::later(script, services, limits, &self.watchdog, self.coverage, known));
        let counted = Arc::clone(&hook);
        let handlers = known.iter().zip(matchers).enumerate().map(|(index, (info, matcher))| {
            let handler: Arc<dyn Handler> =
                Arc::new(LuaHandler { info: info.clone(), matcher, hook: Arc::clone(&hook), index });
            handler
        });
        Ok(LoadedHook {
            handlers: handlers.collect(),
            problems: Vec::new(),
            memory: 0,
            coverage: self.coverage.then(|| -> Coverage { Arc::new(move || counted.coverage()) }),
        })
    }

    fn load_tests(
        &self,
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
        bench: &Arc<dyn TestBench>,
    ) -> Result<Vec<TestCase>, Problem> {
        testing::load(script, services, limits, &self.watchdog, bench)
    }
}

/// The matcher of a handler that is known from an earlier load; `None` where it cannot be read any more.
fn matcher(info: &HandlerInfo) -> Option<Option<Arc<Matcher>>> {
    let Some(written) = &info.matcher else { return Some(None) };
    Matcher::parse(&info.event, written).ok().map(|(matcher, _)| Some(Arc::new(matcher)))
}

fn info(script: &Script, registration: &Registration) -> HandlerInfo {
    HandlerInfo {
        hook: script.hook.clone(),
        event: registration.event.clone(),
        line: registration.line,
        file: registration.file.clone(),
        matcher: registration.written.clone(),
    }
}
