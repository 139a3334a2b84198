//! Lifecycle files as snaphook's commands show them: their content and their problems. Not here: running them
//! (`snaphook_session`).

use serde_json::{Value, json};
use snaphook::{Candidate, Language, Problem, Product, Severity};
use snaphook_command::lifecycle::{List, parse_for};
use snaphook_discovery::{LifecycleFiles, ProjectHook, TrustState, printable};
use snaphook_session::lifecycle_files::problem;

use crate::print::Paint;

/// The state of a lifecycle file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LifecycleState {
    Loaded,
    /// There is no decision about it.
    Untrusted,
    Ignored,
    /// Nothing of it counts, trusted or not.
    Broken,
}

impl LifecycleState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            LifecycleState::Loaded => "loaded",
            LifecycleState::Untrusted => "untrusted",
            LifecycleState::Ignored => "ignored",
            LifecycleState::Broken => "broken",
        }
    }

    /// Returns what becomes of one that was read.
    pub(crate) fn of(hook: &ProjectHook) -> Self {
        let bytes = hook.candidate.raw.values().next().map_or(&[][..], |bytes| bytes);
        match hook.state {
            _ if parse_for(bytes, product_of(&hook.candidate)).broken => LifecycleState::Broken,
            TrustState::Trusted => LifecycleState::Loaded,
            TrustState::Ignored => LifecycleState::Ignored,
            TrustState::Undecided => LifecycleState::Untrusted,
        }
    }
}

/// A lifecycle file that is there.
pub(crate) struct LifecycleEntry {
    pub(crate) file: String,
    pub(crate) state: LifecycleState,
    /// The problems with it, each with its place: the first thing is why nothing of it runs, if so.
    problems: Vec<Problem>,
    commands: usize,
    /// The number of entries that are left out though the file counts.
    left_out: usize,
}

impl LifecycleEntry {
    /// Each file that is there, also one that cannot be read.
    pub(crate) fn all(found: &LifecycleFiles) -> Vec<Self> {
        let read = found.files.iter().map(|file| {
            let parsed = parse_for(file.bytes(), file.product);
            let commands = List::ALL.iter().map(|list| parsed.lifecycle.commands(*list).len()).sum();
            let state = LifecycleState::of(&file.hook);
            let left_out = parsed.left_out;
            let mut problems: Vec<_> = parsed.findings.into_iter().map(|one| problem(file, one)).collect();
            match state {
                LifecycleState::Broken => problems.extend(file.problem()),
                _ => problems.splice(..0, file.problem()).for_each(drop),
            }
            let file = file.hook.candidate.hook.file.display().to_string();
            LifecycleEntry { file, state, problems, commands, left_out }
        });
        let unread = found.unread.iter().map(|problem| {
            let file = problem.file.display().to_string();
            LifecycleEntry {
                file,
                state: LifecycleState::Broken,
                problems: vec![problem.clone()],
                commands: 0,
                left_out: 0,
            }
        });
        read.chain(unread).collect()
    }

    /// Returns why it is as it is, in one line, and what helps.
    pub(crate) fn why(&self) -> (String, Option<String>) {
        match self
            .problems
            .first()
            .filter(|_| !matches!(self.state, LifecycleState::Loaded | LifecycleState::Ignored))
        {
            Some(problem) => {
                let line = problem.line.map(|line| format!("line {line}, ")).unwrap_or_default();
                (format!("{line}{}", problem.message), problem.help.clone())
            }
            None if self.state == LifecycleState::Ignored => {
                ("you said that it does not run here".to_owned(), None)
            }
            None if self.leaves_out() => {
                let what = self.problems.iter().filter(|problem| problem.severity == Severity::Warning);
                let what: Vec<_> = what
                    .map(|problem| match problem.line {
                        Some(line) => format!("line {line}, {}", problem.message),
                        None => problem.message.clone(),
                    })
                    .collect();
                (format!("{} commands; left out: {}", self.commands, what.join("; ")), None)
            }
            None => (format!("{} commands", self.commands), None),
        }
    }

    /// Returns true where entries of it do not count, and the rest does.
    pub(crate) fn leaves_out(&self) -> bool {
        self.state == LifecycleState::Loaded && self.left_out > 0
    }

    /// One line for a person.
    pub(crate) fn line(&self, paint: Paint) -> String {
        let state = match self.state {
            LifecycleState::Loaded => paint.green("loaded"),
            LifecycleState::Ignored => paint.dim("ignored"),
            LifecycleState::Untrusted => paint.yellow("untrusted"),
            LifecycleState::Broken => paint.red("broken"),
        };
        let (why, help) = self.why();
        let help = help.map(|help| format!(" ({})", printable(&help))).unwrap_or_default();
        format!("lifecycle file {}: {state}: {}{help}\n", printable(&self.file), printable(&why))
    }

    /// The same as a document.
    pub(crate) fn document(&self) -> Value {
        json!({
            "file": self.file,
            "state": self.state.as_str(),
            "commands": self.commands,
            "problems": self.problems,
        })
    }
}

/// The product whose lifecycle file a hook is.
fn product_of(candidate: &Candidate) -> Product {
    let is_theirs = candidate.hook.id == Product::Iteratr.as_str();
    if is_theirs { Product::Iteratr } else { Product::Snaphook }
}

/// Each command with its list, its time and where its output goes; nothing for any other hook.
pub(crate) fn lines(candidate: &Candidate) -> String {
    let mut text = String::new();
    each(candidate, |list, command| {
        let piped = if command.pipe_output { ", its output goes to the agent" } else { "" };
        let seconds = command.timeout.as_secs();
        let line = command.position.line;
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
            "list": list.as_str(),
            "command": command.written,
            "line": command.position.line,
            "timeout_seconds": command.timeout.as_secs(),
            "pipe_output": command.pipe_output,
        }));
    });
    if candidate.language == Language::Lifecycle { all.into() } else { Value::Null }
}

fn each(candidate: &Candidate, mut tell: impl FnMut(List, &snaphook_command::lifecycle::Command)) {
    let bytes = candidate.raw.values().next().filter(|_| candidate.language == Language::Lifecycle);
    let Some(bytes) = bytes else { return };
    let parsed = parse_for(bytes, product_of(candidate));
    for list in List::ALL {
        parsed.lifecycle.commands(list).iter().for_each(|command| tell(list, command));
    }
}
