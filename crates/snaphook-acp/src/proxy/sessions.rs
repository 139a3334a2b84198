//! The sessions of an agent, each with the host of its folder and what waits for its next prompt.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::{CancellationToken, ContextText, Deliver, Host};

use crate::editor_ui::EditorUi;
use crate::hosts::{HostError, Hosts};
use crate::known_calls::KnownCalls;
use crate::proxy::called_tool::CalledTool;

/// The most texts that wait for the next prompt.
const MAX_NOTES: usize = 100;

/// The longest text that waits for the next prompt, in bytes.
const MAX_NOTE_BYTES: usize = 16 << 10;

/// The number of yeses to writes that are kept until the write comes.
const MAX_APPROVALS: usize = 100;

/// The number of terminals of a session that are kept in mind.
const MAX_TERMINALS: usize = 1000;

/// A session that the agent has not confirmed yet.
pub(super) struct OpeningSession {
    folder: PathBuf,
    host: Host,
    ui: Arc<EditorUi>,
    /// The id, where the editor said it.
    id: Option<String>,
}

impl OpeningSession {
    /// Loads the hooks of its folder. Blocks meanwhile.
    pub(super) fn load(
        hosts: &dyn Hosts,
        folder: PathBuf,
        ui: Arc<EditorUi>,
        id: Option<String>,
    ) -> Result<Self, HostError> {
        let host = hosts.host(&folder, ui.clone())?;
        Ok(OpeningSession { folder, host, ui, id })
    }

    /// The id that the editor gave it.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

impl std::fmt::Debug for OpeningSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpeningSession").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A yes of the person to the questions of hooks about writing this.
#[derive(Debug)]
struct Approval {
    path: String,
    content: String,
    questions: Vec<String>,
}

/// One session.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) host: Host,
    pub(super) ui: Arc<EditorUi>,
    pub(super) calls: Mutex<KnownCalls>,
    folder: PathBuf,
    notes: Mutex<Vec<String>>,
    approvals: Mutex<VecDeque<Approval>>,
    terminals: Mutex<VecDeque<(String, Arc<CalledTool>)>>,
    /// Cancels what the present turn does.
    turn: Mutex<CancellationToken>,
    over: CancellationToken,
}

impl Session {
    fn new(opening: OpeningSession, id: String, over: &CancellationToken) -> Self {
        let OpeningSession { folder, host, ui, .. } = opening;
        ui.name(&id);
        host.set_session(snaphook::Session { id: id.clone(), ..(*host.session()).clone() });
        Session {
            id,
            host,
            ui,
            folder,
            calls: Mutex::default(),
            notes: Mutex::default(),
            approvals: Mutex::default(),
            terminals: Mutex::default(),
            turn: Mutex::new(over.child_token()),
            over: over.clone(),
        }
    }

    /// A token that is cancelled with the present turn.
    pub(super) fn token(&self) -> CancellationToken {
        self.turn.lock().child_token()
    }

    /// Cancels the present turn.
    pub(super) fn cancel(&self) {
        let next = self.over.child_token();
        std::mem::replace(&mut *self.turn.lock(), next).cancel();
    }

    /// Keeps a text for the next prompt.
    pub(super) fn note(&self, mut text: String) {
        let mut notes = self.notes.lock();
        if notes.len() >= MAX_NOTES {
            tracing::warn!(target: "snaphook::acp", "a text for the agent was dropped: {MAX_NOTES} wait already");
            return;
        }
        if text.len() > MAX_NOTE_BYTES {
            text.truncate(text.floor_char_boundary(MAX_NOTE_BYTES));
            text.push('…');
        }
        notes.push(text);
    }

    /// Keeps what hooks want to say to the model.
    pub(super) fn note_context(&self, context: &[ContextText]) {
        context.iter().for_each(|context| self.note(context.text.clone()));
    }

