//! `snaphook run`: a recorded session with real tools in a scratch project, guarded by hooks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snaphook::{CancellationToken, HeadlessUi, Hold, HoldProfile, HoldTools, Language, Problem, Severity};
use snaphook_agent::driver::{Ending, Replay, Step};
use snaphook_agent::replay::Recording;
use snaphook_agent::scratch::{Base, CopyLimits, Scratch, ScratchPlan};
use snaphook_discovery::{Settings, Trust};
use snaphook_hold::Strictness;
use snaphook_session::hosting::Records;
use snaphook_session::missing_for;
use snaphook_state::layout;

use crate::arg_values::DefaultArg;
use crate::args::RunArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::run_text::Teller;
use crate::trial::{self, Trial};
use crate::trust::ask::{AtStart, at_start};
use crate::{examples, render, wiring};

/// Runs the command.
pub(crate) async fn run(env: &Env, args: RunArgs) -> Result<Exit, Failure> {
    let recording = recording(&args)?;
    let base = base(env, &args, &recording)?;
    let state = wiring::directories(env, None)?.state;
    let state = state.ok_or_else(|| {
        Failure::Usage("there is no folder for state: set HOME or SNAPHOOK_STATE_DIR".to_owned())
    })?;
    let under = layout::scratch(&state);
    let plan = ScratchPlan {
        under: &under,
        base: &base,
        files: &recording.files,
        env: &env.vars,
        limits: CopyLimits::default(),
    };
    let trust = trust(env, &args, &base)?;
    let scratch = Scratch::create(plan).await;
    let scratch =
        scratch.map_err(|error| Failure::Internal(format!("failed to make the scratch project: {error}")))?;
    let done = session(env, &args, recording, &scratch, &trust, state).await;
    if let Err(error) = scratch.close() {
        print::error(env, &format!("failed to remove the scratch project: {error}"));
    }
    done
}

async fn session(
    env: &Env,
    args: &RunArgs,
    recording: Recording,
    scratch: &Scratch,
    trust: &Trust,
    state: PathBuf,
) -> Result<Exit, Failure> {
    let mut directories = args.compat.with(wiring::directories(env, Some(scratch.project()))?);
    // A relative one is meant from here, not from the scratch project, which is removed with all that is in it.
    directories.state = Some(state);
    let mut hooks = wiring::hooks_of(env, &directories, &args.hooks, trust);
    if !args.headless {
        match at_start(env, &directories, &hooks, trust)? {
            AtStart::Unchanged => {}
            AtStart::Decided => hooks = wiring::hooks_of(env, &directories, &args.hooks, trust),
            AtStart::Interrupted => return Ok(Exit::Interrupted),
        }
    }
    // Processes of hooks get the tools' environment, which keeps the person's secrets and git settings out.
    let (agent, default) = (&recording.agent, args.default.map(DefaultArg::verdict));
    let trial = directories.state.as_deref().filter(|_| !args.record.record);
    let trial = trial.map(|state| Trial::of(state, &[trial::STORE])).transpose()?;
    let records = trial.as_ref().map_or(Records::Audit, |trial| Records::Copy(trial.path()));
    let bundled = args.replay.is_none() && args.hooks.is_empty();
    let (hold, told) = hold_by_default(env, bundled);
    if let Some(told) = told.filter(|_| Settings::load(&directories).0.hold.tools.is_none()) {
        hold_note(env, args, &told);
    }
    let mut builder = wiring::host_that_holds(env, &directories, hooks, agent, default, records, hold)?
        .exec_env(scratch.env().to_vec())
        .engine(Language::Executable, wiring::executables(scratch.env(), &directories));
    if let Some(copied) = &trust.project {
        // The person's `PATH` may lead into the project itself, which decides about what is there.
        builder = builder.copied_from(wiring::directories(env, Some(copied))?.project_root);
    }
    if bundled {
        let language = args.lang.language();
        for script in examples::scripts(language) {
            builder = builder.script(script, language);
        }
    }
    builder = if args.headless {
        builder.ui(std::sync::Arc::new(HeadlessUi))
    } else {
        builder.ui(wiring::ui(env, None)?)
    };
    let host = builder.build();
    let paint = Paint { on: !args.json && env.colours(env.stdout_is_terminal) };
    if args.json {
        for problem in host.problems() {
            print::json(&json!({ "step": "hook_problem", "problem": problem }));
        }
    } else {
        let hooks = host.hooks();
        let names: Vec<_> = hooks.iter().map(|hook| hook.hook.id.as_str()).collect();
        let names = if names.is_empty() {
            "none; everything is allowed (add one with --hook PATH)".to_owned()
        } else {
            names.join(", ")
        };
        print::stdout(&format!("{} {names}\n", paint.bold("hooks:")));
        // Notes are shown by `list`.
        let notes = |problem: &Problem| problem.severity == Severity::Note;
        for problem in host.problems().into_iter().filter(|problem| !notes(problem)) {
            print::stdout(&render::problem_text(paint, &problem, &directories));
        }
    }
    let cancel = CancellationToken::new();
    wiring::cancel_when_told(&cancel);
    let mut teller = Teller::new(paint);
    let mut observer = |step: &Step| {
        if args.json {
            print::json(&step_json(step));
        } else {
            print::stdout(&teller.tell(step));
        }
    };
    let replay = Replay::new(recording, scratch)
        .map_err(|error| Failure::Internal(format!("failed to prepare the session: {error}")))?;
    let summary = replay.interrupted_by(cancel).run(&host, &mut observer).await;
    let summary =
        summary.map_err(|error| Failure::Internal(format!("failed to drive the session: {error}")))?;
    Ok(match summary.ending {
        Ending::Completed => Exit::Fine,
        Ending::Interrupted => Exit::Interrupted,
        // What only a model can come to, a recording does not.
        _ => Exit::Internal,
    })
}

