//! The bounded buffer for one output stream. Not here: reading the pipe (`run`).

/// The number of bytes beyond the limit that are kept: the longest UTF-8 sequence. With them, a sequence that our cut tears
/// apart begins beyond the limit, and so cannot be seen in the text.
const MARGIN: usize = 4;

/// Keeps the beginning of a stream of bytes, up to a limit, and counts the rest.
///
/// The text is the lossy UTF-8 reading of *all* bytes, cut to the limit at a character boundary, yet no more than the
/// limit and four bytes are held.
#[derive(Debug, Clone)]
pub struct Capture {
    limit: usize,
    kept: Vec<u8>,
    total: u64,
}

impl Capture {
    /// An empty buffer whose text will have `limit` bytes at most.
    pub fn new(limit: usize) -> Self {
        Capture { limit, kept: Vec::new(), total: 0 }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.limit.saturating_add(MARGIN).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        self.total = self.total.saturating_add(bytes.len() as u64);
    }

    /// Returns how many bytes the stream had so far, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The text, and whether it was cut. A byte that is not UTF-8 becomes U+FFFD, which takes three bytes of the limit.
    pub fn finish(self) -> (String, bool) {
        let mut text = String::from_utf8(self.kept)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let cut = text.len() > self.limit;
        if cut {
            text.truncate(text.floor_char_boundary(self.limit));
        }
        (text, cut)
    }
}