    /// Takes all texts that wait for the next prompt, also those of hooks' outbox where nobody else takes them.
    pub(super) fn take_notes(&self, with_outbox: bool) -> Vec<String> {
        let mut notes = std::mem::take(&mut *self.notes.lock());
        if !with_outbox {
            return notes;
        }
        for deliver in [Deliver::Now, Deliver::NextTurn] {
            notes.extend(self.host.outbox().take(deliver).into_iter().map(|text| text.text));
        }
        notes
    }

    /// Notes that the person said yes to these questions about writing this.
    pub(super) fn approve(&self, path: String, content: String, questions: Vec<String>) {
        let mut approvals = self.approvals.lock();
        approvals.push_back(Approval { path, content, questions });
        if approvals.len() > MAX_APPROVALS {
            approvals.pop_front();
        }
    }

    /// The questions about writing this to which the person said yes. They count once.
    pub(super) fn take_approval(&self, path: &str, content: &str) -> Vec<String> {
        let mut approvals = self.approvals.lock();
        let found = approvals.iter().position(|yes| yes.path == path && yes.content == content);
        found.and_then(|at| approvals.remove(at)).map(|yes| yes.questions).unwrap_or_default()
    }

    /// Notes which command runs in a terminal.
    pub(super) fn note_terminal(&self, terminal: String, called: Arc<CalledTool>) {
        let mut terminals = self.terminals.lock();
        terminals.push_back((terminal, called));
        if terminals.len() > MAX_TERMINALS {
            terminals.pop_front();
        }
    }

    /// The command that runs in a terminal.
    pub(super) fn terminal(&self, terminal: &str) -> Option<Arc<CalledTool>> {
        let terminals = self.terminals.lock();
        terminals.iter().rev().find(|(id, _)| id == terminal).map(|(_, called)| Arc::clone(called))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The reason why it is not known which hooks a request of a session belongs to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the session \"{0}\" was not begun through snaphook, so it is not known which hooks guard it; begin it with `session/new` or `session/load`"
)]
pub(super) struct UnknownSession(String);

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<String, Arc<Session>>,
    latest: Option<Arc<Session>>,
}

/// All sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Known>);

impl Sessions {
    /// Notes that the agent has the session, under this id.
    pub(super) fn opened(&self, opening: OpeningSession, id: String, over: &CancellationToken) {
        let session = Arc::new(Session::new(opening, id.clone(), over));
        let mut known = self.0.lock();
        known.latest = Some(Arc::clone(&session));
        known.sessions.insert(id, session);
    }

    /// The folder of a session that is known.
    pub(super) fn folder(&self, id: &str) -> Option<PathBuf> {
        self.0.lock().sessions.get(id).map(|session| session.folder.clone())
    }

    /// Forgets a session, and ends what is open of it.
    pub(super) fn closed(&self, id: &str) {
        let closed = {
            let mut known = self.0.lock();
            let closed = known.sessions.remove(id);
            if known.latest.as_ref().is_some_and(|latest| latest.id == id) {
                known.latest = known.sessions.values().next().map(Arc::clone);
            }
            closed
        };
        if let Some(session) = closed {
            session.cancel();
        }
    }

    /// The session of this id. One that an agent began by itself, as for a subagent, has the hooks of the folder that all
    /// sessions are in; where they are in several, nothing says which is meant.
    pub(super) fn find(&self, id: &str) -> Result<Arc<Session>, UnknownSession> {
        let known = self.0.lock();
        if let Some(session) = known.sessions.get(id) {
            return Ok(Arc::clone(session));
        }
        let unknown = || UnknownSession(id.to_owned());
        let latest = known.latest.as_ref().ok_or_else(unknown)?;
        let elsewhere = |session: &Arc<Session>| is_other(&session.folder, &latest.folder);
        if known.sessions.values().any(elsewhere) { Err(unknown()) } else { Ok(Arc::clone(latest)) }
    }
}

fn is_other(one: &Path, other: &Path) -> bool {
    one != other
}
