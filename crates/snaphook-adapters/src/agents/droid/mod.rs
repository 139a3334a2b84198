//! Factory Droid. Not run: what stands here is what its documentation says and what third parties read in the binary of version
//! 0.223. Whether a rewritten input counts without `permissionDecision: "allow"`, which takes the person's own question
//! away, nobody has seen; so a rewritten call is denied with the input to send instead.

mod rows;
mod tools;

use serde_json::{Map, Value, json};
use snaphook::{Event, Lifecycle};

use super::family::answers::{self, Document};
use super::family::payloads;
use crate::agent::{Agent, Row, Unreadable};
use crate::fields::Fields;
use crate::incoming::Incoming;
use crate::install::{Edit, Launcher, Part, Reach, What, family_entry};
use crate::reply::Reply;
use crate::settle::Say;
use crate::wants::Ruling;

/// The exit code that refuses. Three ends the whole session.
const REFUSED: u8 = 2;

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Droid;

impl Agent for Droid {
    fn id(&self) -> &'static str {
        "droid"
    }

    fn title(&self) -> &'static str {
        "Factory Droid"
    }

    fn rows(&self) -> &'static [Row] {
        rows::ROWS
    }

    fn start_variable(&self) -> Option<&'static str> {
        Some("FACTORY_PROJECT_DIR")
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = payloads::native(fields, native)?;
        let mut origin = payloads::origin(fields);
        origin.prompt = fields.owned("message_id");
        Ok(Incoming {
            events: events(native, fields)?,
            native: native.to_owned(),
            origin,
            raw: payload.clone(),
        })
    }

    fn answer(&self, incoming: &Incoming, say: &Say) -> Reply {
        let mut document = Document::default();
        match (incoming.native.as_str(), &say.ruling) {
            // Knows no document, only the exit code.
            ("PreCompact", Ruling::Deny(reason)) => return Reply::refused(REFUSED, reason),
            ("PreToolUse", _) => answers::before_tool(&mut document, say),
            ("UserPromptSubmit", _) => answers::block(&mut document, say),
            ("Stop" | "SubagentStop", _) => answers::go_on(&mut document, say),
            _ => answers::context(&mut document, say),
        }
        answers::person(&mut document, say);
        document.finish(&incoming.native).map_or_else(Reply::silent, |document| Reply::json(&document))
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

    fn install(&self, _: Reach, launcher: &Launcher, rows: &[&'static Row]) -> Result<Vec<Edit>, String> {
        let entry = |row: &Row| family_entry(&launcher.command(row), row.limit.as_secs(), &[]);
        // The events stand at the top of this file.
        let parts = rows.iter().map(|row| Part::element([row.native], entry(row)));
        Ok(vec![Edit { file: ".factory/hooks.json".to_owned(), what: What::Json(parts.collect()) }])
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
