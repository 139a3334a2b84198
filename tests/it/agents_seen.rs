//! The results of runs of real agents (`tests/interop/agents.sh --record`) agree with docs/agents.md, and with the adapters.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use snaphook_adapters::{AGENTS, Tier};

use crate::tree::{root, text};

/// Scenes by what a person wants to know; those that begin with `off-` are one line.
const SCENES: &[(&str, &str)] = &[
    ("runs", "a call that no hook objects to runs"),
    ("block", "a call is blocked, and the model reads why"),
    ("bare-block", "the same without a reason"),
    ("rewrite", "the input of a call is rewritten"),
    ("hold", "a program is held, and the model reads why it failed"),
    ("inside", "the agent's settings, when its own command for MCP servers is held"),
    ("ask", "a question, and nobody to answer"),
    ("raises", "the hook fails"),
    ("redact", "a secret is taken out of a result"),
    ("redact-failed", "the same of a failed call"),
    ("redact-mcp", "the same of an MCP tool"),
    ("mcp", "calls of MCP tools are seen and blocked"),
    ("subagent", "calls of a subagent are seen and blocked"),
    ("context-start", "the model reads a text of the session's start"),
    ("context-prompt", "of the prompt"),
    ("context-call", "of a call"),
    ("context-call-alone", "of a call, where no hook is for results"),
    ("context-result", "of a result"),
    ("prompt-block", "a prompt is blocked, and the person reads why"),
    ("continue", "how often a hook that always wants to makes it go on"),
    ("claude-settings", "it runs what is in Claude Code's settings"),
    ("unloadable", "a hook does not load"),
    ("untrusted", "the project's hook is not trusted"),
    ("broken", "snaphook is missing, empty, crashes, answers rubbish, or half"),
    ("hang", "snaphook hangs for longer than the agent waits"),
    ("doctor-before", "`doctor` before `install`"),
    ("doctor-after", "`doctor` after it"),
];

const BEGIN: &str = "<!-- what runs saw, made of tests/interop/agents/seen.json -->\n\n";
const END: &str = "\n<!-- end of what runs saw -->";

fn seen() -> Value {
    serde_json::from_str(&text("tests/interop/agents/seen.json")).unwrap()
}

/// The outcome in words that need no key.
fn shown(outcome: &str) -> String {
    let (word, rest) = outcome.split_once(',').map_or((outcome, ""), |(word, rest)| (word, rest));
    let word = match word {
        "RAN" => "the call runs",
        "SENT" => "it is sent",
        word => word,
    };
    if rest.is_empty() { word.to_owned() } else { format!("{word},{rest}") }
}

fn page(seen: &Value) -> String {
    let agents: Vec<(&String, &Value)> = seen.as_object().unwrap().iter().collect();
    let mut page = String::from("| |");
    for (_, agent) in &agents {
        write!(page, " {} |", agent["title"].as_str().unwrap()).unwrap();
    }
    writeln!(page, "\n|---|{}", "---|".repeat(agents.len())).unwrap();
    let mut row = |name: &str, cell: &dyn Fn(&Value) -> String| {
        let cells: Vec<String> = agents.iter().map(|(_, agent)| cell(agent)).collect();
        writeln!(page, "| {name} | {} |", cells.join(" | ")).unwrap();
    };
    row("version", &|agent| agent["version"].as_str().unwrap().to_owned());
    row("seen on", &|agent| agent["date"].as_str().unwrap().to_owned());
    for (scene, name) in SCENES {
        row(name, &|agent| shown(agent["outcomes"][*scene].as_str().unwrap_or("not tried")));
    }
    row("`doctor` sees its off-switches", &|agent| {
        let outcomes = agent["outcomes"].as_object().unwrap();
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, outcome) in outcomes.iter().filter(|(scene, _)| scene.starts_with("off-")) {
            *kinds.entry(outcome.as_str().unwrap()).or_default() += 1;
        }
        let kinds: Vec<String> = kinds.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        if kinds.is_empty() { "–".to_owned() } else { kinds.join(", ") }
    });
    page
}

/// `BLESS=1` writes the page.
#[test]
fn the_page_says_what_runs_saw() {
    let seen = seen();
    let known: Vec<&str> = SCENES.iter().map(|(scene, _)| *scene).collect();
    for (id, agent) in seen.as_object().unwrap() {
        for scene in agent["outcomes"].as_object().unwrap().keys() {
            assert!(known.contains(&&**scene) || scene.starts_with("off-"), "{id}: {scene} has no line");
        }
    }
    let file = root().join("docs/agents.md");
    let page_text = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = page_text.split_once(BEGIN).expect("the mark is there");
    let (table, after) = rest.split_once(END).expect("the other mark is there");
    let wanted = page(&seen);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(table, wanted, "BLESS=1 writes docs/agents.md");
}

#[test]
fn an_agent_that_says_it_was_run_was_run() {
    let seen = seen();
    for agent in AGENTS {
        let version = seen[agent.id()]["version"].as_str();
        let said = match agent.profile().tier {
            Tier::Run(version) => Some(version),
            Tier::Documented => None,
        };
        assert_eq!(said, version, "{}", agent.id());
    }
}
