//! A hook with the VM it has at the moment. A VM that ran out of memory, or was left by a panic, is replaced: the script
//! runs again in a new one, and the handlers that the host knows are tied to the new registrations. What the script had
//! in its variables is gone then; `ctx.state` and `ctx.store` are not.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value as Json;
use snaphook_core::{
    Cause, EventName, HandlerError, HandlerInfo, Limits, Location, Problem, Script, Services,
};

use crate::vm::{Shared, Vm};

/// A hook and its VM.
pub(crate) struct HookVm {
    script: Script,
    services: Arc<dyn Services>,
    limits: Limits,
    shared: Arc<Shared>,
    /// The handlers that the hook registered when it first loaded; each later load has to come to the same.
    registered: Vec<Registered>,
    /// `None`: the script did not run yet.
    current: Mutex<Option<Result<Arc<Vm>, HandlerError>>>,
}

/// One registration, as far as the host knows it: the event, and the matcher as it was written.
type Registered = (EventName, Option<Json>);

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
            registered: registered(&vm),
            current: Mutex::new(Some(Ok(Arc::clone(&vm)))),
        };
        Ok((hook, vm))
    }

    /// A hook whose script runs when it is first needed.
    pub(crate) fn later(
        script: &Script,
        services: &Arc<dyn Services>,
        limits: &Limits,
        shared: &Arc<Shared>,
        known: &[HandlerInfo],
    ) -> Self {
        HookVm {
            script: script.clone(),
            services: Arc::clone(services),
            limits: limits.clone(),
            shared: Arc::clone(shared),
            registered: known.iter().map(|info| (info.event.clone(), info.matcher.clone())).collect(),
            current: Mutex::new(None),
        }
    }

    /// The VM to use now.
    ///
    /// # Errors
    /// The hook does not load, or could not be restarted after it broke its VM.
    pub(crate) fn vm(&self) -> Result<Arc<Vm>, HandlerError> {
        let mut current = self.current.lock();
        if let Some(Ok(vm)) = current.as_ref()
            && !vm.bridge.is_spent()
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

    fn start(&self, what: &str) -> Result<Arc<Vm>, HandlerError> {
        let failed =
            |text: String| HandlerError::new(Cause::Load, format!("the hook could not be {what}: {text}"));
        let vm = Vm::load(&self.script, &self.services, &self.limits, &self.shared).map_err(|problem| {
            let location = Location { file: problem.file.clone(), line: problem.line };
            HandlerError { location: Some(location), ..failed(problem.to_string()) }
        })?;
        if registered(&vm) != self.registered {
            return Err(failed("it registered other handlers than the first time".to_owned()));
        }
        Ok(Arc::new(vm))
    }
}

fn registered(vm: &Vm) -> Vec<Registered> {
    let one =
        |registration: &crate::on::Registration| (registration.event.clone(), registration.written.clone());
    vm.registrations.iter().map(one).collect()
}
