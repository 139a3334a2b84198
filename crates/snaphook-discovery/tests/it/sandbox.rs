//! A home, a project and a managed folder in a temporary place, and a report that reads like what people see.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use snaphook_discovery::trust::{Owners, TrustStore};
use snaphook_discovery::{Directories, Discovery, Environment, Trust, discover_with};
use tempfile::TempDir;

pub(crate) struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox { dir: TempDir::new().unwrap() };
        for folder in ["managed", "home/.config/snaphook/hooks", "home/code/.snaphook/hooks"] {
            fs::create_dir_all(sandbox.path(folder)).unwrap();
            own(&sandbox.path(folder), &sandbox.path(""));
        }
        sandbox
    }

    /// An absolute path in the sandbox, links resolved (macOS keeps its temporary files behind one).
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join(relative)
    }

    /// Writes a file, its folders first.
    pub(crate) fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        own(&path, &self.path(""));
        path
    }

    /// Writes a file into the user's hooks folder.
    pub(crate) fn user(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.file(&format!("home/.config/snaphook/hooks/{name}"), content)
    }

    /// Writes a file into the project's hooks folder.
    pub(crate) fn project(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.file(&format!("home/code/.snaphook/hooks/{name}"), content)
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, relative: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(relative)).unwrap();
    }

    pub(crate) fn environment(&self) -> Environment {
        let mut environment = Environment::new(self.path("home/code"));
        environment.home = Some(self.path("home"));
        environment.managed_dir = Some(self.path("managed"));
        environment
    }

    pub(crate) fn discover(&self) -> Discovery {
        self.discover_with(&[])
    }

    /// Returns what is found once every hook of the project is trusted.
    pub(crate) fn discover_with(&self, adhoc: &[&str]) -> Discovery {
        let found = self.discover_as_it_is(adhoc);
        let hooks = found.project.iter().map(|hook| (&hook.key, &hook.candidate.raw));
        self.store().trust(hooks).unwrap();
        self.discover_as_it_is(adhoc)
    }

    /// Returns what is found with the decisions that there are.
    pub(crate) fn discover_as_it_is(&self, adhoc: &[&str]) -> Discovery {
        let adhoc = adhoc.iter().map(PathBuf::from).collect::<Vec<_>>();
        discover_with(&self.directories(), &adhoc, &self.trust())
    }

    pub(crate) fn directories(&self) -> Directories {
        Directories::locate(&self.environment())
    }

    pub(crate) fn store(&self) -> TrustStore {
        TrustStore::locate(&self.directories(), self.trust().owners).unwrap()
    }

    /// The managed hooks of the sandbox belong to the user who runs the tests.
    pub(crate) fn trust(&self) -> Trust {
        let owners = Owners::default();
        Trust { owners: Owners { admin: owners.user, ..owners }, ..Trust::default() }
    }

    /// Hooks and problems, one a line.
    pub(crate) fn report(&self, discovery: &Discovery) -> String {
        let mut report = String::new();
        for candidate in &discovery.hooks {
            let hook = &candidate.hook;
            writeln!(report, "hook {} ({}) {}", hook.id, hook.scope, hook.file.display()).unwrap();
        }
        for problem in &discovery.problems {
            writeln!(report, "{:?} {problem}", problem.severity).unwrap();
        }
        report.replace(self.path("").to_str().unwrap(), "[root]/")
    }

    pub(crate) fn report_all_as_it_is(&self) -> String {
        self.report(&self.discover_as_it_is(&[]))
    }

    pub(crate) fn report_all(&self) -> String {
        self.report(&self.discover())
    }
}

/// As with a umask that lets no other user write, whatever the tests are run with: hooks that others can write do not count.
fn own(path: &Path, root: &Path) {
    #[cfg(unix)]
    for path in path.ancestors().take_while(|path| path.starts_with(root)) {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).unwrap().permissions().mode();
        fs::set_permissions(path, PermissionsExt::from_mode(mode & !0o022)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = (path, root);
}

/// The ids in order.
pub(crate) fn ids(discovery: &Discovery) -> Vec<&str> {
    discovery.hooks.iter().map(|candidate| candidate.hook.id.as_str()).collect()
}
