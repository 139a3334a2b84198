//! A file of an agent's settings, changed or given back. Who else changes settings at the same time waits (`record::lock`).

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook_adapters::Agent;
use snaphook_adapters::install::{Edit, FileContent, is_ours};
use snaphook_discovery::Directories;
use snaphook_discovery::replace::Mode;
use snaphook_state::plain;

use crate::exit::Failure;
use crate::files;
use crate::install::record::{self, By, Record};
use crate::install::{json, toml};
use crate::out;

/// The longest settings that are read, in bytes.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// One file, changed or not.
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// The text before; `None` where there was no file.
    before: Option<String>,
    /// The text after; `None` for no file.
    after: Option<String>,
    /// The agent runs it.
    executable: bool,
    by: By,
}

impl Change {
    /// Returns what an edit makes of its file.
    ///
    /// # Errors
    /// Only a person can put it in: the file cannot be read, or is not what it should be.
    pub(crate) fn install(path: PathBuf, edit: &Edit, agent: &dyn Agent) -> Result<Self, Failure> {
        let before = read(&path)?;
        let (after, executable) = match &edit.content {
            FileContent::Json(parts) => {
                let text = before.as_deref().unwrap_or_default();
                (json::put(text, parts, agent.id()).map_err(|why| refused(&path, &why))?, false)
            }
            FileContent::Toml(parts) => {
                let text = before.as_deref().unwrap_or_default();
                (toml::put(text, parts, agent.id()).map_err(|why| refused(&path, &why))?, false)
            }
            FileContent::Own { text, executable } => {
                if before.as_ref().is_some_and(|before| !is_ours(before, agent.id())) {
                    return Err(refused(&path, "there is a file of somebody else's"));
                }
                (text.clone(), *executable)
            }
        };
        let change = Change { path, before, after: Some(after), executable, by: By::Install };
        change.checked()
    }

    /// Returns what is left of the file without us.
    ///
    /// # Errors
    /// As `install`.
    pub(crate) fn removal(
        directories: &Directories,
        path: PathBuf,
        edit: &Edit,
        agent: &dyn Agent,
    ) -> Result<Self, Failure> {
        let before = read(&path)?;
        let known = record::read(directories, &path, By::Install)?;
        let found = match (&before, known) {
            (None, _) => None,
            (Some(now), Some(known)) if *now == known.after => known.before,
            (Some(now), _) => Some(now.clone()),
        };
        // What was found may have had older entries of ours.
        let after = match (&edit.content, found) {
            (_, Some(text)) if !is_ours(&text, agent.id()) => Some(text),
            (FileContent::Json(_), Some(text)) => {
                Some(json::take(&text, agent.id()).map_err(|why| refused(&path, &why))?)
            }
            (FileContent::Toml(_), Some(text)) => {
                Some(toml::take(&text, agent.id()).map_err(|why| refused(&path, &why))?)
            }
            (FileContent::Own { .. }, _) | (_, None) => None,
        };
        Change { path, before, after, executable: false, by: By::Install }.checked()
    }

    /// Another text in a file that is there.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn of_text(path: PathBuf, before: String, after: String) -> Result<Self, Failure> {
        Change { path, before: Some(before), after: Some(after), executable: false, by: By::Wrap }.checked()
    }

    /// A file that nobody may write, or that is nowhere, is left as it is.
    fn checked(self) -> Result<Self, Failure> {
        if self.is_needed() {
            let known = self.path.metadata();
            if known.as_ref().is_ok_and(|known| known.permissions().readonly()) {
                return Err(refused(&self.path, "it is read-only"));
            }
            if known.is_err() && self.path.is_symlink() {
                return Err(refused(&self.path, "it is a link to nothing"));
            }
        }
        Ok(self)
    }

    /// Returns whether there is anything to do.
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after || (self.executable && !runs(&self.path))
    }

    /// Writes it, and keeps what was there.
    pub(crate) fn apply(&self, directories: &Directories) -> Result<(), Failure> {
        let Some(after) = self.after.as_ref().filter(|_| self.is_needed()) else { return Ok(()) };
        let folders = missing_folders(&self.path);
        // A second installation gives back what stood there before the first, if nobody changed the file since.
        let known = record::read(directories, &self.path, self.by)?;
        let first = known.filter(|known| Some(&known.after) == self.before.as_ref());
        let (before, folders) = match first {
            Some(first) => (first.before, first.folders),
            None => (self.before.clone(), folders),
        };
        let record = Record { before, after: after.clone(), folders };
        record::write(directories, &self.path, self.by, &record)?;
        let mode = if self.executable { Mode::Executable } else { Mode::Kept };
        files::write(directories, &self.path, after, mode)
    }

    /// Looks whether each file may be written where it is, so that none is written unless all can be.
    ///
    /// # Errors
    /// A link of the project leads out of it; a file is no regular one.
    pub(crate) fn may_be_written(changes: &[Change], directories: &Directories) -> Result<(), Failure> {
        let mut needed = changes.iter().filter(|change| change.is_needed());
        needed.try_for_each(|change| files::target(directories, &change.path).map(drop))
    }

    /// Gives files back, and forgets them.
    pub(crate) fn give_back_all(changes: &[Change], directories: &Directories) -> Result<(), Failure> {
        Change::may_be_written(changes, directories)?;
        let mut folders = Vec::new();
        for change in changes {
            folders.append(&mut change.give_back(directories)?);
        }
        // Folders that were made for them, innermost first, unless somebody uses them now.
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Gives the folders that were made for the file, where it is gone.
    fn give_back(&self, directories: &Directories) -> Result<Vec<PathBuf>, Failure> {
        let known = record::read(directories, &self.path, self.by)?;
        if self.is_needed() {
            match &self.after {
                Some(text) => files::write(directories, &self.path, text, Mode::Kept)?,
                None => files::target(directories, &self.path)?.remove().map_err(|error| {
                    Failure::Usage(format!("{} cannot be removed: {error}", self.path.display()))
                })?,
            }
        }
        record::forget(directories, &self.path, self.by)?;
        Ok(known.filter(|_| self.after.is_none()).map(|known| known.folders).unwrap_or_default())
    }

    /// As data.
    pub(crate) fn document(&self) -> Value {
        serde_json::json!({
            "file": self.path.to_string_lossy(),
            "changed": self.is_needed(),
            "before": self.before,
            "after": self.after,
        })
    }

    /// The lines that change.
    pub(crate) fn difference(&self) -> String {
        let (before, after) =
            (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let diff = similar::TextDiff::from_lines(before, after);
        out::lines(&diff.unified_diff().context_radius(2).to_string()) + "\n"
    }
}

/// A file's text; `None` where there is no file.
///
/// # Errors
/// It cannot be read.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match plain::read(path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Failure::Usage(format!("{} is not UTF-8, so it is left as it is", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Usage(format!("{} cannot be read: {error}", path.display()))),
    }
}

pub(crate) fn refused(path: &Path, why: &str) -> Failure {
    Failure::Usage(format!("{}: {why}; it is left as it is: mend it and try again", path.display()))
}

/// The folders above a file that are not there, innermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// Returns whether the system would run the file.
pub(crate) fn runs(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|known| known.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.exists()
}
