//! The options of a session, the state that all its parts share, and the codes of its errors. Not here: the requests that are open (`state`).

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use snaphook::Host;
use snaphook_mcp_transport::message::{Id, Message};
use tokio::sync::{Notify, Semaphore, mpsc, watch};

use crate::elicitation::ElicitationUi;
use crate::names::server_name;
use crate::pins::Pins;
use crate::session::input_required::OpenQuestions;
use crate::session::state::Requests;

/// The code for a request that hooks deny, and that has no result to say it in.
pub const DENIED: i64 = -32050;
/// The code for a request that is one more than are kept in mind.
pub const TOO_MANY_REQUESTS: i64 = -32051;
/// The code for a request whose server is gone; the protocol's libraries have the same number for a closed connection.
pub const SERVER_GONE: i64 = -32000;
/// The code for a text that cannot be read at all.
pub(super) const PARSE_ERROR: i64 = -32700;
/// The code for a document that is no request.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// The code for the wrong parameters.
pub(super) const INVALID_PARAMS: i64 = -32602;

/// The one who decides, and how.
pub struct Proxy {
    /// Decides.
    pub host: Host,
    /// Whom the host asks, where it asks the client's person: the same that it was built with.
    pub elicitation: Arc<ElicitationUi>,
    /// The options.
    pub options: Options,
}

/// The options of a session.
#[derive(Clone, Default)]
pub struct Options {
    /// The name by which hooks know the server. Default: what it calls itself.
    pub name: Option<String>,
    /// The name for it until it said its own: its program, its address.
    pub called: String,
    /// True if a call that is denied gets an error of the protocol, and not a result that says so.
    pub denied_as_error: bool,
    /// The definitions that the server gave of its tools earlier. What becomes of a call to one that changed is for a
    /// gate of the host's ([`PinGate`](crate::pins::PinGate)).
    pub pins: Option<Arc<Pins>>,
    /// True if messages of the server that no hook looks at are kept from the client.
    pub withhold_unseen: bool,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("options", &self.options).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("called", &self.called)
            .finish_non_exhaustive()
    }
}

/// The state that all parts of a session have.
pub(super) struct Shared {
    pub(super) host: Host,
    pub(super) elicitation: Arc<ElicitationUi>,
    pub(super) options: Options,
    pub(super) client: mpsc::Sender<Message>,
    /// Lives as long as the client says something.
    pub(super) server: mpsc::WeakSender<Message>,
    /// The number of notices of the server that were withheld.
    pub(super) dropped: AtomicU64,
    pub(super) requests: Requests,
    pub(super) gates: Semaphore,
    pub(super) questions: OpenQuestions,
    /// Told whenever a request is answered.
    pub(super) settled: Notify,
    /// True if the server is about to say what it is called.
    pub(super) naming: watch::Sender<bool>,
}

impl Shared {
    /// Tells the client something. One that is gone needs nothing.
    pub(super) async fn tell(&self, message: Message) {
        let _ = self.client.send(message).await;
        self.settled.notify_one();
    }

    /// Answers a request that is not open, with an error.
    pub(super) async fn refuse(&self, id: &Id, code: i64, text: &str) {
        tracing::debug!(target: "snaphook::mcp", %id, "{text}");
        self.tell(Message::error(Some(id), code, text)).await;
    }

    /// Returns what hooks know the server by. A request that came before the server said what it is called waits
    /// until it did: a hook for that name must not miss it.
    pub(super) async fn server(&self) -> Arc<str> {
        // Its sender is ours, so it never ends early.
        let _ = self.naming.subscribe().wait_for(|naming| !naming).await;
        self.requests.server()
    }

    /// The error text for a request to a server that is gone. The server's own name is not in it: a hook may take that out.
    pub(super) fn gone_text(&self) -> String {
        let name = server_name(self.options.name.as_deref().unwrap_or(&self.options.called));
        format!("the server \"{name}\" is gone")
    }
}
