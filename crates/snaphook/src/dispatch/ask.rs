//! The handling of "ask" when all gates have answered: a person says yes or no, or no person can be asked, which is a no (law 6).

use std::fmt::Write as _;
use std::sync::Arc;

use snaphook_core::{
    Approval, Approved, Cause, Decision, HandlerError, Reason, UiContext, Verdict, printable, printable_lines,
};

use crate::dispatch::poll_handler::{Running, guard};

/// The longest input that a dialog shows, in bytes.
const MAX_SHOWN: usize = 4096;

/// One question, with every hook that asks it.
struct Question {
    text: String,
    reasons: Vec<Reason>,
}

/// Puts each distinct question to the person; the first no ends it. Only for decisions whose verdict is "ask".
pub(crate) async fn resolve(decision: &mut Decision, ui: &dyn UiContext) {
    let mut questions: Vec<Question> = Vec::new();
    for reason in decision.deciding() {
        match questions.iter_mut().find(|question| question.text == reason.text) {
            Some(question) => question.reasons.push(reason.clone()),
            None => questions.push(Question { text: reason.text.clone(), reasons: vec![reason.clone()] }),
        }
    }
    if !ui.has_ui() {
        for reason in questions.into_iter().flat_map(|question| question.reasons) {
            let remedy = remedy(&reason);
            deny(decision, Some(&reason), remedy, Some(Cause::Headless));
        }
        return;
    }
    let mut approvals = Vec::new();
    for question in questions {
        match ask_guarded(ui, &approval(&question, decision)).await {
            Ok(Approved::Yes) => {
                let how = "approved by the person:";
                approvals.extend(question.reasons.iter().map(|reason| approved(reason, how)));
            }
            Ok(Approved::AsBefore) => {
                let how = "approved by the person earlier, for this exact call in this session:";
                approvals.extend(question.reasons.iter().map(|reason| approved(reason, how)));
            }
            // The embedder gets the answer; what was approved so far does not count until then.
            Ok(Approved::Deferred) => return,
            Ok(Approved::Nothing) => {
                return answer_no(decision, &question, "the person gave no answer to", None);
            }
            Ok(Approved::No { why: None }) => {
                return answer_no(decision, &question, "declined by the person:", None);
            }
            Ok(Approved::No { why: Some(why) }) => {
                let how = format!("declined by the person, who says \"{}\":", printable(&why));
                return answer_no(decision, &question, &how, None);
            }
            Err(error) => return answer_no(decision, &question, &error.to_string(), Some(Cause::Panic)),
        }
    }
    decision.verdict = Verdict::Allow;
    decision.reasons.extend(approvals);
}

/// Turns the decision into a denial in the name of the hook that asked.
pub(crate) fn deny(decision: &mut Decision, asked: Option<&Reason>, text: String, cause: Option<Cause>) {
    decision.verdict = Verdict::Deny;
    decision.reasons.push(Reason {
        hook: asked.and_then(|reason| reason.hook.clone()),
        location: asked.and_then(|reason| reason.location.clone()),
        verdict: Verdict::Deny,
        text,
        cause,
    });
}

fn answer_no(decision: &mut Decision, question: &Question, how: &str, cause: Option<Cause>) {
    let text = format!("{how} {}", question.text);
    deny(decision, question.reasons.first(), text, cause);
}

fn approved(reason: &Reason, how: &str) -> Reason {
    let text = format!("{how} {}", reason.text);
    Reason { verdict: Verdict::Allow, text, cause: None, ..reason.clone() }
}

fn remedy(reason: &Reason) -> String {
    let hook = match &reason.hook {
        Some(hook) => format!("adjust the hook \"{}\"", hook.name),
        None => "adjust the hooks".to_owned(),
    };
    format!(
        "needs approval, and nobody can be asked (headless): {} Run it with a terminal, or {hook}.",
        sentence(&reason.text)
    )
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '?', '!', ')']) { text.to_owned() } else { format!("{text}.") }
}

/// A dialog panicked; what is said of it, in words that go before its question.
#[derive(Debug, thiserror::Error)]
#[error("the dialog {0}, asked:")]
struct BrokenDialog(String);

/// Asks; a panic of the UI is a no.
async fn ask_guarded(ui: &dyn UiContext, approval: &Approval) -> Result<Approved, BrokenDialog> {
    let broken = |error: HandlerError| BrokenDialog(error.message);
    let mut dialog = Running(Some(guard(|| ui.approve(approval)).map_err(broken)?));
    std::future::poll_fn(|cx| match guard(|| dialog.poll(cx)) {
        Ok(polled) => polled.map(Ok),
        Err(error) => std::task::Poll::Ready(Err(broken(error))),
    })
    .await
}

fn approval(question: &Question, decision: &Decision) -> Approval {
    let hooks: Vec<_> = question.reasons.iter().filter_map(|reason| reason.hook.clone()).collect();
    let mut message = String::new();
    let _ = match hooks.as_slice() {
        [] => write!(message, "Asked before this {} goes on:", decision.event.name()),
        [hook] => write!(message, "Asked by the hook \"{}\" ({}):", hook.name, hook.scope),
        hooks => {
            let names: Vec<_> = hooks.iter().map(|hook| format!("\"{}\"", hook.name)).collect();
            write!(message, "Asked by the hooks {}:", names.join(", "))
        }
    };
    message.push('\n');
    // Before what could be written to look like it.
    if let Some(hold) = &decision.hold {
        let _ = writeln!(message, "Held by the kernel: {}", printable(&hold.arguments().join(" ")));
    }
    message.push_str(&subject(decision));
    let mut approval = Approval::new(printable(&question.text), message);
    approval.location = question.reasons.first().and_then(|reason| reason.location.clone());
    approval.call =
        decision.event.call().map(|call| (Arc::clone(&call.native_tool), Arc::clone(&call.input)));
    approval.hooks = hooks;
    approval
}

/// Returns what would happen: the final input, so that the yes is a yes to what runs.
fn subject(decision: &Decision) -> String {
    // A command that is held is the one that was judged, in a command line of ours.
    let judged = decision.hold.as_ref().and_then(|_| decision.judged().call());
    let text = match judged.or(decision.event.call()) {
        Some(call) => match call.command() {
            Some(command) => format!("{}: {command}", call.native_tool),
            None => format!("{}: {}", call.native_tool, call.input),
        },
        None => decision.event.subject().to_string(),
    };
    // Its lines must not look like lines of the host's.
    let mut shown = printable_lines(&text).replace('\n', "\n  ");
    if shown.len() > MAX_SHOWN {
        let hidden = shown.len() - shown.floor_char_boundary(MAX_SHOWN);
        shown.truncate(shown.floor_char_boundary(MAX_SHOWN));
        let _ = write!(shown, "… ({hidden} more bytes that are not shown)");
    }
    shown
}
