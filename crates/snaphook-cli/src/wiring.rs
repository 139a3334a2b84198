//! From the command line to a host: folders, hooks, engines, who is asked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use snaphook::{
    Builder, CancellationToken, DefaultVerdict, DeferUi, Discovery, HeadlessUi, Host, HttpClient, Language,
    Problem, ScriptedUi, Session, Severity, UiContext,
};
use snaphook_command::executable::CommandEngine;
use snaphook_discovery::trust::TrustStore;
use snaphook_discovery::{Directories, Environment, Settings, Trust, discover_with};
use snaphook_guard::{Places, SelfProtection};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use snaphook_testing::Engines;

use crate::args::Ui;
use crate::audit::write::audited;
use crate::env::Env;
use crate::exit::Failure;
use crate::terminal::TerminalUi;

/// Settings, and what is wrong with them.
pub(crate) type Read = (Settings, Vec<Problem>);

/// The folders for a working directory.
///
/// # Errors
/// The folder does not exist.
pub(crate) fn directories(env: &Env, cwd: Option<&Path>) -> Result<Directories, Failure> {
    Ok(surroundings(env, cwd, None)?.0)
}

/// The folders for a working directory in a session that began in `start`, where that is known, and the settings that are in them.
///
/// # Errors
/// The folder does not exist.
pub(crate) fn surroundings(
    env: &Env,
    cwd: Option<&Path>,
    start: Option<PathBuf>,
) -> Result<(Directories, Read), Failure> {
    let here = env.cwd.clone();
    let gone = || Failure::Usage("the working directory is gone; name one with --cwd".to_owned());
    let cwd = match (cwd, here) {
        (Some(named), Some(here)) => here.join(named),
        (Some(named), None) => named.to_owned(),
        (None, here) => here.ok_or_else(gone)?,
    };
    if !cwd.is_dir() {
        return Err(Failure::Usage(format!("--cwd {} is not a folder", cwd.display())));
    }
    let environment = Environment { session_start: start, ..env.environment(cwd) };
    let mut directories = Directories::locate(&environment);
    // What is wrong with the settings is told where they are used.
    let read = Settings::load(&directories);
    directories.add_compat(read.0.compat.iter().copied());
    Ok((directories, read))
}

/// Paths of `--hook`. They are meant from where the command was called, not from `--cwd`; as they were written as far
/// as possible, because messages show them.
fn adhoc(env: &Env, directories: &Directories, hooks: &[PathBuf]) -> Vec<PathBuf> {
    let here = env.cwd.as_deref().filter(|here| **here != directories.cwd);
    hooks.iter().map(|path| here.map_or_else(|| path.clone(), |here| here.join(path))).collect()
}

/// The engines by language, also those that count lines where they can.
///
/// # Errors
/// One of them does not start.
pub(crate) fn engines(coverage: bool) -> Result<Engines, Failure> {
    let lua = if coverage { LuaEngine::with_coverage() } else { LuaEngine::new() };
    let lua = lua.map_err(|error| Failure::Internal(format!("failed to start the Lua engine: {error}")))?;
    Ok(engines_with(lua))
}

/// The engines by language, with this one for Luau.
pub(crate) fn engines_with(lua: LuaEngine) -> Engines {
    let mut engines = Engines::new();
    engines.insert(Language::Lua, Arc::new(lua));
    engines.insert(Language::Rhai, Arc::new(RhaiEngine::new()));
    engines
}

/// Returns what runs executables, with this environment: they are arbitrary code, and get the whole of it.
pub(crate) fn executables(vars: &[(OsString, OsString)], directories: &Directories) -> Arc<CommandEngine> {
    let user = Settings::load(directories).0.run_as_user;
    Arc::new(CommandEngine::new(vars.iter().cloned()).run_as_user(user))
}

/// A host with the hooks of these folders; the caller adds who is asked.
///
/// # Errors
/// An engine does not start.
pub(crate) fn host(
    env: &Env,
    directories: &Directories,
    mut hooks: Discovery,
    agent: &str,
    default: Option<DefaultVerdict>,
) -> Result<Builder, Failure> {
    let settings = settings(directories, &mut hooks);
    Ok(audited_host(env, directories, hooks, &settings, &engines(false)?, agent, default))
}

/// The same where nothing that is decided counts: no audit is written, and what hooks store goes to `state`.
///
/// # Errors
/// An engine does not start.
pub(crate) fn tried_host(
    env: &Env,
    directories: &Directories,
    mut hooks: Discovery,
    agent: &str,
    default: Option<DefaultVerdict>,
    state: Option<&Path>,
) -> Result<Builder, Failure> {
    let settings = settings(directories, &mut hooks);
    let builder = host_of(env, directories, hooks, &settings, &engines(false)?, agent);
    let builder = builder.default_rule(settings.default_for(default));
    Ok(match state {
        Some(state) => builder.state_dir(state),
        None => builder,
    })
}

