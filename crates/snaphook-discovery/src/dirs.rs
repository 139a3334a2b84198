//! The folders of hooks, settings and state, from parameters only. Not here: reading hooks (`find`), or the process's
//! environment, which the CLI reads.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use snaphook_core::{Cause, Problem, Product, Scope, printable};

use crate::display::display_path;

/// Everything that decides where things are. Empty values count as unset, as the XDG specification asks.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`; a relative value is ignored, as the specification asks.
    pub xdg_config_home: Option<PathBuf>,
    /// `$XDG_STATE_HOME`; a relative value is ignored.
    pub xdg_state_home: Option<PathBuf>,
    /// `$SNAPHOOK_CONFIG_DIR`. A value that is no absolute path of a folder is an error, which denies: the user's gates are not where
    /// they are looked for.
    pub snaphook_config_dir: Option<PathBuf>,
    /// `$SNAPHOOK_STATE_DIR`; a relative value is taken from the working directory.
    pub snaphook_state_dir: Option<PathBuf>,
    /// The administrator's hooks. No environment variable may move it.
    pub managed_dir: Option<PathBuf>,
    /// The platform's own folder for settings, where that is not `~/.config` (Windows).
    pub platform_config_home: Option<PathBuf>,
    /// The platform's own folder for state, where that is not `~/.local/state` (Windows).
    pub platform_state_home: Option<PathBuf>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The folder in which the agent's session began, where that is known. If its project has hooks, it is the project, wherever the
    /// working directory went: entering a folder that has its own .snaphook does not replace them.
    pub session_start: Option<PathBuf>,
}

impl Environment {
    /// An environment with the platform's defaults and nothing set.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Environment {
            home: None,
            xdg_config_home: None,
            xdg_state_home: None,
            snaphook_config_dir: None,
            snaphook_state_dir: None,
            managed_dir: default_managed_dir(),
            platform_config_home: platform_config_home(),
            platform_state_home: platform_state_home(),
            cwd: cwd.into(),
            session_start: None,
        }
    }
}

/// `/etc/snaphook/hooks`. Windows has no managed folder yet.
pub fn default_managed_dir() -> Option<PathBuf> {
    cfg!(unix).then(|| PathBuf::from("/etc/snaphook/hooks"))
}

#[cfg(windows)]
fn platform_config_home() -> Option<PathBuf> {
    ::dirs::config_dir()
}

#[cfg(windows)]
fn platform_state_home() -> Option<PathBuf> {
    ::dirs::data_local_dir()
}

#[cfg(not(windows))]
fn platform_config_home() -> Option<PathBuf> {
    None
}

#[cfg(not(windows))]
fn platform_state_home() -> Option<PathBuf> {
    None
}

/// The folders of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// The administrator's hooks.
    pub managed: Option<PathBuf>,
    /// The user's hooks; `None` when there is no home to look in, which is also a problem.
    pub user_hooks: Option<PathBuf>,
    /// The user's `config.toml`, beside the hooks folder.
    pub user_config: Option<PathBuf>,
    /// The nearest ancestor with a `.snaphook` folder, else the nearest with `.git`, else the working directory.
    pub project_root: PathBuf,
    /// The project's hooks.
    pub project_hooks: PathBuf,
    /// The project's `config.toml`, which may only tighten.
    pub project_config: PathBuf,
    /// Trust, state, audit and runs. Never in the project, unless the user put it there.
    pub state: Option<PathBuf>,
    /// The home folder, for showing paths.
    pub home: Option<PathBuf>,
    /// The working directory, resolved.
    pub cwd: PathBuf,
    /// The problems with the folders themselves; [`discover`](crate::discover) passes it on.
    pub problems: Vec<Problem>,
    /// The products whose hooks are loaded, too. Default: none.
    pub compat: Vec<Product>,
}

