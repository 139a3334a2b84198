//! Tool calls and their results as handlers see them: canonical tool names and the portable fields.
//! Not here: how an agent's own tool names and inputs become these (the adapters), and running tools.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// The canonical tool names. Other names are tools of an agent's own; `mcp__SERVER__TOOL` belongs to `mcp`.
pub const CANONICAL_TOOLS: &[&str] = &[
    "bash",
    "read",
    "write",
    "edit",
    "glob",
    "grep",
    "web_fetch",
    "web_search",
    "task",
    "todo",
    "notebook",
    "mcp",
];

/// The access of a call to the files it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It only reads them.
    Read,
    /// It may change them. Also where nothing is known of the tool.
    Write,
}

/// A portable field: it means the same whatever the agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The shell command line.
    Command,
    /// The one file that the call names.
    Path,
    /// The text that the call would write.
    Content,
    /// The address that the call would fetch.
    Url,
}

impl Field {
    /// The name that scripts use in an answer.
    pub fn name(self) -> &'static str {
        match self {
            Field::Command => "command",
            Field::Path => "path",
            Field::Content => "content",
            Field::Url => "url",
        }
    }
}

/// The place of the portable fields in a tool's native input. One implementation serves a whole agent; the
/// built-in [`CommonFields`] knows the names that most agents share.
pub trait FieldMap: Send + Sync + fmt::Debug {
    /// The shell command line.
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>>;
    /// Every file that the call names, as written.
    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>>;
    /// The text that would be written.
    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>>;
    /// The address that would be fetched.
    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>>;
    /// Writes a field back.
    ///
    /// # Errors
    /// The tool has no such field, or it cannot be told where it stands.
    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField>;
    /// Returns what the tool does to the files it names.
    fn access(&self, tool: &str) -> Access {
        match tool {
            "read" | "glob" | "grep" | "web_fetch" | "web_search" => Access::Read,
            _ => Access::Write,
        }
    }
}

/// A portable field that a tool's input does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a call of \"{tool}\" has no single `{}` to rewrite; return the whole `input`", field.name())]
pub struct NoSuchField {
    /// The canonical name of the tool.
    pub tool: String,
    /// The field.
    pub field: Field,
}

/// The input names that most agents share (`command`, `file_path`, `content`, `url`, …).
#[derive(Debug, Clone, Copy)]
pub struct CommonFields;

/// The place where tools have a command line, or its words.
const COMMAND_KEYS: &[&str] = &["command", "cmd", "command_line", "commandLine", "shell_command", "argv"];
/// The place where they have the words behind the program.
const ARGUMENT_KEYS: &[&str] = &["args", "arguments"];
const PATH_KEYS: &[&str] = &["file_path", "path", "notebook_path", "filePath", "filename"];
/// The keys under which tools without a description have paths.
const PLAIN_PATH_KEYS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "filename",
    "file",
    "directory",
    "source",
    "destination",
    "old_path",
    "new_path",
    "oldPath",
    "newPath",
    "uri",
];
/// The place where they have several.
const PATH_LISTS: &[&str] = &["paths", "files", "file_paths", "filePaths"];
const CONTENT_KEYS: &[&str] = &["content", "new_string", "newString", "new_source", "text"];

impl CommonFields {
    fn keys(tool: &str, field: Field) -> &'static [&'static str] {
        // The most frequent tool first: each field of each call is asked for.
        if tool == "bash" {
            return if field == Field::Command { COMMAND_KEYS } else { &[] };
        }
        match (field, tool) {
            (Field::Path, "read" | "write" | "edit" | "notebook" | "glob" | "grep") => PATH_KEYS,
            (Field::Content, "write" | "edit" | "notebook") => CONTENT_KEYS,
            (Field::Url, "web_fetch") => &["url"],
            (_, "read" | "write" | "edit" | "notebook" | "glob" | "grep") => &[],
            (_, "web_fetch" | "web_search" | "task" | "todo") => &[],
            // A tool without a description (an MCP server's, an agent's own): the plain names are taken.
            (Field::Command, _) => COMMAND_KEYS,
            (Field::Path, _) => PLAIN_PATH_KEYS,
            (Field::Content, _) => &["content"],
            (Field::Url, _) => &["url"],
        }
    }

    /// The texts of all keys of a field, none twice: which of several the agent takes is not known.
    fn texts<'a>(tool: &str, map: &'a Map<String, Value>, field: Field) -> Vec<Cow<'a, str>> {
        let found = Self::keys(tool, field).iter().filter_map(|key| get(map, key)?.as_str());
        distinct(found.map(Cow::Borrowed))
    }
}

