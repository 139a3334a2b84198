//! `snaphook trust`, `ignore` and `untrust`: what a person decides about the project's hooks. Not here: what follows from
//! it (`snaphook_discovery::trust`).

pub(crate) mod args;
pub(crate) mod ask;
mod show;

use serde_json::json;
use snaphook::{Language, Problem, Severity};
use snaphook_discovery::trust::{Pin, TrustStore};
use snaphook_discovery::{
    ContentHash, Directories, FormerHook, ProjectHook, Trust, TrustState, discover, lifecycle_files,
    printable, project_servers, with_lifecycle_files,
};

use self::args::{IgnoreArgs, TrustArgs, UntrustArgs};
use crate::compat::ProjectArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::render;
use crate::terminal::Confirmation;

/// The project's hooks, and where decisions about them are kept.
struct Project {
    directories: Directories,
    store: TrustStore,
    hooks: Vec<ProjectHook>,
    /// The MCP servers of the project. They gate nothing, so they are meant only where they are named.
    servers: Vec<ProjectHook>,
    /// The entries that were hooks when they were trusted.
    former: Vec<FormerHook>,
    /// The problems with files that may have been hooks: they deny, and cannot be decided about.
    unreadable: Vec<Problem>,
}

impl Project {
    /// # Errors
    /// The folder does not exist, or there is no store that could be read.
    fn of(env: &Env, args: &ProjectArgs) -> Result<Self, Failure> {
        let directories = args.directories(env)?;
        let trust = Trust::default();
        let store = TrustStore::locate(&directories, trust.owners).map_err(store_failure)?;
        // Before any question: a decision could not be written.
        store.read().map_err(store_failure)?;
        let found = discover(&directories, &[]);
        let folders = [".snaphook", ".discobot", ".marvin"];
        let in_project = |problem: &Problem| folders.iter().any(|folder| problem.file.starts_with(folder));
        let undecided =
            |problem: &Problem| found.project.iter().any(|hook| hook.candidate.hook.file == problem.file);
        let denies = |problem: &Problem| {
            problem.severity == Severity::Error && in_project(problem) && !undecided(problem)
        };
        let unreadable = found.problems.iter().filter(|problem| denies(problem)).cloned().collect();
        let files = lifecycle_files(&directories, &trust);
        let hooks = with_lifecycle_files(found.project, &files);
        let servers = project_servers(&directories, &trust).servers.into_iter().map(|one| one.hook).collect();
        Ok(Project { directories, store, hooks, servers, former: found.former, unreadable })
    }

    /// The hooks that are meant, each with the content that was named with it.
    fn chosen(&self, names: &[String]) -> Result<Vec<(&ProjectHook, Option<ContentHash>)>, Failure> {
        names.iter().map(|name| self.find(name)).collect()
    }

    fn find(&self, text: &str) -> Result<(&ProjectHook, Option<ContentHash>), Failure> {
        let (name, hash) = if text.contains("=sha256:") {
            let pin = Pin::parse(text).map_err(|bad| Failure::Usage(bad.to_string()))?;
            (pin.name, Some(pin.hash))
        } else {
            (text.to_owned(), None)
        };
        let meant: Vec<_> =
            self.hooks.iter().chain(&self.servers).filter(|hook| hook.answers_to(&name)).collect();
        // Among several of one short name, one may have it as its id.
        let by_id = || meant.iter().copied().find(|hook| hook.candidate.hook.id == name);
        let by_hash = || meant.iter().copied().find(|hook| Some(hook.hash) == hash);
        let hook = match &meant[..] {
            [] => return Err(Failure::Usage(self.no_hook(&name))),
            [one] => *one,
            several => by_hash().or_else(by_id).ok_or_else(|| {
                let names: Vec<_> = several.iter().map(|hook| hook.name.as_str()).collect();
                Failure::Usage(format!("more than one hook is called {name}: {}", names.join(", ")))
            })?,
        };
        match hash {
            Some(hash) if hash != hook.hash => Err(Failure::Usage(format!(
                "{name} is {} now, not {hash}; nothing was decided. See what it is: snaphook trust {name}",
                hook.hash
            ))),
            _ => Ok((hook, hash)),
        }
    }