impl Directories {
    /// Finds the folders. Looks at the file system for the project root only.
    pub fn locate(environment: &Environment) -> Self {
        let mut problems = Vec::new();
        let cwd = resolve_cwd(&environment.cwd);
        let home = absolute(environment.home.as_deref());
        let xdg_config = xdg(environment.xdg_config_home.as_deref(), "XDG_CONFIG_HOME", &mut problems);
        let xdg_state = xdg(environment.xdg_state_home.as_deref(), "XDG_STATE_HOME", &mut problems);
        let under = |base: Option<&Path>, folder: &str| base.map(|base| base.join(folder));

        let named = set(environment.snaphook_config_dir.as_deref());
        let config = match named {
            Some(named) => named_config(named, &mut problems),
            None => under(xdg_config, "snaphook")
                .or_else(|| under(absolute(environment.platform_config_home.as_deref()), "snaphook"))
                .or_else(|| under(home, ".config/snaphook")),
        };
        if config.is_none() && named.is_none() {
            problems.push(
                Problem::error("~", "there is no home folder, so the user's hooks cannot be found")
                    .with_help("set HOME or SNAPHOOK_CONFIG_DIR to an absolute path"),
            );
        }
        let state = state(environment, &cwd, xdg_state);
        problems.extend(state.as_deref().and_then(open_to_others));

        let project_root = session_project(environment.session_start.as_deref(), &mut problems)
            .unwrap_or_else(|| project_root(&cwd, &mut problems));
        problems
            .extend(config.as_deref().and_then(|config| brought(config, environment, [&project_root, &cwd])));
        let project = project_root.join(".snaphook");
        if home.is_some_and(|home| home == project_root && home != cwd) && project.is_dir() {
            problems.push(
                Problem::note("~/.snaphook", "the home folder is the project root here").with_help(
                    "keep hooks for every project in the user's hooks folder, `~/.config/snaphook/hooks`",
                ),
            );
        }
        Directories {
            managed: set(environment.managed_dir.as_deref()).map(Path::to_owned),
            user_hooks: under(config.as_deref(), "hooks"),
            user_config: under(config.as_deref(), "config.toml"),
            project_hooks: project.join("hooks"),
            project_config: project.join("config.toml"),
            project_root,
            state,
            home: home.map(Path::to_owned),
            cwd,
            problems,
            compat: Vec::new(),
        }
    }

    /// Has hooks of these products loaded, too.
    pub fn add_compat(&mut self, products: impl IntoIterator<Item = Product>) {
        for product in products {
            if !self.compat.contains(&product) {
                self.compat.push(product);
            }
        }
        self.compat.sort_unstable();
    }

    /// Returns where other products have hooks: the user's, then the project's.
    pub(crate) fn of_products(&self) -> Vec<(Product, Scope, PathBuf)> {
        let mut folders = Vec::new();
        for product in &self.compat {
            match product {
                Product::Discobot => {
                    folders.push((*product, Scope::Project, self.project_root.join(".discobot/hooks")));
                }
                Product::Marvin => {
                    let home = self.home.as_ref().map(|home| home.join(".config/marvin/hooks"));
                    folders.extend(home.map(|folder| (*product, Scope::User, folder)));
                    folders.push((*product, Scope::Project, self.project_root.join(".marvin/hooks")));
                }
                // A file, not a folder.
                Product::Iteratr | Product::Snaphook => {}
            }
        }
        folders.sort_by_key(|(_, scope, _)| *scope);
        folders
    }

    /// The state folder alone, for what has to be written where nothing else can be found.
    pub fn state_of(environment: &Environment) -> Option<PathBuf> {
        let xdg_state = xdg(environment.xdg_state_home.as_deref(), "XDG_STATE_HOME", &mut Vec::new());
        state(environment, &environment.cwd, xdg_state)
    }

