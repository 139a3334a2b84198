//! A file of settings, changed or given back. Not here: waiting for others who change settings (`backup::lock`).

use std::path::PathBuf;

use snaphook_adapters::Agent;
use snaphook_adapters::install::{Edit, FileContent, is_ours};
use snaphook_discovery::Directories;
use snaphook_discovery::replace::Mode;

use crate::files::{self, is_executable, missing_folders};
use crate::install::backup::{Backup, Tool};
use crate::install::{json, toml};
use crate::{EditError, SetupError};

/// One file, changed or not.
#[derive(Debug)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// The text before; `None` where there was no file.
    pub before: Option<String>,
    /// The text after; `None` for no file.
    pub after: Option<String>,
    /// The agent runs it.
    executable: bool,
    tool: Tool,
}

impl Change {
    /// Puts snaphook's entries into a file.
    pub(crate) fn install(path: PathBuf, edit: &Edit, agent: &dyn Agent) -> Result<Self, SetupError> {
        let before = files::read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        let put = match &edit.content {
            FileContent::Json(parts) => json::put(text, parts, agent.id()).map(|after| (after, false)),
            FileContent::Toml(parts) => toml::put(text, parts, agent.id()).map(|after| (after, false)),
            FileContent::Own { .. } if before.as_ref().is_some_and(|text| !is_ours(text, agent.id())) => {
                Err(EditError::Foreign)
            }
            FileContent::Own { text, executable } => Ok((text.clone(), *executable)),
        };
        let (after, executable) =
            put.map_err(|source| SetupError::Edit { path: path.clone(), line: None, source })?;
        Change { path, before, after: Some(after), executable, tool: Tool::Install }.checked()
    }

    /// Takes snaphook's entries out of a file.
    pub(crate) fn removal(
        directories: &Directories,
        path: PathBuf,
        edit: &Edit,
        agent: &dyn Agent,
    ) -> Result<Self, SetupError> {
        let before = files::read(&path)?;
        let known = Backup::read(directories, &path, Tool::Install)?;
        let found = match (&before, known) {
            (None, _) => None,
            (Some(now), Some(known)) if *now == known.after => known.before,
            (Some(now), _) => Some(now.clone()),
        };
        // The file may have had older entries of snaphook's.
        let after = match (&edit.content, found) {
            (_, Some(text)) if !is_ours(&text, agent.id()) => Ok(Some(text)),
            (FileContent::Json(_), Some(text)) => json::take(&text, agent.id()).map(Some),
            (FileContent::Toml(_), Some(text)) => toml::take(&text, agent.id()).map(Some),
            (FileContent::Own { .. }, _) | (_, None) => Ok(None),
        };
        let after = after.map_err(|source| SetupError::Edit { path: path.clone(), line: None, source })?;
        Change { path, before, after, executable: false, tool: Tool::Install }.checked()
    }

    /// Writes another text into a list of MCP servers.
    pub(crate) fn of_list(path: PathBuf, before: String, after: String) -> Result<Self, SetupError> {
        Change { path, before: Some(before), after: Some(after), executable: false, tool: Tool::Wrap }
            .checked()
    }

    /// Leaves a file as it is that must not be written, or that is nowhere.
    fn checked(self) -> Result<Self, SetupError> {
        let known = self.path.metadata();
        let refused = match known {
            _ if !self.is_needed() => return Ok(self),
            Ok(known) if known.permissions().readonly() => EditError::ReadOnly,
            Err(_) if self.path.is_symlink() => EditError::DanglingLink,
            _ => return Ok(self),
        };
        Err(SetupError::Edit { path: self.path, line: None, source: refused })
    }

    /// Returns whether there is anything to do.
    pub fn is_needed(&self) -> bool {
        self.before != self.after || (self.executable && !is_executable(&self.path))
    }

    /// Writes it, and keeps a backup.
    pub(crate) fn apply(&self, directories: &Directories) -> Result<(), SetupError> {
        let Some(after) = self.after.as_ref().filter(|_| self.is_needed()) else { return Ok(()) };
        let folders = missing_folders(&self.path);
        // A second installation gives back what was there before the first, if nobody changed the file since.
        let known = Backup::read(directories, &self.path, self.tool)?;
        let first = known.filter(|known| Some(&known.after) == self.before.as_ref());
        let (before, folders) = match first {
            Some(first) => (first.before, first.folders),
            None => (self.before.clone(), folders),
        };
        let backup = Backup { before, after: after.clone(), folders };
        backup.write(directories, &self.path, self.tool)?;
        let mode = if self.executable { Mode::Executable } else { Mode::Kept };
        files::write(directories, &self.path, after, mode)
    }

    /// Checks that each file may be written where it is, so that none is written unless all can be.
    pub(crate) fn check_targets(changes: &[Change], directories: &Directories) -> Result<(), SetupError> {
        let mut needed = changes.iter().filter(|change| change.is_needed());
        needed.try_for_each(|change| files::target(directories, &change.path).map(drop))
    }

    /// Gives files back, and removes their backups.
    pub(crate) fn give_back_all(changes: &[Change], directories: &Directories) -> Result<(), SetupError> {
        Change::check_targets(changes, directories)?;
        let mut folders = Vec::new();
        for change in changes {
            folders.append(&mut change.give_back(directories)?);
        }
        // Folders that were made for them, innermost first, unless they are in use now.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Gives the folders that were made for the file, where it is gone.
    fn give_back(&self, directories: &Directories) -> Result<Vec<PathBuf>, SetupError> {
        let known = Backup::read(directories, &self.path, self.tool)?;
        match &self.after {
            _ if !self.is_needed() => {}
            Some(text) => files::write(directories, &self.path, text, Mode::Kept)?,
            None => files::target(directories, &self.path)?
                .remove()
                .map_err(|source| SetupError::Remove { path: self.path.clone(), source })?,
        }
        Backup::forget(directories, &self.path, self.tool)?;
        Ok(known.filter(|_| self.after.is_none()).map(|known| known.folders).unwrap_or_default())
    }
}
