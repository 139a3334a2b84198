//! A side of the proxy: messages in, messages out. Not here: what carries them (`stdio`, `http`), and what is done with them.

use tokio::sync::mpsc;

use crate::message::{Message, Unreadable};

/// The number of messages that wait in a direction before the sender has to: a peer that does not read must not fill
/// the memory.
pub const WAITING: usize = 64;

/// One side, as the proxy sees it. The carrier holds the other ends.
#[derive(Debug)]
pub struct Link {
    /// The messages from the peer. Closed when the peer is gone.
    pub incoming: mpsc::Receiver<Incoming>,
    /// The messages to the peer. Closed when the peer is gone; dropping it tells the carrier to end the connection, when all
    /// that was sent before is written.
    pub outgoing: mpsc::Sender<Message>,
}

/// The input that a carrier brings.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is none. The carrier goes on behind it.
    Unreadable(Unreadable),
}

/// The carrier's ends of a [`Link`].
#[derive(Debug)]
pub struct Carrier {
    /// Takes what the peer says.
    pub incoming: mpsc::Sender<Incoming>,
    /// Gives what the peer is to be told.
    pub outgoing: mpsc::Receiver<Message>,
}

/// A side and its carrier's ends.
pub fn link() -> (Link, Carrier) {
    let (say, incoming) = mpsc::channel(WAITING);
    let (outgoing, told) = mpsc::channel(WAITING);
    (Link { incoming, outgoing }, Carrier { incoming: say, outgoing: told })
}
