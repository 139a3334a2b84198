//! What a directive means in this place: the folders, the settings and the guarded places around a held command. Not here: the
//! policy that becomes of it (`snaphook_hold`).

use std::path::{Path, PathBuf};

use snaphook_command::process::Identity;
use snaphook_core::{Hold, HoldBase, HoldPath, HoldProfile, Severity};
use snaphook_discovery::{Directories, Environment, HoldSettings, Settings};
use snaphook_guard::{OnDisk, Places};
use snaphook_hold::{CacheFolders, Policy, PolicyError, Surroundings, profile_hold, profile_walls};

use crate::env::Env;
use crate::exit::Failure;
use crate::wiring;

/// Folders that are for temporary files and nothing else.
const TEMPORARY: [&str; 6] =
    ["/tmp", "/var/tmp", "/dev/shm", "/run/user", "/var/folders", "/private/var/folders"];

/// Variables of start-up files that stand where a variable says.
const STARTUP_VARIABLES: [&str; 2] = ["BASH_ENV", "ENV"];

/// Start-up files in the folder of `ZDOTDIR`.
const OF_ZSH: [&str; 5] = [".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"];

/// The folders and settings that a policy is made of.
pub(super) struct Around {
    /// The folders of the working directory, with the project that is meant.
    directories: Directories,
    /// Those of every folder around that could be the project: who makes a `.snaphook` within it moves the project there.
    outer: Vec<Directories>,
    hold: HoldSettings,
    cwd: PathBuf,
}

impl Around {
    /// The surroundings of this process.
    ///
    /// # Errors
    /// The folder does not exist, or the settings have a fault: it may have been what protects.
    pub(super) fn of(env: &Env, project: Option<&Path>) -> Result<Self, Failure> {
        let here = wiring::directories(env, None)?;
        let cwd = here.cwd.clone();
        let directories = match project {
            Some(folder) => {
                let whole = cwd.join(folder);
                if !whole.is_dir() {
                    return Err(Failure::Usage(format!("--project {} is not a folder", folder.display())));
                }
                wiring::directories(env, Some(&whole))?
            }
            None => here,
        };
        let (mut settings, problems) = Settings::load(&directories);
        if let Some(problem) = problems.into_iter().find(|problem| problem.severity == Severity::Error) {
            return Err(Failure::Usage(problem.to_string()));
        }
        // What gave `HOME` may have been the command that is held.
        let account = account(&directories);
        if let Some(account) = &account {
            settings.hold.protected.extend(Settings::load(account).0.hold.protected);
        }
        let outer = account.into_iter().chain(projects_around(&directories)).collect();
        Ok(Around { directories, outer, hold: settings.hold, cwd })
    }

    /// The policy of a directive, for this project.
    pub(super) fn resolve(&self, env: &Env, mut hold: Hold) -> Result<Policy, PolicyError> {
        let directories = &self.directories;
        let profiles = hold.profile.take().unwrap_or_default();
        for profile in &profiles {
            hold = hold.strictest(profile_hold(*profile));
        }
        let program_folders = env.search_path();
        let mut places = OnDisk::default();
        if !profiles.is_empty() {
            let own = Places::of(directories, env.program.clone(), program_folders.iter().cloned());
            let outer = self.outer.iter().map(|outer| Places::of(outer, None, None));
            places = OnDisk::of(&[own].into_iter().chain(outer).collect::<Vec<_>>());
            places.guarded.extend(startup_files(env));
            let hooks = self.outer.iter().chain([directories]);
            let hooks = hooks.flat_map(|one| one.user_hooks.iter().chain([&one.project_hooks]));
            places.guarded.extend(hooks.flat_map(|folder| links_in(folder)));
            if !self.hold.protected.is_empty() {
                let protected = self.hold.protected.iter().map(|path| of_project(path, directories));
                hold = hold.strictest(Hold { deny_write: Some(protected.collect()), ..Hold::default() });
            }
        }
        let temporary = temporary(env, directories.home.as_deref());
        let runtime = env.path("XDG_RUNTIME_DIR");
        let home = directories.home.as_deref();
        let mut caches = absolute(&self.hold.caches, directories);
        caches.extend(env.path("XDG_CACHE_HOME").filter(|path| is_plain_below(path, home)));
        let cargo = env.path("CARGO_HOME").filter(|path| path.is_absolute());
        let tools = CacheFolders { home, cargo: cargo.as_deref() };
        let project = &directories.project_root;
        let walls = profiles
            .iter()
            .find_map(|profile| profile_walls(*profile, project, tools, &temporary, &caches))
            .map(|walls| walls.into_iter().chain(repository(project)).collect::<Vec<_>>());
        Policy::resolve(
            &hold,
            &Surroundings {
                cwd: &self.cwd,
                home,
                runtime: runtime.as_deref(),
                variables: &env.vars,
                temporary: &temporary,
                program_folders: &program_folders,
                places: &places.guarded,
                dedicated: &places.dedicated,
                writable_inside: &places.open,
                walls: walls.as_deref(),
            },
        )
    }

    /// Makes the caches that tools on this machine would make, if the profile has walls.
    pub(super) fn make_caches(&self, env: &Env, hold: &Hold) {
        if has_walls(hold) {
            let folders = env.search_path();
            let cargo = env.path("CARGO_HOME").filter(|path| path.is_absolute());
            let tools = CacheFolders { home: self.directories.home.as_deref(), cargo: cargo.as_deref() };
            tools.make(|tool| folders.iter().any(|folder| folder.join(tool).is_file()));
        }
    }

