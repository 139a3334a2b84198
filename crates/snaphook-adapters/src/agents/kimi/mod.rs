//! Kimi Code. What version 2.1.0 was seen to do; of compactions, failures and notifications, what its program says. Its payloads have Claude Code's names; of answers it knows a denial alone, in Claude Code's
//! form or as exit code 2, and takes whatever else is written at a prompt as text for the model.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::family::{answers, payloads};
use crate::agent::{Agent, Profile, Row, Tier, Unreadable};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup};
use crate::reply::Reply;
use snaphook_core::Ruling;

const PROFILE: Profile = Profile {
    tier: Tier::Run("2.1.0"),
    moved_by: Some(("KIMI_CODE_HOME", ".kimi-code")),
    ..Profile::new("kimi", "Kimi Code", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Kimi;

impl Agent for Kimi {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        payloads::read(payload, native, events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let native = incoming.native.as_str();
        match (&response.ruling, &response.continue_with, &response.context) {
            (Ruling::Deny(reason), _, _) => denied(native, reason),
            // An end that is denied is a turn that goes on.
            (_, Some(text), _) => denied(native, text),
            (_, None, Some(context)) => Reply { stdout: context.clone(), ..Reply::default() },
            _ => Reply::silent(),
        }
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("PreToolUse") => answers::deny_tool(reason),
            Some("UserPromptSubmit") => denied("UserPromptSubmit", reason),
            // Nothing to deny. To deny an end would be to go on.
            Some(native) if self.row(native).is_some() => Reply::json(&json!({"systemMessage": reason})),
            _ => Reply::refused(2, reason),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("PreToolUse", payloads::canary("PreToolUse", "Bash", cwd)))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        if setup.reach == Reach::Project {
            return Err(InstallError::PersonOnly { title: self.title(), agent: self.id() });
        }
        let entry = |row: &Row| json!({"event": row.native, "command": setup.command(row), "timeout": row.limit.as_secs()});
        Ok(setup.tables(".kimi-code/config.toml", entry))
    }
}

/// The one form of a no.
fn denied(native: &str, reason: &str) -> Reply {
    Reply::json(&json!({"hookSpecificOutput": {
        "hookEventName": native, "permissionDecision": "deny", "permissionDecisionReason": reason,
    }}))
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "PostToolUse" | "PostToolUseFailure" => vec![tools::result(fields)?],
        "UserPromptSubmit" => prompt(fields)?,
        "SessionStart" => payloads::session_start(fields)?,
        "SessionEnd" => vec![payloads::session_end(fields)?],
        "Stop" => vec![payloads::agent_end(fields)?],
        "StopFailure" => {
            let error = fields.any_text(&["error_message", "error_type"]).unwrap_or("unknown");
            vec![lifecycle(Lifecycle::AgentError, [("error", value(Some(error)))])?]
        }
        "Interrupt" => {
            vec![lifecycle(Lifecycle::AgentError, [("error", value(Some("interrupted by the person")))])?]
        }
        "SubagentStart" => vec![payloads::subagent(fields, Lifecycle::SubagentStart)?],
        "SubagentStop" => {
            let name = fields.text("agent_name").unwrap_or("subagent");
            let last = value(fields.text("response"));
            vec![lifecycle(
                Lifecycle::SubagentEnd,
                [("subagent", value(Some(name))), ("last_message", last)],
            )?]
        }
        "PreCompact" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        "PostCompact" => vec![payloads::compact(fields, Lifecycle::SessionCompact)?],
        "Notification" => vec![payloads::notification(fields)?],
        _ => Vec::new(),
    })
}

/// The prompt is a list of parts; those that are no text (pictures) are not shown.
fn prompt(fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    let parts = match fields.need_value("prompt")? {
        Value::String(_) => return payloads::user_prompt(fields),
        Value::Array(parts) => parts,
        other => {
            return Err(Unreadable(format!("`prompt` is {}, not a list", crate::fields::kind(other))));
        }
    };
    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    let mut map = fields.0.clone();
    map.insert("prompt".to_owned(), texts.collect::<Vec<_>>().join("\n").into());
    payloads::user_prompt(Fields(&map))
}
