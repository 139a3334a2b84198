//! Lua values to JSON. The other way is `ffi`.
//!
//! | Lua | JSON |
//! |---|---|
//! | `nil` in a table | absent |
//! | `snaphook.json.null` | `null` |
//! | a whole number up to 2^53 | an integer |
//! | any other number | a float; `nan` and `inf` are errors |
//! | a table with keys 1 to n | an array |
//! | an empty table | `{}`, but `[]` if it came from an array or from `snaphook.json.array` |
//! | text that is not UTF-8, a function, `ctx`, a table with mixed keys | an error that names the key |

use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json};
use snaphook_script::value::{Bounds, ValueError, ValueProblem};

use crate::ffi::Metatables;
use crate::host_mark;
use crate::lazy;

/// Reads Lua values, within bounds.
pub(crate) struct Reader<'a> {
    lua: &'a Lua,
    metas: Metatables,
    /// The metatable of arrays, to tell an empty array from an empty map.
    array: &'a Table,
    bounds: Bounds,
    /// True if a table with a metatable of the script's is an error: it looks like something else than what is read
    /// here.
    plain: bool,
}

impl<'a> Reader<'a> {
    /// A reader that takes at most so many bytes of text.
    pub(crate) fn new(lua: &'a Lua, metas: Metatables, array: &'a Table, bytes: usize) -> Self {
        Reader { lua, metas, array, bounds: Bounds::new(bytes), plain: false }
    }

    /// A reader of answers. What is read is what a table holds; an answer that comes by a metatable, as a class in Lua would give
    /// it, would be read as empty, and open a gate.
    pub(crate) fn of_answer(lua: &'a Lua, metas: Metatables, array: &'a Table, bytes: usize) -> Self {
        Reader { plain: true, ..Reader::new(lua, metas, array, bytes) }
    }

    /// The JSON form of a value.
    ///
    /// # Errors
    /// A value that JSON cannot hold, with the key where it stands; a value over the bounds.
    pub(crate) fn read(&mut self, value: &Value) -> Result<Json, ValueError> {
        self.bounds.count_value()?;
        match value {
            Value::Nil => Ok(Json::Null),
            Value::Boolean(flag) => Ok(Json::Bool(*flag)),
            Value::Integer(number) => Ok(Json::from(*number)),
            Value::Number(number) => self.bounds.number(*number),
            Value::String(text) => self.text(text).map(Json::String),
            Value::Table(table) => self.table(table),
            Value::LightUserData(data) if data.0.is_null() => Ok(Json::Null),
            other => Err(self.bounds.at(ValueProblem::Type(format!("a {}", other.type_name())))),
        }
    }

    fn text(&mut self, text: &mlua::LuaString) -> Result<String, ValueError> {
        let bytes = text.as_bytes();
        self.bounds.count_text(bytes.len())?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.bounds.at(ValueProblem::NotUtf8))
    }

    fn table(&mut self, table: &Table) -> Result<Json, ValueError> {
        self.bounds.check_depth()?;
        if self.plain
            && let Some(metatable) = table.metatable()
            && metatable != *self.array
            && !host_mark::is_marked(&metatable)
            && lazy::node_of(table).is_none()
        {
            return Err(self.bounds.at(ValueProblem::Metatable));
        }
        lazy::fill(self.lua, table, self.metas).map_err(unread)?;
        let length = table.raw_len();
        if length > 0 {
            return self.array(table, length);
        }
        let mut map = Map::new();
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair.map_err(unread)?;
            let Value::String(key) = key else {
                return Err(self.bounds.at(ValueProblem::Key(key.type_name().to_owned())));
            };
            let key = self.text(&key)?;
            self.bounds.enter(key);
            let value = self.read(&value)?;
            map.insert(self.bounds.leave(), value);
        }
        if map.is_empty()
            && let Some(metatable) = table.metatable()
        {
            if metatable == *self.array {
                return Ok(Json::Array(Vec::new()));
            }
            // `ctx` and `snaphook` look empty. Taken for an empty answer, one that is returned by a slip would open a gate.
            if table.is_readonly() && host_mark::is_marked(&metatable) {
                return Err(self.bounds.at(ValueProblem::Type("an object of the host".to_owned())));
            }
        }
        // Tables have no order of their own; a stable one makes rewrites comparable and tests readable.
        map.sort_keys();
        Ok(Json::Object(map))
    }

    fn array(&mut self, table: &Table, length: usize) -> Result<Json, ValueError> {
        let mut keys = 0;
        let mut items = Vec::with_capacity(length.min(1024));
        for pair in table.pairs::<Value, Value>() {
            pair.map_err(unread)?;
            keys += 1;
            if keys > length {
                return Err(self.bounds.at(ValueProblem::Mixed));
            }
        }
        for index in 1..=length {
            let value: Value = table.raw_get(index).map_err(unread)?;
            self.bounds.enter(index.to_string());
            items.push(self.read(&value)?);
            self.bounds.leave();
        }
        Ok(Json::Array(items))
    }
}

fn unread(error: mlua::Error) -> ValueError {
    ValueError::Engine(error.to_string())
}
