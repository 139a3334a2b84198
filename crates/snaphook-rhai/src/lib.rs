//! The Rhai engine: one engine for all hooks, one VM a hook, handlers on stacks of their own, limits that hold against
//! hostile scripts.
//!
//! | file | what |
//! |---|---|
//! | `engine` | Rhai as all hooks have it: limits, library, API |
//! | `compile` | a text to a script |
//! | `vm` | a VM's life: loaded, entered |
//! | `handler` | an event on its way through a script and back |
//! | `meter`, `ffi/alloc` | what a script may compute and hold |
//! | `ffi` | stacks that can be suspended |
//! | `testing` | scripts of tests |
//! | `on`, `event`, `bindings/` | what scripts see, one file a global |
//! | `natives` | the standard library |
//! | `convert`, `plain` | values in and out |
//!
//! Not here: what events and answers mean (`snaphook-core`), what the API's functions do and what engines are made of
//! (`snaphook-script`, its `kit`).
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! use snaphook::{CallOptions, HookRef, Host, Language, Scope, Script, ToolCall};
//! use snaphook_rhai::RhaiEngine;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let source = r#"on("tool_call", #{ command: "sudo" }, |event, ctx| {
//!   #{ block: true, reason: "no sudo here" }
//! });"#;
//! let hook = HookRef::new("guard", "guard", Scope::User, "guard.rhai");
//! let host = Host::builder()
//!     .engine(Language::Rhai, Arc::new(RhaiEngine::new()))
//!     .script(Script::new(hook, source), Language::Rhai)
//!     .build();
//!
//! let call = ToolCall::new("1", "bash", serde_json::json!({"command": "sudo make install"}));
//! let ControlFlow::Break(denied) = host.gate(call, &CallOptions::supervised()).await else { panic!("it passed") };
//! assert_eq!(denied.message(), "no sudo here [guard at guard.rhai:1]");
//! # Ok(())
//! # }
//! ```

mod bindings;
mod callback;
mod compile;
mod convert;
mod engine;
mod error;
mod event;
mod ffi;
mod handler;
mod hints;
mod meter;
mod natives;
mod on;
mod outside_fn;
mod plain;
mod raise;
mod testing;
mod vm;
mod vm_context;

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use snaphook_core::{Engine, HandlerInfo, LoadRequest, LoadedHook, Problem, TestBench, TestCase};
use snaphook_script::kit::{self, VmSource};

pub use crate::bindings::members;
use crate::engine::ScriptKind;
pub use crate::ffi::alloc::MeteredAllocator;
use crate::vm::{Shared, Vm};

/// The engine. One serves any number of hooks; it starts no thread. Rhai itself is made when the first hook loads.
///
/// The program has to unwind when it panics: a handler that is dropped while it waits is unwound.
#[derive(Default)]
pub struct RhaiEngine {
    hooks: OnceLock<Arc<Shared>>,
    tests: OnceLock<Arc<Shared>>,
}

impl RhaiEngine {
    /// Makes the engine.
    pub fn new() -> Self {
        RhaiEngine::default()
    }

    fn source(&self, kind: ScriptKind, request: LoadRequest<'_>) -> VmSource<Arc<Shared>> {
        VmSource::new(request, Arc::clone(self.shared(kind)))
    }

    fn shared(&self, kind: ScriptKind) -> &Arc<Shared> {
        let place = match kind {
            ScriptKind::Hooks => &self.hooks,
            ScriptKind::Tests => &self.tests,
        };
        place.get_or_init(|| {
            let engine = engine::make(kind, meter::is_counting());
            Arc::new(Shared { engine, stacks: Mutex::default() })
        })
    }
}

impl Engine for RhaiEngine {
    fn load(&self, request: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        let (_, mut loaded) = kit::load::<Vm>(self.source(ScriptKind::Hooks, request))?;
        if !meter::is_counting() {
            let text = "this hook's memory is not counted: only the sizes of single values are limited";
            let help =
                "the program that loads Rhai hooks installs snaphook_rhai::MeteredAllocator as its allocator";
            loaded.problems.push(Problem::warning(&request.script.hook.file, text).with_help(help));
        }
        Ok(loaded)
    }

    fn load_known(&self, request: LoadRequest<'_>, known: &[HandlerInfo]) -> Result<LoadedHook, Problem> {
        match kit::load_known::<Vm>(self.source(ScriptKind::Hooks, request), known) {
            Some((_, loaded)) => Ok(loaded),
            None => self.load(request),
        }
    }

    fn load_tests(
        &self,
        request: LoadRequest<'_>,
        bench: &Arc<dyn TestBench>,
    ) -> Result<Vec<TestCase>, Problem> {
        kit::load_tests::<Vm>(self.source(ScriptKind::Tests, request), bench)
    }
}

#[cfg(test)]
#[path = "lib_tests.rs"]
mod tests;
