//! Factory Droid. Version 0.225 was run as `droid exec`; of what only its interface has (prompts, notifications) is here what its
//! documentation says.

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
use crate::install::{Edit, FileContent, InstallError, Part, Reach, Setup, family_entry};
use crate::reply::Reply;
use crate::switches::{self, Off, SettingsFile};
use snaphook_core::Ruling;

/// The exit code that refuses. Three ends the whole session.
const REFUSED: u8 = 2;

const HOOKS: &str = ".factory/hooks.json";
const SETTINGS: &str = ".factory/settings.json";

const PROFILE: Profile = Profile {
    tier: Tier::Run("0.225.2"),
    start_variable: Some("FACTORY_PROJECT_DIR"),
    switch_files: &[
        (Reach::User, SETTINGS),
        (Reach::User, HOOKS),
        (Reach::Project, SETTINGS),
        (Reach::Project, HOOKS),
    ],
    ..Profile::new("droid", "Factory Droid", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Droid;

impl Agent for Droid {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = payloads::native(fields, native)?;
        let mut origin = payloads::origin(fields);
        origin.prompt = fields.owned("message_id");
        Incoming::of(payload, native, origin, events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Document::default();
        match (incoming.native.as_str(), &response.ruling) {
            // Knows no document, only the exit code.
            ("PreCompact", Ruling::Deny(reason)) => return Reply::refused(REFUSED, reason),
            ("PreToolUse", _) => answers::before_tool(&mut document, response),
            ("UserPromptSubmit", _) => answers::block(&mut document, response),
            ("Stop" | "SubagentStop", _) => answers::go_on(&mut document, response),
            _ => answers::context(&mut document, response),
        }
        answers::person(&mut document, response);
        document.reply(&incoming.native)
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("PreToolUse") => answers::deny_tool(reason),
            Some("UserPromptSubmit") => Reply::json(&json!({"decision": "block", "reason": reason})),
            // Nothing to deny. To block an end would be to go on.
            Some(
                "PostToolUse" | "SessionStart" | "SessionEnd" | "Stop" | "SubagentStop" | "Notification",
            ) => Reply::json(&json!({"systemMessage": reason})),
            _ => Reply::refused(REFUSED, reason),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("PreToolUse", payloads::canary("PreToolUse", "Execute", cwd)))
    }

    fn switched_off(&self, _: Reach, files: &[SettingsFile]) -> Vec<Off> {
        let mut found = switches::set(files, &[SETTINGS], &["hooks", "hooksDisabled"]);
        found.append(&mut switches::set(files, &[SETTINGS, HOOKS], &["hooksDisabled"]));
        found
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| family_entry(&setup.command(row), row.limit.as_secs(), None);
        // The events are at the top of this file.
        let parts = setup.rows.iter().map(|row| Part::element([row.native], entry(row)));
        Ok(vec![Edit { file: HOOKS.to_owned(), content: FileContent::Json(parts.collect()) }])
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "PostToolUse" => vec![tools::result(fields)?],
        "UserPromptSubmit" => payloads::user_prompt(fields)?,
        "SessionStart" => payloads::session_start(fields)?,
        "SessionEnd" => vec![payloads::session_end(fields)?],
        "Stop" => vec![payloads::agent_end(fields)?],
        "SubagentStop" => vec![payloads::subagent(fields, Lifecycle::SubagentEnd)?],
        "PreCompact" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        "Notification" => vec![payloads::notification(fields)?],
        _ => Vec::new(),
    })
}
