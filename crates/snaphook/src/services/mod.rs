//! The services of the host: the one implementation of core's `Services` that does the work. Each service's own rules
//! live in its module (`exec`, `kv`, `outbox`, `ui`). Not here: what a script may ask for (`grants`).

pub(crate) mod auditor;
pub(crate) mod exec;
pub(crate) mod kv;
pub(crate) mod outbox;
pub(crate) mod ui;

use std::collections::HashMap;
use std::ffi::OsString;
use std::future::pending;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use snaphook_core::{
    BoxFuture, BusSpec, CallContext, Caller, Deliver, Event, EventName, HookRef, KvOp, KvScope, Level,
    PendingReply, ServiceError, ServiceReply, ServiceRequest, ServiceTask, Services, UiContext, UiReply,
    UiRequest, printable,
};

use crate::clock::Clock;
use crate::report::{Logger, Report, Reporter};
use crate::services::auditor::Auditor;
use crate::services::exec::{Environment, ExecPlace, ExecProgram, Processes};
use crate::services::kv::{SessionState, Store};
use crate::services::outbox::Outbox;
use crate::services::ui::{fits, headless_reply};

/// The depth to which events may cause events.
pub const MAX_DEPTH: u32 = 8;

/// The message to a handler written in Rust that asks for what is there for scripts.
const FOR_SCRIPTS: &str =
    "files and the web are served to scripts only; a handler in Rust has the libraries of Rust";

/// The host, as a hook causes an event with it.
pub(crate) trait EventSource: Send + Sync {
    /// Dispatches a bus event within the event that caused it, and waits until its handlers are done.
    fn cause(self: Arc<Self>, nested: Arc<CallContext>, event: Event) -> BoxFuture<'static, ()>;
}

/// The state that all calls of a host share. As `Services` it is what handlers written in Rust get, which need no
/// grants: they are part of the program. Scripts get it through `grants::Granted`.
pub(crate) struct Shared {
    pub(crate) ui: Arc<dyn UiContext>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) outbox: Outbox,
    pub(crate) state: SessionState,
    pub(crate) store: Store,
    /// Of processes.
    pub(crate) env: Environment,
    /// The variables that scripts see.
    pub(crate) variables: Mutex<Environment>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) processes: Arc<dyn Processes>,
    #[cfg(feature = "web")]
    pub(crate) web: Arc<dyn crate::web::Web>,
    pub(crate) reporter: Option<Reporter>,
    pub(crate) logger: Option<Logger>,
    pub(crate) audit: Option<Auditor>,
    /// The resolved path of each hook, which its store is named after.
    pub(crate) paths: Mutex<HashMap<HookRef, PathBuf>>,
    /// Weak: engines keep the services, and the host keeps the engines' hooks.
    pub(crate) host: OnceLock<Weak<dyn EventSource>>,
}

impl Shared {
    /// Tells of something that went wrong.
    pub(crate) fn report(&self, report: &Report) {
        let (cause, traceback) = (report.cause.map(|cause| cause.as_str()), report.traceback.as_deref());
        tracing::warn!(target: "snaphook", cause, traceback, "{}", printable(&report.to_string()));
        if let Some(reporter) = &self.reporter {
            reporter(report);
        }
    }

    /// Returns the UI of a call, which may have its own.
    pub(crate) fn ui_for<'a>(&'a self, own: Option<&'a Arc<dyn UiContext>>) -> &'a Arc<dyn UiContext> {
        own.unwrap_or(&self.ui)
    }

    /// Returns what scripts see of the environment.
    pub(crate) fn variables(&self) -> Environment {
        Arc::clone(&self.variables.lock())
    }

    /// Puts text into the outbox; what is cut or refused is reported.
    pub(crate) fn queue_text(&self, hook: &HookRef, text: String, deliver: Deliver) {
        if let Err(error) = self.outbox.queue_text(hook, text, deliver) {
            self.report(&Report::about(hook, error.to_string()));
        }
    }

    /// Forgets what hooks kept for the session, and text that was meant for it. A session that is only left, and not
    /// `cleared`, keeps what is in a folder of its own.
    pub(crate) fn forget_session(&self, cleared: bool) {
        self.state.forget(cleared);
        let lost = self.outbox.clear();
        if lost > 0 {
            tracing::warn!(target: "snaphook", lost, "text for the agent was dropped with its session");
        }
    }
}

impl Services for Shared {
    fn answer(&self, caller: Caller<'_>, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        let Caller { hook, call } = caller;
        match request {
            ServiceRequest::HasUi => {
                let own = call.and_then(|call| call.ui.as_ref());
                Ok(ServiceReply::Flag(self.ui_for(own).has_ui()))
            }
            ServiceRequest::Now => Ok(ServiceReply::Seconds(self.clock.now())),
            ServiceRequest::Log(level, text) => {
                self.log(hook, level, text);
                Ok(ServiceReply::Done)
            }
            ServiceRequest::Env(name) => self.variable(name).map(ServiceReply::Text),
            ServiceRequest::Kv(scope, operation) => self.kv(hook, scope, operation).map(ServiceReply::Value),
            ServiceRequest::File(_) => Err(ServiceError(FOR_SCRIPTS.to_owned())),
            ServiceRequest::Notify(notice) => {
                self.ui.notify(Some(hook), notice.printable());
                Ok(ServiceReply::Done)
            }
            ServiceRequest::Send(text, deliver) => {
                self.queue_text(hook, text, deliver);
                Ok(ServiceReply::Done)
            }
        }
    }

