//! Registrations of hooks from when they loaded, kept on disk under the hash of their content: a program that is started for one event
//! then runs only the scripts whose handlers the event reaches. Not here: running a script later (the engines' `load_known`).
//!
//! Only what follows from the content alone is kept: a script that asked the host for anything while it loaded (a file, a
//! variable, the time) may register something else the next time. What is kept counts as much as the decisions about trust
//! beside it: the folder has to belong to the user, and others may not write it. A script that registers something else than
//! what is kept denies.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use snaphook_core::{
    CallContext, Caller, EventName, HandlerInfo, HookRef, LoadedHook, PendingReply, ServiceError,
    ServiceReply, ServiceRequest, ServiceTask, Services,
};
use snaphook_discovery::trust::Owners;
use snaphook_discovery::{Language, hex};
use snaphook_state::{Document, layout};

/// Raised whenever what is kept would be read wrongly by an older or newer program.
const FORMAT: u32 = 2;

/// More than hooks register.
const MAX_BYTES: u64 = 1 << 20;

/// The time that an unused entry is kept.
const ENTRY_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

/// The knowledge that is kept: a file for each set of scripts that are loaded together, because a process reads all
/// of them or none.
#[derive(Debug)]
pub(crate) struct RegistrationCache {
    dir: PathBuf,
    /// True if only the user can write it.
    sound: bool,
    set: Mutex<Set>,
}

/// The scripts that are loaded now: handlers by the hash of all that they follow from.
#[derive(Debug, Default)]
struct Set {
    name: String,
    read: Map<String, Value>,
    /// Of the scripts that are loaded now.
    current: Map<String, Value>,
    changed: bool,
}

/// The facts that are known about one script as it is now.
pub(crate) struct CachedScript<'a> {
    known: &'a RegistrationCache,
    hash: String,
    hook: &'a HookRef,
}

impl RegistrationCache {
    /// The folder in the state folder.
    pub(crate) fn new(state: &Path) -> Self {
        let dir = layout::registrations(state);
        let sound = Owners::default().own(&dir, &dir).is_none();
        RegistrationCache { dir, sound, set: Mutex::default() }
    }

    /// Reads what is known of the scripts that are loaded next, by their paths.
    pub(crate) fn open<'a>(&self, paths: impl Iterator<Item = &'a Path>) {
        let paths: Vec<_> = paths.map(|path| path.display().to_string()).collect();
        let name = short(&paths.join("\0"));
        let read = if self.sound { self.document(&name).read_json().ok().flatten() } else { None };
        let read = read.unwrap_or_default();
        *self.set.lock() = Set { name, read, ..Set::default() };
    }

    /// The place of a script. Where its file is belongs to it: handlers name it.
    pub(crate) fn entry_for<'a>(
        &'a self,
        hook: &'a HookRef,
        language: Language,
        content: &str,
    ) -> CachedScript<'a> {
        let version = env!("CARGO_PKG_VERSION");
        let hash = short(&format!("{FORMAT}\0{version}\0{language}\0{content}\0{}", hook.file.display()));
        CachedScript { known: self, hash, hook }
    }

    /// Writes what was learned. What cannot be kept is learned again the next time.
    pub(crate) fn save(&self) {
        let mut set = self.set.lock();
        let document = self.document(&set.name);
        if !std::mem::take(&mut set.changed) || document.make_folder().is_err() {
            return;
        }
        self.sweep();
        let _ = document.replace_json(&set.current);
    }

    fn document(&self, name: &str) -> Document {
        Document::new(self.dir.join(format!("{name}.json")), MAX_BYTES)
    }

    /// Removes what was not written in a long time.
    fn sweep(&self) {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        for entry in entries {
            let written =
                entry.metadata().and_then(|known| known.modified()).unwrap_or_else(|_| SystemTime::now());
            if written.elapsed().is_ok_and(|age| age > ENTRY_TTL) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The name of what a text stands for.
fn short(text: &str) -> String {
    hex(&Sha256::digest(text)[..20])
}

impl CachedScript<'_> {
    /// The handlers that the script registered before.
    pub(crate) fn handlers(&self) -> Option<Vec<HandlerInfo>> {
        let mut set = self.known.set.lock();
        let known = set.read.remove(&self.hash)?;
        let handlers = known.as_array().filter(|handlers| !handlers.is_empty())?;
        let handlers = handlers.iter().map(|handler| self.handler(handler)).collect::<Option<_>>()?;
        set.current.insert(self.hash.clone(), known);
        Some(handlers)
    }

    fn handler(&self, handler: &Value) -> Option<HandlerInfo> {
        Some(HandlerInfo {
            hook: self.hook.clone(),
            event: EventName::parse(handler.get("event")?.as_str()?).ok()?,
            line: handler.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()),
            file: handler.get("file").and_then(Value::as_str).map(PathBuf::from),
            matcher: handler.get("matcher").cloned(),
        })
    }

    /// Learns what the script registered; [`RegistrationCache::save`] writes it.
    pub(crate) fn learn(&self, loaded: &LoadedHook) {
        let one = |info: &HandlerInfo| {
            let mut handler = Map::from_iter([("event".to_owned(), json!(info.event.as_str()))]);
            handler.extend(info.line.map(|line| ("line".to_owned(), json!(line))));
            handler.extend(info.file.as_ref().map(|file| ("file".to_owned(), json!(file.to_string_lossy()))));
            handler.extend(info.matcher.clone().map(|matcher| ("matcher".to_owned(), matcher)));
            Value::Object(handler)
        };
        let handlers: Vec<Value> = loaded.handlers.iter().map(|handler| one(handler.info())).collect();
        let mut set = self.known.set.lock();
        set.current.insert(self.hash.clone(), Value::Array(handlers));
        set.changed = true;
    }
}

/// A script's services, with a note of whether it asked for anything.
pub(crate) struct Watched {
    services: Arc<dyn Services>,
    asked: AtomicBool,
}

impl Watched {
    pub(crate) fn new(services: Arc<dyn Services>) -> Arc<Self> {
        Arc::new(Watched { services, asked: AtomicBool::new(false) })
    }

    /// Returns whether the script asked for anything so far.
    pub(crate) fn has_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    fn note_use(&self) -> &Arc<dyn Services> {
        self.asked.store(true, Ordering::Relaxed);
        &self.services
    }
}

/// Notes every request, also what a script prints while it loads: it would be missing, and may be expected.
impl Services for Watched {
    fn answer(&self, caller: Caller<'_>, request: ServiceRequest<'_>) -> Result<ServiceReply, ServiceError> {
        self.note_use().answer(caller, request)
    }

    fn begin(&self, hook: &HookRef, call: &Arc<CallContext>, task: ServiceTask) -> PendingReply {
        self.note_use().begin(hook, call, task)
    }
}
