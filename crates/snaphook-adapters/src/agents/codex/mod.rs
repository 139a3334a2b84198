//! Codex CLI. What version 0.169.0 was seen to do, and what its published source says of the keys that each event's answer
//! may have: an answer with one key more counts as a failed hook, and a failed hook lets the agent go on.

mod approval;
mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::family::answers::{self, Document};
use super::family::payloads;
use crate::agent::{Agent, CANARY, Profile, Row, Tier, Unreadable};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup, family_entry};
use crate::reply::Reply;
use crate::switches::{self, Off, SettingsFile};
use snaphook_core::Ruling;

const HOOKS: &str = ".codex/hooks.json";
const SETTINGS: &str = ".codex/config.toml";

const PROFILE: Profile = Profile {
    tier: Tier::Run("0.169.0"),
    moved_by: Some(("CODEX_HOME", ".codex")),
    after_install: "Codex skips a hook without a word until you have approved it: start codex, open /hooks and approve snaphook's; again whenever \
         an installation changed something. A project's hooks run only where you trust the project.",
    switch_files: &[(Reach::User, SETTINGS), (Reach::Project, SETTINGS)],
    ..Profile::new("codex", "Codex CLI", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Agent for Codex {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        payloads::read(payload, native, events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Document::default();
        match incoming.native.as_str() {
            "PreToolUse" => before_tool(&mut document, response),
            "PermissionRequest" => answers::permission(&mut document, response),
            "PostToolUse" => after_tool(&mut document, response),
            "UserPromptSubmit" => answers::block(&mut document, response),
            "PreCompact" => {
                if let Ruling::Deny(reason) = &response.ruling {
                    document.top("continue", false).top("stopReason", reason.as_str());
                }
            }
            "Stop" | "SubagentStop" => answers::go_on(&mut document, response),
            _ => answers::context(&mut document, response),
        }
        answers::person(&mut document, response);
        match document.finish(&incoming.native) {
            Some(document) => Reply::json(&document),
            None => self.nothing(Some(&incoming.native)),
        }
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        Reply::json(&match native {
            Some("PreToolUse") => return answers::deny_tool(reason),
            Some("PermissionRequest") => return answers::deny_permission(reason),
            Some("UserPromptSubmit" | "PostToolUse") => json!({"decision": "block", "reason": reason}),
            // Compaction knows no decision, and exit code 2 does not stop it.
            Some("PreCompact") => json!({"continue": false, "stopReason": reason}),
            // Nothing to deny. To block an end would be to go on, without end where the cause stays.
            Some(native) if self.row(native).is_some() => json!({"systemMessage": reason}),
            // Denies a call, a permission and a prompt; no document does all three.
            _ => return Reply::refused(2, reason),
        })
    }

    fn nothing(&self, native: Option<&str>) -> Reply {
        match native {
            // Those are documented to need a document.
            Some("Stop" | "SubagentStop") => Reply::json(&json!({})),
            _ => Reply::silent(),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let mut payload = payloads::canary("PreToolUse", "Bash", cwd);
        payload["turn_id"] = CANARY.into();
        payload["model"] = "none".into();
        Some(("PreToolUse", payload))
    }

    fn switched_off(&self, reach: Reach, files: &[SettingsFile]) -> Vec<Off> {
        let mut found = switches::is(files, &[SETTINGS], &["features", "hooks"], &json!(false));
        let of =
            |reach: Reach, name: &str| files.iter().find(|file| file.reach == reach && file.file == name);
        if let Some(hooks) = of(reach, HOOKS) {
            // Approvals are the person's, for a project's hooks, too.
            found.append(&mut approval::missing(hooks, of(Reach::User, SETTINGS)));
        }
        found
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| family_entry(&setup.command(row), row.limit.as_secs(), None);
        Ok(setup.lists(HOOKS, "hooks", entry))
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "PermissionRequest" => vec![Event::permission_request(tools::call(fields)?)],
        "PostToolUse" => vec![tools::result(fields)?],
        "UserPromptSubmit" => {
            let mut events = payloads::user_prompt(fields)?;
            // A subagent's task: the main agent wrote it, and `subagent_start` has said that it begins.
            if fields.text("agent_id").is_some() {
                events.truncate(1);
            }
            events
        }
        "SessionStart" => payloads::session_start(fields)?,
        "SessionEnd" => vec![payloads::session_end(fields)?],
        "Stop" => vec![payloads::agent_end(fields)?],
        "Interrupt" => {
            vec![lifecycle(Lifecycle::AgentError, [("error", value(Some("interrupted by the person")))])?]
        }
        "SubagentStart" => vec![payloads::subagent(fields, Lifecycle::SubagentStart)?],
        "SubagentStop" => vec![payloads::subagent(fields, Lifecycle::SubagentEnd)?],
        "PreCompact" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        _ => Vec::new(),
    })
}

/// As the family does it, but a rewritten input has to be allowed in the same breath, and nothing else may be.
fn before_tool(document: &mut Document, response: &Response) {
    if response.input.is_some() {
        document.specific("permissionDecision", "allow");
    }
    answers::before_tool(document, response);
}

/// The reason of a block is what the model reads instead of the result, word for word and not as a failure.
fn after_tool(document: &mut Document, response: &Response) {
    if let Some(new) = &response.result {
        let text = match new.content.trim() {
            // Without a reason it would count as a failed hook.
            "" => "(a hook took the result away)",
            _ => &new.content,
        };
        document.top("decision", "block").top("reason", text);
    }
    answers::context(document, response);
}
