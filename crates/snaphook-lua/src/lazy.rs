//! Big parts of an event are converted when a script first touches them. A table with such parts carries a metatable
//! whose first slot is a [`LazyNode`]; `__index` converts one part, iterating converts all. The prelude makes `pairs`,
//! `next` and `table.clone` fill a table first, so that scripts never notice.

use std::borrow::Cow;

use mlua::{AnyUserData, Lua, Table, Value};
use serde_json::Value as Json;
use snaphook_core::{Event, EventName, FieldValue};

use crate::ffi::{self, Metatables};

/// The size that is converted at once, in bytes of text. Above it, the conversion costs more than the bookkeeping.
const MAX_EAGER_BYTES: usize = 2048;
/// The number of values that are looked at before a part counts as heavy anyway.
const MAX_VALUES: usize = 64;

/// The place where the parts that are not converted yet are.
#[derive(Clone)]
pub(crate) struct LazyNode {
    event: Event,
    /// Keys from the event's table down to this one; empty for the event itself.
    path: Vec<String>,
}

impl LazyNode {
    pub(crate) fn root(event: Event) -> Self {
        LazyNode { event, path: Vec::new() }
    }

    /// Calls `look` with the part of this name.
    fn part<R>(&self, key: &str, look: impl FnOnce(&FieldValue<'_>) -> R) -> Option<R> {
        let mut look = Some(look);
        let mut found = None;
        let first = self.path.first().map_or(key, String::as_str);
        self.event.visit(&mut |name, value| {
            if name != first {
                return;
            }
            let Some(rest) = self.path.get(1..) else {
                found = look.take().map(|look| look(&value));
                return;
            };
            let FieldValue::Json(top) = value else { return };
            let inner = rest.iter().map(String::as_str).chain([key]).try_fold(top, |at, key| at.get(key));
            if let Some(inner) = inner {
                found = look.take().map(|look| look(&FieldValue::Json(inner)));
            }
        });
        found
    }

    /// Every key of this table.
    fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        self.event.visit(&mut |name, value| match self.path.split_first() {
            None => keys.push(name.to_owned()),
            Some((first, rest)) if first == name => {
                let FieldValue::Json(top) = value else { return };
                let here = rest.iter().try_fold(top, |at, key| at.get(key));
                if let Some(map) = here.and_then(Json::as_object) {
                    keys.extend(map.keys().cloned());
                }
            }
            Some(_) => {}
        });
        keys
    }

    /// The event whose own table this is.
    fn as_event(&self) -> Option<&EventName> {
        self.path.is_empty().then(|| self.event.name())
    }
}

/// Returns whether a field is better left for later.
pub(crate) fn is_heavy_field(value: &FieldValue<'_>) -> bool {
    match value {
        FieldValue::Text(text) => text.len() > MAX_EAGER_BYTES,
        FieldValue::Json(value) => is_heavy(value),
        FieldValue::Texts(_) | FieldValue::Bool(_) => false,
    }
}

/// Returns whether a JSON value is better left for later.
pub(crate) fn is_heavy(value: &Json) -> bool {
    let (mut bytes, mut values) = (MAX_EAGER_BYTES, MAX_VALUES);
    weigh(value, &mut bytes, &mut values).is_none()
}

/// Returns whether a list, which is never left for later, is small all the same.
pub(crate) fn is_short(texts: &[Cow<'_, str>]) -> bool {
    texts.len() <= MAX_VALUES && texts.iter().all(|text| text.len() <= MAX_EAGER_BYTES)
}

fn weigh(value: &Json, bytes: &mut usize, values: &mut usize) -> Option<()> {
    *values = values.checked_sub(1)?;
    match value {
        Json::String(text) => *bytes = bytes.checked_sub(text.len())?,
        Json::Array(items) => items.iter().try_for_each(|item| weigh(item, bytes, values))?,
        Json::Object(map) => map.iter().try_for_each(|(key, item)| {
            *bytes = bytes.checked_sub(key.len())?;
            weigh(item, bytes, values)
        })?,
        _ => {}
    }
    Some(())
}

/// The node of a table that is not whole yet.
pub(crate) fn node_of(table: &Table) -> Option<AnyUserData> {
    let node: Value = table.metatable()?.raw_get(1).ok()?;
    let node = node.as_userdata()?;
    node.is::<LazyNode>().then(|| node.clone())
}

/// Converts one part; `nil` where there is none.
///
/// # Errors
/// A field that the event does not have; no memory.
pub(crate) fn touch(lua: &Lua, table: &Table, key: &Value, metas: Metatables) -> mlua::Result<Value> {
    let Value::String(key) = key else { return Ok(Value::Nil) };
    let Some(node) = node_of(table) else { return Ok(Value::Nil) };
    let key = key.to_str()?.to_owned();
    let node = node.borrow::<LazyNode>()?.clone();
    let value = match node.part(&key, |value| convert(lua, &node, &key, value, metas)) {
        Some(value) => value?,
        None => return absent(node.as_event(), &key),
    };
    if !table.is_readonly() {
        table.raw_set(key, value.clone())?;
    }
    Ok(value)
}

/// Converts all parts. A table made read-only stays as it is: `touch` serves it.
pub(crate) fn fill(lua: &Lua, table: &Table, metas: Metatables) -> mlua::Result<()> {
    let Some(node) = node_of(table) else { return Ok(()) };
    let keys = node.borrow::<LazyNode>()?.keys();
    for key in keys {
        // What the script has set itself stays.
        if table.raw_get::<Value>(key.as_str())?.is_nil() && !table.is_readonly() {
            let key = Value::String(lua.create_string(&key)?);
            touch(lua, table, &key, metas)?;
        }
    }
    Ok(())
}

fn convert(
    lua: &Lua,
    node: &LazyNode,
    key: &str,
    value: &FieldValue<'_>,
    metas: Metatables,
) -> mlua::Result<Value> {
    match value {
        FieldValue::Text(text) => Ok(Value::String(lua.create_string(text.as_bytes())?)),
        FieldValue::Bool(flag) => Ok(Value::Boolean(*flag)),
        FieldValue::Texts(texts) => {
            ffi::push_json(lua, &texts.iter().map(|text| Json::from(text.as_ref())).collect(), metas)
        }
        FieldValue::Json(Json::Object(map)) if is_heavy_field(value) => {
            let mut path = node.path.clone();
            path.push(key.to_owned());
            let inner = lua.create_any_userdata(LazyNode { event: node.event.clone(), path })?;
            ffi::push_lazy_map(lua, map, inner, metas).map(Value::Table)
        }
        FieldValue::Json(value) => ffi::push_json(lua, value, metas),
    }
}

/// A field that is not there: `nil` if the event may have it, an error that helps if it never has.
///
/// # Errors
/// The event has no such field. A gate that asks for `event.comand` must not get a silent `nil`.
pub(crate) fn absent(event: Option<&EventName>, key: &str) -> mlua::Result<Value> {
    match event.and_then(|event| event.no_such_field(key)) {
        Some(text) => Err(mlua::Error::runtime(text)),
        None => Ok(Value::Nil),
    }
}
