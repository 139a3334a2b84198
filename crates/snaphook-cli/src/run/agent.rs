//! A session with an agent that speaks ACP, in the current folder. Not here: the protocol and its gates (`snaphook-acp`), driving
//! it (`snaphook-agent`), the agent's own hooks (`own_hooks`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use snaphook::{CancellationToken, DefaultVerdict, HeadlessUi, HoldTools, UiContext};
use snaphook_agent::acp::AcpAgent;
use snaphook_agent::driver::{DrivePlan, Lists, drive};
use snaphook_agent::lists::{FileLists, TaskHandler};
use snaphook_agent::model::provider::key_variables;
use snaphook_agent::tools::Workspace;
use snaphook_discovery::Settings;
use snaphook_mcp_transport::child::Server;
use snaphook_session::agent_loop::pending::Pending;
use snaphook_session::hosting::{self, HostPlan, Records};
use snaphook_session::{required, status_folder};

use super::args::RunArgs;
use super::own_hooks::OwnHooks;
use super::telling::Telling;
use super::{head, input};
use crate::arg_values::DefaultArg;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::upstream::program_request;
use crate::print::{self, Paint};
use crate::trust::ask::{AtStart, at_start};
use crate::wiring;

/// The agent's name, which hooks see as `ctx.agent`.
const AGENT: &str = "acp";

/// The time that an agent may take to end by itself once the session is over.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs the command.
pub(super) async fn run(env: &Env, args: RunArgs) -> Result<Exit, Failure> {
    let prompt = match args.prompt.as_deref() {
        Some("-") => input::stdin()?,
        Some(prompt) => prompt.to_owned(),
        None => {
            return Err(Failure::Usage("an agent is named, and no task: write it before `--`".to_owned()));
        }
    };
    let default = args.default.map(DefaultArg::verdict).or(args.ci.then_some(DefaultVerdict::Deny));
    let own = OwnHooks::set(env, &args.command, default)?;
    if args.ci && own.is_blind {
        return Err(Failure::Usage(format!(
            "with --ci the agent has to pass a gate, and this one has none: {}. Use an agent that is known (OpenCode, Gemini CLI, \
             codex-acp), or leave --ci out",
            own.told.last().map(String::as_str).unwrap_or_default()
        )));
    }
    // The agent may need the keys of its provider. Hooks and the commands of terminals get none.
    session(&env.without(key_variables()), &args, prompt, default, &own).await
}

async fn session(
    env: &Env,
    args: &RunArgs,
    prompt: String,
    default: Option<DefaultVerdict>,
    own: &OwnHooks,
) -> Result<Exit, Failure> {
    let directories = args.compat.with(wiring::directories(env, args.cwd.as_deref())?);
    let trust = args.pins.trust(env, &[&directories.project_root])?;
    let found = || wiring::gating_hooks(env, &directories, &args.hooks, &trust);
    let mut hooks = found();
    if !args.is_headless() {
        match at_start(env, &directories, &hooks, &trust)? {
            AtStart::Unchanged => {}
            AtStart::Decided => hooks = found(),
            AtStart::Interrupted => return Ok(Exit::Interrupted),
        }
    }
    required::require(&mut hooks, &directories, &trust);
    let settings: Settings = wiring::settings(&directories, &mut hooks);
    let session = hosting::new_session(&directories, AGENT);
    let id = session.id.clone();
    let lists = FileLists {
        directories: directories.clone(),
        trust: trust.clone(),
        env: Arc::clone(&env.vars),
        program: env.program.clone(),
        session: id.clone(),
    };
    let has_lists = !lists.is_empty();
    let lists: Arc<dyn Lists> = Arc::new(lists);
    let waiting = Pending::default();
    // The agent runs its commands itself: a permission cannot carry a held one.
    let (records, hold) = (Records::Audit, HoldTools::Off);
    let plan = HostPlan {
        env,
        directories: &directories,
        hooks,
        settings: &settings,
        session,
        default,
        records,
        hold,
    };
    let ui: Arc<dyn UiContext> =
        if args.is_headless() { Arc::new(HeadlessUi) } else { wiring::ui(env, None)? };
    let mut builder = plan.builder(&wiring::engines(false)?).ui(ui);
    if has_lists {
        builder = builder.handler(Arc::new(TaskHandler::new(Arc::clone(&lists), waiting.clone())));
    }
    let host = builder.build();
    let paint = Paint { on: !args.as_json() && env.colours(env.stdout_is_terminal) };
    head::tell(&host, &directories, paint, args.as_json());

    let workspace = Workspace::new(&directories.cwd).map_err(|error| Failure::Usage(error.to_string()))?;
    let workspace = Arc::new(workspace);
    let mut request = program_request(env, &args.command, &directories.cwd);
    request.env = own.vars.clone();
    let (process, transport) = Server::start(&request).await.map_err(|error| {
        let program = Path::new(&request.program).display();
        Failure::Usage(format!("the agent `{program}` cannot be started: {error}"))
    })?;
    let cancel = CancellationToken::new();
    wiring::cancel_when_told(&cancel);
    let begun = tokio::select! {
        begun = AcpAgent::start(host.clone(), Arc::clone(&workspace), env.vars.to_vec(), transport) => Some(begun),
        () = cancel.cancelled() => None,
    };
    let mut driver = match begun {
        Some(Ok(driver)) => driver,
        Some(Err(error)) => {
            process.end(PATIENCE).await;
            print::error(env, &format!("the session with the agent did not begin: {error}"));
            return Ok(Exit::Failed);
        }
        None => {
            process.end(Duration::ZERO).await;
            return Ok(Exit::Interrupted);
        }
    };
    let name = driver.info().name.clone().unwrap_or_else(|| "agent".to_owned());
    let mut plan = DrivePlan {
        cancel,
        timeout: args.model.timeout,
        lists,
        waiting,
        checks: status_folder::of_session(&directories, AGENT, Some(&id)),
        ..DrivePlan::new(id.as_str(), name.as_str(), workspace)
    };
    args.iterate.plan(&mut plan, env, &directories.cwd);
    let mut telling = Telling::new(env, paint, args.as_json());
    for text in &own.told {
        telling.notice(text.clone());
    }
    let mut prompts = args.iterate.prompts(prompt);
    let driven = drive(&host, &mut driver, &mut *prompts, &plan, Vec::new(), &mut telling).await;
    drop(driver);
    process.end(PATIENCE).await;
    telling.write(args.summary.as_deref(), &name)?;
    let summary =
        driven.summary.map_err(|error| Failure::Internal(format!("failed to drive the session: {error}")))?;
    Ok(super::model::exit(summary.ending))
}
