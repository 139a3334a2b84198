//! The paths that are granted, by text. Not here: their targets (`system`).
//!
//! The last entry that matches decides. What grants compares letter by letter. What takes back (`!`) also sees through
//! case and through the ways in which Unicode writes a letter, because some file systems do not tell them apart, and
//! `SECRETS/key` must not be a way around `!secrets/`.

use std::path::{Component, Path, PathBuf};

use snaphook_core::{PathBase, PathGrant};
use snaphook_script::glob::Globs;
use unicode_normalization::UnicodeNormalization;

use crate::grants::Base;

/// A name that no one gives a file: a folder of which even this is granted is granted with all in it.
const ANY: &str = "\u{1}\u{2}";

/// The entries of `read` or `write`.
#[derive(Default)]
pub(super) struct Paths(Vec<Entry>);

struct Entry {
    /// As the hook's author wrote it.
    text: String,
    takes_back: bool,
    /// The bases that the pattern is relative to: as given, and resolved. None: it is about every path.
    bases: Vec<PathBuf>,
    glob: Globs,
    /// The same without case, of an entry that takes back.
    folded: Option<Globs>,
}

impl Paths {
    /// Reads the entries. An invalid entry was a problem when the hook was found, so it grants nothing here; one that
    /// takes back and cannot be read, or is below an unknown home, takes back everything.
    pub(super) fn new(entries: &[String], base: &Base) -> Self {
        Paths(entries.iter().filter_map(|entry| Entry::new(entry, base)).collect())
    }

    /// The entry that grants a path. The path is absolute and has no `.` and `..`.
    pub(super) fn cover(&self, path: &Path) -> Option<&str> {
        let last = self.0.iter().rev().find(|entry| entry.matches(path));
        last.filter(|entry| !entry.takes_back).map(|entry| entry.text.as_str())
    }

    /// The same for a folder; it is granted as well where all in it is.
    pub(super) fn cover_folder(&self, path: &Path) -> Option<&str> {
        self.cover(path).or_else(|| self.cover(&path.join(ANY)))
    }
}

impl Entry {
    fn new(text: &str, base: &Base) -> Option<Self> {
        let takes_back = text.trim_start().starts_with('!');
        let read = |text: &str| {
            let grant = PathGrant::parse(text).ok()?;
            let glob = Globs::new([grant.pattern.as_str()]).ok()?;
            Some((grant, glob))
        };
        let place = |grant: &PathGrant| match grant.base {
            PathBase::Project => Some(base.project_root.clone()).filter(|root| root.is_absolute()),
            PathBase::Home => base.home.clone().filter(|home| home.is_absolute()),
            PathBase::Root => Some(PathBuf::from("/")),
        };
        let known = read(text).and_then(|(grant, glob)| Some((place(&grant)?, grant, glob)));
        let (folder, grant, glob) = match known {
            Some(known) => known,
            None if takes_back => {
                let (text, glob) = (text.to_owned(), Globs::new(["**"]).ok()?);
                return Some(Entry { text, takes_back, bases: Vec::new(), glob, folded: None });
            }
            None => return None,
        };
        let folded = || Globs::new([each_name(&grant.pattern, fold).as_str()]).ok();
        let mut entry = Entry {
            text: text.to_owned(),
            takes_back,
            folded: takes_back.then(folded).flatten(),
            glob,
            bases: vec![folder],
        };
        if grant.base == PathBase::Root {
            entry.follow_first(&grant.pattern);
        } else if let Some(real) = entry.bases.first().and_then(|folder| super::system::real(folder)) {
            entry.bases.push(real);
        }
        entry.bases.dedup();
        Some(entry)
    }

    /// Systems have links in the root folder (`/tmp`, `/var` on macOS; `/bin`), which only root can change: an entry
    /// below one is meant where it leads, too.
    fn follow_first(&mut self, pattern: &str) {
        let (first, rest) = pattern.trim_start_matches('/').split_once('/').unwrap_or((pattern, ""));
        let (first, rest) = (first.trim_start_matches('/'), if rest.is_empty() { "**" } else { rest });
        if first.is_empty() || first.contains(['*', '?', '[', '{', '\\']) {
            return;
        }
        let link = Path::new("/").join(first);
        let Some(real) = super::system::real(&link).filter(|real| *real != link) else { return };
        // Below the link's end the rest of the pattern has to match, not the whole.
        let rest = format!("/{rest}");
        if let Ok(glob) = Globs::new([rest.as_str()]) {
            let folded = || Globs::new([each_name(&rest, fold).as_str()]).ok();
            self.folded = self.takes_back.then(folded).flatten();
            self.bases = vec![link, real];
            self.glob = glob;
        }
    }

