//! The person at the editor: questions of hooks become permission requests of snaphook's own. An error, an option that
//! was not offered and a cancellation are a no. Not here: permission requests of the agent (`proxy`).

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook::{BoxFuture, HeadlessUi, HookRef, Notice, UiContext, UiReply, UiRequest, headless_reply};
use snaphook_mcp_transport::message::{Id, Message, MessageKind};
use tokio::sync::{mpsc, oneshot};

/// The beginning of each of snaphook's questions.
pub const HEADING: &str = "Snaphook asks for a hook:";

/// The option of a question that is a no.
const NO: &str = "no";

/// The editor as all sessions share it: where questions go, and who waits for their answers.
pub(crate) struct EditorLink {
    /// The beginning of snaphook's ids; no others begin so.
    prefix: String,
    is_headless: bool,
    state: Mutex<LinkState>,
}

#[derive(Default)]
struct LinkState {
    editor: Option<mpsc::Sender<Message>>,
    asked: HashMap<Id, oneshot::Sender<Option<String>>>,
    count: u64,
}

impl EditorLink {
    /// Returns a link to this editor. A headless one is never asked.
    pub(crate) fn new(editor: mpsc::Sender<Message>, is_headless: bool) -> Arc<Self> {
        // Two hashes with keys that the process drew: nothing that an agent could guess.
        let random = || RandomState::new().hash_one(0_u8);
        let prefix = format!("snaphook-{:016x}{:016x}-", random(), random());
        let state = Mutex::new(LinkState { editor: Some(editor), ..LinkState::default() });
        Arc::new(EditorLink { prefix, is_headless, state })
    }

    /// Returns whether the id is one of snaphook's.
    pub(crate) fn owns(&self, id: &Id) -> bool {
        id.plain().starts_with(&self.prefix)
    }

    /// Takes the editor's answer to one of snaphook's questions. Nobody may wait for it any more.
    pub(crate) fn answered(&self, id: &Id, message: &Message) {
        let Some(waiting) = self.state.lock().asked.remove(id) else { return };
        let _ = waiting.send(chosen(message));
    }

    /// The editor is gone: those who wait get no answer.
    pub(crate) fn leave(&self) {
        let mut state = self.state.lock();
        state.editor = None;
        state.asked.clear();
    }

    /// Asks, and returns the option that the person chose. Dropped, it is not waited for any more.
    async fn ask(&self, session: &str, title: &str, message: &str, options: &[Value]) -> Option<String> {
        let (mut question, request, editor) = {
            let mut state = self.state.lock();
            let editor = state.editor.clone()?;
            state.count += 1;
            let word = format!("{}{}", self.prefix, state.count);
            let id = Id::text(&word);
            let (answer, answered) = oneshot::channel();
            state.asked.insert(id.clone(), answer);
            let params = json!({
                "sessionId": session,
                "toolCall": {
                    "toolCallId": word,
                    "title": title,
                    "kind": "other",
                    "status": "pending",
                    "content": [{"type": "content", "content": {"type": "text", "text": message}}],
                },
                "options": options,
            });
            let request = Message::request(&id, "session/request_permission", &params);
            let session = session.to_owned();
            (Question { link: self, id, word, session, answered, is_yes: false }, request, editor)
        };
        editor.send(request).await.ok()?;
        let chosen = (&mut question.answered).await.ok().flatten();
        question.is_yes = chosen.as_deref().is_some_and(|option| option != NO);
        chosen
    }
}

/// Returns the option that a response says was chosen.
fn chosen(message: &Message) -> Option<String> {
    let MessageKind::Response { is_error: false, .. } = message.kind() else {
        tracing::warn!(target: "snaphook::acp", "the editor could not ask its person");
        return None;
    };
    let answer: Value = serde_json::from_str(message.body()?).ok()?;
    let outcome = answer.get("outcome").filter(|outcome| outcome["outcome"] == "selected")?;
    outcome.get("optionId")?.as_str().map(str::to_owned)
}

