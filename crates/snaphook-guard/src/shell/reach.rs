//! Programs that put what nobody sees into a folder, or empty one: a folder above what is guarded as their last operand, in an
//! option, or where they stand. Not here: copying file by file (`copy`), what goes into folders to find something (`above`).

use std::path::{Path, PathBuf};

use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Word};

use super::line::Line;
use super::spelling::name_of;
use crate::finding::finding;
use crate::path_pattern::Pattern;
use crate::paths::lexical;
use crate::places::Touch;

/// Programs that show a folder, and may run what a person then chooses.
#[rustfmt::skip]
const SHOWS: &[&str] = &[
    "open", "xdg-open", "explorer", "nautilus", "dolphin", "code", "code-insiders", "codium", "cursor", "windsurf",
    "zed", "subl", "idea", "ncdu", "gdu", "dust", "duf", "broot", "br", "ranger", "nnn", "lf", "yazi", "mc", "z",
    "zoxide", "chdir", "tokei", "cloc", "scc", "onefetch", "watch", "inotifywait", "fswatch", "entr", "hyperfine",
    "locate", "rsync", "git",
];

/// Words in the names of options that say where a program looks for its own things, or below which folder it keeps to
/// folders that it makes.
const PLACES: &[&str] = &[
    "prefix",
    "root",
    "home",
    "config",
    "cwd",
    "chdir",
    "workdir",
    "project",
    "base",
    "user-data",
    "manifest",
];

/// Programs that unpack or fetch what they find, where the shell stands.
#[rustfmt::skip]
const FETCHES: &[&str] = &[
    "jar", "uudecode", "unar", "dtrx", "aunpack", "cabextract", "7zz", "7zr", "rar", "lha", "arj", "unshar",
    "ripmime", "munpack", "sftp", "ftp", "lftp", "gsutil", "rclone", "mc", "aws", "azcopy", "dpkg-deb", "ditto",
    "stow", "gh", "wget", "aria2c", "borg", "restic", "duplicity", "degit", "tiged",
];

/// Commands of git that lay other files where it stands.
const LAYS: &[&str] =
    &["apply", "am", "pull", "checkout", "switch", "merge", "rebase", "reset", "restore", "stash"];

/// Programs that empty the folder which one of these options names.
const EMPTIES: &[(&str, &[&str])] = &[
    ("cargo", &["--target-dir"]),
    ("pytest", &["--basetemp"]),
    ("py.test", &["--basetemp"]),
    ("jest", &["--cacheDirectory"]),
    ("vite", &["--outDir"]),
    ("ng", &["--output-path"]),
    ("tsup", &["-d", "--out-dir"]),
    ("mkdocs", &["-d", "--site-dir"]),
    ("mdbook", &["-d", "--dest-dir"]),
    ("hugo", &["-d", "--destination"]),
    ("zola", &["-o", "--output-dir"]),
    ("jekyll", &["-d", "--destination"]),
    ("docusaurus", &["--out-dir"]),
    ("eleventy", &["--output"]),
    ("go", &[]),
    ("ccache", &["-d", "--dir"]),
    ("sccache", &[]),
    ("yarn", &["--cache-folder"]),
    ("npm", &["--cache"]),
];

/// Words that say that something is emptied.
#[rustfmt::skip]
const CLEANS: &[&str] =
    &["clean", "clear", "purge", "prune", "-modcache", "-cache", "--clearCache", "--clear", "-C", "distclean"];

