//! Cline's tool names in canonical words, and where its inputs have the portable fields.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook_core::{Field, FieldMap, NoSuchField, ToolCall, quoted_word};

use crate::agent::Unreadable;
use crate::calls;
use crate::field_map::{FieldKeys, Spelled};
use crate::patch::{self, PatchFields};

const FILES: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "paths",
    "file_paths",
    "files",
    "paths.path",
    "files.path",
    "files.file_path",
    "files.filePath",
];

static KEYS: FieldKeys = FieldKeys(&[
    ("read", Field::Path, FILES),
    ("write", Field::Path, FILES),
    ("edit", Field::Path, FILES),
    ("write", Field::Content, &["content", "new_text"]),
    ("edit", Field::Content, &["new_text", "new_str", "content", "diff"]),
    ("web_fetch", Field::Url, &["url", "urls", "requests.url"]),
]);

/// With several roots a path may begin with the name of one: `@name:path`.
static FIELDS: Spelled = Spelled { fields: &ClineFields, as_read };

fn as_read(path: &str) -> String {
    let inside = path.strip_prefix('@').and_then(|rest| rest.split_once(':'));
    inside.map_or(path, |(_, inside)| inside).to_owned()
}

static PATCH: PatchFields = PatchFields("input");

/// Inputs that are lists or maps; the extension hands them over as text.
const NESTED: &[&str] = &["commands", "files", "paths", "file_paths", "requests", "arguments"];

/// The table, and several commands at once, of which each is a line.
#[derive(Debug)]
struct ClineFields;

impl ClineFields {
    fn commands(input: &Value) -> Vec<Cow<'_, str>> {
        let mut found: Vec<Cow<'_, str>> = Vec::new();
        for line in ["command", "cmd", "commands"].iter().filter_map(|key| input.get(key)).flat_map(lines) {
            if !found.contains(&line) {
                found.push(line);
            }
        }
        // A program and its words, beside each other.
        if let (Some(program), Some(words)) =
            (input.get("command").and_then(Value::as_str), input.get("args"))
        {
            found.push(with_words(program, words));
        }
        found
    }
}

/// The lines of one command, or of several.
fn lines(value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::Array(items) => items.iter().filter_map(command).collect(),
        one => command(one).into_iter().collect(),
    }
}

/// A line, a program with its words, or a map with either.
fn command(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(line) => Some(Cow::Borrowed(line)),
        Value::Array(words) => {
            let words: Option<Vec<_>> = words.iter().map(|word| word.as_str().map(quoted_word)).collect();
            Some(Cow::Owned(words?.join(" ")))
        }
        map => {
            let program = ["command", "cmd"].iter().find_map(|key| map.get(key)?.as_str())?;
            Some(map.get("args").map_or(Cow::Borrowed(program), |words| with_words(program, words)))
        }
    }
}

fn with_words<'a>(program: &'a str, words: &'a Value) -> Cow<'a, str> {
    let words: Vec<Cow<'_, str>> = match words {
        Value::String(text) => vec![Cow::Borrowed(text)],
        Value::Array(words) => words.iter().filter_map(Value::as_str).map(quoted_word).collect(),
        _ => Vec::new(),
    };
    if words.is_empty() {
        Cow::Borrowed(program)
    } else {
        Cow::Owned(format!("{program} {}", words.join(" ")))
    }
}

impl FieldMap for ClineFields {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        if tool != "bash" {
            return KEYS.command(tool, input);
        }
        let mut commands = ClineFields::commands(input);
        match commands.len() {
            0 | 1 => commands.pop(),
            _ => Some(Cow::Owned(commands.join("\n"))),
        }
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        KEYS.paths(tool, input)
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        KEYS.content(tool, input)
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        KEYS.url(tool, input)
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        if tool != "bash" || field != Field::Command {
            return KEYS.set(tool, input, field, value);
        }
        let mut keys =
            ["command", "cmd", "commands", "args"].into_iter().filter(|key| input.get(key).is_some());
        let key = keys.next().filter(|_| keys.next().is_none());
        let held = key.and_then(|key| input.get_mut(key));
        let slot = match held {
            Some(slot @ Value::String(_)) => Some(slot),
            Some(Value::Array(items)) => match items.as_mut_slice() {
                [slot @ Value::String(_)] => Some(slot),
                _ => None,
            },
            _ => None,
        };
        *slot.ok_or_else(|| NoSuchField { tool: tool.to_owned(), field })? = Value::String(value);
        Ok(())
    }
}

fn canonical(native: &str) -> Cow<'_, str> {
    Cow::Borrowed(match native {
        "execute_command" | "run_commands" => "bash",
        "read_file" | "read_files" => "read",
        "write_to_file" | "write_file" | "new_rule" => "write",
        "replace_in_file" | "editor" | "apply_patch" => "edit",
        "list_files" | "list_code_definition_names" => "glob",
        "search_files" | "search_codebase" => "grep",
        "web_fetch" | "fetch_web_content" => "web_fetch",
        "web_search" => "web_search",
        "use_subagents" | "spawn_agent" => "task",
        _ => match native.split_once("__") {
            Some((server, tool)) if server != "mcp" && !server.is_empty() && !tool.is_empty() => {
                return calls::mcp(server, tool).into();
            }
            _ => native,
        },
    })
}

/// A call. The tool by which an MCP server's is called becomes that one, with its arguments as the input.
pub(super) fn call(id: &str, native: &str, given: &Value) -> Result<ToolCall, Unreadable> {
    let mut input = match given {
        Value::String(patch) if native == "apply_patch" && patch.trim_start().starts_with("***") => {
            json!({"input": patch})
        }
        given => calls::input(given, "the tool's input")?,
    };
    for name in NESTED {
        if let Some(held) = input.get_mut(*name) {
            *held = calls::parsed(held);
        }
    }
    let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let ("use_mcp_tool", Some(server), Some(tool)) = (native, text("server_name"), text("tool_name")) {
        let tool = calls::mcp(server, tool);
        let arguments = input.get("arguments").filter(|arguments| arguments.is_object()).cloned();
        return Ok(calls::call(id, &tool, native, arguments.unwrap_or(input), &FIELDS));
    }
    let mut call = calls::call(id, &canonical(native), native, input, &FIELDS);
    if let Some(text) = PATCH.patch(&call.input).filter(|_| native == "apply_patch") {
        if patch::only_adds(text) {
            call.tool = Arc::from("write");
        }
        call.map = &PATCH;
    }
    Ok(call)
}
