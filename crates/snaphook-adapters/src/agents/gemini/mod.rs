//! Gemini CLI. What version 0.61.0 was seen to do; of the model events, what its hooks reference and source say.

mod events;
mod model;
mod tools;

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle, ToolCall};

use super::family::answers::{self, Document};
use super::family::payloads;
use crate::agent::{Agent, Profile, Row, Tier, Unreadable};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup, family_entry, milliseconds};
use crate::reply::Reply;
use crate::switches::{self, Off, SettingsFile};
use snaphook_core::Ruling;

const SETTINGS: &str = ".gemini/settings.json";

const PROFILE: Profile = Profile {
    tier: Tier::Run("0.61.0"),
    start_variable: Some("GEMINI_PROJECT_DIR"),
    // As long a text was seen to pass whole.
    longest_context: 30_000,
    after_install: "Gemini runs hooks only in a folder that you trust: start gemini there once and say so.",
    switch_files: &[(Reach::User, SETTINGS), (Reach::Project, SETTINGS)],
    ..Profile::new("gemini", "Gemini CLI", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Agent for Gemini {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        payloads::read(payload, native, events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Document::default();
        match incoming.native.as_str() {
            "BeforeTool" => before_tool(&mut document, response),
            "AfterTool" => after_tool(&mut document, response),
            "BeforeAgent" => {
                ruling(&mut document, response);
                answers::context(&mut document, response);
            }
            "AfterAgent" => {
                if let Some(text) = &response.continue_with {
                    document.top("decision", "deny").top("reason", text.as_str());
                }
            }
            "BeforeModel" => {
                let request = response.input.as_ref().map(|input| model::changes(&incoming.raw, input));
                if let Some(request) = request.filter(|request| !request.is_empty()) {
                    document.specific("llm_request", Value::Object(request));
                }
            }
            _ => answers::context(&mut document, response),
        }
        answers::person(&mut document, response);
        document.reply(&incoming.native)
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        Reply::json(&match native {
            // Nothing to deny. To deny an end would be to go on, without end where the cause stays.
            Some("AfterAgent" | "SessionStart" | "SessionEnd" | "Notification" | "PreCompress") => {
                json!({"systemMessage": reason})
            }
            _ => json!({"decision": "deny", "reason": reason}),
        })
    }

    fn takes(&self, incoming: &Incoming, input: &Value) -> bool {
        match incoming.native.as_str() {
            // A rewritten input is merged into what there was, so nothing can be taken away.
            "BeforeTool" => match incoming.raw.get("tool_input").and_then(Value::as_object) {
                Some(before) => before.keys().all(|key| input.get(key).is_some()),
                None => true,
            },
            "BeforeModel" => model::takes(input),
            _ => true,
        }
    }

    fn searched<'a>(&self, call: &'a ToolCall) -> Vec<Cow<'a, str>> {
        tools::searched(call)
    }

    fn switched_off(&self, _: Reach, files: &[SettingsFile]) -> Vec<Off> {
        let mut found = switches::is(files, &[SETTINGS], &["hooksConfig", "enabled"], &json!(false));
        let ours = |file: &&SettingsFile| {
            let names = file.at(&["hooksConfig", "disabled"]).as_array();
            file.file == SETTINGS && names.is_some_and(|names| names.contains(&json!("snaphook")))
        };
        found.extend(files.iter().filter(ours).map(|file| Off::key(file, "hooksConfig.disabled")));
        found
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("BeforeTool", payloads::canary("BeforeTool", "run_shell_command", cwd)))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry =
            |row: &Row| family_entry(&setup.command(row), milliseconds(row), [("name", json!("snaphook"))]);
        Ok(setup.lists(SETTINGS, "hooks", entry))
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "BeforeTool" => vec![Event::tool_call(tools::judged(fields)?)],
        "AfterTool" => vec![tools::result(fields)?],
        "BeforeAgent" => payloads::user_prompt(fields)?,
        "AfterAgent" => {
            vec![lifecycle(Lifecycle::AgentEnd, [("last_message", value(fields.text("prompt_response")))])?]
        }
        "BeforeModel" => vec![model::request(fields)?],
        "AfterModel" => vec![model::response(fields)?],
        "SessionStart" => payloads::session_start(fields)?,
        "SessionEnd" => vec![payloads::session_end(fields)?],
        "PreCompress" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        "Notification" => vec![notification(fields)?],
        _ => Vec::new(),
    })
}

/// As in the family, but the title is in the details.
fn notification(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let details = fields.0.get("details").and_then(Value::as_object).map(Fields);
    lifecycle(
        Lifecycle::Notification,
        [
            ("message", value(Some(fields.text("message").unwrap_or_default()))),
            ("kind", value(fields.text("notification_type"))),
            ("title", value(details.and_then(|details| details.text("title")))),
        ],
    )
}

fn ruling(document: &mut Document, response: &Response) {
    match &response.ruling {
        Ruling::Deny(reason) => {
            document.top("decision", "deny").top("reason", reason.as_str());
        }
        Ruling::Ask(question) => {
            // The agent shows its own question; the message is beside it.
            document
                .top("decision", "ask")
                .top("reason", question.as_str())
                .top("systemMessage", question.as_str());
        }
        // No objection is no approval: the agent's own rules go on.
        Ruling::Allow | Ruling::Nothing => {}
    }
}

fn before_tool(document: &mut Document, response: &Response) {
    ruling(document, response);
    if let Some(input) = &response.input {
        document.specific("tool_input", input.clone());
    }
}

/// A result that is hidden takes the added text along: the agent reads either a reason or a context.
fn after_tool(document: &mut Document, response: &Response) {
    match response.hidden_with_context() {
        Some(text) => {
            document.top("decision", "deny").top("reason", text);
        }
        None => answers::context(document, response),
    }
}
