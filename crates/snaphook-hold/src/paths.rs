//! Paths as they are on this machine: links followed, also of what is not there. Not here: which paths are held (`policy`).

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::person::may_change;

/// The number of links that are followed on the way of one path, as the system does.
const MAX_LINKS: usize = 40;

/// The way of a path through the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// The place that it leads to, without links.
    pub(crate) real: PathBuf,
    /// The last part of that place that exists: the place itself, or a folder above it.
    pub(crate) existing: PathBuf,
    /// The links on its way.
    pub(crate) links: Vec<PathBuf>,
}

impl Way {
    fn root() -> Self {
        Way { real: "/".into(), existing: "/".into(), links: Vec::new() }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.real.as_os_str() == self.existing.as_os_str()
    }
}

#[derive(Clone)]
enum Step {
    Link(PathBuf),
    Other,
    Gone,
}

/// Follows paths, and remembers what it saw: many have most of their way in common. The keys are texts, since a path is compared
/// name by name, which takes longer than the look that is saved.
#[derive(Default)]
pub(crate) struct Walker {
    /// The ways of folders.
    folders: RefCell<HashMap<OsString, Way>>,
    steps: RefCell<HashMap<OsString, Step>>,
    changeable: RefCell<HashMap<OsString, bool>>,
}

impl Walker {
    /// Follows an absolute path.
    pub(crate) fn follow(&self, path: &Path) -> Way {
        // What ends with `..`, and the root, has no name.
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return self.walk(Way::root(), names(path));
        };
        self.walk(self.folder(folder), vec![name.to_owned()])
    }

    fn folder(&self, folder: &Path) -> Way {
        if let Some(known) = self.folders.borrow().get(folder.as_os_str()) {
            return known.clone();
        }
        let way = self.follow(folder);
        self.folders.borrow_mut().insert(folder.into(), way.clone());
        way
    }

    /// Goes on with these names, the last one first.
    fn walk(&self, mut way: Way, mut todo: Vec<OsString>) -> Way {
        while let Some(name) = todo.pop() {
            if name == ".." {
                way.real.pop();
                if within(&way.existing, &way.real) {
                    way.existing.clone_from(&way.real);
                }
                continue;
            }
            let is_there = way.is_there();
            way.real.push(&name);
            if !is_there {
                continue;
            }
            match self.step(&way.real) {
                Step::Other => way.existing.clone_from(&way.real),
                Step::Gone => {}
                Step::Link(target) if way.links.len() < MAX_LINKS => {
                    way.links.push(way.real.clone());
                    way.real.pop();
                    if target.is_absolute() {
                        way.real = "/".into();
                    }
                    way.existing.clone_from(&way.real);
                    todo.extend(names(&target));
                }
                // A circle leads nowhere.
                Step::Link(_) => {}
            }
        }
        way
    }

    /// Returns whether this person may make or replace what is in a folder.
    pub(crate) fn may_change(&self, folder: &Path) -> bool {
        if let Some(known) = self.changeable.borrow().get(folder.as_os_str()) {
            return *known;
        }
        let may = may_change(folder);
        self.changeable.borrow_mut().insert(folder.into(), may);
        may
    }

    fn step(&self, path: &Path) -> Step {
        if let Some(known) = self.steps.borrow().get(path.as_os_str()) {
            return known.clone();
        }
        let step = match std::fs::read_link(path) {
            Ok(target) => Step::Link(target),
            // `EINVAL`: something that is no link. What nobody may look at counts as there.
            Err(error) => match error.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Step::Gone,
                _ => Step::Other,
            },
        };
        self.steps.borrow_mut().insert(path.into(), step.clone());
        step
    }
}

/// The names of a path, the last one first.
fn names(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    let mut names: Vec<_> = path.components().filter_map(name).collect();
    names.reverse();
    names
}

