//! Antigravity CLI (`agy`). Not run by us: what is here is what third parties saw versions 1.1 and 1.2 do (payloads, what
//! each answer before a tool comes to) and its hooks page (texts before a model turn, going on at the end). Its
//! payloads do not name their event: it is on the command line.
//!
//! Before a tool it denies what is no decision, `{}` and exit code 1 included, and some versions deny silence.
//! `allow` would approve what the person has not; `ask` leaves it to the agent's own rules. So nothing to say is `ask`, and
//! a hook's own question is `force_ask`, which asks even where the person said "always".

mod events;
mod tools;

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use crate::agent::{Agent, CANARY, Profile, Row, Unreadable};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Setup};
use crate::reply::Reply;
use snaphook_core::Ruling;

const PROFILE: Profile = Profile::new("antigravity", "Antigravity CLI", events::EVENTS);

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Antigravity;

impl Agent for Antigravity {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let missing = "the command line has to name the event: `snaphook hook antigravity EVENT`";
        let native = native.ok_or_else(|| Unreadable(missing.to_owned()))?;
        Incoming::of(payload, native, origin(fields), events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let decision = |word: &str, reason: &str| Reply::json(&json!({"decision": word, "reason": reason}));
        let native = incoming.native.as_str();
        match (native, &response.ruling, &response.continue_with, &response.context) {
            ("PreToolUse", Ruling::Deny(reason), ..) => decision("deny", reason),
            ("PreToolUse", Ruling::Ask(question), ..) => decision("force_ask", question),
            ("Stop", _, Some(text), _) => decision("continue", text),
            ("PreInvocation" | "PostInvocation", _, _, Some(text)) => {
                Reply::json(&json!({"injectSteps": [{"ephemeralMessage": text}]}))
            }
            _ => self.nothing(Some(native)),
        }
    }

    fn deny(&self, _: Option<&str>, reason: &str) -> Reply {
        Reply::json(&json!({"decision": "deny", "reason": reason}))
    }

    fn nothing(&self, native: Option<&str>) -> Reply {
        match native {
            Some("PreToolUse") => Reply::json(&json!({"decision": "ask"})),
            Some(native) if self.row(native).is_some() => Reply::json(&json!({})),
            // What it is cannot be known, and as the answer before a tool `{}` would deny.
            _ => Reply::silent(),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "conversationId": CANARY,
            "workspacePaths": [cwd],
            "stepIdx": 0,
            "toolCall": {"name": "run_command", "args": {"CommandLine": "true", "Cwd": cwd}},
        });
        Some(("PreToolUse", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let file = setup.file(".gemini/config/hooks.json", ".agents/hooks.json");
        let entry = |row: &Row| {
            let seconds = row.limit.as_secs();
            let hook = json!({"type": "command", "command": setup.command(row), "timeout": seconds});
            match row.native {
                "PreToolUse" | "PostToolUse" => json!({"matcher": "*", "hooks": [hook]}),
                _ => hook,
            }
        };
        // The first key is the name of the owner of the hooks there.
        Ok(setup.lists(file, "snaphook", entry))
    }
}

fn origin(fields: Fields<'_>) -> Origin {
    // The process runs in the folder of its plugin, so its own folder says nothing.
    let workspace = fields.0.get("workspacePaths").and_then(|paths| paths.get(0)?.as_str());
    let shell = tools::argument(fields, "Cwd").filter(|cwd| cwd.starts_with('/'));
    Origin {
        session: fields.owned("conversationId"),
        transcript: fields.owned("transcriptPath"),
        cwd: workspace.or(shell).map(PathBuf::from),
        ..Origin::default()
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    let number = |name: &str| fields.0.get(name).and_then(Value::as_u64);
    let turn = |event: Lifecycle| {
        lifecycle(event, [("turn_index", Some(number("invocationNum").unwrap_or_default().into()))])
    };
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "PostToolUse" => vec![tools::result(fields)?],
        "PreInvocation" => {
            let path = || value(fields.text("transcriptPath"));
            let mut events = Vec::new();
            // The first turn of a prompt; with no steps before it, of the session.
            if number("invocationNum") == Some(0) {
                if number("initialNumSteps").is_some_and(|steps| steps <= 1) {
                    let reason = Some("start".into());
                    events
                        .push(lifecycle(Lifecycle::Session, [("reason", reason), ("session_path", path())])?);
                    events.push(lifecycle(Lifecycle::SessionStart, [("session_path", path())])?);
                }
                events.push(lifecycle(Lifecycle::AgentStart, [])?);
            }
            events.push(turn(Lifecycle::TurnStart)?);
            events
        }
        "PostInvocation" => vec![turn(Lifecycle::TurnEnd)?],
        "Stop" => vec![match fields.text("error") {
            Some(error) => lifecycle(Lifecycle::AgentError, [("error", value(Some(error)))])?,
            None => lifecycle(Lifecycle::AgentEnd, [])?,
        }],
        _ => Vec::new(),
    })
}
