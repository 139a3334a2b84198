//! The repository of a folder, and where its hooks are: as git itself finds them. Not here: what is there (`script`, `slot`).

use std::path::{Path, PathBuf};

use snaphook_command::changes::check_repository;
use snaphook_discovery::{printable, resolved};

use crate::git::GitError;
use crate::git::client::Git;

/// A repository with a working tree.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// The top of the working tree, resolved.
    pub(crate) top: PathBuf,
    /// The folder that its working trees share, resolved.
    common: PathBuf,
    /// The folder in which git looks for hooks.
    pub(crate) hooks: PathBuf,
    /// The value of `core.hooksPath`, if it says anything.
    pub(crate) hooks_path: Option<HooksPath>,
}

/// `core.hooksPath` with where it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksPath {
    /// git's word: `local`, `worktree`, `global`, `system`, `command`.
    pub scope: String,
    /// The folder, as it is written.
    pub value: String,
}

/// The reason that nothing may be written into the hooks folder, with what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The folder is one of the repository's by its name, and by a link another one: who wrote the repository does not say where
    /// else we write.
    #[error(
        "{} is a link that leads out of the repository, to {}: remove it, or set core.hooksPath to that folder",
        printable(&hooks.display().to_string()),
        printable(&real.display().to_string())
    )]
    LeadsOut {
        /// The folder by its name.
        hooks: PathBuf,
        /// The folder that it is.
        real: PathBuf,
    },
    /// The setting names no folder.
    #[error(
        "core.hooksPath is \"{}\" ({}), which switches the repository's hooks off; remove it first (`git config --{} --unset \
         core.hooksPath`)",
        printable(&.0.value), .0.scope, .0.scope
    )]
    SwitchedOff(HooksPath),
    /// The setting is not of this repository alone.
    #[error(
        "core.hooksPath is \"{}\" in the {} configuration, so the folder is shared with other repositories: call `snaphook git run \
         pre-commit` in its pre-commit hook, or give this repository its own folder (`git config --local core.hooksPath \"$(git \
         rev-parse --git-common-dir)/hooks\"`) and try again",
        printable(&.0.value), .0.scope
    )]
    Shared(HooksPath),
    /// husky writes the folder.
    #[error(
        "core.hooksPath is husky's own folder, which husky overwrites: put the line `snaphook git run pre-commit` into \
         .husky/pre-commit instead"
    )]
    Husky,
}

impl Repository {
    /// Returns the repository around the folder.
    ///
    /// # Errors
    /// There is none, it is bare, or git does not work here.
    pub(crate) async fn find(git: &Git) -> Result<Self, GitError> {
        // If git set where its files are, it has read them.
        if !git.has_git_dir() {
            check_repository(&git.cwd).map_err(GitError::Irregular)?;
        }
        // The first question.
        let bare = git.line(&["rev-parse", "--is-bare-repository"]).await;
        let bare = bare
            .map_err(|error| GitError::NotARepository { folder: git.cwd.clone(), cause: Box::new(error) })?;
        if bare == "true" {
            return Err(GitError::Bare);
        }
        if git.line(&["rev-parse", "--is-inside-work-tree"]).await? != "true" {
            return Err(GitError::InsideGitFolder);
        }
        let top = resolved(&path(&git.line(&["rev-parse", "--show-toplevel"]).await?)?);
        // From the top: a relative `core.hooksPath` is relative to where hooks run.
        let git = git.at(&top);
        let common = git.line(&["rev-parse", "--git-common-dir"]).await?;
        let common = resolved(&top.join(path(&common)?));
        let hooks = top.join(path(&git.line(&["rev-parse", "--git-path", "hooks"]).await?)?);
        let hooks_path = hooks_path(&git).await?;
        // Where git's own answer is relative, it may be to the folder of the repository.
        let hooks = if hooks_path.is_none() { common.join("hooks") } else { hooks };
        Ok(Repository { top, common, hooks, hooks_path })
    }

    /// Returns why nothing may be written into the hooks folder.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        if let Some(out) = self.leads_out() {
            return Some(out);
        }
        let set = self.hooks_path.as_ref()?;
        if set.value.is_empty() || (self.hooks.exists() && !self.hooks.is_dir()) {
            return Some(Refusal::SwitchedOff(set.clone()));
        }
        if set.scope != "local" && set.scope != "worktree" {
            return Some(Refusal::Shared(set.clone()));
        }
        let of_husky = self.hooks.ends_with(".husky/_") || self.hooks.ends_with(".husky");
        of_husky.then_some(Refusal::Husky)
    }

    fn leads_out(&self) -> Option<Refusal> {
        let ours = [&self.top, &self.common];
        let real = self.hooks.canonicalize().ok()?;
        let is_out = ours.iter().any(|folder| self.hooks.starts_with(folder))
            && !ours.iter().any(|folder| real.starts_with(folder));
        is_out.then(|| Refusal::LeadsOut { hooks: self.hooks.clone(), real })
    }

    /// Returns the folders of the other working trees.
    pub(crate) async fn others(&self, git: &Git) -> Vec<PathBuf> {
        let listed = git.at(&self.top).output(&["worktree", "list", "--porcelain"]).await.unwrap_or_default();
        let trees = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
        trees.map(|path| resolved(Path::new(path))).filter(|path| *path != self.top).collect()
    }
}

/// A path in git's answer.
fn path(text: &str) -> Result<PathBuf, GitError> {
    if text.contains('\u{FFFD}') || text.is_empty() {
        return Err(GitError::NotUtf8("repository"));
    }
    Ok(PathBuf::from(text))
}

async fn hooks_path(git: &Git) -> Result<Option<HooksPath>, GitError> {
    let answer = git.optional(&["config", "-z", "--show-scope", "--get", "core.hooksPath"]).await?;
    Ok(answer.map(|answer| {
        let (scope, value) = answer.split_once('\0').unwrap_or(("local", &answer));
        HooksPath { scope: scope.to_owned(), value: value.trim_end_matches('\0').to_owned() }
    }))
}
