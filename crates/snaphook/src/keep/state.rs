//! What hooks keep as long as the session lasts. In memory, so a program that handles one event a process loses it.

use std::collections::HashMap;
use std::sync::Mutex;

use serde_json::{Map, Value};
use snaphook_core::{HookRef, Keep, ServiceError};

use super::MAX_KEPT;
use crate::sync::lock;

/// Every hook's own map.
#[derive(Debug, Default)]
pub(crate) struct State(Mutex<HashMap<HookRef, Kept>>);

#[derive(Debug, Default)]
struct Kept {
    values: Map<String, Value>,
    /// Of the JSON text, about.
    bytes: usize,
}

impl State {
    pub(crate) fn run(&self, hook: &HookRef, operation: Keep) -> Result<Value, ServiceError> {
        let mut all = lock(&self.0);
        match operation {
            Keep::Get(key) => {
                let kept = all.get(hook);
                Ok(kept.and_then(|kept| kept.values.get(&key)).cloned().unwrap_or_default())
            }
            Keep::Keys => {
                let keys = all.get(hook).into_iter().flat_map(|kept| kept.values.keys());
                Ok(keys.cloned().map(Value::String).collect())
            }
            Keep::Set(key, value) => {
                let kept = all.entry(hook.clone()).or_default();
                let before = kept.values.get(&key).map_or(0, |old| size(&key, old));
                let after = if value.is_null() { 0 } else { size(&key, &value) };
                let bytes = kept.bytes.saturating_sub(before).saturating_add(after);
                if bytes > MAX_KEPT && after > before {
                    return Err(ServiceError(format!(
                        "state is full: a hook keeps {MAX_KEPT} bytes at most"
                    )));
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

    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }
}

fn size(key: &str, value: &Value) -> usize {
    key.len() + value.to_string().len() + 4
}
