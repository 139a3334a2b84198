//! `event`, the first argument of every handler. Fields are converted when a script touches them; what is big, once.
//! A handler can change its own copy: that is what `event.input.x = 1` does before the handler returns `event.input`.

use parking_lot::Mutex;
use rhai::{Dynamic, ImmutableString, Map, Module};
use serde_json::Value as Json;
use snaphook_core::{BusSpec, Event, FieldValue, Lifecycle};
use std::sync::Arc;

use crate::bindings::{Args, args, getter, indexer, method, setter};
use crate::convert;
use crate::meter::Foreign;
use crate::raise::{Raised, raise};

/// Text up to this many bytes is converted anew each time: it costs less than keeping it.
const MAX_COPIED_BYTES: usize = 64;
/// Values from this many inner values on are not copied when they are touched, but shared.
const MIN_SHARED_VALUES: usize = 64;

/// The object. Copies of it are the same event.
#[derive(Clone)]
pub(crate) struct EventObject(Arc<EventState>);

struct EventState {
    event: Foreign<Event>,
    /// The fields that were converted, or set by the script.
    fields: Mutex<Vec<(ImmutableString, Dynamic)>>,
}

impl EventObject {
    pub(crate) fn new(event: Foreign<Event>) -> Self {
        EventObject(Arc::new(EventState { event, fields: Mutex::default() }))
    }

    fn event(&self) -> Result<&Event, Raised> {
        self.0.event.get().ok_or_else(|| raise("the event is gone"))
    }

    /// The field of this name; `()` where the event may have it and does not.
    ///
    /// # Errors
    /// The event never has such a field.
    fn get(&self, name: &str) -> Result<Dynamic, Raised> {
        if let Some((_, value)) = self.0.fields.lock().iter().find(|(known, _)| known == name) {
            return Ok(value.clone());
        }
        let event = self.event()?;
        if name == "name" {
            return Ok(event.name().as_str().into());
        }
        let mut found = None;
        event.visit(&mut |field, value| {
            if field == name && found.is_none() {
                found = Some(convert(&value));
            }
        });
        match found.transpose()? {
            Some((value, true)) => {
                self.0.fields.lock().push((name.into(), value.clone()));
                Ok(value)
            }
            Some((value, false)) => Ok(value),
            None => event.name().no_such_field(name).map_or(Ok(Dynamic::UNIT), |text| Err(raise(text))),
        }
    }

    fn set(&self, name: &str, value: Dynamic) {
        let mut fields = self.0.fields.lock();
        let value = value.flatten();
        let old = match fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, place)) => std::mem::replace(place, value),
            None => {
                fields.push((name.into(), value));
                return;
            }
        };
        drop(fields);
        drop(old);
    }

    /// The names of all fields that are there.
    fn names(&self) -> Result<Vec<ImmutableString>, Raised> {
        let mut names: Vec<ImmutableString> = vec!["name".into()];
        self.event()?.visit(&mut |name, _| names.push(name.into()));
        for (name, value) in self.0.fields.lock().iter() {
            if !names.contains(name) {
                names.push(name.clone());
            } else if value.is_unit() {
                names.retain(|known| known != name);
            }
        }
        Ok(names)
    }

    fn to_map(&self) -> Result<Map, Raised> {
        let names = self.names()?;
        names.into_iter().map(|name| Ok((name.as_str().into(), self.get(&name)?.flatten()))).collect()
    }
}

/// An event as a map of all its fields, for its JSON form.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    let event = value.read_lock::<EventObject>()?.clone();
    event.to_map().ok().map(Dynamic::from)
}

/// The value of a field, and whether to keep it.
fn convert(value: &FieldValue<'_>) -> Result<(Dynamic, bool), Raised> {
    Ok(match value {
        FieldValue::Text(text) => (text.as_ref().into(), text.len() > MAX_COPIED_BYTES),
        FieldValue::Bool(flag) => ((*flag).into(), false),
        FieldValue::Texts(texts) => {
            let list: rhai::Array = texts.iter().map(|text| text.as_ref().into()).collect();
            (list.into(), false)
        }
        FieldValue::Json(json) => {
            let converted = convert::from_json(json)?;
            let heavy = !is_light(json, &mut { MIN_SHARED_VALUES });
            (if heavy { converted.into_shared() } else { converted }, true)
        }
    })
}

fn is_light(json: &Json, left: &mut usize) -> bool {
    let Some(less) = left.checked_sub(1) else { return false };
    *left = less;
    match json {
        Json::Array(items) => items.iter().all(|item| is_light(item, left)),
        Json::Object(map) => map.values().all(|item| is_light(item, left)),
        _ => true,
    }
}

/// The methods of the object.
pub(crate) const METHODS: &[&str] = &["contains", "get", "keys", "len", "values"];

/// Puts the type into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<EventObject>("event");
    let lifecycle = Lifecycle::ALL.iter().flat_map(|event| event.spec().payload);
    let bus = BusSpec::ALL.iter().flat_map(|spec| spec.payload);
    let mut names: Vec<&str> = lifecycle.chain(bus).map(|field| field.name).collect();
    names.push("name");
    names.sort_unstable();
    names.dedup();
    for name in names {
        getter::<EventObject>(globals, name, |this, name| this.get(name));
    }
    indexer::<EventObject>(globals, |this, name| this.get(name));
    setter::<EventObject>(globals, |this, name, value| {
        this.set(name, value);
        Ok(())
    });
    method::<EventObject>(globals, "keys", 0..=0, |args| {
        let names = receiver(args)?.names()?;
        Ok(names.into_iter().map(Dynamic::from).collect::<rhai::Array>().into())
    });
    method::<EventObject>(globals, "values", 0..=0, |args| {
        let event = receiver(args)?;
        let values = event.names()?.into_iter().map(|name| event.get(&name).map(Dynamic::flatten));
        Ok(values.collect::<Result<rhai::Array, _>>()?.into())
    });
    method::<EventObject>(globals, "len", 0..=0, |args| {
        Ok(i64::try_from(receiver(args)?.names()?.len()).unwrap_or(i64::MAX).into())
    });
    method::<EventObject>(globals, "contains", 1..=1, |args| {
        let name = args::at("event.contains", 1, args)?;
        Ok(receiver(args)?.names()?.contains(&name).into())
    });
    method::<EventObject>(globals, "get", 1..=1, |args| {
        let name = args::at("event.get", 1, args)?;
        receiver(args)?.get(&name)
    });
    globals.set_iter_result(std::any::TypeId::of::<EventObject>(), |event| {
        let names = event.try_cast::<EventObject>().and_then(|event| event.names().ok());
        Box::new(names.unwrap_or_default().into_iter().map(|name| Ok(Dynamic::from(name))))
    });
    for name in ["to_string", "to_debug"] {
        method::<EventObject>(globals, name, 0..=0, |args| {
            Ok(format!("{}", Dynamic::from(receiver(args)?.to_map()?)).into())
        });
    }
}

fn receiver(args: &Args<'_>) -> Result<EventObject, Raised> {
    let event = args.first().and_then(|this| this.read_lock::<EventObject>().map(|this| this.clone()));
    event.ok_or_else(|| raise("this is not an event"))
}
