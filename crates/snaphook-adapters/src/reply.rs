//! The answer of the process to the agent: one document, or none, and an exit code of our own choosing.

use serde_json::Value;

/// The whole answer of one call of `snaphook hook`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// All of standard output; empty where the agent wants nothing there.
    pub stdout: String,
    /// All of standard error. Some agents show it to the model.
    pub stderr: String,
    /// The exit code. Never one that a panic or an argument parser would have.
    pub code: u8,
}

impl Reply {
    /// Says nothing, with success.
    pub fn silent() -> Self {
        Reply::default()
    }

    /// One JSON document, with success.
    pub fn json(document: &Value) -> Self {
        Reply { stdout: document.to_string(), ..Reply::default() }
    }

    /// A refusal by exit code, with its reason on standard error.
    pub fn refused(code: u8, reason: &str) -> Self {
        Reply { stdout: String::new(), stderr: reason.to_owned(), code }
    }
}
