//! The scratch project: the folder that a session's tools work in, made for it and removed after it. Not here:
//! keeping the file tools inside (`tools::Workspace`).

mod copy;
mod env;
mod git;
mod sample;
mod sweep;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use snaphook_core::Problem;
use tempfile::TempDir;

use crate::tools::{ToolRefused, Workspace};

/// The base that a scratch project starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// The sample project that comes with this crate.
    Sample,
    /// Nothing.
    Empty,
    /// A copy of a folder, without what its ignore files name and without its `.git`.
    Directory(PathBuf),
}

/// The amount that may be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyLimits {
    /// Files, folders and links together. Default 50 000.
    pub entries: usize,
    /// Bytes. Default 256 MiB.
    pub bytes: u64,
}

impl Default for CopyLimits {
    fn default() -> Self {
        CopyLimits { entries: 50_000, bytes: 256 << 20 }
    }
}

/// The parts that a scratch project is made of.
#[derive(Debug, Clone)]
pub struct ScratchPlan<'a> {
    /// The folder for scratch projects, `<state dir>/scratch`. It is made where it is missing.
    pub under: &'a Path,
    /// The base that it starts from.
    pub base: &'a Base,
    /// Files to put on top: path, relative to the project, and text.
    pub files: &'a BTreeMap<String, String>,
    /// The caller's environment; what tools get of it is in [`Scratch::env`].
    pub env: &'a [(OsString, OsString)],
    /// The amount that may be copied.
    pub limits: CopyLimits,
}

/// A project of its own for one session. It is removed when this is dropped; what a killed run left behind is
/// removed by a later one.
///
/// It is a git repository with one commit, no remotes and none of the user's configuration, so that nothing that a
/// session does with git reaches anything outside.
#[derive(Debug)]
pub struct Scratch {
    project: PathBuf,
    env: Vec<(OsString, OsString)>,
    problems: Vec<Problem>,
    // Declared before the folder: the lock has to go before its file can be removed on Windows.
    _lock: File,
    dir: TempDir,
}

/// The reason why there is no scratch project. Reads after "failed to make the scratch project: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScratchError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path that it is about.
        path: PathBuf,
        /// The problem with it.
        source: io::Error,
    },
    /// The folder to copy is too large.
    #[error(
        "{} has more than {} files or {} MiB besides what its ignore files name; name a smaller folder",
        path.display(), limits.entries, limits.bytes >> 20
    )]
    TooLarge {
        /// The folder.
        path: PathBuf,
        /// The sizes that would be allowed.
        limits: CopyLimits,
    },
    /// The path to copy is not a folder.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The work broke off.
    #[error("copying failed: {0}")]
    Broken(String),
}

/// The reason why one file is not in the scratch project.
#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    ToolRefused(#[from] ToolRefused),
    #[error("a symbolic link that leads outside or nowhere")]
    OutsideLink,
    #[error("neither a file nor a folder nor a link")]
    Special,
    #[cfg(not(unix))]
    #[error("symbolic links are copied on Unix only")]
    NoLinks,
}

impl ScratchError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| ScratchError::Io { path, source }
    }
}

impl Scratch {
    /// Makes a scratch project.
    ///
    /// # Errors
    /// A folder cannot be made or read, or there is too much to copy.
    pub async fn create(plan: ScratchPlan<'_>) -> Result<Self, ScratchError> {
        let ScratchPlan { under, base, files, env, limits } = plan;
        let (under, base, files) = (under.to_owned(), base.clone(), files.clone());
        let made = tokio::task::spawn_blocking(move || make(&under, &base, &files, limits)).await;
        let mut scratch = made.map_err(|error| ScratchError::Broken(error.to_string()))??;
        scratch.env = env::for_tools(env, scratch.dir.path());
        let problem = git::init(&scratch.project, &scratch.env).await;
        scratch.problems.extend(problem);
        Ok(scratch)
    }

    /// The project's folder, absolute and without symbolic links.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The whole environment of what tools run: the search path and the locale of the caller, a home folder of the
    /// session's own, and nothing else, so that neither secrets nor configuration reach a replayed command.
    pub fn env(&self) -> &[(OsString, OsString)] {
        &self.env
    }

    /// Returns what could not be taken over.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Removes it now, and tells if that fails.
    ///
    /// # Errors
    /// Something in it cannot be removed.
    pub fn close(self) -> Result<(), ScratchError> {
        let path = self.dir.path().to_owned();
        drop(self._lock);
        self.dir.close().map_err(ScratchError::io(&path))
    }
}

/// The folder with its files, not yet a repository.
fn make(
    under: &Path,
    base: &Base,
    files: &BTreeMap<String, String>,
    limits: CopyLimits,
) -> Result<Scratch, ScratchError> {
    std::fs::create_dir_all(under).map_err(ScratchError::io(under))?;
    let under = under.canonicalize().map_err(ScratchError::io(under))?;
    sweep::sweep(&under);
    let (dir, lock) = sweep::claim(&under).map_err(ScratchError::io(&under))?;
    let project = dir.path().join("project");
    for folder in [&project, &dir.path().join(env::HOME)] {
        std::fs::create_dir(folder).map_err(ScratchError::io(folder))?;
    }
    let mut problems = Vec::new();
    match base {
        Base::Empty => {}
        Base::Sample => sample::write(&project)?,
        Base::Directory(source) => problems = copy::copy(source, &project, &under, limits)?,
    }
    let workspace = Workspace::new(&project).map_err(ScratchError::io(&project))?;
    for (path, text) in files {
        if let Err(error) = put(&workspace, path, text) {
            problems.push(Problem::warning(path, format!("not re-created in the scratch project: {error}")));
        }
    }
    Ok(Scratch { project: workspace.root().to_owned(), env: Vec::new(), problems, _lock: lock, dir })
}

fn put(workspace: &Workspace, path: &str, text: &str) -> Result<(), FileError> {
    let place = workspace.resolve(path)?;
    place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    Ok(std::fs::write(&place, text)?)
}
