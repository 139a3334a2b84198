//! Lua values to JSON. The other way is `raw`.
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
use serde_json::{Map, Number, Value as Json};
use snaphook_script::value::{ValueError, ValueProblem};

use crate::lazy;
use crate::ours;
use crate::raw::Metatables;

/// The depth to which a value may nest on its way out of a script: as on its way in, and as in Rhai.
const MAX_DEPTH: usize = 128;
/// The number of values that it may have.
const MAX_VALUES: usize = 1 << 18;

/// Reads Lua values, within bounds.
pub(crate) struct Reader<'a> {
    lua: &'a Lua,
    metas: Metatables,
    /// The metatable of arrays, to tell an empty array from an empty map.
    array: &'a Table,
    bytes_left: usize,
    values_left: usize,
    path: Vec<String>,
    /// True if a table with a metatable of the script's is an error: it looks like something else than what is read
    /// here.
    plain: bool,
}

impl<'a> Reader<'a> {
    /// A reader that takes at most so many bytes of text.
    pub(crate) fn new(lua: &'a Lua, metas: Metatables, array: &'a Table, bytes: usize) -> Self {
        Reader {
            lua,
            metas,
            array,
            bytes_left: bytes,
            values_left: MAX_VALUES,
            path: Vec::new(),
            plain: false,
        }
    }

    /// A reader of answers. What is read is what a table holds; an answer that comes by a metatable, as a class in Lua would give
    /// it, would be none, and open a gate.
    pub(crate) fn of_answer(lua: &'a Lua, metas: Metatables, array: &'a Table, bytes: usize) -> Self {
        Reader { plain: true, ..Reader::new(lua, metas, array, bytes) }
    }

    /// The JSON form of a value.
    ///
    /// # Errors
    /// What JSON cannot hold, with the key where it stands; a value over the bounds.
    pub(crate) fn read(&mut self, value: &Value) -> Result<Json, ValueError> {
        self.values_left = self.values_left.checked_sub(1).ok_or_else(|| self.at(ValueProblem::TooMany))?;
        match value {
            Value::Nil => Ok(Json::Null),
            Value::Boolean(flag) => Ok(Json::Bool(*flag)),
            Value::Integer(number) => Ok(Json::from(*number)),
            Value::Number(number) => self.number(*number),
            Value::String(text) => self.text(text).map(Json::String),
            Value::Table(table) => self.table(table),
            Value::LightUserData(data) if data.0.is_null() => Ok(Json::Null),
            other => Err(self.at(ValueProblem::Type(format!("a {}", other.type_name())))),
        }
    }

    fn number(&self, number: f64) -> Result<Json, ValueError> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() <= EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            return Ok(Json::from(number as i64));
        }
        Number::from_f64(number).map(Json::Number).ok_or_else(|| self.at(ValueProblem::NotFinite))
    }

    fn text(&mut self, text: &mlua::LuaString) -> Result<String, ValueError> {
        let bytes = text.as_bytes();
        self.bytes_left =
            self.bytes_left.checked_sub(bytes.len()).ok_or_else(|| self.at(ValueProblem::TooLong))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.at(ValueProblem::NotUtf8))
    }

    fn table(&mut self, table: &Table) -> Result<Json, ValueError> {
        if self.path.len() >= MAX_DEPTH {
            return Err(self.at(ValueProblem::TooDeep));
        }
        if self.plain
            && let Some(metatable) = table.metatable()
            && metatable != *self.array
            && !ours::is(&metatable)
            && lazy::node_of(table).is_none()
        {
            return Err(self.at(ValueProblem::Metatable));
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
                return Err(self.at(ValueProblem::Key(key.type_name().to_owned())));
            };
            let key = self.text(&key)?;
            self.path.push(key);
            let value = self.read(&value)?;
            map.insert(self.path.pop().unwrap_or_default(), value);
        }
        if map.is_empty()
            && let Some(metatable) = table.metatable()
        {
            if metatable == *self.array {
                return Ok(Json::Array(Vec::new()));
            }
            // `ctx` and `snaphook` look empty. Taken for an empty answer, one that is returned by a slip would open a gate.
            if table.is_readonly() && ours::is(&metatable) {
                return Err(self.at(ValueProblem::Type("an object of the host".to_owned())));
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
                return Err(self.at(ValueProblem::Mixed));
            }
        }
        for index in 1..=length {
            let value: Value = table.raw_get(index).map_err(unread)?;
            self.path.push(index.to_string());
            items.push(self.read(&value)?);
            self.path.pop();
        }
        Ok(Json::Array(items))
    }

    fn at(&self, problem: ValueProblem) -> ValueError {
        ValueError::at(&self.path, problem)
    }
}

fn unread(error: mlua::Error) -> ValueError {
    ValueError::Engine(error.to_string())
}
