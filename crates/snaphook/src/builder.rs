//! Puts a host together. Every part has a default that needs no environment: no hooks, headless, no store, no
//! variables for processes.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use snaphook_audit::{Audit, AuditOptions};
use snaphook_core::{
    DefaultRule, Engine, Handler, Holder, HookRef, Level, Limits, Script, Session, StandingHold, UiContext,
};
use snaphook_discovery::{Directories, Discovery, Language};

use crate::clock::{Clock, SystemClock};
use crate::host::Host;
use crate::load::loader::Recipe;
use crate::load::registration_cache::RegistrationCache;
use crate::report::{Logger, Report, Reporter};
use crate::services::Shared;
use crate::services::auditor::Auditor;
use crate::services::exec::{Environment, Processes, SystemProcesses};
use crate::services::kv::{SessionState, Store};
use crate::services::outbox::Outbox;
use crate::services::ui::{HeadlessUi, QueuedUi};
#[cfg(feature = "web")]
use crate::web::{NoWeb, Web};

/// The engines by language.
pub type Engines = BTreeMap<Language, Arc<dyn Engine>>;

/// The time that one check may take by default, waiting included.
pub const DEFAULT_CHECK_WAIT: Duration = Duration::from_secs(600);

/// The parts of a host.
#[must_use]
pub struct Builder {
    recipe: Recipe,
    discovery: Discovery,
    session: Session,
    ui: Arc<dyn UiContext>,
    clock: Arc<dyn Clock>,
    state_dir: Option<PathBuf>,
    session_dir: Option<PathBuf>,
    env: Environment,
    variables: Option<Vec<(OsString, OsString)>>,
    home: Option<PathBuf>,
    processes: Arc<dyn Processes>,
    #[cfg(feature = "web")]
    web: Arc<dyn Web>,
    reporter: Option<Reporter>,
    logger: Option<Logger>,
    check_wait: Duration,
    audit: Option<Auditor>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            recipe: Recipe::default(),
            discovery: Discovery::default(),
            session: Session::default(),
            ui: Arc::new(HeadlessUi),
            clock: Arc::new(SystemClock),
            state_dir: None,
            session_dir: None,
            env: Environment::default(),
            variables: None,
            home: None,
            processes: Arc::new(SystemProcesses),
            #[cfg(feature = "web")]
            web: Arc::new(NoWeb),
            reporter: None,
            logger: None,
            check_wait: DEFAULT_CHECK_WAIT,
            audit: None,
        }
    }
}

impl Builder {
    /// The engine of a language. A hook in a language without one does not load, and denies.
    pub fn engine(mut self, language: Language, engine: Arc<dyn Engine>) -> Self {
        self.recipe.engines.insert(language, engine);
        self
    }

    /// Hooks that were found on disk, with the problems. Default: none.
    pub fn discovery(mut self, discovery: Discovery) -> Self {
        self.discovery = discovery;
        self
    }

    /// Adds a script from memory. It is loaded again by each [`Host::reload`].
    pub fn script(mut self, script: Script, language: Language) -> Self {
        self.recipe.scripts.push((script, language));
        self
    }

    /// Adds a handler written in Rust. Handlers of one hook keep the order in which they were added, and survive
    /// each [`Host::reload`].
    pub fn handler(mut self, handler: Arc<dyn Handler>) -> Self {
        self.recipe.handlers.push(handler);
        self
    }