/// The texts in their order, none twice.
fn distinct<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> Vec<Cow<'a, str>> {
    let mut found: Vec<Cow<'a, str>> = Vec::new();
    for text in texts {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

fn joined<'a>(mut texts: Vec<Cow<'a, str>>, between: &str) -> Option<Cow<'a, str>> {
    match texts.len() {
        0 | 1 => texts.pop(),
        _ => Some(Cow::Owned(texts.join(between))),
    }
}

/// The words behind a program that stand beside it.
fn arguments(map: &Map<String, Value>) -> Option<&Value> {
    ARGUMENT_KEYS.iter().find_map(|key| get(map, key)).filter(|value| !value.is_null())
}

/// A text as it is, a list of words as a command line that means them; none for what is neither.
fn line(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(words) if !words.is_empty() => {
            let words: Option<Vec<_>> = words.iter().map(word).collect();
            Some(Cow::Owned(words?.join(" ")))
        }
        _ => None,
    }
}

fn word(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(word) => Some(quoted_word(word)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    }
}

/// A word as a shell text that stands for exactly it.
pub fn quoted_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

/// Inputs have few keys: to look at each is cheaper than to hash the wanted one.
fn get<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    if map.len() > 8 {
        return map.get(key);
    }
    map.iter().find(|(other, _)| *other == key).map(|(_, value)| value)
}

impl FieldMap for CommonFields {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let map = input.as_object()?;
        let lines = Self::keys(tool, Field::Command).iter().filter_map(|key| line(get(map, key)?));
        let mut lines = distinct(lines);
        if let Some(behind) = arguments(map).and_then(line) {
            let whole: Vec<_> = lines.iter().map(|line| Cow::Owned(format!("{line} {behind}"))).collect();
            // An agent's own shell takes a line, and may leave out what else there is.
            let alone = if tool == "bash" { lines } else { Vec::new() };
            lines = distinct(alone.into_iter().chain(whole));
        }
        joined(lines, "\n")
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        let keys = Self::keys(tool, Field::Path);
        let Some(map) = input.as_object().filter(|_| !keys.is_empty()) else { return Vec::new() };
        let single = keys.iter().filter_map(|key| get(map, key)?.as_str());
        let lists = PATH_LISTS.iter().filter_map(|key| get(map, key)?.as_array());
        single.chain(lists.flatten().filter_map(Value::as_str)).map(Cow::Borrowed).collect()
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let mut texts = Self::texts(tool, input.as_object()?, Field::Content);
        // Several edits of one file: what is written is all of their new texts.
        let edits = input.get("edits").and_then(Value::as_array).filter(|_| tool == "edit");
        for edit in edits.into_iter().flatten() {
            texts
                .extend(CONTENT_KEYS.iter().filter_map(|key| Some(Cow::Borrowed(edit.get(*key)?.as_str()?))));
        }
        joined(texts, "\n").or(edits.map(|_| Cow::Borrowed("")))
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        joined(Self::texts(tool, input.as_object()?, Field::Url), " ")
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let missing = || NoSuchField { tool: tool.to_owned(), field };
        if field == Field::Path && self.paths(tool, input).len() != 1 {
            return Err(missing());
        }
        let map = input.as_object_mut().ok_or_else(missing)?;
        // A command line is a text only where it is one.
        if field == Field::Command && arguments(map).is_some() {
            return Err(missing());
        }
        let mut present =
            Self::keys(tool, field).iter().filter(|key| map.get(**key).is_some_and(|value| !value.is_null()));
        let only = present.next().filter(|_| present.next().is_none());
        let slot =
            only.and_then(|key| map.get_mut(*key)).filter(|slot| slot.is_string()).ok_or_else(missing)?;
        *slot = Value::String(value);
        Ok(())
    }
}

