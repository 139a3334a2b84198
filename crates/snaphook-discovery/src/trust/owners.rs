//! The users who may change hooks that come with no project, and the trust store. A managed hook counts because only the
//! administrator can write it, a user's because only the user can. Not here: project hooks, whose content is decided on.
//!
//! Windows says with access lists who may write; they are not looked at, and nothing is refused there.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use snaphook_core::{Problem, Scope};

use crate::candidate::Candidate;
use crate::find::links::Links;

/// User ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owners {
    /// The owner of the managed hooks: 0.
    pub admin: u32,
    /// The owner of the user's hooks: the one that this process acts for. The administrator's are as good.
    pub user: u32,
}

impl Default for Owners {
    fn default() -> Self {
        #[cfg(unix)]
        let user = rustix::process::geteuid().as_raw();
        #[cfg(not(unix))]
        let user = 0;
        Owners { admin: 0, user }
    }
}

impl Owners {
    /// Returns what is wrong with the owners of a managed or user hook's files and folders. `read` is what its one
    /// file was when it was read, `folders` are those of the hooks folder that it was found in.
    pub(crate) fn check(
        &self,
        candidate: &Candidate,
        read: Option<&Metadata>,
        folders: &Folders,
        looks: &mut Looks,
        show: &dyn Fn(&Path) -> PathBuf,
    ) -> Vec<Problem> {
        let managed = match candidate.hook.scope {
            Scope::Managed => true,
            Scope::User => false,
            Scope::Project | Scope::Adhoc => return Vec::new(),
        };
        let look = |path: PathBuf| self.one(&path, managed, &|| show(&path));
        let base = candidate.path.parent().unwrap_or(Path::new("/"));
        if candidate.modules.is_some() {
            return with_folders(candidate, base, folders).into_iter().filter_map(look).collect();
        }
        let file = match read {
            Some(read) => self.of(read, managed, &|| show(&candidate.path)),
            None => look(candidate.path.clone()),
        };
        let mut problems: Vec<Problem> = file.into_iter().collect();
        let above = looks.above.entry((base.to_owned(), managed)).or_insert_with(|| {
            let paths = with_folders(candidate, base, folders).into_iter();
            paths.filter(|path| *path != candidate.path).filter_map(look).collect()
        });
        problems.extend(above.iter().cloned());
        problems
    }

    /// Returns what is wrong with a path of the user's own.
    pub fn own(&self, path: &Path, shown: &Path) -> Option<Problem> {
        self.one(path, false, &|| shown.to_owned())
    }

    #[cfg(unix)]
    fn one(&self, path: &Path, managed: bool, shown: &dyn Fn() -> PathBuf) -> Option<Problem> {
        match std::fs::metadata(path) {
            Ok(metadata) => self.of(&metadata, managed, shown),
            Err(error) => {
                untrusted(&shown(), crate::diagnostic::io_message(&error), "fix it or remove it".to_owned())
            }
        }
    }

    #[cfg(unix)]
    fn of(&self, metadata: &Metadata, managed: bool, shown: &dyn Fn() -> PathBuf) -> Option<Problem> {
        use std::os::unix::fs::MetadataExt as _;

        let (owner, mode) = (metadata.uid(), metadata.mode());
        let theirs = [0, self.admin, self.user];
        let good = if managed { &theirs[..2] } else { &theirs[..] };
        let (whose, name) = if managed { ("the administrator", "root") } else { ("you", "\"$(id -un)\"") };
        if !good.contains(&owner) {
            let shown = shown();
            return untrusted(
                &shown,
                format!("belongs to the user with the id {owner}, not to {whose}, so nothing in it runs"),
                format!("look at it, then `chown {name} {}`", shown.display()),
            );
        }
        // In a folder with the sticky bit others can make names, but not replace those of other users.
        let sticky = metadata.is_dir() && mode & 0o1000 != 0 && managed;
        if mode & 0o022 != 0 && !sticky {
            let shown = shown();
            return untrusted(
                &shown,
                format!("can be changed by others than {whose}, so nothing in it runs"),
                format!("look at it, then `chmod go-w {}`", shown.display()),
            );
        }
        None
    }

    #[cfg(not(unix))]
    fn one(&self, _: &Path, _: bool, _: &dyn Fn() -> PathBuf) -> Option<Problem> {
        None
    }

    #[cfg(not(unix))]
    fn of(&self, _: &Metadata, _: bool, _: &dyn Fn() -> PathBuf) -> Option<Problem> {
        None
    }
}

#[cfg(unix)]
fn untrusted(shown: &Path, message: String, help: String) -> Option<Problem> {
    Some(Problem::error(shown, message).with_help(help).with_cause(snaphook_core::Cause::Untrusted))
}

/// The problems with the folders above hooks, which those that are side by side have in common.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    above: HashMap<(PathBuf, bool), Vec<Problem>>,
}

/// A folder of hooks without links, resolved once for all hooks in it.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    folder: Option<PathBuf>,
    /// The topmost folder that is looked at; `None` is to the root.
    top: Option<PathBuf>,
}

impl Folders {
    /// Of a scope's folder of hooks.
    pub(crate) fn of(scope: Scope, folder: Option<&Path>, links: &mut Links) -> Self {
        // The folder of settings, above the user's hooks, is the user's own too.
        let top = folder.and_then(Path::parent).filter(|_| scope == Scope::User);
        let mut resolve = |path: &Path| links.folder(path).unwrap_or_else(|_| path.to_owned());
        Folders { folder: folder.map(&mut resolve), top: top.map(&mut resolve) }
    }
}

fn resolve(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The hook's files, each folder above them and the one that they were found in.
fn with_folders(candidate: &Candidate, base: &Path, Folders { folder, top }: &Folders) -> Vec<PathBuf> {
    let files = match &candidate.modules {
        // Resolved already.
        None => vec![candidate.path.clone()],
        Some(_) => candidate.raw.keys().map(|relative| resolve(&base.join(relative))).collect(),
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut add = |path: &Path| {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    };
    // A link in the folder of hooks leads to a file elsewhere: its own folder is looked at, those above only if nothing
    // bounds the search.
    let within = |path: &Path| match top {
        None => true,
        Some(top) => path.starts_with(top) || path.starts_with(base),
    };
    for file in files {
        add(&file);
        file.ancestors()
            .skip(1)
            .enumerate()
            .filter(|(up, path)| *up == 0 || within(path))
            .for_each(|(_, path)| add(path));
    }
    for path in folder.iter().flat_map(|folder| folder.ancestors()).filter(|path| within(path)) {
        add(path);
    }
    paths
}
