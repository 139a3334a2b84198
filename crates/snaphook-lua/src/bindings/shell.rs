//! `snaphook.shell`: the commands that a shell text would run.

use std::sync::Arc;

use mlua::{Lua, LuaString, Table, Value, Variadic};
use snaphook_core::quoted_word;
use snaphook_script::shell as fields;
use snaphook_shell::{self as shell, Command, Dialect, Opaque, Word};

use crate::bindings::{key_text, members, record, sequence};
use crate::ffi::{host_function, named_function};
use crate::raise::raise;
use crate::vm_context::VmContext;

/// The members of the module.
pub(super) const NAMES: [&str; 2] = ["commands", "quote"];
/// The fields of a command, and its method.
pub(super) fn command() -> Vec<&'static str> {
    fields::COMMAND.iter().copied().chain([fields::HAS_FLAGS]).collect()
}

/// Makes the module.
pub(crate) fn module(lua: &Lua, vm: &Arc<VmContext>) -> mlua::Result<Table> {
    let tables = Arc::new(CommandTables::new(lua, vm)?);
    let commands = named_function(
        lua,
        c"snaphook.shell.commands",
        move |lua, (text, options): (LuaString, Option<Table>)| {
            let dialect = dialect(options)?;
            // What is not UTF-8 cannot be understood, like what does not parse: nil and the reason.
            let parsed = match text.to_str() {
                Ok(text) => shell::commands_in(&text, dialect).map_err(|error| error.to_string()),
                Err(_) => Err("the text is not UTF-8".to_owned()),
            };
            match parsed {
                Ok(list) => Ok((Some(tables.list(lua, list)?), None)),
                Err(message) => Ok((None, Some(message))),
            }
        },
    )?;
    let quote = named_function(lua, c"snaphook.shell.quote", |_, word: LuaString| {
        Ok(quoted_word(&word.to_str()?).into_owned())
    })?;
    members(lua, "snaphook.shell", NAMES.into_iter().zip([commands, quote].map(Value::Function)))
}

/// Reads `{ shell = "sh" }`.
fn dialect(options: Option<Table>) -> mlua::Result<Dialect> {
    let mut pairs = Vec::new();
    for pair in options.iter().flat_map(|options| options.pairs::<Value, Value>()) {
        let (name, value) = pair?;
        pairs.push((key_text(&name), value.as_string().map(|text| text.to_string_lossy())));
    }
    fields::dialect("snaphook.shell.commands", pairs).map_err(raise)
}

/// Makes the tables of commands.
struct CommandTables {
    /// Methods of a command.
    command: Table,
    /// Makes an unknown word refuse to be used as text.
    unknown: Table,
    /// Makes a misspelt field of a redirect an error.
    redirect: Table,
    /// The same for `cmd.opaque`.
    opaque: Table,
    array: Table,
}

impl CommandTables {
    fn new(lua: &Lua, vm: &VmContext) -> mlua::Result<Self> {
        let has_flags =
            named_function(lua, c"cmd:has_flags", |_, (command, flags): (Table, Variadic<String>)| {
                let inner: mlua::AnyUserData = command.raw_get("_command")?;
                let inner = inner.borrow::<Command>()?;
                let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
                if flags.is_empty() {
                    return Err(raise(
                        "cmd:has_flags needs at least one flag, like cmd:has_flags(\"r\", \"f\")",
                    ));
                }
                Ok(inner.has_flags(&flags))
            })?;
        let methods = lua.create_table_from([(fields::HAS_FLAGS, has_flags)])?;
        let index = host_function(lua, move |_, (_, key): (Value, LuaString)| {
            let method: Value = methods.raw_get(&key)?;
            let key = key.to_string_lossy();
            if method.is_nil() && !fields::COMMAND.contains(&key.as_str()) {
                let list = command().join(", ");
                return Err(raise(format!("a shell command has no `{key}` (it has {list})")));
            }
            Ok(method)
        })?;
        let command = locked(lua, index)?;
        let index = host_function(lua, |_, (word, key): (Table, LuaString)| {
            let text: String = word.raw_get("text")?;
            let key = key.to_string_lossy();
            Err::<Value, _>(raise(format!(
                "the word {text} is not known before the command runs, so it has no `{key}`; test `type(word) == \"string\"` first"
            )))
        })?;
        let unknown = locked(lua, index)?;
        let redirect = record(lua, "a redirect", fields::REDIRECT)?;
        let opaque = record(lua, "cmd.opaque", fields::OPAQUE)?;
        Ok(CommandTables { command, unknown, redirect, opaque, array: vm.array.clone() })
    }

