//! From folders to hooks in order: which entry is a hook, which file is the same as another, which id it gets.
//! Not here: how bytes become text (`file_bytes`) and what a name says (`names`).

pub(crate) mod links;
mod load;
mod scan;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use snaphook_core::{Cause, Lifecycle, OnFailure, Problem, Product, Scope, Severity};

use self::links::Links;
use self::load::Loaded;
use crate::candidate::{Discovery, Language};
use crate::diagnostic::io_message;
use crate::dirs::Directories;
use crate::front_matter::Legible;
use crate::ids::{self, Ids};
use crate::names;
use crate::trust::{Folders, Judge, Looks, Present, Trust, TrustState, tell_apart};

/// A hook that was found and not yet read.
struct FoundHook {
    scope: Scope,
    /// The script, or the entry script of the folder; links unresolved.
    path: PathBuf,
    /// The path as people see it.
    shown: PathBuf,
    /// The folder of a folder hook.
    folder: Option<PathBuf>,
    stem: String,
    extension: String,
    language: Language,
    /// The product whose folder it is in.
    product: Product,
    /// The folder of hooks that it is in; `None` where it was named for this run.
    hooks: Option<PathBuf>,
}

/// The entry of a place, in order.
enum Item {
    Hook(FoundHook),
    Problem(Problem),
    NoHook(NoHook),
}

/// An entry of the project's hooks that is no hook, as far as it shows. It may have been one.
struct NoHook {
    product: Product,
    /// The folder that it is in.
    hooks: PathBuf,
    name: String,
    shown: PathBuf,
}

/// Finds and reads every hook: managed, user, project, then `adhoc` (`--hook PATH`) in the order given. Never fails:
/// what cannot be read is a problem beside the hooks that could, and so is a hook of the project that is not trusted.
pub fn discover(directories: &Directories, adhoc: &[PathBuf]) -> Discovery {
    discover_with(directories, adhoc, &Trust::default())
}

