//! Checks of changed files at the end of the agent's turn: the pending model of Discobot's file hooks, over the handlers of
//! `files_changed`, whether a script's or a program's.
//!
//! A hook becomes pending when a file of its own is new since the last evaluation, and stays so until it has passed, or until none
//! of its files is dirty any more. Pending hooks run in their order, each on all of its dirty files; the first that fails
//! ends the evaluation, and those behind it stay pending. The marker moves on at each evaluation, before any hook runs.
//!
//! Here: the evaluation (`evaluate`), the model behind it (`model`), the message to the agent (`message`). Not here: when
//! evaluations happen (`snaphook-session`), which files changed and where the status is kept (`snaphook_command`), nor how an agent is
//! made to go on (the adapters).

mod evaluate;
mod message;
mod model;

use std::path::PathBuf;
use std::time::Duration;

use snaphook_core::{Cause, HookRef, Product};

use crate::report::Report;

pub use snaphook_command::status::{HookKind, HookStatus, Last, Status, Store};

pub use message::{INLINE_BYTES, INLINE_LINES};

/// The way an evaluation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// No hook was pending.
    NoAction,
    /// Every hook that was pending passed, or has no dirty file any more.
    Passed,
    /// A hook failed. The agent gets a message about it if the hook wants that (`notify`).
    Failed,
    /// It was given up: the person spoke, or the time was over. What did not run is pending.
    Abandoned,
}

/// The result of an evaluation.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// The way it ended.
    pub ended: Ended,
    /// The hooks that ran, in order. The last one is the one that failed, if one did.
    pub ran: Vec<RanCheck>,
    /// The ids of hooks that were pending and had no dirty file any more.
    pub dropped: Vec<String>,
    /// The ids of hooks that are pending now.
    pub pending: Vec<String>,
    /// The notes for the person: a status that was damaged, git that could not be asked.
    pub notes: Vec<String>,
    /// The problems with hooks.
    pub reports: Vec<Report>,
}

impl Evaluated {
    fn nothing() -> Self {
        Evaluated {
            ended: Ended::NoAction,
            ran: Vec::new(),
            dropped: Vec::new(),
            pending: Vec::new(),
            notes: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// The check that failed, if the agent gets a message about it.
    pub fn to_tell(&self) -> Option<&RanCheck> {
        self.ran.last().filter(|ran| self.ended == Ended::Failed && !ran.passed && ran.notify)
    }
}

/// A check that ran, or could not.
#[derive(Debug, Clone)]
pub struct RanCheck {
    /// The hook.
    pub hook: HookRef,
    /// The patterns of its files, as their author wrote them.
    pub patterns: Vec<String>,
    /// The product whose words are used for it.
    pub product: Product,
    /// True if the agent is told when it fails.
    pub notify: bool,
    /// The files that it was run on.
    pub files: Vec<String>,
    /// Files of its own that were deleted.
    pub deleted: Vec<String>,
    /// Files of its own that it was not given, because their names are not UTF-8.
    pub nameless: Vec<String>,
    /// True if it passed.
    pub passed: bool,
    /// Its exit code: a program's own; of a script 0 or 1, and 124 where its time was over.
    pub exit_code: i32,
    /// Set where the check itself is broken.
    pub cause: Option<Cause>,
    /// Its output, or the beginning of it.
    pub output: String,
    /// The number of lines that it said.
    pub lines: u64,
    /// The number of its bytes.
    pub bytes: u64,
    /// The place where all of it is kept.
    pub log: Option<PathBuf>,
    /// The time that it took.
    pub took: Duration,
}
