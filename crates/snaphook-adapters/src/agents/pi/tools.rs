//! pi's tools: canonical names, where its inputs have the portable fields, and results, which are lists of blocks.

use serde_json::{Value, json};
use snaphook_core::{Event, Field, ToolCall};

use super::super::family::{payloads, results};
use crate::agent::Unreadable;
use crate::calls;
use crate::field_map::{FieldKeys, Spelled};
use crate::fields::Fields;
use crate::incoming::Incoming;
use snaphook_core::NewResult;

/// pi takes a leading `@` off a path, and every blank of Unicode for a plain one.
static FIELDS: Spelled = Spelled { fields: &KEYS, as_read };

fn as_read(path: &str) -> String {
    let plain: String = path.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    plain.strip_prefix('@').map(str::to_owned).unwrap_or(plain)
}

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, &["path", "file_path"]),
    ("write", Field::Path, &["path", "file_path"]),
    ("edit", Field::Path, &["path", "file_path"]),
    ("edit", Field::Content, &["newText", "edits.newText"]),
    ("glob", Field::Path, &["path"]),
    ("grep", Field::Path, &["path"]),
]);

/// The canonical name; the native one where there is none.
fn canonical(native: &str) -> &str {
    match native {
        "bash" | "powershell" => "bash",
        "find" | "ls" => "glob",
        other => other,
    }
}

/// `toolName`, `toolCallId`, `input`.
pub(super) fn call(data: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = data.need("toolName")?;
    let input = calls::input(data.need_value("input")?, "input")?;
    Ok(calls::call(data.text("toolCallId").unwrap_or_default(), canonical(native), native, input, &FIELDS))
}

/// The same with `content` and `isError`.
pub(super) fn result(data: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(data)?;
    let content = results::text(data.0.get("content").unwrap_or(&Value::Null));
    let details = data.0.get("details").cloned().unwrap_or_default();
    Ok(payloads::result(call, content, details, data.flag("isError")))
}

/// The blocks of a result with another text, and with a text behind it; `None` where nothing changes.
pub(super) fn content(incoming: &Incoming, new: Option<&NewResult>, context: Option<&str>) -> Option<Value> {
    let block = |text: &str| json!({"type": "text", "text": text});
    let before = incoming.raw.get("data").and_then(|data| data.get("content")).and_then(Value::as_array);
    let mut blocks = match (new, context) {
        (None, None) => return None,
        (Some(new), _) => vec![block(&new.content)],
        (None, Some(_)) => before.cloned().unwrap_or_default(),
    };
    blocks.extend(context.map(block));
    Some(blocks.into())
}
