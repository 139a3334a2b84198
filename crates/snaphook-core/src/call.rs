//! The surroundings of one event on its way through its handlers: the session, the services, what may still be computed.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::requests::UiContext;
use crate::services::Services;
use crate::signals::Signals;
use crate::uses::GrantUses;

/// The facts that do not change while a session lasts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: String,
    /// The session's file, where it has one.
    pub path: Option<String>,
    /// The agent whose calls are hooked: `snaphook` for our own driver.
    pub agent: String,
    /// The working directory.
    pub cwd: PathBuf,
    /// The project's root.
    pub project_root: PathBuf,
    /// The folder that has, for each executable hook, a file `ID.log` with all that its last run wrote. Default: it is
    /// not kept.
    pub outputs: Option<PathBuf>,
}

/// The surroundings of one event on its way through its handlers.
pub struct CallContext {
    /// The session.
    pub session: Arc<Session>,
    /// The host's services.
    pub services: Arc<dyn Services>,
    /// The one who is asked about this event, in the place of the host's own UI context.
    pub ui: Option<Arc<dyn UiContext>>,
    /// Nanoseconds that the handlers of this event may still compute together.
    cpu_left: AtomicU64,
    /// Made when it is first needed: most calls end before they could be cancelled.
    cancelled: OnceLock<Arc<AtomicBool>>,
    /// The depth in events at which this one was caused by handlers; 0 for one that the agent caused.
    pub depth: u32,
    /// The signals from the services to the host about the handler that runs now.
    pub signals: Signals,
    /// The grants that its handlers used.
    pub uses: GrantUses,
}

impl CallContext {
    /// The surroundings of one event, with its CPU budget.
    pub fn new(session: Arc<Session>, services: Arc<dyn Services>, event_cpu: Duration, depth: u32) -> Self {
        let nanos = u64::try_from(event_cpu.as_nanos()).unwrap_or(u64::MAX);
        CallContext {
            session,
            services,
            ui: None,
            cpu_left: AtomicU64::new(nanos),
            cancelled: OnceLock::new(),
            depth,
            signals: Signals::default(),
            uses: GrantUses::default(),
        }
    }

    /// The surroundings of an event that a handler of this one causes: one deeper, with what is left of the CPU
    /// budget (to be charged to this one when it is done), cancelled together with this one.
    #[must_use]
    pub fn nested(&self) -> Self {
        CallContext {
            session: Arc::clone(&self.session),
            services: Arc::clone(&self.services),
            ui: self.ui.clone(),
            cpu_left: AtomicU64::new(self.cpu_left.load(Ordering::Relaxed)),
            cancelled: OnceLock::from(Arc::clone(self.cancel_flag())),
            depth: self.depth + 1,
            signals: Signals::default(),
            uses: GrantUses::default(),
        }
    }

    /// Returns what the handlers of this event may still compute together.
    pub fn cpu_left(&self) -> Duration {
        Duration::from_nanos(self.cpu_left.load(Ordering::Relaxed))
    }

    /// Takes computing time off the event's budget.
    pub fn charge(&self, spent: Duration) {
        let nanos = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
        // Handlers of one event run one after the other, so no other handler writes in between.
        let left = self.cpu_left.load(Ordering::Relaxed).saturating_sub(nanos);
        self.cpu_left.store(left, Ordering::Relaxed);
    }

    /// Returns whether the call was cancelled. Handlers that wait are dropped then; one that computes can look.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.get().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed))
    }

    /// The flag behind [`CallContext::is_cancelled`], for code that may cancel.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        self.cancelled.get_or_init(Arc::default)
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext").field("session", &self.session).finish_non_exhaustive()
    }
}
