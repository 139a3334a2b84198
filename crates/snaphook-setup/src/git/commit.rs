//! The hooks for `pre_commit` over the staged files. Whatever keeps them from being run refuses the commit. Not here: how a check
//! runs (the host).

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use snaphook::{
    CallOptions, CancellationToken, Checks, ContextText, Emitted, Event, EventName, Host, Lifecycle,
};
use snaphook_discovery::Directories;

use crate::git::client::Git;
use crate::git::repository::Repository;
use crate::git::slot::{ScriptChange, Slot};
use crate::git::staged::{inside, staged};
use crate::git::{GitError, LoadError};

/// The time that each hook may take.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// The projects of a repository, as far as git's tools need them. The caller implements it, because only it knows the engines.
pub trait Projects {
    /// Returns the folders of the project around a folder.
    ///
    /// # Errors
    /// There is no such folder.
    fn directories(&self, folder: &Path) -> Result<Directories, LoadError>;

    /// Returns a host with the hooks of a project.
    ///
    /// # Errors
    /// The hooks cannot be loaded.
    fn host(&self, directories: &Directories) -> Result<Host, LoadError>;

    /// Notes the results of the checks of a project, for `snaphook status`.
    ///
    /// # Errors
    /// They cannot be written.
    fn record(&self, directories: &Directories, host: &Host, checks: &Checks) -> std::io::Result<()>;
}

/// The events of a commit that are shown to a person.
#[derive(Debug)]
pub enum CommitNote<'a> {
    /// The results of the checks are not kept.
    NotRecorded(std::io::Error),
    /// A hook that passed has something to say.
    Context(&'a ContextText),
    /// No hook is for commits any more, so the script is gone.
    ScriptRemoved(&'a Path),
    /// No hook is for commits any more, so the hook that was there before is back.
    ScriptRestored(&'a Path),
}

/// The decision about a commit.
#[derive(Debug)]
pub enum CommitOutcome {
    /// It may be made.
    Passed,
    /// A hook failed: `checks.failed` says which.
    Refused(Box<Emitted>),
    /// The hooks were interrupted.
    Interrupted,
}

/// Runs the hooks of each project that the script is for, until one fails.
///
/// # Errors
/// The hooks cannot be run: the commit must be refused.
pub async fn check_commit(
    git: &Git,
    projects: &dyn Projects,
    cancel: &CancellationToken,
    note: &mut dyn FnMut(CommitNote<'_>),
) -> Result<CommitOutcome, GitError> {
    let repository = Repository::find(git).await?;
    let files = staged(git).await?;
    let slot = Slot::of(&repository.hooks);
    let options = CallOptions { cancel: Some(cancel.clone()), supervised: true, ..CallOptions::default() };
    let mut is_needed = false;
    for project in projects_of(projects, &repository, &slot)? {
        let host = projects.host(&project).map_err(GitError::Load)?;
        let has_hooks = host.handles(&EventName::Lifecycle(Lifecycle::PreCommit));
        is_needed |= has_hooks;
        let files = inside(&files, &repository.top, &project.project_root);
        if let Some(name) = files.iter().find(|name| has_hooks && name.contains('\u{fffd}')) {
            return Err(GitError::StagedName(name.clone()));
        }
        let fields = json!({ "files": files }).as_object().cloned().unwrap_or_default();
        let emitted = host.emit(Event::lifecycle(Lifecycle::PreCommit, fields)?, &options).await;
        if let Err(error) = projects.record(&project, &host, &emitted.checks) {
            note(CommitNote::NotRecorded(error));
        }
        if cancel.is_cancelled() || emitted.cancelled {
            return Ok(CommitOutcome::Interrupted);
        }
        if emitted.checks.failed.is_some() {
            return Ok(CommitOutcome::Refused(Box::new(emitted)));
        }
        emitted.context.iter().for_each(|context| note(CommitNote::Context(context)));
    }
    if !is_needed && !others_need_it(git, projects, &repository, &slot).await {
        // The script is this process's parent: the shell has it open and needs no name for it.
        match slot.remove(None)? {
            ScriptChange::Restored => note(CommitNote::ScriptRestored(&slot.script)),
            ScriptChange::Removed => note(CommitNote::ScriptRemoved(&slot.script)),
            _ => {}
        }
    }
    Ok(CommitOutcome::Passed)
}

/// Returns the folders of each project that the script is for and this working tree has; of its top, where there is none.
pub(crate) fn projects_of(
    projects: &dyn Projects,
    repository: &Repository,
    slot: &Slot,
) -> Result<Vec<Directories>, GitError> {
    let named = slot.projects();
    let mut folders: Vec<PathBuf> = named.iter().map(|project| repository.top.join(project)).collect();
    folders.retain(|folder| folder.is_dir());
    if folders.is_empty() {
        folders.push(repository.top.clone());
    }
    let mut all: Vec<Directories> = Vec::new();
    for folder in folders {
        let mut directories = projects.directories(&folder).map_err(GitError::Load)?;
        directories.add_compat(slot.compat());
        if !all.iter().any(|other| other.project_root == directories.project_root) {
            all.push(directories);
        }
    }
    Ok(all)
}

/// Returns whether another working tree of the repository, which the script serves, too, has hooks in its project.
async fn others_need_it(git: &Git, projects: &dyn Projects, repository: &Repository, slot: &Slot) -> bool {
    let named = slot.projects();
    let has_any = |folder: &Path| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    let has_hooks = |folder: PathBuf| {
        let Ok(directories) = projects.directories(&folder) else { return false };
        let theirs = directories.project_root.join(".discobot/hooks");
        has_any(&directories.project_hooks) || has_any(&theirs)
    };
    let trees = repository.others(git).await;
    trees.iter().any(|tree| {
        let folders = named.iter().map(|project| tree.join(project)).chain([tree.clone()]);
        folders.filter(|folder| folder.is_dir()).any(has_hooks)
    })
}
