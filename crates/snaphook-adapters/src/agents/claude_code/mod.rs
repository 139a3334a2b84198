//! Claude Code. Sources: its hooks reference, and what version 2.1.197 was seen to do.

mod events;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle, Payload};

use super::family::answers::{self, Document};
use super::family::{payloads, results, tools};
use crate::agent::{Agent, Profile, Row, Tier, Unreadable};
use crate::effects::{Effect, Effects};
use crate::fields::Fields;
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup, family_entry};
use crate::reply::Reply;
use crate::sender;
use crate::switches::{self, Off, SettingsFile};
use snaphook_core::NewResult;

const PROFILE: Profile = Profile {
    tier: Tier::Run("2.1.330"),
    start_variable: Some("CLAUDE_PROJECT_DIR"),
    moved_by: Some(("CLAUDE_CONFIG_DIR", ".claude")),
    switch_files: SWITCHES,
    ..Profile::new("claude-code", "Claude Code", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

impl Agent for ClaudeCode {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        if let Some(guest) = guest(fields) {
            let mut incoming = guest.read(native, payload)?;
            incoming.origin.sender = Some(guest.id());
            return Ok(incoming);
        }
        let native = payloads::native(fields, native)?;
        Incoming::of(payload, native, payloads::origin(fields), events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        if let Some(guest) = guest(Fields(&incoming.raw)) {
            return guest.answer(incoming, response);
        }
        let mut document = Document::default();
        match incoming.native.as_str() {
            "PreToolUse" => answers::before_tool(&mut document, response),
            "PermissionRequest" => answers::permission(&mut document, response),
            "UserPromptSubmit" | "PreCompact" => answers::block(&mut document, response),
            "Stop" | "SubagentStop" => answers::go_on(&mut document, response),
            _ => {
                let new = response.result.as_ref().and_then(|new| replaced(incoming, new));
                if let Some(new) = new {
                    document.specific("updatedToolOutput", new);
                }
                answers::context(&mut document, response);
            }
        }
        answers::person(&mut document, response);
        document.reply(&incoming.native)
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("PreToolUse") => answers::deny_tool(reason),
            Some("PermissionRequest") => answers::deny_permission(reason),
            // Blocks before a tool, too, so it is right whatever the event was.
            _ => Reply::json(&json!({"decision": "block", "reason": reason})),
        }
    }

    fn switched_off(&self, _: Reach, files: &[SettingsFile]) -> Vec<Off> {
        let mut found = switches::set(files, &SWITCHES.map(|(_, file)| file), &["disableAllHooks"]);
        found.append(&mut switches::variables(files));
        found
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("PreToolUse", payloads::canary("PreToolUse", "Bash", cwd)))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| {
            // Newer versions deny by themselves where the hook fails; older ones do not know the key.
            let on_failure = row.is_gate().then(|| ("onFailure", json!("block")));
            family_entry(&setup.command(row), row.limit.as_secs().max(1), on_failure)
        };
        Ok(setup.lists(".claude/settings.json", "hooks", entry))
    }

    fn effects(&self, incoming: &Incoming) -> Effects {
        if let Some(guest) = guest(Fields(&incoming.raw)) {
            return guest.effects(incoming);
        }
        let effects = self.row_effects(&incoming.native);
        let known = is_known(Fields(&incoming.raw));
        let effects = if known { effects } else { effects.without(Effect::Ask) };
        let response = incoming.raw.get("tool_response");
        // A result that is not in the tool's own shape is ignored, and the model reads the original.
        match response.and_then(|response| results::in_shape(response, "")) {
            Some(new) if !new.is_string() => effects,
            _ => effects.without(Effect::RewriteResult),
        }
    }
}

const SWITCHES: &[(Reach, &str); 4] = &[
    (Reach::User, ".claude/settings.json"),
    (Reach::User, ".claude/settings.local.json"),
    (Reach::Project, ".claude/settings.json"),
    (Reach::Project, ".claude/settings.local.json"),
];

/// Returns whether the payload has what Claude Code always sends. Other agents use its form, and run what they are told to ask about.
fn is_known(fields: Fields<'_>) -> bool {
    fields.text("permission_mode").is_some() && fields.0.contains_key("transcript_path")
}

/// The agent that sent this because it runs Claude Code's hooks beside its own, where its tools have names of their own.
fn guest(fields: Fields<'_>) -> Option<&'static dyn Agent> {
    (sender::by_payload(fields) == Some("grok")).then_some(&super::grok::Grok)
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "PreToolUse" => vec![payloads::tool_call(fields)?],
        "PermissionRequest" => vec![Event::permission_request(payloads::call(fields, tools::canonical)?)],
        "PostToolUse" | "PostToolUseFailure" => vec![payloads::tool_result(fields, tools::canonical)?],
        "UserPromptSubmit" => payloads::user_prompt(fields)?,
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

/// The result that the agent takes: the hook's own details where it changed them, else its text in the tool's shape.
fn replaced(incoming: &Incoming, new: &NewResult) -> Option<Value> {
    let response = incoming.raw.get("tool_response")?;
    let before = incoming.events.first().and_then(|event| match event.payload() {
        Payload::Result(result) => Some(&result.content),
        _ => None,
    });
    if before.is_some_and(|before| *before == new.content) && !new.details.is_null() {
        return Some((*new.details).clone());
    }
    // What hooks made of the details counts for all but the text; details that they took away are gone.
    let others = match &*new.details {
        Value::Null => None,
        details => {
            results::in_shape(details, &new.content).filter(|_| details.is_object() == response.is_object())
        }
    };
    others.or_else(|| results::in_shape(&emptied_but_text(response, new), &new.content))
}

/// The result without what hooks did not leave: a text that is all there was has no details.
fn emptied_but_text(response: &Value, new: &NewResult) -> Value {
    match response {
        Value::String(_) if new.details.is_null() => response.clone(),
        _ => results::emptied(response),
    }
}
