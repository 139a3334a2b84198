//! The proxy: what passes between editor and agent, what is gated, who waits for what. Nothing waits for anything else: each gated
//! request is a task of its own, and what is not gated keeps its order.
//!
//! | file | what |
//! |---|---|
//! | `shared` | what all parts share: hosts, ways to either side, the codes of errors |
//! | `open` | the requests that are open |
//! | `sessions` | the sessions, each with its host |
//! | `editor`, `agent` | what comes from either side, and where it goes |
//! | `ask` | permission requests of the agent |
//! | `tools`, `called_tool` | files and terminals that the agent asks the editor for, and their results |
//! | `prompt` | prompts of the person |

mod agent;
mod ask;
mod called_tool;
mod editor;
mod open;
mod prompt;
mod sessions;
mod shared;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use snaphook::{Decision, ToolCall};
use snaphook_mcp_transport::transport::Transport;

use crate::hosts::Hosts;
use shared::Shared;

pub use shared::{CANCELLED, DENIED, PEER_GONE, TOO_MANY_REQUESTS};

/// The hooks that decide, and how.
pub struct Proxy {
    /// Makes the host of each session.
    pub hosts: Arc<dyn Hosts>,
    /// The folder of a session that names none.
    pub folder: PathBuf,
    /// True if the editor has no person who can be asked.
    pub is_headless: bool,
    /// False if prompts have had their gate, and what hooks want to say is in them: where the editor is snaphook's own.
    pub gates_prompts: bool,
    /// Is told of each decision about a tool call.
    pub watch: Option<Watch>,
}

/// Takes decisions as they are made.
pub type Watch = Arc<dyn Fn(&ToolCall, &Decision) + Send + Sync>;

impl Proxy {
    /// A proxy with the defaults: for an editor of a person's.
    pub fn new(hosts: Arc<dyn Hosts>, folder: impl Into<PathBuf>) -> Self {
        Proxy { hosts, folder: folder.into(), is_headless: false, gates_prompts: true, watch: None }
    }
}

/// The side that ended first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The editor says nothing more.
    Editor,
    /// The agent is gone.
    Agent,
}

/// Runs until one side is gone. When it is the editor, the agent's input is closed, and what the agent still says is passed on;
/// when it is the agent, the editor has an error for each of its open requests.
///
/// Has to be called on a tokio runtime with time enabled.
pub async fn run(proxy: Proxy, editor: Transport, agent: Transport) -> Ended {
    let shared = Shared::new(proxy, editor.outgoing, agent.outgoing.downgrade());
    let mut from_agent = tokio::spawn(agent::listen(Arc::clone(&shared), agent.incoming));
    let ended = tokio::select! {
        () = editor::listen(&shared, editor.incoming, agent.outgoing) => Ended::Editor,
        _ = &mut from_agent => Ended::Agent,
    };
    shared.link.leave();
    shared.over.cancel();
    ended
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("folder", &self.folder).finish_non_exhaustive()
    }
}
