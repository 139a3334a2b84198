//! The places of the script and of the hook before it, and changing them: each change is one rename, so that at no moment a commit
//! goes unchecked that was checked before. Not here: whether the folder may be written (`repository`), the script's text (`script`).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use snaphook::Product;
use snaphook_discovery::replace::{Mode, Target};
use snaphook_state::plain_fs;

use crate::files::is_executable;
use crate::git::GitError;
use crate::git::script::{Owner, compat, owner, projects};

/// The name that git looks for.
const NAME: &str = "pre-commit";

/// The longest script that is read, in bytes.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// The new name of a hook that was there before.
const ORIGINAL: &str = "pre-commit.original";

/// The two places.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) script: PathBuf,
    pub(crate) original: PathBuf,
}

/// The entry at the script's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookFile {
    Missing,
    /// A file, or a link to one.
    Script {
        owner: Owner,
        bytes: Vec<u8>,
    },
    /// A file that git would run, but that cannot be read; a link to nothing.
    Unreadable,
    /// A folder, a socket.
    NotAFile,
}

/// The change to the script's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptChange {
    /// Nothing.
    Unchanged,
    /// The script is written.
    Written,
    /// An older script is replaced.
    Renewed,
    /// The script is written, and the hook that was there is kept.
    Kept,
    /// The script is removed.
    Removed,
    /// The script is removed, and the hook that was there before is back.
    Restored,
    /// The script stays for other projects.
    Stays,
}

impl Slot {
    pub(crate) fn of(hooks: &Path) -> Self {
        Slot { script: hooks.join(NAME), original: hooks.join(ORIGINAL) }
    }

    /// Returns what is at the script's place.
    pub(crate) fn read(&self) -> HookFile {
        let Ok(itself) = fs::symlink_metadata(&self.script) else { return HookFile::Missing };
        match fs::metadata(&self.script) {
            Ok(known) if known.is_file() => match plain_fs::read(&self.script, MAX_BYTES) {
                Ok(bytes) => HookFile::Script { owner: owner(&bytes), bytes },
                Err(_) => HookFile::Unreadable,
            },
            Err(_) if itself.is_symlink() => HookFile::Unreadable,
            _ => HookFile::NotAFile,
        }
    }

    /// Returns whether a hook is kept.
    pub(crate) fn has_original(&self) -> bool {
        fs::symlink_metadata(&self.original).is_ok()
    }

    /// Returns whether git would run the file.
    pub(crate) fn runs(path: &Path) -> bool {
        path.is_file() && is_executable(path)
    }

    /// Puts the script there. A hook that snaphook did not create is kept beside it.
    ///
    /// # Errors
    /// There is no place for it, or it cannot be written. Nothing is changed then.
    pub(crate) fn install(&self, text: &[u8]) -> Result<ScriptChange, GitError> {
        let change = match self.read() {
            HookFile::Script { owner: Owner::Ours, bytes } if bytes == text && Self::runs(&self.script) => {
                return Ok(ScriptChange::Unchanged);
            }
            HookFile::Script { owner: Owner::Ours | Owner::Discobot, .. } => ScriptChange::Renewed,
            HookFile::Missing => ScriptChange::Written,
            HookFile::Script { owner: Owner::Foreign, .. } | HookFile::Unreadable => ScriptChange::Kept,
            HookFile::NotAFile => return Err(GitError::NotAFile(self.script.clone())),
        };
        let script = || self.script.clone();
        if change == ScriptChange::Kept {
            if self.has_original() {
                return Err(GitError::BothTaken { script: script(), original: self.original.clone() });
            }
            self.keep().map_err(|source| GitError::Keep { script: script(), source })?;
        }
        if let Err(source) = self.write(text) {
            // The kept one is a second name of what still is there.
            if change == ScriptChange::Kept && fs::symlink_metadata(&self.script).is_ok() {
                let _ = fs::remove_file(&self.original);
            }
            return Err(GitError::Write { script: script(), source });
        }
        Ok(change)
    }

    /// Takes the script away, unless it stays for other projects with this text; gives back what was kept.
    ///
    /// # Errors
    /// It cannot be changed.
    pub(crate) fn remove(&self, rest: Option<Vec<u8>>) -> Result<ScriptChange, GitError> {
        if !matches!(self.read(), HookFile::Script { owner: Owner::Ours, .. }) {
            return Ok(ScriptChange::Unchanged);
        }
        if let Some(text) = rest {
            self.write(&text).map_err(|source| GitError::Write { script: self.script.clone(), source })?;
            return Ok(ScriptChange::Stays);
        }
        if self.has_original() {
            // In one step: mode, link and bytes are those of the file itself.
            fs::rename(&self.original, &self.script)
                .map_err(|source| GitError::Restore { script: self.script.clone(), source })?;
            return Ok(ScriptChange::Restored);
        }
        fs::remove_file(&self.script)
            .map_err(|source| GitError::Remove { script: self.script.clone(), source })?;
        Ok(ScriptChange::Removed)
    }

    /// The projects that the script is for; none where it is not ours.
    pub(crate) fn projects(&self) -> Vec<String> {
        match self.read() {
            HookFile::Script { owner: Owner::Ours, bytes } => projects(&bytes),
            _ => Vec::new(),
        }
    }

    /// The products whose hooks the script runs, too.
    pub(crate) fn compat(&self) -> Vec<Product> {
        match self.read() {
            HookFile::Script { owner: Owner::Ours, bytes } => compat(&bytes),
            _ => Vec::new(),
        }
    }

    /// Gives the hook its second name. It keeps the first until the script takes that.
    fn keep(&self) -> io::Result<()> {
        if fs::symlink_metadata(&self.script)?.is_symlink() {
            return link_again(&fs::read_link(&self.script)?, &self.script, &self.original);
        }
        match fs::hard_link(&self.script, &self.original) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                // A file system without second names. No other process is at it: installing is locked.
                fs::rename(&self.script, &self.original)
            }
            done => done,
        }
    }

    fn write(&self, text: &[u8]) -> io::Result<()> {
        // What is there may be a link of the person's own manager of hooks: it was kept, and its place is taken.
        Target::itself(&self.script)?.replace(text, Mode::Executable)
    }
}

#[cfg(unix)]
fn link_again(target: &Path, _: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, to)
}

/// Windows has two kinds of links, and asks for rights to make either.
#[cfg(not(unix))]
fn link_again(_: &Path, from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}
