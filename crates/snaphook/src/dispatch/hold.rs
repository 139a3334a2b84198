//! Directives of a hold at the end of a gate: the command line that was judged becomes one that runs it held. Not here:
//! what hooks ask for and how it combines (`snaphook_core::Hold`), and what holds (`snaphook-hold`).

use std::sync::Arc;

use snaphook_core::{
    Cause, Decision, EventName, Field, Holder, Lifecycle, NotHeld, Reason, Rewrite, StandingHold, Verdict,
};

use crate::dispatch::ask;

/// The means to hold commands, and the directive that needs no hook.
#[derive(Debug, Clone, Default)]
pub(crate) struct Holding {
    pub(crate) holder: Option<Arc<dyn Holder>>,
    pub(crate) standing: StandingHold,
}

impl Holding {
    /// Returns whether calls may have to be held that no hook looks at.
    pub(crate) fn stands(&self) -> bool {
        self.standing.for_call(false).is_some()
    }

    /// Makes the command line of a decision that is not a denial one that runs held, if it has to be.
    pub(crate) fn apply(&self, decision: &mut Decision) {
        let gated = matches!(
            decision.event.name(),
            EventName::Lifecycle(Lifecycle::ToolCall | Lifecycle::PermissionRequest)
        );
        if !gated || decision.verdict == Verdict::Deny {
            return;
        }
        let Some(call) = decision.event.call().filter(|call| call.runs_command_line()) else {
            if decision.hold.is_some() {
                // A later hook took the command line away that an earlier one wants held.
                deny(decision, "the command to hold is no command line any more".to_owned());
            }
            return;
        };
        if let Some(standing) = self.standing.for_call(decision.verdict == Verdict::Ask) {
            let hold = match decision.hold.take() {
                Some(hold) => hold.strictest(standing.clone()),
                None => standing.clone(),
            };
            decision.hold = Some(Box::new(hold));
        }
        let Some(hold) = &decision.hold else { return };
        let held = match &self.holder {
            Some(holder) => holder.held(hold, call),
            None => Err(NotHeld::Deny(
                "a hook wants this command held, and this host holds no commands; the program that embeds it has to set \
                 a holder"
                    .to_owned(),
            )),
        };
        match held.map(|line| decision.event.apply(&Rewrite::Fields(vec![(Field::Command, line)]))) {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(event))) => decision.unheld = Some(std::mem::replace(&mut decision.event, event)),
            Ok(Err(error)) => deny(decision, format!("the command cannot be held: {error}")),
            Err(NotHeld::Deny(text)) => deny(decision, text),
            Err(NotHeld::Ask(text)) => {
                decision.hold = None;
                let cause = Some(Cause::Hold);
                decision.verdict = Verdict::Ask;
                decision.reasons.push(Reason {
                    hook: None,
                    location: None,
                    verdict: Verdict::Ask,
                    text,
                    cause,
                });
            }
        }
    }
}

fn deny(decision: &mut Decision, text: String) {
    decision.hold = None;
    ask::deny(decision, None, text, Some(Cause::Hold));
}