/// The commands that are held where the settings do not say, and what is to be told of it: these tools really run, and nobody reads
/// their command lines before they do. The bundled session's are ours, and run unheld on a machine that can hold nothing.
fn hold_by_default(env: &Env, bundled: bool) -> (HoldTools, Option<String>) {
    let guarded = Hold { profile: Some(vec![HoldProfile::Guarded]), ..Hold::default() };
    let Some(program) = &env.program else { return (HoldTools::Always, None) };
    let missing = |strictness| missing_for(program, &guarded, strictness);
    match (missing(Strictness::AsAsked), missing(Strictness::AllowWeaker)) {
        (None, _) => (HoldTools::Always, None),
        (Some(_), Some(missing)) if bundled => (
            HoldTools::Off,
            Some(format!("the commands of this session run unheld: this machine lacks {missing}")),
        ),
        (Some(_), Some(missing)) => (
            HoldTools::Always,
            Some(format!(
                "commands cannot be held, and do not run: this machine lacks {missing}; `tools = \"off\"` in `[hold]` of \
                 config.toml runs them unheld"
            )),
        ),
        (Some(missing), None) => (
            HoldTools::Always,
            Some(format!("commands are held in a weaker form: this machine lacks {missing}")),
        ),
    }
}

fn hold_note(env: &Env, args: &RunArgs, text: &str) {
    if args.json {
        print::json(&json!({ "step": "notice", "text": text }));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        print::stdout(&format!("{} {}\n", paint.yellow("note:"), print::lines(text)));
    }
}

fn recording(args: &RunArgs) -> Result<Recording, Failure> {
    match &args.replay {
        Some(file) => Recording::load(file).map_err(|error| Failure::Usage(error.to_string())),
        None => Recording::tour().map_err(|error| Failure::Internal(error.to_string())),
    }
}

fn base(env: &Env, args: &RunArgs, recording: &Recording) -> Result<Base, Failure> {
    let Some(named) = &args.cwd else { return Ok(recording.base.clone()) };
    let directory: PathBuf = env.cwd.as_deref().unwrap_or(Path::new(".")).join(named);
    if !directory.is_dir() {
        return Err(Failure::Usage(format!("--cwd {} is not a folder", directory.display())));
    }
    Ok(Base::Directory(directory))
}

