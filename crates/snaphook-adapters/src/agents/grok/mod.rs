//! Grok Build. What version 1.0.41 was seen to do; of compactions, notifications and limits, what its hooks page says. Its payloads carry
//! each field twice, in its own camel case and under Claude Code's names; its own count.

mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::family::answers::{self, Document};
use super::family::payloads;
use crate::agent::{Agent, CANARY, Profile, Row, Tier, Unreadable};
use crate::effects::{Effect, Effects};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::{Incoming, Origin};
use crate::install::{Edit, InstallError, Reach, Setup, family_entry, marker, milliseconds};
use crate::reply::Reply;
use crate::switches::{Off, SettingsFile};
use snaphook_core::Ruling;

const DISABLED: &str = ".grok/disabled-hooks";

const PROFILE: Profile = Profile {
    tier: Tier::Run("1.0.41"),
    switch_files: &[(Reach::User, DISABLED)],
    ..Profile::new("grok", "Grok Build", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Grok;

impl Agent for Grok {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let fields = Fields(payload);
        let named = fields.any_text(&["hook_event_name", "hookEventName"]).or(native);
        let named = named.ok_or_else(|| Unreadable("`hookEventName` is missing".to_owned()))?;
        let native = self.table_name(named);
        Incoming::of(payload, native, origin(fields), events)
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        let mut document = Document::default();
        match incoming.native.as_str() {
            "PreToolUse" => before_tool(&mut document, response, tools::is_wrapped(Fields(&incoming.raw))),
            "UserPromptSubmit" => answers::block(&mut document, response),
            "Stop" | "SubagentStop" => answers::go_on(&mut document, response),
            _ => {
                let new = response
                    .result
                    .as_ref()
                    .and_then(|new| tools::replaced(Fields(&incoming.raw), &new.content));
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
        match native.map(|native| self.table_name(native)) {
            // Both words refuse a call.
            Some("PreToolUse") => Reply::json(&json!({"decision": "deny", "reason": reason})),
            Some("UserPromptSubmit") => Reply::json(&json!({"decision": "block", "reason": reason})),
            // Nothing to deny. To block an end would be to go on.
            Some(native) if self.row(native).is_some() => Reply::json(&json!({"systemMessage": reason})),
            _ => Reply::refused(2, reason),
        }
    }

    fn effects(&self, incoming: &Incoming) -> Effects {
        let effects = self.row_effects(&incoming.native);
        match tools::replaced(Fields(&incoming.raw), "") {
            Some(_) => effects,
            None => effects.without(Effect::RewriteResult),
        }
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "hookEventName": "pre_tool_use",
            "sessionId": CANARY,
            "cwd": cwd,
            "workspaceRoot": cwd,
            "toolName": "run_terminal_command",
            "toolUseId": CANARY,
            "toolInput": {"command": "true"},
        });
        Some(("PreToolUse", payload))
    }

    fn switched_off(&self, reach: Reach, files: &[SettingsFile]) -> Vec<Off> {
        // As its `/hooks` writes it: `global/snaphook:pre_tool_use[0].hooks[0]`, the file's name without its ending.
        let ours = |line: &&str| match (reach, line.split_once("/snaphook:")) {
            (_, None) => false,
            (Reach::User, Some((source, _))) => source == "global",
            (Reach::Project, Some((source, _))) => source != "global",
        };
        let lists = files.iter().filter(|file| file.file == DISABLED);
        let lines = lists.filter_map(|file| Some((file, file.text.lines().map(str::trim).find(ours)?)));
        lines.map(|(file, line)| Off::key(file, line)).collect()
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let entry = |row: &Row| {
            // The agent reads `$` as a variable of its own. Whole seconds: a fraction drops the whole file.
            let seconds = milliseconds(row).div_ceil(1000);
            family_entry(&setup.launcher.command_without_dollar(row), seconds, None)
        };
        let document = json!({"about": marker(self.id()), "hooks": setup.map(entry)});
        Ok(vec![Edit::own(".grok/hooks/snaphook.json", format!("{document:#}\n"))])
    }
}

impl Grok {
    /// The event as the table names it: the agent writes `pre_tool_use`, `preToolUse` and `PreToolUse`.
    fn table_name<'a>(&self, native: &'a str) -> &'a str {
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let row = self.rows().iter().find(|row| plain(row.native) == plain(native));
        row.map_or(native, |row| row.native)
    }
}

