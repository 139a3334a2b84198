//! The host that programs embed: it loads hooks, gates tool calls and dispatches events.
//!
//! [`Host::builder`] takes engines, discovered hooks and handlers written in Rust; [`Host::gate`] says whether a call
//! may run, and with which input; [`Host::call_tool`] does it all for a [`Tool`]. This crate knows no script language
//! and no agent's wire format, and never writes to a terminal.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use snaphook::{Answer, CallOptions, HandlerInfo, HookRef, Host, Lifecycle, Scope, ToolCall, Verdict, handler_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let hook = HookRef::new("no-sudo", "no-sudo", Scope::User, "no_sudo.rs");
//! let info = HandlerInfo::new(hook, Lifecycle::ToolCall);
//! let no_sudo = handler_fn(info, |event, _| async move {
//!     let sudo = event.call().and_then(|call| call.command()).is_some_and(|line| line.contains("sudo"));
//!     let verdict = if sudo { Verdict::Deny } else { Verdict::Abstain };
//!     Ok(Answer { verdict, reason: "no sudo here".into(), ..Answer::default() })
//! });
//! let host = Host::builder().handler(no_sudo).build();
//!
//! let call = |line: &str| ToolCall::new("1", "bash", serde_json::json!({"command": line}));
//! let options = CallOptions::supervised();
//! let ControlFlow::Continue(permitted) = host.gate(call("ls"), &options).await else { panic!("denied") };
//! assert_eq!(permitted.call.command().as_deref(), Some("ls"));
//! let ControlFlow::Break(denied) = host.gate(call("sudo rm -rf /"), &options).await else { panic!("it passed") };
//! assert_eq!(denied.message(), "no sudo here [no-sudo at no_sudo.rs]");
//! # }
//! ```

mod builder;
pub mod checks;
mod clock;
mod dispatch;
mod grants;
mod host;
mod load;
mod options;
mod report;
mod services;
mod supervise;
mod sync;
#[cfg(feature = "web")]
mod web;

pub use snaphook_audit::{
    Audit, AuditError, AuditInputs, AuditLine, AuditOptions, AuditReason, AuditResult, AuditedGrant,
    AuditedHook, InputHash,
};
pub use snaphook_core::*;
pub use snaphook_discovery::{Candidate, Directories, Discovery, Environment, Language};
pub use tokio_util::sync::CancellationToken;

pub use builder::{Builder, DEFAULT_CHECK_WAIT, Engines};
pub use clock::{Clock, SystemClock};
pub use dispatch::emit::{Checks, Emitted, MAX_CONTINUATIONS, Started};
pub use dispatch::failed_check::FailedCheck;
pub use dispatch::gate::{Decided, Denied, Permitted};
pub use dispatch::tool::{ToolOutcome, TurnCall};
pub use grants::{CHILD_VARIABLES, MAX_FILE_BYTES, MAX_FILE_NAMES};
pub use host::Host;
pub use load::hook_set::HookSummary;
pub use options::{AskMode, CallOptions};
pub use report::{Logger, Report, Reporter};
pub use services::MAX_DEPTH;
pub use services::exec::{DEFAULT_EXEC_TIMEOUT, ExecPlace, ExecProgram, Processes, SystemProcesses};
pub use services::kv::MAX_KEPT;
pub use services::outbox::{MAX_TEXT, MAX_TEXTS, Outbox, OutboxText};
pub use services::ui::{AskedQuestion, DeferUi, HeadlessUi, QueuedUi, ScriptedUi, headless_reply};
pub use supervise::cpu_clock::CpuClock;

#[cfg(feature = "web")]
pub use grants::Reach;
#[cfg(feature = "web")]
pub use web::{
    DEFAULT_HTTP_TIMEOUT, MAX_HTTP_BODY, MAX_HTTP_HEADERS, MAX_HTTP_TIMEOUT, MAX_REDIRECTS, Web, WebMethod,
    WebPlace, WebRequest,
};
#[cfg(feature = "http")]
pub use web::{HttpClient, system_tls};

/// The message to a script that may reach the web, in a program that does not.
const NO_WEB_CLIENT: &str = "this program has no web client, so snaphook.http reaches nothing";