    fn list(&self, lua: &Lua, commands: Vec<Command>) -> mlua::Result<Table> {
        self.sequence(lua, commands.into_iter().map(|command| self.command(lua, command)))
    }

    fn command(&self, lua: &Lua, command: Command) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        table.raw_set("name", self.word(lua, &command.name)?)?;
        table.raw_set("path", self.word(lua, &command.path)?)?;
        table.raw_set("args", self.sequence(lua, command.args.iter().map(|word| self.word(lua, word)))?)?;
        let assignments = lua.create_table()?;
        for (name, value) in &command.assignments {
            assignments.raw_set(name.as_str(), self.word(lua, value)?)?;
        }
        table.raw_set("assignments", assignments)?;
        let redirects = command.redirects.iter().map(|redirect| {
            let table = lua.create_table()?;
            table.raw_set("target", self.word(lua, &redirect.target)?)?;
            table.raw_set("read", redirect.read)?;
            table.raw_set("write", redirect.write)?;
            table.raw_set("append", redirect.append)?;
            table.set_metatable(Some(self.redirect.clone()))?;
            table.raw_set("fd", redirect.fd)?;
            Ok(table)
        });
        table.raw_set("redirects", self.sequence(lua, redirects)?)?;
        table.raw_set("via", self.sequence(lua, command.via.iter().map(|name| Ok(name.as_str())))?)?;
        table.raw_set("dynamic", command.dynamic)?;
        if let Some(opaque) = &command.opaque {
            table.raw_set("opaque", self.opaque(lua, opaque)?)?;
        }
        table.raw_set("text", &*command.text)?;
        table.raw_set("line", command.line)?;
        table.raw_set("column", command.column)?;
        table.raw_set("_command", lua.create_any_userdata(command)?)?;
        table.set_metatable(Some(self.command.clone()))?;
        Ok(table)
    }

    fn opaque(&self, lua: &Lua, opaque: &Opaque) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        table.raw_set("kind", opaque.kind.as_str())?;
        table.raw_set("language", opaque.language)?;
        table.raw_set("code", opaque.code.as_deref())?;
        if let Some(file) = &opaque.file {
            table.raw_set("file", self.word(lua, file)?)?;
        }
        table.raw_set("written", opaque.written)?;
        table.set_metatable(Some(self.opaque.clone()))?;
        Ok(table)
    }

    /// A known word is a string. Another is a table, so that it equals no string.
    fn word(&self, lua: &Lua, word: &Word) -> mlua::Result<Value> {
        if let Some(text) = word.known() {
            return lua.create_string(text).map(Value::String);
        }
        let table = lua.create_table()?;
        table.raw_set("unknown", true)?;
        table.raw_set("text", word.text())?;
        table.raw_set("prefix", word.prefix())?;
        table.raw_set("many", word.many())?;
        table.set_metatable(Some(self.unknown.clone()))?;
        table.set_readonly(true);
        Ok(Value::Table(table))
    }

    fn sequence<T: mlua::IntoLua>(
        &self,
        lua: &Lua,
        items: impl Iterator<Item = mlua::Result<T>>,
    ) -> mlua::Result<Table> {
        let table = sequence(lua, items)?;
        table.set_metatable(Some(self.array.clone()))?;
        Ok(table)
    }
}

fn locked(lua: &Lua, index: mlua::Function) -> mlua::Result<Table> {
    let metatable = lua.create_table_with_capacity(0, 2)?;
    metatable.raw_set("__index", index)?;
    metatable.raw_set("__metatable", "locked")?;
    metatable.set_readonly(true);
    Ok(metatable)
}
