//! The folders in which granted programs are looked for: the host's `PATH` without what a project could slip in, and paths that a grant
//! names. Not here: which program a script may run (`exec`).

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use snaphook_command::process::is_executable;

/// The number of links that are followed on the way of one path, as the system does.
const MAX_LINKS: u32 = 40;

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundProgram {
    /// The path it was found by. It runs by this one: programs with many names look at theirs.
    pub(super) path: PathBuf,
    /// The file that this path leads to.
    pub(super) file: PathBuf,
}

/// The reason why there is no program that a grant names.
#[derive(Debug, thiserror::Error)]
pub(super) enum LookupError {
    /// The path begins with `~`.
    #[error("there is no home folder for `~`")]
    NoHome,
    /// The path is relative.
    #[error("there is no project that it could be in")]
    NoProject,
    /// The path leads to nothing.
    #[error("{}: {source}", .path.display())]
    Unreachable {
        /// The path, absolute.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// There is something that cannot run.
    #[error("{} is not an executable file", .0.display())]
    NotExecutable(PathBuf),
    /// A relative path leads elsewhere.
    #[error("{} leads out of the project, to {}", .path.display(), .file.display())]
    OutsideProject {
        /// The path, absolute.
        path: PathBuf,
        /// The file that it leads to.
        file: PathBuf,
    },
    /// A path from outside is one that the project decides about.
    #[error("{} leads into the project", .0.display())]
    InsideProject(PathBuf),
    /// No folder has a program of this name.
    #[error("{}{}", looked_in(.folders), but_not_in(.passed_over))]
    NotInPath {
        /// The folders that were looked in.
        folders: Vec<PathBuf>,
        /// The folders of `PATH` that do not count.
        passed_over: Vec<PathBuf>,
    },
}

fn looked_in(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        "there is no PATH to look for it in".to_owned()
    } else {
        format!("it was looked for in {}", list(folders))
    }
}

fn but_not_in(passed_over: &[PathBuf]) -> String {
    if passed_over.is_empty() {
        String::new()
    } else {
        format!("; passed over, as it is in the project or relative: {}", list(passed_over))
    }
}

fn list(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The folders that count for looking programs up.
#[derive(Debug, Default)]
pub(crate) struct ProgramFolders {
    /// The project's folder without links; `None` where there is none.
    root: Option<PathBuf>,
    home: Option<PathBuf>,
    /// The folders from which a project may not slip programs in.
    fence: Fence,
    /// Of `PATH`.
    folders: Vec<PathBuf>,
    /// Of `PATH`, but relative, or in the project or on a way through it.
    passed_over: Vec<PathBuf>,
}

impl ProgramFolders {
    /// For a host with this `PATH`. What the project was copied from is the project's as well.
    pub(crate) fn new(
        root: &Path,
        copied_from: Option<&Path>,
        home: Option<&Path>,
        path: Option<&OsStr>,
    ) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let absolute = |root: &Path| Some(root).filter(|root| root.is_absolute()).map(real);
        let root = absolute(root);
        let home = home.filter(|home| home.is_absolute()).map(Path::to_owned);
        let roots: Vec<_> = root.iter().cloned().chain(copied_from.and_then(absolute)).collect();
        let fence = Fence::around(roots, home.as_deref().map(real));
        let mut places = ProgramFolders { root, home, fence, folders: Vec::new(), passed_over: Vec::new() };
        let folders = path.map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
        (places.folders, places.passed_over) =
            folders.into_iter().partition(|folder| folder.is_absolute() && !places.is_fenced(folder));
        places.passed_over.retain(|folder| !folder.as_os_str().is_empty());
        places
    }

    /// `PATH` for processes of scripts.
    pub(super) fn path(&self) -> Option<OsString> {
        Some(&self.folders)
            .filter(|folders| !folders.is_empty())
            .and_then(|list| std::env::join_paths(list).ok())
    }

    /// Finds what a grant names.
    ///
    /// # Errors
    /// It is not there; the text says where it was looked for.
    pub(super) fn find(&self, program: &str) -> Result<FoundProgram, LookupError> {
        if is_path(program) { self.find_path(program) } else { self.find_name(program) }
    }

    /// The file that a path leads to, as a script may write it: relative to the project's root, whatever its `cwd` is.
    pub(super) fn file(&self, path: &str) -> Option<PathBuf> {
        self.absolute(path).ok()?.canonicalize().ok()
    }

    fn absolute(&self, path: &str) -> Result<PathBuf, LookupError> {
        if let Some(rest) = path.strip_prefix("~/") {
            let home = self.home.as_ref().ok_or(LookupError::NoHome)?;
            return Ok(home.join(rest.trim_start_matches('/')));
        }
        if Path::new(path).is_absolute() {
            return Ok(PathBuf::from(path));
        }
        let root = self.root.as_ref().ok_or(LookupError::NoProject)?;
        Ok(root.join(path))
    }

    fn find_path(&self, program: &str) -> Result<FoundProgram, LookupError> {
        let path = self.absolute(program)?;
        let file = match path.canonicalize() {
            Ok(file) => file,
            Err(source) => return Err(LookupError::Unreachable { path, source }),
        };
        if !is_executable(&path) {
            return Err(LookupError::NotExecutable(path));
        }
        let of_project = !program.starts_with("~/") && !Path::new(program).is_absolute();
        if of_project && self.root.as_ref().is_none_or(|root| !file.starts_with(root)) {
            return Err(LookupError::OutsideProject { path, file });
        }
        let named = self.root.iter().chain(&self.fence.roots).any(|root| path.starts_with(root));
        if !named && self.is_fenced(&path) {
            return Err(LookupError::InsideProject(path));
        }
        Ok(FoundProgram { path, file })
    }

    fn find_name(&self, name: &str) -> Result<FoundProgram, LookupError> {
        for folder in &self.folders {
            for path in candidates(folder, name) {
                if is_executable(&path)
                    && !self.is_fenced(&path)
                    && let Ok(file) = path.canonicalize()
                {
                    return Ok(FoundProgram { path, file });
                }
            }
        }
        let (folders, passed_over) = (self.folders.clone(), self.passed_over.clone());
        Err(LookupError::NotInPath { folders, passed_over })
    }

    /// Returns whether the project decides what is at this path: the path, or one of the links on its way, is in the
    /// project.
    fn is_fenced(&self, path: &Path) -> bool {
        // A file system that does not tell case apart is asked for the true name.
        let fence = &self.fence;
        path.canonicalize().is_ok_and(|real| fence.has(&real)) || passes(path, fence)
    }
}

