//! The cost of trust when hooks are found: ten hooks of a project that are trusted, beside the same ten named on the command line.
//! The folders are in the file cache, as they are for every call but the first.

use std::path::Path;

use snaphook::{Directories, Environment};
use snaphook_discovery::discover_with;
use snaphook_discovery::trust::{Owners, Trust, TrustStore};

use crate::line;
use crate::measure::{Case, compare};
use crate::scenes;

/// The time that the design allows trust to add for ten hooks, in nanoseconds.
const BUDGET: f64 = 1e6;

const HOOKS: usize = 10;

pub fn all() {
    let dir = tempfile::tempdir().unwrap();
    let project = directories(dir.path(), "project");
    let other = directories(dir.path(), "other");
    // Decisions of a busy year: two hundred in other projects.
    for number in 0..20 {
        trusted(&directories(dir.path(), &format!("project-{number}")), number + 1);
    }
    trusted(&project, 0);
    write(&other.project_hooks, 0);
    let named: Vec<_> = vec![other.project_hooks.clone()];
    let trust = Trust::default();
    let find = |directories: &Directories, adhoc: &[_]| discover_with(directories, adhoc, &trust).hooks.len();
    assert_eq!((find(&project, &[]), find(&other, &named)), (HOOKS, HOOKS));
    let [with, without] =
        compare([Case::new(|| find(&project, &[])), Case::new(|| find(&other, &named))], 100);
    // All of it has to fit into what trust alone may cost: then there is nothing to take apart.
    line("trust: 10 hooks of a project, found, read, hashed, decided", with, Some(without), Some(BUDGET));
    println!();
}

fn directories(base: &Path, project: &str) -> Directories {
    let root = base.join(project);
    std::fs::create_dir_all(root.join(".snaphook/hooks")).unwrap();
    let environment = Environment {
        home: Some(base.join("home")),
        snaphook_state_dir: Some(base.join("state")),
        managed_dir: None,
        ..Environment::new(root)
    };
    Directories::locate(&environment)
}

fn write(hooks: &Path, salt: usize) {
    std::fs::create_dir_all(hooks).unwrap();
    for index in 0..HOOKS {
        let text = format!("-- {salt} {index}\n{}", scenes::GUARD);
        std::fs::write(hooks.join(format!("guard_{index}.lua")), text).unwrap();
    }
}

/// Writes a project's hooks and says yes to them.
fn trusted(directories: &Directories, salt: usize) {
    write(&directories.project_hooks, salt);
    let found = discover_with(directories, &[], &Trust::default()).project;
    let store = TrustStore::locate(directories, Owners::default()).unwrap();
    store.trust(found.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
}
