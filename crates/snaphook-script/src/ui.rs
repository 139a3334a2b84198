//! `ctx.ui`: the reply to a question as scripts get it. Not here: reading the arguments, which each engine does.

use std::sync::Arc;

use snaphook_core::{CallContext, HookRef, PendingReply, ServiceReply, Services, UiReply, UiRequest};

/// Asks the person. A question for yes or no that got no answer is a no.
pub fn ask(
    services: &dyn Services,
    hook: &HookRef,
    call: &Arc<CallContext>,
    request: UiRequest,
) -> PendingReply {
    let options = match &request {
        UiRequest::Select { options, .. } => options.clone(),
        _ => Vec::new(),
    };
    let confirms = matches!(request, UiRequest::Confirm { .. });
    let asked = services.ui(hook, call, request);
    Box::pin(async move {
        Ok(match asked.await? {
            UiReply::Confirmed(yes) => ServiceReply::Flag(yes),
            UiReply::Text(text) => ServiceReply::Text(Some(text)),
            UiReply::Selected(index) => ServiceReply::Text(options.into_iter().nth(index)),
            UiReply::Nothing | UiReply::Deferred if confirms => ServiceReply::Flag(false),
            UiReply::Nothing | UiReply::Deferred => ServiceReply::Done,
        })
    })
}
