//! `snaphook hold`: a profile and a policy become one, and this process becomes the command. Not here: holding itself
//! (`snaphook_hold`).

pub(crate) mod args;
mod around;

use std::ffi::OsString;

use serde_json::{Value, json};
use snaphook_core::{Hold, HoldProfile, json_object};
use snaphook_hold::{
    By, Command, Facility, Landlock, OpenReason, Part, Policy, PolicyError, Strictness, Support, exec_held,
    plan,
};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::hold::args::HoldArgs;
use crate::hold::around::Around;
use crate::print::{self, Paint};

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
    surroundings.check(&hold)?;
    if !args.check {
        surroundings.make_caches(env, &hold);
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
    let help = match &failure {
        snaphook_hold::Failure::Plan(_) => "; `snaphook hold --check` prints what this machine can hold",
        _ => "",
    };
    print::error(env, &format!("{failure}{help}"));
    Ok(match failure.code() {
        127 => Exit::NotFound,
        126 => Exit::CannotRun,
        _ => Exit::NotHeld,
    })
}

fn read(text: &str) -> Result<Hold, Failure> {
    let object = json_object(text)
        .map_err(|error| Failure::Usage(format!("--policy is not a JSON object: {error}")))?;
    Hold::parse(&Value::Object(object)).map_err(|error| Failure::Usage(format!("--policy: {error}")))
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
