//! A session between a client and a server: what passes, what is gated, who waits for what. Nothing waits for anything else: each
//! gated request is a task of its own, and what is not gated keeps its order. Where hooks look at all that the server says, one
//! message is looked at after the other, and the server's next one waits.
//!
//! | file | what |
//! |---|---|
//! | `shared` | what all parts share: host, options, ways to either side |
//! | `state` | the requests that are open |
//! | `client`, `server` | what comes from either side, and where it goes |
//! | `call`, `forwarded_call`, `tool_result` | a tool's call, and its result |
//! | `read` | resources and prompts |
//! | `list` | lists of tools |
//! | `look` | all else that the server says |
//! | `input_required` | questions to a person who is asked through results |
//! | `request_error` | the reasons why a gated request cannot be read |

mod call;
mod client;
mod forwarded_call;
mod input_required;
mod list;
mod look;
mod read;
mod request_error;
mod server;
mod shared;
mod state;
mod tool_result;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use snaphook_mcp_transport::transport::Transport;
use tokio::sync::{Notify, Semaphore, watch};

use crate::names::server_name;
use input_required::OpenQuestions;
use shared::Shared;
use state::Requests;

pub use shared::{Options, Proxy};

/// The number of gates that are asked at a time; each has a thread.
const MAX_GATES: usize = 256;

/// Runs a session until the client is gone and nothing of what it asked is open any more, or it takes no answers. The server's
/// side knows by then that nothing more comes; what it still sends is passed on.
///
/// Has to be called on a tokio runtime with time enabled.
pub async fn run(proxy: Proxy, client: Transport, server: Transport) {
    let Proxy { host, elicitation, options } = proxy;
    elicitation.meet(client.outgoing.clone());
    let shared = Arc::new(Shared {
        server: server.outgoing.downgrade(),
        dropped: AtomicU64::new(0),
        requests: Requests::new(server_name(options.name.as_deref().unwrap_or(&options.called))),
        host,
        elicitation,
        options,
        client: client.outgoing,
        gates: Semaphore::new(MAX_GATES),
        questions: OpenQuestions::default(),
        settled: Notify::new(),
        naming: watch::Sender::new(false),
    });
    tokio::spawn(server::listen(Arc::clone(&shared), server.incoming));
    client::listen(&shared, client.incoming, server.outgoing).await;
    shared.elicitation.leave();
    shared.questions.end();
    while shared.requests.is_open() {
        tokio::select! {
            () = shared.settled.notified() => {}
            () = shared.client.closed() => return,
        }
    }
}
