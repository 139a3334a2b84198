//! The events of one stream, numbered from one: which are read and which are not. Not here: for how long those that were read
//! are kept.

use std::collections::VecDeque;
use std::fmt;

use bytes::Bytes;

/// The number of messages that may wait on a stream to be read.
const MAX_UNREAD: usize = 256;
const MAX_UNREAD_BYTES: usize = 16 << 20;

/// The events that are there.
#[derive(Debug, Default)]
pub(super) struct Log {
    events: VecDeque<Event>,
    /// The number of the newest event.
    newest: u64,
    /// The number of the last one that was read.
    read: u64,
    unread_bytes: usize,
}

#[derive(Debug)]
struct Event {
    number: u64,
    bytes: Bytes,
    /// It was read, or has no reader: it is kept as long as there is room.
    is_kept: bool,
}

impl Log {
    pub(super) fn push(&mut self, bytes: Bytes) {
        self.newest += 1;
        self.unread_bytes += bytes.len();
        self.events.push_back(Event { number: self.newest, bytes, is_kept: false });
    }

    /// Returns whether what is not read is more than may wait. One event may always.
    pub(super) fn is_full(&self) -> bool {
        let unread = self.newest - self.read;
        unread as usize >= MAX_UNREAD || (unread > 0 && self.unread_bytes > MAX_UNREAD_BYTES)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.read = self.newest;
        self.unread_bytes = 0;
    }

    /// The event, if there is just one.
    pub(super) fn only(&self) -> Option<Bytes> {
        match self.events.front() {
            Some(event) if self.events.len() == 1 => Some(event.bytes.clone()),
            _ => None,
        }
    }

    /// The next event that was not read, with its number and whether it is read for the first time.
    pub(super) fn read(&mut self) -> Option<(u64, Bytes, bool)> {
        let event = self.events.iter_mut().find(|event| event.number > self.read)?;
        self.read = event.number;
        self.unread_bytes = self.unread_bytes.saturating_sub(event.bytes.len());
        let is_first_time = !std::mem::replace(&mut event.is_kept, true);
        Some((event.number, event.bytes.clone(), is_first_time))
    }

    /// Goes back: what comes after this number is to be read again.
    pub(super) fn go_back(&mut self, number: u64) {
        self.read = number.min(self.newest);
        let unread = self.events.iter().filter(|event| event.number > self.read);
        self.unread_bytes = unread.map(|event| event.bytes.len()).sum();
    }

    /// Takes out what was never read.
    pub(super) fn take_unread(&mut self) -> Vec<Bytes> {
        let unread = self.events.iter().position(|event| !event.is_kept).unwrap_or(self.events.len());
        self.read = self.newest;
        self.unread_bytes = 0;
        self.events.split_off(unread).into_iter().map(|event| event.bytes).collect()
    }

    /// Keeps what was never read as if it had been; gives their numbers and sizes.
    pub(super) fn keep_all(&mut self) -> Vec<(u64, usize)> {
        let unkept = self.events.iter_mut().filter(|event| !event.is_kept);
        unkept
            .map(|event| {
                event.is_kept = true;
                (event.number, event.bytes.len())
            })
            .collect()
    }

    /// Drops the oldest that was not read.
    pub(super) fn drop_oldest(&mut self) {
        if let Some(at) = self.events.iter().position(|event| !event.is_kept)
            && let Some(event) = self.events.remove(at)
        {
            tracing::warn!("a message of the server is dropped: the client does not come back for it");
            self.unread_bytes = self.unread_bytes.saturating_sub(event.bytes.len());
        }
    }

    /// Drops one that was kept.
    pub(super) fn forget(&mut self, number: u64) {
        if let Some(at) = self.events.iter().position(|event| event.number == number)
            && let Some(event) = self.events.remove(at)
            && number > self.read
        {
            self.unread_bytes = self.unread_bytes.saturating_sub(event.bytes.len());
        }
    }
}

/// The position of a client in a stream, which an event's id has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) is_standing: bool,
    pub(super) stream: u64,
    pub(super) number: u64,
}

impl EventId {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (stream, number) = text.split_once('-')?;
        let (is_standing, stream) = match stream.split_at_checked(1)? {
            ("g", stream) => (true, stream),
            ("p", stream) => (false, stream),
            _ => return None,
        };
        Some(EventId { is_standing, stream: stream.parse().ok()?, number: number.parse().ok()? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_standing { 'g' } else { 'p' };
        write!(f, "{kind}{}-{}", self.stream, self.number)
    }
}
