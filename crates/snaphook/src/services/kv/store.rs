//! Values that hooks keep on disk: one JSON file a hook, written whole, beside the old one, and renamed over it. Several
//! processes may share it: each change reads, changes and writes under a lock.

use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use snaphook_core::{HookRef, KvOp, ServiceError};
use snaphook_discovery::hex;
use snaphook_state::{Document, DocumentError, layout, private_fs};

use super::MAX_KEPT;

/// The time that a change waits for another process. Each holds the lock for one small write. The wait counts as computing,
/// because the script cannot go on meanwhile: it has to end well before a handler is taken for one that cannot be
/// stopped, so that a busy store is an error and not the end of the hook.
const LOCK_TIMEOUT: Duration = Duration::from_millis(750);

/// The number of unreadable files that are kept aside for one hook.
const MAX_CORRUPT: u32 = 100;

/// The folder with every hook's file; none where the host was given no place.
#[derive(Debug, Default)]
pub(crate) struct Store {
    dir: Option<PathBuf>,
    /// True for the values of a session: they need not outlive a crash of the machine, and are written within a tool
    /// call.
    of_session: bool,
}

impl Store {
    /// A store under the host's state folder.
    pub(crate) fn new(state_dir: Option<&Path>) -> Self {
        Store { dir: state_dir.map(layout::store), of_session: false }
    }

    /// The state of one session, in its own folder.
    pub(crate) fn of_session(dir: PathBuf) -> Self {
        Store { dir: Some(dir), of_session: true }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let files = self.dir.as_ref().and_then(|dir| fs::read_dir(dir).ok()).into_iter().flatten().flatten();
        // One process at a time changes a file, and what cannot be removed is the next session's to overwrite.
        for file in files.filter(|file| file.path().extension().is_some_and(|ending| ending == "json")) {
            let path = file.path();
            let _lock = private_fs::lock(&path.with_extension("lock"), LOCK_TIMEOUT);
            let _ = fs::remove_file(path);
        }
    }

    fn name(&self) -> &'static str {
        if self.of_session { "state" } else { "the store" }
    }

    /// Does what a hook asks. `path` is its resolved source: two projects' hooks of one name have each their own file.
    pub(crate) fn run(
        &self,
        hook: &HookRef,
        path: Option<&Path>,
        operation: KvOp,
        report: &dyn Fn(String),
    ) -> Result<Value, ServiceError> {
        let Some(dir) = &self.dir else {
            return Err(ServiceError(
                "there is no store here: this program keeps nothing on disk".to_owned(),
            ));
        };
        let file = self.document(dir.join(file_name(hook, path)));
        let failed = |error: Error| ServiceError(format!("store {}: {error}", file.path().display()));
        match operation {
            KvOp::Get(key) => Ok(values(&file, report).map_err(failed)?.remove(&key).unwrap_or_default()),
            KvOp::Keys => {
                let values = values(&file, report).map_err(failed)?;
                Ok(values.keys().cloned().map(Value::String).collect())
            }
            KvOp::Set(key, value) => {
                let _lock = file.lock(LOCK_TIMEOUT).map_err(Error::from).map_err(failed)?;
                let mut values = locked_values(&file, report).map_err(failed)?;
                let changed = match value {
                    Value::Null => values.shift_remove(&key).is_some(),
                    value => values.insert(key, value.clone()) != Some(value),
                };
                if changed {
                    file.replace_json(&values).map_err(|error| match error {
                        DocumentError::WouldBeTooLong { .. } => ServiceError(format!(
                            "{} is full: a hook keeps {MAX_KEPT} bytes at most",
                            self.name()
                        )),
                        error => failed(error.into()),
                    })?;
                }
                Ok(Value::Null)
            }
        }
    }

    fn document(&self, file: PathBuf) -> Document {
        let document = Document::new(file, MAX_KEPT as u64);
        if self.of_session { document } else { document.durable() }
    }
}

/// `<scope>-<id>-<hash>.json`. Ids come from file names, so they are held to what is safe in one.
fn file_name(hook: &HookRef, path: Option<&Path>) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let id: String = hook.id.chars().take(64).map(safe).collect();
    let path = path.unwrap_or(&hook.file);
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let hash = hex(&digest[..6]);
    format!("{}-{id}-{hash}.json", hook.scope)
}

/// Reads without the lock: a file is always whole. Only one that is not is looked at again under the lock.
fn values(file: &Document, report: &dyn Fn(String)) -> Result<Map<String, Value>, Error> {
    match file.read_json() {
        Ok(values) => Ok(values.unwrap_or_default()),
        Err(DocumentError::Damaged(_) | DocumentError::TooLong { .. }) => {
            let _lock = file.lock(LOCK_TIMEOUT)?;
            locked_values(file, report)
        }
        Err(error) => Err(error.into()),
    }
}

fn locked_values(file: &Document, report: &dyn Fn(String)) -> Result<Map<String, Value>, Error> {
    match file.read_json() {
        Ok(values) => Ok(values.unwrap_or_default()),
        Err(error @ (DocumentError::Damaged(_) | DocumentError::TooLong { .. })) => {
            let aside = set_aside(file.path())?;
            let (file, aside) = (file.path().display(), aside.display());
            report(format!("the store {file} {error}; it was set aside as {aside}"));
            Ok(Map::new())
        }
        Err(error) => Err(error.into()),
    }
}

fn set_aside(file: &Path) -> Result<PathBuf, Error> {
    let numbered = |number: u32| {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".corrupt-{number}"));
        PathBuf::from(name)
    };
    let free = (1..MAX_CORRUPT).map(numbered).find(|path| !path.exists());
    let aside = free.unwrap_or_else(|| numbered(MAX_CORRUPT));
    fs::rename(file, &aside)?;
    Ok(aside)
}
