//! The reasons why a line of a recording in our own format cannot be read. Not here: the reader (`format`).

use super::FORMAT_VERSION;

/// The kinds of lines.
pub(super) const TYPES: &[&str] =
    &["session", "prompt", "turn", "result", "file", "context", "started", "compacted", "resumed"];

const FOREIGN: &str =
    "this looks like another agent's session file; of those, only Claude Code's transcripts are read";

/// The reason why a line cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is not JSON.
    #[error("not a JSON object: {cause} at column {column}")]
    Json {
        /// The fault, without its position.
        cause: String,
        /// The column, from 1.
        column: usize,
    },
    /// It is JSON, but not an object.
    #[error("expected a JSON object")]
    NotObject,
    /// Its `type` has another type.
    #[error("`type` must be a string")]
    TypeNotText,
    /// It has no `type`.
    #[error("expected an object with a `type`: one of {}", TYPES.join(", "))]
    NoType,
    /// It has no `type`, and is of another agent's session.
    #[error("no `type`: {FOREIGN}")]
    ForeignLine,
    /// Its `type` is that of another agent's session.
    #[error("unknown type \"{0}\": {FOREIGN}")]
    ForeignType(String),
    /// Its `type` is unknown.
    #[error("unknown type \"{kind}\"{hint}")]
    UnknownType {
        /// The type.
        kind: String,
        /// The types that it could be, as the end of the text.
        hint: String,
    },
    /// A field is missing, unknown, or of another type.
    #[error("{kind}: {cause}")]
    Fields {
        /// The line's type.
        kind: String,
        /// The fault.
        cause: String,
    },
    /// A `session` behind other lines.
    #[error("`session` must be the first line")]
    LateSession,
    /// Another version of the format.
    #[error("format version {0}; this program reads version {FORMAT_VERSION}")]
    Version(u64),
    /// A `turn` that answers nothing.
    #[error("a `turn` before the first `prompt`")]
    TurnBeforePrompt,
    /// Two calls with one id.
    #[error("the call id \"{0}\" was used before")]
    DuplicateCall(String),
    /// A `result` of no call.
    #[error("a `result` for \"{id}\", which no `turn` above calls{hint}")]
    UnknownCall {
        /// The id.
        id: String,
        /// The id that it could be, as the end of the text.
        hint: String,
    },
    /// Two results of one call.
    #[error("a second `result` for \"{0}\"")]
    SecondResult(String),
}
