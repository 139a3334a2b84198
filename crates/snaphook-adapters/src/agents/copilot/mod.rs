//! GitHub Copilot: the command line, the cloud agent, VS Code. One agent, since they read the same files; two dialects, told
//! apart by the event's name (`preToolUse` or `PreToolUse`), and within the second who sent it by its keys.
//!
//! Sources: GitHub's hooks reference; VS Code's (its hooks are a preview); records of the command line 1.0.72 and 1.0.91 by
//! others, who also saw that `modifiedArgs` needs no approval beside it. Names of VS Code's tools are a third party's
//! reading. The command line 1.0.102 was run; VS Code and the cloud agent were not.

mod answers;
mod dialect;
mod events;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::{Event, Lifecycle};

use super::family::{payloads, results};
use crate::agent::{Agent, Profile, Row, Tier, Unreadable};
use crate::calls;
use crate::effects::{Effect, Effects};
use crate::fields::{Fields, lifecycle, value};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup};
use crate::reply::Reply;
use crate::switches::{self, Off, SettingsFile};

const PROFILE: Profile = Profile {
    tier: Tier::Run("1.0.102"),
    switch_files: SWITCHES,
    ..Profile::new("copilot", "Copilot", events::EVENTS)
};

/// The agent.
#[derive(Debug, Clone, Copy)]
pub struct Copilot;

/// Settings that may say that no hook runs; the program does not say which of them it reads.
const SWITCHES: &[(Reach, &str); 3] = &[
    (Reach::User, ".copilot/settings.json"),
    (Reach::User, ".copilot/config.json"),
    (Reach::Project, ".github/copilot/settings.json"),
];

impl Agent for Copilot {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let common = dialect::common(payload);
        Ok(Incoming { raw: payload.clone(), ..payloads::read(&common, native, events)? })
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        answers::answer(incoming, response)
    }

    fn deny(&self, native: Option<&str>, reason: &str) -> Reply {
        match native.and_then(|native| answers::denial(native, reason)) {
            Some(document) => Reply::json(&document),
            // 2 denies by itself; the command line takes the reason from the document, VS Code from standard error.
            None => Reply {
                stdout: answers::denial("preToolUse", reason)
                    .map(|document| document.to_string())
                    .unwrap_or_default(),
                ..Reply::refused(2, reason)
            },
        }
    }

    fn switched_off(&self, _: Reach, files: &[SettingsFile]) -> Vec<Off> {
        switches::set(files, &SWITCHES.map(|(_, file)| file), &["disableAllHooks"])
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        Some(("PreToolUse", payloads::canary("PreToolUse", "Bash", cwd)))
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let file = setup.file(".copilot/hooks/snaphook.json", ".github/hooks/snaphook.json");
        // The events in the names that the command line and VS Code both know, the time limit by either's name.
        let entry = |row: &Row| {
            let seconds = row.limit.as_secs();
            json!({
                "type": "command",
                "bash": setup.command(row),
                "powershell": setup.launcher.powershell(row),
                "timeoutSec": seconds,
                "timeout": seconds,
            })
        };
        let text = format!("{:#}\n", json!({"version": 1, "hooks": setup.map(entry)}));
        Ok(vec![Edit::own(file, text)])
    }

    fn registers(&self, row: &Row) -> bool {
        // VS Code does not know the others.
        !dialect::is_own(row.native)
    }

    fn effects(&self, incoming: &Incoming) -> Effects {
        let native = incoming.native.as_str();
        let effects = self.row(native).map(|row| self.honoured(row)).unwrap_or_default();
        let vs_code = dialect::is_vs_code(native, &incoming.raw);
        if native == "userPromptTransformed" {
            return match dialect::transformed(&incoming.raw) {
                (None, _) => Effects::OBSERVE,
                (_, true) => effects,
                (_, false) => effects.without(Effect::RewriteInput),
            };
        }
        // Only the command line was run; of the desktop application others saw that it does not ask.
        let asked = matches!((native, vs_code), ("PreToolUse", false));
        let effects = if asked { effects } else { effects.without(Effect::Ask) };
        match (native, vs_code) {
            ("UserPromptSubmit", false) => effects.without(Effect::Tell).without(Effect::Stop),
            ("UserPromptSubmit", true) => effects.without(Effect::Inject),
            ("PostToolUse", true) => effects.without(Effect::RewriteResult),
            ("PreToolUse", false) => effects.without(Effect::Tell).without(Effect::Stop),
            ("PostToolUse" | "PreCompact", false) => effects.without(Effect::Tell),
            _ => effects,
        }
    }

    fn takes(&self, incoming: &Incoming, _: &Value) -> bool {
        let input = ["toolArgs", "tool_input"].into_iter().find_map(|name| incoming.raw.get(name));
        input.is_none_or(|input| tools::bare_patch(input).is_none())
    }
}

/// The events, by either name.
fn events(native: &str, fields: Fields<'_>) -> Result<Vec<Event>, Unreadable> {
    Ok(match native {
        "preToolUse" | "PreToolUse" => vec![Event::tool_call(calls::judged(tools::call(fields)?)?)],
        "permissionRequest" | "PermissionRequest" => {
            vec![Event::permission_request(calls::judged(tools::call(fields)?)?)]
        }
        "postToolUse" | "PostToolUse" | "postToolUseFailure" | "PostToolUseFailure" => vec![result(fields)?],
        "userPromptSubmitted" | "userPromptTransformed" | "UserPromptSubmit" => {
            payloads::user_prompt(fields)?
        }
        "sessionStart" | "SessionStart" => payloads::session_start(fields)?,
        "sessionEnd" | "SessionEnd" => vec![payloads::session_end(fields)?],
        "agentStop" | "Stop" => vec![payloads::agent_end(fields)?],
        "subagentStart" | "SubagentStart" => vec![payloads::subagent(fields, Lifecycle::SubagentStart)?],
        "subagentStop" | "SubagentStop" => vec![payloads::subagent(fields, Lifecycle::SubagentEnd)?],
        "errorOccurred" | "ErrorOccurred" => {
            let error = fields.0.get("error").map(results::text).filter(|text| !text.is_empty());
            let error = error.as_deref().unwrap_or("unknown");
            vec![lifecycle(Lifecycle::AgentError, [("error", value(Some(error)))])?]
        }
        "preCompact" | "PreCompact" => vec![payloads::compact(fields, Lifecycle::SessionBeforeCompact)?],
        "notification" | "Notification" => vec![payloads::notification(fields)?],
        _ => Vec::new(),
    })
}

/// `textResultForLlm` with `resultType`, VS Code's bare text, or what failed.
fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = tools::call(fields)?;
    let Some(response) = fields.0.get("tool_response").filter(|response| response.is_object()) else {
        let Some(error) = fields.0.get("error") else { return Ok(payloads::result_of(call, fields)) };
        return Ok(payloads::result(call, results::text(error), Value::Null, true));
    };
    let given = response.as_object().map(Fields);
    let any = |names: &[&str]| given.and_then(|given| given.any_text(names));
    let text = any(&["textResultForLlm", "text_result_for_llm"]);
    let is_error = any(&["resultType", "result_type"]).is_some_and(|kind| kind != "success");
    let content = text.map_or_else(|| results::text(response), str::to_owned);
    Ok(payloads::result(call, content, response.clone(), is_error))
}
