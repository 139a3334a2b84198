//! The files that no grant gives: snaphook's own. A hook never writes where hooks, trust, settings or state are, and never reads
//! the state, whatever its globs say and however it gets there. Does not depend on self-protection, which looks at what an
//! agent does. Not here: what is granted (`globs`).

use std::path::{Path, PathBuf};

use snaphook_discovery::Directories;
use snaphook_state::layout;

use super::globs::{as_text, fold};
use super::requested_path::lexical;
use super::system::{self, Spot};

/// The folders and files of one host.
#[derive(Debug, Clone)]
pub(crate) struct ReservedPaths {
    places: Vec<ReservedPath>,
    /// Folders below them that are not snaphook's.
    open: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
struct ReservedPath {
    path: PathBuf,
    what: &'static str,
    /// True if it may be read.
    may_be_read: bool,
}

const HOOKS: &str = "the user's hooks";
const MANAGED: &str = "the managed hooks";
const PROJECT: &str = "a project's .snaphook folder";
const OTHERS: &str = "another product's hooks";
const SETTINGS: &str = "snaphook's settings";
/// The names that other products have in a project or in the user's settings, by the names on the way.
const PRODUCTS: &[&[&str]] =
    &[&[".discobot", "hooks"], &[".marvin", "hooks"], &["marvin", "hooks"], &[".iteratr.hooks.yml"]];
const STATE: &str = "snaphook's state (trust, audit, store)";
const HOOK: &str = "a hook's own file";

impl Default for ReservedPaths {
    /// Returns what belongs to snaphook on every machine.
    fn default() -> Self {
        let managed = ReservedPath { path: "/etc/snaphook".into(), what: MANAGED, may_be_read: true };
        ReservedPaths { places: if cfg!(unix) { vec![managed] } else { Vec::new() }, open: Vec::new() }
    }
}

impl ReservedPaths {
    /// Adds the folders of a run.
    pub(crate) fn add_directories(&mut self, directories: &Directories) {
        for (path, what) in [
            (&directories.managed, MANAGED),
            (&directories.user_hooks, HOOKS),
            (&directories.user_config, SETTINGS),
        ] {
            self.places.extend(path.clone().map(|path| ReservedPath { path, what, may_be_read: true }));
        }
        if let Some(home) = &directories.home {
            let path = home.join(".discobot");
            self.places.push(ReservedPath { path, what: "Discobot's state", may_be_read: true });
        }
        if let Some(state) = &directories.state {
            self.add_state(state);
        }
    }

    /// Adds the folder of trust, audit and stores.
    pub(crate) fn add_state(&mut self, state: &Path) {
        self.places.push(ReservedPath { path: state.to_owned(), what: STATE, may_be_read: false });
        // Recorded sessions are played there, in copies of their projects that are thrown away.
        self.open.push(layout::scratch(state));
    }

    /// Returns whose the place is, if it must not be read.
    pub(super) fn forbids_reading(&self, spot: &Spot) -> Option<&'static str> {
        self.holder(spot, |place| !place.may_be_read)
    }

    /// Returns whose the place is, if it must not be changed. `hooks` are the files of all hooks that are loaded.
    pub(super) fn forbids_writing(&self, spot: &Spot, hooks: &[PathBuf]) -> Option<&'static str> {
        let path = spot.path();
        let names = names(&path);
        if names.iter().any(|name| name == ".snaphook") {
            return Some(PROJECT);
        }
        let of_products = |parts: &&[&str]| names.windows(parts.len()).any(|window| *window == **parts);
        if PRODUCTS.iter().any(of_products) {
            return Some(OTHERS);
        }
        // Of a hook that is a folder, all of it.
        let whole = |hook: &PathBuf| match hook.file_stem() {
            Some(stem) if stem.eq_ignore_ascii_case("init") => hook.parent().map(Path::to_owned),
            _ => Some(hook.clone()),
        };
        let mut hooks = hooks.iter().filter_map(whole);
        self.holder(spot, |_| true).or_else(|| hooks.any(|hook| holds(&hook, spot, &names)).then_some(HOOK))
    }

    fn holder(&self, spot: &Spot, counts: fn(&ReservedPath) -> bool) -> Option<&'static str> {
        let names = names(&spot.path());
        let counting = self.places.iter().filter(|place| counts(place));
        let held: Vec<_> = counting.filter(|place| holds(&place.path, spot, &names)).collect();
        let open = self.open.iter().find(|open| holds(open, spot, &names) && spot.path() != **open);
        let beneath = |place: &&ReservedPath| open.is_none_or(|open| !open.starts_with(&place.path));
        held.into_iter().find(beneath).map(|place| place.what)
    }
}

/// Returns whether a path leads to this place or below it: by name, as written and as it is without links, and by
/// what the folders on the way are.
fn holds(place: &Path, spot: &Spot, spot_names: &[String]) -> bool {
    let starts = |path: &Path| spot_names.starts_with(&names(path));
    if starts(&lexical(place)) || system::real(place).is_some_and(|real| starts(&real)) {
        return true;
    }
    system::id(place).is_some_and(|id| spot.passes(id))
}

/// The names of a path as the least careful file system compares them.
fn names(path: &Path) -> Vec<String> {
    as_text(path).split('/').filter(|name| !name.is_empty()).map(fold).collect()
}
