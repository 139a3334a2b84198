//! The runtime of an agent's session: an event of the agent comes in, hooks decide, the answer goes out in the agent's
//! own form, and what has to outlive the process is kept.
//!
//! [`Service`] answers events: it reads them, turns every failure into an answer, and lets hooks decide. [`hosting`]
//! makes a host out of folders and settings, for callers that run hooks. A process that ends with its event and one that
//! stays differ in their [`HostCache`]. [`agent_loop`] is the machine behind turns, continuations and iterations, for them
//! and for a driver of our own.
//!
//! Not here: command lines, streams and deadlines of a process (the command), wire formats (`snaphook-adapters`), which
//! handlers run and what they may do (`snaphook`).

pub mod agent_loop;
mod audit;
pub mod checks;
mod choice;
mod context;
mod dedup;
mod env;
mod error;
mod event;
mod event_run;
mod folder;
mod holder;
mod host_cache;
pub mod hosting;
mod lifecycle;
pub mod lifecycle_files;
mod log;
mod machine;
mod notices;
pub mod required;
mod service;
mod session_loop;
mod standby;
mod startup;
pub mod status_folder;
pub mod task_events;
pub mod torn;
mod wall;

pub use choice::{Choice, PinChoice};
pub use dedup::Claim;
pub use env::ProcessEnv;
pub use error::{PinFileError, SessionError};
pub use event_run::answer_within;
pub use holder::{HeldLine, ProgramHolder};
pub use host_cache::{HostCache, MakeEngines};
pub use log::{LevelFilter, Log};
pub use machine::missing_for;
pub use service::{Answered, AtStart, CANNOT_JUDGE, MAX_PAYLOAD, MAX_RESULT, ReadEvent, Service};
pub use standby::{Standby, is_result};
pub use torn::Torn;