/// The project's folder and what it was copied from, but for the home folder where that is in it: what the user installed for
/// themselves is there, and no files of others. (A project that is the whole file system has no fence.)
#[derive(Debug, Default)]
struct Fence {
    roots: Vec<PathBuf>,
    /// The home folder, if it is in the project.
    own: Option<PathBuf>,
}

impl Fence {
    fn around(mut roots: Vec<PathBuf>, home: Option<PathBuf>) -> Self {
        roots.retain(|root| root.parent().is_some());
        let own = home.filter(|home| roots.iter().any(|root| home.starts_with(root)));
        Fence { roots, own }
    }

    /// Returns whether this path, which has no links, is behind it.
    fn has(&self, real: &Path) -> bool {
        let is_own = |home: &PathBuf| real.starts_with(home) || home.starts_with(real);
        self.roots.iter().any(|root| real.starts_with(root)) && !self.own.as_ref().is_some_and(is_own)
    }
}

/// Returns whether a program is named by a path, and not looked up.
pub(super) fn is_path(program: &str) -> bool {
    program.contains('/') || (cfg!(windows) && program.contains('\\'))
}

/// The files that a name may stand for in a folder.
fn candidates(folder: &Path, name: &str) -> Vec<PathBuf> {
    let plain = folder.join(name);
    if cfg!(windows) && plain.extension().is_none() {
        // Batch files read their arguments in a way that cannot be quoted.
        vec![plain.with_extension("exe"), plain.with_extension("com")]
    } else {
        vec![plain]
    }
}

/// Returns whether any step on the way of a path is behind the fence, links followed. A way without an end is taken
/// for one.
fn passes(path: &Path, fence: &Fence) -> bool {
    if cfg!(windows) {
        return fence.has(path);
    }
    let mut todo = steps(path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(step) = todo.pop() {
        if step == ".." {
            real.pop();
            continue;
        }
        real.push(&step);
        if fence.has(&real) {
            return true;
        }
        if let Ok(target) = std::fs::read_link(&real) {
            links += 1;
            if links > MAX_LINKS {
                return true;
            }
            real.pop();
            if target.is_absolute() {
                real = PathBuf::from("/");
            }
            todo.extend(steps(&target));
        }
    }
    false
}

/// The names of a path, the first one last.
fn steps(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    let mut steps: Vec<_> = path.components().filter_map(name).collect();
    steps.reverse();
    steps
}
