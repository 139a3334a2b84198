//! A tool of the editor's that the agent uses: files and terminals. Not here: their gates (`tools`).

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use snaphook::{CommonFields, FieldMap, ToolCall};

use crate::fields::TerminalFields;

/// The request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolRequest {
    /// `fs/read_text_file`.
    Read,
    /// `fs/write_text_file`.
    Write,
    /// `terminal/create`.
    Command,
    /// `terminal/output`.
    Output,
}

impl ToolRequest {
    /// The method, the canonical tool, its fields, and the keys that it may have.
    pub(super) fn row(self) -> (&'static str, &'static str, &'static dyn FieldMap, &'static [&'static str]) {
        const TERMINAL: &[&str] = &["sessionId", "command", "args", "env", "cwd", "outputByteLimit", "_meta"];
        match self {
            ToolRequest::Read => {
                ("fs/read_text_file", "read", &CommonFields, &["sessionId", "path", "line", "limit", "_meta"])
            }
            ToolRequest::Write => {
                ("fs/write_text_file", "write", &CommonFields, &["sessionId", "path", "content", "_meta"])
            }
            ToolRequest::Command | ToolRequest::Output => {
                ("terminal/create", "bash", &TerminalFields, TERMINAL)
            }
        }
    }
}

/// A request of the agent's that passed its gate.
#[derive(Debug)]
pub(super) struct CalledTool {
    pub(super) kind: ToolRequest,
    /// As it runs.
    pub(super) call: ToolCall,
    /// As the agent sent it.
    pub(super) original_input: Arc<Value>,
    /// True if a hook could change the result.
    pub(super) rewrites: bool,
    pub(super) began: Instant,
}
