//! The services that engines need from the host: people, processes, the outbox, what a hook keeps,
//! the log and the clock. Not here: who may ask for what (the host's grants), the data of larger
//! requests (`requests`), the functions that scripts call (`snaphook-script` and the engines).
//!
//! A service is a variant of [`ServiceRequest`], if it is answered at once, or of [`ServiceTask`], if a handler waits for
//! it; a variant of [`ServiceReply`], where no other fits; and a typed method of `dyn Services`, where Rust code asks for
//! it. What stands between a script and the host has two methods, however many services there are.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::call::CallContext;
use crate::future::BoxFuture;
use crate::hook::HookRef;
use crate::requests::{
    ExecOutput, ExecRequest, FileReply, FileRequest, HttpRequest, HttpResponse, Level, Notice, UiReply,
    UiRequest,
};

/// The services that a script may ask of the host. Each request names the hook that makes it, so that the host can check
/// its grants. The methods of `dyn Services` are the same with types.
pub trait Services: Send + Sync {
    /// Answers at once. To ask for the time, for a person, or to log allocates nothing.
    ///
    /// # Errors
    /// The hook may not, or the service failed.
    fn answer(&self, caller: Caller<'_>, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError>;

    /// Begins what the handler waits for. Dropping the future ends the work.
    fn begin(&self, hook: &HookRef, call: &Arc<CallContext>, task: ServiceTask) -> PendingReply;
}

/// The result of a service, as it comes. Dropping it ends the work.
pub type ServiceFuture<T> = BoxFuture<'static, Result<T, ServiceError>>;

/// The reply that a handler waits for.
pub type PendingReply = ServiceFuture<ServiceReply>;

/// The hook that asks, and the event that it handles.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// The hook.
    pub hook: &'a HookRef,
    /// The event's surroundings; `None` while the hook loads, and where they do not matter.
    pub call: Option<&'a Arc<CallContext>>,
}

/// A request that is answered at once.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceRequest<'a> {
    /// Asks whether a person can be asked about the event: [`ServiceReply::Flag`].
    HasUi,
    /// Asks for the seconds since 1970, by the host's clock: [`ServiceReply::Seconds`].
    Now,
    /// Writes a line to the log.
    Log(Level, &'a str),
    /// Asks for an environment variable: [`ServiceReply::Text`], `None` where it is not set.
    Env(&'a str),
    /// Reads or changes what the hook keeps for the session or on disk: [`ServiceReply::Value`].
    Kv(KvScope, KvOp),
    /// Reads or changes files: [`ServiceReply::File`]. Relative paths are meant from the project's root.
    File(FileRequest),
    /// Shows the person a notice.
    Notify(Notice),
    /// Puts text for the agent into the outbox.
    Send(String, Deliver),
}

/// A request that a handler waits for.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceTask {
    /// Asks the person: [`ServiceReply::Ui`].
    Ui(UiRequest),
    /// Runs a process: [`ServiceReply::Process`].
    Exec(ExecRequest),
    /// Asks a web server: [`ServiceReply::Web`].
    Http(HttpRequest),
    /// Causes a bus event with these fields and waits until its handlers are done.
    Emit(Arc<str>, Map<String, Value>),
}

/// The reply to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceReply {
    /// It is done, and gives nothing.
    Done,
    /// Yes or no.
    Flag(bool),
    /// A time.
    Seconds(f64),
    /// A text, if there is one.
    Text(Option<String>),
    /// A value; `null` where there is none.
    Value(Value),
    /// To [`ServiceRequest::File`].
    File(FileReply),
    /// To [`ServiceTask::Ui`].
    Ui(UiReply),
    /// To [`ServiceTask::Exec`].
    Process(ExecOutput),
    /// To [`ServiceTask::Http`].
    Web(HttpResponse),
}

impl ServiceRequest<'_> {
    /// The part of the script API that asks this.
    pub fn api(&self) -> &'static str {
        match self {
            ServiceRequest::HasUi => "ctx.has_ui",
            ServiceRequest::Now => "snaphook.time",
            ServiceRequest::Log(..) => "ctx.log",
            ServiceRequest::Env(_) => "snaphook.env",
            ServiceRequest::Kv(KvScope::State, _) => "ctx.state",
            ServiceRequest::Kv(KvScope::Store, _) => "ctx.store",
            ServiceRequest::File(_) => "snaphook.fs",
            ServiceRequest::Notify(_) => "ctx.ui",
            ServiceRequest::Send(..) => "ctx.send",
        }
    }
}

impl ServiceTask {
    /// The part of the script API that asks this.
    pub fn api(&self) -> &'static str {
        match self {
            ServiceTask::Ui(_) => "ctx.ui",
            ServiceTask::Exec(_) => "ctx.exec",
            ServiceTask::Http(_) => "snaphook.http",
            ServiceTask::Emit(..) => "ctx.emit",
        }
    }
}

// ---- with types ----

