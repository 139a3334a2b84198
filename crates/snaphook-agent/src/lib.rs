//! Driving an agent session under Snaphook's hooks: for now the replay of recorded sessions, with real tools in a
//! scratch copy of a project.
//!
//! Lives here: recordings and their formats ([`replay`]), the tools ([`tools`]), the scratch project ([`scratch`]) and the
//! driver that puts them through a host's gates ([`driver`]).
//!
//! ```no_run
//! use std::path::Path;
//!
//! use snaphook::{Host, Session};
//! use snaphook_agent::driver::{Replay, Step};
//! use snaphook_agent::replay::Recording;
//! use snaphook_agent::scratch::{CopyLimits, Scratch, ScratchPlan};
//!
//! # async fn run(state: &Path, env: &[(std::ffi::OsString, std::ffi::OsString)]) -> Result<(), Box<dyn std::error::Error>> {
//! let recording = Recording::tour()?;
//! let plan = ScratchPlan {
//!     under: &state.join("scratch"),
//!     base: &recording.base,
//!     files: &recording.files,
//!     env,
//!     limits: CopyLimits::default(),
//! };
//! let scratch = Scratch::create(plan).await?;
//! let project = scratch.project().to_owned();
//! let session = Session { cwd: project.clone(), project_root: project, ..Session::default() };
//! let host = Host::builder().session(session).build();
//! let summary = Replay::new(recording, &scratch)?.run(&host, &mut |_: &Step| {}).await?;
//! assert_eq!(summary.calls, summary.allowed + summary.denied);
//! # Ok(())
//! # }
//! ```
//!
//! Not here: loading hooks and deciding about calls (`snaphook`), showing a run to a person (`snaphook-cli`).

pub mod acp;
pub mod driver;
pub mod lists;
#[cfg(feature = "drive")]
pub mod mcp;
pub mod message;
pub mod model;
pub mod replay;
pub mod scratch;
pub mod sessions;
pub mod tools;
pub mod toolset;
pub mod usage;