/// Returns the trust in the copy: that in the folder that was copied.
fn trust(env: &Env, args: &RunArgs, base: &Base) -> Result<Trust, Failure> {
    let here = wiring::directories(env, None)?.project_root;
    let copied = match base {
        Base::Directory(folder) => folder.canonicalize().ok(),
        Base::Sample | Base::Empty => None,
    };
    let roots: Vec<&Path> = [Some(here.as_path()), copied.as_deref()].into_iter().flatten().collect();
    Ok(Trust { project: copied.clone(), ..args.pins.trust(env, &roots)? })
}

/// A step as one JSON document.
fn step_json(step: &Step) -> Value {
    match step {
        Step::Started { name, agent, project } => {
            json!({ "step": "started", "name": name, "agent": agent, "project": project.display().to_string() })
        }
        Step::Problem(problem) => json!({ "step": "problem", "problem": problem }),
        Step::PromptSent { text, decision } => {
            json!({ "step": "prompt", "text": text, "decision": render::decision(decision) })
        }
        Step::PromptBlocked { text, decision } => {
            json!({ "step": "prompt_blocked", "text": text, "decision": render::decision(decision) })
        }
        Step::TurnStarted { index } => json!({ "step": "turn", "turn_index": index }),
        Step::AssistantText { text, subagent } => {
            json!({ "step": "text", "text": text, "subagent": subagent })
        }
        Step::SubagentStarted { subagent } => json!({ "step": "subagent_started", "subagent": subagent }),
        Step::SubagentEnded { subagent } => json!({ "step": "subagent_ended", "subagent": subagent }),
        Step::CallOutput { id, text } => json!({ "step": "output", "id": &**id, "text": text }),
        Step::CallDecided { call, decision } => {
            let mut document = render::decision(decision);
            document["step"] = json!("call");
            document["id"] = json!(&*call.id);
            document["tool"] = json!(&*call.tool);
            document["native_tool"] = json!(&*call.native_tool);
            document
        }
        Step::CallFinished { result, rewritten, recorded, duration } => json!({
            "step": "result",
            "id": &*result.call.id,
            "tool": &*result.call.tool,
            "content": &*result.content,
            "details": *result.details,
            "is_error": result.is_error,
            "rewritten": rewritten,
            "recorded": recorded,
            "duration_us": u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
        }),
        Step::Delivered { deliver, text } => {
            json!({ "step": "delivered", "deliver": deliver.as_str(), "hook": text.hook.id, "text": text.text })
        }
        Step::ContinueWith { text } => {
            json!({ "step": "continue_with", "hook": text.hook.id, "text": text.text })
        }
        Step::CheckSent { text } => json!({ "step": "check_sent", "text": text }),
        Step::ModelAsked { model, attempt } => {
            json!({ "step": "model_asked", "model": model, "attempt": attempt })
        }
        Step::TextDelta { text } => json!({ "step": "text_delta", "text": text }),
        Step::ModelAnswered { model, usage } => {
            json!({ "step": "model_answered", "model": model, "usage": usage })
        }
        Step::TurnBroken { why, again_after } => {
            let millis = again_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
            json!({ "step": "turn_broken", "why": why, "again_after_ms": millis })
        }
        Step::Compacted { summary } => json!({ "step": "compacted", "summary": summary }),
        Step::AgentFailed { error } => json!({ "step": "agent_failed", "error": error }),
        Step::Terminated { turns_left_out } => {
            json!({ "step": "terminated", "turns_left_out": turns_left_out })
        }
        Step::CheckPassed { hook } => json!({ "step": "check_passed", "hook": hook.id }),
        Step::CheckFailed { hook, reason, pending } => {
            json!({ "step": "check_failed", "hook": hook.id, "reason": reason, "pending": pending })
        }
        Step::Notice { text } => json!({ "step": "notice", "text": text }),
        Step::Report(report) => json!({ "step": "report", "report": render::report(report) }),
        Step::Ended(summary) => json!({ "step": "summary", "summary": summary }),
        _ => json!({ "step": "other" }),
    }
}
