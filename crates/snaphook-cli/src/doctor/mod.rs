//! `snaphook doctor`: what is printed of each check, and of a transcript that is compared with the audit. Not here: the checks
//! (`snaphook_setup::doctor`).

pub(crate) mod args;
mod holding;

use std::path::Path;

use serde_json::{Value, json};
use snaphook_adapters::Agent;
use snaphook_audit::mask_text;
use snaphook_discovery::{Directories, Trust, lifecycle_files};
use snaphook_session::CANNOT_JUDGE;
use snaphook_setup::doctor::{
    self as setup, Check, CheckVerdict, CoverageError, Prerequisites, TranscriptCall,
};
use snaphook_state::layout;
use tokio::runtime::Runtime;

use crate::doctor::args::DoctorArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::install::{agent_named, in_force, program};
use crate::lifecycle::{LifecycleEntry, LifecycleState};
use crate::print::{self, Paint};
use crate::trial::{self, Trial};
use crate::wiring;

/// Runs the command.
pub(crate) fn doctor(env: &Env, args: &DoctorArgs, runtime: &Runtime) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    if let Some(transcript) = &args.coverage {
        return coverage(env, &directories, transcript, args.json);
    }
    let agent = args.agent.as_deref().map(agent_named).transpose()?;
    let checks = checks(env, &directories, agent, runtime)?;
    let is_fine = !checks.iter().any(Check::is_wrong);
    if args.json {
        let checks: Vec<_> = checks.iter().map(document).collect();
        print::json(&json!({"ok": is_fine, "checks": checks}));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        print::stdout(&checks.iter().map(|check| text(check, paint)).collect::<String>());
    }
    Ok(if is_fine { Exit::Fine } else { Exit::Failed })
}

fn checks(
    env: &Env,
    directories: &Directories,
    agent: Option<&'static dyn Agent>,
    runtime: &Runtime,
) -> Result<Vec<Check>, Failure> {
    let state = directories.state.as_deref();
    let lifecycle = LifecycleEntry::all(&lifecycle_files(directories, &Trust::default()));
    let hooks = in_force(env, directories, "doctor")?;
    // Removed when it is dropped.
    let trial = state.map(|state| Trial::of(state, &[trial::STORE, trial::TRUST])).transpose()?;
    let prerequisites = Prerequisites {
        directories,
        vars: &env.vars,
        program: program(env)?,
        hooks,
        lifecycle: lifecycle.iter().map(lifecycle_check).collect(),
        trial: trial.as_ref().map(|trial| trial.path().to_owned()),
        log: state.map(layout::hook_log),
        not_evaluated: CANNOT_JUDGE,
    };
    Ok(runtime.block_on(async {
        let mut checks = setup::doctor(&prerequisites, agent).await;
        checks.push(holding::check(env, directories).await);
        checks
    }))
}

fn lifecycle_check(known: &LifecycleEntry) -> Check {
    let about = format!("lifecycle file {}", known.file);
    let (why, help) = known.why();
    let text = format!("{}: {why}", known.state.as_str());
    match known.state {
        LifecycleState::Loaded if known.leaves_out() => Check::wrong(&about, text, "correct these lines"),
        LifecycleState::Loaded => Check::fine(&about, text),
        LifecycleState::Ignored => Check::note(&about, text),
        LifecycleState::Untrusted | LifecycleState::Broken => {
            Check::wrong(&about, text, help.unwrap_or_else(|| "fix it".to_owned()))
        }
    }
}

fn text(check: &Check, paint: Paint) -> String {
    let (about, finding) = (print::brief(&check.about, 400), print::brief(&check.finding, 600));
    match &check.verdict {
        CheckVerdict::Fine => format!("{}    {about}: {finding}\n", paint.green("ok")),
        CheckVerdict::Note => format!("{}  {about}: {finding}\n", paint.yellow("note")),
        CheckVerdict::Wrong(remedy) => {
            format!("{} {about}: {finding} → {}\n", paint.red("wrong"), print::brief(remedy, 400))
        }
    }
}

fn document(check: &Check) -> Value {
    let (outcome, remedy) = match &check.verdict {
        CheckVerdict::Fine => ("ok", None),
        CheckVerdict::Note => ("note", None),
        CheckVerdict::Wrong(remedy) => ("wrong", Some(remedy)),
    };
    json!({"about": check.about, "outcome": outcome, "what": check.finding, "remedy": remedy})
}

/// Runs `snaphook doctor --coverage`.
fn coverage(env: &Env, directories: &Directories, file: &Path, as_json: bool) -> Result<Exit, Failure> {
    let file = env.cwd.as_deref().map_or_else(|| file.to_owned(), |here| here.join(file));
    let report = setup::coverage(directories, &file).map_err(|error| match error {
        CoverageError::Audit { .. } => Failure::Internal(error.to_string()),
        error => Failure::Usage(error.to_string()),
    })?;
    if as_json {
        let one = |call: &TranscriptCall| json!({"line": call.line, "id": call.id, "tool": call.tool, "input": call.input});
        let missing: Vec<_> = report.missing.iter().map(one).collect();
        print::json(&json!({"calls": report.calls, "session": report.session, "missing": missing}));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        let line = |call: &TranscriptCall| {
            let input = print::brief(&mask_text(&call.input.to_string()), 200);
            format!(
                "{} line {}: {} {} {input}\n",
                paint.red("not in the audit"),
                call.line,
                paint.bold(&print::brief(&call.tool, 80)),
                paint.dim(&print::brief(&call.id, 80)),
            )
        };
        let mut text: String = report.missing.iter().map(line).collect();
        text += &match (report.calls, report.missing.len()) {
            (0, _) => "the transcript has no tool call\n".to_owned(),
            (calls, 0) => format!("{} the audit has each of {calls} tool calls\n", paint.green("ok")),
            (calls, missing) => {
                format!("{} {missing} of {calls} tool calls bypassed snaphook\n", paint.red("wrong"))
            }
        };
        print::stdout(&text);
    }
    Ok(if report.missing.is_empty() { Exit::Fine } else { Exit::Failed })
}
