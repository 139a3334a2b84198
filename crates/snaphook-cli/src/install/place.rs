//! Whose settings of which agent: which files they are, what has to stand in them, and what of it is there. Not here: changing
//! them (`change`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use snaphook::{Builder, EventName, Lifecycle, Problem, Product};
use snaphook_adapters::install::{Edit, FileContent, Launcher, Reach, is_ours, program_and_event};
use snaphook_adapters::{AGENTS, Agent, Row, agent};
use snaphook_discovery::{Directories, Trust, lifecycle_files};

use crate::env::Env;
use crate::exit::Failure;
use crate::install::{json, toml};
use crate::{guarded, wiring};

/// One agent's settings: the person's, or the project's.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) env: &'a Env,
    pub(crate) directories: &'a Directories,
    pub(crate) agent: &'static dyn Agent,
    pub(crate) reach: Reach,
}

impl Place<'_> {
    /// The file of an edit.
    ///
    /// # Errors
    /// There is no home folder.
    pub(crate) fn path(&self, file: &str) -> Result<PathBuf, Failure> {
        if self.reach == Reach::Project {
            return Ok(self.directories.project_root.join(file));
        }
        let moved = self.agent.moved_by().and_then(|(variable, folder)| {
            let within = file.strip_prefix(folder)?.strip_prefix('/')?;
            Some(PathBuf::from(self.env.var(variable)?).join(within))
        });
        let home = || self.directories.home.as_ref().map(|home| home.join(file));
        moved
            .or_else(home)
            .ok_or_else(|| Failure::Usage("there is no home folder; set HOME, or use --project".to_owned()))
    }

    /// Returns what has to stand where, so that this program is asked about these events.
    ///
    /// # Errors
    /// It cannot be done by files; the text says what a person does.
    pub(crate) fn edits(&self, rows: &[&'static Row]) -> Result<Vec<Edit>, Failure> {
        let launcher = Launcher { program: program(self.env)?, agent: self.agent.id() };
        self.agent.install(self.reach, &launcher, rows).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// The same for every event that could be registered, with files of earlier versions: all that can have something of ours.
    ///
    /// # Errors
    /// As `edits`.
    pub(crate) fn all_edits(&self) -> Result<Vec<Edit>, Failure> {
        let rows: Vec<&'static Row> = self.registered().collect();
        let mut edits = self.edits(&rows)?;
        let own = |file| Edit { file, content: FileContent::Own { text: String::new(), executable: true } };
        edits.extend(self.agent.formerly(self.reach).into_iter().map(own));
        Ok(edits)
    }

    /// The events that `install` registers: all, so that hooks of every project are asked and texts for the model find a way to it; of
    /// those that come very often only the ones that hooks are for.
    pub(crate) fn rows_for(&self, events: &BTreeSet<&'static str>) -> Vec<&'static Row> {
        self.registered().filter(|row| !row.is_frequent() || is_for(row, events)).collect()
    }

    /// The events that hooks are for.
    pub(crate) fn needed(&self, events: &BTreeSet<&'static str>) -> Vec<&'static Row> {
        self.registered().filter(|row| is_for(row, events)).collect()
    }

    fn registered(&self) -> impl Iterator<Item = &'static Row> + use<> {
        let agent = self.agent;
        agent.rows().iter().filter(move |row| !row.events.is_empty() && agent.registers(row))
    }
}

fn is_for(row: &Row, events: &BTreeSet<&'static str>) -> bool {
    row.events.iter().any(|event| events.contains(event.name()))
}

/// A command of ours in an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// The event, by the agent's own name.
    pub(crate) native: String,
    /// The command line, for a POSIX shell.
    pub(crate) command: String,
    /// The program in it.
    pub(crate) program: PathBuf,
}

/// The commands of ours in a file.
///
/// # Errors
/// The file cannot be read as what it should be.
pub(crate) fn calls(edit: &Edit, path: &Path, text: &str, agent: &str) -> Result<Vec<Call>, String> {
    match &edit.content {
        FileContent::Own { executable: true, .. } => {
            // The agent runs the file itself.
            let line = text.lines().find(|line| line.contains(&format!(" hook {agent} ")));
            let found = line.and_then(|line| call(line, agent));
            let command = snaphook_adapters::install::quoted(&path.to_string_lossy());
            Ok(found.map(|found| Call { command, ..found }).into_iter().collect())
        }
        // A program in another language, which starts snaphook in its own way.
        FileContent::Own { .. } if !edit.file.ends_with(".json") => Ok(Vec::new()),
        FileContent::Own { .. } | FileContent::Json(_) | FileContent::Toml(_) => {
            let texts = match &edit.content {
                FileContent::Toml(_) => json::ours_in(&toml::document(text)?, agent),
                _ => json::ours(text, agent)?,
            };
            Ok(texts
                .iter()
                .filter(|text| !text.starts_with('&'))
                .filter_map(|text| call(text, agent))
                .collect())
        }
    }
}

/// `… PROGRAM hook AGENT EVENT …`, as a launcher writes it.
fn call(command: &str, agent: &str) -> Option<Call> {
    if !is_ours(command, agent) {
        return None;
    }
    let (program, native) = program_and_event(command, agent)?;
    Some(Call { native, command: command.to_owned(), program: PathBuf::from(program) })
}

/// The agent of this name.
///
/// # Errors
/// There is none; the error names them.
pub(crate) fn known(id: &str) -> Result<&'static dyn Agent, Failure> {
    agent(id).ok_or_else(|| {
        let near = snaphook::nearest(id, AGENTS.iter().map(|agent| agent.id()));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Failure::Usage(format!("there is no agent \"{id}\"{near} (there are {})", names()))
    })
}

