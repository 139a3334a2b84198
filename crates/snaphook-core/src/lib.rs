//! The rules of Snaphook: events and their reply classes, verdicts and their law, and the ports that the other
//! crates fill. This crate does no I/O, starts no task and knows no script language.
//!
//! The law of verdicts is a machine, [`GateRun`]: it names the next handler, takes each answer in, and gives the
//! decision. The strictest answer wins, whatever the order.
//!
//! ```
//! use snaphook_core::{Answer, Event, GateRun, HandlerInfo, HookRef, Lifecycle, Scope, ToolCall, Verdict};
//!
//! let call = ToolCall::new("1", "bash", serde_json::json!({"command": "rm -rf build"}));
//! let mut run = GateRun::new(Event::tool_call(call), 2);
//! let answers = [(Verdict::Deny, "not that folder"), (Verdict::Allow, "")];
//! while let Some(index) = run.next(|_, _| true) {
//!     let (verdict, reason) = answers[index];
//!     let hook = HookRef::new("guard", "guard", Scope::User, "guard.lua");
//!     let answer = Answer { verdict, reason: reason.into(), ..Answer::default() };
//!     run.record(index, &HandlerInfo::new(hook, Lifecycle::ToolCall), Ok(answer));
//! }
//! let decision = run.finish();
//! assert_eq!(decision.verdict, Verdict::Deny);
//! assert_eq!(decision.message(), "not that folder [guard at guard.lua]");
//! ```

mod answer;
mod approval;
mod bus;
mod call;
mod default_rule;
mod display;
mod event;
mod executable;
mod foreign;
mod future;
mod gate;
mod grants;
mod hold;
mod hook;
mod json_object;
mod lifecycle;
mod limits;
mod named_enum;
mod native;
mod nearest;
mod notation;
pub mod number;
mod outcome;
mod payload;
mod ports;
mod problem;
mod requests;
mod services;
mod signals;
mod spec;
pub mod strict_json;
mod sync;
pub mod testing;
mod text_budget;
mod tool;
mod uses;
mod verdict;
mod withhold;

pub use answer::{Answer, Malformed, Rewrite, remedy};
pub use approval::{Approval, Approved};
pub use bus::BusSpec;
pub use call::{CallContext, Session};
pub use default_rule::{DefaultRule, DefaultVerdict};
pub use display::{is_printable, is_unprintable, printable, printable_lines};
pub use event::{EventName, UnknownEvent};
pub use executable::{Executable, Product, ProgramRun, RunAs};
pub use future::BoxFuture;
pub use gate::{GateRun, MAX_ROUNDS};
pub use grants::{
    ExecGrant, GRANT_KINDS, GrantError, Grants, NetGrant, PathBase, PathError, PathGrant, env_name,
};
pub use hold::{
    HOLD_KEYS, Hold, HoldBase, HoldError, HoldPath, HoldPathError, HoldProfile, HoldProgram, HoldTools,
    Holder, Net, NetHosts, NotHeld, StandingHold,
};
pub use hook::{HookIdentity, HookRef, Location, Scope};
pub use json_object::json_object;
pub use lifecycle::{Lifecycle, ReplyClass};
pub use limits::Limits;
pub use native::handler_fn;
pub use nearest::nearest;
pub use notation::Notation;
pub use outcome::{NewResult, Outcome, Ruling};
pub use payload::{Event, FieldValue, Payload, PayloadError};
pub use ports::*;
pub use problem::{Problem, Severity};
pub use requests::*;
pub use services::*;
pub use signals::Signals;
pub use spec::{EventSpec, FieldSpec, FieldType};
pub use testing::{BenchError, Coverage, FileCoverage, TestBench, TestCase};
pub use text_budget::{MAX_TEXT, MAX_TEXT_AT_ONCE, TextBudget};
pub use tool::{
    Access, CANONICAL_TOOLS, CommonFields, Field, FieldMap, NoSuchField, ToolCall, ToolResult, family,
    quoted_word,
};
pub use uses::{GrantUse, GrantUses};
pub use verdict::{Cause, ContextText, Decision, Reason, Verdict};
pub use withhold::{MAX_RESULT_DEPTH, MAX_RESULT_TEXT, MAX_RESULT_VALUES, OnFailure, Unreadable, Withheld};
