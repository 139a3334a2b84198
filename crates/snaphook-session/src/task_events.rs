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

/// The handler of completed tasks.
pub(crate) struct TaskEvents {
    info: HandlerInfo,
    session: Arc<SessionContext>,
}

impl TaskEvents {
    /// For one session.
    pub(crate) fn new(session: Arc<SessionContext>) -> Self {
        let info = HandlerInfo {
            hook: HookRef::new("lifecycle", "lifecycle", Scope::Adhoc, ".snaphook/lifecycle.yml"),
            event: EventName::Bus("task.completed".into()),
            line: None,
            file: None,
            matcher: None,
        };
        TaskEvents { info, session }
    }

    async fn completed(&self, event: &Event, context: &CallContext) {
        let subject = event.subject();
        let text = |names: [&str; 2]| {
            let field = names.into_iter().find_map(|name| subject.get(name));
            field
                .map(|field| field.as_str().map_or_else(|| field.to_string(), str::to_owned))
                .unwrap_or_default()
        };
        let values = Values {
            session: context.session.id.clone(),
            task_id: text(["task_id", "id"]),
            task_content: text(["task_content", "content"]),
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
