//! Kiro CLI, before that Amazon Q Developer CLI. Not run: what is here is what its documentation says and what third
//! parties read in the source of its ancestor and in the program of version 2.22. It has two engines with different hooks: the older one
//! (the default) writes its events in camel case and knows one answer, exit code 2 before a tool; the newer one (3) writes
//! them as Claude Code does and knows some more. Standard output is text for the model, not a document.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::family::payloads;
use crate::agent::{Agent, Profile, Unreadable};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Setup, milliseconds};
use crate::reply::Reply;
use snaphook_core::Ruling;

/// The exit code that refuses.
const REFUSED: u8 = 2;

const PROFILE: Profile = Profile {
    // The newer engine cuts some texts at 3000 characters, the older one at 10,240 bytes.
    longest_context: 3_000,
    ..Profile::new("kiro", "Kiro CLI", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Kiro;

impl Agent for Kiro {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        payloads::read(payload, native, events)
    }

    fn answer(&self, _: &Incoming, response: &Response) -> Reply {
        match (&response.ruling, &response.continue_with, &response.context) {
            (Ruling::Deny(reason), ..) => Reply::refused(REFUSED, reason),
            (Ruling::Ask(question), ..) => Reply::json(&json!({"hookSpecificOutput": {
                "permissionDecision": "ask", "permissionDecisionReason": question,
            }})),
            (_, Some(text), _) => Reply::json(&json!({"decision": "block", "reason": text})),
            (_, None, Some(text)) => Reply { stdout: text.clone(), ..Reply::default() },
            _ => Reply::silent(),
        }
    }

    fn deny(&self, _: Option<&str>, reason: &str) -> Reply {
        Reply::refused(REFUSED, reason)
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("preToolUse", payloads::canary("preToolUse", "execute_bash", cwd)))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        // The default engine runs no hooks but those of the agent in use, whose file is the person's; those of the newer one alone
        // would leave every other session without a gate.
        let mut older = setup.rows.to_vec();
        older.retain(|row| row.native.starts_with(char::is_lowercase));
        let hooks = Setup { rows: &older, ..*setup }.map(
            |row| json!({"matcher": "*", "command": setup.command(row), "timeout_ms": milliseconds(row)}),
        );
        Err(InstallError::ByHand {
            title: self.title(),
            file: "~/.kiro/agents/NAME.json",
            hooks: json!({"hooks": hooks}),
        })
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "preToolUse" | "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "postToolUse" | "PostToolUse" => tools::results(fields)?,
        "userPromptSubmit" | "UserPromptSubmit" => payloads::user_prompt(fields)?,
        "agentSpawn" | "SessionStart" => payloads::session_start(fields)?,
        "stop" | "Stop" => {
            let last = fields.any_text(&["assistant_response", "last_assistant_message"]);
            vec![lifecycle(Lifecycle::AgentEnd, [("last_message", value(last))])?]
        }
        _ => Vec::new(),
    })
}
