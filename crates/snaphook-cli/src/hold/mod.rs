//! `snaphook hold`: a profile and a policy become one, and this process becomes the command. Not here: holding itself
//! (`snaphook_hold`).

pub(crate) mod args;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snaphook_command::process::Identity;
use snaphook_core::{Hold, HoldBase, HoldPath, HoldProfile, Severity};
use snaphook_discovery::{Directories, Environment, HoldSettings, Settings};
use snaphook_guard::Places;
use snaphook_hold::{
    By, Command, Facility, Landlock, OpenReason, Part, Policy, PolicyError, Strictness, Support,
    Surroundings, exec_held, plan, profile_hold, profile_walls,
};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::hold::args::HoldArgs;
use crate::print::{self, Paint};
use crate::wiring;

/// Runs the command. It returns only if nothing was run.
pub(crate) fn hold(env: &Env, args: &HoldArgs) -> Result<Exit, Failure> {
    let surroundings = Around::of(env, args.project.as_deref())?;
    let strictness = if args.allow_weaker { Strictness::AllowWeaker } else { Strictness::AsAsked };
    let mut hold = args.policy.as_deref().map(read).transpose()?.unwrap_or_default();
    let named = args.profile.iter().map(|profile| profile.profile()).collect::<Vec<_>>();
    if !named.is_empty() {
        hold = hold.strictest(Hold { profile: Some(named), ..Hold::default() });
    }
    if hold.is_empty() {
        hold.profile = Some(vec![HoldProfile::Guarded]);
    }
    let policy = surroundings.resolve(env, hold);
    if args.check {
        return Ok(check(env, args.json, policy, strictness));
    }
    let policy = match policy {
        Ok(policy) => policy,
        Err(error) => {
            print::error(env, &error.to_string());
            return Ok(Exit::NotHeld);
        }
    };
    let command = Command { words: words(args), env: env.vars.to_vec(), program_folders: env.search_path() };
    let failure = exec_held(&policy, &command, strictness);
    print::error(env, &failure.to_string());
    Ok(match failure.code() {
        127 => Exit::NotFound,
        126 => Exit::CannotRun,
        _ => Exit::NotHeld,
    })
}

fn read(text: &str) -> Result<Hold, Failure> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Failure::Usage(format!("--policy is not JSON: {error}")))?;
    Hold::parse(&value).map_err(|error| Failure::Usage(format!("--policy: {error}")))
}

/// The folders and settings that a policy is made of.
struct Around {
    /// The folders of the working directory, with the project that is meant.
    directories: Directories,
    hold: HoldSettings,
    cwd: PathBuf,
}

impl Around {
    /// The surroundings of this process.
    ///
    /// # Errors
    /// The folder does not exist, or the settings have a fault: it may have been what protects.
    fn of(env: &Env, project: Option<&Path>) -> Result<Self, Failure> {
        let here = wiring::directories(env, None)?;
        let cwd = here.cwd.clone();
        let directories = match project {
            Some(folder) => wiring::directories(env, Some(folder))?,
            None => here,
        };
        let (settings, problems) = Settings::load(&directories);
        match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
            Some(problem) => Err(Failure::Usage(problem.to_string())),
            None => Ok(Around { directories, hold: settings.hold, cwd }),
        }
    }

    /// The policy of a directive, for this project.
    fn resolve(&self, env: &Env, mut hold: Hold) -> Result<Policy, PolicyError> {
        let directories = &self.directories;
        let profiles = hold.profile.take().unwrap_or_default();
        for profile in &profiles {
            hold = hold.strictest(profile_hold(*profile));
        }
        let program_folders = env.search_path();
        let mut places = Vec::new();
        if !profiles.is_empty() {
            places.push(Places::of(directories, env.program.clone(), program_folders.iter().cloned()));
            // What gave `HOME` may have been the command that is held.
            let account = account(directories).map(|account| Places::of(&account, None, None));
            places.extend(account);
            if !self.hold.protected.is_empty() {
                let protected = self.hold.protected.iter().map(|path| of_project(path, directories));
                hold = hold.strictest(Hold { deny_write: Some(protected.collect()), ..Hold::default() });
            }
        }
        let guarded: Vec<PathBuf> = places.iter().flat_map(Places::paths).collect();
        let dedicated: Vec<PathBuf> = places.iter().flat_map(Places::dedicated_folders).collect();
        let writable_inside: Vec<PathBuf> = places.iter().flat_map(Places::open_folders).cloned().collect();
        let temporary = temporary(env);
        let runtime = env.path("XDG_RUNTIME_DIR");
        let home = directories.home.as_deref();
        let caches = absolute(&self.hold.caches, directories);
        let walls = profiles.iter().find_map(|profile| {
            profile_walls(*profile, &directories.project_root, home, &temporary, &caches)
        });
        Policy::resolve(
            &hold,
            &Surroundings {
                cwd: &self.cwd,
                home,
                runtime: runtime.as_deref(),
                temporary: &temporary,
                program_folders: &program_folders,
                places: &guarded,
                dedicated: &dedicated,
                writable_inside: &writable_inside,
                walls: walls.as_deref(),
            },
        )
    }
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

