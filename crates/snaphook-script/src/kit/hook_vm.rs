//! A hook with its present VM. A VM that is spent is replaced: the script runs again in a new one, and the handlers that
//! the host knows are tied to the new registrations. What the script had in its variables is gone then; `ctx.state` and
//! `ctx.store` are not.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value as Json;
use snaphook_core::{Cause, EventName, HandlerError, HandlerInfo, Location, Problem};

use super::vm::{Vm, VmSource};

/// A hook and its VM.
pub struct HookVm<V: Vm> {
    source: VmSource<V::Shared>,
    /// The handlers that the hook registered when it first loaded; each later load has to come to the same.
    registered: Vec<KnownRegistration>,
    /// `None`: the script did not run yet.
    current: Mutex<Option<Result<Arc<V>, HandlerError>>>,
}

/// One registration, as far as the host knows it: the event, and the matcher as it was written.
type KnownRegistration = (EventName, Option<Json>);

impl<V: Vm> HookVm<V> {
    /// Loads a hook.
    ///
    /// # Errors
    /// As [`Vm::load`].
    pub fn load(source: VmSource<V::Shared>) -> Result<(Self, Arc<V>), Problem> {
        let vm = Arc::new(V::load(&source)?);
        vm.tidy();
        let current = Mutex::new(Some(Ok(Arc::clone(&vm))));
        Ok((HookVm { source, registered: registrations_of(&*vm), current }, vm))
    }

    /// A hook whose script runs when it is first needed.
    pub fn later(source: VmSource<V::Shared>, handlers: &[HandlerInfo]) -> Self {
        let registered = handlers.iter().map(|info| (info.event.clone(), info.matcher.clone())).collect();
        HookVm { source, registered, current: Mutex::new(None) }
    }

    /// The VM to use now.
    ///
    /// # Errors
    /// The hook does not load, or could not be restarted after it broke its VM.
    pub fn vm(&self) -> Result<Arc<V>, HandlerError> {
        let mut current = self.current.lock();
        if let Some(Ok(vm)) = current.as_ref()
            && !vm.is_spent()
        {
            return Ok(Arc::clone(vm));
        }
        let outcome = match current.take() {
            Some(Err(error)) => Err(error),
            Some(Ok(_)) => self.start("restarted"),
            None => self.start("loaded"),
        };
        current.insert(outcome).clone()
    }

    /// The present VM, if the script has run.
    pub fn present(&self) -> Option<Arc<V>> {
        self.current.lock().clone()?.ok()
    }

    fn start(&self, done: &str) -> Result<Arc<V>, HandlerError> {
        let failed =
            |text: String| HandlerError::new(Cause::Load, format!("the hook could not be {done}: {text}"));
        let vm = V::load(&self.source).map_err(|problem| {
            let location = Location { file: problem.file.clone(), line: problem.line };
            HandlerError { location: Some(location), ..failed(problem.to_string()) }
        })?;
        if registrations_of(&vm) != self.registered {
            return Err(failed("it registered other handlers than the first time".to_owned()));
        }
        Ok(Arc::new(vm))
    }
}

fn registrations_of<V: Vm>(vm: &V) -> Vec<KnownRegistration> {
    let handlers = vm.registered().handlers.iter();
    handlers.map(|registration| (registration.event.clone(), registration.written.clone())).collect()
}
