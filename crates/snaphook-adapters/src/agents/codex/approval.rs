//! Approvals: Codex runs a hook only if its person approved that very hook, which is in `config.toml` by the hook's place in
//! `hooks.json` and by a hash of what it runs. Seen of version 0.169.0 (`hooks/list` of its app server); a hash in another form
//! than this one's would show as approved for another command.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::install::is_ours;
use crate::switches::{Off, SettingsFile};

/// The seconds that Codex waits where a hook names none.
const DEFAULT_TIMEOUT: u64 = 600;

/// Finds snaphook's entries that Codex does not run, because they are not approved or switched off.
pub(super) fn missing(hooks: &SettingsFile, settings: Option<&SettingsFile>) -> Vec<Off> {
    let mut kinds: Vec<(&'static str, Vec<String>)> = Vec::new();
    for (event, place, group) in ours(&hooks.document) {
        let names = [&hooks.path, &hooks.real].map(|path| format!("{path}:{}:{place}", label(&event)));
        let states = settings.map(|settings| settings.at(&["hooks", "state"]));
        let state = names.iter().find_map(|name| states?.get(name));
        let why = match state {
            Some(state) if state["enabled"] == false => "switched off",
            Some(state) if state["trusted_hash"].is_null() => "not approved",
            Some(state) if state["trusted_hash"] != hash(&event, &group).as_str() => {
                "approved for another command"
            }
            Some(_) => continue,
            None => "not approved",
        };
        match kinds.iter_mut().find(|(known, _)| *known == why) {
            Some((_, events)) => events.push(event),
            None => kinds.push((why, vec![event])),
        }
    }
    let off = |(why, events): (&str, Vec<String>)| Off {
        path: settings.map_or(&hooks.path, |settings| &settings.path).clone(),
        what: format!("its command for {} is {why}", events.join(", ")),
        remedy: "start codex, open /hooks and approve snaphook's".to_owned(),
    };
    kinds.into_iter().map(off).collect()
}

/// Each of snaphook's commands: its event, its place in the event's list, its group.
fn ours(document: &Value) -> Vec<(String, String, Value)> {
    let mut found = Vec::new();
    for (event, groups) in document["hooks"].as_object().into_iter().flatten() {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (inner, hook) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                if hook["command"].as_str().is_some_and(|command| is_ours(command, "codex")) {
                    let one = json!({"matcher": group["matcher"], "hook": hook});
                    found.push((event.clone(), format!("{at}:{inner}"), one));
                }
            }
        }
    }
    found
}

/// The hash that Codex keeps with an approval: of the hook as JSON, its keys in order.
fn hash(event: &str, group: &Value) -> String {
    let hook = &group["hook"];
    let flag = hook["async"].as_bool().unwrap_or_default();
    let timeout = hook["timeout"].as_u64().unwrap_or(DEFAULT_TIMEOUT);
    // Written key by key in the order of the alphabet, which the hash is of.
    let mut handler =
        json!({"async": flag, "command": hook["command"], "timeout": timeout, "type": "command"});
    if let Some(status) = hook["statusMessage"].as_str() {
        handler = json!({
            "async": flag, "command": hook["command"], "statusMessage": status, "timeout": timeout, "type": "command",
        });
    }
    let mut identity = json!({"event_name": label(event), "hooks": [handler]});
    // An end of a turn has no matcher, whatever is written.
    if let Some(matcher) = group["matcher"].as_str().filter(|_| has_matcher(event)) {
        identity["matcher"] = matcher.into();
    }
    let digest = Sha256::digest(identity.to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn has_matcher(event: &str) -> bool {
    !matches!(event, "Stop" | "UserPromptSubmit")
}

/// `pre_tool_use` of `PreToolUse`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(c.to_ascii_lowercase());
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::Reach;

    /// As Codex 0.169.0 named these hashes.
    #[test]
    fn hashes_are_codex_own() {
        let group = |matcher: Value, command: &str, timeout: Value| json!({"matcher": matcher, "hook": {"type": "command", "command": command, "timeout": timeout}});
        for (event, group, known) in [
            (
                "PreToolUse",
                group(Value::Null, "true a", json!(600)),
                "sha256:340d48fd1cfb5b84f9282f5920176d7b9f4f43998a6c1df2bf46cecba838f063",
            ),
            (
                "Stop",
                group(json!("x"), "true b", Value::Null),
                "sha256:46d58f4912612696b5afb387e0d0dee14c9fecd6403ae0cdfa86c34878058d26",
            ),
        ] {
            assert_eq!(hash(event, &group), known, "{event}");
        }
    }

    #[test]
    fn what_is_not_approved_is_found() {
        let command = "/x/snaphook hook codex PreToolUse";
        let other = json!({"hooks": [{"type": "command", "command": "theirs"}]});
        let own = json!({"hooks": [{"type": "command", "command": command, "timeout": 600}]});
        let file = |file: &str, document: Value| SettingsFile {
            reach: Reach::User,
            file: file.to_owned(),
            path: format!("/link/{file}"),
            real: format!("/real/{file}"),
            text: String::new(),
            document,
        };
        let hooks = file(".codex/hooks.json", json!({"hooks": {"PreToolUse": [other, own]}}));
        let right = hash("PreToolUse", &json!({"hook": {"command": command, "timeout": 600}}));
        let place = "/.codex/hooks.json:pre_tool_use:1:0";
        let state = |folder: &str, state: Value| {
            file(".codex/config.toml", json!({"hooks": {"state": {(format!("{folder}{place}")): state}}}))
        };
        for (settings, found) in [
            (None, "not approved"),
            (Some(file(".codex/config.toml", json!({}))), "not approved"),
            (Some(state("/elsewhere", json!({"trusted_hash": right}))), "not approved"),
            (Some(state("/link", json!({"enabled": true}))), "not approved"),
            (Some(state("/link", json!({"trusted_hash": "sha256:0"}))), "approved for another command"),
            (Some(state("/link", json!({"trusted_hash": right, "enabled": false}))), "switched off"),
            (Some(state("/link", json!({"trusted_hash": right}))), ""),
            (Some(state("/real", json!({"trusted_hash": right, "enabled": true}))), ""),
        ] {
            let off = missing(&hooks, settings.as_ref());
            let wanted = (!found.is_empty()).then(|| format!("its command for PreToolUse is {found}"));
            assert_eq!(off.first().map(|off| off.what.clone()), wanted, "{settings:?}");
        }
    }
}