    fn no_hook(&self, name: &str) -> String {
        let all = self.hooks.iter().chain(&self.servers);
        let known: Vec<_> = all.map(|hook| hook.name.as_str()).collect();
        let name = printable(name);
        if self.former.iter().any(|former| former.answers_to(&name)) {
            return format!(
                "{name} is not there; put it back, or run `snaphook untrust {name}` if it is not wanted any more"
            );
        }
        if known.is_empty() {
            format!(
                "there is no project hook {name}: no hook can be read in {}",
                self.directories.project_hooks.display()
            )
        } else {
            format!("there is no project hook {name}; there are {}", printable(&known.join(", ")))
        }
    }
}

/// A problem of the store, as the command's failure.
pub(crate) fn store_failure(problem: Problem) -> Failure {
    Failure::Usage(problem.to_string())
}

/// Runs `snaphook trust`.
///
/// # Errors
/// A hook that is not there or not the one that was named, nobody to ask, a store that cannot be used.
pub(crate) fn trust(env: &Env, args: &TrustArgs) -> Result<Exit, Failure> {
    let project = Project::of(env, &args.project)?;
    let mut chosen = project.chosen(&args.hooks)?;
    if args.print {
        if chosen.is_empty() {
            chosen = project.hooks.iter().map(|hook| (hook, None)).collect();
        }
        let line = |(hook, _): &(&ProjectHook, _)| format!("{}={}\n", printable(&hook.name), hook.hash);
        print::stdout(&chosen.iter().map(line).collect::<String>());
        return Ok(Exit::Fine);
    }
    if chosen.is_empty() {
        let undecided = project.hooks.iter().filter(|hook| hook.state == TrustState::Undecided);
        chosen = undecided.map(|hook| (hook, None)).collect();
    }
    let paint = Paint { on: !args.json && env.colours(env.stdout_is_terminal) };
    // Whose hash was named is decided; so is what is trusted by a decision at another place, which this one then joins.
    let (mut yes, open): (Vec<_>, Vec<_>) =
        chosen.iter().partition(|(hook, hash)| hash.is_some() || hook.state == TrustState::Trusted);
    let mut declined = Vec::new();
    if !open.is_empty() && !args.json {
        if args.yes || !env.can_ask() {
            return Err(nobody(&project, &open, paint));
        }
        for one in open {
            print::stdout(&show::hook(one.0, &project.store, paint));
            match ask::trust(one.0) {
                Confirmation::Yes => yes.push(one),
                Confirmation::No => declined.push(one),
                // Nothing is decided, whatever was said to hooks before.
                Confirmation::Interrupted => {
                    print::stderr(ask::NOTHING_DECIDED);
                    return Ok(Exit::Interrupted);
                }
            }
        }
    } else {
        declined = open;
    }
    project
        .store
        .trust(yes.iter().map(|(hook, _)| (&hook.key, &hook.candidate.raw)))
        .map_err(store_failure)?;
    if args.json {
        let trusted = |hook: &ProjectHook| yes.iter().any(|(one, _)| one.key == hook.key);
        let one = |(hook, _): &(&ProjectHook, _)| {
            let state = if trusted(hook) { TrustState::Trusted } else { hook.state };
            show::document(hook, state, &project.store)
        };
        print::json(&json!({ "hooks": chosen.iter().map(one).collect::<Vec<_>>() }));
    } else {
        let mut text = String::new();
        for (hook, _) in &yes {
            text += &format!("{} {} {}\n", paint.green("trusted"), printable(&hook.name), hook.hash);
        }
        for (hook, _) in declined.iter().take(MAX_SHOWN) {
            let undecided = paint.yellow("undecided");
            let so = match hook.candidate.language {
                Language::Lifecycle => "none of its commands runs",
                Language::McpServer => "`snaphook run` does not start it",
                _ => "gated calls are denied",
            };
            text += &format!("{undecided} {}: {so}\n", printable(&hook.name));
        }
        if declined.len() > MAX_SHOWN {
            text += &format!("{} more are undecided\n", declined.len() - MAX_SHOWN);
        }
        if chosen.is_empty() {
            text = "no project hook is undecided\n".to_owned();
        }
        for problem in project.unreadable.iter().take(MAX_SHOWN) {
            text += &format!("{}\n", render::problem_line(paint, problem));
        }
        print::stdout(&text);
    }
    Ok(if declined.is_empty() && project.unreadable.is_empty() { Exit::Fine } else { Exit::Denied })
}