/// A question that waits. Its end is told to the editor, which shows it as a tool call.
struct Question<'a> {
    link: &'a EditorLink,
    id: Id,
    word: String,
    session: String,
    answered: oneshot::Receiver<Option<String>>,
    is_yes: bool,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let mut state = self.link.state.lock();
        state.asked.remove(&self.id);
        let Some(editor) = &state.editor else { return };
        let status = if self.is_yes { "completed" } else { "failed" };
        let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": self.word, "status": status});
        let params = json!({"sessionId": self.session, "update": update});
        // An editor that takes nothing is not told either.
        let _ = editor.try_send(Message::notification("session/update", &params));
    }
}

/// The person as the host of one session asks.
pub(crate) struct EditorUi {
    link: Arc<EditorLink>,
    /// The session's id, once the agent has said it.
    session: Mutex<Option<String>>,
}

impl EditorUi {
    /// Returns the person of a session that has no id yet.
    pub(crate) fn new(link: Arc<EditorLink>) -> Arc<Self> {
        Arc::new(EditorUi { link, session: Mutex::new(None) })
    }

    /// Names the session.
    pub(crate) fn name(&self, session: &str) {
        *self.session.lock() = Some(session.to_owned());
    }

    async fn put(&self, hook: Option<&HookRef>, request: &UiRequest) -> Option<UiReply> {
        let session = self.session.lock().clone().filter(|_| self.has_ui())?;
        let option = |id: &str, name: &str, kind: &str| json!({"optionId": id, "name": name, "kind": kind});
        let no = |name: &str| option(NO, name, "reject_once");
        let (title, message, options) = match request {
            UiRequest::Confirm { title, message } => {
                let yes = option("yes", "Yes", "allow_once");
                (title, message.clone().unwrap_or_default(), vec![yes, no("No")])
            }
            UiRequest::Select { title, options } => {
                let choices = options.iter().enumerate();
                let choice = |(at, name): (usize, &String)| option(&at.to_string(), name, "allow_once");
                let rest = no("None of these");
                (title, String::new(), choices.map(choice).chain([rest]).collect())
            }
            // The protocol's permission request has no place for a text.
            UiRequest::Input { .. } | UiRequest::Editor { .. } => return None,
        };
        let message = with_hook(message, hook);
        let chosen = self.link.ask(&session, &format!("{HEADING} {title}"), &message, &options).await?;
        match request {
            UiRequest::Confirm { .. } => Some(UiReply::Confirmed(chosen == "yes")),
            UiRequest::Select { options, .. } => {
                chosen.parse().ok().filter(|at| *at < options.len()).map(UiReply::Selected)
            }
            UiRequest::Input { .. } | UiRequest::Editor { .. } => None,
        }
    }
}

/// The explanation of a question, with the name of the hook that asks it.
fn with_hook(mut message: String, hook: Option<&HookRef>) -> String {
    if let Some(hook) = hook {
        let name = format!("the hook \"{}\"", hook.name);
        // A question of a gate says so itself.
        if !message.contains(&name) {
            let line = if message.is_empty() { "" } else { "\n" };
            message += &format!("{line}(asked by {name})");
        }
    }
    message
}

impl UiContext for EditorUi {
    fn has_ui(&self) -> bool {
        !self.link.is_headless && self.link.state.lock().editor.is_some()
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move { self.put(hook, &request).await.unwrap_or_else(|| headless_reply(&request)) })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        // The protocol has no place for them.
        HeadlessUi.notify(hook, notice);
    }
}

/// The person who said yes to a question a moment ago, about the same thing: it is not put again.
pub(crate) struct AnsweredUi {
    /// Who is asked all else.
    pub(crate) ui: Arc<EditorUi>,
    /// The questions.
    pub(crate) approved: Vec<String>,
}

impl UiContext for AnsweredUi {
    fn has_ui(&self) -> bool {
        self.ui.has_ui()
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        match &request {
            UiRequest::Confirm { title, .. } if self.approved.contains(title) => {
                Box::pin(std::future::ready(UiReply::Confirmed(true)))
            }
            _ => self.ui.ask(hook, request),
        }
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        self.ui.notify(hook, notice);
    }
}

impl fmt::Debug for EditorUi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorUi").finish_non_exhaustive()
    }
}
