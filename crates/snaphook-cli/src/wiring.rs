//! From the command line to a host: engines, rules, who is asked. Not here: the parts of a host, and where hooks are
//! (`snaphook_session::hosting`).

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use snaphook::{
    Builder, CancellationToken, DefaultVerdict, DeferUi, Discovery, Engines, HeadlessUi, HoldTools, Language,
    ScriptedUi, UiContext,
};
use snaphook_command::executable::CommandEngine;
use snaphook_discovery::{Directories, Settings};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use snaphook_session::SessionError;
use snaphook_session::hosting::{self, HostPlan, Records};
pub(crate) use snaphook_session::hosting::{gating_hooks, hooks_of, session, settings};

use crate::arg_values::Ui;
use crate::env::Env;
use crate::exit::Failure;
use crate::terminal::TerminalUi;

/// The folders for a working directory.
///
/// # Errors
/// The folder does not exist.
pub(crate) fn directories(env: &Env, cwd: Option<&Path>) -> Result<Directories, Failure> {
    Ok(hosting::directories(env, cwd)?)
}

/// The engines by language, also those that count lines where they can.
///
/// # Errors
/// One of them does not start.
pub(crate) fn engines(coverage: bool) -> Result<Engines, SessionError> {
    let lua = if coverage { LuaEngine::with_coverage() } else { LuaEngine::new() };
    let failed = |cause| SessionError::Engine { language: Language::Lua, cause };
    Ok(engines_with(lua.map_err(failed)?))
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

/// A host with the hooks of these folders, which holds commands where the settings say so; the caller adds who is asked.
///
/// # Errors
/// An engine does not start.
pub(crate) fn host(
    env: &Env,
    directories: &Directories,
    hooks: Discovery,
    agent: &str,
    default: Option<DefaultVerdict>,
    records: Records<'_>,
) -> Result<Builder, Failure> {
    host_that_holds(env, directories, hooks, agent, default, records, HoldTools::Off)
}

/// The same, which holds these commands where the settings do not say.
///
/// # Errors
/// An engine does not start.
pub(crate) fn host_that_holds(
    env: &Env,
    directories: &Directories,
    mut hooks: Discovery,
    agent: &str,
    default: Option<DefaultVerdict>,
    records: Records<'_>,
    hold: HoldTools,
) -> Result<Builder, Failure> {
    let settings = settings(directories, &mut hooks);
    let session = hosting::new_session(directories, agent);
    let plan = HostPlan { env, directories, hooks, settings: &settings, session, default, records, hold };
    Ok(plan.builder(&engines(false)?))
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

/// Cancels the token when the process is asked to end: Ctrl-C, or a signal that asks for it. Closing events then still
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