/// The number of hooks that are shown at once, without a question about each.
const MAX_SHOWN: usize = 20;

/// Shows what would be asked about, and how to decide without being asked.
fn nobody(project: &Project, open: &[(&ProjectHook, Option<ContentHash>)], paint: Paint) -> Failure {
    let mut line = "snaphook trust".to_owned();
    for (hook, _) in open.iter().take(MAX_SHOWN) {
        print::stdout(&show::hook(hook, &project.store, paint));
        line += &format!(" {}={}", printable(&hook.name), hook.hash);
    }
    let more = match open.len().saturating_sub(MAX_SHOWN) {
        0 => String::new(),
        more => format!("\n{more} more hooks wait; `snaphook trust --print` names all"),
    };
    Failure::Usage(format!(
        "not a terminal, so nothing was decided; pass the hash that you reviewed:\n    {line}{more}"
    ))
}

/// Runs `snaphook ignore`.
///
/// # Errors
/// As [`trust`].
pub(crate) fn ignore(env: &Env, args: &IgnoreArgs) -> Result<Exit, Failure> {
    let project = Project::of(env, &args.project)?;
    let chosen = project.chosen(&args.hooks)?;
    project
        .store
        .ignore(chosen.iter().map(|(hook, _)| (&hook.key, &hook.candidate.raw)))
        .map_err(store_failure)?;
    for (hook, _) in chosen {
        let name = printable(&hook.name);
        print::stdout(&match hook.candidate.language {
            Language::McpServer => format!("ignored {name}: this entry is not started here\n"),
            _ => format!("ignored {name}: this version is not loaded here, and denies nothing\n"),
        });
    }
    Ok(Exit::Fine)
}

/// Runs `snaphook untrust`.
///
/// # Errors
/// As [`trust`].
pub(crate) fn untrust(env: &Env, args: &UntrustArgs) -> Result<Exit, Failure> {
    let project = Project::of(env, &args.project)?;
    let is_former = |name: &String| project.former.iter().any(|former| former.answers_to(name));
    let (former, names): (Vec<_>, Vec<_>) = args.hooks.iter().cloned().partition(is_former);
    let chosen = project.chosen(&names)?;
    let gone: Vec<_> =
        project.former.iter().filter(|one| former.iter().any(|name| one.answers_to(name))).collect();
    let places = chosen.iter().map(|(hook, _)| (&hook.key, hook.hash));
    let places = places.chain(gone.iter().map(|former| (&former.key, former.hash())));
    project.store.withdraw(places).map_err(store_failure)?;
    for former in gone {
        let name = printable(&former.key.hook);
        print::stdout(&format!(
            "{name} is no hook any more, and denies nothing: if it comes back, it is undecided\n"
        ));
    }
    for (hook, _) in chosen {
        if hook.candidate.language == Language::McpServer {
            let name = printable(&hook.name);
            print::stdout(&format!("undecided {name}: `snaphook run` does not start it\n"));
            continue;
        }
        let more = match hook.state {
            TrustState::Trusted => ", in every project that has this version",
            TrustState::Ignored | TrustState::Undecided => "",
        };
        let name = printable(&hook.name);
        print::stdout(&format!("undecided {name}: nothing of it runs, and gated calls are denied{more}\n"));
    }
    Ok(Exit::Fine)
}

/// Trusts what the command has just written itself; says why if it cannot.
pub(crate) fn trust_own(
    directories: &Directories,
    path: &std::path::Path,
    texts: &[&str],
) -> Result<(), String> {
    let store =
        TrustStore::locate(directories, Trust::default().owners).map_err(|problem| problem.to_string())?;
    let resolved = path.canonicalize().map_err(|error| error.to_string())?;
    let hooks = discover(directories, &[]).project;
    let hook = hooks.iter().find(|hook| hook.candidate.path == resolved);
    let is_own = |bytes: &[u8]| texts.iter().any(|text| text.as_bytes() == bytes);
    let own = |hook: &&ProjectHook| hook.candidate.raw.values().all(|bytes| is_own(bytes));
    let hook = hook.filter(own).ok_or("it is not what was written")?;
    store.trust([(&hook.key, &hook.candidate.raw)]).map_err(|problem| problem.to_string())
}
