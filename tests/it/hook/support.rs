//! Payloads out of the adapters' fixtures, the command, and what an agent makes of an answer. The last is written down here
//! once more, from what the agents were seen to do, and not taken from the adapters.

use std::path::Path;

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox};

/// Every agent with fixtures.
pub fn agents() -> Vec<String> {
    let folder = fixtures();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snaphook-adapters/tests/fixtures")
}

/// A payload with its native event: the first fixture that hooks see as this event of this tool.
pub fn payload(agent: &str, event: &str, tool: Option<&str>) -> Option<(String, Value)> {
    let mut files: Vec<_> =
        std::fs::read_dir(fixtures().join(agent)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().find_map(|file| {
        let fixture: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let seen = &fixture["seen"];
        let fits = seen["events"][0] == event && tool.is_none_or(|tool| seen["tool"] == tool);
        // A name that other fields hide behind is of no use here.
        let native = fixture["native"].as_str().or_else(|| fixture["payload"]["hook_event_name"].as_str());
        fits.then(|| (native.unwrap_or_default().to_owned(), fixture["payload"].clone()))
    })
}

/// Replaces a text wherever it is in a payload, also in JSON within texts.
pub fn replaced(payload: &Value, from: &str, to: &str) -> Value {
    let inner = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
    let text = payload.to_string();
    let once = text.replace(&inner(from), &inner(to));
    let twice = once.replace(&inner(&inner(from)), &inner(&inner(to)));
    serde_json::from_str(&twice).unwrap_or_else(|error| panic!("{error}: {twice}"))
}

/// The shell command of a payload, wherever the agent has it.
pub fn command_of(agent: &str, event: &str) -> String {
    let mut files: Vec<_> =
        std::fs::read_dir(fixtures().join(agent)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let found = files.into_iter().find_map(|file| {
        let fixture: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let seen = &fixture["seen"];
        let fits = seen["events"][0] == event && seen["tool"] == "bash";
        fits.then(|| seen["command"].as_str().unwrap().to_owned())
    });
    found.unwrap_or_else(|| panic!("{agent} has no fixture of a shell command"))
}

/// Runs the command as the agent would.
pub fn hook(place: &Sandbox, agent: &str, native: &str, stdin: &str) -> CommandOutput {
    place.run_with_stdin(&["hook", agent, native], stdin)
}

/// Returns whether the agent takes this for a no with a reason.
pub fn denies(agent: &str, said: &CommandOutput) -> bool {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    if said.code == 2 {
        return said.stdout.is_empty()
            && !said.stderr.trim().is_empty()
            && !["opencode", "kilo", "pi"].contains(&agent);
    }
    let Ok(document) = serde_json::from_str::<Value>(&said.stdout) else { return false };
    if said.code != 0 || !said.stderr.is_empty() {
        return false;
    }
    let specific = &document["hookSpecificOutput"];
    let by_permission =
        specific["permissionDecision"] == "deny" && text(&specific["permissionDecisionReason"]);
    let by_decision =
        (document["decision"] == "block" || document["decision"] == "deny") && text(&document["reason"]);
    match agent {
        "cursor" => {
            document["permission"] == "deny"
                && (text(&document["agent_message"]) || text(&document["user_message"]))
        }
        "copilot" => {
            by_permission
                || (document["permissionDecision"] == "deny" && text(&document["permissionDecisionReason"]))
        }
        "opencode" | "kilo" => text(&document["throw"]),
        "pi" => text(&document["deny"]),
        "kimi" => by_permission,
        "cline" => document["cancel"] == true && text(&document["errorMessage"]),
        _ => by_permission || by_decision,
    }
}

/// Returns whether the agent goes on as if there was no answer, or with leave.
pub fn passes(agent: &str, said: &CommandOutput) -> bool {
    if said.code != 0 || !said.stderr.is_empty() {
        return false;
    }
    if said.stdout.is_empty() {
        return true;
    }
    let Ok(document) = serde_json::from_str::<Value>(&said.stdout) else { return false };
    !denies(agent, said) && !asks(agent, said) && document.is_object()
}

/// Returns whether the agent asks its person because a hook wants it to.
pub fn asks(agent: &str, said: &CommandOutput) -> bool {
    match agent {
        // Here "ask" leaves it to the agent's own rules.
        "antigravity" => said.stdout.contains("\"force_ask\""),
        _ => said.stdout.contains("\"ask\""),
    }
}
