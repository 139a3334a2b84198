//! Finding tests: files by their names, hooks with examples. Not here: running them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use snaphook::{Candidate, HookRef, Language, Problem, Severity};
use snaphook_discovery::{Directories, discover, display_path, is_init, is_test, language_of, natural_cmp};
use snaphook_state::plain_fs;

use crate::hooks::{directories, normal};
use crate::results::SuiteKind;
use crate::suite::TestFile;

/// The depth to which folders are searched.
const MAX_DEPTH: usize = 12;
/// The number of files and folders that are looked at below one folder.
const MAX_ENTRIES: usize = 50_000;

/// The tests that are to be run.
#[derive(Debug, Clone, Default)]
pub struct FoundTests {
    pub(crate) units: Vec<Unit>,
    /// The folder that holds all that tests may load; tests outside of it have their own folder.
    pub(crate) root: PathBuf,
    /// The working directory, which shown paths are relative to.
    pub(crate) cwd: PathBuf,
    /// Paths that lead nowhere, and hooks whose examples cannot be read.
    pub problems: Vec<Problem>,
    /// The places that were looked at.
    pub looked: Vec<PathBuf>,
    /// The same with every folder below.
    folders: BTreeSet<PathBuf>,
}

/// A file of tests, or a hook with examples.
#[derive(Debug, Clone)]
pub(crate) enum Unit {
    File(TestFile),
    Examples(Box<Candidate>),
}

impl Unit {
    pub(crate) fn display_path(&self) -> &Path {
        match self {
            Unit::File(file) => &file.shown,
            Unit::Examples(hook) => &hook.hook.file,
        }
    }

    pub(crate) fn kind(&self) -> SuiteKind {
        match self {
            Unit::File(_) => SuiteKind::File,
            Unit::Examples(_) => SuiteKind::Examples,
        }
    }

    pub(crate) fn language(&self) -> Language {
        match self {
            Unit::File(file) => file.language(),
            Unit::Examples(hook) => hook.language,
        }
    }
}

impl FoundTests {
    /// Returns how many files of tests and hooks with examples there are.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The folders that were looked into, without those below them: what to watch for changes.
    pub fn folders(&self) -> &BTreeSet<PathBuf> {
        &self.folders
    }
}

/// Finds tests. Each path is a folder (searched with its subfolders), a hook (its test and its examples), or a test file.
///
/// Without paths: the project's hooks folder and the working directory, each with its subfolders but for hidden ones and
/// what git ignores; if there is no test in either, the user's hooks folder. Paths are relative to the working directory.
pub fn find(places: &Directories, paths: &[PathBuf]) -> FoundTests {
    let mut search = Search { cwd: &places.cwd, found: FoundTests::default(), seen: BTreeSet::new() };
    search.found.root = places.project_root.canonicalize().unwrap_or_else(|_| places.project_root.clone());
    search.found.cwd.clone_from(&places.cwd);
    if paths.is_empty() {
        if places.project_hooks.is_dir() {
            search.folder(&relative(&places.project_hooks, &places.cwd));
        }
        search.folder(Path::new(""));
        if let Some(user) =
            places.user_hooks.as_deref().filter(|user| search.found.is_empty() && user.is_dir())
        {
            search.folder(user);
        }
    }
    for path in paths {
        search.path(path);
    }
    search.found
}

/// A path as seen from a folder that it, or an ancestor of it, lies above.
fn relative(path: &Path, from: &Path) -> PathBuf {
    let mut up = PathBuf::new();
    for ancestor in from.ancestors() {
        if let Ok(inside) = path.strip_prefix(ancestor) {
            return up.join(inside);
        }
        up.push("..");
    }
    path.to_owned()
}

struct Search<'a> {
    cwd: &'a Path,
    found: FoundTests,
    /// The paths that were found already, resolved.
    seen: BTreeSet<PathBuf>,
}

