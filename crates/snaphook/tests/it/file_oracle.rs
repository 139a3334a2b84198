//! Random trees with links, random grants, random paths: what `snaphook.fs` reads and writes equals what a naive reading of
//! the rule gives, which follows links with the system's own `canonicalize`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::select;
use snaphook::*;

use crate::files::Bed;

const NAMES: &[&str] = &["a", "b", "c.md", "d"];
const FOLDERS: &[&str] =
    &["project", "project/a", "project/b", "project/a/b", "project/a/d", "outside", "outside/a"];
const GRANTS: &[&str] = &[
    "a/**",
    "a",
    "./a",
    "b/",
    "*.md",
    "./*.md",
    "**",
    "a/*",
    "!a/b",
    "!*.md",
    "!./b/**",
    "a/{b,d}/**",
    "ROOT/outside/**",
    "ROOT/outside/a/c.md",
    "~/**",
    "/**",
    "!ROOT/outside/a/",
];

const TARGETS: &[&str] = &[
    "..",
    "../..",
    "a",
    "b",
    "d",
    "c.md",
    "../a",
    "../b/c.md",
    "../outside",
    "../../outside",
    "../outside/c.md",
    "../../outside/a",
    "../project/a",
    "../../project",
    "ROOT/outside",
    "ROOT/project/a/c.md",
    "ROOT",
];

/// A link or a file, in one of the folders.
#[derive(Debug, Clone)]
enum Thing {
    File(&'static str, &'static str),
    Link(&'static str, &'static str, &'static str),
}

fn thing() -> impl Strategy<Value = Thing> {
    let place = || (select(FOLDERS), select(NAMES));
    let target = select(TARGETS);
    prop_oneof![
        place().prop_map(|(folder, name)| Thing::File(folder, name)),
        (place(), target).prop_map(|((folder, name), target)| Thing::Link(folder, name, target)),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let part = select(&["a", "b", "c.md", "d", "..", ".", "outside", "project"][..]);
    let start = select(&["", "", "", "../", "ROOT/", "ROOT/project/", "~/../"][..]);
    let end = select(&["/c.md", "/c.md", "/a", ""][..]);
    (start, prop::collection::vec(part, 1..4), end)
        .prop_map(|(start, parts, end)| format!("{start}{}{end}", parts.join("/")))
}

fn build(root: &Path, things: &[Thing]) {
    for folder in FOLDERS {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let of_all = FOLDERS.iter().map(|folder| Thing::File(folder, "c.md"));
    // Files whose path is taken already are left out.
    for thing in things.iter().cloned().chain(of_all) {
        match thing {
            Thing::File(folder, name) => {
                let file = root.join(folder).join(name);
                if fs::symlink_metadata(&file).is_err() {
                    fs::write(&file, format!("{folder}/{name}")).unwrap();
                }
            }
            Thing::Link(folder, name, target) => {
                let target = target.replace("ROOT", root.to_str().unwrap());
                let _taken = symlink(target, root.join(folder).join(name));
            }
        }
    }
}

/// Returns whether the entries grant an absolute path without links and dots: the last that matches decides.
fn is_granted(root: &Path, entries: &[&str], path: &Path) -> bool {
    let mut granted = false;
    for entry in entries {
        let (not, entry) = entry.strip_prefix('!').map_or((false, *entry), |entry| (true, entry));
        let entry = entry.replace("ROOT", root.to_str().unwrap());
        let (base, pattern) = match (entry.strip_prefix("~/"), entry.starts_with('/')) {
            (Some(rest), _) => (root.join("home"), format!("/{rest}")),
            (None, true) => (PathBuf::from("/"), entry.clone()),
            (None, false) => (root.join("project"), entry.strip_prefix('.').unwrap_or(&entry).to_owned()),
        };
        let Ok(inside) = path.strip_prefix(base) else { continue };
        let mut ignore = ignore::gitignore::GitignoreBuilder::new("/");
        ignore.add_line(None, &pattern).unwrap();
        let ignore = ignore.build().unwrap();
        // The path, or a folder that it is in.
        let whole = inside.ancestors().filter(|path| !path.as_os_str().is_empty());
        if whole
            .into_iter()
            .any(|path| ignore.matched(path, true).is_ignore() || ignore.matched(path, false).is_ignore())
        {
            granted = !not;
        }
    }
    granted
}

/// The path as text has it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_what_the_rule_says(
        things in prop::collection::vec(thing(), 4..20),
        grants in prop::collection::vec(select(GRANTS), 1..4),
        paths in prop::collection::vec(path(), 1..24),
    ) {
        let bed = Bed::with(&grants.join(" "), &grants.join(" "), |root| build(root, &things));
        for path in paths {
            let text = path.replace("ROOT", bed.root.to_str().unwrap());
            let absolute = match text.strip_prefix("~/") {
                Some(rest) => bed.root.join("home").join(rest),
                None => bed.root.join("project").join(&text),
            };
            let real = fs::canonicalize(&absolute).ok();
            let expected = real.as_ref().filter(|real| {
                is_granted(&bed.root, &grants, &plain(&absolute)) && is_granted(&bed.root, &grants, real)
            });
            let expected = expected.and_then(|real| fs::read_to_string(real).ok());
            let found = match bed.ask(&path, FileOperation::Read) {
                Ok(FileReply::Text(text)) => Some(text),
                _ => None,
            };
            prop_assert_eq!(&found, &expected, "read {}", path);
            // Where it may be read it may be written here, and nothing else is changed.
            let state = real.as_ref().is_some_and(|real| real.starts_with(bed.root.join("state")));
            let written = bed.ask(&path, FileOperation::Append("!".into())).is_ok();
            if let (Some(before), Some(real)) = (&expected, &real) {
                prop_assert!(written && !state, "append {}", path);
                prop_assert_eq!(fs::read_to_string(real).unwrap(), format!("{before}!"), "append {}", path);
            } else if let Some(real) = &real {
                prop_assert!(!written || !real.is_file(), "append {}", path);
            }
        }
    }
}
