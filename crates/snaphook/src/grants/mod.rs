//! Grants (law 8): what a script reaches of the world goes through [`Granted`], which each script gets for itself when it
//! loads. Not here: how grants are written (`snaphook_core::Grants`), what is done when they allow it (`exec`, `services`).

mod env;
mod exec;
mod files;
mod net;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook_core::{
    Area, BoxFuture, CallContext, Deliver, ExecOutput, ExecRequest, FileReply, FileRequest, Grants, HookRef,
    HttpRequest, HttpResponse, Keep, Level, Notice, ServiceError, Services, UiReply, UiRequest,
};

use crate::services::Shared;
use crate::sync::lock;
use env::Variables;
use exec::Programs;
use files::Files;
pub(crate) use files::OwnPlaces;
pub use files::{MAX_FILE_BYTES, MAX_FILE_NAMES};
use net::Hosts;

/// What grants are about: the places that they name in short.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    /// What relative paths are meant from.
    pub(crate) project_root: PathBuf,
    /// What `~` stands for.
    pub(crate) home: Option<PathBuf>,
    /// What no grant gives.
    pub(crate) own: Arc<OwnPlaces>,
}

/// The services of one script: the host's, as far as its grants go. Kept by the engine for as long as the script is
/// loaded, so a call that is in flight during a reload keeps the grants it began with.
pub(crate) struct Granted {
    shared: Arc<Shared>,
    programs: Programs,
    files: Files,
    hosts: Hosts,
    variables: Variables,
}

impl Granted {
    /// The services of a script that asks for this.
    pub(crate) fn new(shared: &Arc<Shared>, grants: &Grants, base: &Base) -> Arc<dyn Services> {
        Arc::new(Granted {
            programs: Programs::new(&grants.exec, base, &shared.env),
            files: Files::new(&grants.read, &grants.write, base),
            hosts: Hosts::new(&grants.net),
            variables: Variables::new(&grants.env),
            shared: Arc::clone(shared),
        })
    }
}

/// Who wants something that has to be granted. Each kind of grant decides with it: [`Asker::used`] with the entry that
/// allows it, else the error of [`Asker::missing`]. Both stand in the audit's line of the event. An owned value, so that work
/// that goes on in a future (a redirect to another host) can tell of it, too.
#[derive(Clone)]
pub(super) struct Asker {
    hook: HookRef,
    /// `None` while the hook loads: that belongs to no event.
    call: Option<Arc<CallContext>>,
}

impl Asker {
    fn new(hook: &HookRef, call: Option<&Arc<CallContext>>) -> Self {
        Asker { hook: hook.clone(), call: call.cloned() }
    }

    /// Notes that this entry of `kind` allowed something.
    pub(super) fn used(&self, kind: &str, entry: &str) {
        self.note(kind, entry, false);
    }

    /// Notes that nothing of `kind` allows it; gives the error, which names the missing `entry`. `what` is the subject of a
    /// sentence: "the program git".
    pub(super) fn missing(&self, what: &str, kind: &str, entry: &str) -> ServiceError {
        self.note(kind, entry, true);
        missing(what, kind, entry)
    }

    fn note(&self, kind: &str, entry: &str, denied: bool) {
        if let Some(call) = &self.call {
            call.uses.note(&self.hook, kind, entry, denied);
        }
    }
}

/// The error for something that was not granted. It names the line that is missing.
fn missing(what: &str, kind: &str, entry: &str) -> ServiceError {
    let entry = match entry.contains([',', ':', '*', '[', ']', '{', '}', '#', '&', '"', '\'', ' '])
        || entry.starts_with('~')
    {
        true => format!("\"{}\"", entry.replace('\\', "\\\\").replace('"', "\\\"")),
        false => entry.to_owned(),
    };
    ServiceError(format!(
        "{what} is not granted; the hook's front matter needs `{kind}: [{entry}]` under `grants`"
    ))
}

impl Services for Granted {
    fn has_ui(&self) -> bool {
        self.shared.has_ui()
    }

    fn ui(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: UiRequest,
    ) -> BoxFuture<'static, Result<UiReply, ServiceError>> {
        self.shared.ui(hook, call, request)
    }

    fn notify(&self, hook: &HookRef, notice: Notice) {
        self.shared.notify(hook, notice);
    }

    fn exec(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: ExecRequest,
    ) -> BoxFuture<'static, Result<ExecOutput, ServiceError>> {
        match self.programs.allow(&Asker::new(hook, Some(call)), request) {
            Ok(request) => self.shared.exec(hook, call, request),
            Err(error) => Box::pin(async move { Err(error) }),
        }
    }

    fn file(
        &self,
        hook: &HookRef,
        call: Option<&Arc<CallContext>>,
        request: FileRequest,
    ) -> Result<FileReply, ServiceError> {
        let hooks = || lock(&self.shared.paths).values().cloned().collect();
        self.files.run(&Asker::new(hook, call), request, hooks)
    }

    fn http(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: HttpRequest,
    ) -> BoxFuture<'static, Result<HttpResponse, ServiceError>> {
        self.hosts.run(Asker::new(hook, Some(call)), request)
    }

    fn env(
        &self,
        hook: &HookRef,
        call: Option<&Arc<CallContext>>,
        name: &str,
    ) -> Result<Option<String>, ServiceError> {
        self.variables.allow(&Asker::new(hook, call), name)?;
        self.shared.env(hook, call, name)
    }

    fn send(&self, hook: &HookRef, text: String, deliver: Deliver) {
        self.shared.send(hook, text, deliver);
    }

    fn emit(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        name: Arc<str>,
        fields: Map<String, Value>,
    ) -> BoxFuture<'static, Result<(), ServiceError>> {
        self.shared.emit(hook, call, name, fields)
    }

    fn keep(&self, hook: &HookRef, area: Area, operation: Keep) -> Result<Value, ServiceError> {
        self.shared.keep(hook, area, operation)
    }

    fn log(&self, hook: &HookRef, level: Level, text: &str) {
        self.shared.log(hook, level, text);
    }

    fn now(&self) -> f64 {
        self.shared.now()
    }
}