impl Line<'_> {
    /// Looks at the folders that a program gets which is not known to only read.
    pub(crate) fn reach(&mut self, command: &Command, name: &str) {
        self.empties(command);
        if name == "git" {
            return self.lays(command);
        }
        let other = [Role::Removes, Role::Copies, Role::Creates, Role::ChangesAccess, Role::SetsVariables];
        if SHOWS.contains(&name) || name.is_empty() || other.into_iter().any(|role| is(name, role)) {
            return;
        }
        let mut option = "";
        let last = command.args.iter().rposition(|arg| !arg.prefix().starts_with('-'));
        for (at, arg) in command.args.iter().enumerate() {
            let is_option = arg.prefix().starts_with('-');
            let value = arg.text().split_once('=').filter(|(start, _)| !start.contains('/'));
            match value {
                Some((start, value)) if !says_place(start) => self.below(&self.scope.read(value)),
                None if !is_option && (Some(at) == last || !option.is_empty()) && !says_place(option) => {
                    for pattern in self.scope.patterns(arg) {
                        self.below(&pattern);
                    }
                }
                _ => {}
            }
            option = if is_option && value.is_none() { arg.text() } else { "" };
        }
        if FETCHES.contains(&name) {
            self.stands_above(name);
        }
    }

    /// A folder that gets what nobody sees, if it lies outside of the project: in it programs work all day.
    pub(crate) fn below(&mut self, pattern: &Pattern) {
        if self.is_outside(pattern) {
            self.pattern(pattern, Touch::Below, false);
        }
    }

    fn is_outside(&self, pattern: &Pattern) -> bool {
        let project = self.scope.project;
        let path = Path::new(pattern.text());
        let around_home = self.scope.places.home.as_ref().is_some_and(|home| home.starts_with(project));
        let inside = |path: PathBuf| {
            let (plain, real) = (lexical(&path), self.scope.ways.physical(&path, project));
            !around_home && (plain.starts_with(project) || real.starts_with(project))
        };
        if path.is_absolute() {
            return path.parent().is_some() && (pattern.is_open() || !inside(path.to_owned()));
        }
        !pattern.is_open() && !self.scope.cwds.iter().flatten().any(|cwd| inside(cwd.join(path)))
    }

    /// Asks where a `cd` of the text led above what is guarded.
    fn stands_above(&mut self, name: &str) {
        let (places, ways) = (self.scope.places, self.scope.ways);
        let cwds: Vec<PathBuf> = self.scope.cwds.iter().skip(1).flatten().cloned().collect();
        for cwd in cwds {
            if let Some(guard) = places.look(ways, &cwd, &cwd, Touch::Below, false) {
                self.add(finding(guard, name));
            }
        }
    }

    /// `git -C ~ pull`, `cd ~ && git apply x`, `git clone u ~`.
    fn lays(&mut self, command: &Command) {
        let mut from = 0;
        let mut folder = None;
        for (at, arg) in command.args.iter().enumerate() {
            let next = command.args.get(at + 1);
            match arg.known().or(Some(arg.prefix())) {
                Some("-C" | "--work-tree") => {
                    folder = next.map(|word| self.scope.patterns(word));
                    from = at + 2;
                }
                Some(text) if text.starts_with("--work-tree=") => {
                    folder = arg.text().split_once('=').map(|(_, value)| vec![self.scope.read(value)]);
                }
                _ => {}
            }
        }
        let behind = command.args.get(from..).unwrap_or_default().iter();
        let mut words = behind.skip_while(|arg| arg.prefix().starts_with('-'));
        let asked = words.next().and_then(Word::known).unwrap_or_default();
        if asked == "clone" {
            let last = words.filter(|arg| !arg.prefix().starts_with('-')).nth(1);
            for pattern in last.map(|word| self.scope.patterns(word)).unwrap_or_default() {
                self.below(&pattern);
            }
        }
        if LAYS.contains(&asked) {
            match folder {
                Some(patterns) => patterns.iter().for_each(|pattern| self.below(pattern)),
                None => self.stands_above("git"),
            }
        }
    }

    /// Options and variables that name the folder which a program empties.
    fn empties(&mut self, command: &Command) {
        let name = name_of(command);
        let words: Vec<&str> = command.args.iter().filter_map(Word::known).collect();
        let cleans = words.iter().any(|word| CLEANS.contains(word));
        let is_told = |program: &str| {
            name == program || words.iter().take(6).any(|word| word.rsplit('/').next() == Some(program))
        };
        let told = EMPTIES.iter().filter(|(program, _)| is_told(program));
        let told: Vec<_> = told.filter(|(program, _)| *program != "cargo" || cleans).collect();
        if told.is_empty() {
            return;
        }
        let options: Vec<&str> = told.iter().flat_map(|(_, options)| options.iter().copied()).collect();
        let mut values = Vec::new();
        for (at, arg) in command.args.iter().enumerate() {
            let (start, value) =
                arg.text().split_once('=').map_or((arg.text(), None), |(start, value)| (start, Some(value)));
            if options.contains(&start) {
                values.extend(match value {
                    Some(value) => vec![self.scope.read(value)],
                    None => {
                        command.args.get(at + 1).map(|word| self.scope.patterns(word)).unwrap_or_default()
                    }
                });
            }
        }
        // `PYTEST_ADDOPTS=--basetemp=x`, `CARGO_TARGET_DIR=x`.
        for (name, value) in self.sets {
            let own = self.scope.places.variable(name).is_some() || matches!(name.as_str(), "PATH" | "PWD");
            let parts = value.text().split(|c: char| c.is_whitespace() || c == '=').filter(|_| !own);
            values.extend(parts.map(|part| self.scope.read(part.trim_matches(['"', '\'']))));
        }
        for pattern in values.iter().filter(|pattern| !pattern.text().is_empty()) {
            self.pattern(pattern, Touch::Tree, true);
        }
    }
}

/// Returns whether an option or a variable names where a program works or looks.
fn says_place(name: &str) -> bool {
    let name = name.to_lowercase();
    PLACES.iter().any(|word| name.contains(word))
}
