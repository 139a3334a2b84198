//! The plan of a session: what is the same whoever drives it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook::CancellationToken;
use snaphook_command::lifecycle::List;
use snaphook_command::status::Store;
use snaphook_core::{BoxFuture, Problem};
use snaphook_session::agent_loop::iterations;
use snaphook_session::agent_loop::pending::Pending;

use super::Recorder;
use crate::tools::Workspace;

/// The plan of a session.
pub struct DrivePlan {
    /// The name of the session, for the person.
    pub name: String,
    /// The agent whose session it is.
    pub agent: String,
    /// The folder that the tools work in.
    pub workspace: Arc<Workspace>,
    /// Interrupts the session: the running call ends, the rest is left out, and the closing events are dispatched.
    pub cancel: CancellationToken,
    /// The time between the end of a turn and its checks, in which the person may speak first. Default: none.
    pub grace: Duration,
    /// The time that the session may take. Default: any.
    pub timeout: Option<Duration>,
    /// When iterations end by themselves. Default: never.
    pub limits: iterations::Limits,
    /// The number of iterations in a row that may leave the same files and the same failing checks. Default: any.
    pub no_progress: Option<u32>,
    /// When the session is complete. Default: when there is no further prompt.
    pub until: Option<Until>,
    /// Runs the lists of lifecycle files. Default: there are none.
    pub lists: Arc<dyn Lists>,
    /// Output that waits for the agent from elsewhere than the session's own lists.
    pub waiting: Pending,
    /// Where the status of checks is kept. Default: nowhere, and the checks of a turn see what changed in it.
    pub checks: Option<Store>,
    /// Writes the session down. Default: nothing does.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// The problems that were found before it began.
    pub problems: Vec<Problem>,
}

impl DrivePlan {
    /// A plan with the defaults.
    pub fn new(name: impl Into<String>, agent: impl Into<String>, workspace: Arc<Workspace>) -> Self {
        DrivePlan {
            name: name.into(),
            agent: agent.into(),
            workspace,
            cancel: CancellationToken::new(),
            grace: Duration::ZERO,
            timeout: None,
            limits: iterations::Limits::default(),
            no_progress: None,
            until: None,
            lists: Arc::new(NoLists),
            waiting: Pending::default(),
            checks: None,
            recorder: None,
            problems: Vec::new(),
        }
    }
}

/// The condition that ends a session of iterations.
#[derive(Clone)]
pub enum Until {
    /// The agent's last words contain this text.
    Text(String),
    /// This says so.
    Check(Arc<dyn Complete>),
}

/// Looks whether a session is complete: a command that has to succeed, as a rule.
pub trait Complete: Send + Sync {
    /// Returns whether it is. `cancel` ends the look.
    fn is_complete<'a>(&'a self, cancel: &'a CancellationToken) -> BoxFuture<'a, bool>;
}

/// Runs lists of lifecycle files.
pub trait Lists: Send + Sync {
    /// Runs a list of every file; gives the output for the agent.
    fn run<'a>(
        &'a self,
        list: List,
        values: ListValues,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ListRun>;
}

/// The values of a list's variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListValues {
    /// The iteration's number, where there is one.
    pub iteration: Option<u64>,
    /// The failure, for `on_error`.
    pub error: Option<String>,
    /// The task's id, for `on_task_complete`.
    pub task_id: Option<String>,
    /// The task, for `on_task_complete`.
    pub task_content: Option<String>,
}

/// The result of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListRun {
    /// The output for the agent.
    pub piped: String,
    /// What the person is told of it, a line each.
    pub notes: Vec<String>,
}

/// No lifecycle files.
#[derive(Debug, Clone, Copy)]
pub struct NoLists;

impl Lists for NoLists {
    fn run<'a>(&'a self, _: List, _: ListValues, _: &'a CancellationToken) -> BoxFuture<'a, ListRun> {
        Box::pin(std::future::ready(ListRun::default()))
    }
}

impl DrivePlan {
    pub(super) fn project(&self) -> PathBuf {
        self.workspace.root().to_owned()
    }
}

impl std::fmt::Debug for DrivePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DrivePlan")
            .field("name", &self.name)
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Until {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Until::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Until::Check(_) => f.write_str("Check"),
        }
    }
}
