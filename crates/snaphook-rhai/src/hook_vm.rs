//! A hook with the VM it has at the moment. A VM that ran out of memory, or was left by a panic, is replaced: the script
//! runs again in a new one, and the handlers that the host knows are tied to the new registrations. What the script had
//! in its variables is gone then; `ctx.state` and `ctx.store` are not.

use std::sync::Arc;

use parking_lot::Mutex;
use snaphook_core::{Cause, EventName, HandlerError, Limits, Problem, Script, Services};

use crate::vm::{Shared, Vm};

/// A hook and its VM.
pub(crate) struct HookVm {
    script: Script,
    services: Arc<dyn Services>,
    limits: Limits,
    shared: Arc<Shared>,
    /// What the hook registered when it first loaded; a restart has to come to the same.
    events: Vec<EventName>,
    current: Mutex<Result<Arc<Vm>, HandlerError>>,
}

impl HookVm {
    /// Loads a hook.
    ///
    /// # Errors
    /// As [`Vm::load`].
    pub(crate) fn load(
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
        shared: &Arc<Shared>,
    ) -> Result<(Self, Arc<Vm>), Problem> {
        let vm = Arc::new(Vm::load(script, services, limits, shared)?);
        let hook = HookVm {
            script: script.clone(),
            services: Arc::clone(services),
            limits: limits.clone(),
            shared: Arc::clone(shared),
            events: events(&vm),
            current: Mutex::new(Ok(Arc::clone(&vm))),
        };
        Ok((hook, vm))
    }

    /// The VM to use now.
    ///
    /// # Errors
    /// The hook could not be restarted after it broke its VM.
    pub(crate) fn vm(&self) -> Result<Arc<Vm>, HandlerError> {
        let mut current = self.current.lock();
        if let Ok(vm) = current.as_ref()
            && vm.bridge.is_spent()
        {
            *current = self.restart();
        }
        current.clone()
    }

    fn restart(&self) -> Result<Arc<Vm>, HandlerError> {
        let failed =
            |text: String| HandlerError::new(Cause::Load, format!("the hook could not be restarted: {text}"));
        let vm = Vm::load(&self.script, &self.services, &self.limits, &self.shared)
            .map_err(|problem| failed(problem.to_string()))?;
        if events(&vm) != self.events {
            return Err(failed("it registered other handlers than the first time".to_owned()));
        }
        Ok(Arc::new(vm))
    }
}

fn events(vm: &Vm) -> Vec<EventName> {
    vm.registrations.iter().map(|registration| registration.event.clone()).collect()
}