/// A tool call that wants to run. Cheap to clone: the input is shared.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The agent's id of the call, or one made up by the host.
    pub id: Arc<str>,
    /// The canonical tool name.
    pub tool: Arc<str>,
    /// The agent's own name of the tool.
    pub native_tool: Arc<str>,
    /// The agent's own input.
    pub input: Arc<Value>,
    /// The subagent that makes the call, where the agent tells.
    pub subagent: Option<Arc<str>>,
    /// The place of the portable fields in the input.
    pub map: &'static dyn FieldMap,
}

impl ToolCall {
    /// A call of a tool under its canonical name, with the common input names.
    pub fn new(id: impl Into<Arc<str>>, tool: impl Into<Arc<str>>, input: Value) -> Self {
        let tool = tool.into();
        ToolCall {
            id: id.into(),
            native_tool: Arc::clone(&tool),
            tool,
            input: Arc::new(input),
            subagent: None,
            map: &CommonFields,
        }
    }

    /// Names the tool as the agent does.
    #[must_use]
    pub fn native(mut self, name: impl Into<Arc<str>>) -> Self {
        self.native_tool = name.into();
        self
    }

    /// The same call with another input.
    #[must_use]
    pub fn with_input(&self, input: Value) -> Self {
        ToolCall { input: Arc::new(input), ..self.clone() }
    }

    /// The group that a tool belongs to: `mcp` for `mcp__SERVER__TOOL`, else the tool itself.
    pub fn family(&self) -> &str {
        family(&self.tool)
    }

    /// The shell command line.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        self.map.command(&self.tool, &self.input)
    }

    /// Returns whether it is the agent's own tool for command lines, with one: what can be held.
    pub fn runs_command_line(&self) -> bool {
        &*self.tool == "bash" && self.command().is_some()
    }

    /// The shell that reads the command line, as `snaphook.shell.commands` calls it: `bash` for the agent's own tool (which
    /// runs bash, zsh or ksh), `sh` for any other, since a server's shell is usually `/bin/sh`.
    pub fn shell(&self) -> &'static str {
        if &*self.tool == "bash" { "bash" } else { "sh" }
    }

    /// Every file that the call names, as written.
    pub fn paths(&self) -> Vec<Cow<'_, str>> {
        self.map.paths(&self.tool, &self.input)
    }

    /// The text that would be written.
    pub fn content(&self) -> Option<Cow<'_, str>> {
        self.map.content(&self.tool, &self.input)
    }

    /// The address that would be fetched.
    pub fn url(&self) -> Option<Cow<'_, str>> {
        self.map.url(&self.tool, &self.input)
    }

    /// Returns what the call does to the files it names.
    pub fn access(&self) -> Access {
        self.map.access(&self.tool)
    }
}

/// The group that a canonical tool name belongs to.
pub fn family(tool: &str) -> &str {
    if tool.starts_with("mcp__") { "mcp" } else { tool }
}

/// The result of a tool. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ToolResult {
    /// The call as it ran, with its final input.
    pub call: ToolCall,
    /// The input as the agent first sent it.
    pub original_input: Arc<Value>,
    /// The text for the model.
    pub content: Arc<str>,
    /// The data that the tool adds to the text, for machines; `null` for most.
    pub details: Arc<Value>,
    /// True if the tool failed.
    pub is_error: bool,
}

