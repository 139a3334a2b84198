//! Mistral Vibe. What version 3.0.2 was seen to do. It has three events, in words of its own, and fails open unless a hook is `strict`: then
//! a hook that fails before a tool denies, and one that fails after it clears the result.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use crate::agent::{Agent, CANARY, Profile, Row, Tier, Unreadable};
use crate::effects::{Effect, Effects};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Reach, Setup, is_ours};
use crate::reply::Reply;
use crate::switches::{Off, SettingsFile};
use snaphook_core::Ruling;

const PROFILE: Profile = Profile {
    tier: Tier::Run("3.0.2"),
    moved_by: Some(("VIBE_HOME", ".vibe")),
    after_install: "A project's hooks run only where you trust the folder in Vibe.",
    switch_files: &[(Reach::User, HOOKS), (Reach::Project, HOOKS)],
    ..Profile::new("vibe", "Mistral Vibe", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Vibe;

/// Its hooks, in the home folder and in a project.
const HOOKS: &str = ".vibe/hooks.toml";

impl Agent for Vibe {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let native = super::family::payloads::native(fields, native)?;
        let origin = Origin {
            // The person's session, also where this is a subagent's.
            session: fields.any_text(&["parent_session_id", "session_id"]).map(str::to_owned),
            transcript: fields.owned("transcript_path"),
            cwd: fields.folder("cwd"),
            ..Origin::default()
        };
        Incoming::of(payload, native, origin, events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Map::new();
        let mut deny = |reason: &str| {
            document.insert("decision".to_owned(), "deny".into());
            document.insert("reason".to_owned(), reason.into());
        };
        match (incoming.native.as_str(), &response.ruling, &response.result, &response.continue_with) {
            ("pre_tool", Ruling::Deny(reason), ..) => deny(reason),
            // What is denied after a tool is its result; the reason takes its place, and has to be one.
            ("post_tool", _, Some(new), _) if new.content.is_empty() => deny("(a hook took the result away)"),
            ("post_tool", _, Some(new), _) => deny(&new.content),
            // An end that is denied is a turn that goes on.
            ("post_agent", _, _, Some(text)) => deny(text),
            _ => {}
        }
        let mut specific = Map::new();
        if let Some(input) = response.input.as_ref().filter(|_| !matches!(response.ruling, Ruling::Deny(_))) {
            specific.insert("tool_input".to_owned(), input.clone());
        }
        if let Some(context) = &response.context {
            // A program gets all texts as one.
            let between = if tools::of_program(Fields(&incoming.raw)) { "\n\n" } else { "" };
            specific.insert("additional_context".to_owned(), format!("{between}{context}").into());
        }
        if !specific.is_empty() {
            document.insert("hook_specific_output".to_owned(), specific.into());
        }
        if let Some(text) = &response.tell {
            document.insert("system_message".to_owned(), text.as_str().into());
        }
        if document.is_empty() { Reply::silent() } else { Reply::json(&document.into()) }
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native {
            Some("pre_tool" | "post_tool") => Reply::json(&json!({"decision": "deny", "reason": reason})),
            // Nothing to deny. To deny an end would be to go on.
            Some("post_agent") => Reply::json(&json!({"system_message": reason})),
            _ => Reply::refused(2, reason),
        }
    }

    fn effects(&self, incoming: &Incoming) -> Effects {
        let effects = self.row_effects(&incoming.native);
        let fields = Fields(&incoming.raw);
        match incoming.native.as_str() {
            // A program gets the error, whatever else is in the result.
            "post_tool" if tools::of_program(fields) && tools::has_failed(fields) => {
                effects.without(Effect::RewriteResult).without(Effect::Inject)
            }
            // And values as they are: a text beside them is lost.
            "post_tool" if tools::of_program(fields) && tools::has_values(fields) => {
                effects.without(Effect::Inject)
            }
            _ => effects,
        }
    }

    fn switched_off(&self, _: Reach, files: &[SettingsFile]) -> Vec<Off> {
        // Of several hooks with one name it runs the first, and the project's are before the person's.
        let mut found = Vec::new();
        for file in files.iter().filter(|file| file.file == HOOKS) {
            for hook in file.at(&["hooks"]).as_array().into_iter().flatten() {
                let text = |key: &str| hook[key].as_str().unwrap_or_default();
                let taken = events::EVENTS.iter().any(|row| text("name") == name(row));
                if taken && !is_ours(text("command"), self.id()) {
                    found.push(Off {
                        path: file.path.clone(),
                        what: format!("its hook `{}` takes the place of snaphook's", text("name")),
                        remedy: "give that hook another name".to_owned(),
                    });
                }
            }
        }
        found
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "hook_event_name": "pre_tool",
            "session_id": CANARY,
            "parent_session_id": null,
            "cwd": cwd,
            "tool_name": "file_system.bash",
            "tool_call_id": CANARY,
            "tool_input": {"command": "true"},
        });
        Some(("pre_tool", payload))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| {
            let mut table = json!({
                "name": name(row), "type": row.native, "command": setup.command(row), "timeout": row.limit.as_secs(),
            });
            // The end of a turn cannot have it.
            if row.native != "post_agent" {
                table["strict"] = true.into();
            }
            table
        };
        Ok(setup.tables(HOOKS, entry))
    }
}

/// The name of our hook. The same in both files, so that one of them runs.
fn name(row: &Row) -> String {
    format!("snaphook-{}", row.native)
}

/// The subagent whose session this is.
fn subagent(fields: Fields<'_>) -> Option<&str> {
    fields.text("parent_session_id").and_then(|_| fields.text("session_id"))
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match (native, subagent(fields)) {
        ("pre_tool", _) => vec![Event::tool_call(tools::call(fields)?)],
        ("post_tool", _) => vec![tools::result(fields)?],
        ("post_agent", Some(name)) => {
            vec![lifecycle(Lifecycle::SubagentEnd, [("subagent", value(Some(name)))])?]
        }
        ("post_agent", None) => vec![lifecycle(Lifecycle::AgentEnd, [])?],
        _ => Vec::new(),
    })
}
