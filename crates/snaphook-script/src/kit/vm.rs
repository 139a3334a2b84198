//! A VM as the kit sees it, and what one is made from. Not here: the VM of a language (`vm` of each engine).

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use snaphook_core::{
    Answer, CallContext, Event, HandlerError, Limits, LoadRequest, Problem, Script, Services,
};

use super::budget;
use super::registration::Registered;

/// Everything that a VM is made from, now and each time that it is replaced.
pub struct VmSource<Shared> {
    /// The script.
    pub script: Script,
    /// The script's own services.
    pub services: Arc<dyn Services>,
    /// The limits of the VM.
    pub limits: Limits,
    /// The state that all VMs of the engine share.
    pub shared: Shared,
}

impl<Shared> VmSource<Shared> {
    /// A source of VMs for this script.
    pub fn new(request: LoadRequest<'_>, shared: Shared) -> Self {
        let LoadRequest { script, services, limits } = request;
        VmSource { script: script.clone(), services: Arc::clone(services), limits: limits.clone(), shared }
    }

    /// The hook's file.
    pub fn file(&self) -> &Path {
        &self.script.hook.file
    }

    /// The problem of a script that computed too long while it loaded.
    pub fn load_took_too_long(&self) -> Problem {
        let text = format!("loading used up its CPU budget of {:?}", self.limits.load_cpu);
        Problem::error(self.file(), text).with_help("do the work in a handler, or less of it")
    }

    /// The problem of a script that took too much memory while it loaded.
    pub fn load_took_too_much(&self) -> Problem {
        Problem::error(self.file(), budget::memory_limit(&self.limits))
    }
}

/// One hook's VM: made from a source, with the handlers that its script registered.
pub trait Vm: Sized + Send + Sync + 'static {
    /// The state that all VMs of the engine share.
    type Shared: Send + Sync + 'static;
    /// A function of a script, as `on` keeps it.
    type Function: Send + Sync + 'static;

    /// Makes a VM and runs the script in it.
    ///
    /// # Errors
    /// Everything that keeps a hook from loading, with the line in its file.
    fn load(source: &VmSource<Self::Shared>) -> Result<Self, Problem>;

    /// The handlers that the script registered when it loaded.
    fn registered(&self) -> &Registered<Self::Function>;

    /// Returns whether the VM must be replaced: its script ran out of memory, or was left in the middle of something.
    fn is_spent(&self) -> bool;

    /// The VM's memory, in bytes; 0 where it is not counted.
    fn memory(&self) -> usize;

    /// Tidies up after loading. Called only where the hook was loaded ahead of its first event.
    fn tidy(&self) {}

    /// Runs one of the registered handlers. Dropping the future cancels it with everything it waits for.
    fn handle<'a>(
        self: Arc<Self>,
        index: usize,
        event: &'a Event,
        context: &'a Arc<CallContext>,
    ) -> impl Future<Output = Result<Answer, HandlerError>> + Send + 'a;
}
