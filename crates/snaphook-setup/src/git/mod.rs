//! `snaphook git`: hooks for `pre_commit` before each commit. `client` runs git, `repository` finds the hooks folder, `script` is what
//! git runs, `slot` puts it there and removes it, `commit` is what it calls, with the files of `staged`.

mod client;
mod commit;
mod error;
mod repository;
mod script;
mod slot;
mod staged;
mod status;

use std::path::{Path, PathBuf};

use snaphook::{EventName, Host, Lifecycle, Product};
use snaphook_discovery::Directories;

pub use client::{Git, absolute_paths};
pub use commit::{CHECK_TIMEOUT, CommitNote, CommitOutcome, Projects, check_commit};
pub use error::{GitError, LoadError};
pub use repository::{HooksPath, Refusal};
pub use slot::ScriptChange;
pub use status::{CommitHooks, CommitStatus, ScriptState, status};

use crate::git::repository::Repository;
use crate::git::slot::{HookFile, Slot};
use crate::install::backup;

/// A project in a repository.
#[derive(Debug)]
pub struct CommitTarget {
    directories: Directories,
    repository: Repository,
    slot: Slot,
    /// The project's folder as the script names it.
    project: String,
}

impl CommitTarget {
    /// Returns the project of these folders.
    ///
    /// # Errors
    /// It is in no repository, or git fails.
    pub async fn find(directories: Directories, git: &Git) -> Result<Self, GitError> {
        let repository = Repository::find(git).await?;
        let slot = Slot::of(&repository.hooks);
        // A project that is around the repository is found from its top.
        let inside = directories.project_root.strip_prefix(&repository.top).unwrap_or(Path::new(""));
        let project = inside.to_str().map(|project| project.replace(std::path::MAIN_SEPARATOR, "/"));
        let project = project.ok_or(GitError::NotUtf8("project"))?;
        let project = if project.is_empty() { ".".to_owned() } else { project };
        Ok(CommitTarget { directories, repository, slot, project })
    }

    /// Writes the script for the project, beside those that it is for already.
    fn write_script(&self, program: &Path) -> Result<ScriptChange, GitError> {
        if let Some(refusal) = self.repository.refusal() {
            return Err(refusal.into());
        }
        let _alone = backup::lock(&self.directories)?;
        let mut projects = self.slot.projects();
        if !projects.contains(&self.project) {
            projects.push(self.project.clone());
        }
        let mut compat = self.directories.compat.clone();
        compat.extend(
            self.slot.compat().into_iter().filter(|product| !self.directories.compat.contains(product)),
        );
        self.slot.install(&script::text(program, &projects, &compat))
    }
}

/// The script after `git install`.
#[derive(Debug)]
pub struct GitInstallation {
    /// The script's place.
    pub script: PathBuf,
    /// The hook that was there before and runs first, where there is one.
    pub original: Option<PathBuf>,
    /// The change.
    pub change: ScriptChange,
    /// The hooks that check commits.
    pub hooks: CommitHooks,
    /// Other things that a person should know.
    pub advice: Vec<String>,
}

/// Puts the script into the repository's hooks folder.
///
/// # Errors
/// The folder must not be written, or the hooks cannot be loaded.
pub fn install(
    target: &CommitTarget,
    program: &Path,
    projects: &dyn Projects,
) -> Result<GitInstallation, GitError> {
    let before = target.slot.read();
    let change = target.write_script(program)?;
    Ok(GitInstallation {
        script: target.slot.script.clone(),
        original: target.slot.has_original().then(|| target.slot.original.clone()),
        change,
        hooks: status::hooks(target, projects)?,
        advice: status::advice(target, &before),
    })
}

/// Returns whether the script is put there at an agent's start: where Discobot's hooks are in use, as Discobot does.
pub fn is_wanted_at_start(directories: &Directories, host: &Host) -> bool {
    let discobot = directories.compat.contains(&Product::Discobot);
    discobot && host.handles(&EventName::Lifecycle(Lifecycle::PreCommit))
}

/// Puts the script there at an agent's start; returns its place.
///
/// # Errors
/// The folder must not be written.
pub fn install_at_start(target: &CommitTarget, program: &Path) -> Result<(ScriptChange, PathBuf), GitError> {
    Ok((target.write_script(program)?, target.slot.script.clone()))
}

/// The script after `git uninstall`.
#[derive(Debug)]
pub struct GitRemoval {
    /// The script's place.
    pub script: PathBuf,
    /// The change.
    pub change: ScriptChange,
    /// Other projects of the repository that it is for.
    pub others: Vec<String>,
    /// True if another tool or a person made what is there now.
    pub is_foreign: bool,
}

/// Takes the script out of the repository's hooks folder.
///
/// # Errors
/// It cannot be changed.
pub fn uninstall(target: &CommitTarget, program: &Path) -> Result<GitRemoval, GitError> {
    let CommitTarget { directories, repository, slot, project } = target;
    let _alone = backup::lock(directories)?;
    let mut others = slot.projects();
    others.retain(|other| other != project && repository.top.join(other).is_dir());
    let text = (!others.is_empty()).then(|| script::text(program, &others, &slot.compat()));
    let change = slot.remove(text)?;
    let is_foreign = change == ScriptChange::Unchanged && slot.read() != HookFile::Missing;
    Ok(GitRemoval { script: slot.script.clone(), change, others, is_foreign })
}