/// [`discover`], with decisions of the command line.
pub fn discover_with(directories: &Directories, adhoc: &[PathBuf], trust: &Trust) -> Discovery {
    let mut items = directories.problems.iter().cloned().map(Item::Problem).collect::<Vec<_>>();
    let ours = [
        (Scope::Managed, directories.managed.clone()),
        (Scope::User, directories.user_hooks.clone()),
        (Scope::Project, Some(directories.project_hooks.clone())),
    ];
    let ours = ours.into_iter().filter_map(|(scope, folder)| Some((Product::Snaphook, scope, folder?)));
    let mut folders: Vec<_> = ours.chain(directories.of_products()).collect();
    // Stable: within a scope, ours come first.
    folders.sort_by_key(|(_, scope, _)| *scope);
    for (product, scope, folder) in &folders {
        let shown = |path: &Path| directories.display_path(path, *scope);
        items.extend(scan::standard_folder((*product, *scope), folder, &shown));
    }
    let named = adhoc.iter().flat_map(|path| scan::adhoc(directories, path)).collect::<Vec<_>>();
    // A hook of the project that is named for this run, too, is meant by the person who named it.
    let by_name = named.iter().filter_map(Item::resolved).collect::<HashSet<_>>();
    items.extend(named);

    let mut judge = Judge::new(directories, trust);
    let mut present = Present::of(&folders, &directories.project_root);
    let mut discovery = Discovery::default();
    let mut ids = Ids::default();
    // By its text, which is the same for the same resolved path: paths are compared part by part.
    let mut seen: HashMap<OsString, PathBuf> = HashMap::new();
    let mut folders: HashMap<(Scope, PathBuf), Folders> = HashMap::new();
    let mut links = Links::default();
    let mut looks = Looks::default();
    let mut undecided: Vec<PathBuf> = Vec::new();
    for item in items {
        let found = match item {
            Item::Hook(found) => found,
            Item::Problem(problem) => {
                discovery.problems.push(problem);
                continue;
            }
            Item::NoHook(NoHook { product, hooks, name, shown }) => {
                let hook = in_hooks_folder(product, Some(&hooks), name, &directories.project_root);
                present.settles(&hook);
                if let Some((former, problem)) = judge.former(hook, &shown) {
                    discovery.former.push(former);
                    discovery.problems.push(problem);
                }
                continue;
            }
        };
        let of_project = found.scope == Scope::Project;
        let name = of_project.then(|| found.in_hooks_folder(&directories.project_root));
        let (resolved, looked) = match links.resolve(&found.path) {
            Ok(resolved) => resolved,
            Err(error) => {
                present.settles(name.as_deref().unwrap_or_default());
                discovery.problems.push(unresolved(&found, &error));
                continue;
            }
        };
        if let Some(first) = seen.get(resolved.as_os_str()) {
            discovery.problems.push(same_file(&found, first));
            continue;
        }
        seen.insert(resolved.as_os_str().to_owned(), found.shown.clone());
        // It is judged or denies. One that is the same file as another is neither.
        present.settles(name.as_deref().unwrap_or_default());
        // Before it is read: a hook that fails to load keeps its id, so that no later one inherits it.
        let id = ids.assign(found.plain_id(), &found.extension, found.scope);
        match load::load(&found, &resolved, looked.as_ref(), id) {
            Ok(Loaded { candidate, warnings, .. }) if of_project => {
                let named = by_name.contains(&resolved);
                if let Some(problem) = leaves_project(directories, &found, &resolved).filter(|_| !named) {
                    discovery.problems.push(problem.with_on_failure(candidate.front_matter.on_failure));
                    continue;
                }
                let hook = judge.judge(candidate, name.as_deref().unwrap_or_default(), named);
                match hook.state {
                    TrustState::Trusted => {
                        discovery.hooks.push(hook.candidate.clone());
                        discovery.problems.extend(warnings);
                    }
                    TrustState::Undecided if undecided.len() < MAX_TOLD => {
                        discovery.problems.push(judge.problem(&hook));
                        undecided.push(hook.candidate.hook.file.clone());
                    }
                    TrustState::Undecided => undecided.push(hook.candidate.hook.file.clone()),
                    TrustState::Ignored => {}
                }
                discovery.project.push(hook);
            }
            Ok(Loaded { candidate, warnings, read }) => {
                let folder = match (&found.hooks, found.scope) {
                    (Some(folder), _) => Some(folder.as_path()),
                    (None, Scope::Managed) => directories.managed.as_deref(),
                    (None, _) => directories.user_hooks.as_deref(),
                };
                let key = (found.scope, folder.map(Path::to_owned).unwrap_or_default());
                let folder =
                    folders.entry(key).or_insert_with(|| Folders::of(found.scope, folder, &mut links));
                let show = |path: &Path| directories.display_path(path, found.scope);
                let problems = trust.owners.check(&candidate, read.as_ref(), folder, &mut looks, &show);
                let on_failure = candidate.front_matter.on_failure;
                if problems.is_empty() {
                    discovery.hooks.push(candidate);
                }
                // A folder that others can write is reported once, not with each of its hooks.
                for problem in problems.into_iter().chain(warnings) {
                    discovery.add_once(problem.with_on_failure(on_failure));
                }
            }
            Err(problems) if found.product == Product::Discobot => {
                let former = judge.former(name.unwrap_or_default(), &found.shown);
                // One that was trusted is a hook that is gone, whatever it was for.
                discovery.problems.extend(match former {
                    Some((former, problem)) => {
                        discovery.former.push(former);
                        [problems, vec![problem]].concat()
                    }
                    None => of_one_check(problems, scan::legible(&resolved)),
                });
            }
            Err(problems) => discovery.problems.extend(problems),
        }
    }
    discovery.problems.extend(undecided.get(MAX_TOLD).map(|file| more_undecided(file, undecided.len())));
    let (gone, problems) = judge.gone(&present, &discovery);
    discovery.former.extend(gone);
    discovery.problems.extend(problems);
    discovery.shared = judge.shared();
    discovery.problems.extend(judge.finish(&discovery.project));
    tell_apart(&mut discovery.project);
    discovery
}

impl Discovery {
    /// Adds a problem that several hooks may have, with the strictest of what they say becomes of results.
    fn add_once(&mut self, problem: Problem) {
        let same =
            |known: &&mut Problem| Problem { on_failure: problem.on_failure, ..(**known).clone() } == problem;
        match self.problems.iter_mut().find(same) {
            Some(known) if problem.on_failure == Some(OnFailure::Withhold) => {
                known.on_failure = problem.on_failure;
            }
            Some(_) => {}
            None => self.problems.push(problem),
        }
    }
}

