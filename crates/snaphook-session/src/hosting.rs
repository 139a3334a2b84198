//! From folders and settings to a host: which hooks, which engines, which rules, what is written down. Not here: who is
//! asked, and hosts that are kept (`host_cache`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use snaphook::{
    Builder, DefaultVerdict, Discovery, Engines, Hold, HoldProfile, HoldTools, Host, Language, Problem,
    Session, Severity, StandingHold,
};
use snaphook_command::executable::CommandEngine;
use snaphook_discovery::trust::TrustStore;
use snaphook_discovery::{
    Directories, Environment, HoldSettings, Settings, Trust, Unsupported, discover_with,
};
use snaphook_guard::{Places, SelfProtection};

use crate::audit::audited;
use crate::env::ProcessEnv;
use crate::error::SessionError;
use crate::holder::ProgramHolder;

/// Settings, and the problems with them.
pub type LoadedSettings = (Settings, Vec<Problem>);

/// Returns the folders for a working directory; without one, for the process's own.
///
/// # Errors
/// The folder does not exist.
pub fn directories(env: &ProcessEnv, cwd: Option<&Path>) -> Result<Directories, SessionError> {
    Ok(surroundings(env, cwd, None)?.0)
}

/// Returns the folders for a working directory in a session that began in `start`, where that is known, and the
/// settings that are in them.
///
/// # Errors
/// The folder does not exist.
pub fn surroundings(
    env: &ProcessEnv,
    cwd: Option<&Path>,
    start: Option<PathBuf>,
) -> Result<(Directories, LoadedSettings), SessionError> {
    let here = env.cwd.clone();
    let cwd = match (cwd, here) {
        (Some(named), Some(here)) => here.join(named),
        (Some(named), None) => named.to_owned(),
        (None, here) => here.ok_or(SessionError::NoWorkingDirectory)?,
    };
    if !cwd.is_dir() {
        return Err(SessionError::NotAFolder(cwd));
    }
    let environment = Environment { session_start: start, ..env.environment(cwd) };
    let mut directories = Directories::locate(&environment);
    // Problems with the settings are reported where the settings are used.
    let loaded = Settings::load(&directories);
    directories.add_compat(loaded.0.compat.iter().copied());
    Ok((directories, loaded))
}

/// Returns the settings in force; the problems with them join those with hooks, and deny like them.
pub fn settings(directories: &Directories, hooks: &mut Discovery) -> Settings {
    in_force(Settings::load(directories), hooks)
}

/// Does the same with settings that were read a moment ago.
pub fn in_force((settings, problems): LoadedSettings, hooks: &mut Discovery) -> Settings {
    hooks.problems.extend(problems);
    settings
}

/// Returns the hooks of these folders, and those that were named.
///
/// Named paths are meant from where the process was started, not from `directories.cwd`; they stay as they were written
/// as far as possible, because messages show them.
pub fn hooks_of(env: &ProcessEnv, directories: &Directories, named: &[PathBuf], trust: &Trust) -> Discovery {
    let here = env.cwd.as_deref().filter(|here| **here != directories.cwd);
    let named: Vec<PathBuf> =
        named.iter().map(|path| here.map_or_else(|| path.clone(), |here| here.join(path))).collect();
    discover_with(directories, &named, trust)
}

