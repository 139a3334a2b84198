//! A session between a client and a server: what passes, what is gated, who waits for what. Nothing waits for anything else: each
//! gated request is a task of its own, and what is not gated keeps its order. Where hooks look at all that the server says, one
//! message is looked at after the other, and the server's next one waits.
//!
//! | file | what |
//! |---|---|
//! | `state` | the requests that are open |
//! | `client`, `server` | what comes from either side, and where it goes |
//! | `call`, `said` | a tool's call, and its result |
//! | `read` | resources and prompts |
//! | `list` | lists of tools |
//! | `look` | all else that the server says |
//! | `rounds` | questions to a person who is asked through results |

mod call;
mod client;
mod list;
mod look;
mod read;
mod rounds;
mod said;
mod server;
mod state;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use snaphook::Host;
use tokio::sync::{Notify, Semaphore, mpsc, watch};

use crate::link::Link;
use crate::message::{Id, Message};
use crate::names::server_name;
use crate::person::Person;
use crate::pins::Pins;
use rounds::Rounds;
use state::State;

/// The code for a request that hooks deny, and that has no result to say it in.
pub const DENIED: i64 = -32050;
/// The code for a request that is one more than are kept in mind.
pub const TOO_MANY: i64 = -32051;
/// The code for a request whose server is gone; the protocol's libraries have the same number for a closed connection.
pub const GONE: i64 = -32000;
/// The code for a text that cannot be read at all.
pub(crate) const NO_JSON: i64 = -32700;
/// The code for a document that is no request.
pub(crate) const NO_REQUEST: i64 = -32600;
/// The code for the wrong parameters.
pub(crate) const WRONG_PARAMS: i64 = -32602;

/// The number of gates that are asked at a time; each has a thread.
const GATES: usize = 256;

/// The one who decides, and how.
pub struct Proxy {
    /// Decides.
    pub host: Host,
    /// Whom the host asks, where it asks the client's person: the same that it was built with.
    pub person: Arc<Person>,
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

/// Runs a session until the client is gone and nothing of what it asked is open any more, or it takes no answers. The server's
/// side is told by then that nothing more comes; what it still says is passed on as long as it says something.
///
/// Has to be called on a tokio runtime with time enabled.
pub async fn run(proxy: Proxy, client: Link, server: Link) {
    let Proxy { host, person, options } = proxy;
    person.meet(client.outgoing.clone());
    let shared = Arc::new(Shared {
        server: server.outgoing.downgrade(),
        dropped: AtomicU64::new(0),
        state: State::new(server_name(options.name.as_deref().unwrap_or(&options.called))),
        host,
        person,
        options,
        client: client.outgoing,
        gates: Semaphore::new(GATES),
        rounds: Rounds::default(),
        settled: Notify::new(),
        naming: watch::Sender::new(false),
    });
    tokio::spawn(server::listen(Arc::clone(&shared), server.incoming));
    client::listen(&shared, client.incoming, server.outgoing).await;
    shared.person.leave();
    shared.rounds.end();
    while shared.state.is_open() {
        tokio::select! {
            () = shared.settled.notified() => {}
            () = shared.client.closed() => return,
        }
    }
}

/// The state that all parts of a session have.
struct Shared {
    host: Host,
    person: Arc<Person>,
    options: Options,
    client: mpsc::Sender<Message>,
    /// Lives as long as the client says something.
    server: mpsc::WeakSender<Message>,
    /// The number of notices of the server that were withheld.
    dropped: AtomicU64,
    state: State,
    gates: Semaphore,
    rounds: Rounds,
    /// Told whenever a request is answered.
    settled: Notify,
    /// True if the server is about to say what it is called.
    naming: watch::Sender<bool>,
}

impl Shared {
    /// Tells the client something. One that is gone needs nothing.
    async fn tell(&self, message: Message) {
        let _ = self.client.send(message).await;
        self.settled.notify_one();
    }

    /// Answers a request that is not open, with an error.
    async fn refuse(&self, id: &Id, code: i64, text: &str) {
        tracing::debug!(target: "snaphook::mcp", %id, "{text}");
        self.tell(Message::error(Some(id), code, text)).await;
    }

    /// Returns what hooks know the server by. A request that came before the server said what it is called waits
    /// until it did: a hook for that name must not miss it.
    async fn server(&self) -> Arc<str> {
        // Its sender is ours, so it never ends early.
        let _ = self.naming.subscribe().wait_for(|naming| !naming).await;
        self.state.server()
    }

    /// The error text for a request to a server that is gone. The server's own name is not in it: a hook may take that out.
    fn gone_text(&self) -> String {
        let name = server_name(self.options.name.as_deref().unwrap_or(&self.options.called));
        format!("the server \"{name}\" is gone")
    }
}
