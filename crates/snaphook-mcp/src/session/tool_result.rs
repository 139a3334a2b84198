//! The result of a tool: the texts in a result that hooks see as one, and a result written anew with what they made of it. Blocks
//! that have no text stay as they are written.
//!
//! The structured copy of a result must not say what the text does not say any more: it is made of the new text where it was made
//! of the old one, else it is dropped, a note says so, and the result is an error.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use snaphook::{ToolResult, Unreadable};

use crate::json::{decoded, rewritten, strict};
use crate::texts::words::{NOTE, NOTE_TEXT};
use snaphook_mcp_transport::json::Fields;
use snaphook_mcp_transport::message::{Message, MessageKind};

/// A result, or an error of the protocol, as hooks see it.
#[derive(Debug)]
pub(super) struct WrittenResult<'a> {
    /// As it is written.
    pub(super) body: &'a str,
    fields: Fields<'a>,
    blocks: Vec<Block<'a>>,
    /// The texts together.
    pub(super) text: String,
    /// `structuredContent` of a result, `data` of an error; else null.
    pub(super) details: Value,
    /// True if the tool failed.
    pub(super) is_error: bool,
    /// True if the result comes later: the tool asks for something first, or its result is fetched later.
    pub(super) is_later: bool,
    /// The task whose result it will be then.
    pub(super) task: Option<String>,
    is_protocol_error: bool,
}

#[derive(Debug)]
struct Block<'a> {
    written: &'a RawValue,
    text: Option<String>,
    /// The text as it is written.
    text_written: Option<&'a str>,
}

impl<'a> WrittenResult<'a> {
    pub(super) fn read(message: &'a Message) -> Result<Self, Unreadable> {
        let body = message.body().ok_or(Unreadable::Form)?;
        Self::of(body, matches!(message.kind(), MessageKind::Response { is_error: true, .. }))
    }

    /// The result, or the error, that is in what a server says about a task; none where it is not there yet.
    pub(super) fn of_task(message: &'a Message) -> Result<Option<Self>, Unreadable> {
        if matches!(message.kind(), MessageKind::Response { is_error: true, .. }) {
            return Self::read(message).map(Some);
        }
        let fields = object(message.body().ok_or(Unreadable::Form)?)?;
        if fields.look_alike(&["taskId", "result", "error"]).is_some() {
            return Err(Unreadable::Form);
        }
        match (fields.get("result"), fields.get("error")) {
            (None, None) => Ok(None),
            (Some(result), None) => Self::of(result.get(), false).map(Some),
            (None, Some(error)) => Self::of(error.get(), true).map(Some),
            (Some(_), Some(_)) => Err(Unreadable::Form),
        }
    }

    fn of(body: &'a str, is_protocol_error: bool) -> Result<Self, Unreadable> {
        let fields = object(body)?;
        let details = fields.get(details(is_protocol_error));
        let details = details.map(value).transpose()?.unwrap_or_default();
        if is_protocol_error {
            let text = fields.get("message").map(decoded).transpose()?.flatten();
            let text = text.map(String::from).unwrap_or_default();
            let said = WrittenResult {
                body,
                fields,
                blocks: Vec::new(),
                text,
                details,
                is_error: true,
                is_later: false,
                task: None,
                is_protocol_error,
            };
            return Ok(said);
        }
        if fields.look_alike(&["content", "structuredContent", "isError"]).is_some() {
            return Err(Unreadable::Form);
        }
        let blocks = match fields.get("content") {
            None => Vec::new(),
            Some(content) => {
                let blocks: Vec<&RawValue> =
                    serde_json::from_str(content.get()).map_err(|_| Unreadable::Form)?;
                blocks.into_iter().map(Block::read).collect::<Result<_, _>>()?
            }
        };
        let text = joined(&blocks);
        let is_error = fields.get("isError").is_some_and(|flag| flag.get() == "true");
        let task = task_of(&fields);
        let is_later = task.is_some() || asks_first(&fields);
        Ok(WrittenResult { body, fields, blocks, text, details, is_error, is_later, task, is_protocol_error })
    }

