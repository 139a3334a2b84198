//! Hooks that were trusted in this project and are gone: removed, or not on the branch that is checked out now. They deny until the
//! person takes the trust back, else removing a file could remove a gate. Not here: what changed where it is
//! (`decide`).

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use snaphook_core::{Cause, Problem, Product, Scope, Severity};

use super::decide::Judge;
use super::hash::ContentHash;
use super::store::{Kept, TrustStore};
use super::{FormerHook, ProjectHook, TrustKey};
use crate::candidate::Discovery;
use snaphook_core::printable;

/// The number of them that are listed one by one.
const MAX_TOLD: usize = 20;

/// Lifecycle files: decisions about them are kept beside those about hooks, but they gate nothing.
const NO_GATES: &[&str] = &[".snaphook/lifecycle.yml", ".iteratr.hooks.yml"];

/// The entries of the project's folders of hooks, by the names that decisions are kept under.
pub(crate) struct Present {
    /// The folders that are looked at, each with what the names of its hooks begin with.
    folders: Vec<(String, PathBuf)>,
    settled: HashSet<String>,
}

impl Present {
    pub(crate) fn of(folders: &[(Product, Scope, PathBuf)], project: &Path) -> Self {
        let of_project = folders.iter().filter(|(_, scope, _)| *scope == Scope::Project);
        let named = |(product, _, folder): &(Product, Scope, PathBuf)| match product {
            Product::Snaphook => Some((String::new(), folder.clone())),
            _ => {
                let inside = folder.strip_prefix(project).ok()?;
                Some((format!("{}/", inside.to_string_lossy().replace('\\', "/")), folder.clone()))
            }
        };
        Present { folders: of_project.filter_map(named).collect(), settled: HashSet::new() }
    }

    /// Notes that what becomes of the hook with this name is said elsewhere: it is judged, or it denies.
    pub(crate) fn settles(&mut self, hook: &str) {
        self.settled.insert(hook.to_owned());
    }

    /// Returns where a hook of this name would be, if its folder is looked at.
    fn path(&self, hook: &str) -> Option<PathBuf> {
        let named =
            self.folders.iter().filter_map(|(start, folder)| Some((hook.strip_prefix(&**start)?, folder)));
        let mut named = named.filter(|(name, _)| !name.is_empty() && !name.contains('/'));
        named.next().map(|(name, folder)| folder.join(name))
    }
}

impl Judge<'_> {
    /// The hooks that were trusted here and are gone, and the denials that they are.
    pub(crate) fn gone(&mut self, present: &Present, found: &Discovery) -> (Vec<FormerHook>, Vec<Problem>) {
        let (directories, trust) = (self.directories, self.trust);
        // Without a store nothing was ever trusted; hooks that are there say what is wrong with it.
        let Ok(store) = TrustStore::locate(directories, trust.owners) else { return Default::default() };
        let project = self.project.clone();
        let Ok(decisions) = self.decisions() else { return Default::default() };
        let (mut hooks, mut problems) = (Vec::new(), Vec::new());
        for (key, hash) in decisions.trusted() {
            let path = if key.project == project {
                if present.settled.contains(&key.hook) {
                    continue;
                }
                present.path(&key.hook)
            } else if trust.project.is_none() {
                // A folder without `.snaphook` is no project any more, and one above it is.
                let root = Path::new(&key.project);
                let was_nearer = directories.cwd.starts_with(root)
                    && root.starts_with(&directories.project_root)
                    && matches!(std::fs::symlink_metadata(root.join(".snaphook")), Err(error) if error.kind() == ErrorKind::NotFound);
                (was_nearer && !key.hook.contains('/')).then(|| root.join(".snaphook/hooks").join(&key.hook))
            } else {
                None
            };
            let Some(path) = path.filter(|_| !NO_GATES.contains(&&*key.hook)) else { continue };
            let shown = directories.display_path(&path, Scope::Project);
            let denies =
                |problem: &Problem| problem.severity == Severity::Error && problem.file.starts_with(&shown);
            if found.problems.iter().any(denies) || moved(&store, hash, key, &found.project) {
                continue;
            }
            hooks.push(FormerHook { key: key.clone() });
            if hooks.len() <= MAX_TOLD {
                problems.push(problem(key, &path, &shown));
            }
        }
        if let Some(more) = hooks.len().checked_sub(MAX_TOLD).filter(|more| *more > 0) {
            let message = format!("{more} more hooks that you trusted are gone");
            let file = directories.display_path(&directories.project_hooks, Scope::Project);
            problems.push(Problem::error(file, message).with_cause(Cause::Untrusted));
        }
        (hooks, problems)
    }
}

fn problem(key: &TrustKey, path: &Path, shown: &Path) -> Problem {
    let name = printable(&key.hook);
    let message = match std::fs::symlink_metadata(path) {
        Ok(_) => "was a hook that you trusted, and is not a hook of its own any more",
        Err(_) => "was a hook that you trusted, and is gone",
    };
    let help = format!(
        "put it back (for example with `git restore`, or `git switch` to a branch that has it), or run `snaphook untrust {name}` if it is not wanted any more"
    );
    Problem::error(shown, message).with_help(help).with_cause(Cause::Untrusted)
}

/// Returns whether the same bytes are a hook of the project under another name: that one is judged in its stead.
fn moved(store: &TrustStore, hash: ContentHash, key: &TrustKey, hooks: &[ProjectHook]) -> bool {
    let others = || hooks.iter().filter(|hook| hook.key != *key);
    if others().any(|hook| hook.hash == hash) {
        return true;
    }
    // The name of a single file is part of its hash.
    let singles: Vec<_> = others().filter(|hook| hook.candidate.modules.is_none()).collect();
    if singles.is_empty() {
        return false;
    }
    let Some(kept) = store.kept(hash) else { return false };
    singles.iter().any(|hook| is_same_file(&kept, hook))
}

fn is_same_file(kept: &Kept, hook: &ProjectHook) -> bool {
    let extension = |name: &str| Path::new(name).extension().map(OsStr::to_ascii_lowercase);
    let (mut before, mut now) = (kept.iter(), hook.candidate.raw.iter());
    match (before.next(), before.next(), now.next(), now.next()) {
        (Some((old, text)), None, Some((new, bytes)), None) => {
            text.as_bytes() == &**bytes && extension(old) == extension(new)
        }
        _ => false,
    }
}
