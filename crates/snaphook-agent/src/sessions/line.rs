//! The lines of a session's file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{Continuation, MessageCall};

/// One line. `docs/replay.md` describes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Session {
        /// The version of the format.
        version: u64,
        /// The session's id.
        #[serde(default)]
        id: String,
        /// The agent.
        #[serde(default)]
        agent: String,
        /// What a replay starts from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        project: Option<String>,
        /// The model.
        #[serde(default)]
        model: String,
        /// The model's address, where it is not the provider's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_url: Option<String>,
        /// The folder that it works in.
        #[serde(default)]
        folder: PathBuf,
        /// The time when it began, as in RFC 3339.
        #[serde(default)]
        began: String,
    },
    /// A prompt of the person.
    Prompt {
        /// The text.
        text: String,
    },
    /// A text of a hook, a check or a lifecycle file.
    Context {
        /// The one whose text it is.
        hook: String,
        /// The text.
        text: String,
    },
    /// An answer of the model.
    Turn {
        /// The text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// The calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<MessageCall>,
        /// The parts that the provider wants back.
        #[serde(default, skip_serializing_if = "Continuation::is_empty")]
        provider: Continuation,
    },
    /// A tool is about to run.
    Started {
        /// The call's id.
        id: String,
    },
    /// The result of a call.
    Result {
        /// The call's id.
        id: String,
        /// The text.
        content: String,
        /// True if it failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        /// The data beside the text, in recordings.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        details: Value,
    },
    /// The conversation was replaced by a summary.
    Compacted {
        /// The summary, as the model gets it.
        text: String,
    },
    /// The conversation began anew.
    Cleared,
    /// The session was gone on with, or goes on with another model.
    Resumed {
        /// The model.
        model: String,
        /// The model's address, where it is not the provider's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_url: Option<String>,
        /// The time, as in RFC 3339.
        at: String,
    },
}