    /// The values in it that hooks see as its text and details, as they are written.
    pub(super) fn values_for_hooks(&self) -> Vec<&'a str> {
        if self.is_later {
            return Vec::new();
        }
        let text = self.fields.get("message").filter(|_| self.is_protocol_error);
        let details = self.fields.get(details(self.is_protocol_error));
        let beside = text.into_iter().chain(details).map(RawValue::get);
        self.blocks.iter().filter_map(|block| block.text_written).chain(beside).collect()
    }

    /// The result as hooks left it, where they changed it, with what they say beside it.
    pub(super) fn with(&self, new: Option<&ToolResult>, context: &[String]) -> String {
        if self.is_protocol_error {
            return self.error_with(new, context);
        }
        let mut changes: Vec<(&str, Option<String>)> = Vec::new();
        let mut blocks: Vec<String> = Vec::new();
        let text = new.map_or(self.text.as_str(), |new| &new.content);
        let mut structured = Structured::Keep;
        let mut mirrored = None;
        if let Some(new) = new {
            structured = self.structured(new);
            // The text that is the structured copy follows it.
            if text == self.text
                && self.mirrors()
                && let Structured::Set(value) = &structured
            {
                mirrored = Some(self.details_as(value));
            }
            // Clients take a success without it for a broken answer where the tool has a schema for it, and show nothing of it.
            let drops = matches!(structured, Structured::Drop { .. }) && !self.details.is_null();
            let is_error = new.is_error || drops;
            if is_error != self.is_error {
                changes.push(("isError", Some(is_error.to_string())));
            }
        }
        match mirrored.as_deref().or_else(|| (text != self.text).then_some(text)) {
            None => blocks.extend(self.blocks.iter().map(|block| block.written.get().to_owned())),
            Some(text) => {
                let mut put = Some(text_block(text));
                for block in &self.blocks {
                    match block.text {
                        Some(_) => blocks.extend(put.take()),
                        None => blocks.push(block.written.get().to_owned()),
                    }
                }
                blocks.extend(put);
            }
        }
        blocks.extend(context.iter().map(|text| text_block(text)));
        changes.push(("content", Some(format!("[{}]", blocks.join(",")))));
        match structured {
            Structured::Keep => {}
            Structured::Set(value) => changes.push(("structuredContent", Some(self.details_as(&value)))),
            Structured::Drop { note } => {
                changes.push(("structuredContent", None));
                if note {
                    changes.push(("_meta", Some(self.meta_with_note())));
                }
            }
        }
        self.written(&changes)
    }

    fn error_with(&self, new: Option<&ToolResult>, context: &[String]) -> String {
        let mut text = new.map_or(self.text.as_str(), |new| &new.content).to_owned();
        let changed = text != self.text;
        for more in context {
            text += &format!("\n{more}");
        }
        let mut changes = vec![("message", Some(Value::from(text).to_string()))];
        match new {
            Some(new) if *new.details != self.details => {
                let data = (!new.details.is_null()).then(|| self.details_as(&new.details));
                changes.push(("data", data));
            }
            Some(_) if changed => changes.push(("data", None)),
            _ => {}
        }
        self.written(&changes)
    }

    /// The object with these entries changed, or taken out; new ones are last.
    fn written(&self, changes: &[(&str, Option<String>)]) -> String {
        let mut entries = Vec::new();
        for (name, value) in &self.fields.0 {
            match changes.iter().find(|(changed, _)| changed == name) {
                None => entries.push(format!("{}:{}", Value::from(&**name), value.get())),
                Some((_, Some(new))) => entries.push(format!("{}:{new}", Value::from(&**name))),
                Some((_, None)) => {}
            }
        }
        for (name, new) in changes.iter().filter(|(name, _)| self.fields.get(name).is_none()) {
            entries.extend(new.as_ref().map(|new| format!("{}:{new}", Value::from(*name))));
        }
        format!("{{{}}}", entries.join(","))
    }

    /// The structured copy when it became this.
    fn details_as(&self, new: &Value) -> String {
        match self.fields.get(details(self.is_protocol_error)) {
            Some(written) => rewritten(written.get(), &self.details, new),
            None => new.to_string(),
        }
    }

    /// Returns what becomes of the structured copy.
    fn structured(&self, new: &ToolResult) -> Structured {
        if *new.details != self.details {
            return match &*new.details {
                Value::Object(_) => Structured::Set((*new.details).clone()),
                Value::Null => Structured::Drop { note: false },
                // The protocol has no place for anything else.
                _ => Structured::Drop { note: true },
            };
        }
        if self.details.is_null() || *new.content == *self.text {
            return Structured::Keep;
        }
        if self.mirrors() {
            return match strict(&new.content) {
                Ok(value @ Value::Object(_)) => Structured::Set(value),
                _ => Structured::Drop { note: true },
            };
        }
        let mut copy = self.details.clone();
        if replaced(&mut copy, &self.text, &new.content) {
            Structured::Set(copy)
        } else {
            Structured::Drop { note: true }
        }
    }

    /// Returns whether the text is the structured copy, written out.
    fn mirrors(&self) -> bool {
        !self.details.is_null() && strict(&self.text).is_ok_and(|value| value == self.details)
    }

    fn meta_with_note(&self) -> String {
        let meta = self.fields.get("_meta").and_then(|meta| strict(meta.get()).ok());
        let mut meta = match meta {
            Some(Value::Object(meta)) => meta,
            _ => Map::new(),
        };
        meta.insert(NOTE.to_owned(), NOTE_TEXT.into());
        Value::Object(meta).to_string()
    }
}