impl Search<'_> {
    fn fault(&mut self, shown: &Path, message: &str, help: &str) {
        self.found.problems.push(Problem::error(display_path(shown), message).with_help(help));
    }

    /// Something that the user named.
    fn path(&mut self, named: &Path) {
        let named = &normal(named);
        let whole = self.cwd.join(named);
        let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match std::fs::metadata(&whole) {
            Err(_) => self.fault(named, "does not exist", "check the path"),
            Ok(metadata) if metadata.is_dir() => {
                self.folder(named);
                // The test of a folder hook may be beside the folder as well.
                self.side_effects(named, &name);
            }
            Ok(_) if is_test(&name) => {
                self.found.folders.insert(whole.parent().unwrap_or(self.cwd).to_owned());
                self.test(named);
            }
            Ok(_) if language_of(&name).is_some() => self.hook(named),
            Ok(_) => {
                self.fault(named, "is neither a hook nor a test", "a test ends in .test.lua or .test.rhai")
            }
        }
    }

    /// A hook: the tests beside it, in whatever language, and its examples.
    fn hook(&mut self, named: &Path) {
        let folder = self.cwd.join(named).parent().unwrap_or(self.cwd).to_owned();
        self.found.folders.insert(folder.clone());
        self.found.looked.push(folder);
        let before = self.found.units.len();
        let stem = named.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.side_effects(named, &stem);
        let problems = self.found.problems.len();
        self.examples(named, true);
        if before == self.found.units.len() && problems == self.found.problems.len() {
            let help = format!("write {stem}.test.lua beside it, or `examples` in its front matter");
            self.fault(named, "has no test", &help);
        }
    }

    /// The tests of this name in the folder where the named one is.
    fn side_effects(&mut self, named: &Path, stem: &str) {
        for extension in ["lua", "luau", "rhai"].into_iter().filter(|_| !stem.is_empty()) {
            let test = named.with_file_name(format!("{stem}.test.{extension}"));
            if self.cwd.join(&test).is_file() {
                self.test(&test);
            }
        }
    }

    fn folder(&mut self, named: &Path) {
        let whole = self.cwd.join(named);
        self.found.looked.push(whole.clone());
        let mut files = Vec::new();
        if let Some(odd) = whole.ancestors().find_map(plain_fs::odd_ignore_file) {
            let problem =
                Problem::error(display_path(&odd), "is not a regular file, so no tests are looked for");
            self.found.problems.push(problem.with_help("remove it"));
            return;
        }
        let mut walk = WalkBuilder::new(&whole);
        walk.max_depth(Some(MAX_DEPTH)).require_git(false);
        walk.filter_entry(|entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_folder || plain_fs::odd_ignore_file(entry.path()).is_none()
        });
        let walk = walk.build();
        for (at, entry) in walk.flatten().enumerate() {
            if at == MAX_ENTRIES {
                let text = format!(
                    "holds more than {MAX_ENTRIES} files and folders, and only so many were looked at"
                );
                let problem = Problem::warning(display_path(named), text);
                self.found.problems.push(problem.with_help("name the folders with tests"));
                break;
            }
            let path = entry.into_path();
            if path.is_dir() {
                self.found.folders.insert(path);
                continue;
            }
            let script = path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| language_of(name).is_some());
            if script && path.is_file() {
                files.push(named.join(path.strip_prefix(&whole).unwrap_or(&path)));
            }
        }
        files.sort_by(|a, b| natural_cmp(&a.to_string_lossy(), &b.to_string_lossy()));
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_test(&name) {
                self.test(&file);
            } else {
                self.examples(&file, false);
            }
        }
    }

    fn test(&mut self, named: &Path) {
        let whole = self.cwd.join(named);
        match whole.canonicalize() {
            Ok(path) if self.seen.insert(path.clone()) => {
                // A link keeps its own place: what it loads is beside it.
                let path =
                    match (whole.parent().and_then(|folder| folder.canonicalize().ok()), whole.file_name()) {
                        (Some(folder), Some(name)) => folder.join(name),
                        _ => path,
                    };
                self.found.units.push(Unit::File(TestFile { path, shown: display_path(named) }));
            }
            Ok(_) => {}
            Err(error) => {
                self.fault(named, &format!("cannot be read: {}", error.kind()), "fix it or remove it")
            }
        }
    }

    /// The examples of a hook. Of files that were not named, only those that mention examples are read as hooks.
    fn examples(&mut self, named: &Path, asked_for: bool) {
        let whole = self.cwd.join(named);
        if !asked_for && !mentions_examples(&whole) {
            return;
        }
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        let hook = match named.parent().filter(|_| is_init(&name)) {
            Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
            Some(folder) => folder.to_owned(),
            None => named.to_owned(),
        };
        let discovery = discover(&directories(self.cwd), &[hook]);
        for mut candidate in discovery.hooks {
            let hook = &candidate.hook;
            let file = normal(&hook.file);
            candidate.hook = HookRef::new(hook.id.clone(), hook.name.clone(), hook.scope, file);
            if !candidate.front_matter.examples.is_empty() && self.seen.insert(candidate.path.clone()) {
                self.found.units.push(Unit::Examples(Box::new(candidate)));
            }
        }
        let errors = discovery.problems.into_iter().filter(|problem| problem.severity == Severity::Error);
        self.found.problems.extend(errors);
    }
}

/// Returns whether the beginning of a file has the word.
fn mentions_examples(path: &Path) -> bool {
    use std::io::Read;
    const MAX_LOOKED_AT_BYTES: u64 = 64 << 10;
    let mut text = Vec::new();
    let read = plain_fs::open(path).and_then(|file| file.take(MAX_LOOKED_AT_BYTES).read_to_end(&mut text));
    read.is_ok() && String::from_utf8_lossy(&text).contains("examples:")
}
