//! `snaphook mcp wrap` and `unwrap`: the servers of a client's list put behind the gate, and taken from behind it. Here are the
//! file and its backup; `json_list` and `toml_list` have the file's text, `server` and `command_list` one server of it, `servers`
//! where servers are.

mod command_list;
mod error;
mod json_list;
mod server;
mod servers;
mod toml_list;

use std::path::{Path, PathBuf};

use snaphook_discovery::Directories;

pub use error::ServerFault;

use crate::install::Change;
use crate::install::backup::{self, Backup, Tool};
use crate::wrap::error::ListError;
use crate::{EditError, SetupError, files};

/// The direction in which servers are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction<'a> {
    /// Behind the gate, which is this program.
    Wrap(&'a str),
    /// From behind it.
    Unwrap,
}

/// The outcome for one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerOutcome {
    /// It runs behind the gate now.
    Wrapped,
    /// It ran behind the gate before.
    Already,
    /// It ran behind the gate before, by a program that is gone.
    Moved,
    /// It runs without the gate now.
    Unwrapped,
    /// It ran without the gate before.
    Never,
    /// It is as it was, and does not do what was asked.
    Left(ServerFault),
}

/// A server of a list, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReport {
    /// The list: `mcpServers`, `projects./home/a.mcpServers`.
    pub list: String,
    /// The server's name.
    pub name: String,
    /// Its outcome.
    pub outcome: ServerOutcome,
}

/// A list and its servers.
#[derive(Debug)]
pub struct ListReport {
    /// The file.
    pub change: Change,
    /// Its servers, those that were named.
    pub servers: Vec<ServerReport>,
}

impl ListReport {
    /// Returns whether a server does not do what was asked.
    pub fn has_left(&self) -> bool {
        self.servers.iter().any(|server| matches!(server.outcome, ServerOutcome::Left(_)))
    }
}

/// Moves the servers of a list. Without names, all. A dry run writes nothing.
///
/// # Errors
/// The file cannot be changed, or has no server of one of the names.
pub fn wrap(
    directories: &Directories,
    config: &Path,
    names: &[String],
    direction: Direction<'_>,
    is_dry: bool,
) -> Result<ListReport, SetupError> {
    if let Direction::Wrap(program) = direction
        && !server::is_gate(program)
    {
        return Err(SetupError::ProgramName(program.to_owned()));
    }
    let named = directories.cwd.join(config);
    // Two ways to one file are one file.
    let path = files::target(directories, &named)?.resolved();
    let _alone = (!is_dry).then(|| backup::lock(directories)).transpose()?;
    let Some(before) = files::read(&path)? else { return Err(SetupError::NoFile(named)) };
    let changed = |text: &str| {
        let changed = changed_as(&path, text, direction, names);
        changed.map_err(|ListError { line, source }| SetupError::Edit { path: named.clone(), line, source })
    };
    let (mut after, mut servers) = changed(&before)?;
    let is_all = direction == Direction::Unwrap && names.is_empty();
    let known = Backup::read(directories, &path, Tool::Wrap)?.filter(|known| known.after == before);
    // It was not changed since: it becomes what it was.
    if let Some(first) = known.and_then(|known| known.before).filter(|_| is_all) {
        // A server that was behind the gate before `wrap` is so again.
        for (server, first) in servers.iter_mut().zip(changed(&first)?.1) {
            if first.outcome == ServerOutcome::Unwrapped {
                server.outcome = ServerOutcome::Left(ServerFault::GatedBefore);
            }
        }
        after = first;
    }
    let change = Change::of_list(path, before, after)?;
    match (is_dry, is_all) {
        (true, _) => {}
        (false, true) => Change::give_back_all(std::slice::from_ref(&change), directories)?,
        (false, false) => change.apply(directories)?,
    }
    Ok(ListReport { change, servers })
}

/// The way a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateState {
    /// Behind the gate.
    Gated,
    /// Behind a gate whose program is gone.
    Lost,
    /// Without the gate.
    Bare,
}

/// Returns how each server of a list runs.
pub(crate) fn states(path: &Path, text: &str, program: &str) -> Result<Vec<(String, GateState)>, EditError> {
    let changed = changed_as(path, text, Direction::Wrap(program), &[]);
    let (_, servers) = changed.map_err(|error| error.source)?;
    let state = |outcome: &ServerOutcome| match outcome {
        ServerOutcome::Already => GateState::Gated,
        ServerOutcome::Moved => GateState::Lost,
        _ => GateState::Bare,
    };
    Ok(servers.into_iter().map(|server| (server.name, state(&server.outcome))).collect())
}

/// Returns the lists that `wrap` changed and `unwrap` did not give back.
pub(crate) fn wrapped(directories: &Directories) -> Vec<PathBuf> {
    backup::wrapped(directories)
}

/// Returns the text of a file with its servers changed, in the form that its name says.
fn changed_as(
    path: &Path,
    text: &str,
    direction: Direction<'_>,
    names: &[String],
) -> Result<(String, Vec<ServerReport>), ListError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml_list::changed(text, direction, names),
        Some("yaml" | "yml") => Err(ListError { line: None, source: EditError::Yaml }),
        _ => json_list::changed(text, direction, names),
    }
}
