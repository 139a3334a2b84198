//! Windsurf. Source: its documentation of Cascade hooks; nothing of it was run here. It reads no document: a hook that ends
//! with 2 stops what was about to happen, with standard error as the reason; every other end lets it happen.

mod events;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Field, Lifecycle, ToolCall};

use super::family::{payloads, results};
use crate::agent::{Agent, CANARY, Profile, Row, Unreadable};
use crate::calls;
use crate::field_map::FieldKeys;
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Setup};
use crate::reply::Reply;
use snaphook_core::Ruling;

static KEYS: FieldKeys = FieldKeys(&[
    ("bash", Field::Command, &["command_line"]),
    ("write", Field::Content, &["edits.new_string"]),
    ("edit", Field::Content, &["edits.new_string"]),
]);

const PROFILE: Profile = Profile::new("windsurf", "Windsurf", events::EVENTS);

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Windsurf;

impl Agent for Windsurf {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = fields.event_name("agent_action_name", native)?;
        let origin = Origin {
            session: fields.owned("trajectory_id"),
            transcript: info(fields).and_then(|info| Fields(info).owned("transcript_path")),
            // It is started in the workspace. The `cwd` of a command is where that one would run.
            cwd: None,
            prompt: fields.owned("execution_id"),
            ..Origin::default()
        };
        Incoming::of(payload, native, origin, events)
    }

    fn answer(&self, _: &Incoming, response: &Response) -> Reply {
        match &response.ruling {
            Ruling::Deny(reason) => Reply::refused(2, reason),
            _ => Reply::silent(),
        }
    }

    fn deny(&self, _: Option<&str>, reason: &str) -> Reply {
        Reply::refused(2, reason)
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "agent_action_name": "pre_run_command",
            "trajectory_id": CANARY,
            "execution_id": CANARY,
            "tool_info": {"command_line": "true", "cwd": cwd},
        });
        Some(("pre_run_command", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let file = setup.file(".codeium/windsurf/hooks.json", ".windsurf/hooks.json");
        let entry = |row: &Row| json!({"command": setup.command(row), "show_output": false});
        Ok(setup.lists(file, "hooks", entry))
    }
}

fn info(fields: Fields<'_>) -> Option<&Map<String, Value>> {
    fields.0.get("tool_info")?.as_object()
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    if !events::EVENTS.iter().any(|row| row.native == native && !row.events.is_empty()) {
        return Ok(Vec::new());
    }
    let info = Fields(info(fields).ok_or_else(|| Unreadable("`tool_info` is not a map".to_owned()))?);
    Ok(match native {
        "pre_user_prompt" => payloads::prompt(info, "user_prompt")?,
        "post_cascade_response" => {
            vec![lifecycle(Lifecycle::AgentEnd, [("last_message", value(info.text("response")))])?]
        }
        _ => match native.strip_prefix("pre_") {
            Some(action) => vec![Event::tool_call(call(action, fields, info)?)],
            None => {
                let said = info.0.get("mcp_result").cloned().unwrap_or_default();
                let call = call(native.trim_start_matches("post_"), fields, info)?;
                let details = if said.is_string() { Value::Null } else { said.clone() };
                vec![payloads::result(call, results::text(&said), details, false)]
            }
        },
    })
}

/// Returns what it is about to do. An edit that replaces nothing writes a file.
fn call(action: &str, fields: Fields<'_>, info: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let whole = || Value::Object(info.0.clone());
    let (tool, input) = match action {
        "run_command" => {
            info.need("command_line")?;
            ("bash".to_owned(), whole())
        }
        "read_code" => {
            info.need("file_path")?;
            ("read".to_owned(), whole())
        }
        "write_code" => {
            info.need("file_path")?;
            let edits = info.0.get("edits").and_then(Value::as_array);
            let new = edits.is_some_and(|edits| {
                !edits.is_empty() && edits.iter().all(|edit| edit.get("old_string") == Some(&Value::from("")))
            });
            (if new { "write" } else { "edit" }.to_owned(), whole())
        }
        _ => {
            let tool = calls::mcp(info.need("mcp_server_name")?, info.need("mcp_tool_name")?);
            let arguments = info.0.get("mcp_tool_arguments").cloned().unwrap_or_default();
            (tool, calls::input(&arguments, "mcp_tool_arguments")?)
        }
    };
    let mut call = calls::call("", &tool, action, input, &KEYS);
    payloads::number(&mut call, fields);
    Ok(call)
}
