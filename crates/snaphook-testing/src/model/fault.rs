//! The faults of a scripted model, as data. Each is one change of the frames of an answer, or of how they are delivered. Not
//! here: calls with bad arguments and stop reasons that contradict them, which are part of the script (`script`), and how
//! faults are applied (`mutate`, `delivery`).

use serde::{Deserialize, Serialize};

/// A fault of an answer. A frame is one event of a stream; a whole answer is a single frame.
///
/// Frames are counted from 0. A negative number counts from the end, so that -1 is the last frame. A fault that would
/// change nothing (no such frame, no such field on the wire) is answered with a 500 that says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    // ---- fields ----
    /// The `index` of calls: `tool_calls[].index` (Chat Completions), the `index` of content blocks (Messages),
    /// `output_index` (Responses).
    Index(IndexFault),
    /// No call has an id.
    NoIds,

    // ---- frames ----
    /// A frame is replaced by this text, which has line ends of its own.
    Replace {
        /// The frame.
        at: isize,
        /// The bytes instead of it.
        raw: String,
    },
    /// This text is put before a frame, with line ends of its own.
    Insert {
        /// The frame.
        at: isize,
        /// The bytes before it.
        raw: String,
    },
    /// A frame is left out.
    Remove {
        /// The frame.
        at: isize,
    },
    /// A frame is sent twice.
    Repeat {
        /// The frame.
        at: isize,
    },
    /// The stream ends with the wire's own error after so many frames: the event `error` (Messages), `response.failed`
    /// (Responses), a frame with `error` (Chat Completions), JSON that is not in an event (Gemini).
    Error {
        /// The number of frames before it.
        after: isize,
        /// The HTTP status that such an error would have.
        status: u16,
    },

    // ---- bytes ----
    /// The line ends of events. The usual ones are LF; Gemini's are CRLF.
    LineEnds(LineEnd),
    /// Before each event there is a comment, and there are blank lines.
    Comments,
    /// There is no space after `data:` and `event:`.
    NoSpace,
    /// The JSON of each event is spread over several `data:` lines.
    ManyLines,
    /// The body is split at these positions, counted in bytes. Each piece is an HTTP chunk of its own.
    SplitAt(Vec<usize>),
    /// The body is split inside of each of these texts, for example `data:` or a character of several bytes.
    SplitInside(String),
    /// Each piece has so many bytes.
    SplitEvery(usize),

    // ---- delivery ----
    /// The answer ends after so many frames, and so many bytes of the next.
    Cut {
        /// The number of frames before the end.
        after: isize,
        /// The bytes of the next frame that are sent as well.
        #[serde(default)]
        bytes: usize,
        /// How the answer ends.
        how: Ending,
    },
    /// The connection ends without any answer.
    NoAnswer(Ending),
    /// The server waits after so many frames until the test releases the gate of this name.
    Pause {
        /// The number of frames before it.
        after: isize,
        /// The name of the gate.
        gate: String,
    },
    /// The server waits with the answer's status line until the test releases the gate of this name.
    Hold {
        /// The name of the gate.
        gate: String,
    },
    /// After so many frames the server sends this text for ever, until the client hangs up.
    Endless {
        /// The number of frames before it.
        after: isize,
        /// The bytes; by default the last frame before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
}

/// A fault of the `index` of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexFault {
    /// There is no index.
    Missing,
    /// Each index is higher by so much: 1 is an index that begins at 1, 3000000 a huge one.
    Plus(u64),
    /// Each index is this one.
    Same(u64),
}

/// The line end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    Crlf,
    /// `\r`
    Cr,
}

/// The way in which an answer ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// HTTP ends as it should: the client sees a complete body. [`Fault::NoAnswer`] takes it as [`Ending::Close`].
    Clean,
    /// The connection is closed in the midst of the body, and of a chunk if bytes of a frame were sent.
    Close,
    /// The same, but the connection is reset. What the client's system has not received by then is lost, so let it be less than
    /// the buffers of a socket.
    Reset,
}