impl Item {
    /// Returns whether it is a hook, or keeps gated calls from going through.
    fn denies(&self) -> bool {
        match self {
            Item::Hook(_) => true,
            Item::Problem(problem) => problem.severity == Severity::Error,
            Item::NoHook(_) => false,
        }
    }

    fn resolved(&self) -> Option<PathBuf> {
        match self {
            Item::Hook(found) => std::fs::canonicalize(&found.path).ok(),
            Item::Problem(_) | Item::NoHook(_) => None,
        }
    }
}

/// The problems of a hook of Discobot's that cannot be read: where its lines say that it is a check or runs at the start, no tool call
/// is denied for it. One that may be a gate denies.
fn of_one_check(problems: Vec<Problem>, legible: Legible) -> Vec<Problem> {
    let (event, becomes) = match legible {
        Legible::Type(Lifecycle::Startup) => (Lifecycle::Startup, "this hook does not run"),
        Legible::Type(event) => (event, "this check fails"),
        Legible::Event | Legible::Nothing => return problems,
    };
    let of_event = |problem: Problem| Problem {
        severity: Severity::Warning,
        message: format!("{}; until it is fixed, {becomes}", problem.message),
        only: Some(event),
        ..problem
    };
    problems.into_iter().map(of_event).collect()
}

impl FoundHook {
    /// A hook that is one file.
    fn file(
        (product, scope): (Product, Scope),
        hooks: Option<&Path>,
        language: Language,
        path: PathBuf,
        shown: PathBuf,
    ) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (stem, extension) = names::split(&name);
        let (stem, extension) = (stem.to_owned(), extension.to_ascii_lowercase());
        let hooks = hooks.map(Path::to_owned);
        FoundHook { scope, path, shown, folder: None, stem, extension, language, product, hooks }
    }

    /// The id that it has where no other hook has it.
    fn plain_id(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.product {
            Product::Discobot => ids::of_discobot(&name),
            _ => ids::slug(&self.stem),
        }
    }

    /// The name in the folder of hooks: of the file, or of a folder hook's folder. Names that are not UTF-8 are no hooks.
    fn in_hooks_folder(&self, project: &Path) -> String {
        let path = self.folder.as_deref().unwrap_or(&self.path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        in_hooks_folder(self.product, self.hooks.as_deref(), name, project)
    }
}

/// The name under which decisions about an entry of a folder of hooks are kept. In the folder of another product, with that folder in
/// the project.
fn in_hooks_folder(product: Product, hooks: Option<&Path>, name: String, project: &Path) -> String {
    let theirs = hooks.filter(|_| product != Product::Snaphook);
    match theirs.and_then(|folder| folder.strip_prefix(project).ok()) {
        Some(folder) => format!("{}/{name}", folder.to_string_lossy().replace('\\', "/")),
        None => name,
    }
}

/// Everything that a project shows has to be in the project: a link to a file elsewhere is content that a clone does
/// not have, and could show a file to users who may read decisions.
fn leaves_project(directories: &Directories, found: &FoundHook, resolved: &Path) -> Option<Problem> {
    let root = std::fs::canonicalize(&directories.project_root);
    let inside = root.is_ok_and(|root| resolved.starts_with(root));
    (!inside).then(|| {
        Problem::error(&found.shown, "is a link that leads out of the project, so nothing of it runs")
            .with_help("copy what it leads to into the project, or name it with --hook")
            .with_cause(Cause::Untrusted)
    })
}

/// The number of undecided hooks that are listed one by one: a project may have thousands, and an agent reads what is
/// told.
const MAX_TOLD: usize = 10;

/// The one denial for all other undecided hooks. Its location is the first of them.
fn more_undecided(file: &Path, all: usize) -> Problem {
    let message =
        format!("this project hook and {} more are not trusted, so nothing of them runs", all - MAX_TOLD - 1);
    Problem::error(file, message)
        .with_help("read them and decide: `snaphook trust`")
        .with_cause(Cause::Untrusted)
}

fn unresolved(found: &FoundHook, error: &std::io::Error) -> Problem {
    Problem::error(&found.shown, io_message(error)).with_help("fix it or remove it")
}

fn same_file(found: &FoundHook, first: &Path) -> Problem {
    let message = if found.shown == first {
        "is found twice and counts once".to_owned()
    } else {
        format!("is the same file as {} and counts once", first.display())
    };
    Problem::note(&found.shown, message)
}
