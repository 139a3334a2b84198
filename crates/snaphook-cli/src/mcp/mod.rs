//! `snaphook mcp`: the gate between an MCP client and an MCP server. What it does with messages is in `snaphook-mcp`; here are
//! the host that it asks, the streams of the process and the exit code.

pub(crate) mod args;
pub(crate) mod pins;
mod stdio;
pub(crate) mod wrap;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use snaphook::{CancellationToken, Severity};
use snaphook_command::process::{Limits, Outcome, Request};
use snaphook_discovery::{ChangedTools, Directories, McpDenied};
use snaphook_mcp::child::Server;
use snaphook_mcp::pins::{PinGate, Pins};
use snaphook_mcp::{Options, Person, Proxy, run};

use crate::args::DefaultArg;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::args::{GateArgs, McpArgs, McpCommand};
use crate::wiring;

/// How long a server may take to end by itself once its client is gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long it may take to end when it is told to, before it is killed.
const TERM_GRACE: Duration = Duration::from_secs(3);

/// How long the client may take to read the last of it.
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
    // One thread carries all messages, so that none has to wait until another one wakes up; hooks have threads of their own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Internal(format!("failed to start the runtime: {error}")))?;
    let done = runtime.block_on(gate(env, &args.gate));
    runtime.shutdown_background();
    done
}

async fn gate(env: &Env, args: &GateArgs) -> Result<Exit, Failure> {
    if args.url.is_some() || args.listen.is_some() {
        return Err(Failure::Usage("this build has no HTTP: name a command behind --".to_owned()));
    }
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let told = CancellationToken::new();
    wiring::cancel_when_told(&told);
    let proxy = proxy(env, args, &directories)?;
    let (server, link) = start(env, args, &directories).await?;
    let client = stdio::client();
    let was_told = tokio::select! {
        () = run(proxy, client.link, link) => false,
        () = told.cancelled() => true,
    };
    let outcome = server.end(if was_told { Duration::ZERO } else { PATIENCE }).await;
    // What the server said last may still be on its way.
    let _ = tokio::time::timeout(LAST_WORDS, client.written).await;
    Ok(Exit::Server(code(&outcome)))
}

/// Who decides about one session.
fn proxy(env: &Env, args: &GateArgs, directories: &Directories) -> Result<Proxy, Failure> {
    let trust = args.choice.pins.trust(env, &[&directories.project_root])?;
    let hooks = wiring::hooks_of(env, directories, &args.choice.hooks, &trust);
    let default = args.choice.default.map(DefaultArg::verdict);
    let person = Arc::new(Person::default());
    let mut hooks = hooks;
    let settings = wiring::settings(directories, &mut hooks);
    let engines = wiring::engines(false)?;
    let pins = Arc::new(Pins::new(directories.state.as_deref(), server_of(args)));
    let gate = PinGate::new(Arc::clone(&pins), settings.mcp.changed_tools == ChangedTools::Deny);
    let builder = wiring::audited_host(env, directories, hooks, &settings, &engines, "mcp", default);
    let host = builder.handler(Arc::new(gate)).ui(person.clone()).build();
    for problem in host.problems() {
        match problem.severity {
            Severity::Error => tracing::error!(target: "snaphook", "{problem}"),
            _ => tracing::warn!(target: "snaphook", "{problem}"),
        }
    }
    let program = args.server.first().map(|program| Path::new(program).to_owned());
    let called = program.and_then(|program| Some(program.file_stem()?.to_string_lossy().into_owned()));
    let options = Options {
        name: args.name.clone(),
        called: called.unwrap_or_default(),
        denied_as_error: settings.mcp.denied == McpDenied::Error,
        pins: Some(pins),
    };
    Ok(Proxy { host, person, options })
}

/// Whose tools are pinned. Not by the name that the server gives itself: another one would be a new server.
fn server_of(args: &GateArgs) -> snaphook_mcp::pins::Server {
    let words = args.server.iter().map(|word| word.to_string_lossy().into_owned());
    let target: Vec<String> = args.url.iter().cloned().chain(words).collect();
    let called = target.first().map(|first| first.rsplit(['/', '\\']).next().unwrap_or(first).to_owned());
    let name = args.name.clone().or(called).unwrap_or_default();
    snaphook_mcp::pins::Server { name: snaphook_mcp::server_name(&name), target }
}

/// Starts the server's program, with all that we were given.
async fn start(
    env: &Env,
    args: &GateArgs,
    directories: &Directories,
) -> Result<(Server, snaphook_mcp::Link), Failure> {
    let mut words = args.server.iter().cloned();
    let program = words.next().unwrap_or_default();
    // What has no name cannot be handed on; it was none of the server's before either.
    let has_name = |name: &std::ffi::OsString| {
        let bytes = name.as_encoded_bytes();
        !bytes.is_empty() && !bytes.contains(&b'=')
    };
    let request = Request {
        args: words.collect(),
        env: env.vars.iter().filter(|(name, _)| has_name(name)).cloned().collect(),
        limits: Limits { term_grace: TERM_GRACE, ..Limits::default() },
        ..Request::new(program.clone(), directories.cwd.clone())
    };
    Server::start(&request).await.map_err(|error| {
        Failure::Usage(format!("the server `{}` cannot be started: {error}", program.display()))
    })
}

/// The exit code as a shell would tell it.
fn code(outcome: &Outcome) -> i32 {
    match (outcome.code(), outcome.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => Exit::Internal.code(),
    }
}
