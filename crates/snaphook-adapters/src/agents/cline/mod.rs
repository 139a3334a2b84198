//! Cline: its extension for VS Code, and its command line with the library below it. Sources: what the command line 3.0.65 was seen to do,
//! the READMEs of both about hooks, and the example in its repository that reads both payloads. What the payloads of the library's
//! events beside `tool_call`, `tool_result` and `agent_start` carry is not described; what is not there is left out.
//!
//! The extension's events have names like `PreToolUse` and a map of that name; the library's have names like `tool_call`.
//! Answers are documents with `cancel`; every other end of a hook lets the call through.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle, ToolCall};

use super::family::{payloads, results};
use crate::agent::{Agent, CANARY, Profile, Row, Tier, Unreadable};
use crate::calls;
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{DID_NOT_RUN, Edit, FileContent, InstallError, Launcher, Reach, Setup, marker};
use crate::reply::Reply;
use snaphook_core::Ruling;

const PROFILE: Profile = Profile {
    tier: Tier::Run("3.0.65"),
    longest_context: 50_000,
    after_install: "Cline has to be told to run hooks: in its settings, under Features, tick Enable Hooks.",
    ..Profile::new("cline", "Cline", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Cline;

impl Agent for Cline {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = fields.event_name("hookName", native)?;
        let roots = payload.get("workspaceRoots").and_then(Value::as_array);
        let root = roots.into_iter().flatten().find_map(Value::as_str).filter(|root| !root.is_empty());
        let origin =
            Origin { session: fields.owned("taskId"), cwd: root.map(Into::into), ..Origin::default() };
        Incoming::of(payload, native, origin, events)
    }

    fn is_named(&self, named: &str, told: &str) -> bool {
        named == told || SAME_FILE.contains(&(named, told))
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = ruled(&response.ruling);
        let mut put = |key: &str, value: Option<Value>| {
            document.extend(value.map(|value| (key.to_owned(), value)));
        };
        let context = if is_library(&incoming.native) { "context" } else { "contextModification" };
        put("overrideInput", response.input.clone());
        put(context, response.context.clone().map(Value::from));
        Reply::json(&document.into())
    }

    fn deny(&self, _: Option<&str>, reason: &str) -> Reply {
        Reply::json(&ruled(&Ruling::Deny(reason.to_owned())).into())
    }

    fn nothing(&self, _: Option<&str>) -> Reply {
        Reply::json(&json!({"cancel": false}))
    }

    fn takes(&self, incoming: &Incoming, _: &Value) -> bool {
        // A patch that is the whole input, and would come back as a map.
        let given = incoming.raw.get("tool_call").and_then(|call| call.get("input"));
        given.is_none_or(|given| !given.is_string())
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "hookName": "PreToolUse",
            "taskId": CANARY,
            "workspaceRoots": [cwd],
            "preToolUse": {"toolName": "execute_command", "parameters": {"command": "true"}},
        });
        Some(("PreToolUse", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        // The extension's. The command line calls what is there, too, and what is in a folder of its own beside it.
        let folder = setup.file("Documents/Cline/Hooks", ".clinerules/hooks");
        let edit = |row: &&'static Row| {
            let content = FileContent::Own { text: script(setup.launcher, row), executable: true };
            Some(Edit { file: format!("{folder}/{}", file(row.native)?), content })
        };
        Ok(setup.rows.iter().filter_map(edit).collect())
    }

    fn formerly(&self, reach: Reach) -> Vec<String> {
        let names = events::EVENTS.iter().filter_map(|row| file(row.native));
        match reach {
            Reach::User => names.map(|name| format!(".cline/hooks/{name}")).collect(),
            Reach::Project => Vec::new(),
        }
    }

    fn registers(&self, row: &Row) -> bool {
        file(row.native).is_some()
    }
}

/// Events of the library, behind that of the extension whose file the library calls for them, too.
const SAME_FILE: &[(&str, &str)] = &[
    ("PreToolUse", "tool_call"),
    ("PostToolUse", "tool_result"),
    ("UserPromptSubmit", "prompt_submit"),
    ("TaskStart", "agent_start"),
    ("TaskResume", "agent_resume"),
    ("TaskComplete", "agent_end"),
    ("TaskCancel", "agent_abort"),
];

