//! Paths as they are compared: without case, dots and links. Not here: which paths are guarded (`places`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use snaphook_script::path::fold;

/// The number of links that are followed on the way of one path, as the system does.
const MAX_LINKS: usize = 40;

/// A path without `.` and `..`, as text would have it: links are not followed.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The places that paths really lead to that have much of their way in common. Made for one look at one call, or to
/// find the places once: what it knows was so a moment ago.
#[derive(Default)]
pub(crate) struct Ways {
    /// By the text of the path: all are made alike, and to compare paths part by part takes ten times as long.
    steps: RefCell<HashMap<OsString, Step>>,
    /// The places of folders, links followed, and whether they are there.
    folders: RefCell<HashMap<OsString, (PathBuf, bool)>>,
}

/// The kind of entry at a path.
#[derive(Clone)]
enum Step {
    Link(PathBuf),
    /// Something else, or what nobody may look at.
    Other,
    /// Nothing, so nothing is below it.
    Gone,
}

impl Ways {
    /// Returns where a path really leads, also if its end does not exist: every link on the way is followed. `cwd` is where a
    /// process of the call stands, for `/proc/self/cwd`.
    pub(crate) fn physical(&self, path: &Path, cwd: &Path) -> PathBuf {
        self.beside(path, cwd).unwrap_or_else(|| follow(path, cwd, |path| self.step(path)).real)
    }

    /// The same for a path whose end is no link, by its folder, which many have in common; `None` of others.
    fn beside(&self, path: &Path, cwd: &Path) -> Option<PathBuf> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let known = self.folders.borrow().get(folder.as_os_str()).cloned();
        let (real, there) = match known {
            Some(known) => known,
            None if cfg!(windows) => return None,
            None => {
                let way = follow(folder, cwd, |path| self.step(path));
                // Where it leads through `/proc`, it depends on who goes.
                if way.of_process || way.real.starts_with("/proc") {
                    return None;
                }
                let known = (way.real, way.there);
                self.folders.borrow_mut().insert(folder.as_os_str().to_owned(), known.clone());
                known
            }
        };
        let path = real.join(name);
        (!there || !matches!(self.step(&path), Step::Link(_))).then_some(path)
    }

    fn step(&self, path: &Path) -> Step {
        if let Some(known) = self.steps.borrow().get(path.as_os_str()) {
            return known.clone();
        }
        let step = match std::fs::read_link(path) {
            Ok(target) => Step::Link(target),
            Err(error) if error.kind() == ErrorKind::NotFound => Step::Gone,
            Err(_) => Step::Other,
        };
        self.steps.borrow_mut().insert(path.as_os_str().to_owned(), step.clone());
        step
    }
}

/// The place that a path leads to.
struct Way {
    real: PathBuf,
    /// True if something is there.
    there: bool,
    /// True if it leads elsewhere for another process.
    of_process: bool,
}

fn follow(path: &Path, cwd: &Path, step: impl Fn(&Path) -> Step) -> Way {
    let mut todo: Vec<OsString> = parts(path);
    let mut real = PathBuf::from("/");
    let mut of_process = false;
    if cfg!(windows) {
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| lexical(path));
        return Way { real, there: true, of_process };
    }
    let mut links = 0;
    // How many names below what is there: nothing is looked for in what is not.
    let mut gone = 0_usize;
    while let Some(part) = todo.pop() {
        if part == ".." {
            real.pop();
            gone = gone.saturating_sub(1);
            continue;
        }
        real.push(&part);
        if part == "cwd" && real.starts_with("/proc") {
            real = cwd.to_owned();
            (gone, of_process) = (0, true);
            continue;
        }
        if gone > 0 || links == MAX_LINKS {
            gone += usize::from(gone > 0);
            continue;
        }
        match step(&real) {
            Step::Other => {}
            Step::Gone => gone = 1,
            Step::Link(target) => {
                links += 1;
                real.pop();
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                todo.extend(parts(&target));
            }
        }
    }
    Way { real, there: gone == 0, of_process }
}

/// The names of a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    let mut parts: Vec<_> = path.components().filter_map(name).collect();
    parts.reverse();
    parts
}

/// The names of a path as they are compared.
pub(crate) fn folded(path: &Path) -> Vec<String> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(fold(&name.to_string_lossy())),
        _ => None,
    };
    path.components().filter_map(name).collect()
}