    /// A path as people see it: relative to the root for project hooks, `~/…` under the home folder, as it is
    /// otherwise; never with control characters.
    pub fn display_path(&self, path: &Path, scope: Scope) -> PathBuf {
        if scope == Scope::Project
            && let Some(inside) = inside(path, &self.project_root)
        {
            return display_path(inside);
        }
        if scope != Scope::Adhoc
            && let Some(home) = &self.home
            && let Some(inside) = inside(path, home)
        {
            return display_path(&Path::new("~").join(inside));
        }
        display_path(path)
    }

    /// A path for a message: relative to the working directory where it is below, without control characters.
    pub fn relative(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.cwd).unwrap_or(path);
        printable(&shown.display().to_string())
    }
}

/// [`Path::strip_prefix`], by the text where that is enough: it is asked of each hook several times.
fn inside<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    let rest = path.to_str().zip(folder.to_str()).and_then(|(path, folder)| path.strip_prefix(folder));
    match rest.and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) if cfg!(unix) && !rest.is_empty() && !is_odd(rest) => Some(Path::new(rest)),
        _ => path.strip_prefix(folder).ok(),
    }
}

/// Returns whether it begins or ends with what paths are rid of when they are taken apart.
fn is_odd(rest: &str) -> bool {
    rest == "."
        || rest.starts_with('/')
        || rest.starts_with("./")
        || rest.ends_with('/')
        || rest.ends_with("/.")
}

/// The user's folder by its variable. Nothing else is tried where it leads nowhere: the hooks elsewhere are not those that were meant.
fn named_config(named: &Path, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    let wrong = match named {
        _ if named.as_os_str().as_encoded_bytes().starts_with(b"~") => {
            "begins with a `~`, which only a shell expands"
        }
        _ if !named.is_absolute() => "is a relative path, which is another folder wherever an agent works",
        _ if !named.is_dir() => "names no folder",
        _ => return Some(named.to_owned()),
    };
    let problem = Problem::error(
        display_path(named),
        format!("SNAPHOOK_CONFIG_DIR {wrong}, so your hooks are not found"),
    )
    .with_help("set it to the absolute path of the folder that has your `hooks` folder, or unset it");
    problems.push(problem.with_cause(Cause::Load));
    named.is_absolute().then(|| named.to_owned())
}

/// The user's folder is in the project, so the project's author could have made it: agents take variables from files that come with
/// one, such as `.env`. Not so `~/.config/snaphook`, as long as the home folder is the user's.
fn brought(config: &Path, environment: &Environment, projects: [&Path; 2]) -> Option<Problem> {
    let real = std::fs::canonicalize(config).ok()?;
    let home = absolute(environment.home.as_deref());
    let platform = absolute(environment.platform_config_home.as_deref());
    let is_usual = home.is_some_and(|home| home.join(".config/snaphook") == config)
        || platform.is_some_and(|platform| platform.join("snaphook") == config);
    let home = home.map(resolve_cwd);
    let is_own = |project: &Path| {
        is_usual && home.as_ref().is_some_and(|home| home == project || !home.starts_with(project))
    };
    let project = projects.into_iter().find(|project| real.starts_with(project) && !is_own(project))?;
    let problem = Problem::error(
        display_path(config),
        format!("the folder of your hooks is inside the project {}, which could have brought it along", display_path(project).display()),
    )
    .with_help(
        "keep it outside of projects; if you did not put it there, look for what sets SNAPHOOK_CONFIG_DIR, XDG_CONFIG_HOME or HOME, such as an `.env` file",
    );
    Some(problem.with_cause(Cause::Load))
}

fn set(value: Option<&Path>) -> Option<&Path> {
    value.filter(|path| !path.as_os_str().is_empty())
}

fn absolute(value: Option<&Path>) -> Option<&Path> {
    value.filter(|path| path.is_absolute())
}

fn xdg<'a>(value: Option<&'a Path>, variable: &str, problems: &mut Vec<Problem>) -> Option<&'a Path> {
    let value = set(value)?;
    if value.is_absolute() {
        return Some(value);
    }
    problems.push(
        Problem::warning(display_path(value), format!("{variable} is not an absolute path and is ignored"))
            .with_help("the XDG specification asks for an absolute path"),
    );
    None
}

