//! `tests/setups.txt`: how each agent is set up for a tool call and a result, file by file. `BLESS=1` writes it anew: hold it
//! against what the agent documents.

use std::fmt::Write as _;
use std::path::Path;

use snaphook_adapters::install::{Edit, FileContent, Launcher, Part, Reach, Setup};
use snaphook_adapters::{AGENTS, Agent, Row};

#[test]
fn each_agent_is_set_up_as_it_wants_it() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/setups.txt");
    let now: String = AGENTS.iter().map(|agent| setup(*agent)).collect();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    let wanted = std::fs::read_to_string(&file).unwrap();
    for (number, (is, wanted)) in now.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(is, wanted, "line {}", number + 1);
    }
    assert_eq!(now.lines().count(), wanted.lines().count());
}

/// The table of docs/agents.md names every file, or the folder that it is in.
#[test]
fn the_page_about_agents_names_the_files() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    let page = std::fs::read_to_string(page).unwrap();
    for agent in AGENTS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", agent.id())));
        let row = row.unwrap_or_else(|| panic!("{} is not in the table", agent.id()));
        let launcher = Launcher { program: "snaphook".to_owned(), agent: agent.id() };
        let rows: Vec<&'static Row> = agent.rows().iter().filter(|row| agent.registers(row)).collect();
        for (prefix, reach) in [("~/", Reach::User), ("", Reach::Project)] {
            for edit in agent.install(&Setup { reach, launcher: &launcher, rows: &rows }).unwrap_or_default()
            {
                let mut places = Path::new(&edit.file).ancestors().map(|path| path.display().to_string());
                let named = |path: &String| {
                    row.contains(&format!("`{prefix}{path}`")) || row.contains(&format!("`{prefix}{path}/`"))
                };
                assert!(places.any(|path| named(&path)), "{}: {prefix}{}", agent.id(), edit.file);
            }
        }
        assert_eq!(
            row.ends_with("| |"),
            agent.profile().after_install.is_empty() && !["copilot", "kiro"].contains(&agent.id()),
            "{row}"
        );
    }
}

fn setup(agent: &dyn Agent) -> String {
    let launcher = Launcher { program: "/opt/my tools/snaphook".to_owned(), agent: agent.id() };
    let (gate, _) = agent.canary("/work").unwrap();
    let result = |row: &&'static Row| {
        agent.registers(row)
            && !row.is_gate()
            && row.events.first() == Some(&snaphook_core::Lifecycle::ToolResult)
    };
    let rows: Vec<&'static Row> =
        agent.row(gate).into_iter().chain(agent.rows().iter().find(result)).collect();
    let mut text = format!("==== {} ====\n", agent.title());
    for (name, reach) in [("~", Reach::User), ("PROJECT", Reach::Project)] {
        match agent.install(&Setup { reach, launcher: &launcher, rows: &rows }) {
            Ok(edits) => edits.iter().for_each(|edit| text += &shown(name, edit)),
            Err(error) => writeln!(text, "{name}: {error}").unwrap(),
        }
    }
    if !agent.profile().after_install.is_empty() {
        writeln!(text, "by hand: {}", agent.profile().after_install).unwrap();
    }
    text
}

fn shown(base: &str, edit: &Edit) -> String {
    let mut text = format!("{base}/{}\n", edit.file);
    match &edit.content {
        FileContent::Own { text: own, executable } => {
            let kind = if *executable { "executable" } else { "own file" };
            writeln!(text, "  {kind}").unwrap();
            // Snaphook's own program has its own tests.
            let most = if edit.file.ends_with(".js") { 2 } else { usize::MAX };
            own.lines().take(most).for_each(|line| writeln!(text, "  | {line}").unwrap());
        }
        FileContent::Json(parts) | FileContent::Toml(parts) => {
            for part in parts {
                match part {
                    Part::Element { at, value } => writeln!(text, "  {} += {value}", at.join(".")).unwrap(),
                    Part::Constant { at, value } => writeln!(text, "  {} = {value}", at.join(".")).unwrap(),
                }
            }
        }
    }
    text
}
