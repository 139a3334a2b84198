//! The host: what is in force now, and the way to what is in force next. Not here: dispatch (`gate`, `emit`, `tool`).

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use snaphook_core::{EventName, Grants, HookRef, Problem, Services, Session};
use snaphook_discovery::Discovery;

use crate::grants::{Base, Granted, Remark};
use crate::load::hook_set::{HookSet, HookSummary};
use crate::load::loader::{Recipe, load};
use crate::services::outbox::Outbox;
use crate::services::{EventSource, Shared};

/// Loads hooks and runs them. Cheap to clone; all clones are one host.
///
/// Its futures run on any executor, but time limits, processes, supervision and [`Host::run_turn`] need a tokio
/// runtime with time (and, for processes, I/O) enabled.
#[derive(Clone)]
pub struct Host {
    pub(crate) inner: Arc<Inner>,
}

/// The state that is in force: one snapshot serves one call from its beginning to its end.
pub(crate) struct Current {
    pub(crate) loaded: Arc<HookSet>,
    pub(crate) session: Arc<Session>,
}

pub(crate) struct Inner {
    current: ArcSwap<Current>,
    pub(crate) shared: Arc<Shared>,
    /// The same as `shared`, as handlers get it.
    pub(crate) services: Arc<dyn Services>,
    pub(crate) recipe: Recipe,
    pub(crate) check_wait: Duration,
    /// The number of times that the agent was sent on since the person's last prompt.
    pub(crate) continued: AtomicU32,
    /// Held while the snapshot is replaced, so that a reload and a new session do not lose each other.
    replacing: Mutex<()>,
}

impl Host {
    /// Every hook in the order in which they run, those that did not load included.
    pub fn hooks(&self) -> Vec<HookSummary> {
        self.inner.current().loaded.hooks.clone()
    }

    /// Everything that discovery and loading found. One of [`Severity::Error`](snaphook_core::Severity) denies every
    /// gated event.
    pub fn problems(&self) -> Vec<Problem> {
        self.inner.current().loaded.problems.clone()
    }

    /// Returns whether a hook that loaded has a handler for this event.
    pub fn handles(&self, event: &EventName) -> bool {
        !self.inner.current().loaded.handlers(event).is_empty()
    }

    /// The text that waits for the agent.
    pub fn outbox(&self) -> &Outbox {
        &self.inner.shared.outbox
    }

    /// The session.
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.inner.current().session)
    }

    /// Names the session of all later calls. Another id or file means another session: what hooks kept in `state`
    /// and text in the outbox are dropped. To clear a session under the same id, emit `session` with the reason
    /// `clear`.
    pub fn set_session(&self, session: Session) {
        let _replacing = self.inner.replacing.lock();
        let before = self.inner.current();
        if before.session.id != session.id || before.session.path != session.path {
            self.inner.shared.forget_session(false);
        }
        let loaded = Arc::clone(&before.loaded);
        self.inner.current.store(Arc::new(Current { loaded, session: Arc::new(session) }));
    }

    /// Names the environment variables that scripts see from now on, where they are granted. Programs are not looked up anew.
    pub fn set_variables(&self, variables: Vec<(OsString, OsString)>) {
        *self.inner.shared.variables.lock() = variables.into();
    }

    /// Loads hooks anew, beside those in force, and puts them in force; what the builder was given is loaded again
    /// with them. Returns the problems, as [`Host::problems`].
    ///
    /// Calls in flight finish on the old hooks. Listeners of the old hooks end with them; session state and store
    /// stay. Compiles scripts on the caller's thread, each within its load budget.
    pub fn reload(&self, discovery: Discovery) -> Vec<Problem> {
        let _replacing = self.inner.replacing.lock();
        let loaded = self.inner.load(discovery);
        let problems = loaded.problems.clone();
        let session = self.session();
        self.inner.current.store(Arc::new(Current { loaded: Arc::new(loaded), session }));
        problems
    }

    pub(crate) fn assemble(
        recipe: Recipe,
        shared: Shared,
        session: Session,
        discovery: Discovery,
        check_wait: Duration,
    ) -> Host {
        let shared = Arc::new(shared);
        let services: Arc<dyn Services> = shared.clone();
        let nothing = Current { loaded: Arc::default(), session: Arc::new(session) };
        let inner = Arc::new(Inner {
            current: ArcSwap::from_pointee(nothing),
            shared,
            services,
            recipe,
            check_wait,
            continued: AtomicU32::new(0),
            replacing: Mutex::new(()),
        });
        // Set once, here.
        let source: Arc<dyn EventSource> = inner.clone();
        let _ = inner.shared.host.set(Arc::downgrade(&source));
        let host = Host { inner };
        host.reload(discovery);
        host
    }
}

impl Inner {
    pub(crate) fn current(&self) -> Arc<Current> {
        self.current.load_full()
    }

    fn load(&self, discovery: Discovery) -> HookSet {
        let announce = |hook: &HookRef, path: Option<&std::path::PathBuf>| {
            if let Some(path) = path {
                self.shared.paths.lock().insert(hook.clone(), path.clone());
            }
        };
        let base = Base::new(
            self.current().session.project_root.clone(),
            self.recipe.copied_from.clone(),
            self.shared.home.clone(),
            Arc::clone(&self.recipe.own),
        );
        let services = |grants: &Grants, remarks: &mut Vec<Remark>| {
            Granted::services(&self.shared, grants, &base, remarks)
        };
        load(&self.recipe, discovery, &services, &announce)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = self.inner.current().loaded.hooks.len();
        f.debug_struct("Host").field("hooks", &hooks).finish_non_exhaustive()
    }
}
