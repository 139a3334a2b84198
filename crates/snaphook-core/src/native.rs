//! Handlers made of a function, for programs that embed the host and need no more than that. Not here: what a handler is (`ports`).

use std::future::Future;
use std::sync::Arc;

use crate::answer::Answer;
use crate::call::CallContext;
use crate::event::EventName;
use crate::hook::HookRef;
use crate::payload::Event;
use crate::ports::{Handler, HandlerError, HandlerFuture, HandlerInfo};

impl HandlerInfo {
    /// Describes a handler without a line or a matcher, as one in Rust mostly is.
    pub fn new(hook: HookRef, event: impl Into<EventName>) -> Self {
        Self { hook, event: event.into(), line: None, file: None, matcher: None }
    }
}

struct FnHandler<R> {
    info: HandlerInfo,
    run: R,
}

/// Makes a handler of a function, which is called for each event of the name in `info`. Dropping the future that it returns cancels
/// the handler.
pub fn handler_fn<R, F>(info: HandlerInfo, run: R) -> Arc<dyn Handler>
where
    R: Fn(Event, Arc<CallContext>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Answer, HandlerError>> + Send + 'static,
{
    Arc::new(FnHandler { info, run })
}

impl<R, F> Handler for FnHandler<R>
where
    R: Fn(Event, Arc<CallContext>) -> F + Send + Sync,
    F: Future<Output = Result<Answer, HandlerError>> + Send + 'static,
{
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, _: &Event, _: &CallContext) -> bool {
        true
    }

    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        Box::pin((self.run)(event.clone(), Arc::clone(context)))
    }
}
