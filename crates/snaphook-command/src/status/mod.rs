//! The results of hooks, on disk, in the layout of Discobot's status folder: `status.json`, the marker `.last-eval` and
//! `output/ID.log`. Many processes may be at it at once. Not here: which hooks run, and what they get.
//!
//! - A change is read, made and written under a lock of the operating system's, which goes with its process, and the file is
//!   replaced in one step: no change is lost, and no reader gets half of it.
//! - A file that cannot be read as the status is set aside under another name and reported. The marker goes with it:
//!   which hooks had to run is not known any more, so that everything that is dirty counts as new.
//! - A hook is pending until a run of it has passed. One that was started and never ended, because its process was killed,
//!   is pending still.
//! - Keys that we do not know stay as they are.

mod record;

use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use snaphook_state::{plain_fs, private_fs};

pub use record::{HookKind, HookStatus, Last, RunEnd, Status, iso};

/// The longest status that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The status folder of a session.
#[derive(Debug, Clone)]
pub struct Store {
    dir: PathBuf,
}

/// An invalid status file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The new name of it.
    pub to: PathBuf,
    /// The fault in it.
    pub why: String,
}

impl std::fmt::Display for SetAside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the status of hooks was damaged and is set aside as {}: {}", self.to.display(), self.why)
    }
}

/// The result of a change.
#[derive(Debug)]
pub struct Updated<T> {
    /// The value that the change returned.
    pub value: T,
    /// The damaged file that was there before.
    pub set_aside: Option<SetAside>,
}

/// The right to run this session's checks.
#[derive(Debug)]
pub struct Turn {
    /// Holds the lock.
    _held: File,
}

impl Store {
    /// The store in this folder, which need not be there.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Store { dir: dir.into() }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// `status.json`.
    pub fn file(&self) -> PathBuf {
        self.dir.join("status.json")
    }

    /// The marker of the last evaluation.
    pub fn marker(&self) -> PathBuf {
        self.dir.join(".last-eval")
    }

    /// The folder of the hooks' outputs.
    pub fn outputs(&self) -> PathBuf {
        self.dir.join("output")
    }

    /// Returns where all is kept that the last run of a hook wrote.
    pub fn output(&self, hook: &str) -> PathBuf {
        self.outputs().join(format!("{hook}.log"))
    }

    /// Makes the folders.
    ///
    /// # Errors
    /// Those of the system.
    pub fn make(&self) -> Result<()> {
        private_fs::make_dir(&self.outputs())
    }

    /// Writes what a run of a hook said, in the place of what the run before said.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write_output(&self, hook: &str, text: &str) -> Result<()> {
        self.make()?;
        private_fs::replace(&self.output(hook), text.as_bytes(), false)
    }

    /// The status as it is now; an empty one where there is none. It changes nothing.
    ///
    /// # Errors
    /// Those of the system; `InvalidData` where the file is invalid.
    pub fn read(&self) -> Result<Status> {
        match plain_fs::read(&self.file(), MAX_BYTES) {
            Ok(bytes) => Status::parse(&bytes).map_err(|why| Error::new(ErrorKind::InvalidData, why)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Status::default()),
            // As damaged as any other: no check would run while it is there.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) => {
                Err(Error::new(ErrorKind::InvalidData, error))
            }
            Err(error) => Err(error),
        }
    }

    /// Changes the status: reads it, lets `work` change it and writes it, under a lock.
    ///
    /// # Errors
    /// Those of the system; the status is as it was then.
    pub fn update<T>(&self, work: impl FnOnce(&mut Status) -> T) -> Result<Updated<T>> {
        self.make()?;
        let lock = private_fs::lockable(&self.dir.join("status.lock"))?;
        // Each holder does one small change.
        lock.lock()?;
        let (mut status, set_aside) = match self.read() {
            Ok(status) => (status, None),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                (Status::default(), Some(self.set_aside(&error)?))
            }
            Err(error) => return Err(error),
        };
        let value = work(&mut status);
        private_fs::replace(&self.file(), status.to_json().as_bytes(), false)?;
        Ok(Updated { value, set_aside })
    }

    /// Takes the right to run this session's checks, if it is free. It is given back when it is dropped, or with the
    /// process.
    ///
    /// # Errors
    /// Those of the system.
    pub fn turn(&self) -> Result<Option<Turn>> {
        self.make()?;
        let lock = private_fs::lockable(&self.dir.join("run.lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Turn { _held: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn set_aside(&self, error: &Error) -> Result<SetAside> {
        let stamp = iso(SystemTime::now()).replace(':', "-");
        let mut to = self.dir.join(format!("status.damaged-{stamp}.json"));
        let mut number = 1;
        while to.exists() {
            number += 1;
            to = self.dir.join(format!("status.damaged-{stamp}-{number}.json"));
        }
        fs::rename(self.file(), &to)?;
        match fs::remove_file(self.marker()) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Ok(SetAside { to, why: error.to_string() })
    }
}