impl ToolResult {
    /// The result of a call whose input nobody rewrote.
    pub fn new(call: ToolCall, content: impl Into<Arc<str>>, details: Value, is_error: bool) -> Self {
        ToolResult {
            original_input: Arc::clone(&call.input),
            call,
            content: content.into(),
            details: Arc::new(details),
            is_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(tool: &str, input: Value) -> ToolCall {
        ToolCall::new("1", tool, input)
    }

    #[test]
    fn portable_fields_mean_the_same_everywhere() {
        assert_eq!(call("bash", json!({"command": "ls"})).command().as_deref(), Some("ls"));
        assert_eq!(call("read", json!({"file_path": "a"})).paths(), ["a"]);
        assert_eq!(call("read", json!({"path": "a"})).paths(), ["a"]);
        assert_eq!(call("write", json!({"path": "a", "content": "x"})).content().as_deref(), Some("x"));
        assert_eq!(call("edit", json!({"path": "a", "new_string": "x"})).content().as_deref(), Some("x"));
        assert_eq!(
            call("edit", json!({"edits": [{"new_string": "x"}, {"new_string": "y"}]})).content().as_deref(),
            Some("x\ny")
        );
        assert_eq!(call("mcp__fs__move", json!({"source": "a", "destination": "b"})).paths(), ["a", "b"]);
        assert_eq!(call("mcp__fs__read", json!({"paths": ["a", "b"]})).paths(), ["a", "b"]);
        assert_eq!(
            call("mcp__fs__copy", json!({"newPath": "b", "file": "a", "files": ["c", {"path": "d"}]}))
                .paths(),
            ["a", "b", "c"]
        );
        assert_eq!(call("task", json!({"command": "ls"})).command(), None);
        assert_eq!(call("bash", json!("ls")).command(), None);
    }

    #[test]
    fn a_command_line_is_one_however_it_is_given() {
        for (input, line) in [
            (json!({"cmd": "ls -l"}), Some("ls -l")),
            (json!({"command": ["rm", "-rf", "a b", "it's", ""]}), Some(r"rm -rf 'a b' 'it'\''s' ''")),
            (json!({"argv": ["sleep", 5]}), Some("sleep 5")),
            (json!({"command": "git", "args": ["commit", "-m", "a b"]}), Some("git commit -m 'a b'")),
            (json!({"command": "git", "arguments": "log -1"}), Some("git log -1")),
            (json!({"command": "git", "args": null}), Some("git")),
            (json!({"command": "git", "args": []}), Some("git")),
            (json!({"command": ["git", {}], "cmd": "ls"}), Some("ls")),
            (json!({"command": "ls", "cmd": "ls"}), Some("ls")),
            (json!({"command": [], "args": ["a"]}), None),
            (json!({"args": ["a"]}), None),
        ] {
            for tool in ["mcp__sh__run", "run"] {
                assert_eq!(call(tool, input.clone()).command().as_deref(), line, "{tool} {input}");
            }
        }
        // Of several that an agent could take, hooks see each; an agent's own shell may take the line alone.
        for (tool, input, line) in [
            ("bash", json!({"command": "git", "args": ["log"]}), "git\ngit log"),
            ("bash", json!({"command": "ls", "cmd": "pwd"}), "ls\npwd"),
            ("run", json!({"command": "ls", "argv": ["rm", "x"], "args": "-l"}), "ls -l\nrm x -l"),
        ] {
            assert_eq!(call(tool, input).command().as_deref(), Some(line));
        }
    }

    #[test]
    fn a_field_is_written_where_it_was_read() {
        let mut input = json!({"path": "a", "mode": 7});
        assert_eq!(CommonFields.set("read", &mut input, Field::Path, "b".into()), Ok(()));
        assert_eq!(input, json!({"path": "b", "mode": 7}));
        let error = CommonFields.set("read", &mut input, Field::Command, "ls".into()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a call of \"read\" has no single `command` to rewrite; return the whole `input`"
        );
        for (mut input, want) in [
            (json!({"cmd": "ls"}), Some(json!({"cmd": "pwd"}))),
            (json!({"command": ["ls"]}), None),
            (json!({"command": "ls", "args": ["-l"]}), None),
        ] {
            let set = CommonFields.set("mcp__sh__run", &mut input, Field::Command, "pwd".into());
            assert_eq!(set.ok().map(|()| input), want);
        }
        let mut two = json!({"source": "a", "destination": "b"});
        assert!(CommonFields.set("mcp__fs__move", &mut two, Field::Path, "c".into()).is_err());
    }
}