/// Returns the same for a process that gates calls: hooks that run here because they were trusted elsewhere are noted,
/// so that they are missed when they are gone.
pub fn gating_hooks(
    env: &ProcessEnv,
    directories: &Directories,
    named: &[PathBuf],
    trust: &Trust,
) -> Discovery {
    let mut found = hooks_of(env, directories, named, trust);
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

/// The records that a host keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records<'a> {
    /// The audit that the settings ask for, and what hooks store.
    Audit,
    /// The values that hooks store, and no audit.
    Store,
    /// Values that hooks store go to this folder, and no audit is written: no decision counts.
    Copy(&'a Path),
}

/// The parts of a host. The caller adds who is asked.
#[derive(Debug)]
pub struct HostPlan<'a> {
    /// The process.
    pub env: &'a ProcessEnv,
    /// The folders.
    pub directories: &'a Directories,
    /// The hooks.
    pub hooks: Discovery,
    /// The settings in force.
    pub settings: &'a Settings,
    /// The session that calls belong to.
    pub session: Session,
    /// The verdict on a call that no hook explicitly allows. Default: the settings say.
    pub default: Option<DefaultVerdict>,
    /// The records that are kept.
    pub records: Records<'a>,
    /// The calls that are held where the settings do not say.
    pub hold: HoldTools,
}

impl HostPlan<'_> {
    /// Returns a builder with these engines, and one for executables.
    pub fn builder(self, engines: &Engines) -> Builder {
        let HostPlan { env, directories, hooks, settings, session, default, records, hold } = self;
        let executables = CommandEngine::shared(Arc::clone(&env.vars))
            .run_as_user(settings.run_as_user.clone())
            .held_by(env.program.clone());
        let mut builder = Host::builder().engine(Language::Executable, Arc::new(executables));
        for (language, engine) in engines {
            builder = builder.engine(*language, Arc::clone(engine));
        }
        if settings.self_protection {
            let places = Places::of(directories, env.program.clone(), env.search_path());
            builder = builder.handler(Arc::new(SelfProtection::new(places)));
        }
        // Who asked for no hold is not refused a command for what this machine lacks.
        let by_default = settings.hold.tools.is_none() && hold != HoldTools::Off;
        let unset = if by_default { Unsupported::Weaker } else { Unsupported::Deny };
        let unsupported = settings.hold.unsupported.unwrap_or(unset);
        builder = builder
            .holder(Arc::new(ProgramHolder::new(env, directories, unsupported)))
            .standing_hold(standing_hold(&settings.hold, hold))
            .default_rule(settings.default_for(default))
            .limits(settings.limits.clone())
            .discovery(hooks)
            .exec_env_shared(Arc::clone(&env.vars))
            .own_places(directories)
            .session(session);
        #[cfg(feature = "http")]
        {
            builder = builder.web(Arc::new(snaphook::HttpClient::default()));
        }
        if let Some(home) = &directories.home {
            builder = builder.home(home);
        }
        let state = match records {
            Records::Copy(folder) => Some(folder),
            Records::Audit | Records::Store => directories.state.as_deref(),
        };
        if let Some(state) = state {
            builder = builder.state_dir(state);
        }
        if records == Records::Audit { audited(builder, &settings.audit, directories) } else { builder }
    }
}

/// The directive that needs no hook: what the settings say, for the calls that they name.
pub fn standing_hold(settings: &HoldSettings, unset: HoldTools) -> StandingHold {
    let profile = settings.profile.clone().unwrap_or_else(|| vec![HoldProfile::Guarded]);
    StandingHold {
        tools: settings.tools.unwrap_or(unset),
        hold: Hold { profile: Some(profile), ..Hold::default() },
    }
}

/// Returns a session of an agent in these folders, with an id that no other run has, nor another session of this
/// process: the system uses the number of a process again.
pub fn new_session(directories: &Directories, agent: &str) -> Session {
    static BEFORE: AtomicU64 = AtomicU64::new(0);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let id = format!("{agent}-{}-{}", since.as_secs(), std::process::id());
    let id = match BEFORE.fetch_add(1, Ordering::Relaxed) {
        0 => id,
        before => format!("{id}-{before}"),
    };
    session(directories, agent, id)
}

/// Returns a session of an agent in these folders.
pub fn session(directories: &Directories, agent: &str, id: String) -> Session {
    Session {
        id,
        path: None,
        agent: agent.to_owned(),
        cwd: directories.cwd.clone(),
        project_root: directories.project_root.clone(),
        outputs: None,
    }
}
