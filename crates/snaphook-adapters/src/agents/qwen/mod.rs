//! Qwen Code, a fork of Gemini CLI with events after Claude Code's. What version 0.24.4 was seen to do: it reads neither a rewritten
//! input nor a text before a tool, and after a tool nothing but `continue: false` and a text to add. Of what only its
//! interface has, what its hooks page says.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::family::answers::{self, Document};
use super::family::payloads;
use crate::agent::{Agent, Profile, Row, Tier, Unreadable};
use crate::fields::Fields;
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup, family_entry, milliseconds};
use crate::reply::Reply;
use crate::switches::{self, Off, SettingsFile};

const SETTINGS: &str = ".qwen/settings.json";

const PROFILE: Profile = Profile {
    tier: Tier::Run("0.24.4"),
    start_variable: Some("QWEN_PROJECT_DIR"),
    switch_files: &[(Reach::User, SETTINGS), (Reach::Project, SETTINGS)],
    ..Profile::new("qwen", "Qwen Code", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Qwen;

impl Agent for Qwen {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        payloads::read(payload, native, events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Document::default();
        match incoming.native.as_str() {
            "PreToolUse" => answers::before_tool(&mut document, response),
            "PermissionRequest" => answers::permission(&mut document, response),
            "PostToolUse" => match response.hidden_with_context() {
                Some(text) => {
                    document.top("continue", false).top("stopReason", text);
                }
                None => answers::context(&mut document, response),
            },
            "UserPromptSubmit" => answers::block(&mut document, response),
            "Stop" | "SubagentStop" => answers::go_on(&mut document, response),
            _ => answers::context(&mut document, response),
        }
        document.reply(&incoming.native)
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("PreToolUse") => answers::deny_tool(reason),
            Some("PermissionRequest") => answers::deny_permission(reason),
            Some("UserPromptSubmit") => Reply::json(&json!({"decision": "block", "reason": reason})),
            Some("PostToolUse") => Reply::json(&json!({"continue": false, "stopReason": reason})),
            // Nothing to deny. To block an end would be to go on.
            Some(native) if self.row(native).is_some() => Reply::json(&json!({"systemMessage": reason})),
            _ => Reply::refused(2, reason),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("PreToolUse", payloads::canary("PreToolUse", "run_shell_command", cwd)))
    }

    fn switched_off(&self, _: Reach, files: &[SettingsFile]) -> Vec<Off> {
        let mut found = switches::set(files, &[SETTINGS], &["disableAllHooks"]);
        found.append(&mut switches::variables(files));
        found
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| {
            // Newer versions deny by themselves where the hook fails; older ones do not know the key.
            let fail_mode = row.is_gate().then(|| ("failMode", json!("closed")));
            // Newer versions count in seconds, but take what is at least 1000 for milliseconds, as the older ones do.
            family_entry(&setup.command(row), milliseconds(row).max(1000), fail_mode)
        };
        Ok(setup.lists(SETTINGS, "hooks", entry))
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "PermissionRequest" => vec![Event::permission_request(tools::call(fields)?)],
        "PostToolUse" | "PostToolUseFailure" => vec![payloads::result_of(tools::call(fields)?, fields)],
        "UserPromptSubmit" => {
            let mut events = payloads::user_prompt(fields)?;
            // Also fires for what goes to the model between two tools; what the person wrote is marked.
            if fields.text("submitted_prompt").is_none() {
                events.truncate(1);
            }
            events
        }
        "SessionStart" => payloads::session_start(fields)?,
        "SessionEnd" => vec![payloads::session_end(fields)?],
        "Stop" => vec![payloads::agent_end(fields)?],
        "StopFailure" => vec![payloads::agent_error(fields)?],
        "SubagentStart" => vec![payloads::subagent(fields, Lifecycle::SubagentStart)?],
        "SubagentStop" => vec![payloads::subagent(fields, Lifecycle::SubagentEnd)?],
        "PreCompact" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        "Notification" => vec![payloads::notification(fields)?],
        _ => Vec::new(),
    })
}
