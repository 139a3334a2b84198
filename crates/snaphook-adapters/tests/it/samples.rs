//! Payloads that somebody captured: `SNAPHOOK_PAYLOADS` names a folder with one folder an agent (`claude`, `codex`, `gemini`,
//! `opencode`, … or our own ids), whose `EVENT[.TOOL][.more].json` files are read. Every one has to be readable, and one that
//! carries a tool call has to give it. Without the variable there is nothing to read; our own fixtures are always there.

use std::path::Path;

use serde_json::Value;
use snaphook_adapters::{AGENTS, Agent};

use crate::support::object;

#[test]
fn captured_payloads_are_read() {
    let Some(folder) = std::env::var_os("SNAPHOOK_PAYLOADS") else { return };
    let mut wrong = Vec::new();
    let mut read = 0;
    for agent in AGENTS {
        let names = [agent.id(), agent.id().split('-').next().unwrap_or_default()];
        for name in names.iter().take(if names[0] == names[1] { 1 } else { 2 }) {
            let Ok(entries) = std::fs::read_dir(Path::new(&folder).join(name)) else { continue };
            for file in entries.flatten().map(|entry| entry.path()) {
                if file.extension().is_some_and(|extension| extension == "json") {
                    read += 1;
                    wrong.extend(check(*agent, &file).err());
                }
            }
        }
    }
    assert!(read > 0, "no payload in {}", folder.display());
    assert!(wrong.is_empty(), "{} of {read}:\n{}", wrong.len(), wrong.join("\n"));
}

fn check(agent: &dyn Agent, file: &Path) -> Result<(), String> {
    let shown = format!("{} {}", agent.id(), file.file_name().unwrap().to_string_lossy());
    let payload: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap())
        .map_err(|error| format!("{shown}: no JSON: {error}"))?;
    let native = file.file_stem().unwrap().to_str().unwrap().split('.').next();
    let incoming = agent.read(native, &object(&payload)).map_err(|error| format!("{shown}: {error}"))?;
    let Some(row) = agent.row(&incoming.native) else { return Ok(()) };
    if !row.events.is_empty() && incoming.events.is_empty() {
        return Err(format!("{shown}: no event for hooks"));
    }
    for event in &incoming.events {
        if !row.events.iter().any(|known| known.name() == event.name().as_str()) {
            return Err(format!("{shown}: {} is not in the row", event.name().as_str()));
        }
    }
    match incoming.events.first().and_then(|event| event.call()) {
        Some(call) if call.tool.is_empty() || call.native_tool.is_empty() => Err(format!("{shown}: no tool")),
        Some(call) if &*call.tool == "bash" && call.command().is_none() => {
            Err(format!("{shown}: a shell call without its command"))
        }
        Some(call)
            if matches!(&*call.tool, "read" | "write" | "edit" | "notebook") && call.paths().is_empty() =>
        {
            Err(format!("{shown}: a call about a file without its path"))
        }
        _ => Ok(()),
    }
}
