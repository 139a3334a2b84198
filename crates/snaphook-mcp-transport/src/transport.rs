//! One side of a proxy: messages in, messages out. Not here: what carries them (`framing`, `child`, `http`), and what is done with
//! them.

use tokio::sync::mpsc;

use crate::message::{InvalidMessage, Message};

/// The number of messages that may wait in one direction before the sender has to wait: a peer that does not read must not fill
/// the memory.
pub const CHANNEL_CAPACITY: usize = 64;

/// One side, as the proxy uses it. A [`TransportDriver`] holds the other ends.
#[derive(Debug)]
pub struct Transport {
    /// The messages from the peer. Closed when the peer is gone.
    pub incoming: mpsc::Receiver<Incoming>,
    /// The messages to the peer. Closed when the peer is gone. Dropping it ends the connection when everything that was sent
    /// before is written.
    pub outgoing: mpsc::Sender<Message>,
}

/// Input from a peer.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Bytes that are not a message. What comes after them is read.
    Invalid(InvalidMessage),
}

/// The other ends of a [`Transport`], held by what moves the bytes.
#[derive(Debug)]
pub struct TransportDriver {
    /// Takes the messages from the peer.
    pub incoming: mpsc::Sender<Incoming>,
    /// Gives the messages to the peer.
    pub outgoing: mpsc::Receiver<Message>,
}

/// Returns a transport and its other ends.
pub fn channel() -> (Transport, TransportDriver) {
    let (say, incoming) = mpsc::channel(CHANNEL_CAPACITY);
    let (outgoing, told) = mpsc::channel(CHANNEL_CAPACITY);
    (Transport { incoming, outgoing }, TransportDriver { incoming: say, outgoing: told })
}