fn state(environment: &Environment, cwd: &Path, xdg_state: Option<&Path>) -> Option<PathBuf> {
    let under = |base: Option<&Path>, folder: &str| base.map(|base| base.join(folder));
    set(environment.snaphook_state_dir.as_deref())
        .map(|dir| cwd.join(dir))
        .or_else(|| under(xdg_state, "snaphook"))
        .or_else(|| under(absolute(environment.platform_state_home.as_deref()), "snaphook"))
        .or_else(|| under(absolute(environment.home.as_deref()), ".local/state/snaphook"))
}

/// Returns the problem of a state folder that another user could change: decisions and the audit in it could be
/// theirs.
fn open_to_others(state: &Path) -> Option<Problem> {
    let error = match snaphook_state::private_fs::check_dir(state) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => error,
        // What cannot be used is reported where it is needed.
        _ => return None,
    };
    let problem = Problem::error(display_path(state), format!("is not for you alone: {error}"));
    Some(problem.with_help("or name another folder with SNAPHOOK_STATE_DIR"))
}

/// The folder without `..` and links, so that it can be compared. Windows resolves `..` by the text alone: a resolved path
/// there has a prefix that many programs do not understand.
pub fn resolved(folder: &Path) -> PathBuf {
    let found = if cfg!(windows) { std::path::absolute(folder) } else { folder.canonicalize() };
    found.unwrap_or_else(|_| folder.to_owned())
}

/// Resolved, so that the ancestors are the real ones. Windows keeps the path as it is: a resolved one there has a
/// `\\?\` prefix that many programs do not understand.
fn resolve_cwd(cwd: &Path) -> PathBuf {
    if cfg!(windows) {
        return cwd.to_owned();
    }
    std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned())
}

/// The project in which the session began, if it has hooks, of whichever product.
fn session_project(start: Option<&Path>, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    let start = start.filter(|start| start.is_absolute() && start.is_dir())?;
    let mut own = Vec::new();
    let root = project_root(&resolve_cwd(start), &mut own);
    let has_hooks = [".snaphook", ".discobot/hooks", ".marvin/hooks", ".iteratr.hooks.yml"]
        .iter()
        .any(|name| std::fs::symlink_metadata(root.join(name)).is_ok());
    if !has_hooks {
        return None;
    }
    problems.append(&mut own);
    Some(root)
}

fn project_root(cwd: &Path, problems: &mut Vec<Problem>) -> PathBuf {
    let with_snaphook = cwd.ancestors().find(|dir| is_project(&dir.join(".snaphook"), problems));
    let with_git = || cwd.ancestors().find(|dir| std::fs::symlink_metadata(dir.join(".git")).is_ok());
    with_snaphook.or_else(with_git).unwrap_or(cwd).to_owned()
}

/// Returns whether the path is a folder. What looks like a project's `.snaphook` but cannot be used is a problem.
fn is_project(path: &Path, problems: &mut Vec<Problem>) -> bool {
    let looked = std::fs::symlink_metadata(path);
    let gone =
        |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    // So it is for most folders above a project, and at each start.
    if looked.as_ref().is_err_and(gone) {
        return false;
    }
    let problem = match (looked, std::fs::metadata(path)) {
        (_, Ok(metadata)) if metadata.is_dir() => return true,
        (_, Ok(_)) => {
            Problem::warning(display_path(path), "is not a folder, so no project hook is found in it")
                .with_help("project hooks live in the folder `.snaphook/hooks`")
        }
        (Ok(_), Err(error)) if error.kind() == ErrorKind::NotFound => {
            Problem::error(display_path(path), "is a broken link, so the project's hooks cannot be found")
                .with_help("fix or remove the link")
        }
        (_, Err(error)) => Problem::error(
            display_path(path),
            format!("cannot be looked at, so the project's hooks cannot be found: {}", error.kind()),
        ),
    };
    problems.push(problem);
    false
}
