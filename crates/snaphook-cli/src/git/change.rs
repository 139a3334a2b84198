//! What stands in the hooks folder, and changing it: each change is one rename, so that at no moment a commit goes unchecked that
//! was checked before. Not here: whether the folder may be written (`repository`), the script's text (`script`).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use snaphook::Product;
use snaphook_discovery::replace::{Mode, Target};
use snaphook_state::plain;

use crate::exit::Failure;
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
pub(crate) enum Found {
    Nothing,
    /// A file, or a link to one.
    Script {
        owner: Owner,
        bytes: Vec<u8>,
    },
    /// A file that git would run, but nobody can read; a link that leads nowhere.
    Unreadable,
    /// A folder, a socket.
    Odd,
}

/// The change that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Nothing,
    Written,
    Renewed,
    /// Written, and what was there is kept.
    Kept,
    Removed,
    /// Removed, and what was there before is back.
    Restored,
    /// It stays for other projects.
    Stays,
}

impl Slot {
    pub(crate) fn of(hooks: &Path) -> Self {
        Slot { script: hooks.join(NAME), original: hooks.join(ORIGINAL) }
    }

    /// Returns what stands there.
    pub(crate) fn found(&self) -> Found {
        let Ok(itself) = fs::symlink_metadata(&self.script) else { return Found::Nothing };
        match fs::metadata(&self.script) {
            Ok(known) if known.is_file() => match plain::read(&self.script, MAX_BYTES) {
                Ok(bytes) => Found::Script { owner: owner(&bytes), bytes },
                Err(_) => Found::Unreadable,
            },
            Err(_) if itself.is_symlink() => Found::Unreadable,
            _ => Found::Odd,
        }
    }

    /// Returns whether something is kept.
    pub(crate) fn has_original(&self) -> bool {
        fs::symlink_metadata(&self.original).is_ok()
    }

    /// Returns whether git would run the file.
    pub(crate) fn runs(path: &Path) -> bool {
        path.is_file() && crate::install::change::runs(path)
    }

    /// Puts the script there. What somebody else put there is kept beside it.
    ///
    /// # Errors
    /// There is no place for it, or it cannot be written. Nothing is changed then.
    pub(crate) fn install(&self, text: &[u8]) -> Result<Done, Failure> {
        let keep = match self.found() {
            Found::Script { owner: Owner::Ours, bytes } if bytes == text && Self::runs(&self.script) => {
                return Ok(Done::Nothing);
            }
            Found::Script { owner: Owner::Ours | Owner::Discobot, .. } => None,
            Found::Nothing => None,
            Found::Script { owner: Owner::Foreign, .. } | Found::Unreadable => Some(()),
            Found::Odd => {
                return Err(Failure::Usage(format!(
                    "{} is no file; move it away and try again",
                    self.script.display()
                )));
            }
        };
        let was_there = !matches!(self.found(), Found::Nothing);
        if keep.is_some() {
            if self.has_original() {
                return Err(Failure::Usage(format!(
                    "{} is a hook of somebody else's, and so is {}, which is never overwritten: put the two together, or move one \
                     away, and try again",
                    self.script.display(),
                    self.original.display()
                )));
            }
            self.keep().map_err(|error| self.failed("cannot be kept", &error))?;
        }
        if let Err(error) = self.write(text) {
            // The kept one is a second name of what still stands there.
            if keep.is_some() && fs::symlink_metadata(&self.script).is_ok() {
                let _ = fs::remove_file(&self.original);
            }
            return Err(self.failed("cannot be written", &error));
        }
        Ok(match (keep, was_there) {
            (Some(()), _) => Done::Kept,
            (None, true) => Done::Renewed,
            (None, false) => Done::Written,
        })
    }

    /// Takes the script away, unless it stays for other projects with this text; gives back what was kept.
    ///
    /// # Errors
    /// It cannot be changed.
    pub(crate) fn remove(&self, rest: Option<Vec<u8>>) -> Result<Done, Failure> {
        if !matches!(self.found(), Found::Script { owner: Owner::Ours, .. }) {
            return Ok(Done::Nothing);
        }
        if let Some(text) = rest {
            self.write(&text).map_err(|error| self.failed("cannot be written", &error))?;
            return Ok(Done::Stays);
        }
        if self.has_original() {
            // In one step: mode, link and bytes are those of the file itself.
            fs::rename(&self.original, &self.script)
                .map_err(|error| self.failed("cannot be given back", &error))?;
            return Ok(Done::Restored);
        }
        fs::remove_file(&self.script).map_err(|error| self.failed("cannot be removed", &error))?;
        Ok(Done::Removed)
    }

    /// The projects that the script is for; none where it is not ours.
    pub(crate) fn projects(&self) -> Vec<String> {
        match self.found() {
            Found::Script { owner: Owner::Ours, bytes } => projects(&bytes),
            _ => Vec::new(),
        }
    }

    /// The products whose hooks the script runs, too.
    pub(crate) fn compat(&self) -> Vec<Product> {
        match self.found() {
            Found::Script { owner: Owner::Ours, bytes } => compat(&bytes),
            _ => Vec::new(),
        }
    }

    /// Gives what stands there its second name. It keeps the first until the script takes that.
    fn keep(&self) -> io::Result<()> {
        if fs::symlink_metadata(&self.script)?.is_symlink() {
            return link_again(&fs::read_link(&self.script)?, &self.script, &self.original);
        }
        match fs::hard_link(&self.script, &self.original) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                // A file system without second names. Nobody else is at it: installing is locked.
                fs::rename(&self.script, &self.original)
            }
            done => done,
        }
    }

    fn write(&self, text: &[u8]) -> io::Result<()> {
        // What is there may be a link of the person's own manager of hooks: it was kept, and its place is taken.
        Target::itself(&self.script)?.replace(text, Mode::Executable)
    }

    fn failed(&self, what: &str, error: &io::Error) -> Failure {
        Failure::Usage(format!("{} {what}: {error}", self.script.display()))
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