/// The content of a reply of this kind.
macro_rules! content {
    ($kind:ident, $reply:expr) => {
        match $reply {
            ServiceReply::$kind(content) => Ok(content),
            _ => Err(ServiceError::other_reply()),
        }
    };
}

/// Each service with the types of its request and its reply.
impl dyn Services + '_ {
    /// Returns whether a person can be asked about the event.
    pub fn has_ui(&self, hook: &HookRef, call: &Arc<CallContext>) -> bool {
        let reply = self.answer(Caller { hook, call: Some(call) }, ServiceRequest::HasUi);
        matches!(reply, Ok(ServiceReply::Flag(true)))
    }

    /// Returns the seconds since 1970, by the host's clock; 0 where it has none.
    pub fn now(&self, hook: &HookRef) -> f64 {
        match self.answer(Caller { hook, call: None }, ServiceRequest::Now) {
            Ok(ServiceReply::Seconds(seconds)) => seconds,
            _ => 0.0,
        }
    }

    /// Writes a line to the log.
    pub fn log(&self, hook: &HookRef, level: Level, text: &str) {
        // A log that cannot be written is no reason to fail.
        let _ = self.answer(Caller { hook, call: None }, ServiceRequest::Log(level, text));
    }

    /// Returns the value of an environment variable; `None` where it is not set.
    ///
    /// # Errors
    /// The hook may not see it, or it is not UTF-8.
    pub fn env(
        &self,
        hook: &HookRef,
        call: Option<&Arc<CallContext>>,
        name: &str,
    ) -> Result<Option<String>, ServiceError> {
        content!(Text, self.answer(Caller { hook, call }, ServiceRequest::Env(name))?)
    }

    /// Reads or changes what the hook keeps for the session or on disk.
    ///
    /// # Errors
    /// It cannot be kept or read.
    pub fn kv(&self, hook: &HookRef, scope: KvScope, operation: KvOp) -> Result<Value, ServiceError> {
        content!(Value, self.answer(Caller { hook, call: None }, ServiceRequest::Kv(scope, operation))?)
    }

    /// Reads or changes files. Relative paths are meant from the project's root.
    ///
    /// # Errors
    /// The hook may not, or it fails.
    pub fn file(
        &self,
        hook: &HookRef,
        call: Option<&Arc<CallContext>>,
        request: FileRequest,
    ) -> Result<FileReply, ServiceError> {
        content!(File, self.answer(Caller { hook, call }, ServiceRequest::File(request))?)
    }

    /// Shows the person a notice.
    pub fn notify(&self, hook: &HookRef, notice: Notice) {
        // A notice that cannot be shown is no reason to fail.
        let _ = self.answer(Caller { hook, call: None }, ServiceRequest::Notify(notice));
    }

    /// Puts text for the agent into the outbox.
    pub fn send(&self, hook: &HookRef, text: String, deliver: Deliver) {
        // The host reports what it refuses.
        let _ = self.answer(Caller { hook, call: None }, ServiceRequest::Send(text, deliver));
    }

    /// Asks the person.
    ///
    /// # Errors
    /// The dialog failed.
    pub fn ui(&self, hook: &HookRef, call: &Arc<CallContext>, request: UiRequest) -> ServiceFuture<UiReply> {
        let reply = self.begin(hook, call, ServiceTask::Ui(request));
        Box::pin(async move { content!(Ui, reply.await?) })
    }

    /// Runs a process.
    ///
    /// # Errors
    /// The hook may not, or it does not start.
    pub fn exec(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        request: ExecRequest,
    ) -> ServiceFuture<ExecOutput> {
        let reply = self.begin(hook, call, ServiceTask::Exec(request));
        Box::pin(async move { content!(Process, reply.await?) })
    }

    /// Causes a bus event and waits until its handlers are done.
    ///
    /// # Errors
    /// The event is not one that hooks can cause.
    pub fn emit(
        &self,
        hook: &HookRef,
        call: &Arc<CallContext>,
        name: Arc<str>,
        fields: Map<String, Value>,
    ) -> ServiceFuture<()> {
        let reply = self.begin(hook, call, ServiceTask::Emit(name, fields));
        Box::pin(async move { reply.await.map(drop) })
    }
}

/// A service that could not do what was asked. Scripts see it as an error with this text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);

impl ServiceError {
    /// The error for a reply that belongs to another request.
    pub fn other_reply() -> Self {
        ServiceError("the host replied to another request".to_owned())
    }
}

/// The place where a hook keeps something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KvScope {
    /// As long as the session lasts.
    State,
    /// On disk.
    Store,
}

/// The operation on what a hook keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum KvOp {
    /// Gives the value, `null` where there is none.
    Get(String),
    /// Sets the value; `null` deletes it.
    Set(String, Value),
    /// Gives the list of keys.
    Keys,
}

crate::named_enum! {
    /// When outbox text reaches the agent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Deliver {
        /// As soon as the agent takes text: after the running tool calls.
        Now = "now",
        /// With the next turn.
        #[default]
        NextTurn = "next_turn",
        /// When the agent has ended its work, as a prompt of its own.
        FollowUp = "follow_up",
    }
}