fn origin(fields: Fields<'_>) -> Origin {
    let owned = |names: &[&str]| fields.any_text(names).map(str::to_owned);
    Origin {
        session: owned(&["sessionId", "session_id"]),
        transcript: owned(&["transcriptPath", "transcript_path"]),
        cwd: fields.folder("cwd").or_else(|| fields.folder("workspaceRoot")),
        prompt: owned(&["promptId", "prompt_id"]),
        sender: None,
        continued: fields.flag("stopHookActive") || fields.flag("stop_hook_active"),
    }
}

fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    let path = || value(fields.any_text(&["transcriptPath", "transcript_path"]));
    let trigger =
        || value(fields.any_text(&["source", "trigger"]).filter(|by| matches!(*by, "manual" | "auto")));
    let last = || value(fields.any_text(&["lastAssistantMessage", "last_assistant_message"]));
    let subagent = || value(Some(fields.any_text(&SUBAGENT).unwrap_or("subagent")));
    Ok(match native {
        "PreToolUse" => vec![Event::tool_call(tools::call(fields)?)],
        "PostToolUse" | "PostToolUseFailure" => vec![tools::result(fields)?],
        "UserPromptSubmit" => payloads::user_prompt(fields)?,
        "SessionStart" => match fields.text("source") {
            // The agent's own words for a session that goes on, beside those of the family.
            Some("load") => vec![lifecycle(
                Lifecycle::Session,
                [("reason", Some("switch".into())), ("session_path", path())],
            )?],
            _ => payloads::session_start(fields)?,
        },
        "SessionEnd" => {
            let reason = value(fields.text("reason"));
            vec![lifecycle(Lifecycle::SessionEnd, [("session_path", path()), ("reason", reason)])?]
        }
        // The program ends; the end of its last turn was told before.
        "Stop" if fields.text("reason") == Some("shutdown") => Vec::new(),
        "Stop" => vec![lifecycle(Lifecycle::AgentEnd, [("last_message", last())])?],
        "StopFailure" => vec![payloads::agent_error(fields)?],
        "StopCancelled" => {
            vec![lifecycle(Lifecycle::AgentError, [("error", value(Some("cancelled by the person")))])?]
        }
        "SubagentStart" => vec![lifecycle(
            Lifecycle::SubagentStart,
            [("subagent", subagent()), ("prompt", value(fields.text("prompt")))],
        )?],
        "SubagentStop" => {
            vec![lifecycle(Lifecycle::SubagentEnd, [("subagent", subagent()), ("last_message", last())])?]
        }
        "PreCompact" => vec![lifecycle(Lifecycle::SessionBeforeCompact, [("trigger", trigger())])?],
        "PostCompact" => vec![lifecycle(Lifecycle::SessionCompact, [("trigger", trigger())])?],
        "Notification" => vec![payloads::notification(fields)?],
        _ => Vec::new(),
    })
}

/// The place where a subagent is named.
pub(super) const SUBAGENT: [&str; 4] = ["subagentId", "agent_id", "subagentType", "agent_type"];

/// Puts the verdict at the top; what it carries beside the other agents' way is the same. `wrapped` is the tool whose input is in
/// another one's.
fn before_tool(document: &mut Document, response: &Response, wrapped: Option<&str>) {
    match &response.ruling {
        Ruling::Deny(reason) => {
            document.top("decision", "deny").top("reason", reason.as_str());
        }
        // No objection is no approval: the agent's own rules go on. The place of a question is not known.
        Ruling::Ask(_) | Ruling::Allow | Ruling::Nothing => {}
    }
    if let Some(input) = &response.input {
        let input = match wrapped {
            Some(tool) => json!({"tool_name": tool, "tool_input": input}),
            None => input.clone(),
        };
        document.specific("updatedInput", input);
    }
    answers::context(document, response);
}
