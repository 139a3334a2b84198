//! Guarded places as they are on this machine's disks, for what guards by paths, as the kernel does: the tables have names in
//! lower case and as patterns, which a gate compares with what a text says. Not here: the tables (`guarded_files`), and what a
//! path in a text leads to (`paths`).

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use snaphook_script::path::fold;

use crate::guarded_files::{AGENT_FOLDERS, PROJECT_HOOKS, REGISTERS, STARTUP};
use crate::names::lists_what_it_opens;
use crate::places::{Places, exists, joined};

/// What places are on this machine's disks.
#[derive(Debug, Clone, Default)]
pub struct OnDisk {
    /// The guarded files and folders, whether they are there or not, with snaphook's program. What is guarded by its name alone,
    /// wherever it stands, is not among them.
    pub guarded: Vec<PathBuf>,
    /// The folders that hold settings of an agent and little else.
    pub dedicated: Vec<PathBuf>,
    /// The folders that are not guarded although they are in one that is.
    pub open: Vec<PathBuf>,
}

impl OnDisk {
    /// Looks up all of these places, each path once.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Places>) -> Self {
        let mut listings = Listings::default();
        let (mut found, mut bases) = (OnDisk::default(), Vec::new());
        for places in all {
            found.guarded.extend(places.guarded.iter().map(|guarded| guarded.path.clone()));
            found.guarded.extend(places.programs.iter().map(|(path, _)| path.clone()));
            found.open.extend_from_slice(&places.open);
            for base in &places.bases {
                let at_home = places.home.as_ref() == Some(base);
                if !bases.contains(&(base, at_home)) {
                    bases.push((base, at_home));
                    found.base(&mut listings, base, at_home);
                }
            }
        }
        let mut known = HashSet::new();
        found.guarded.retain(|path| known.insert(path.as_os_str().to_owned()));
        found
    }

    fn base(&mut self, listings: &mut Listings, base: &Path, at_home: bool) {
        let startup = STARTUP.iter().filter(|_| at_home);
        for parts in REGISTERS.iter().map(|(parts, _)| parts).chain(startup) {
            self.guarded.extend(listings.spelled(base, parts));
        }
        let hooks = PROJECT_HOOKS.iter().flat_map(|parts| listings.spelled(base, parts));
        self.guarded.extend(hooks.filter(|path| exists(path)));
        self.dedicated.extend(AGENT_FOLDERS.iter().flat_map(|name| listings.spelled(base, &[name])));
    }
}

/// The folders that were listed, by the texts of their paths.
#[derive(Debug, Default)]
struct Listings(HashMap<OsString, Listing>);

/// What is known of a folder.
#[derive(Debug)]
enum Listing {
    /// It is not there.
    Gone,
    /// The names in it, by how they are compared. It may open more than it lists unless it is whole.
    Names { names: HashMap<String, Vec<OsString>>, is_whole: bool },
}

impl Listings {
    /// Returns the paths that a row of a table stands for below a base. Where there is none, the path in the row's spelling.
    fn spelled(&mut self, base: &Path, parts: &[&str]) -> Vec<PathBuf> {
        let Some((part, rest)) = parts.split_first() else { return vec![base.to_owned()] };
        if !self.0.contains_key(base.as_os_str()) {
            self.0.insert(base.into(), Listing::of(base));
        }
        let mut found = match self.0.get(base.as_os_str()) {
            Some(Listing::Names { names, is_whole }) => {
                let found = matching(names, part);
                // Nothing of it is there, so nothing of it has another spelling.
                if found.is_empty() && *is_whole {
                    return vec![joined(base, parts)];
                }
                found
            }
            Some(Listing::Gone) | None => return vec![joined(base, parts)],
        };
        if found.is_empty() {
            found.push((*part).into());
        }
        found.into_iter().flat_map(|name| self.spelled(&base.join(name), rest)).collect()
    }
}

impl Listing {
    /// Lists a folder. Where it cannot be listed, nothing in it can be changed by a name that is not known.
    fn of(folder: &Path) -> Self {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Listing::Gone;
            }
            Err(_) => return Listing::Names { names: HashMap::new(), is_whole: false },
        };
        let mut names: HashMap<String, Vec<OsString>> = HashMap::new();
        let mut is_whole = lists_what_it_opens(folder);
        for entry in entries {
            let Ok(entry) = entry else {
                is_whole = false;
                break;
            };
            let name = entry.file_name();
            let text = name.to_string_lossy();
            // Where case is not told apart, letters may stand for others in more ways than we know.
            is_whole &= text.is_ascii();
            names.entry(fold(&text)).or_default().push(name);
        }
        Listing::Names { names, is_whole }
    }
}

fn matching(names: &HashMap<String, Vec<OsString>>, part: &str) -> Vec<OsString> {
    match part.strip_prefix('*') {
        None => names.get(part).cloned().unwrap_or_default(),
        Some(end) => {
            let found = names.iter().filter(|(folded, _)| folded.ends_with(end));
            found.flat_map(|(_, names)| names).cloned().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for file in [
            ".gemini/trustedFolders.json",
            ".codex/a.config.toml",
            ".codex/B.Config.toml",
            "x.Code-Workspace",
        ] {
            std::fs::create_dir_all(base.join(file).parent().unwrap()).unwrap();
            std::fs::write(base.join(file), "").unwrap();
        }
        let mut listings = Listings::default();
        for (parts, expected) in [
            (&[".gemini", "trustedfolders.json"][..], &[".gemini/trustedFolders.json"][..]),
            (&[".codex", "*.config.toml"], &[".codex/B.Config.toml", ".codex/a.config.toml"]),
            (&["*.code-workspace"], &["x.Code-Workspace"]),
            (&[".claude", "settings.json"], &[".claude/settings.json"]),
            (&[".gemini", "policies"], &[".gemini/policies"]),
        ] {
            let mut found = listings.spelled(base, parts);
            found.sort();
            assert_eq!(found, expected.iter().map(|path| base.join(path)).collect::<Vec<_>>());
        }
    }
}
