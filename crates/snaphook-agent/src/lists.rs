//! Lifecycle files in a session that is driven: their lists, run in the project, and `on_task_complete`, which a hook's event
//! `task.completed` starts. Not here: when the other lists run (`driver`).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use snaphook::{Answer, CallContext, CancellationToken, Event, Handler, HandlerFuture, HandlerInfo, Problem};
use snaphook_command::lifecycle::{List, Surroundings, Values};
use snaphook_core::BoxFuture;
use snaphook_discovery::{Directories, Trust};
use snaphook_session::agent_loop::pending::Pending;
use snaphook_session::lifecycle_files;
use snaphook_session::task_events::{CompletedTask, handler_info};

use crate::driver::{ListRun, ListValues, Lists};

/// The time that the commands of one task may take in all: the tool call in which a hook told of it waits.
const TASK_TIMEOUT: Duration = Duration::from_secs(120);

/// The lists of the trusted lifecycle files of a project. The files are read when a list runs.
#[derive(Debug, Clone)]
pub struct FileLists {
    /// The folders.
    pub directories: Directories,
    /// Decisions about files of the project.
    pub trust: Trust,
    /// The environment of the commands.
    pub env: Arc<[(OsString, OsString)]>,
    /// The program that holds commands.
    pub program: Option<PathBuf>,
    /// The session's id.
    pub session: String,
}

impl FileLists {
    /// Returns whether there is no file that may run.
    pub fn is_empty(&self) -> bool {
        lifecycle_files::trusted(&self.directories, &self.trust).0.is_empty()
    }

    /// The problems with the files.
    pub fn problems(&self) -> Vec<Problem> {
        lifecycle_files::trusted(&self.directories, &self.trust).1
    }
}

impl Lists for FileLists {
    fn run<'a>(
        &'a self,
        list: List,
        values: ListValues,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ListRun> {
        Box::pin(async move {
            let (files, _) = lifecycle_files::trusted(&self.directories, &self.trust);
            let root = &self.directories.project_root;
            let mut env = self.env.to_vec();
            env.push(("SNAPHOOK_PROJECT_ROOT".into(), root.clone().into()));
            let around = Surroundings { cwd: root.clone(), env, until: None, holder: self.program.clone() };
            let values = Values {
                session: self.session.clone(),
                iteration: values.iteration,
                error: values.error.unwrap_or_default(),
                task_id: values.task_id.unwrap_or_default(),
                task_content: values.task_content.unwrap_or_default(),
            };
            let ran = lifecycle_files::run_list(&files, list, &values, &around, cancel).await;
            let failed = ran.told.into_iter().filter(|(success, _)| !success);
            ListRun { piped: ran.piped, notes: failed.map(|(_, line)| line).collect() }
        })
    }
}

/// The handler of completed tasks: what `on_task_complete` pipes waits for the agent's next iteration.
pub struct TaskHandler {
    info: HandlerInfo,
    lists: Arc<dyn Lists>,
    pending: Pending,
}

impl TaskHandler {
    /// For a session with these lists; the same buffer has to be in its plan.
    pub fn new(lists: Arc<dyn Lists>, pending: Pending) -> Self {
        TaskHandler { info: handler_info(), lists, pending }
    }
}

impl Handler for TaskHandler {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, _: &Event, _: &CallContext) -> bool {
        true
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(TASK_TIMEOUT)
    }

    fn handle<'a>(&'a self, event: &'a Event, _: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        Box::pin(async move {
            let CompletedTask { id: task_id, content: task_content } = CompletedTask::of(event);
            let values = ListValues { task_id, task_content, ..ListValues::default() };
            // Dropping the handler ends what runs.
            let ran = self.lists.run(List::OnTaskComplete, values, &CancellationToken::new()).await;
            // What does not fit is more than would be read.
            drop(self.pending.push(ran.piped));
            Ok(Answer::default())
        })
    }
}
