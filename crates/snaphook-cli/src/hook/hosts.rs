//! Hosts: one for the event, or, in a process that stays, one for each session, kept as long as what it was made of is what is
//! there now. What is there is read for each event, hooks, settings and decisions about trust: no time stamp is believed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use snaphook::{Builder, Candidate, Discovery, Host, UiContext};
use snaphook_discovery::{Directories, Settings};
use snaphook_testing::Engines;

use crate::exit::Failure;
use crate::hook::deadline::Deadline;
use crate::hook::notices::Notices;
use crate::sync::lock;
use crate::wiring;

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
    made_of: Made,
    made: Instant,
    used: Instant,
    hosted: Hosted,
}

/// A host, and what its hooks tell the person.
#[derive(Clone)]
pub(crate) struct Hosted {
    pub(crate) host: Host,
    pub(crate) notices: Arc<Notices>,
}

/// A digest of all that a host is made of.
type Made = [u8; 32];

/// The hosts of one process.
pub(crate) struct Hosts {
    engines: Mutex<Option<Arc<Engines>>>,
    /// The one who stops scripts where the process ends with its event.
    deadline: Option<Arc<Deadline>>,
    /// `None` where the process ends with its event.
    kept: Option<Mutex<Vec<Kept>>>,
}

impl Hosts {
    /// For a process that answers one event.
    pub(crate) fn of_one(deadline: Arc<Deadline>) -> Self {
        Hosts { engines: Mutex::default(), deadline: Some(deadline), kept: None }
    }

    /// For a process that stays.
    pub(crate) fn of_many() -> Self {
        Hosts { engines: Mutex::default(), deadline: None, kept: Some(Mutex::default()) }
    }

    /// The engines, which serve any number of hosts.
    ///
    /// # Errors
    /// One of them does not start.
    pub(crate) fn engines(&self) -> Result<Arc<Engines>, Failure> {
        let mut engines = lock(&self.engines);
        match &*engines {
            Some(engines) => Ok(Arc::clone(engines)),
            None => {
                let made = match self.deadline.as_ref().and_then(|deadline| deadline.engine()) {
                    Some(lua) => wiring::engines_with(lua),
                    None => wiring::engines(false)?,
                };
                Ok(Arc::clone(engines.insert(Arc::new(made))))
            }
        }
    }

    /// The host that is kept for this, where it is made of just this; else the one that `build` gives, whose hooks reach the person
    /// through `notices`.
    ///
    /// # Errors
    /// Those of `build`.
    pub(crate) fn get(
        &self,
        key: Key,
        directories: &Directories,
        hooks: Discovery,
        settings: &Settings,
        notices: Arc<Notices>,
        build: impl FnOnce(Discovery) -> Result<Builder, Failure>,
    ) -> Result<Hosted, Failure> {
        let build = |hooks| {
            let builder = build(hooks)?.ui(Arc::clone(&notices) as Arc<dyn UiContext>);
            Ok::<_, Failure>(Hosted { host: builder.build(), notices: Arc::clone(&notices) })
        };
        let Some(kept) = &self.kept else { return build(hooks) };
        let made_of = made_of(&hooks, settings, directories);
        let now = Instant::now();
        let lock = || lock(kept);
        let fits =
            |one: &Kept| one.key == key && one.made_of == made_of && now.duration_since(one.made) < HOST_TTL;
        if let Some(one) = lock().iter_mut().find(|one| fits(one)) {
            one.used = now;
            return Ok(one.hosted.clone());
        }
        // Not under the lock: hooks run while they load. Two events at once may make two; the later one is kept.
        let hosted = build(hooks)?;
        let mut all = lock();
        all.retain(|one| one.key != key);
        if all.len() >= MAX_HOSTS {
            let oldest = all.iter().enumerate().min_by_key(|(_, one)| one.used).map(|(at, _)| at);
            oldest.map(|at| all.swap_remove(at));
        }
        all.push(Kept { key, made_of, made: now, used: now, hosted: hosted.clone() });
        Ok(hosted)
    }
}

fn made_of(hooks: &Discovery, settings: &Settings, directories: &Directories) -> Made {
    let mut digest = Sha256::new();
    let mut put = |text: &str| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    };
    let mut candidate = |one: &Candidate, what: &str| {
        put(what);
        put(&format!("{:?} {:?} {:?}", one.hook, one.path, one.language));
        for (name, bytes) in &one.raw {
            put(name);
            put(&format!("{:?}", Sha256::digest(bytes)));
        }
    };
    for one in &hooks.hooks {
        candidate(one, "hook");
    }
    for one in &hooks.project {
        candidate(&one.candidate, one.state.as_str());
    }
    put(&format!("{:?} {settings:?} {directories:?}", hooks.problems));
    digest.finalize().into()
}
