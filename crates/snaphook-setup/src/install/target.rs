//! One agent's settings, the person's or the project's: which files they are, the entries that they need, and those that they have.
//! Not here: changing them (`change`).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use snaphook_adapters::install::{Edit, FileContent, Launcher, Reach, Setup, is_ours, program_and_event};
use snaphook_adapters::{AGENTS, Agent, Row, agent};
use snaphook_discovery::Directories;

use crate::install::{json, toml};
use crate::{EditError, SetupError};

/// One agent's settings: the person's, or the project's.
#[derive(Clone, Copy)]
pub struct SettingsTarget<'a> {
    /// The folders.
    pub directories: &'a Directories,
    /// The variables of the process. Some move the settings of an agent elsewhere.
    pub vars: &'a [(OsString, OsString)],
    /// The path of snaphook, as the agent starts it.
    pub program: &'a str,
    /// The agent.
    pub agent: &'static dyn Agent,
    /// The owner of the settings.
    pub reach: Reach,
}

impl SettingsTarget<'_> {
    /// Returns the file of an edit.
    pub(crate) fn path(&self, file: &str) -> Result<PathBuf, SetupError> {
        if self.reach == Reach::Project {
            return Ok(self.directories.project_root.join(file));
        }
        let moved = self.agent.profile().moved_by.and_then(|(variable, folder)| {
            let within = file.strip_prefix(folder)?.strip_prefix('/')?;
            let set = self.vars.iter().find(|(name, value)| name == variable && !value.is_empty());
            Some(PathBuf::from(&set?.1).join(within))
        });
        let home = || self.directories.home.as_ref().map(|home| home.join(file));
        moved.or_else(home).ok_or(SetupError::NoHome)
    }

    /// Returns what starts the program.
    pub(crate) fn launcher(&self) -> Launcher {
        Launcher { program: self.program.to_owned(), agent: self.agent.id() }
    }

    /// Returns the entries and their places that make the agent call the program at these events.
    pub(crate) fn edits(&self, rows: &[&'static Row]) -> Result<Vec<Edit>, SetupError> {
        Ok(self.agent.install(&Setup { reach: self.reach, launcher: &self.launcher(), rows })?)
    }

    /// Returns the same for every event that could be registered, with files of earlier versions: all that can have something
    /// of snaphook's.
    pub(crate) fn all_edits(&self) -> Result<Vec<Edit>, SetupError> {
        let rows: Vec<&'static Row> = self.registered().collect();
        let mut edits = self.edits(&rows)?;
        let own = |file| Edit { file, content: FileContent::Own { text: String::new(), executable: true } };
        edits.extend(self.agent.formerly(self.reach).into_iter().map(own));
        Ok(edits)
    }

    /// Returns the events that `install` registers: all, so that hooks of every project are asked and texts for the model find a way to it; of
    /// those that come very often only the ones that hooks are for.
    pub(crate) fn rows_for(&self, events: &BTreeSet<&'static str>) -> Vec<&'static Row> {
        self.registered().filter(|row| !row.is_frequent() || is_for(row, events)).collect()
    }

    /// Returns the events that hooks are for.
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

/// One of snaphook's commands in an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegisteredCommand {
    /// The event, by the agent's own name.
    pub(crate) native: String,
    /// The command line, for a POSIX shell.
    pub(crate) command: String,
    /// The program in it.
    pub(crate) program: PathBuf,
}

/// Returns snaphook's commands in a file.
pub(crate) fn registered_commands(
    edit: &Edit,
    path: &Path,
    text: &str,
    agent: &str,
) -> Result<Vec<RegisteredCommand>, EditError> {
    match &edit.content {
        FileContent::Own { executable: true, .. } => {
            // The agent runs the file itself.
            let line = text.lines().find(|line| line.contains(&format!(" hook {agent} ")));
            let found = line.and_then(|line| registered(line, agent));
            let command = snaphook_adapters::install::quoted(&path.to_string_lossy());
            Ok(found.map(|found| RegisteredCommand { command, ..found }).into_iter().collect())
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
                .filter_map(|text| registered(text, agent))
                .collect())
        }
    }
}

/// `… PROGRAM hook AGENT EVENT …`, as a launcher writes it.
fn registered(command: &str, agent: &str) -> Option<RegisteredCommand> {
    if !is_ours(command, agent) {
        return None;
    }
    let (program, native) = program_and_event(command, agent)?;
    Some(RegisteredCommand { native, command: command.to_owned(), program: PathBuf::from(program) })
}

/// There is no agent of this name. The error names the nearest one, and all.
#[derive(Debug, thiserror::Error)]
#[error(
    "there is no agent \"{id}\"{} (there are {})",
    .nearest.map(|near| format!("; did you mean {near}?")).unwrap_or_default(),
    agent_names()
)]
pub struct UnknownAgent {
    /// The name.
    pub id: String,
    /// The agent whose name is almost this one.
    pub nearest: Option<&'static str>,
}

/// Returns the agent of this name.
///
/// # Errors
/// There is none.
pub fn agent_named(id: &str) -> Result<&'static dyn Agent, UnknownAgent> {
    let nearest = || snaphook::nearest(id, AGENTS.iter().map(|agent| agent.id()));
    agent(id).ok_or_else(|| UnknownAgent { id: id.to_owned(), nearest: nearest() })
}

/// Returns the names of all agents, as a person types them.
pub fn agent_names() -> String {
    AGENTS.iter().map(|agent| agent.id()).collect::<Vec<_>>().join(", ")
}