    fn matches(&self, path: &Path) -> bool {
        if self.bases.is_empty() {
            return true;
        }
        let plain = self.bases.iter().filter_map(|base| path.strip_prefix(base).ok());
        if plain.map(as_text).any(|inside| self.glob.is_match(&inside)) {
            return true;
        }
        let Some(folded) = &self.folded else { return false };
        let path = as_text(path);
        let path = each_name(&path, fold);
        let bases = self.bases.iter().map(|base| each_name(&as_text(base), fold));
        bases
            .filter_map(|base| {
                path.strip_prefix(base.trim_end_matches('/'))?.strip_prefix('/').map(str::to_owned)
            })
            .any(|inside| folded.is_match(&inside))
    }
}

/// A path with slashes between its names, whatever the system writes.
pub(super) fn as_text(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        match part {
            Component::RootDir => text.push('/'),
            part => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                text.push_str(&part.as_os_str().to_string_lossy());
            }
        }
    }
    text
}

fn each_name(path: &str, change: fn(&str) -> String) -> String {
    path.split('/').map(change).collect::<Vec<_>>().join("/")
}

/// A name as the least careful file system compares it: without case, composed, without marks that have no width, without
/// dots and spaces at its end.
pub(super) fn fold(name: &str) -> String {
    // To upper case first: `ß` is `SS`, `ſ` is `S`.
    let upper: String = name.nfd().flat_map(char::to_uppercase).collect();
    snaphook_script::path::fold(&upper.nfc().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(entries: &[&str]) -> Paths {
        let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        Paths::new(
            &entries,
            &Base { project_root: "/p".into(), home: Some("/h/me".into()), ..Base::default() },
        )
    }

    #[test]
    fn entries_cover_what_they_say() {
        for (entries, path, expected) in [
            (&["docs/**"][..], "/p/docs/a/b.md", true),
            (&["docs/**"], "/p/docs", false),
            (&["docs"], "/p/docs", true),
            (&["docs"], "/p/docs/a", true),
            (&["docs"], "/p/x/docs/a", true),
            (&["./docs"], "/p/x/docs/a", false),
            (&["./docs"], "/p/docs/a", true),
            (&["docs/"], "/p/docs/a/b", true),
            (&["*.md"], "/p/a/b.md", true),
            (&["./*.md"], "/p/a/b.md", false),
            (&["./*.md"], "/p/b.md", true),
            (&["*.md"], "/q/b.md", false),
            (&["**"], "/p/.hidden/.file", true),
            (&["**"], "/p", false),
            (&["**"], "/q", false),
            (&["**"], "/pp/x", false),
            (&["~/x"], "/h/me/x/y", true),
            (&["~/x"], "/h/me/y/x", false),
            (&["~"], "/h/me/x", true),
            (&["~"], "/h/you/x", false),
            (&["/srv/*.txt"], "/srv/a.txt", true),
            (&["/srv/*.txt"], "/srv/a/b.txt", false),
            (&["/**"], "/p/x", true),
            (&["**", "!secrets/"], "/p/secrets/a", false),
            (&["**", "!secrets/"], "/p/SECRETS/a", false),
            (&["**", "!secrets/"], "/p/ſecretſ/a", false),
            (&["**", "!straße/"], "/p/STRASSE/a", false),
            (&["**", "!ä/"], "/p/a\u{308}/x", false),
            (&["**", "!a\u{308}/"], "/p/ä/x", false),
            (&["**", "!.env"], "/p/a/.E\u{200d}NV", false),
            (&["/**", "!~/.ssh/"], "/H/Me/.SSH/id", false),
            (&["/**", "!~/.ssh/"], "/h/me/.sshx", true),
            (&["!x", "**"], "/p/x", true),
            (&["**", "!x", "x/ok"], "/p/x/ok", true),
            (&["DOCS/**"], "/p/docs/a", false),
            (&["**", "![", "*.md"], "/p/a.txt", false),
            (&[], "/p/a", false),
            (&["!a"], "/p/b", false),
            (&["docs/*"], "/p/docs/a/b", true),
            (&["/**", "!~root/x"], "/p/b", false),
        ] {
            assert_eq!(paths(entries).cover(Path::new(path)).is_some(), expected, "{entries:?} on {path}");
        }
        // An unknown home takes everything back, and gives nothing.
        let homeless = Base { project_root: "/p".into(), ..Base::default() };
        for (entry, expected) in [("!~/.ssh", false), ("~/x", true)] {
            let all = Paths::new(&["**".to_owned(), entry.to_owned()], &homeless);
            assert_eq!(all.cover(Path::new("/p/x")).is_some(), expected, "{entry}");
        }
        for (entries, path, expected) in [
            (&["docs/**"][..], "/p/docs", true),
            (&["docs/*.md"], "/p/docs", false),
            (&["**"], "/p", true),
            (&["*.md"], "/p", false),
            (&["docs/**"], "/p", false),
        ] {
            assert_eq!(
                paths(entries).cover_folder(Path::new(path)).is_some(),
                expected,
                "{entries:?} on {path}"
            );
        }
    }
}
