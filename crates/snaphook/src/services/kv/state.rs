//! Values that hooks keep as long as the session lasts: in memory, or in the session's folder, where each event of a session has
//! a process of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use snaphook_core::{HookRef, KvOp, ServiceError};

use super::{MAX_KEPT, Store};

/// Every hook's own map.
#[derive(Debug)]
pub(crate) enum SessionState {
    /// For a program that lives as long as its session.
    Memory(Mutex<HashMap<HookRef, Kept>>),
    /// For one that handles one event, beside others of its kind.
    Disk(Store),
}

impl Default for SessionState {
    fn default() -> Self {
        SessionState::Memory(Mutex::default())
    }
}

#[derive(Debug, Default)]
pub(crate) struct Kept {
    values: Map<String, Value>,
    /// Of the JSON text, about.
    bytes: usize,
}

impl SessionState {
    /// In a folder of the session's own, where there is one.
    pub(crate) fn new(session_dir: Option<PathBuf>) -> Self {
        session_dir.map_or_else(SessionState::default, |dir| SessionState::Disk(Store::of_session(dir)))
    }

    /// Does what a hook asks; the rest is for the folder.
    pub(crate) fn run(
        &self,
        hook: &HookRef,
        path: Option<&Path>,
        operation: KvOp,
        report: &dyn Fn(String),
    ) -> Result<Value, ServiceError> {
        match self {
            SessionState::Memory(all) => in_memory(&mut all.lock(), hook, operation),
            SessionState::Disk(store) => store.run(hook, path, operation, report),
        }
    }

    /// The session is left; with `cleared` it begins anew.
    pub(crate) fn forget(&self, cleared: bool) {
        match self {
            SessionState::Memory(all) => all.lock().clear(),
            SessionState::Disk(store) if cleared => store.clear(),
            SessionState::Disk(_) => {}
        }
    }
}

fn in_memory(
    all: &mut HashMap<HookRef, Kept>,
    hook: &HookRef,
    operation: KvOp,
) -> Result<Value, ServiceError> {
    match operation {
        KvOp::Get(key) => {
            let kept = all.get(hook);
            Ok(kept.and_then(|kept| kept.values.get(&key)).cloned().unwrap_or_default())
        }
        KvOp::Keys => {
            let keys = all.get(hook).into_iter().flat_map(|kept| kept.values.keys());
            Ok(keys.cloned().map(Value::String).collect())
        }
        KvOp::Set(key, value) => {
            let kept = all.entry(hook.clone()).or_default();
            let before = kept.values.get(&key).map_or(0, |old| size(&key, old));
            let after = if value.is_null() { 0 } else { size(&key, &value) };
            let bytes = kept.bytes.saturating_sub(before).saturating_add(after);
            if bytes > MAX_KEPT && after > before {
                return Err(ServiceError(format!("state is full: a hook keeps {MAX_KEPT} bytes at most")));
            }
            kept.bytes = bytes;
            match value {
                Value::Null => kept.values.shift_remove(&key),
                value => kept.values.insert(key, value),
            };
            Ok(Value::Null)
        }
    }
}

fn size(key: &str, value: &Value) -> usize {
    key.len() + value.to_string().len() + 4
}
