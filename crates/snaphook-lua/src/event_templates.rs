//! Templates of events, kept in the VM: for events of one kind a table with all keys in place and the values that do not
//! change. A new event's table is a copy of it, which is cheaper than to build one key by key.
//! Not here: the raw calls that do it (`ffi`).

use std::borrow::Cow;
use std::sync::Arc;

use mlua::{AnyUserData, Lua, Table, Value};
use serde_json::{Map, Value as Json};
use snaphook_core::{BusSpec, Event, EventName, FieldValue, Lifecycle, ToolCall};

use crate::ffi::{self, Metatables, Pin};
use crate::host_mark;
use crate::lazy::{self, LazyNode};

/// The number of templates that are kept of each sort. A VM sees few tools; beyond that events are built key by key.
const MAX_TEMPLATES: usize = 16;
/// Inputs with more keys, or with longer ones, are built key by key.
const MAX_KEYS: usize = 16;
const MAX_KEY_BYTES: usize = 64;

/// The field names of tool events.
pub(crate) const NAMES: [&str; 15] = [
    "name",
    "id",
    "tool",
    "native_tool",
    "input",
    "command",
    "paths",
    "content",
    "url",
    "subagent",
    "original_input",
    "details",
    "is_error",
    "prompt",
    "shell",
];
const NAME: usize = 0;
pub(crate) const ID: usize = 1;
const TOOL: usize = 2;
const NATIVE_TOOL: usize = 3;
pub(crate) const INPUT: usize = 4;
pub(crate) const COMMAND: usize = 5;
pub(crate) const PATHS: usize = 6;
pub(crate) const CONTENT: usize = 7;
const URL: usize = 8;
const SHELL: usize = 14;

/// The place of a name in [`NAMES`].
pub(crate) fn name_index(name: &str) -> Option<usize> {
    Some(match name {
        "name" => 0,
        "id" => 1,
        "tool" => 2,
        "native_tool" => 3,
        "input" => 4,
        "command" => 5,
        "paths" => 6,
        "content" => 7,
        "url" => 8,
        "subagent" => 9,
        "original_input" => 10,
        "details" => 11,
        "is_error" => 12,
        "prompt" => 13,
        "shell" => 14,
        _ => return None,
    })
}

/// The templates of one VM.
#[derive(Default)]
pub(crate) struct EventTemplates {
    strict: Vec<(EventName, Table, Pin)>,
    events: Vec<EventTemplate>,
    inputs: Vec<InputTemplate>,
}

struct EventTemplate {
    event: Lifecycle,
    present: u32,
    tool: Arc<str>,
    native_tool: Arc<str>,
    table: Pin,
}

/// Inputs with these keys, in this order.
pub(crate) struct InputTemplate {
    pub(crate) keys: Box<[(Box<str>, Pin)]>,
    /// The keys with values that are to be replaced.
    pub(crate) table: Pin,
}

/// A tool event with what is known of its like.
pub(crate) struct TemplatedEvent<'a> {
    pub(crate) template: Pin,
    pub(crate) input: Option<&'a InputTemplate>,
    fields: &'a Fields<'a>,
}

/// The fields of a tool event that a template does not have the values of, with their places in [`NAMES`].
pub(crate) struct Fields<'a> {
    list: Vec<(usize, FieldValue<'a>)>,
    /// One bit for each field that is there and not left for later, and [`NO_PATHS`].
    present: u32,
    heavy: bool,
}

impl<'a> Fields<'a> {
    /// None yet.
    pub(crate) fn new() -> Self {
        Fields { list: Vec::with_capacity(6), present: 1 << NAME, heavy: false }
    }

    /// Gathers those of the event. Says whether it has no others, and none that is too much to be made without protection.
    fn gather(&mut self, event: &'a Event) -> bool {
        let fields = self;
        let mut known = true;
        event.visit(&mut |name, value| match name_index(name) {
            Some(_) if lazy::is_heavy_field(&value) => fields.heavy = true,
            Some(index) => {
                fields.present |= 1 << index;
                match &value {
                    // Most calls name no file: one list for all is in the template.
                    FieldValue::Texts(texts) if texts.is_empty() && index == PATHS => {
                        fields.present |= NO_PATHS;
                        return;
                    }
                    FieldValue::Texts(texts) => known = known && lazy::is_short(texts),
                    FieldValue::Text(_) | FieldValue::Bool(_) | FieldValue::Json(_) => {}
                }
                if !matches!(index, NAME | TOOL | NATIVE_TOOL | SHELL) {
                    fields.list.push((index, value));
                }
            }
            None => known = false,
        });
        known
    }
}

impl<'a> TemplatedEvent<'a> {
    /// The fields that the template does not have the values of.
    pub(crate) fn own_fields(&self) -> &'a [(usize, FieldValue<'a>)] {
        &self.fields.list
    }

    /// A text that is probably in the input, too.
    pub(crate) fn shared_text(&self) -> Option<&'a str> {
        self.fields.list.iter().find_map(|(index, value)| match value {
            FieldValue::Text(Cow::Borrowed(text)) if matches!(*index, COMMAND | CONTENT | URL) => Some(*text),
            _ => None,
        })
    }
}

