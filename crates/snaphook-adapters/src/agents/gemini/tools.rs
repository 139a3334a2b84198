//! Gemini CLI's tools: canonical names, where its inputs have the portable fields, ids for calls that have none, and
//! results.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{Event, Field, FieldMap, NoSuchField, ToolCall};

use super::super::family::{payloads, results};
use crate::agent::Unreadable;
use crate::calls;
use crate::field_map::{FieldKeys, Spelled};
use crate::fields::Fields;

const FILE: &[&str] = &["file_path", "absolute_path", "path"];
const FOLDER: &[&str] = &["dir_path", "path"];

static KEYS: FieldKeys = FieldKeys(&[
    // Several files at once are named by patterns, too.
    ("read", Field::Path, &["file_path", "absolute_path", "path", "paths", "include"]),
    ("write", Field::Path, FILE),
    ("edit", Field::Path, FILE),
    ("glob", Field::Path, FOLDER),
    ("grep", Field::Path, FOLDER),
]);

/// Gemini CLI leaves NUL out of a path, and takes a leading `@` off where no file has it.
static FIELDS: Spelled = Spelled { fields: &GeminiFields, as_read };

fn as_read(path: &str) -> String {
    let clean = path.replace('\0', "");
    match clean.strip_prefix('@').map(|rest| rest.trim_start_matches(['/', '\\'])) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => clean,
    }
}

/// The table, and addresses that are in the text of a prompt.
#[derive(Debug)]
struct GeminiFields;

/// The canonical name; the native one where there is none.
fn canonical(native: &str) -> &str {
    match native {
        "run_shell_command" => "bash",
        "read_file" | "read_many_files" => "read",
        "write_file" => "write",
        "replace" | "edit" => "edit",
        "glob" | "list_directory" => "glob",
        "grep_search" | "search_file_content" => "grep",
        "web_fetch" => "web_fetch",
        "google_web_search" => "web_search",
        "invoke_agent" | "delegate_to_agent" => "task",
        "write_todos" => "todo",
        other => other,
    }
}

/// `mcp__SERVER__TOOL` of an MCP server's tool: the agent writes `mcp_SERVER_TOOL`, and the parts beside it. Without them
/// the server's name ends at the first underscore, as the agent demands of such names.
fn mcp(fields: Fields<'_>, native: &str) -> Option<String> {
    let context = fields.0.get("mcp_context").and_then(Value::as_object).map(Fields);
    let parts = context.and_then(|context| Some((context.text("server_name")?, context.text("tool_name")?)));
    let (server, tool) =
        parts.or_else(|| native.strip_prefix("mcp_")?.trim_start_matches('_').split_once('_'))?;
    Some(format!("mcp__{server}__{}", tool.trim_start_matches('_')))
}

/// A call. Nothing numbers calls: the id is made of what is the same before and after.
fn call(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    let mut call = payloads::call(fields, canonical)?;
    if let Some(name) = mcp(fields, &call.native_tool) {
        call.tool = Arc::from(name);
    } else {
        call.map = &FIELDS;
    }
    payloads::number(&mut call, fields);
    Ok(call)
}

/// A call that is about to be made. One that fetches several addresses cannot be judged by its one `url`.
pub(super) fn judged(fields: Fields<'_>) -> Result<ToolCall, Unreadable> {
    calls::judged(call(fields)?)
}

/// The file of an edit: where it is not there, the agent takes the only file below whose path ends so. One that is to be made is made.
pub(super) fn searched(call: &ToolCall) -> Vec<Cow<'_, str>> {
    let makes = call.input.get("old_string").and_then(Value::as_str) == Some("");
    if !matches!(&*call.native_tool, "replace" | "edit") || makes {
        return Vec::new();
    }
    call.paths().into_iter().filter(|path| !path.starts_with('/')).collect()
}

/// The addresses in a prompt, found as the agent finds them: words with a scheme.
fn addresses(prompt: &str) -> impl Iterator<Item = &str> {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let words = prompt.split(blank).filter(|word| word.contains("://"));
    words.map(|word| {
        word.trim_matches(|end: char| matches!(end, '(' | ')' | '<' | '>' | '"' | '\'' | ',' | ';'))
    })
}

/// A result: what the model would read, and whether the tool failed. A shell command fails by its exit code, which is in
/// a line of its own behind the output.
pub(super) fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let call = call(fields)?;
    let response = fields.0.get("tool_response").unwrap_or(&Value::Null);
    let content = results::text(response);
    let code = content.lines().rev().find_map(|line| line.strip_prefix("Exit Code: "));
    let failed = response.get("error").is_some_and(|error| !error.is_null())
        || (&*call.tool == "bash" && code.is_some_and(|code| !matches!(code.trim(), "0" | "(none)")));
    Ok(payloads::result(call, content, response.clone(), failed))
}

impl FieldMap for GeminiFields {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        KEYS.command(tool, input)
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        KEYS.paths(tool, input)
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        KEYS.content(tool, input)
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let prompt = input.get("prompt").filter(|_| tool == "web_fetch").and_then(Value::as_str);
        let mut found: Vec<Cow<'a, str>> = KEYS.url(tool, input).into_iter().collect();
        for address in prompt.into_iter().flat_map(addresses) {
            if found.iter().all(|known| known != address) {
                found.push(Cow::Borrowed(address));
            }
        }
        match found.len() {
            0 | 1 => found.pop(),
            _ => Some(Cow::Owned(found.join(" "))),
        }
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let in_prompt = field == Field::Url && KEYS.url(tool, input).is_none();
        let url = self.url(tool, input).map(Cow::into_owned).filter(|url| !url.contains(' '));
        match (url, input.get_mut("prompt")) {
            (Some(url), Some(Value::String(prompt))) if in_prompt => {
                *prompt = prompt.replacen(&url, &value, 1);
                Ok(())
            }
            _ => KEYS.set(tool, input, field, value),
        }
    }
}
