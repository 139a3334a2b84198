//! A line built from what the host concludes. Not here: the fields of a line (`line`), secrets
//! (`mask`), and what happens where a line is not taken (the host).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use snaphook_core::{
    Event, EventName, GrantUse, Hold, HookRef, Lifecycle, Payload, Reason, Session, ToolCall, ToolResult,
    Verdict,
};

use crate::line::{AuditLine, AuditReason, AuditResult, AuditedGrant, AuditedHook, InputHash};
use crate::{AuditInputs, AuditOptions, chain, mask};

/// The longest reason that is written, in bytes.
const MAX_TEXT: usize = 4096;

/// The largest value that is written whole, in bytes of text.
const MAX_WHOLE: usize = 64 << 10;

/// One run of a handler.
#[derive(Debug, Clone)]
pub struct HookRun {
    /// The hook of the handler.
    pub hook: HookRef,
    /// The time that the handler ran.
    pub took: Duration,
}

/// The fields that each line of a session has, masked.
#[derive(Debug, Clone)]
pub struct SessionFields {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) cwd: String,
    pub(crate) masked: usize,
}

impl SessionFields {
    /// The fields of a session's lines.
    pub fn new(session: &Session) -> Self {
        let mut masked = 0;
        let id = mask::text(session.id.clone(), &mut masked);
        let cwd = mask::text(session.cwd.display().to_string(), &mut masked);
        SessionFields { id, agent: session.agent.clone(), cwd, masked }
    }
}

/// A line in the making.
#[derive(Debug)]
pub struct LineBuilder {
    line: AuditLine,
    options: AuditOptions,
}

impl LineBuilder {
    /// A line about an event, `now` in seconds since 1970.
    pub fn new(now: f64, session: &SessionFields, options: AuditOptions, event: &Event) -> Self {
        let mut line = AuditLine::new(now, session, event.name().to_string());
        if let Some(call) = event.call() {
            let ToolCall { id, tool, native_tool, subagent, .. } = call;
            line.operation = Some("execute_tool");
            line.tool = Some(Arc::clone(tool));
            line.native_tool = (native_tool != tool).then(|| Arc::clone(native_tool));
            line.call_id = Some(Arc::clone(id));
            line.subagent = subagent.clone();
        }
        LineBuilder { line, options }
    }

    /// Adds a decision about the event: its verdict, the input that runs and the one that was asked for.
    #[must_use]
    pub fn decision(mut self, verdict: Verdict, event: &Event, original: &Event, rewritten: bool) -> Self {
        self.line.decision = Some(match verdict {
            Verdict::Abstain | Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        });
        self.line.rewritten = rewritten;
        if let Some(call) = event.call() {
            (self.line.input, self.line.input_hash) = self.input(&call.input);
            if let Some(original) = original.call().filter(|_| rewritten) {
                (self.line.original_input, self.line.original_input_hash) = self.input(&original.input);
            }
        } else if let Payload::Fields(fields) = event.payload() {
            self.fields(event.name(), fields);
        }
        self
    }

    /// Adds what the command may touch while it runs.
    #[must_use]
    pub fn held(mut self, hold: Option<&Hold>) -> Self {
        self.line.held = hold.map(|hold| {
            let mut value = hold.to_json();
            mask::in_place(&mut value, &mut self.line.masked);
            value
        });
        self
    }

    /// Adds a result that these hooks rewrote.
    #[must_use]
    pub fn rewritten_result(mut self, old: &ToolResult, new: &ToolResult, by: &[HookRef]) -> Self {
        let mut rewritten_by: Vec<String> = Vec::new();
        for hook in by {
            if !rewritten_by.contains(&hook.id) {
                rewritten_by.push(hook.id.clone());
            }
        }
        self.line.rewritten = true;
        self.line.result = Some(AuditResult {
            rewritten_by,
            bytes_before: old.content.len(),
            bytes_after: new.content.len(),
            details_changed: old.details != new.details,
            is_error_before: old.is_error,
            is_error_after: new.is_error,
        });
        self
    }

    /// Adds a result that no hook rewrote: its length in bytes, and whether it is an error.
    #[must_use]
    pub fn plain_result(mut self, bytes: usize, is_error: bool) -> Self {
        self.line.result = Some(AuditResult {
            rewritten_by: Vec::new(),
            bytes_before: bytes,
            bytes_after: bytes,
            details_changed: false,
            is_error_before: is_error,
            is_error_after: is_error,
        });
        self
    }

    /// The value to write, or its hash.
    fn input(&mut self, value: &Arc<Value>) -> (Option<Arc<Value>>, Option<InputHash>) {
        if self.options.inputs == AuditInputs::Full && weighs_at_most(value, MAX_WHOLE).is_some() {
            (Some(mask::shared(value, &mut self.line.masked)), None)
        } else {
            (None, hash_of_value(&**value))
        }
    }