    /// The limits of every hook. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.recipe.limits = limits;
        self
    }

    /// Sets what becomes of a tool call that no hook explicitly allows. Default: it is allowed, unless a hook objects.
    pub fn default_rule(mut self, rule: DefaultRule) -> Self {
        self.recipe.default = Arc::new(rule);
        self
    }

    /// Sets what holds the commands that hooks want held ([`Hold`](snaphook_core::Hold)). Without one they are denied.
    pub fn holder(mut self, holder: Arc<dyn Holder>) -> Self {
        self.recipe.holding.holder = Some(holder);
        self
    }

    /// Sets a directive for calls of `bash` that needs no hook. Default: none.
    pub fn standing_hold(mut self, standing: StandingHold) -> Self {
        self.recipe.holding.standing = standing;
        self
    }

    /// Sets how long one handler of `files_changed` or `pre_commit` may take, waiting included. Default: 10 minutes.
    pub fn check_wait(mut self, wait: Duration) -> Self {
        self.check_wait = wait;
        self
    }

    /// Sets how people are asked; a queue is put before it. Default: headless.
    pub fn ui(mut self, ui: Arc<dyn UiContext>) -> Self {
        self.ui = ui;
        self
    }

    /// The clock that scripts read. Default: the system's.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The folder under which hooks' stores are kept, in `store/`. Default: none; a hook that uses its store gets an
    /// error.
    pub fn state_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(dir.into());
        self
    }

    /// Keeps what scripts register in `registrations/` of this folder, under the hash of their content, and runs those that are
    /// known there only when one of their handlers is called. For programs that are started for each event. The folder counts
    /// as much as decisions about trust: only the user may write it. Default: every script runs when it is loaded.
    pub fn known_in(mut self, state_dir: impl AsRef<Path>) -> Self {
        self.recipe.known = Some(RegistrationCache::new(state_dir.as_ref()));
        self
    }

    /// A folder of the session's own, in which hooks' state is kept: for a program that handles one event of a session, so
    /// that the next one finds it. Default: none; state is kept in memory.
    pub fn session_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.session_dir = Some(dir.into());
        self
    }

    /// The environment of processes that hooks run, also where programs are looked up (`PATH`). Those of scripts get what
    /// [`CHILD_VARIABLES`](crate::CHILD_VARIABLES) and their grants name of it. Default: empty.
    pub fn exec_env(
        mut self,
        env: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        self.env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self
    }

    /// [`Builder::exec_env`] with an environment that others have, too.
    pub fn exec_env_shared(mut self, env: Arc<[(OsString, OsString)]>) -> Self {
        self.env = env;
        self
    }

    /// The environment variables that scripts see where they are granted, and that their processes get then. Default: those of
    /// [`Builder::exec_env`].
    pub fn variables(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let pairs = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.variables = Some(pairs.collect());
        self
    }

    /// The person's home folder, which `~/` in grants stands for. Default: none; such a grant allows nothing.
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// The project that the session's project is a copy of. Programs that are granted by name are looked up in neither.
    /// Default: it is no copy.
    pub fn copied_from(mut self, project: impl Into<PathBuf>) -> Self {
        self.recipe.copied_from = Some(project.into());
        self
    }

    /// Sets where hooks, settings, trust and state are. No script can change anything there, nor read the state,
    /// whatever it was granted. Default: nowhere, but for [`state_dir`](Builder::state_dir), each `.snaphook` folder,
    /// and the files of the hooks that are loaded, which are always out of reach.
    pub fn own_places(mut self, directories: &Directories) -> Self {
        Arc::make_mut(&mut self.recipe.own).add_directories(directories);
        self
    }

    /// Sets how processes that hooks want run. Default: the system runs them.
    pub fn processes(mut self, processes: Arc<dyn Processes>) -> Self {
        self.processes = processes;
        self
    }

    /// Sets how hooks reach web servers: `HttpClient`, or one of the embedder's own. Default: there is none.
    #[cfg(feature = "web")]
    pub fn web(mut self, web: Arc<dyn Web>) -> Self {
        self.web = web;
        self
    }

    /// The session of the first calls. Default: one without a name.
    pub fn session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }

    /// Is told of everything that went wrong with hooks, beside the log.
    pub fn on_report(mut self, reporter: impl Fn(&Report) + Send + Sync + 'static) -> Self {
        self.reporter = Some(Arc::new(reporter));
        self
    }

    /// Is told of each line that hooks log or print, beside the log.
    pub fn on_log(mut self, logger: impl Fn(&HookRef, Level, &str) + Send + Sync + 'static) -> Self {
        self.logger = Some(Arc::new(logger));
        self
    }

    /// Writes a line for each decision, and for each result that hooks rewrote. A gated event whose line is not taken is
    /// denied with the cause `audit`. Default: none is written.
    pub fn audit(mut self, to: Arc<dyn Audit>, options: AuditOptions) -> Self {
        self.audit = Some(Auditor::new(to, options));
        self
    }

    /// Loads all hooks. Never fails: what does not load is among [`Host::problems`], and denies gated events.
    pub fn build(mut self) -> Host {
        let own = Arc::make_mut(&mut self.recipe.own);
        for folder in [&self.state_dir, &self.session_dir].into_iter().flatten() {
            own.add_state(folder);
        }
        let env = self.env;
        let shared = Shared {
            ui: Arc::new(QueuedUi::new(self.ui)),
            clock: self.clock,
            outbox: Outbox::default(),
            state: SessionState::new(self.session_dir),
            store: Store::new(self.state_dir.as_deref()),
            variables: Mutex::new(self.variables.map_or_else(|| Arc::clone(&env), Into::into)),
            env,
            home: self.home,
            processes: self.processes,
            #[cfg(feature = "web")]
            web: self.web,
            reporter: self.reporter,
            logger: self.logger,
            audit: self.audit,
            paths: Mutex::new(HashMap::new()),
            host: OnceLock::new(),
        };
        Host::assemble(self.recipe, shared, self.session, self.discovery, self.check_wait)
    }
}

impl Host {
    /// Starts to put a host together.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("session", &self.session).finish_non_exhaustive()
    }
}
