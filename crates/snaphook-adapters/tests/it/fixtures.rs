//! `tests/fixtures/AGENT/NAME.json`: a payload, what hooks see of it, and the answer to the agent for each outcome.
//!
//! `{"native": …, "payload": …, "seen": {…}, "told": [{"wants": {…}, "reply": {…}, "lost": 1}]}`. `seen` has all that
//! hooks see (`support::seen`), so a field too many fails as well; a payload that is refused has `"unreadable": "part of
//! the message"` instead. `BLESS=1` writes `seen`, `reply` and `lost` anew: read the difference.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use snaphook_adapters::{AGENTS, Agent};

use crate::support::{object, outcome, respond, seen, shown};

fn folder(agent: &dyn Agent) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(agent.id())
}

fn fixtures(agent: &dyn Agent) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(agent)).map(|entries| entries.flatten().map(|entry| entry.path()));
    let mut files: Vec<_> = entries.map(Iterator::collect).unwrap_or_default();
    files.sort();
    files
}

/// Every payload of an agent, by the name of its fixture.
pub fn payloads(agent: &dyn Agent) -> Vec<(String, Map<String, Value>)> {
    let files = fixtures(agent).into_iter().map(|file| {
        let fixture: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        (file.file_stem().unwrap().to_string_lossy().into_owned(), object(&fixture["payload"]))
    });
    files.collect()
}

#[test]
fn payloads_are_read_and_answered() {
    let mut wrong = Vec::new();
    for agent in AGENTS {
        let files = fixtures(*agent);
        assert!(!files.is_empty(), "{} has no fixtures", agent.id());
        for file in files {
            let before: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap())
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let after = run(*agent, &before);
            if after == before {
                continue;
            }
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&file, format!("{after:#}\n")).unwrap();
            } else {
                wrong.push(format!("{}\nis    {after:#}\nwants {before:#}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The fixture as it would have to be.
fn run(agent: &dyn Agent, fixture: &Value) -> Value {
    let mut after = object(fixture);
    let native = fixture["native"].as_str();
    let incoming = match agent.read(native, &object(&fixture["payload"])) {
        Ok(incoming) => incoming,
        Err(error) => {
            let wanted = fixture["unreadable"].as_str().unwrap_or_default();
            if wanted.is_empty() || !error.to_string().contains(wanted) {
                after.insert("unreadable".into(), error.to_string().into());
            }
            return after.into();
        }
    };
    after.remove("unreadable");
    after.insert("seen".into(), seen(&incoming));
    let answers = fixture["told"].as_array().cloned().unwrap_or_default();
    let answers = answers.into_iter().map(|answer| {
        let (reply, lost) = respond(agent, &incoming, outcome(&answer["wants"]));
        let mut new = json!({"wants": answer["wants"], "reply": shown(&reply)});
        if !lost.is_empty() {
            new["lost"] = lost.len().into();
        }
        new
    });
    let answers: Vec<Value> = answers.collect();
    if !answers.is_empty() {
        after.insert("told".into(), answers.into());
    }
    after.into()
}

/// A new event in an agent's table needs a fixture.
#[test]
fn every_row_has_a_fixture() {
    for agent in AGENTS {
        let shown: Vec<Value> = fixtures(*agent)
            .iter()
            .map(|file| serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
            .collect();
        for row in agent.rows() {
            let named = |fixture: &Value| {
                let read = agent.read(fixture["native"].as_str(), &object(&fixture["payload"]));
                read.is_ok_and(|incoming| incoming.native == row.native)
            };
            assert!(shown.iter().any(named), "{} has no fixture of {}", agent.id(), row.native);
        }
    }
}
