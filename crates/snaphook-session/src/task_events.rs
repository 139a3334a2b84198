//! `on_task_complete` of lifecycle files: a handler of the bus event `task.completed`, which hooks emit where they see
//! that a task is done (no agent reports it). The files are read when it happens. Not here: the other lists
//! (`lifecycle`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook::{
    Answer, CallContext, CancellationToken, Event, EventName, Handler, HandlerFuture, HandlerInfo, HookRef,
    Scope,
};
use snaphook_command::lifecycle::{List, Values};

use crate::agent_loop::Saved;
use crate::context::SessionContext;
use crate::session_loop::SessionLoop;

/// The time that the commands of one task may take in all: the agent waits for the event in which a hook told of it.
const TASK_TIMEOUT: Duration = Duration::from_secs(20);

/// A task that is done, as `task.completed` tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletedTask {
    /// Its id.
    pub id: Option<String>,
    /// Its text.
    pub content: Option<String>,
}

impl CompletedTask {
    /// Reads it from the event, by either of the names that hooks use.
    pub fn of(event: &Event) -> Self {
        let subject = event.subject();
        let text = |names: [&str; 2]| {
            let field = names.into_iter().find_map(|name| subject.get(name));
            field.map(|field| field.as_str().map_or_else(|| field.to_string(), str::to_owned))
        };
        CompletedTask { id: text(["task_id", "id"]), content: text(["task_content", "content"]) }
    }
}

/// Returns what a handler of `task.completed` for lifecycle files is called.
pub fn handler_info() -> HandlerInfo {
    HandlerInfo {
        hook: HookRef::new("lifecycle", "lifecycle", Scope::Adhoc, ".snaphook/lifecycle.yml"),
        event: EventName::Bus("task.completed".into()),
        line: None,
        file: None,
        matcher: None,
    }
}

/// The handler of completed tasks.
pub(crate) struct TaskEvents {
    info: HandlerInfo,
    session: Arc<SessionContext>,
}

impl TaskEvents {
    /// For one session.
    pub(crate) fn new(session: Arc<SessionContext>) -> Self {
        TaskEvents { info: handler_info(), session }
    }

    async fn completed(&self, event: &Event, context: &CallContext) {
        let CompletedTask { id, content } = CompletedTask::of(event);
        let values = Values {
            session: context.session.id.clone(),
            task_id: id.unwrap_or_default(),
            task_content: content.unwrap_or_default(),
            ..Values::default()
        };
        let files = self.session.lifecycle_files();
        let until = Instant::now() + TASK_TIMEOUT;
        // Dropping the handler ends what runs.
        let cancel = CancellationToken::new();
        let piped = self.session.run_list(&files, List::OnTaskComplete, &values, until, &cancel).await;
        let left = if self.session.folder.own().is_some() {
            SessionLoop::new(false, Saved::default())
                .with(&self.session, |agent_loop| agent_loop.iterations().pending().push(piped))
                .flatten()
        } else {
            Some(piped).filter(|piped| !piped.is_empty())
        };
        if let Some(left) = left {
            let why = "the agent names no session, or too much waits, so this is not kept for it";
            self.session.log.line(&format!("{why}: {left}"));
        }
    }
}

impl Handler for TaskEvents {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, _: &Event, _: &CallContext) -> bool {
        true
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(TASK_TIMEOUT + Duration::from_secs(3))
    }

    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        Box::pin(async move {
            self.completed(event, context).await;
            Ok(Answer::default())
        })
    }
}