    fn fields(&mut self, event: &EventName, fields: &Map<String, Value>) {
        let whole = self.options.inputs == AuditInputs::Full
            && fields.values().try_fold(MAX_WHOLE, |left, value| weighs_at_most(value, left)).is_some();
        let prompt = *event == EventName::Lifecycle(Lifecycle::UserPrompt) && !self.options.prompts;
        if !whole || prompt {
            self.line.fields_hash = match fields.get("prompt") {
                Some(Value::String(text)) if prompt => {
                    Some(InputHash { hash: chain::hash_of(text.as_bytes()), bytes: text.len() })
                }
                _ => hash_of_value(fields),
            };
            return;
        }
        let mut value = Value::Object(fields.clone());
        mask::in_place(&mut value, &mut self.line.masked);
        if let Value::Object(fields) = value {
            self.line.fields = Some(fields);
        }
    }

    /// Adds the reasons of a decision.
    #[must_use]
    pub fn reasons(mut self, reasons: &[Reason]) -> Self {
        for reason in reasons {
            let place = reason.location.as_ref();
            let text = mask::text(cut(&reason.text), &mut self.line.masked);
            self.line.reasons.push(AuditReason {
                hook: reason.hook.as_ref().map(|hook| hook.id.clone()),
                file: place.map(|place| place.file.display().to_string()),
                line: place.and_then(|place| place.line),
                verdict: reason.verdict,
                cause: reason.cause,
                text,
            });
        }
        self
    }

    /// Adds the hooks that ran, others that had a part in it, and what they used of their grants. `hash_of`
    /// returns the hash of a hook's content.
    #[must_use]
    pub fn hooks<'a>(
        mut self,
        hash_of: impl Fn(&HookRef) -> Option<Arc<str>>,
        ran: &[HookRun],
        others: impl Iterator<Item = &'a HookRef>,
        uses: &'a [GrantUse],
    ) -> Self {
        let mut hooks: Vec<(HookRef, u32, Duration)> = Vec::new();
        for one in ran {
            match hooks.iter_mut().find(|(hook, ..)| *hook == one.hook) {
                Some((_, calls, took)) => {
                    *calls += 1;
                    *took += one.took;
                }
                None => hooks.push((one.hook.clone(), 1, one.took)),
            }
        }
        for hook in others.chain(uses.iter().map(|one| &one.hook)) {
            if !hooks.iter().any(|(known, ..)| known == hook) {
                hooks.push((hook.clone(), 0, Duration::ZERO));
            }
        }
        let masked = &mut self.line.masked;
        let one = |(hook, calls, took): (HookRef, u32, Duration)| AuditedHook {
            id: hook.id.clone(),
            scope: hook.scope,
            hash: hash_of(&hook),
            calls,
            duration_us: micros(took),
            grants: uses.iter().filter(|one| one.hook == hook).map(|one| grant(one, masked)).collect(),
        };
        self.line.hooks = hooks.into_iter().map(one).collect();
        self
    }

    /// The line, with the time that the decision took.
    pub fn finish(mut self, took: Option<Duration>) -> AuditLine {
        self.line.duration_us = took.map_or(0, micros);
        self.line
    }
}

fn grant(used: &GrantUse, masked: &mut usize) -> AuditedGrant {
    let grant = mask::text(used.grant.clone(), masked);
    AuditedGrant { grant, count: used.count, denied: used.denied }
}

fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

fn cut(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let at = text.floor_char_boundary(MAX_TEXT);
    format!("{}… ({} more bytes)", text.get(..at).unwrap_or_default(), text.len() - at)
}

/// Returns what is left of so many bytes after the value's texts; none if it is more. A quick look instead of writing
/// it out.
fn weighs_at_most(value: &Value, most: usize) -> Option<usize> {
    let left = most.checked_sub(8)?;
    match value {
        Value::String(text) => left.checked_sub(text.len()),
        Value::Array(parts) => parts.iter().try_fold(left, |left, part| weighs_at_most(part, left)),
        Value::Object(fields) => fields
            .iter()
            .try_fold(left, |left, (name, part)| weighs_at_most(part, left.checked_sub(name.len())?)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(left),
    }
}

/// Hashes what is written, as it is written.
struct HashWriter {
    hasher: Sha256,
    bytes: usize,
}

impl std::io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.hasher.update(bytes);
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn hash_of_value(value: &impl serde::Serialize) -> Option<InputHash> {
    let mut writer = HashWriter { hasher: Sha256::new(), bytes: 0 };
    serde_json::to_writer(&mut writer, value).ok()?;
    Some(InputHash { hash: chain::written(writer.hasher.finalize().as_slice()), bytes: writer.bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn large_values_are_hashed() {
        for (value, whole) in [
            (json!({"a": "x".repeat(60_000)}), true),
            (json!({"a": "x".repeat(70_000)}), false),
            (json!([["x".repeat(40_000)], ["x".repeat(40_000)]]), false),
            (json!(vec![0; 10_000]), false),
        ] {
            assert_eq!(weighs_at_most(&value, MAX_WHOLE).is_some(), whole);
        }
        let hash = hash_of_value(&json!({"a": 1})).unwrap();
        assert_eq!((hash.bytes, hash.hash), (7, chain::hash_of(br#"{"a":1}"#)));
    }

    #[test]
    fn long_reasons_are_cut_between_letters() {
        let text = format!("{}ü{}", "x".repeat(MAX_TEXT - 1), "y".repeat(10));
        assert_eq!(cut(&text), format!("{}… (12 more bytes)", "x".repeat(MAX_TEXT - 1)));
        assert_eq!(cut("short"), "short");
    }
}
