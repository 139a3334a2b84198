//! Hosts: one for the event, or, in a process that stays, one for each session, kept as long as what it was made of is what is
//! there now. What is there is read for each event, hooks, settings and decisions about trust: no time stamp is believed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::SessionError;
use crate::log::Log;
use crate::notices::Notices;
use snaphook::{Builder, DeferUi, Discovery, Engines, HeadlessUi, Host, UiContext};
use snaphook_discovery::{Directories, Settings};

/// The number of sessions' hosts that are kept; the one that was used longest ago goes first.
const MAX_HOSTS: usize = 16;

/// The time that one is kept: programs that hooks were granted are looked up when hooks load, and a hook that could
/// not be stopped is out of service until then.
const HOST_TTL: Duration = Duration::from_secs(300);

/// The facts that tell hosts apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) session: String,
    pub(crate) transcript: Option<String>,
    pub(crate) cwd: PathBuf,
    /// True if the agent asks its person.
    pub(crate) asks: bool,
}

struct Kept {
    key: Key,
    made_of: MadeOf,
    made: Instant,
    used: Instant,
    hosted: CachedHost,
}

/// A host, and what its hooks tell the person.
#[derive(Clone)]
pub(crate) struct CachedHost {
    pub(crate) host: Host,
    pub(crate) notices: Arc<Notices>,
}

/// All that a host is made of.
#[derive(Debug, Clone, PartialEq)]
struct MadeOf {
    hooks: Discovery,
    settings: Settings,
    directories: Directories,
}

/// Makes the script engines, by language.
pub type MakeEngines = Box<dyn Fn() -> Result<Engines, SessionError> + Send + Sync>;

/// The hosts of one process.
pub struct HostCache {
    make_engines: MakeEngines,
    engines: Mutex<Option<Arc<Engines>>>,
    /// `None` where the process ends with its event.
    kept: Option<Mutex<Vec<Kept>>>,
}

impl HostCache {
    /// Returns the hosts of a process that answers one event.
    pub fn of_one(make_engines: MakeEngines) -> Self {
        HostCache { make_engines, engines: Mutex::default(), kept: None }
    }

    /// Returns the hosts of a process that stays.
    pub fn of_many(make_engines: MakeEngines) -> Self {
        HostCache { make_engines, engines: Mutex::default(), kept: Some(Mutex::default()) }
    }

    /// Returns whether the process stays. Of one that ends with its event, another thread looks after handlers that
    /// cannot be stopped.
    pub(crate) fn stay(&self) -> bool {
        self.kept.is_some()
    }

    /// Returns the engines, which serve any number of hosts.
    ///
    /// # Errors
    /// One of them does not start.
    pub(crate) fn engines(&self) -> Result<Arc<Engines>, SessionError> {
        let mut engines = self.engines.lock();
        match &*engines {
            Some(engines) => Ok(Arc::clone(engines)),
            None => Ok(Arc::clone(engines.insert(Arc::new((self.make_engines)()?)))),
        }
    }

    /// Returns the host that is kept for this, where it is made of just this; else the one that `build` gives. Its
    /// hooks' notices are logged, and reach the person with the answer.
    ///
    /// # Errors
    /// Those of `build`.
    pub(crate) fn get(
        &self,
        key: Key,
        directories: &Directories,
        hooks: Discovery,
        settings: &Settings,
        log: &Log,
        build: impl FnOnce(Discovery) -> Result<Builder, SessionError>,
    ) -> Result<CachedHost, SessionError> {
        // Only the agent can ask its person: its screen is not ours.
        let ui: Arc<dyn UiContext> = if key.asks { Arc::new(DeferUi) } else { Arc::new(HeadlessUi) };
        let notices = Notices::new(ui, log);
        let build = |hooks| {
            let builder = build(hooks)?.ui(Arc::clone(&notices) as Arc<dyn UiContext>);
            Ok::<_, SessionError>(CachedHost { host: builder.build(), notices: Arc::clone(&notices) })
        };
        let Some(kept) = &self.kept else { return build(hooks) };
        let made_of =
            MadeOf { hooks: hooks.clone(), settings: settings.clone(), directories: directories.clone() };
        let now = Instant::now();
        let fits =
            |one: &Kept| one.key == key && one.made_of == made_of && now.duration_since(one.made) < HOST_TTL;
        if let Some(one) = kept.lock().iter_mut().find(|one| fits(one)) {
            one.used = now;
            return Ok(one.hosted.clone());
        }
        // Not under the lock: hooks run while they load. Two events at once may make two; the later one is kept.
        let hosted = build(hooks)?;
        let mut all = kept.lock();
        all.retain(|one| one.key != key);
        if all.len() >= MAX_HOSTS {
            let oldest = all.iter().enumerate().min_by_key(|(_, one)| one.used).map(|(at, _)| at);
            oldest.map(|at| all.swap_remove(at));
        }
        all.push(Kept { key, made_of, made: now, used: now, hosted: hosted.clone() });
        Ok(hosted)
    }
}
