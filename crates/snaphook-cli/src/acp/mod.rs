//! `snaphook acp`: the gate between an editor and an ACP agent. What it does with messages is in `snaphook-acp`; here are the
//! hosts that it asks, the agent's process and the exit code. The streams of this process are those of `snaphook mcp`.

pub(crate) mod args;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use snaphook::{CancellationToken, HoldTools, Host, Severity, UiContext};
use snaphook_acp::{Ended, HostError, Hosts, Proxy, run};
use snaphook_discovery::Directories;
use snaphook_mcp_transport::Framed;
use snaphook_mcp_transport::child::Server;
use snaphook_session::hosting::{self, HostPlan, Records};
use snaphook_session::required;
use tokio::task::JoinSet;

use crate::acp::args::AcpArgs;
use crate::arg_values::DefaultArg;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::hook::args::ChoiceArgs;
use crate::mcp::stdio;
use crate::mcp::upstream::{code, program_request};
use crate::wiring;

/// The time that an agent may take to end by itself once its editor is gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// The time that the editor may take to read the last of it.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) fn acp(env: &Env, args: &AcpArgs) -> Result<Exit, Failure> {
    // One thread carries all messages, so that none has to wait until another one wakes up; hooks run beside it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Internal(format!("failed to start the runtime: {error}")))?;
    let exit = runtime.block_on(gate(env, args));
    // A read of standard input may never end.
    runtime.shutdown_background();
    exit
}

async fn gate(env: &Env, args: &AcpArgs) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let told = CancellationToken::new();
    wiring::cancel_when_told(&told);
    let request = program_request(env, &args.agent, &directories.cwd);
    let (agent, transport) = Server::start(&request).await.map_err(|error| {
        let program = Path::new(&request.program).display();
        Failure::Usage(format!("the agent `{program}` cannot be started: {error}"))
    })?;
    let Framed { transport: editor, written } = stdio::client();
    let hosts = FolderHosts { env: env.clone(), choice: args.choice.clone() };
    let proxy = Proxy { is_headless: args.headless, ..Proxy::new(Arc::new(hosts), directories.cwd) };
    let mut session = JoinSet::new();
    session.spawn(run(proxy, editor, transport));
    let patience = tokio::select! {
        ended = session.join_next() => match ended {
            Some(Ok(Ended::Editor)) => PATIENCE,
            // It has closed its output, and may still have to leave.
            Some(Ok(Ended::Agent)) => PATIENCE,
            Some(Err(_)) | None => Duration::ZERO,
        },
        () = told.cancelled() => Duration::ZERO,
        // An editor that was killed takes nothing back.
        () = stdio::nobody_reads() => PATIENCE,
    };
    drop(session);
    let outcome = agent.end(patience).await;
    // What the agent said last may still be on its way.
    let _ = tokio::time::timeout(LAST_WORDS, written).await;
    Ok(Exit::Server(code(&outcome)))
}

/// The hosts of sessions: each has the hooks of its folder.
struct FolderHosts {
    env: Env,
    choice: ChoiceArgs,
}

impl FolderHosts {
    fn build(&self, folder: &Path, ui: Arc<dyn UiContext>) -> Result<Host, Failure> {
        let FolderHosts { env, choice } = self;
        let directories: Directories = choice.compat.with(wiring::directories(env, Some(folder))?);
        let trust = choice.pins.trust(env, &[&directories.project_root])?;
        let mut hooks = wiring::gating_hooks(env, &directories, &choice.hooks, &trust);
        required::require(&mut hooks, &directories, &trust);
        let default = choice.default.map(DefaultArg::verdict);
        let settings = wiring::settings(&directories, &mut hooks);
        let engines = wiring::engines(false)?;
        let session = hosting::new_session(&directories, "acp");
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
        let host = plan.builder(&engines).ui(ui).build();
        for problem in host.problems() {
            match problem.severity {
                Severity::Error => tracing::error!(target: "snaphook", "{problem}"),
                _ => tracing::warn!(target: "snaphook", "{problem}"),
            }
        }
        Ok(host)
    }
}

impl Hosts for FolderHosts {
    fn host(&self, folder: &Path, ui: Arc<dyn UiContext>) -> Result<Host, HostError> {
        Ok(self.build(folder, ui)?)
    }
}