    fn begin(&self, hook: &HookRef, call: &Arc<CallContext>, task: ServiceTask) -> PendingReply {
        match task {
            ServiceTask::Ui(request) => self.ask_person(hook, call, request),
            ServiceTask::Exec(request) => {
                let (hook, cwd) = (hook.clone(), call.session.cwd.clone());
                let place = ExecPlace { hook, program: ExecProgram::Named, env: Arc::clone(&self.env), cwd };
                exec::begin(&*self.processes, place, request)
            }
            ServiceTask::Http(_) => Box::pin(async { Err(ServiceError(FOR_SCRIPTS.to_owned())) }),
            ServiceTask::Emit(name, fields) => self.cause(call, name, fields),
        }
    }
}

impl Shared {
    fn ask_person(&self, hook: &HookRef, call: &Arc<CallContext>, request: UiRequest) -> PendingReply {
        let (ui, hook, call) = (Arc::clone(self.ui_for(call.ui.as_ref())), hook.clone(), Arc::clone(call));
        let request = request.printable();
        let turn = call.signals.turn();
        Box::pin(async move {
            if !ui.has_ui() {
                return Ok(ServiceReply::Ui(headless_reply(&request)));
            }
            if call.signals.is_closed() {
                // Denied already: no question is asked, and the handler has nothing to add. It is dropped from
                // outside, because a script could catch an error.
                call.signals.abandon(turn, None);
                return pending().await;
            }
            let reply = ui.ask(Some(&hook), request.clone()).await;
            match (&reply, &request) {
                (UiReply::Deferred, UiRequest::Confirm { title, message }) if call.signals.may_defer() => {
                    let question = match message {
                        Some(message) => format!("{title}: {message}"),
                        None => title.clone(),
                    };
                    call.signals.abandon(turn, Some(question));
                    pending().await
                }
                // Only a yes or no can be given outside, and only about an event that waits for it.
                (UiReply::Deferred, _) => Ok(ServiceReply::Ui(headless_reply(&request))),
                _ if fits(&request, &reply) => Ok(ServiceReply::Ui(reply)),
                _ => Err(ServiceError("the dialog gave an answer to another question".to_owned())),
            }
        })
    }

    fn variable(&self, name: &str) -> Result<Option<String>, ServiceError> {
        let variables = self.variables();
        let value = variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value);
        let text = |value: &OsString| {
            value
                .to_str()
                .map(str::to_owned)
                .ok_or_else(|| ServiceError(format!("the variable {name} is not UTF-8")))
        };
        value.map(text).transpose()
    }

    /// Causes a bus event.
    fn cause(&self, call: &Arc<CallContext>, name: Arc<str>, fields: Map<String, Value>) -> PendingReply {
        let (host, call) = (self.host.get().and_then(Weak::upgrade), Arc::clone(call));
        Box::pin(async move {
            match EventName::parse(&name) {
                Ok(EventName::Bus(_)) if BusSpec::of(&name).is_some() => {
                    let message = format!("{name} comes from snaphook; it cannot be emitted");
                    return Err(ServiceError(message));
                }
                Ok(EventName::Bus(_)) => {}
                Ok(EventName::Lifecycle(event)) => {
                    return Err(ServiceError(format!(
                        "{event} comes from the agent; only names with a dot can be emitted"
                    )));
                }
                Err(error) => return Err(ServiceError(error.to_string())),
            }
            if call.depth >= MAX_DEPTH {
                let message = format!("{name} was not emitted: events cause events {MAX_DEPTH} deep already");
                return Err(ServiceError(message));
            }
            let Some(host) = host else { return Err(ServiceError("the host is gone".to_owned())) };
            let nested = Arc::new(call.nested());
            let _charge = ChargeBack { from: Arc::clone(&nested), to: call };
            host.cause(nested, Event::bus(name, fields)).await;
            Ok(ServiceReply::Done)
        })
    }

    fn kv(&self, hook: &HookRef, scope: KvScope, operation: KvOp) -> Result<Value, ServiceError> {
        let path = self.paths.lock().get(hook).cloned();
        let report = |message: String| self.report(&Report::about(hook, message));
        match scope {
            KvScope::State => self.state.run(hook, path.as_deref(), operation, &report),
            KvScope::Store => self.store.run(hook, path.as_deref(), operation, &report),
        }
    }

    fn log(&self, hook: &HookRef, level: Level, text: &str) {
        let text = &*printable(text);
        if let Some(logger) = &self.logger {
            logger(hook, level, text);
        }
        let hook = hook.id.as_str();
        match level {
            Level::Debug => tracing::debug!(target: "snaphook::hook", hook, "{text}"),
            Level::Info => tracing::info!(target: "snaphook::hook", hook, "{text}"),
            Level::Warn => tracing::warn!(target: "snaphook::hook", hook, "{text}"),
            Level::Error => tracing::error!(target: "snaphook::hook", hook, "{text}"),
        }
    }
}

/// Takes what the handlers of a caused event computed off the budget of the event that caused it, and notes the grants that
/// they used, also when they are dropped midway.
struct ChargeBack {
    from: Arc<CallContext>,
    to: Arc<CallContext>,
}

impl Drop for ChargeBack {
    fn drop(&mut self) {
        let spent = self.to.cpu_left().saturating_sub(self.from.cpu_left());
        self.to.charge(spent);
        self.to.uses.add(&self.from.uses);
    }
}
