//! Crush. Source: a third party's reading of its documentation and of the code of version 0.96.1; nothing of it was run here.
//! It has one event. It reads a document when the hook ends with 0; 2 denies, 49 ends the turn, and everything else, a timeout
//! too, lets the call through. An input is merged into the one it had, so no field can be taken away.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value, json};
use snaphook_core::{CommonFields, Event, Lifecycle as L, ToolCall};

use super::family::payloads;
use crate::agent::{Agent, CANARY, Profile, Row, Unreadable};
use crate::calls;
use crate::effects::Effect::{Block, Inject, RewriteInput, Stop};
use crate::effects::Effects;
use crate::fields::Fields;
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Setup};
use crate::reply::Reply;
use snaphook_core::Ruling;

const EVENTS: &[Row] = &[Row {
    native: "PreToolUse",
    events: &[L::ToolCall],
    effects: Effects::of(&[Block, RewriteInput, Inject, Stop]),
    limit: Duration::from_secs(30),
    note: "not for the tools of subagents; a text follows the tool's result",
}];

const PROFILE: Profile = Profile::new("crush", "Crush", EVENTS);

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Crush;

impl Agent for Crush {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = fields.event_name("event", native)?;
        let origin =
            Origin { session: fields.owned("session_id"), cwd: fields.folder("cwd"), ..Origin::default() };
        Incoming::of(payload, native, origin, |native, fields| match native {
            "PreToolUse" => Ok(vec![Event::tool_call(call(fields)?)]),
            _ => Ok(Vec::new()),
        })
    }

    fn answer(&self, _: &Incoming, response: &Response) -> Reply {
        let mut document = Map::new();
        let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
        if let Ruling::Deny(reason) = &response.ruling {
            // No result follows that a text could be added to.
            let more = response.context.iter().map(|context| format!("\n\n{context}")).collect::<String>();
            put("decision", "deny".into());
            put("reason", format!("{reason}{more}").into());
            if response.stop {
                put("halt", true.into());
            }
        } else {
            // Without a decision: no objection is no approval.
            if let Some(input) = &response.input {
                put("updated_input", input.clone());
            }
            if let Some(context) = &response.context {
                put("context", context.as_str().into());
            }
        }
        if document.is_empty() { Reply::silent() } else { Reply::json(&document.into()) }
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("PreToolUse") => Reply::json(&json!({"decision": "deny", "reason": reason})),
            _ => Reply::refused(2, reason),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "event": "PreToolUse",
            "session_id": CANARY,
            "cwd": cwd,
            "tool_name": "bash",
            "tool_input": {"command": "true"},
        });
        Some(("PreToolUse", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let file = setup.file(".config/crush/crush.json", "crush.json");
        // An empty matcher, or one that is no regular expression, keeps Crush from starting.
        let entry = |row: &Row| {
            let seconds = row.limit.as_secs();
            json!({"name": "snaphook", "command": setup.command(row), "timeout": seconds})
        };
        Ok(setup.lists(file, "hooks", entry))
    }

    fn takes(&self, incoming: &Incoming, input: &Value) -> bool {
        let before = incoming.events.first().and_then(Event::call).map(|call| &*call.input);
        let kept = |key: &String| input.get(key).is_some();
        before.and_then(Value::as_object).is_none_or(|before| before.keys().all(kept))
    }
}

fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let native = fields.need("tool_name")?;
    let input = calls::input(fields.need_value("tool_input")?, "tool_input")?;
    let mut call = calls::call("", &canonical(native), native, input, &CommonFields);
    payloads::number(&mut call, fields);
    Ok(call)
}

/// The canonical name. `mcp_SERVER_TOOL` is an MCP server's; where its name has an underscore, the first part counts.
fn canonical(native: &str) -> Cow<'_, str> {
    Cow::Borrowed(match native {
        "bash" => "bash",
        "view" => "read",
        "write" => "write",
        "edit" | "multiedit" => "edit",
        "glob" | "ls" => "glob",
        "grep" => "grep",
        "fetch" | "web_fetch" | "agentic_fetch" => "web_fetch",
        "web_search" => "web_search",
        "agent" => "task",
        "todos" => "todo",
        _ => match native.strip_prefix("mcp_").and_then(|rest| rest.split_once('_')) {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                return calls::mcp(server, tool).into();
            }
            _ => native,
        },
    })
}
