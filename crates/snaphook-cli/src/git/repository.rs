//! The repository of a folder, and where its hooks are: as git itself finds them. Not here: what stands there (`script`, `change`).

use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::git::ask::Git;

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
pub(crate) struct HooksPath {
    /// git's word: `local`, `worktree`, `global`, `system`, `command`.
    pub(crate) scope: String,
    pub(crate) value: String,
}

impl Repository {
    /// The repository around the folder.
    ///
    /// # Errors
    /// There is none, it is bare, or git does not work here.
    pub(crate) async fn find(git: &Git) -> Result<Self, Failure> {
        // Where git was told where its files are, it has read them.
        if !git.is_told() {
            snaphook_command::changes::check_repository(&git.cwd).map_err(Failure::Usage)?;
        }
        // The first question; git's own words, which may be another language's, are the reason.
        let bare = git.word(&["rev-parse", "--is-bare-repository"]).await.map_err(|failure| {
            let folder = snaphook_discovery::printable(&git.cwd.display().to_string());
            Failure::Usage(format!(
                "git finds no repository for {folder}, which a commit could be made in: make one with `git init`, or name a folder of \
                 one with --cwd ({failure})"
            ))
        })?;
        if bare == "true" {
            return Err(Failure::Usage(
                "this repository is bare: nobody commits in it, so there is nothing to check".to_owned(),
            ));
        }
        if git.word(&["rev-parse", "--is-inside-work-tree"]).await? != "true" {
            return Err(Failure::Usage(
                "this is inside of the repository's own folder; name one of its working tree with --cwd"
                    .to_owned(),
            ));
        }
        let top = known(&git.word(&["rev-parse", "--show-toplevel"]).await?)?;
        let top = crate::files::resolved(&top);
        // From the top: a relative `core.hooksPath` is relative to where hooks run.
        let git = git.at(&top);
        let common = git.word(&["rev-parse", "--git-common-dir"]).await?;
        let common = crate::files::resolved(&top.join(known(&common)?));
        let hooks = top.join(known(&git.word(&["rev-parse", "--git-path", "hooks"]).await?)?);
        let hooks_path = hooks_path(&git).await?;
        // Where git's own answer is relative, it may be to the folder of the repository.
        let hooks = if hooks_path.is_none() { common.join("hooks") } else { hooks };
        Ok(Repository { top, common, hooks, hooks_path })
    }

    /// Returns why nothing may be written into the hooks folder, with what to do instead.
    pub(crate) fn refuses(&self) -> Option<String> {
        if let Some(out) = self.leads_out() {
            return Some(out);
        }
        let HooksPath { scope, value } = self.hooks_path.as_ref()?;
        let shown = snaphook_discovery::printable(value);
        let by_hand = "call `snaphook git run pre-commit` in the pre-commit hook that stands there";
        if value.is_empty() || (self.hooks.exists() && !self.hooks.is_dir()) {
            return Some(format!(
                "core.hooksPath is \"{shown}\" ({scope}), which switches the repository's hooks off; take it back first \
                 (`git config --{scope} --unset core.hooksPath`)"
            ));
        }
        if scope != "local" && scope != "worktree" {
            return Some(format!(
                "core.hooksPath is \"{shown}\" in the {scope} configuration, so the folder serves other repositories, too: \
                 {by_hand}, or give this repository its own folder \
                 (`git config --local core.hooksPath \"$(git rev-parse --git-common-dir)/hooks\"`) and try again"
            ));
        }
        let of_husky = self.hooks.ends_with(".husky/_") || self.hooks.ends_with(".husky");
        of_husky.then(|| {
            "core.hooksPath is husky's own folder, which husky writes anew: put the line `snaphook git run pre-commit` into \
             .husky/pre-commit instead"
                .to_owned()
        })
    }

    /// That the hooks folder is one of the repository's by its name, and by a link another one: who wrote the repository does not
    /// say where else we write.
    fn leads_out(&self) -> Option<String> {
        let ours = [&self.top, &self.common];
        let real = self.hooks.canonicalize().ok()?;
        let is_out = ours.iter().any(|folder| self.hooks.starts_with(folder))
            && !ours.iter().any(|folder| real.starts_with(folder));
        is_out.then(|| {
            let (hooks, real) = (self.hooks.display().to_string(), real.display().to_string());
            format!(
                "{} is a link that leads out of the repository, to {}: remove it, or set core.hooksPath to that folder",
                snaphook_discovery::printable(&hooks),
                snaphook_discovery::printable(&real)
            )
        })
    }

    /// The folders of the other working trees.
    pub(crate) async fn others(&self, git: &Git) -> Vec<PathBuf> {
        let listed = git.at(&self.top).say(&["worktree", "list", "--porcelain"]).await.unwrap_or_default();
        let trees = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
        trees.map(|path| crate::files::resolved(Path::new(path))).filter(|path| *path != self.top).collect()
    }
}

/// A path as git told it.
fn known(path: &str) -> Result<PathBuf, Failure> {
    if path.contains('\u{FFFD}') || path.is_empty() {
        return Err(Failure::Usage(
            "the repository's path is not UTF-8, which snaphook cannot work with here".to_owned(),
        ));
    }
    Ok(PathBuf::from(path))
}

async fn hooks_path(git: &Git) -> Result<Option<HooksPath>, Failure> {
    let said = git.perhaps(&["config", "-z", "--show-scope", "--get", "core.hooksPath"]).await?;
    Ok(said.map(|said| {
        let (scope, value) = said.split_once('\0').unwrap_or(("local", &said));
        HooksPath { scope: scope.to_owned(), value: value.trim_end_matches('\0').to_owned() }
    }))
}