fn temporary(env: &Env) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp"].map(PathBuf::from);
    usual.into_iter().chain(env.path("TMPDIR").filter(|path| path.is_absolute())).collect()
}

/// A single argument is a command line for bash, and for no other shell: gates have read it as one.
fn words(args: &HoldArgs) -> Vec<OsString> {
    match args.command.as_slice() {
        [text] if !args.exec => vec!["bash".into(), "-c".into(), text.clone()],
        words => words.to_vec(),
    }
}

// ---- what this machine can hold ----

/// A facility of this machine, as it is shown.
struct FacilityLine {
    name: &'static str,
    works: bool,
    /// What it is, or why it is missing.
    text: String,
}

fn check(env: &Env, as_json: bool, policy: Result<Policy, PolicyError>, strictness: Strictness) -> Exit {
    let support = Support::probe();
    let planned: Result<_, snaphook_hold::Failure> = match &policy {
        Ok(policy) => plan(policy, &support, strictness).map_err(Into::into),
        Err(error) => Err(error.clone().into()),
    };
    let open = policy.as_ref().map(Policy::left_open).unwrap_or_default();
    let exit = if planned.is_ok() { Exit::Fine } else { Exit::Failed };
    let works = |name, facility: &Facility| match facility {
        Facility::Works => FacilityLine { name, works: true, text: "works".to_owned() },
        Facility::Missing(reason) => FacilityLine { name, works: false, text: reason.clone() },
    };
    let facilities = [
        works("mounts", &support.mounts),
        works("network namespace", &support.network),
        match &support.landlock {
            Landlock::Version(version) => {
                FacilityLine { name: "landlock", works: true, text: format!("version {version}") }
            }
            Landlock::Missing(reason) => {
                FacilityLine { name: "landlock", works: false, text: reason.clone() }
            }
        },
        works("seccomp", &support.seccomp),
    ];
    let parts = planned.as_ref().map(|plan| plan.parts.as_slice()).unwrap_or_default();
    if as_json {
        let facility = |line: &FacilityLine| {
            let key = if line.works { "state" } else { "reason" };
            json!({"name": line.name, "works": line.works, key: line.text})
        };
        let part = |part: &snaphook_hold::PartPlan| json!({"part": part_name(part.part), "by": by_name(part.by), "weaker": part.weaker});
        let left = |open: &snaphook_hold::LeftOpen| json!({"path": open.path.to_string_lossy(), "reason": open.reason.to_string()});
        print::json(&json!({
            "ok": planned.is_ok(),
            "error": planned.as_ref().err().map(ToString::to_string),
            "facilities": facilities.iter().map(facility).collect::<Vec<_>>(),
            "parts": parts.iter().map(part).collect::<Vec<_>>(),
            "not_guarded": open.iter().map(left).collect::<Vec<_>>(),
        }));
        return exit;
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    let mut text = String::new();
    for line in &facilities {
        let mark = if line.works { paint.green("ok") } else { paint.red("no") };
        text += &format!("{mark}  {:<18} {}\n", line.name, print::lines(&line.text));
    }
    text += "\n";
    for part in parts {
        text += &format!("{:<22} {}\n", part_name(part.part), by_name(part.by));
        if let Some(weaker) = part.weaker {
            text += &format!("{:<22} {}\n", "", paint.yellow(weaker));
        }
    }
    if let Err(error) = &planned {
        text += &format!("{} {}\n", paint.red("cannot be held:"), print::lines(&error.to_string()));
    }
    let (absent, open): (Vec<_>, Vec<_>) =
        open.iter().partition(|open| matches!(open.reason, OpenReason::Absent(_)));
    if !open.is_empty() {
        text += "\nnot guarded:\n";
        for open in open {
            text += &format!("  {}: {}\n", print::lines(&open.path.to_string_lossy()), open.reason);
        }
    }
    if !absent.is_empty() {
        text += &format!(
            "\n{} guarded places do not exist, and the folders that they would be in are in use: a held command can make \
             them. --json lists them.\n",
            absent.len()
        );
    }
    print::stdout(&text);
    exit
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::DenyWrite => "read-only files",
        Part::DenyRead => "hidden files, sockets",
        Part::DenyExec => "hidden programs",
        Part::OnlyWrite => "walls around writing",
        Part::Net => "network",
        Part::Env => "variables",
        Part::Processes => "other processes",
        Part::Signals => "signals",
    }
}

fn by_name(by: By) -> &'static str {
    match by {
        By::Mounts => "mounts",
        By::Landlock => "Landlock",
        By::Seccomp => "system call filter",
        By::NetworkNamespace => "network namespace",
        By::Proxy => "network namespace and proxy",
        By::Withheld => "not passed on",
        By::OuterHold => "the hold around this one",
        By::Nothing => "nothing",
    }
}
