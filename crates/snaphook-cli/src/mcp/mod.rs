//! `snaphook mcp`: the gate between an MCP client and an MCP server. What it does with messages is in `snaphook-mcp`; here are
//! the host that it asks, the streams of the process and the exit code. `side` is the server, `listen` clients over HTTP.

pub(crate) mod args;
mod listen;
pub(crate) mod pins;
pub(crate) mod stdio;
pub(crate) mod upstream;
pub(crate) mod wrap;

use std::sync::Arc;
use std::time::Duration;

use snaphook::{CancellationToken, HoldTools, Severity};
use snaphook_discovery::{ChangedTools, Directories, McpDenied, Unseen};
use snaphook_mcp::pins::PinGate;
use snaphook_mcp::{ElicitationUi, Options, Proxy, run};
use snaphook_mcp_transport::Framed;
use snaphook_session::hosting::{self, HostPlan, Records};
use snaphook_session::required;
use tokio::task::JoinSet;

use crate::arg_values::DefaultArg;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::args::{GateArgs, McpArgs, McpCommand};
use crate::mcp::upstream::Target;
use crate::wiring;

/// The time that a server may take to end by itself once its client is gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// The time that the client may take to read the last of it.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) fn mcp(env: &Env, args: &McpArgs) -> Result<Exit, Failure> {
    match &args.command {
        Some(McpCommand::Wrap(args)) => return wrap::wrap(env, args),
        Some(McpCommand::Unwrap(args)) => return wrap::unwrap(env, args),
        Some(McpCommand::Pins(args)) => return pins::pins(env, args),
        Some(McpCommand::Accept(args)) => return pins::accept(env, args),
        None => {}
    }
    // One thread carries all messages, so that none has to wait until another one wakes up; hooks run beside it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Internal(format!("failed to start the runtime: {error}")))?;
    let exit = runtime.block_on(gate(env, &args.gate));
    // A read of standard input may never end.
    runtime.shutdown_background();
    exit
}

async fn gate(env: &Env, args: &GateArgs) -> Result<Exit, Failure> {
    let directories = args.choice.compat.with(wiring::directories(env, args.cwd.as_deref())?);
    let told = CancellationToken::new();
    wiring::cancel_when_told(&told);
    let target = Target::of(env, args, &directories)?;
    let proxy = || proxy(env, args, &directories, &target);
    if let Some(address) = &args.listen {
        return listen::listen(address, args.allow_remote, proxy, &target, &told).await;
    }
    let proxy = proxy()?;
    let (side, transport) = target.begin().await?;
    let Framed { transport: client, written } = stdio::client();
    // It ends with the set.
    let mut session = JoinSet::new();
    session.spawn(run(proxy, client, transport));
    let was_told = until_over(&mut session, &told).await;
    drop(session);
    let exit = side.end(if was_told { Duration::ZERO } else { PATIENCE }).await;
    // What the server said last may still be on its way.
    let _ = tokio::time::timeout(LAST_WORDS, written).await;
    Ok(exit)
}

/// Runs the session until it is over, its output is closed, or the process is asked to end; returns whether it was asked.
async fn until_over(session: &mut JoinSet<()>, told: &CancellationToken) -> bool {
    tokio::select! {
        _ = session.join_next() => false,
        () = told.cancelled() => true,
        // A client that was killed while it waited for an answer takes none, and takes nothing back. What it said last still
        // reaches the server.
        () = stdio::nobody_reads() => {
            let _ = tokio::time::timeout(LAST_WORDS, session.join_next()).await;
            false
        }
    }
}

/// Returns who decides about one session.
fn proxy(env: &Env, args: &GateArgs, directories: &Directories, target: &Target) -> Result<Proxy, Failure> {
    let trust = args.choice.pins.trust(env, &[&directories.project_root])?;
    let mut hooks = wiring::gating_hooks(env, directories, &args.choice.hooks, &trust);
    required::require(&mut hooks, directories, &trust);
    let default = args.choice.default.map(DefaultArg::verdict);
    let elicitation = Arc::new(ElicitationUi::default());
    let settings = wiring::settings(directories, &mut hooks);
    let engines = wiring::engines(false)?;
    let pins = pins::of_session(args, directories);
    let gate = PinGate::new(Arc::clone(&pins), settings.mcp.changed_tools == ChangedTools::Deny);
    let session = hosting::new_session(directories, "mcp");
    let (records, hold) = (Records::Audit, HoldTools::Off);
    let plan = HostPlan { env, directories, hooks, settings: &settings, session, default, records, hold };
    let host = plan.builder(&engines).handler(Arc::new(gate)).ui(elicitation.clone()).build();
    for problem in host.problems() {
        match problem.severity {
            Severity::Error => tracing::error!(target: "snaphook", "{problem}"),
            _ => tracing::warn!(target: "snaphook", "{problem}"),
        }
    }
    let options = Options {
        name: args.name.clone(),
        called: target.called(),
        denied_as_error: settings.mcp.denied == McpDenied::Error,
        pins: Some(pins),
        withhold_unseen: settings.mcp.unseen == Unseen::Withhold,
    };
    Ok(Proxy { host, elicitation, options })
}
