//! Guarded names as they are spelled on this machine: the tables have them in lower case and as patterns, which a gate
//! compares with what a text says, and a kernel needs the files themselves. Not here: the tables (`guarded_files`), and
//! what a path in a text leads to (`paths`).

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use snaphook_script::path::fold;

/// The folders that were listed: each name as it is, and folded.
#[derive(Debug, Default)]
pub(crate) struct Listings(HashMap<PathBuf, Vec<(String, OsString)>>);

impl Listings {
    /// Returns the paths that a row of a table stands for below a base. Where there is none, the path in the row's spelling.
    pub(crate) fn spelled(&mut self, base: &Path, parts: &[&str]) -> Vec<PathBuf> {
        let Some((part, rest)) = parts.split_first() else { return vec![base.to_owned()] };
        let mut names = self.matching(base, part);
        if names.is_empty() {
            names.push((*part).into());
        }
        names.into_iter().flat_map(|name| self.spelled(&base.join(name), rest)).collect()
    }

    fn matching(&mut self, folder: &Path, part: &str) -> Vec<OsString> {
        if !self.0.contains_key(folder) {
            self.0.insert(folder.to_owned(), list(folder));
        }
        let is_meant = |folded: &str| match part.strip_prefix('*') {
            Some(end) => folded.ends_with(end),
            None => folded == part,
        };
        let known = self.0.get(folder).into_iter().flatten();
        known.filter(|(folded, _)| is_meant(folded)).map(|(_, name)| name.clone()).collect()
    }
}

/// The names in a folder; none where it cannot be listed, and then nothing in it can be changed by its name either way.
fn list(folder: &Path) -> Vec<(String, OsString)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| (fold(&entry.file_name().to_string_lossy()), entry.file_name())).collect()
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