/// Returns where the structured copy is.
fn details(is_protocol_error: bool) -> &'static str {
    if is_protocol_error { "data" } else { "structuredContent" }
}

#[derive(Debug, PartialEq)]
enum Structured {
    Keep,
    Set(Value),
    Drop { note: bool },
}

impl<'a> Block<'a> {
    fn read(written: &'a RawValue) -> Result<Self, Unreadable> {
        let fields = object(written.get())?;
        if fields.look_alike(&["type", "text", "resource"]).is_some() {
            return Err(Unreadable::Form);
        }
        let text = match fields.get("type").map(decoded).transpose()?.flatten().as_deref() {
            Some("resource") => match fields.get("resource") {
                Some(resource) => {
                    let resource = object(resource.get())?;
                    if resource.look_alike(&["text"]).is_some() {
                        return Err(Unreadable::Form);
                    }
                    resource.get("text")
                }
                None => None,
            },
            _ => fields.get("text"),
        };
        let text_written = text.map(RawValue::get);
        let text = text.map(decoded).transpose()?.flatten().map(String::from);
        Ok(Block { written, text_written: text_written.filter(|_| text.is_some()), text })
    }
}

fn object(text: &str) -> Result<Fields<'_>, Unreadable> {
    Fields::read(text).map_err(|_| Unreadable::Form)
}

/// A value that hooks can look at.
fn value(written: &RawValue) -> Result<Value, Unreadable> {
    let value = strict(written.get()).map_err(|_| why_not(written.get()))?;
    match Unreadable::of_value(&value) {
        Some(why) => Err(why),
        None => Ok(value),
    }
}

/// Returns why a value cannot be read: it is JSON, or the message would not have been read.
fn why_not(text: &str) -> Unreadable {
    if text.contains("\\u") { Unreadable::Text } else { Unreadable::Form }
}