/// The same with settings and engines that are there already.
pub(crate) fn audited_host(
    env: &Env,
    directories: &Directories,
    hooks: Discovery,
    settings: &Settings,
    engines: &Engines,
    agent: &str,
    default: Option<DefaultVerdict>,
) -> Builder {
    let builder = host_of(env, directories, hooks, settings, engines, agent);
    let builder = builder.default_rule(settings.default_for(default));
    audited(builder, &settings.audit, directories)
}

/// The settings in force; what is wrong with them joins what is wrong with hooks, and denies like it.
pub(crate) fn settings(directories: &Directories, discovery: &mut Discovery) -> Settings {
    in_force(Settings::load(directories), discovery)
}

/// The same of settings that were read a moment ago.
pub(crate) fn in_force((settings, problems): Read, discovery: &mut Discovery) -> Settings {
    discovery.problems.extend(problems);
    settings
}

/// The hooks of these folders, and those that were named.
pub(crate) fn hooks_of(env: &Env, directories: &Directories, hooks: &[PathBuf], trust: &Trust) -> Discovery {
    discover_with(directories, &adhoc(env, directories, hooks), trust)
}

/// The same for what gates calls: hooks that run here by a yes at another place are noted, so that they are missed when they are
/// gone.
pub(crate) fn gating_hooks(
    env: &Env,
    directories: &Directories,
    hooks: &[PathBuf],
    trust: &Trust,
) -> Discovery {
    let mut found = hooks_of(env, directories, hooks, trust);
    if found.shared.is_empty() {
        return found;
    }
    let noted =
        TrustStore::locate(directories, trust.owners).and_then(|store| store.note_shared(&found.shared));
    if let Err(problem) = noted {
        found.problems.push(Problem { severity: Severity::Warning, ..problem });
    }
    found
}

/// A host with these hooks and settings.
pub(crate) fn host_of(
    env: &Env,
    directories: &Directories,
    hooks: Discovery,
    settings: &Settings,
    engines: &Engines,
    agent: &str,
) -> Builder {
    let session = session(directories, agent, session_id(agent));
    let mut builder = Host::builder();
    for (language, engine) in engines {
        builder = builder.engine(*language, Arc::clone(engine));
    }
    let executables = CommandEngine::shared(Arc::clone(&env.vars)).run_as_user(settings.run_as_user.clone());
    builder = builder.engine(Language::Executable, Arc::new(executables));
    builder = builder.default_rule(settings.default.clone());
    if settings.self_protection {
        builder = builder.handler(Arc::new(SelfProtection::new(places(env, directories))));
    }
    let mut builder = builder
        .discovery(hooks)
        .exec_env_shared(Arc::clone(&env.vars))
        .own_places(directories)
        .session(session);
    builder = builder.web(Arc::new(HttpClient::default()));
    if let Some(home) = &directories.home {
        builder = builder.home(home);
    }
    match &directories.state {
        Some(state) => builder.state_dir(state),
        None => builder,
    }
}

/// Returns what self-protection guards.
fn places(env: &Env, directories: &Directories) -> Places {
    let path =
        env.var("PATH").map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
    Places::of(directories, env.program.clone(), path)
}

/// An id that no other run has, nor another session of this one: the system uses the number of a process again.
fn session_id(agent: &str) -> String {
    static BEFORE: AtomicU64 = AtomicU64::new(0);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let id = format!("{agent}-{}-{}", since.as_secs(), std::process::id());
    match BEFORE.fetch_add(1, Ordering::Relaxed) {
        0 => id,
        before => format!("{id}-{before}"),
    }
}

/// The session that calls belong to.
pub(crate) fn session(directories: &Directories, agent: &str, id: String) -> Session {
    Session {
        id,
        path: None,
        agent: agent.to_owned(),
        cwd: directories.cwd.clone(),
        project_root: directories.project_root.clone(),
        outputs: None,
    }
}

/// Returns who answers questions.
///
/// # Errors
/// A terminal was asked for and there is none.
pub(crate) fn ui(env: &Env, wanted: Option<&Ui>) -> Result<Arc<dyn UiContext>, Failure> {
    Ok(match wanted {
        Some(Ui::Headless) => Arc::new(HeadlessUi),
        Some(Ui::Defer) => Arc::new(DeferUi),
        Some(Ui::Scripted(answers)) => Arc::new(ScriptedUi::parse(answers)),
        Some(Ui::Terminal) if !env.can_ask() => {
            let text = "--ui terminal needs a terminal on standard input and standard error";
            return Err(Failure::Usage(text.to_owned()));
        }
        Some(Ui::Terminal) => Arc::new(TerminalUi::new()),
        None if env.can_ask() => Arc::new(TerminalUi::new()),
        None => Arc::new(HeadlessUi),
    })
}

/// Cancels the token when the process is told to end: Ctrl-C, or a signal that asks for it. Closing events then still
/// reach the hooks, and scratch projects are removed. It listens when this returns, not only when a task gets its turn.
pub(crate) fn cancel_when_told(cancel: &CancellationToken) {
    let cancel = cancel.clone();
    let told = told_to_end();
    tokio::spawn(async move {
        told.await;
        cancel.cancel();
    });
}

#[cfg(unix)]
fn told_to_end() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let listeners = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    async move {
        let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hang_up)] = listeners else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