/// The names of all agents, as a person types them.
pub(crate) fn names() -> String {
    AGENTS.iter().map(|agent| agent.id()).collect::<Vec<_>>().join(", ")
}

/// This program as the agent shall start it.
///
/// # Errors
/// Its path cannot be told.
pub(crate) fn program(env: &Env) -> Result<String, Failure> {
    let program = env.program.as_deref().and_then(Path::to_str);
    let program = program.ok_or_else(|| {
        Failure::Internal("the path of this program cannot be told, or is not UTF-8".to_owned())
    })?;
    Ok(program.to_owned())
}

/// The hooks in force, as far as it matters here.
pub(crate) struct InForce {
    /// The problem where there is none.
    pub(crate) missing: Option<Problem>,
    /// The lifecycle events that they are for. Tool calls always: the built-in gate is for them, and a hook that does not
    /// load denies them.
    pub(crate) events: BTreeSet<&'static str>,
    /// The problems with them and with the settings.
    pub(crate) problems: Vec<Problem>,
    /// The number of hooks.
    pub(crate) hooks: usize,
}

/// Events that no agent tells of, with those at which they come about.
const COMES_WITH: &[(Lifecycle, &[Lifecycle])] = &[
    (Lifecycle::Startup, &[Lifecycle::SessionStart]),
    (Lifecycle::IterationStart, &[Lifecycle::UserPrompt]),
    (Lifecycle::IterationEnd, &[Lifecycle::UserPrompt, Lifecycle::AgentEnd]),
    (Lifecycle::IterationError, &[Lifecycle::UserPrompt, Lifecycle::AgentError]),
    (Lifecycle::FilesChanged, &[Lifecycle::AgentEnd, Lifecycle::UserPrompt]),
];

/// The events that commands of lifecycle files are run at.
const OF_ITERATIONS: &[Lifecycle] = &[
    Lifecycle::SessionStart,
    Lifecycle::UserPrompt,
    Lifecycle::AgentEnd,
    Lifecycle::AgentError,
    Lifecycle::SessionEnd,
];

/// Loads the hooks in force.
///
/// # Errors
/// An engine does not start.
pub(crate) fn in_force(env: &Env, directories: &Directories, agent: &str) -> Result<InForce, Failure> {
    let mut hooks = wiring::hooks_of(env, directories, &[], &Trust::default());
    let settings = wiring::settings(directories, &mut hooks);
    let lifecycle = !lifecycle_files(directories, &Trust::default()).files.is_empty();
    let missing = guarded::missing(&hooks, directories, &Trust::default()).filter(|_| !lifecycle);
    let count = hooks.hooks.len();
    let engines = wiring::engines(false)?;
    let host = Builder::build(wiring::host_of(env, directories, hooks, &settings, &engines, agent));
    let handlers = host.hooks().into_iter().flat_map(|hook| hook.handlers);
    let mut events: BTreeSet<&'static str> = handlers
        .filter_map(|handler| match handler.event {
            EventName::Lifecycle(event) => Some(event.name()),
            EventName::Bus(_) => None,
        })
        .collect();
    events.insert(Lifecycle::ToolCall.name());
    for (event, with) in COMES_WITH {
        if events.contains(event.name()) {
            events.extend(with.iter().map(|event| event.name()));
        }
    }
    // What puts Discobot's script before commits runs there.
    let discobot = directories.compat.contains(&Product::Discobot);
    if discobot && events.contains(Lifecycle::PreCommit.name()) {
        events.insert(Lifecycle::SessionStart.name());
    }
    if lifecycle {
        events.extend(OF_ITERATIONS.iter().map(|event| event.name()));
    }
    Ok(InForce { missing, events, problems: host.problems(), hooks: count })
}
