//! The Rhai engine: one engine for all hooks, one VM a hook, handlers on stacks of their own, limits that hold against
//! hostile scripts.
//!
//! | file | what |
//! |---|---|
//! | `engine` | Rhai as all hooks have it: limits, library, API |
//! | `compile` | a text to a script |
//! | `vm`, `hook_vm` | a VM's life: loaded, entered, replaced |
//! | `handler` | an event on its way through a script and back |
//! | `meter`, `raw/alloc` | what a script may compute and hold |
//! | `raw` | stacks that can be suspended |
//! | `testing` | scripts of tests |
//! | `on`, `event`, `bindings/` | what scripts see, one file a global |
//! | `natives` | the standard library |
//! | `value` | values in and out |
//!
//! Not here: what events and answers mean (`snaphook-core`), what the API's functions do (`snaphook-script`).
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
mod bridge;
mod compile;
mod engine;
mod error;
mod event;
mod handler;
mod hints;
mod hook_vm;
mod meter;
mod natives;
mod on;
mod outside_fn;
mod raw;
mod testing;
mod value;
mod vm;

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use snaphook_core::{
    Engine, Handler, HandlerInfo, Limits, LoadedHook, Problem, Script, Services, TestBench, TestCase,
};
use snaphook_script::matcher::Matcher;

pub use crate::bindings::members;
use crate::engine::Of;
use crate::handler::RhaiHandler;
use crate::hook_vm::HookVm;
use crate::on::Registration;
pub use crate::raw::alloc::MeteredAllocator;
use crate::vm::Shared;

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

    fn shared(&self, of: Of) -> &Arc<Shared> {
        let place = match of {
            Of::Hooks => &self.hooks,
            Of::Tests => &self.tests,
        };
        place.get_or_init(|| {
            let engine = engine::make(of, meter::is_counting());
            Arc::new(Shared { engine, stacks: Mutex::default() })
        })
    }
}

impl Engine for RhaiEngine {
    fn load(
        &self,
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
    ) -> Result<LoadedHook, Problem> {
        let (hook, vm) = HookVm::load(script, services, limits, self.shared(Of::Hooks))?;
        let hook = Arc::new(hook);
        // A file in a hooks folder that guards nothing is a slip, or was emptied by somebody.
        if vm.registrations.is_empty() {
            let text = "the hook registers no handler, so it would guard nothing";
            return Err(Problem::error(&script.hook.file, text)
                .with_help("call on(event, handler), or move the file away"));
        }
        let handlers = vm.registrations.iter().enumerate().map(|(index, registration)| {
            let handler: Arc<dyn Handler> = Arc::new(RhaiHandler {
                info: info(script, registration),
                matcher: registration.matcher.clone(),
                hook: Arc::clone(&hook),
                index,
            });
            handler
        });
        let mut problems = vm.warnings.clone();
        if !meter::is_counting() {
            let text = "nobody counts this hook's memory: only the sizes of single values are limited";
            let help =
                "the program that loads Rhai hooks installs snaphook_rhai::MeteredAllocator as its allocator";
            problems.push(Problem::warning(&script.hook.file, text).with_help(help));
        }
        Ok(LoadedHook { handlers: handlers.collect(), problems, memory: vm.memory(), coverage: None })
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
        let hook = Arc::new(HookVm::later(script, services, limits, self.shared(Of::Hooks), known));
        let handlers = known.iter().zip(matchers).enumerate().map(|(index, (info, matcher))| {
            let handler: Arc<dyn Handler> =
                Arc::new(RhaiHandler { info: info.clone(), matcher, hook: Arc::clone(&hook), index });
            handler
        });
        Ok(LoadedHook { handlers: handlers.collect(), problems: Vec::new(), memory: 0, coverage: None })
    }

    fn load_tests(
        &self,
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
        bench: &Arc<dyn TestBench>,
    ) -> Result<Vec<TestCase>, Problem> {
        testing::load(script, services, limits, self.shared(Of::Tests), bench)
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

#[cfg(test)]
#[path = "lib_tests.rs"]
mod tests;