impl EventTemplates {
    /// Looks up what is known of events like this one; `None` for an event that has no template. `fields` takes its fields.
    ///
    /// # Errors
    /// No memory.
    pub(crate) fn of<'a>(
        &'a mut self,
        lua: &Lua,
        event: &'a Event,
        fields: &'a mut Fields<'a>,
        metas: Metatables,
    ) -> mlua::Result<Option<(TemplatedEvent<'a>, Option<AnyUserData>)>> {
        let (EventName::Lifecycle(name), Some(call)) = (event.name(), event.call()) else { return Ok(None) };
        if !fields.gather(event) {
            return Ok(None);
        }
        let Some(template) = self.event(lua, *name, call, fields, metas)? else { return Ok(None) };
        let map = fields.list.iter().find_map(|(index, value)| match value {
            FieldValue::Json(Json::Object(map)) if *index == INPUT => Some(map),
            _ => None,
        });
        let input = match map {
            Some(map) => self.input(lua, map)?,
            None => None,
        };
        let node =
            if fields.heavy { Some(lua.create_any_userdata(LazyNode::root(event.clone()))?) } else { None };
        let input = input.and_then(|at| self.inputs.get(at));
        Ok(Some((TemplatedEvent { template, input, fields }, node)))
    }

    /// Builds an event's table key by key.
    ///
    /// # Errors
    /// No memory.
    pub(crate) fn push(&mut self, lua: &Lua, event: &Event, metas: Metatables) -> mlua::Result<Table> {
        let strict = match event.name() {
            // An event of another program has unknown fields.
            EventName::Bus(name) if BusSpec::of(name).is_none() => None,
            name => Some(self.strict(lua, name)?.1),
        };
        ffi::push_event(lua, event, strict, metas)
    }

    fn event(
        &mut self,
        lua: &Lua,
        event: Lifecycle,
        call: &ToolCall,
        fields: &Fields<'_>,
        metas: Metatables,
    ) -> mlua::Result<Option<Pin>> {
        let same = |template: &&EventTemplate| {
            template.event == event
                && template.present == fields.present
                && template.tool == call.tool
                && template.native_tool == call.native_tool
        };
        if let Some(template) = self.events.iter().find(same) {
            return Ok(Some(template.table));
        }
        let fixed = TOOL_BITS | 1 << NAME;
        if self.events.len() >= MAX_TEMPLATES || fields.present & fixed != fixed {
            return Ok(None);
        }
        let (strict, _) = self.strict(lua, &EventName::Lifecycle(event))?;
        let table = lua.create_table()?;
        for (index, name) in NAMES.iter().enumerate().filter(|(index, _)| fields.present & (1 << index) != 0)
        {
            match index {
                NAME => table.raw_set(*name, event.name())?,
                TOOL => table.raw_set(*name, &*call.tool)?,
                NATIVE_TOOL => table.raw_set(*name, &*call.native_tool)?,
                SHELL => table.raw_set(*name, call.shell())?,
                PATHS if fields.present & NO_PATHS != 0 => {
                    table.raw_set(*name, ffi::kept(lua, metas.empty_array)?)?;
                }
                _ => table.raw_set(*name, false)?,
            }
        }
        table.set_metatable(Some(strict))?;
        let table = ffi::pin(lua, table)?;
        let (tool, native_tool) = (Arc::clone(&call.tool), Arc::clone(&call.native_tool));
        self.events.push(EventTemplate { event, present: fields.present, tool, native_tool, table });
        Ok(Some(table))
    }

    /// The place of the template of this input.
    fn input(&mut self, lua: &Lua, map: &Map<String, Json>) -> mlua::Result<Option<usize>> {
        if map.is_empty() || map.len() > MAX_KEYS {
            return Ok(None);
        }
        let same = |template: &InputTemplate| {
            template.keys.len() == map.len()
                && template.keys.iter().zip(map.keys()).all(|((a, _), b)| **a == **b)
        };
        if let Some(at) = self.inputs.iter().position(same) {
            return Ok(Some(at));
        }
        if self.inputs.len() >= MAX_TEMPLATES || map.keys().any(|key| key.len() > MAX_KEY_BYTES) {
            return Ok(None);
        }
        let table = lua.create_table()?;
        let keys = map.keys().map(|key| {
            table.raw_set(key.as_str(), false)?;
            Ok((key.as_str().into(), ffi::pin(lua, key.as_str())?))
        });
        let keys = keys.collect::<mlua::Result<_>>()?;
        self.inputs.push(InputTemplate { keys, table: ffi::pin(lua, &table)? });
        Ok(Some(self.inputs.len() - 1))
    }

    /// The metatable that makes a misspelt field of this event an error. Bus events of others have fields of their own.
    fn strict(&mut self, lua: &Lua, event: &EventName) -> mlua::Result<(Table, Pin)> {
        if let Some((_, table, pin)) = self.strict.iter().find(|(known, ..)| known == event) {
            return Ok((table.clone(), *pin));
        }
        let metatable = host_mark::metatable(lua)?;
        let name = event.clone();
        let index = ffi::host_function(lua, move |_, (_, key): (Value, Value)| match &key {
            Value::String(key) => lazy::absent(Some(&name), &key.to_str()?),
            _ => Ok(Value::Nil),
        })?;
        metatable.raw_set("__index", index)?;
        metatable.set_readonly(true);
        let pin = ffi::pin(lua, &metatable)?;
        self.strict.push((event.clone(), metatable.clone(), pin));
        Ok((metatable, pin))
    }
}

/// Among the bits of the fields that are there: `paths` is, and empty.
const NO_PATHS: u32 = 1 << 31;
const TOOL_BITS: u32 = 1 << TOOL | 1 << NATIVE_TOOL;
