//! goose. Sources: its documentation of hooks; a third party's reading of the code of version 1.51.0 (names of tools, that
//! results carry no text, what counts as no decision). Nothing of it was run here.
//!
//! A hook that ends with 0 and prints nothing has decided; `{}` has not, and denies where `on_failure` is `block`.

mod events;

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Field, ToolCall};

use super::family::{payloads, results};
use crate::agent::{Agent, CANARY, Profile, Row, Unreadable};
use crate::calls;
use crate::field_map::FieldKeys;
use crate::fields::Fields;
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Setup, family_entry, marker};
use crate::reply::Reply;
use snaphook_core::Ruling;

static KEYS: FieldKeys = FieldKeys(&[
    ("edit", Field::Content, &["after", "new_str", "file_text"]),
    ("read", Field::Path, &["path", "source", "file_path"]),
]);

const PROFILE: Profile = Profile::new("goose", "goose", events::EVENTS);

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Goose;

impl Agent for Goose {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = fields.event_name("event", native)?;
        let origin = Origin {
            session: fields.owned("session_id"),
            cwd: fields.folder("working_dir"),
            ..Origin::default()
        };
        Incoming::of(payload, native, origin, events)
    }

    fn answer(&self, _: &Incoming, response: &Response) -> Reply {
        match (&response.ruling, &response.continue_with) {
            (Ruling::Deny(text), _) | (_, Some(text)) => block(text),
            _ => Reply::silent(),
        }
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("PreToolUse") => block(reason),
            _ => Reply::refused(2, reason),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "event": "PreToolUse",
            "session_id": CANARY,
            "tool_call_id": CANARY,
            "tool_name": "shell",
            "tool_input": {"command": "true"},
            "working_dir": cwd,
        });
        Some(("PreToolUse", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| {
            // Older versions do not know the key.
            let on_failure = row.is_gate().then(|| ("on_failure", json!("block")));
            family_entry(&setup.command(row), row.limit.as_secs(), on_failure)
        };
        let plugin = json!({"name": "snaphook", "version": "1.0.0", "description": marker(self.id())});
        let file = |name: &str, document: Value| {
            Edit::own(&format!(".agents/plugins/snaphook/{name}"), format!("{document:#}\n"))
        };
        let hooks = json!({"hooks": setup.map(entry)});
        Ok(vec![file("plugin.json", plugin), file("hooks/hooks.json", hooks)])
    }
}

fn block(reason: &str) -> Reply {
    Reply::json(&json!({"decision": "block", "reason": reason}))
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(call(fields)?)],
        "PostToolUse" | "PostToolUseFailure" => {
            // The field is known, and so far always empty.
            let output = fields.0.get("tool_output").cloned().unwrap_or_default();
            let details = if output.is_string() { Value::Null } else { output.clone() };
            let failed = native == "PostToolUseFailure";
            vec![payloads::result(call(fields)?, results::text(&output), details, failed)]
        }
        "UserPromptSubmit" => payloads::prompt(fields, "message")?,
        "Stop" => vec![payloads::agent_end(fields)?],
        "SessionStart" => payloads::session_start(fields)?,
        "SessionEnd" => vec![payloads::session_end(fields)?],
        _ => Vec::new(),
    })
}

fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = fields.need("tool_name")?;
    let input = calls::input(fields.need_value("tool_input")?, "tool_input")?;
    let id = fields.text("tool_call_id").unwrap_or_default();
    let mut call = calls::call(id, &canonical(native), native, input, &KEYS);
    payloads::number(&mut call, fields);
    Ok(call)
}

/// The canonical name. `EXTENSION__TOOL` is an MCP server's, but for those that come with goose.
fn canonical(native: &str) -> Cow<'_, str> {
    let plain = native.strip_prefix("developer__").unwrap_or(native);
    Cow::Borrowed(match plain {
        "shell" => "bash",
        "write" => "write",
        "edit" | "text_editor" => "edit",
        "read" | "read_image" => "read",
        "tree" => "glob",
        "todo__todo_write" | "todo__todo_read" | "todo_write" => "todo",
        "delegate" | "subagent" => "task",
        _ => match native.split_once("__") {
            Some((server, tool)) if !server.is_empty() && server != "mcp" && !tool.is_empty() => {
                return calls::mcp(server, tool).into();
            }
            _ => native,
        },
    })
}
