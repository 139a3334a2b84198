//! Lifecycle files as commands of ours show them: what stands in them, and what is wrong with them. Not here: running them
//! (`hook::lifecycle`).

use serde_json::{Value, json};
use snaphook::{Candidate, Language, Problem};
use snaphook_command::lifecycle::{Finding, List, Weight, parse};
use snaphook_discovery::{LifecycleFile, LifecycleFiles, printable};

/// Everything that is to be said about the files that were found.
pub(crate) fn problems(found: &LifecycleFiles) -> Vec<Problem> {
    let mut all = found.problems.clone();
    for file in &found.files {
        all.extend(file.problem());
        all.extend(parse(file.bytes()).findings.into_iter().map(|finding| problem(file, finding)));
    }
    all
}

fn problem(file: &LifecycleFile, finding: Finding) -> Problem {
    let shown = &file.hook.candidate.hook.file;
    let Finding { weight, place, message, help } = finding;
    let message = match place {
        Some(place) => format!("column {}: {message}", place.column),
        None => message,
    };
    let mut problem = match weight {
        Weight::Note => Problem::note(shown, message),
        Weight::Warning => Problem::warning(shown, message),
    };
    problem.line = place.map(|place| place.line);
    problem.help = help;
    problem
}

/// Each command with its list, its time and where its output goes; nothing for any other hook.
pub(crate) fn lines(candidate: &Candidate) -> String {
    let mut text = String::new();
    each(candidate, |list, command| {
        let piped = if command.pipe_output { ", its output goes to the agent" } else { "" };
        let seconds = command.timeout.as_secs();
        let line = command.place.line;
        text += &format!("    {list} line {line} ({seconds} s{piped})\n");
        for line in command.written.lines() {
            text += &format!("        {}\n", printable(line));
        }
    });
    text
}

/// The same as a document; null for any other hook.
pub(crate) fn document(candidate: &Candidate) -> Value {
    let mut all = Vec::new();
    each(candidate, |list, command| {
        all.push(json!({
            "list": list.name(),
            "command": command.written,
            "line": command.place.line,
            "timeout_seconds": command.timeout.as_secs(),
            "pipe_output": command.pipe_output,
        }));
    });
    if candidate.language == Language::Lifecycle { all.into() } else { Value::Null }
}

fn each(candidate: &Candidate, mut tell: impl FnMut(List, &snaphook_command::lifecycle::Command)) {
    let bytes = candidate.raw.values().next().filter(|_| candidate.language == Language::Lifecycle);
    let Some(bytes) = bytes else { return };
    let parsed = parse(bytes);
    for list in List::ALL {
        parsed.lifecycle.commands(list).iter().for_each(|command| tell(list, command));
    }
}
