//! pi (`@earendil-works/pi-coding-agent`). It has no command hooks: snaphook's extension (`plugin.js`) runs in its process and hands
//! each event over as one line of JSON, and applies the one line that comes back. What version 0.87.1 was seen to do.
//!
//! What is handed over: `{"event": NAME, "data": …, "directory": …, "session": …, "transcript": …}`, `data` being pi's own event.
//!
//! What comes back is a map with at most these keys; `{}` is nothing:
//!
//! | key | the extension |
//! |---|---|
//! | `deny`: text | blocks the call, drops the prompt, cancels the compaction |
//! | `input`: map | puts these into the call's input, and takes out what is not in them |
//! | `prompt`: text | puts this in the place of the prompt |
//! | `content`: list, `isError` | puts these in the place of the result's |
//! | `inject`: text | adds a message behind the prompt |
//! | `continue`: text | has pi go on with this message |
//! | `tell`: text | shows it to the person |
//!
//! It fails closed: where no such map comes back (another key, no JSON, no answer in time, no process), calls, prompts and compactions
//! are denied, and results withheld.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::line;
use crate::agent::{Agent, CANARY, Profile, Tier, Unreadable};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Setup};
use crate::reply::Reply;
use snaphook_core::Ruling;

const PROFILE: Profile = Profile {
    tier: Tier::Run("0.87.1"),
    moved_by: Some(("PI_CODING_AGENT_DIR", ".pi/agent")),
    after_install: "A project's extension runs only where you trust the project in pi.",
    ..Profile::new("pi", "pi", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Pi;

impl Agent for Pi {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, _: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let whole = Fields(payload);
        let native = whole.need("event")?;
        let empty = Map::new();
        let data = Fields(payload.get("data").and_then(Value::as_object).unwrap_or(&empty));
        Ok(Incoming {
            native: native.to_owned(),
            events: events(native, data, whole)?,
            origin: Origin {
                session: whole.owned("session"),
                transcript: whole.owned("transcript"),
                cwd: whole.folder("directory"),
                ..Origin::default()
            },
            raw: payload.clone(),
        })
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Map::new();
        let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
        if let Ruling::Deny(reason) = &response.ruling {
            put("deny", reason.as_str().into());
        } else if let Some(input) = &response.input {
            put(if incoming.native == "input" { "prompt" } else { "input" }, input.clone());
        }
        if let Some(text) = &response.continue_with {
            put("continue", text.as_str().into());
        }
        match (incoming.native.as_str(), &response.context) {
            ("tool_result", context) => {
                let new = response.result.as_ref();
                if let Some(content) = tools::content(incoming, new, context.as_deref()) {
                    put("content", content);
                }
                if let Some(new) = new {
                    put("isError", new.is_error.into());
                }
            }
            (_, Some(context)) => {
                put("inject", context.as_str().into());
            }
            _ => {}
        }
        if let Some(text) = &response.tell {
            put("tell", text.as_str().into());
        }
        Reply::json(&document.into())
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        Reply::json(&match native.and_then(|native| self.row(native)) {
            // The extension withholds a result that has an error for an answer.
            Some(row) if row.native == "tool_result" => json!({"withheld": reason}),
            Some(row) if !row.is_gate() => json!({"tell": reason}),
            _ => json!({"deny": reason}),
        })
    }

    fn nothing(&self, _: Option<&str>) -> Reply {
        Reply::json(&json!({}))
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "event": "tool_call",
            "data": {"toolName": "bash", "toolCallId": CANARY, "input": {"command": "true"}},
            "directory": cwd,
            "session": CANARY,
        });
        Some(("tool_call", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let file = setup.file(".pi/agent/extensions/snaphook.js", ".pi/extensions/snaphook.js");
        // What hooks say to the model waits for a prompt or a result, so those events are always asked about.
        let always = ["tool_call", "tool_result", "input"];
        let text = line::plugin(PLUGIN, setup, events::EVENTS, &always, events::TIMEOUT_SECONDS);
        Ok(vec![Edit::own(file, text)])
    }
}

/// The extension that pi loads, without what all plugins share.
const PLUGIN: &str = include_str!("plugin.js");

fn events(native: &str, data: Fields<'_>, whole: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    let path = || value(whole.text("transcript"));
    let session = |reason: &str| {
        lifecycle(Lifecycle::Session, [("reason", Some(reason.into())), ("session_path", path())])
    };
    let trigger = || match data.text("reason") {
        Some("manual") => Some("manual".into()),
        Some(_) => Some("auto".into()),
        None => None,
    };
    Ok(match native {
        "tool_call" => vec![Event::tool_call(tools::call(data)?)],
        "tool_result" => vec![tools::result(data)?],
        "input" => {
            let prompt = value(Some(data.text("text").unwrap_or_default()));
            vec![
                lifecycle(Lifecycle::UserPrompt, [("prompt", prompt.clone())])?,
                lifecycle(Lifecycle::AgentStart, [("prompt", prompt)])?,
            ]
        }
        "session_start" => match data.text("reason") {
            // The same session, with its extensions loaded anew.
            Some("reload") => Vec::new(),
            Some("resume" | "fork") => vec![session("switch")?],
            Some("new") => vec![session("clear")?],
            _ => vec![session("start")?, lifecycle(Lifecycle::SessionStart, [("session_path", path())])?],
        },
        "session_shutdown" if data.text("reason") == Some("reload") => Vec::new(),
        "session_shutdown" => vec![lifecycle(
            Lifecycle::SessionEnd,
            [("session_path", path()), ("reason", value(data.text("reason")))],
        )?],
        "session_before_compact" => vec![lifecycle(
            Lifecycle::SessionBeforeCompact,
            [("trigger", trigger()), ("instructions", value(data.text("customInstructions")))],
        )?],
        "session_compact" => vec![lifecycle(Lifecycle::SessionCompact, [("trigger", trigger())])?],
        "agent_before_settle" => match data.text("outcome") {
            Some("error") => vec![lifecycle(
                Lifecycle::AgentError,
                [("error", value(Some("the run ended with an error")))],
            )?],
            _ => vec![lifecycle(Lifecycle::AgentEnd, [])?],
        },
        _ => Vec::new(),
    })
}
