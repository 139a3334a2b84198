//! Cursor: the editor, its command line and its cloud agents. Sources: its hooks reference; payloads that others captured with
//! 3.18.25; a third party's reading of the command line's build 2026.09.18 (time limit, what an empty output does, that
//! `updated_input` needs no `permission`, that a text of more than 10,000 characters is dropped). None of it was run here.
//!
//! A hook that ends with 0 and prints nothing counts as failed where `failClosed` is set, so "nothing to say" is `{}`. What
//! is no JSON, or not what the event's schema says, blocks the events that can be denied.

mod events;
mod native_payloads;
mod tools;

use serde_json::{Map, Value, json};

use super::family::{payloads, results};
use crate::agent::{Agent, CANARY, Profile, Row, Unreadable};
use crate::calls;
use crate::effects::{Effect, Effects};
use crate::fields::Fields;
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, FileContent, InstallError, Part, Setup};
use crate::reply::Reply;
use snaphook_core::{NewResult, Ruling};

const PROFILE: Profile = Profile {
    start_variable: Some("CURSOR_PROJECT_DIR"),
    ..Profile::new("cursor", "Cursor", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Cursor;

impl Agent for Cursor {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = payloads::native(fields, native)?;
        Incoming::of(payload, native, native_payloads::origin(fields), native_payloads::read)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = ruled(&incoming.native, &response.ruling);
        if let (Ruling::Deny(reason), true) = (&response.ruling, document.is_empty()) {
            return Reply::refused(2, reason);
        }
        let mut put = |key: &str, value: Option<Value>| {
            document.extend(value.map(|value| (key.to_owned(), value)));
        };
        // Without `permission`: no objection is no approval.
        put("updated_input", response.input.clone());
        put("updated_mcp_tool_output", response.result.as_ref().map(|new| replaced(incoming, new)));
        put("additional_context", response.context.clone().map(Value::from));
        put("followup_message", response.continue_with.clone().map(Value::from));
        put("user_message", response.tell.clone().map(Value::from));
        Reply::json(&document.into())
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native.map(|native| ruled(native, &Ruling::Deny(reason.to_owned()))) {
            Some(document) if !document.is_empty() => Reply::json(&document.into()),
            // Denies whatever can be denied.
            _ => Reply::refused(2, reason),
        }
    }

    fn nothing(&self, _: Option<&str>) -> Reply {
        Reply::json(&json!({}))
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let mut payload = payloads::canary("preToolUse", "Shell", cwd);
        payload["conversation_id"] = CANARY.into();
        payload["workspace_roots"] = json!([cwd]);
        payload["cursor_version"] = "0".into();
        Some(("preToolUse", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| {
            let mut entry = json!({"command": setup.command(row), "timeout": row.limit.as_secs()});
            if row.is_gate() {
                entry["failClosed"] = true.into();
            }
            entry
        };
        // Without a version the whole file counts for nothing.
        let version = std::iter::once(Part::constant(["version"], json!(1)));
        let parts =
            version.chain(setup.rows.iter().map(|row| Part::element(["hooks", row.native], entry(row))));
        Ok(vec![Edit { file: ".cursor/hooks.json".to_owned(), content: FileContent::Json(parts.collect()) }])
    }

    fn registers(&self, row: &Row) -> bool {
        // preToolUse and postToolUse are for every tool; before MCP tools the other one knows the server.
        !matches!(
            row.native,
            "beforeShellExecution"
                | "beforeReadFile"
                | "afterShellExecution"
                | "afterMCPExecution"
                | "afterFileEdit"
        )
    }

    fn effects(&self, incoming: &Incoming) -> Effects {
        let effects = self.row_effects(&incoming.native);
        let fields = Fields(&incoming.raw);
        match incoming.native.as_str() {
            "postToolUse" if !fields.text("tool_name").is_some_and(|name| name.starts_with("MCP:")) => {
                effects.without(Effect::RewriteResult)
            }
            "stop" | "subagentStop" if fields.text("status").is_some_and(|status| status != "completed") => {
                effects.without(Effect::Continue)
            }
            _ => effects,
        }
    }
}

/// Returns what is said of a ruling, in the keys that the event has; empty where it has none.
fn ruled(native: &str, ruling: &Ruling) -> Map<String, Value> {
    let (permission, text) = match ruling {
        Ruling::Deny(reason) => ("deny", reason),
        Ruling::Ask(question) => ("ask", question),
        Ruling::Allow | Ruling::Nothing => return Map::new(),
    };
    let document = match native {
        "preToolUse" | "beforeShellExecution" | "beforeMCPExecution" => {
            json!({"permission": permission, "user_message": text, "agent_message": text})
        }
        "beforeReadFile" | "subagentStart" => json!({"permission": permission, "user_message": text}),
        "beforeSubmitPrompt" => json!({"continue": false, "user_message": text}),
        // `beforeTabFileRead` has no key for a reason; others cannot be denied.
        _ => return Map::new(),
    };
    document.as_object().cloned().unwrap_or_default()
}

/// The result of an MCP tool as rewritten.
fn replaced(incoming: &Incoming, new: &NewResult) -> Value {
    let before = incoming.raw.get("tool_output").map(calls::parsed).unwrap_or_default();
    if results::text(&before) == *new.content && new.details.is_object() {
        return (*new.details).clone();
    }
    let mut output = json!({"content": [{"type": "text", "text": &*new.content}]});
    if new.is_error {
        output["isError"] = true.into();
    }
    output
}
