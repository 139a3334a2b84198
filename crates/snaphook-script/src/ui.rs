//! `ctx.ui`: the reply to a question as scripts get it. Not here: reading the arguments, which each engine does.

use std::sync::Arc;

use snaphook_core::{CallContext, HookRef, Services, UiReply, UiRequest};

use crate::kit::{Reply, Work};

/// Asks the person. A question for yes or no that got no answer is a no.
pub fn ask(services: &dyn Services, hook: &HookRef, call: &Arc<CallContext>, request: UiRequest) -> Work {
    let options = match &request {
        UiRequest::Select { options, .. } => options.clone(),
        _ => Vec::new(),
    };
    let confirms = matches!(request, UiRequest::Confirm { .. });
    let asked = services.ui(hook, call, request);
    Box::pin(async move {
        Ok(match asked.await? {
            UiReply::Confirmed(yes) => Reply::Flag(yes),
            UiReply::Text(text) => Reply::Text(text),
            UiReply::Selected(index) => options.into_iter().nth(index).map_or(Reply::Nothing, Reply::Text),
            UiReply::Nothing | UiReply::Deferred if confirms => Reply::Flag(false),
            UiReply::Nothing | UiReply::Deferred => Reply::Nothing,
        })
    })
}
