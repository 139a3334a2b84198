//! Reasons that a list of MCP servers, or one server of it, is left as it is.

use crate::EditError;

/// A list cannot be changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source}")]
pub(super) struct ListError {
    /// The line, from 1, where the reason has one.
    pub(super) line: Option<usize>,
    pub(super) source: EditError,
}

/// A key is there twice.
pub(super) struct Twice {
    pub(super) key: String,
    /// The line of the second, from 1.
    pub(super) line: usize,
}

impl From<Twice> for ListError {
    fn from(Twice { key, line }: Twice) -> Self {
        ListError { line: Some(line), source: EditError::Twice(key) }
    }
}

impl From<Twice> for ServerFault {
    fn from(Twice { key, .. }: Twice) -> Self {
        ServerFault::Twice(key)
    }
}

/// A server cannot be put behind the gate, or taken from behind it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerFault {
    /// The server's entry is not an object.
    #[error("it is not an object")]
    NotObject,
    /// The server's entry is not a table.
    #[error("it is not a table")]
    NotTable,
    /// The name is empty, or looks like an option.
    #[error("hooks cannot match its name")]
    Name,
    /// Two keys exclude each other.
    #[error("it has both `{0}` and `{1}`")]
    Both(&'static str, &'static str),
    /// It is not known how the server is started.
    #[error("it has neither a `command` nor a `url`")]
    Neither,
    /// A value is of another type.
    #[error("its `{key}` is not {expected}")]
    Type {
        /// The key.
        key: &'static str,
        /// The type that it must have.
        expected: &'static str,
    },
    /// A value is empty.
    #[error("its `{0}` is empty")]
    Empty(&'static str),
    /// A list has something in it that is not text.
    #[error("its `{0}` contains something other than text")]
    NotTexts(&'static str),
    /// A key is there twice.
    #[error("`{0}` appears twice")]
    Twice(String),
    /// The address is not one that the gate can reach.
    #[error("its `url` is not a web address")]
    NotWeb,
    /// The address has secrets in it.
    #[error("its `url` has a name or password in it; put it into `headers`")]
    Credentials,
    /// The client signs in.
    #[error("it signs in by `{0}`, which only the client can do")]
    SignsIn(&'static str),
    /// The transport is SSE.
    #[error("it uses SSE, which the gate does not support (the server may support `http` as well)")]
    Sse,
    /// The gate does not know the transport.
    #[error("its `type` is {0}")]
    Transport(String),
    /// A header field cannot become a variable.
    #[error("its header field `{0}` is invalid or appears twice")]
    Header(String),
    /// The gate's arguments do not say which server is behind it.
    #[error("its arguments name no server behind the gate")]
    NoServer,
    /// A variable cannot become a header field.
    #[error("its `env` has `{0}`, which a server reached over HTTP cannot have")]
    Variable(String),
    /// It was behind the gate when `wrap` changed the list, which is restored.
    #[error("it was behind the gate before `wrap`; run `unwrap` again to take it out")]
    GatedBefore,
}

impl ServerFault {
    pub(super) const NOT_A_URL: ServerFault = ServerFault::Type { key: "url", expected: "text" };
}