/// Returns whether a place is another one, or in it: both absolute, without links, as [`Way::real`] is. Their texts say so;
/// [`Path::starts_with`] compares name by name, which was half of the instructions of a start.
pub(crate) fn within(place: &Path, folder: &Path) -> bool {
    let (place, folder) = (bytes(place), bytes(folder));
    match place.strip_prefix(folder) {
        Some([]) => true,
        Some([first, ..]) => *first == b'/' || folder == b"/",
        None => false,
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Orders places so that those in a folder come right behind it.
fn by_names(one: &Path, other: &Path) -> Ordering {
    let key = |path| bytes(path).iter().map(|byte| if *byte == b'/' { 0 } else { *byte });
    key(one).cmp(key(other))
}

/// The places in order, without those that are in another of them.
pub(crate) fn outermost(mut places: Vec<PathBuf>) -> Vec<PathBuf> {
    places.sort_unstable_by(|one, other| by_names(one, other));
    places.dedup_by(|place, kept| within(place, kept));
    places
}

/// Returns whether the place is one of these, or in one of them.
pub(crate) fn is_in(places: &[PathBuf], place: &Path) -> bool {
    places.iter().any(|above| within(place, above))
}

/// The places that are in both: of each pair the inner one.
pub(crate) fn common(one: &[PathBuf], other: &[PathBuf]) -> Vec<PathBuf> {
    let inner = |in_these: &[PathBuf], of_these: &[PathBuf]| {
        of_these.iter().filter(|place| is_in(in_these, place)).cloned().collect::<Vec<_>>()
    };
    let mut both = inner(one, other);
    both.extend(inner(other, one));
    outermost(both)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places() -> impl Strategy<Value = Vec<PathBuf>> {
        let name = prop::sample::select(vec!["a", "b", "ab", "a-", "a0"]);
        let place = prop::collection::vec(name, 0..4)
            .prop_map(|names| PathBuf::from(format!("/{}", names.join("/"))));
        prop::collection::vec(place, 0..5)
    }

    proptest! {
        #[test]
        fn a_place_is_in_a_folder_as_its_names_say(a in places(), b in places()) {
            for (place, folder) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                prop_assert_eq!(within(place, folder), place.starts_with(folder));
            }
            let kept = outermost(a.clone());
            for place in &a {
                prop_assert_eq!(kept.iter().filter(|folder| place.starts_with(folder)).count(), 1);
            }
        }

        #[test]
        fn a_common_place_is_in_both(a in places(), b in places(), c in places(), place in places()) {
            let both = common(&a, &b);
            prop_assert_eq!(&both, &common(&b, &a));
            prop_assert_eq!(common(&both, &c), common(&a, &common(&b, &c)));
            prop_assert_eq!(common(&a, &a), outermost(a.clone()));
            for place in place {
                prop_assert_eq!(is_in(&both, &place), is_in(&a, &place) && is_in(&b, &place));
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn ways_lead_through_links_and_to_what_is_not_there() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/sub")).unwrap();
        std::fs::write(root.join("real/file"), "").unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("../file", root.join("real/sub/up")).unwrap();
        symlink("round", root.join("round")).unwrap();
        symlink("real/new", root.join("dangling")).unwrap();
        for (path, real, existing, links) in [
            ("real/file", "real/file", "real/file", &[][..]),
            ("link/file", "real/file", "real/file", &["link"][..]),
            ("link/sub/up", "real/file", "real/file", &["link", "real/sub/up"]),
            ("link/no/deeper", "real/no/deeper", "real", &["link"]),
            ("real/file/below", "real/file/below", "real/file", &[]),
            ("dangling", "real/new", "real", &["dangling"]),
            ("link/../real", "real", "real", &["link"]),
            ("no/../real/sub", "real/sub", "real/sub", &[]),
        ] {
            let way = Walker::default().follow(&root.join(path));
            let links: Vec<_> = links.iter().map(|link| root.join(link)).collect();
            let expected = Way { real: root.join(real), existing: root.join(existing), links };
            assert_eq!(way, expected, "{path}");
        }
        assert_eq!(Walker::default().follow(&root.join("round/x")).existing, root);
    }
}
