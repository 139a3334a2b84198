//! Payloads that somebody captured: `SNAPHOOK_PAYLOADS` names a folder with folders of agents, whose
//! `EVENT[.TOOL][.more].json` files are read. A folder is an agent's if the first word of the agent's id is one of its
//! words (`claude`, `gemini-cli`, `factory-droid`). Every file has to be readable, and one that carries a tool call has to
//! give it. Without the variable there is nothing to read; our own fixtures are always there.

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::{AGENTS, Agent};

use crate::support::object;

/// Files that need not be readable, by the end of their path, with the reason.
const NOT_READ: &[(&str, &str)] = &[(
    "/observed-1.0.72/preToolUse.json",
    "a record of the agent's own about several calls; hooks get one call each",
)];

#[test]
fn captured_payloads_are_read() {
    let Some(folder) = std::env::var_os("SNAPHOOK_PAYLOADS") else { return };
    let mut wrong = Vec::new();
    let mut read = 0;
    for folder in inside(Path::new(&folder)).into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        for agent in AGENTS.iter().filter(|agent| is_of(&name, agent.id())) {
            for file in payloads(&folder) {
                read += 1;
                wrong.extend(check(*agent, &file).err());
            }
        }
    }
    assert!(read > 0, "no payload in {}", folder.display());
    assert!(wrong.is_empty(), "{} of {read}:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_of(folder: &str, id: &str) -> bool {
    folder.split('-').any(|word| id.split('-').next() == Some(word))
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The payloads of a folder and of those in it; `output` has answers, not payloads.
fn payloads(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| {
        if !path.is_dir() {
            vec![path]
        } else if path.ends_with("output") {
            Vec::new()
        } else {
            payloads(&path)
        }
    };
    let files = inside(folder).into_iter().flat_map(below);
    files
        .filter(|file| file.extension().is_some_and(|extension| extension == "json") && is_read(file))
        .collect()
}

fn is_read(file: &Path) -> bool {
    !NOT_READ.iter().any(|(end, _)| file.to_string_lossy().ends_with(end))
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
