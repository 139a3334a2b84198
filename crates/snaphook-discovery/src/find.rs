//! From folders to hooks in order: which entry is a hook, which file is the same as another, which id it gets.
//! Not here: how bytes become text (`source`) and what a name says (`names`).

mod load;
mod scan;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use snaphook_core::{Problem, Scope};

use crate::candidate::{Discovery, Language};
use crate::dirs::Directories;
use crate::fault::io_message;
use crate::ids::Ids;

/// A hook that was found and not yet read.
struct Found {
    scope: Scope,
    /// The script, or the entry script of the folder; links unresolved.
    path: PathBuf,
    /// The path as people see it.
    shown: PathBuf,
    /// The folder of a folder hook.
    folder: Option<PathBuf>,
    stem: String,
    extension: String,
    language: Language,
}

/// What a place held, in order.
enum Item {
    Hook(Found),
    Problem(Problem),
}

/// Finds and reads every hook: managed, user, project, then `adhoc` (`--hook PATH`) in the order given. Never fails:
/// what cannot be read is a problem beside the hooks that could.
pub fn discover(directories: &Directories, adhoc: &[PathBuf]) -> Discovery {
    let mut items = directories.problems.iter().cloned().map(Item::Problem).collect::<Vec<_>>();
    let standard = [
        (Scope::Managed, directories.managed.as_deref()),
        (Scope::User, directories.user_hooks.as_deref()),
        (Scope::Project, Some(directories.project_hooks.as_path())),
    ];
    for (scope, folder) in standard {
        if let Some(folder) = folder {
            items.extend(scan::standard_folder(scope, folder, &|path| directories.shown(path, scope)));
        }
    }
    for path in adhoc {
        items.extend(scan::adhoc(directories, path));
    }

    let mut discovery = Discovery::default();
    let mut ids = Ids::default();
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    for item in items {
        let found = match item {
            Item::Hook(found) => found,
            Item::Problem(problem) => {
                discovery.problems.push(problem);
                continue;
            }
        };
        let resolved = match std::fs::canonicalize(&found.path) {
            Ok(resolved) => resolved,
            Err(error) => {
                discovery.problems.push(unresolved(&found, &error));
                continue;
            }
        };
        if let Some(first) = seen.get(&resolved) {
            discovery.problems.push(same_file(&found, first));
            continue;
        }
        seen.insert(resolved.clone(), found.shown.clone());
        // Before it is read: a hook that fails to load keeps its id, so that no later one inherits it.
        let id = ids.assign(&found.stem, &found.extension, found.scope);
        match load::load(&found, &resolved, id) {
            Ok((candidate, warnings)) => {
                discovery.hooks.push(candidate);
                discovery.problems.extend(warnings);
            }
            Err(problems) => discovery.problems.extend(problems),
        }
    }
    discovery
}

fn unresolved(found: &Found, error: &std::io::Error) -> Problem {
    Problem::error(&found.shown, io_message(error)).with_help("mend it or remove it")
}

fn same_file(found: &Found, first: &Path) -> Problem {
    let message = if found.shown == first {
        "is found twice and counts once".to_owned()
    } else {
        format!("is the same file as {} and counts once", first.display())
    };
    Problem::note(&found.shown, message)
}