/// The file that is called for an event. The library calls those that are named after the extension's events, too, with its own
/// payload; a file for each of its names would be called a second time.
fn file(native: &str) -> Option<&str> {
    match native {
        "agent_error" => Some("TaskError"),
        "session_shutdown" => Some("SessionShutdown"),
        native => (!is_library(native)).then_some(native),
    }
}

/// The executable for an event. A hook that fails lets the call through, so where snaphook does not answer the script does.
fn script(launcher: &Launcher, row: &Row) -> String {
    let denial = ruled(&Ruling::Deny(format!("{DID_NOT_RUN}.")));
    let call = launcher.script(row, &Value::from(denial).to_string());
    format!("#!/bin/sh\n# {}\n{call}\n", marker(launcher.agent))
}

/// Returns whether an event is the library's: those have small letters only.
fn is_library(native: &str) -> bool {
    native.starts_with(|first: char| first.is_ascii_lowercase())
}

fn ruled(ruling: &Ruling) -> Map<String, Value> {
    let document = match ruling {
        Ruling::Deny(reason) => json!({"cancel": true, "errorMessage": reason}),
        // It runs what it is asked to review, so it is not asked.
        Ruling::Ask(question) => json!({"cancel": true, "errorMessage": question}),
        Ruling::Allow | Ruling::Nothing => json!({"cancel": false}),
    };
    document.as_object().cloned().unwrap_or_default()
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    let empty = Map::new();
    // What belongs to the event is in a map that is named after it.
    let mut name = native.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let own = Fields(fields.0.get(&name).and_then(Value::as_object).unwrap_or(&empty));
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(calls::judged(unnumbered(fields, own)?)?)],
        "tool_call" => {
            let id = own.text("id").unwrap_or_default();
            let call = tools::call(id, own.need("name")?, own.need_value("input")?)?;
            vec![Event::tool_call(calls::judged(call)?)]
        }
        "PostToolUse" => {
            let call = unnumbered(fields, own)?;
            let failed = own.0.get("success") == Some(&Value::Bool(false));
            vec![result_event(call, own.0.get("result"), failed)]
        }
        "tool_result" => {
            let id = own.text("id").unwrap_or_default();
            let call = tools::call(id, own.need("name")?, own.need_value("input")?)?;
            let error = own.0.get("error").filter(|error| !error.is_null());
            vec![result_event(call, error.or_else(|| own.0.get("output")), error.is_some())]
        }
        "UserPromptSubmit" => payloads::prompt(own, "prompt")?,
        "prompt_submit" if own.0.contains_key("prompt") => payloads::prompt(own, "prompt")?,
        "prompt_submit" => payloads::prompt(fields, "prompt")?,
        // That of a subagent begins no session.
        "agent_start" if fields.text("parent_agent_id").is_some() => Vec::new(),
        "TaskStart" | "agent_start" => vec![
            lifecycle(Lifecycle::Session, [("reason", value(Some("start")))])?,
            lifecycle(Lifecycle::SessionStart, [])?,
        ],
        "TaskResume" | "agent_resume" => {
            vec![lifecycle(Lifecycle::Session, [("reason", value(Some("switch")))])?]
        }
        "TaskComplete" | "TaskCancel" | "agent_end" | "agent_abort" => {
            vec![lifecycle(Lifecycle::AgentEnd, [])?]
        }
        "agent_error" => {
            let error = own.0.get("error").or_else(|| fields.0.get("error")).map(results::text);
            let error = error.filter(|error| !error.is_empty()).unwrap_or_else(|| "unknown".to_owned());
            vec![lifecycle(Lifecycle::AgentError, [("error", Some(error.into()))])?]
        }
        "session_shutdown" => {
            vec![lifecycle(Lifecycle::SessionEnd, [("reason", value(own.text("reason")))])?]
        }
        "PreCompact" => vec![lifecycle(Lifecycle::SessionBeforeCompact, [])?],
        _ => Vec::new(),
    })
}

/// A call of the extension, which numbers none.
fn unnumbered(fields: Fields<'_>, own: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = tools::call("", own.need("toolName")?, own.need_value("parameters")?)?;
    payloads::number(&mut call, fields);
    Ok(call)
}

fn result_event(call: ToolCall, said: Option<&Value>, failed: bool) -> Event {
    let said = said.cloned().unwrap_or_default();
    let details = if said.is_string() { Value::Null } else { said.clone() };
    payloads::result(call, results::text(&said), details, failed)
}
