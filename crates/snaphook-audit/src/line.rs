//! The fields of an audit line. The names with `gen_ai.` are those of OpenTelemetry's semantic conventions for generative AI,
//! version 1.41.0 (status: development); the others are ours. Not here: where the values come from (`builder`), and the
//! chain's fields at the end of a stored line (`chain`).

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use snaphook_core::{Cause, Scope, Verdict};

use crate::builder::SessionFields;

/// The version of the line format, field `v`.
pub const LINE_VERSION: u32 = 1;

/// One line. Secrets are masked already.
#[derive(Debug, Clone, Serialize)]
pub struct AuditLine {
    /// The version of this format: 1.
    pub v: u32,
    /// When, by the host's clock: RFC 3339, UTC, microseconds.
    pub time: String,
    /// The session's id.
    #[serde(rename = "gen_ai.conversation.id")]
    pub session: String,
    /// The agent.
    #[serde(rename = "gen_ai.agent.name")]
    pub agent: String,
    /// The working directory of the session.
    pub cwd: String,
    /// The event: `tool_call`, `permission_request`, `user_prompt`, `session_before_compact`, or `tool_result` for a result
    /// that hooks rewrote.
    pub event: String,
    /// `execute_tool` for an event about a call.
    #[serde(rename = "gen_ai.operation.name", skip_serializing_if = "Option::is_none")]
    pub operation: Option<&'static str>,
    /// The tool, by its canonical name.
    #[serde(rename = "gen_ai.tool.name", skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub tool: Option<Arc<str>>,
    /// The agent's own name of the tool, where it is another.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub native_tool: Option<Arc<str>>,
    /// The call's id.
    #[serde(
        rename = "gen_ai.tool.call.id",
        skip_serializing_if = "Option::is_none",
        serialize_with = "shared"
    )]
    pub call_id: Option<Arc<str>>,
    /// The subagent that made the call, where the agent tells.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub subagent: Option<Arc<str>>,
    /// `allow`, `ask` or `deny`; absent for `tool_result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    /// True if hooks rewrote the input, the fields or the result, or the command is held.
    pub rewritten: bool,
    /// What the command may touch while it runs, where it is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Value>,
    /// The final input of the call.
    #[serde(
        rename = "gen_ai.tool.call.arguments",
        skip_serializing_if = "Option::is_none",
        serialize_with = "shared"
    )]
    pub input: Option<Arc<Value>>,
    /// In its place where inputs are hashed, or the input is large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<InputHash>,
    /// The input as the agent sent it, where hooks rewrote it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub original_input: Option<Arc<Value>>,
    /// In its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_input_hash: Option<InputHash>,
    /// The fields of an event that is about no call, in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Map<String, Value>>,
    /// In its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields_hash: Option<InputHash>,
    /// A result that was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<AuditResult>,
    /// Every reason, in the order in which they were given.
    pub reasons: Vec<AuditReason>,
    /// The hooks that ran, and those that the reasons name.
    pub hooks: Vec<AuditedHook>,
    /// The number of values that were masked.
    #[serde(skip_serializing_if = "is_zero")]
    pub masked: usize,
    /// The time that it took, in microseconds, waiting for a person included.
    pub duration_us: u64,
}

/// A value of which only the hash is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputHash {
    /// `sha256:…`, over the value as compact JSON (of a text: over its bytes), nothing masked.
    pub hash: String,
    /// The number of its bytes.
    pub bytes: usize,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditReason {
    /// The hook's id; absent where it was the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// The file of the handler, as people see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its result.
    pub verdict: Verdict,
    /// Set where no policy but a failure is behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The reason, at most 4 KiB of it.
    pub text: String,
}

/// A hook that had to do with the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedHook {
    /// Its id.
    pub id: String,
    /// The origin of it.
    pub scope: Scope,
    /// The hash of its content, by which it is trusted; absent for a handler written in Rust and a hook that discovery could
    /// not read.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    pub hash: Option<Arc<str>>,
    /// The number of times that its handlers ran.
    pub calls: u32,
    /// The time that they took together, in microseconds, waiting included.
    pub duration_us: u64,
    /// The grants that its handlers used for the event, or missed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<AuditedGrant>,
}

/// A grant that a hook used for an event, or missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedGrant {
    /// Kind and entry as in front matter: `exec:git`. One that is missing as it would have to be there.
    pub grant: String,
    /// The number of times that it was used, or missed.
    pub count: u32,
    /// True if it is missing, so that the hook got an error.
    #[serde(skip_serializing_if = "is_false")]
    pub denied: bool,
}

/// The fate of a result. Never its text: what was cut out of it may be in no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditResult {
    /// The ids of the hooks that changed it, in order.
    pub rewritten_by: Vec<String>,
    /// The length of the text before.
    pub bytes_before: usize,
    /// The length of the text after.
    pub bytes_after: usize,
    /// True if the details for machines changed.
    pub details_changed: bool,
    /// True if the tool failed.
    pub is_error_before: bool,
    /// True if the model sees it as failed.
    pub is_error_after: bool,
}

impl AuditLine {
    /// A line about an event, with nothing known of it yet.
    pub(crate) fn new(time: f64, of: &SessionFields, event: String) -> Self {
        AuditLine {
            v: LINE_VERSION,
            time: rfc3339(time),
            session: of.id.clone(),
            agent: of.agent.clone(),
            cwd: of.cwd.clone(),
            event,
            operation: None,
            tool: None,
            native_tool: None,
            call_id: None,
            subagent: None,
            decision: None,
            rewritten: false,
            held: None,
            input: None,
            input_hash: None,
            original_input: None,
            original_input_hash: None,
            fields: None,
            fields_hash: None,
            result: None,
            reasons: Vec::new(),
            hooks: Vec::new(),
            masked: of.masked,
            duration_us: 0,
        }
    }
}

/// Seconds since 1970 as RFC 3339 with microseconds. A time that no calendar has is 1970.
pub(crate) fn rfc3339(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "what does not fit is refused by the calendar")]
    let micros = (seconds * 1e6).round() as i64;
    format!("{:.6}", jiff::Timestamp::from_microsecond(micros).unwrap_or(jiff::Timestamp::UNIX_EPOCH))
}

#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn shared<T: Serialize + ?Sized, S: Serializer>(
    value: &Option<Arc<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_deref().serialize(serializer)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference to the field")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference to the field")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_sorted_as_text() {
        assert_eq!(rfc3339(0.0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(rfc3339(1_763_747_481.25), "2025-11-21T17:51:21.250000Z");
        assert_eq!(rfc3339(f64::NAN), "1970-01-01T00:00:00.000000Z");
        assert_eq!(rfc3339(f64::INFINITY), "1970-01-01T00:00:00.000000Z");
    }
}
