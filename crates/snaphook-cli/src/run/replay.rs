//! A recorded session with real tools in a scratch project, guarded by hooks. Not here: a session with a model (`model`).

use std::path::{Path, PathBuf};

use snaphook::{CancellationToken, HeadlessUi, Language};
use snaphook_agent::driver::{Ending, Replay, Step};
use snaphook_agent::replay::Recording;
use snaphook_agent::scratch::{Base, CopyLimits, Scratch, ScratchPlan};
use snaphook_discovery::{Settings, Trust};
use snaphook_session::hosting::Records;
use snaphook_state::layout;

use super::text::Teller;
use super::{head, hold, json as json_steps};
use crate::arg_values::DefaultArg;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::run::args::RunArgs;
use crate::trial::{self, Trial};
use crate::trust::ask::{AtStart, at_start};
use crate::{examples, wiring};

/// Runs the command.
pub(super) async fn run(env: &Env, args: RunArgs) -> Result<Exit, Failure> {
    let recording = recording(&args)?;
    let base = base(env, &args, &recording)?;
    let state = wiring::directories(env, None)?.state;
    let state = state.ok_or_else(super::no_state)?;
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
    let (hold, told) = hold::by_default(env, bundled);
    if let Some(told) = told.filter(|_| Settings::load(&directories).0.hold.tools.is_none()) {
        hold::tell(env, args.json, &told);
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
    head::tell(&host, &directories, paint, args.json);
    let cancel = CancellationToken::new();
    wiring::cancel_when_told(&cancel);
    let mut teller = Teller::new(paint);
    let mut observer = |step: &Step| {
        if args.json {
            print::json(&json_steps::step(step));
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
