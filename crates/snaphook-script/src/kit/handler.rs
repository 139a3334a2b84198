//! The registrations of a script as the host's handlers. Not here: running one (`handler` of each engine).

use std::sync::Arc;

use snaphook_core::{CallContext, Event, Handler, HandlerFuture, HandlerInfo, LoadedHook, Problem, Script};

use super::hook_vm::HookVm;
use super::registration::Registration;
use super::vm::{Vm, VmSource};
use crate::matcher::Matcher;

/// One registration of a hook, as the host sees it.
pub struct ScriptHandler<V: Vm> {
    info: HandlerInfo,
    matcher: Option<Arc<Matcher>>,
    hook: Arc<HookVm<V>>,
    index: usize,
}

impl<V: Vm> Handler for ScriptHandler<V> {
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

    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        Box::pin(async move { self.hook.vm()?.handle(self.index, event, context).await })
    }
}

/// Loads a hook, with what the host gets of it.
///
/// # Errors
/// As [`Vm::load`]; a script that registers no handler.
pub fn load<V: Vm>(source: VmSource<V::Shared>) -> Result<(Arc<HookVm<V>>, LoadedHook), Problem> {
    let script = source.script.clone();
    let (hook, vm) = HookVm::<V>::load(source)?;
    let registered = vm.registered();
    // A file in a hooks folder that registers nothing is a mistake, or was emptied.
    if registered.handlers.is_empty() {
        let text = "the hook registers no handler, so it would guard nothing";
        return Err(Problem::error(&script.hook.file, text)
            .with_help("call on(event, handler), or move the file away"));
    }
    let handlers = registered.handlers.iter();
    let handlers = handlers.map(|one| (info(&script, one), one.matcher.clone())).collect();
    Ok(loaded(hook, handlers, registered.warnings.clone(), vm.memory()))
}

/// Makes the handlers of a script that registered these before, without running it; `None` where one of their matchers
/// cannot be read any more.
pub fn load_known<V: Vm>(
    source: VmSource<V::Shared>,
    known: &[HandlerInfo],
) -> Option<(Arc<HookVm<V>>, LoadedHook)> {
    let handlers = known.iter().map(|info| Some((info.clone(), matcher(info)?))).collect::<Option<_>>()?;
    Some(loaded(HookVm::<V>::later(source, known), handlers, Vec::new(), 0))
}

fn loaded<V: Vm>(
    hook: HookVm<V>,
    handlers: Vec<(HandlerInfo, Option<Arc<Matcher>>)>,
    problems: Vec<Problem>,
    memory: usize,
) -> (Arc<HookVm<V>>, LoadedHook) {
    let hook = Arc::new(hook);
    let handlers = handlers.into_iter().enumerate().map(|(index, (info, matcher))| {
        let handler: Arc<dyn Handler> =
            Arc::new(ScriptHandler { info, matcher, hook: Arc::clone(&hook), index });
        handler
    });
    let loaded = LoadedHook { handlers: handlers.collect(), problems, memory, coverage: None };
    (hook, loaded)
}

/// The matcher of a handler that is known from an earlier load; `None` where it cannot be read any more.
fn matcher(info: &HandlerInfo) -> Option<Option<Arc<Matcher>>> {
    let Some(written) = &info.matcher else { return Some(None) };
    Matcher::parse(&info.event, written).ok().map(|(matcher, _)| Some(Arc::new(matcher)))
}

fn info<Function>(script: &Script, registration: &Registration<Function>) -> HandlerInfo {
    HandlerInfo {
        hook: script.hook.clone(),
        event: registration.event.clone(),
        line: registration.line,
        file: registration.file.clone(),
        matcher: registration.written.clone(),
    }
}