    /// Fails where the walls of a profile would be around nothing.
    ///
    /// # Errors
    /// The project is the home folder, or above it.
    pub(super) fn check(&self, hold: &Hold) -> Result<(), Failure> {
        let project = &self.directories.project_root;
        let home = self.directories.home.as_deref().and_then(|home| home.canonicalize().ok());
        let is_all = project.parent().is_none() || home.is_some_and(|home| home.starts_with(project));
        if has_walls(hold) && is_all {
            return Err(Failure::Usage(format!(
                "the profile project would leave all of {} writable, which is the project here: run it in a project, or name one \
                 with --project",
                project.display()
            )));
        }
        Ok(())
    }
}

fn has_walls(hold: &Hold) -> bool {
    hold.profile.iter().flatten().any(|profile| *profile == HoldProfile::Project)
}

/// The usual folders of the user that this process runs as, where `HOME` and the variables beside it say something else.
fn account(directories: &Directories) -> Option<Directories> {
    let home = Identity::home_of(own_number()?)?;
    let environment = Environment { home: Some(home), ..Environment::new(directories.project_root.clone()) };
    let account = Directories::locate(&environment);
    let of = |one: &Directories| (one.home.clone(), one.user_config.clone(), one.state.clone());
    (of(&account) != of(directories)).then_some(account)
}

#[cfg(unix)]
fn own_number() -> Option<u32> {
    Some(rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn own_number() -> Option<u32> {
    None
}

/// The folders above the project that are projects, too.
fn projects_around(directories: &Directories) -> impl Iterator<Item = Directories> {
    let above = directories.project_root.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
    let marked = |folder: &PathBuf| [".snaphook", ".git"].iter().any(|name| folder.join(name).exists());
    above.into_iter().filter(marked).map(|project_root| Directories {
        project_hooks: project_root.join(".snaphook/hooks"),
        project_config: project_root.join(".snaphook/config.toml"),
        project_root,
        ..directories.clone()
    })
}

/// The files that links in a guarded folder lead to: hooks that are kept elsewhere.
fn links_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    links.filter_map(|link| link.path().canonicalize().ok()).collect()
}

/// The start-up files that variables name.
fn startup_files(env: &Env) -> Vec<PathBuf> {
    let named = STARTUP_VARIABLES.iter().filter_map(|name| env.path(name));
    let of_zsh = env.path("ZDOTDIR").into_iter().flat_map(|folder| OF_ZSH.map(|name| folder.join(name)));
    named.chain(of_zsh).filter(|path| path.is_absolute()).collect()
}

/// The repository of a worktree, which git writes at each commit. It has to say itself that the project is one of its worktrees.
fn repository(project: &Path) -> Option<PathBuf> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    let link = read(project.join(".git"))?;
    let own = project.join(link.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let back = own.join(read(own.join("gitdir"))?.trim()).canonicalize().ok()?;
    let common = own.join(read(own.join("commondir"))?.trim()).canonicalize().ok()?;
    let is_its_worktree = back == project.join(".git").canonicalize().ok()?
        && own.parent()? == common.join("worktrees")
        && common.join("HEAD").is_file();
    is_its_worktree.then_some(common)
}

/// A path of the settings: a relative one is below the project's root, wherever the command runs.
fn of_project(path: &HoldPath, directories: &Directories) -> HoldPath {
    if path.base != HoldBase::Cwd {
        return path.clone();
    }
    let whole = directories.project_root.join(&path.path);
    let whole = whole.to_string_lossy();
    HoldPath { base: HoldBase::Root, path: whole.trim_start_matches('/').to_owned() }
}

/// Paths of the settings; a relative one is below the project's root.
fn absolute(paths: &[HoldPath], directories: &Directories) -> Vec<PathBuf> {
    let base = |base| match base {
        HoldBase::Root => Some(Path::new("/")),
        HoldBase::Home => directories.home.as_deref(),
        HoldBase::Cwd => Some(directories.project_root.as_path()),
    };
    paths.iter().filter_map(|path| Some(base(path.base)?.join(&path.path))).collect()
}

/// Folders for temporary files: the usual ones, and that of `TMPDIR`, where it leads to one of those or is a folder below the
/// home without a link on its way. A command that is held could have put a link there for the next one.
fn temporary(env: &Env, home: Option<&Path>) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp"].map(PathBuf::from);
    let is_usual = |path: &Path| {
        path.canonicalize()
            .is_ok_and(|real| TEMPORARY.iter().any(|folder| is_below(&real, Path::new(folder))))
    };
    let named = env.path("TMPDIR").filter(|path| path.is_absolute());
    let named = named.filter(|path| is_usual(path) || is_plain_below(path, home));
    usual.into_iter().chain(named).collect()
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder) && path != folder
}

/// Returns whether a path leads to a folder below another one, without a link on its way.
fn is_plain_below(path: &Path, folder: Option<&Path>) -> bool {
    let is_plain = path.canonicalize().is_ok_and(|real| real == path.components().collect::<PathBuf>());
    is_plain && folder.is_some_and(|folder| is_below(path, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_to_know_its_worktree() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |path: &str, text: String| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let tree = root.join("tree");
        write("main/.git/HEAD", "ref: refs/heads/main\n".to_owned());
        write("main/.git/worktrees/tree/commondir", "../..\n".to_owned());
        write("main/.git/worktrees/tree/gitdir", format!("{}\n", tree.join(".git").display()));
        write("tree/.git", format!("gitdir: {}\n", root.join("main/.git/worktrees/tree").display()));
        assert_eq!(repository(&tree), Some(root.join("main/.git")));
        // A link that someone wrote into another folder.
        write("other/.git", format!("gitdir: {}\n", root.join("main/.git/worktrees/tree").display()));
        assert_eq!(repository(&root.join("other")), None);
        // A repository that says that everything is common.
        write("main/.git/worktrees/tree/commondir", "../../..\n".to_owned());
        assert_eq!(repository(&tree), None);
        assert_eq!(repository(&root), None);
    }
}
