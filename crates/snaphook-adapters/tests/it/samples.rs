//! Whole payloads as agents write them: `tests/samples/AGENT/EVENT[.TOOL][.more].json`, with long command lines, line ends
//! of Windows, and names that have spaces and umlauts. Every file has to be readable, and one that carries a tool call has
//! to give it. What hooks see of each payload, field by field, is in the fixtures.

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::{AGENTS, Agent};

use crate::support::object;

/// A line that each shell command of the samples contains.
const LINE: &str = "\n# \"Quoted\" $HOME `not run`\n";

#[test]
fn samples_of_every_agent_are_read() {
    let mut wrong = Vec::new();
    for agent in AGENTS {
        let files = payloads(*agent);
        assert!(files.len() >= 3, "{} has {} samples", agent.id(), files.len());
        wrong.extend(files.iter().filter_map(|file| check(*agent, file).err()));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A folder that no agent has the name of would not be read.
#[test]
fn every_folder_of_samples_is_of_an_agent() {
    for folder in inside(&samples()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(AGENTS.iter().any(|agent| agent.id() == name), "{name} is no agent");
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn payloads(agent: &dyn Agent) -> Vec<PathBuf> {
    inside(&samples().join(agent.id()))
}

/// The event that a file is named after: the longest name of an event that it begins with.
fn native(agent: &dyn Agent, file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_string_lossy();
    let known = agent.rows().iter().map(|row| row.native).filter(|native| stem.starts_with(native));
    let longest = known.max_by_key(|native| native.len());
    longest.or_else(|| stem.split('.').next()).unwrap_or_default().to_owned()
}

fn check(agent: &dyn Agent, file: &Path) -> Result<(), String> {
    let shown = format!("{} {}", agent.id(), file.display());
    let payload: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap())
        .map_err(|error| format!("{shown}: no JSON: {error}"))?;
    let native = native(agent, file);
    let incoming =
        agent.read(Some(&native), &object(&payload)).map_err(|error| format!("{shown}: {error}"))?;
    let Some(row) = agent.row(&incoming.native) else {
        return Err(format!("{shown}: {} is no event of the agent's", incoming.native));
    };
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
        Some(call) if &*call.tool == "bash" && !call.command().is_some_and(|text| text.contains(LINE)) => {
            Err(format!("{shown}: a shell call without its command: {:?}", call.command()))
        }
        Some(call)
            if matches!(&*call.tool, "read" | "write" | "edit" | "notebook") && call.paths().is_empty() =>
        {
            Err(format!("{shown}: a call about a file without its path"))
        }
        _ => Ok(()),
    }
}
