//! `snaphook git status`: whether commits are checked, and what keeps them from it. Not here: changing it.

use std::path::{Path, PathBuf};

use snaphook::{EventName, HandlerInfo, Lifecycle, Problem, Severity};
use snaphook_discovery::printable;
use snaphook_state::plain_fs;

use crate::git::commit::projects_of;
use crate::git::repository::{HooksPath, Refusal, Repository};
use crate::git::script::{self, Owner};
use crate::git::slot::{HookFile, MAX_BYTES, Slot};
use crate::git::{CommitTarget, GitError, Projects};

/// The script at git's place for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptState {
    /// It runs the hooks of the project.
    Installed,
    /// It is from another version of snaphook, or for another project.
    Outdated,
    /// git does not run it.
    NotExecutable,
    /// There is nothing.
    Missing,
    /// It is Discobot's.
    Discobot,
    /// Another tool or a person made it.
    Foreign,
}

/// The check of commits in a repository.
#[derive(Debug)]
pub struct CommitStatus {
    /// The top of the working tree.
    pub repository: PathBuf,
    /// The folder in which git looks for hooks.
    pub hooks_folder: PathBuf,
    /// The setting of that folder, where there is one.
    pub hooks_path: Option<HooksPath>,
    /// The script's place.
    pub script: PathBuf,
    /// The script.
    pub state: ScriptState,
    /// The projects that it is for, relative to the repository.
    pub projects: Vec<String>,
    /// The hook that was there before, and whether git would run it.
    pub original: Option<(PathBuf, bool)>,
    /// The hooks that check commits.
    pub hooks: CommitHooks,
    /// The reason that the script cannot be installed.
    pub refusal: Option<Refusal>,
    /// Other things that a person should know.
    pub advice: Vec<String>,
}

/// The handlers of `pre_commit` of every project that the script serves, or will.
#[derive(Debug, Default)]
pub struct CommitHooks {
    /// The handlers.
    pub handlers: Vec<HandlerInfo>,
    /// The problems that keep others from loading: each refuses every commit.
    pub problems: Vec<Problem>,
}

/// Loads the hooks for commits.
pub(super) fn hooks(target: &CommitTarget, projects: &dyn Projects) -> Result<CommitHooks, GitError> {
    let mut found = CommitHooks::default();
    let mut all = projects_of(projects, &target.repository, &target.slot)?;
    if all.iter().all(|known| known.project_root != target.directories.project_root) {
        all.push(target.directories.clone());
    }
    for directories in all {
        let host = projects.host(&directories).map_err(GitError::Load)?;
        let event = EventName::Lifecycle(Lifecycle::PreCommit);
        let handlers = host.hooks().into_iter().flat_map(|hook| hook.handlers);
        found.handlers.extend(handlers.filter(|handler| handler.event == event));
        let problems = host.problems().into_iter();
        found.problems.extend(problems.filter(|problem| problem.severity == Severity::Error));
    }
    Ok(found)
}

/// Returns advice about other tools in the same place. `before` is what was at the script's place before it was changed.
pub(super) fn advice(target: &CommitTarget, before: &HookFile) -> Vec<String> {
    let mut advice = Vec::new();
    let foreign = match before {
        HookFile::Script { owner: Owner::Foreign, bytes } => Some(bytes.clone()),
        _ => plain_fs::read(&target.slot.original, MAX_BYTES).ok(),
    };
    let foreign = foreign.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    if foreign.contains("lefthook") {
        advice.push(
            "lefthook overwrites this script with its own hooks: put `snaphook git run pre-commit` into lefthook.yml instead"
                .to_owned(),
        );
    } else if foreign.contains("pre-commit.com") || foreign.contains("pre_commit") {
        advice.push(
            "`pre-commit install` moves this script to pre-commit.legacy, where it still works; with `-f` it is removed: run \
             `snaphook git install` again then"
                .to_owned(),
        );
    } else if ["basename", "##*/", "PROGRAM_NAME"].iter().any(|sign| foreign.contains(sign)) {
        advice.push(
            "the hook that was there looks at its own name, which is now pre-commit.original: check that it still works"
                .to_owned(),
        );
    }
    let Repository { top, hooks, hooks_path, .. } = &target.repository;
    if let Some(HooksPath { value, .. }) = hooks_path
        && target.repository.refusal().is_none()
        && hooks.starts_with(top)
    {
        advice.push(format!(
            "core.hooksPath is {}, in the working tree: if its files are committed, so is the script. It contains the path of snaphook \
             on this machine, and elsewhere looks in PATH",
            printable(value)
        ));
    }
    if target.slot.has_original() && !Slot::runs(&target.slot.original) {
        advice.push(format!(
            "{} is not executable, so it does not run; git would not have run it either",
            target.directories.relative(&target.slot.original)
        ));
    }
    advice
}

/// Returns whether commits are checked.
///
/// # Errors
/// The hooks cannot be loaded.
pub fn status(
    target: CommitTarget,
    program: &Path,
    projects: &dyn Projects,
) -> Result<CommitStatus, GitError> {
    let hooks = hooks(&target, projects)?;
    let CommitTarget { repository, slot, project, .. } = &target;
    let file = slot.read();
    let advice = advice(&target, &file);
    let served = slot.projects();
    let state = match &file {
        HookFile::Script { owner: Owner::Ours, .. } if !Slot::runs(&slot.script) => {
            ScriptState::NotExecutable
        }
        HookFile::Script { owner: Owner::Ours, bytes } => {
            let is_same = *bytes == script::text(program, &served, &slot.compat());
            if is_same && served.contains(project) { ScriptState::Installed } else { ScriptState::Outdated }
        }
        HookFile::Script { owner: Owner::Discobot, .. } => ScriptState::Discobot,
        HookFile::Missing => ScriptState::Missing,
        _ => ScriptState::Foreign,
    };
    let original = slot.has_original().then(|| (slot.original.clone(), Slot::runs(&slot.original)));
    Ok(CommitStatus {
        repository: repository.top.clone(),
        hooks_folder: repository.hooks.clone(),
        hooks_path: repository.hooks_path.clone(),
        script: slot.script.clone(),
        state,
        projects: served,
        original,
        hooks,
        refusal: repository.refusal(),
        advice,
    })
}