fn joined(blocks: &[Block<'_>]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
    texts.join("\n")
}

fn text_block(text: &str) -> String {
    json!({"type": "text", "text": text}).to_string()
}

/// Puts a text in the place of another wherever that is; false if there is any other text beside it, or none at all.
fn replaced(value: &mut Value, old: &str, new: &str) -> bool {
    match value {
        Value::String(text) if text == old => {
            new.clone_into(text);
            true
        }
        Value::String(_) => false,
        Value::Array(parts) => all_replaced(parts.iter_mut(), old, new),
        Value::Object(fields) => all_replaced(fields.values_mut(), old, new),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn all_replaced<'v>(parts: impl Iterator<Item = &'v mut Value>, old: &str, new: &str) -> bool {
    let mut any = false;
    for part in parts {
        let plain = matches!(part, Value::Null | Value::Bool(_) | Value::Number(_));
        if !plain {
            if !replaced(part, old, new) {
                return false;
            }
            any = true;
        }
    }
    any
}

/// Returns whether a result says that the tool failed.
pub(super) fn is_error(body: &str) -> bool {
    // Most of a long one need not be read for it.
    let may = memchr::memmem::find(body.as_bytes(), b"isError").is_some();
    may && Fields::read(body)
        .is_ok_and(|fields| fields.get("isError").is_some_and(|flag| flag.get() == "true"))
}

/// The task whose result a result is not yet.
pub(super) fn task(body: &str) -> Option<String> {
    memchr::memmem::find(body.as_bytes(), b"taskId")?;
    task_of(&Fields::read(body).ok()?)
}

/// Up to the protocol of 2025-11-25 it is in a field of its own, since 2026-07-28 beside the kind of the result.
fn task_of(fields: &Fields<'_>) -> Option<String> {
    if says_something(fields) {
        return None;
    }
    let is_task = fields.text("resultType").is_some_and(|kind| kind == "task");
    match fields.text("taskId").filter(|_| is_task) {
        Some(task) => Some(task.into_owned()),
        None => Some(Fields::read(fields.get("task")?.get()).ok()?.text("taskId")?.into_owned()),
    }
}

/// Since 2026-07-28 a tool may want an answer of the client first, and is called again with it.
fn asks_first(fields: &Fields<'_>) -> bool {
    !says_something(fields) && fields.text("resultType").is_some_and(|kind| kind == "input_required")
}

/// A client that does not know kinds of results would take it for one.
fn says_something(fields: &Fields<'_>) -> bool {
    fields.get("content").is_some() || fields.get("structuredContent").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Arc;

    use snaphook::ToolCall;

    struct New {
        content: Option<&'static str>,
        details: Option<Value>,
        is_error: Option<bool>,
    }

    fn said_with(body: &str, new: New, context: &[String]) -> String {
        let error = if body.contains("\"code\"") { "error" } else { "result" };
        let message = Message::read(format!(r#"{{"jsonrpc":"2.0","id":1,"{error}":{body}}}"#)).unwrap();
        let said = WrittenResult::read(&message).unwrap();
        let call = ToolCall::new("1", "mcp__s__t", json!({}));
        let result = ToolResult {
            original_input: Arc::clone(&call.input),
            call,
            content: new.content.unwrap_or(&said.text).into(),
            details: Arc::new(new.details.unwrap_or_else(|| said.details.clone())),
            is_error: new.is_error.unwrap_or(said.is_error),
        };
        said.with(Some(&result), context)
    }

    fn text(content: &'static str) -> New {
        New { content: Some(content), details: None, is_error: None }
    }

    #[test]
    fn a_rewrite_hides_the_original_wherever_it_stands() {
        let note = format!(
            r#""_meta":{{"{NOTE}":"structuredContent was dropped: hooks rewrote the text, and it would still say what they took out"}}"#
        );
        for (body, new, want) in [
            (r#"{"content":[{"type":"text","text":"a"}],"x":1.0}"#, text("b"), r#"{"content":[{"type":"text","text":"b"}],"x":1.0}"#.to_owned()),
            // Several texts become one; a picture stays where it is.
            (
                r#"{"content":[{"type":"image","data":"","n":1e2},{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"u","text":"b"}}]}"#,
                text("c"),
                r#"{"content":[{"type":"image","data":"","n":1e2},{"type":"text","text":"c"}]}"#.to_owned(),
            ),
            (r#"{"content":[]}"#, text("c"), r#"{"content":[{"type":"text","text":"c"}]}"#.to_owned()),
            // A structured copy of the text follows it.
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"content":"a","n":1}}"#,
                text("b"),
                r#"{"content":[{"type":"text","text":"b"}],"structuredContent":{"content":"b","n":1}}"#.to_owned(),
            ),
            (
                r#"{"content":[{"type":"text","text":"{\"k\": \"a\", \"l\":1}"}],"structuredContent":{"l":1,"k":"a"}}"#,
                text(r#"{"k":"b","l":1}"#),
                r#"{"content":[{"type":"text","text":"{\"k\":\"b\",\"l\":1}"}],"structuredContent":{"k":"b","l":1}}"#.to_owned(),
            ),
            // One that says more, or that cannot follow, is dropped.
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"content":"a","other":"secret"}}"#,
                text("b"),
                format!(r#"{{"content":[{{"type":"text","text":"b"}}],"isError":true,{note}}}"#),
            ),
            (
                r#"{"structuredContent":{"k":"a"},"content":[{"type":"text","text":"{\"k\":\"a\"}"}]}"#,
                text("no JSON"),
                format!(r#"{{"content":[{{"type":"text","text":"no JSON"}}],"isError":true,{note}}}"#),
            ),
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":17}}"#,
                text("b"),
                format!(r#"{{"content":[{{"type":"text","text":"b"}}],"isError":true,{note}}}"#),
            ),
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":17},"isError":true}"#,
                New { content: Some("b"), details: None, is_error: Some(false) },
                format!(r#"{{"content":[{{"type":"text","text":"b"}}],"isError":true,{note}}}"#),
            ),
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"k":"a"},"isError":false}"#,
                New { content: None, details: Some(Value::Null), is_error: None },
                r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#.to_owned(),
            ),
            // What the hook says about the structured copy holds.
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"k":"a"}}"#,
                New { content: Some("b"), details: Some(json!({"k": 1})), is_error: Some(true) },
                r#"{"content":[{"type":"text","text":"b"}],"structuredContent":{"k":1},"isError":true}"#.to_owned(),
            ),
            (
                r#"{"content":[{"type":"text","text":"{\"k\":\"a\"}"}],"structuredContent":{"k":"a"}}"#,
                New { content: None, details: Some(json!({"k": "b"})), is_error: None },
                r#"{"content":[{"type":"text","text":"{\"k\":\"b\"}"}],"structuredContent":{"k":"b"}}"#.to_owned(),
            ),
            (
                r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#,
                New { content: None, details: None, is_error: Some(false) },
                r#"{"content":[{"type":"text","text":"a"}],"isError":false}"#.to_owned(),
            ),
            // With all digits of what it left.
            (
                r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"k":"a","wei":123456789012345678901234}}"#,
                text("b"),
                r#"{"content":[{"type":"text","text":"b"}],"structuredContent":{"k":"b","wei":123456789012345678901234}}"#.to_owned(),
            ),
            // An error of the protocol has a text, too, and a copy.
            (r#"{"code":-1,"message":"a","data":{"m":"a"}}"#, text("b"), r#"{"code":-1,"message":"b"}"#.to_owned()),
        ] {
            assert_eq!(said_with(body, new, &[]), want, "{body}");
        }
    }

    #[test]
    fn what_hooks_say_beside_a_result_stands_behind_it() {
        let body = r#"{"content":[{"type":"text","text":"a","annotations":{}}]}"#;
        let message = Message::read(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{body}}}"#)).unwrap();
        let said = WrittenResult::read(&message).unwrap();
        let want =
            r#"{"content":[{"type":"text","text":"a","annotations":{}},{"type":"text","text":"note"}]}"#;
        assert_eq!(said.with(None, &["note".to_owned()]), want);
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_read() {
        for body in [
            r#"{"content":[],"content":[]}"#,
            r#"{"content":[{"type":"text","text":"a","text":"b"}]}"#,
            r#"{"content":[{"type":"text","Text":"a","text":"b"}]}"#,
            r#"{"content":{"type":"text"}}"#,
            r#"{"content":[],"structuredContent":{"a":1,"a":2}}"#,
            r#"{"content":[],"structuredcontent":{}}"#,
            "[]",
        ] {
            let message = Message::read(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{body}}}"#)).unwrap();
            assert!(WrittenResult::read(&message).is_err(), "{body}");
        }
    }
}
