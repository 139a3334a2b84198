//! marvin's hooks: `.marvin/hooks` and `~/.config/marvin/hooks`. Scripts in our languages are copied as they are; one in TypeScript is
//! left, with a skeleton of it in Lua for the events that it uses. Not here: writing (`mod`).

use std::path::{Path, PathBuf};

use serde_json::json;
use snaphook_discovery::is_test;

use crate::import::imported_file::{Fate, ImportedFile, MAX_BYTES};

/// marvin's events, and ours.
const EVENTS: [(&str, &str); 22] = [
    ("session", "session"),
    ("app.start", "session_start"),
    ("session.start", "session_start"),
    ("session.resume", "session"),
    ("session.clear", "session"),
    ("session.end", "session_end"),
    ("session.compact", "session_compact"),
    ("session.before_compact", "session_before_compact"),
    ("agent_start", "agent_start"),
    ("agent.start", "agent_start"),
    ("agent_end", "agent_end"),
    ("agent.end", "agent_end"),
    ("turn_start", "turn_start"),
    ("turn.start", "turn_start"),
    ("turn_end", "turn_end"),
    ("turn.end", "turn_end"),
    ("tool_call", "tool_call"),
    ("tool.execute.before", "tool_call"),
    ("tool_result", "tool_result"),
    ("tool.execute.after", "tool_result"),
    ("user.prompt", "user_prompt"),
    ("app.exit", "shutdown"),
];

/// The calls of a hook in TypeScript, and what stands for it here.
const CALLS: [(&str, &str); 9] = [
    ("marvin.send(", "ctx.send(text)"),
    ("sendUserMessage(", "ctx.send(text, { deliver = \"follow_up\" })"),
    (".followUp(", "ctx.send(text, { deliver = \"follow_up\" })"),
    (".steer(", "ctx.send(text, { deliver = \"now\" })"),
    (
        "ctx.exec(",
        "ctx.exec(program, { arguments }, { timeout = seconds }), with `exec` under grants in the front matter",
    ),
    ("console.", "ctx.log(text)"),
    ("process.env", "snaphook.env.get(name), with `env` under grants in the front matter"),
    ("registerCommand(", "nothing: an agent's own commands are the agent's"),
    ("summarize(", "nothing: when a conversation is compacted is the agent's to say"),
];

/// Returns the outcome for a file that would be copied to the folder `to`.
pub(super) fn file(from: PathBuf, to: &Path) -> ImportedFile {
    let Some(name) = from.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
        return ImportedFile::left(from, "has a name that is not UTF-8");
    };
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    if name.starts_with('.') {
        return ImportedFile::left(from, "is hidden, so it is not a hook");
    }
    if from.is_dir() {
        return ImportedFile::left(from, "is a folder, so it is not a hook: folders are not searched");
    }
    let bytes = match snaphook_state::plain_fs::read(&from, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return ImportedFile::wrong(from, format!("cannot be read: {error}")),
    };
    match ending.as_str() {
        "lua" | "luau" | "rhai" => {
            let language = if ending == "rhai" { "Rhai" } else { "Lua" };
            let mut facts = vec![("language", json!(language))];
            if is_test(&name) {
                facts.push(("test", json!(true)));
            }
            let fate = Fate::Copied { to: to.join(&name), bytes, executable: false };
            ImportedFile { from, fate, facts, notes: Vec::new() }
        }
        "ts" | "mts" | "cts" | "tsx" | "js" | "mjs" => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut item = ImportedFile::left(from, "is TypeScript, which you have to port by hand");
            item.notes = vec![hint(&text)];
            item
        }
        _ => ImportedFile::left(from, "is not a hook: hooks end in .lua, .luau or .rhai"),
    }
}

/// Returns how a hook in TypeScript looks here: its events with empty handlers, and what stands for what it calls.
fn hint(text: &str) -> String {
    let mut hint = "in Lua:\n".to_owned();
    let mut unknown = Vec::new();
    let mut seen = Vec::new();
    for event in events(text) {
        match EVENTS.iter().find(|(theirs, _)| *theirs == event) {
            Some((_, ours)) if !seen.contains(ours) => {
                seen.push(ours);
                hint += &format!("  on(\"{ours}\", function(event, ctx) -- {event}\n{}  end)\n", body(ours));
            }
            Some(_) => {}
            None => unknown.push(event),
        }
    }
    if seen.is_empty() {
        hint += "  on(\"tool_call\", function(event, ctx)\n  end)\n";
    }
    for event in unknown {
        hint += &format!("  {event}: there is no such event here\n");
    }
    for (theirs, ours) in CALLS.iter().filter(|(theirs, _)| text.contains(theirs)) {
        hint += &format!("  {}: {ours}\n", theirs.trim_end_matches(['(', '.']));
    }
    hint + "  see docs/guide.md and docs/reference.md"
}

fn body(event: &str) -> &'static str {
    match event {
        "tool_call" => {
            "    -- event.tool, event.command, event.paths; to block: return { block = true, reason = \"why\" }\n"
        }
        "tool_result" => {
            "    -- event.tool, event.content, event.is_error; to change it: return { content = text }\n"
        }
        "session" => "    -- event.reason is \"start\", \"switch\" or \"clear\"\n",
        _ => "",
    }
}

/// The first arguments of `.on(…)`, in their order.
fn events(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for rest in text.split(".on(").skip(1) {
        let rest = rest.trim_start();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else { continue };
        let name: String = rest.chars().skip(1).take_while(|c| *c != quote).take(100).collect();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use snaphook::{EventName, Lifecycle};

    use super::*;

    #[test]
    fn what_stands_for_their_events_is_there() {
        for (theirs, ours) in EVENTS {
            assert!(Lifecycle::from_name(ours).is_some(), "{theirs}");
            assert!(EventName::parse(ours).is_ok());
        }
    }

    #[test]
    fn a_skeleton_has_the_events_that_the_file_uses() {
        let text = "marvin.on(\"tool.execute.before\", (ev) => {})\n x.on('turn.end', f)\nx.on(\"odd.one\", f)\nx.on(\n  `app.start`, f)";
        assert_eq!(events(text), ["tool.execute.before", "turn.end", "odd.one", "app.start"]);
        let hint = hint(text);
        for part in [
            "on(\"tool_call\", function(event, ctx)",
            "on(\"turn_end\"",
            "on(\"session_start\"",
            "odd.one: there is no",
        ] {
            assert!(hint.contains(part), "{part}: {hint}");
        }
    }
}
