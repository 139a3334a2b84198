//! Grants (law 8): what a script reaches of the world goes through [`Granted`], which each script gets for itself when it
//! loads. Not here: how grants are written (`snaphook_core::Grants`), what is done when they allow it (`crate::services::exec`, `services`).

pub(crate) mod asker;
mod env;
mod exec;
mod files;
mod lookup;
#[cfg(feature = "web")]
pub(crate) mod net;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use snaphook_core::{
    CallContext, Caller, ExecRequest, Grants, HookRef, HttpRequest, PendingReply, ServiceError, ServiceReply,
    ServiceRequest, ServiceTask, Services, Severity,
};

use crate::services::Shared;
use crate::services::exec::{self as processes, Environment, ExecPlace, ExecProgram};
#[cfg(feature = "web")]
use crate::web::{WebPlace, check};
use asker::Asker;
pub use env::CHILD_VARIABLES;
use env::Variables;
use exec::Programs;
use files::Files;
pub(crate) use files::ReservedPaths;
pub use files::{MAX_FILE_BYTES, MAX_FILE_NAMES};
use lookup::ProgramFolders;
#[cfg(feature = "web")]
pub use net::Reach;

/// The base of grants: the places that they name in short. One for all scripts that load together.
#[derive(Debug, Default)]
pub(crate) struct Base {
    /// The folder that relative paths are meant from.
    pub(crate) project_root: PathBuf,
    /// The project that this one is a copy of.
    copied_from: Option<PathBuf>,
    /// The folder that `~` stands for.
    pub(crate) home: Option<PathBuf>,
    /// The places that no grant gives.
    pub(crate) own: Arc<ReservedPaths>,
    /// The place where programs are looked for; made when the first script wants one.
    places: OnceLock<Arc<ProgramFolders>>,
}

impl Base {
    /// For scripts of this project.
    pub(crate) fn new(
        project_root: PathBuf,
        copied_from: Option<PathBuf>,
        home: Option<PathBuf>,
        own: Arc<ReservedPaths>,
    ) -> Self {
        Base { project_root, copied_from, home, own, places: OnceLock::new() }
    }

    fn places(&self, host: &[(OsString, OsString)]) -> &Arc<ProgramFolders> {
        self.places.get_or_init(|| {
            let path = host.iter().rev().find(|(name, _)| env::same(name, "PATH"));
            let path = path.map(|(_, path)| path.as_os_str());
            let copied_from = self.copied_from.as_deref();
            Arc::new(ProgramFolders::new(&self.project_root, copied_from, self.home.as_deref(), path))
        })
    }
}

/// The remark about a script's grants when it loads.
pub(crate) type Remark = (Severity, String);

/// The services of one script: the host's, as far as its grants go. Kept by the engine for as long as the script is
/// loaded, so a call that is in flight during a reload keeps the grants it began with.
pub(crate) struct Granted {
    shared: Arc<Shared>,
    programs: Programs,
    files: Files,
    #[cfg(feature = "web")]
    reach: Reach,
    variables: Variables,
}

impl Granted {
    /// The services of a script that asks for this. What it asks for and does not get (a program that is not there) becomes
    /// a remark.
    pub(crate) fn services(
        shared: &Arc<Shared>,
        grants: &Grants,
        base: &Base,
        remarks: &mut Vec<Remark>,
    ) -> Arc<dyn Services> {
        Arc::new(Granted {
            programs: Programs::new(&grants.exec, || base.places(&shared.env), remarks),
            files: Files::new(&grants.read, &grants.write, base),
            #[cfg(feature = "web")]
            reach: Reach::new(&grants.net),
            variables: Variables::new(&grants.env, remarks),
            shared: Arc::clone(shared),
        })
    }

    /// The program and the environment of a process that may run.
    fn process(
        &self,
        asker: &Asker,
        request: &ExecRequest,
    ) -> Result<(ExecProgram, Environment), ServiceError> {
        let program = self.programs.allow(asker, request)?;
        for name in request.env.keys() {
            self.variables.allow_setting(asker, name)?;
        }
        let env = self.variables.for_child(&self.shared.env, &self.shared.variables(), self.programs.path());
        Ok((program, env.into()))
    }

    /// Starts a process that may run.
    fn exec(
        &self,
        asker: &Asker,
        call: &Arc<CallContext>,
        request: ExecRequest,
    ) -> Result<PendingReply, ServiceError> {
        let (program, env) = self.process(asker, &request)?;
        let place = ExecPlace { hook: asker.hook.clone(), program, env, cwd: call.session.cwd.clone() };
        Ok(processes::begin(&*self.shared.processes, place, request))
    }

    /// Sends a request to a web server that may be asked.
    #[cfg(feature = "web")]
    fn http(&self, asker: Asker, request: HttpRequest) -> Result<PendingReply, ServiceError> {
        let hook = asker.hook.clone();
        let reach = self.reach.asked_by(asker);
        let request = check(&reach, request)?;
        let response = self.shared.web.run(WebPlace { hook, reach }, request);
        Ok(Box::pin(async move { response.await.map(ServiceReply::Web) }))
    }

    #[cfg(not(feature = "web"))]
    fn http(&self, _: Asker, _: HttpRequest) -> Result<PendingReply, ServiceError> {
        Err(ServiceError(crate::NO_WEB_CLIENT.to_owned()))
    }
}

/// Every request is named here, so that the compiler asks for a new one whether it needs a grant.
impl Services for Granted {
    fn answer(&self, caller: Caller<'_>, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        match request {
            ServiceRequest::File(request) => {
                let hooks = || self.shared.paths.lock().values().cloned().collect();
                self.files.run(&Asker::new(caller), request, hooks).map(ServiceReply::File)
            }
            ServiceRequest::Env(name) => {
                self.variables.allow(&Asker::new(caller), name)?;
                self.shared.answer(caller, request)
            }
            ServiceRequest::HasUi
            | ServiceRequest::Now
            | ServiceRequest::Log(..)
            | ServiceRequest::Kv(..)
            | ServiceRequest::Notify(_)
            | ServiceRequest::Send(..) => self.shared.answer(caller, request),
        }
    }

    fn begin(&self, hook: &HookRef, call: &Arc<CallContext>, task: ServiceTask) -> PendingReply {
        let asker = || Asker::new(Caller { hook, call: Some(call) });
        let begun = match task {
            ServiceTask::Exec(request) => self.exec(&asker(), call, request),
            ServiceTask::Http(request) => self.http(asker(), request),
            ServiceTask::Ui(_) | ServiceTask::Emit(..) => Ok(self.shared.begin(hook, call, task)),
        };
        begun.unwrap_or_else(|error| Box::pin(async move { Err(error) }))
    }
}
