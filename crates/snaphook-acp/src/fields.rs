//! The portable fields in what agents ask for: the tool call of a permission request, and the command of a terminal.
//! Files are asked for by names that all agents share (`CommonFields`). Not here: reading the requests.

use std::borrow::Cow;

use serde_json::{Value, json};
use snaphook::{CommonFields, Field, FieldMap, NoSuchField, quoted_word};

/// The fields of a permission's tool call: in `rawInput` under the names that agents share, in `locations`, and in the
/// diffs of `content`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PermissionFields;

fn raw(call: &Value) -> Option<&Value> {
    call.get("rawInput").filter(|raw| raw.is_object())
}

/// The changes of files that a tool call shows.
pub(crate) fn diffs(call: &Value) -> impl Iterator<Item = &Value> {
    let content = call.get("content").and_then(Value::as_array).into_iter().flatten();
    content.filter(|part| part.get("type").and_then(Value::as_str) == Some("diff"))
}

fn distinct<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> Vec<Cow<'a, str>> {
    let mut found: Vec<Cow<'a, str>> = Vec::new();
    for text in texts {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The command line that a title is, where nothing else has one: some agents show a command and send no input.
fn title(call: &Value) -> Option<&str> {
    let title = call.get("title")?.as_str()?.trim();
    let bare = title.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    let line = bare.filter(|line| !line.contains('`')).unwrap_or(title);
    (!line.is_empty()).then_some(line)
}

impl FieldMap for PermissionFields {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let given = raw(input).and_then(|raw| CommonFields.command(tool, raw));
        if given.is_some() || tool != "bash" {
            return given;
        }
        title(input).map(Cow::Borrowed)
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        let given = raw(input).map(|raw| CommonFields.paths(tool, raw)).unwrap_or_default();
        let locations = input.get("locations").and_then(Value::as_array).into_iter().flatten();
        let shown = locations.chain(diffs(input)).filter_map(|place| place.get("path")?.as_str());
        distinct(given.into_iter().chain(shown.map(Cow::Borrowed)))
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let shown = diffs(input).filter_map(|diff| diff.get("newText")?.as_str()).map(Cow::Borrowed);
        let given = raw(input).and_then(|raw| CommonFields.content(tool, raw));
        let mut texts = distinct(shown.chain(given));
        match texts.len() {
            0 | 1 => texts.pop(),
            _ => Some(Cow::Owned(texts.join("\n"))),
        }
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        raw(input).and_then(|raw| CommonFields.url(tool, raw))
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let is_title = raw(input).and_then(|raw| CommonFields.command(tool, raw)).is_none();
        if field == Field::Command && tool == "bash" && is_title && title(input).is_some() {
            input["title"] = value.into();
            return Ok(());
        }
        match input.get_mut("rawInput").filter(|raw| raw.is_object()) {
            Some(raw) => CommonFields.set(tool, raw, field, value),
            None => Err(NoSuchField { tool: tool.to_owned(), field }),
        }
    }
}

/// The command of `terminal/create`: a program with its arguments, or a whole line where it has none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TerminalFields;

fn arguments(input: &Value) -> impl Iterator<Item = &str> {
    input.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

impl FieldMap for TerminalFields {
    fn command<'a>(&self, _tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let program = input.get("command")?.as_str()?;
        let mut words = arguments(input).map(quoted_word).peekable();
        if words.peek().is_none() {
            return Some(Cow::Borrowed(program));
        }
        let line: Vec<_> = std::iter::once(quoted_word(program)).chain(words).collect();
        Some(Cow::Owned(line.join(" ")))
    }

    fn paths<'a>(&self, _tool: &str, _input: &'a Value) -> Vec<Cow<'a, str>> {
        Vec::new()
    }

    fn content<'a>(&self, _tool: &str, _input: &'a Value) -> Option<Cow<'a, str>> {
        None
    }

    fn url<'a>(&self, _tool: &str, _input: &'a Value) -> Option<Cow<'a, str>> {
        None
    }

    /// A line stays a line; a program with arguments becomes a shell with the line.
    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let missing = || NoSuchField { tool: tool.to_owned(), field };
        let has_arguments = arguments(input).next().is_some();
        let input = input.as_object_mut().filter(|_| field == Field::Command).ok_or_else(missing)?;
        if has_arguments {
            input.insert("command".to_owned(), json!("/bin/sh"));
            input.insert("args".to_owned(), json!(["-c", value]));
        } else {
            input.insert("command".to_owned(), Value::String(value));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_permission_are_portable_fields() {
        for (tool, call, command, paths, content) in [
            ("bash", json!({"rawInput": {"command": "ls -l"}, "title": "List"}), Some("ls -l"), vec![], None),
            (
                "bash",
                json!({"rawInput": {"command": ["bash", "-lc", "ls -l"]}}),
                Some("bash -lc 'ls -l'"),
                vec![],
                None,
            ),
            ("bash", json!({"title": "`rm -r x`"}), Some("rm -r x"), vec![], None),
            ("bash", json!({"title": "`a` and `b`"}), Some("`a` and `b`"), vec![], None),
            ("bash", json!({"title": " "}), None, vec![], None),
            (
                "read",
                json!({"title": "ls", "locations": [{"path": "/a"}, {"path": "/b", "line": 3}]}),
                None,
                vec!["/a", "/b"],
                None,
            ),
            (
                "edit",
                json!({
                    "rawInput": {"file_path": "/a", "new_string": "x"},
                    "locations": [{"path": "/a"}],
                    "content": [{"type": "content"}, {"type": "diff", "path": "/a", "oldText": "o", "newText": "x"}],
                }),
                None,
                vec!["/a"],
                Some("x"),
            ),
            (
                "write",
                json!({"content": [{"type": "diff", "path": "/a", "newText": "x"}, {"type": "diff", "path": "/b", "newText": "y"}]}),
                None,
                vec!["/a", "/b"],
                Some("x\ny"),
            ),
        ] {
            assert_eq!(PermissionFields.command(tool, &call).as_deref(), command, "{call}");
            assert_eq!(PermissionFields.paths(tool, &call), paths, "{call}");
            assert_eq!(PermissionFields.content(tool, &call).as_deref(), content, "{call}");
        }
    }

    #[test]
    fn a_command_is_rewritten_where_it_is() {
        for (call, want) in [
            (
                json!({"rawInput": {"command": "ls"}, "title": "List"}),
                json!({"rawInput": {"command": "new"}, "title": "List"}),
            ),
            (json!({"rawInput": {}, "title": "`ls`"}), json!({"rawInput": {}, "title": "new"})),
            (json!({"title": "ls"}), json!({"title": "new"})),
        ] {
            let mut changed = call.clone();
            PermissionFields.set("bash", &mut changed, Field::Command, "new".to_owned()).unwrap();
            assert_eq!(changed, want);
            assert_eq!(PermissionFields.command("bash", &changed).as_deref(), Some("new"));
        }
        let mut none = json!({"title": "T"});
        assert!(PermissionFields.set("write", &mut none, Field::Content, "new".to_owned()).is_err());
    }

    #[test]
    fn the_command_of_a_terminal_is_one_line() {
        for (input, line, rewritten) in [
            (json!({"command": "ls -l; pwd"}), "ls -l; pwd", json!({"command": "new"})),
            (json!({"command": "ls", "args": []}), "ls", json!({"command": "new", "args": []})),
            (
                json!({"command": "rm", "args": ["-r", "a b"], "cwd": "/p"}),
                "rm -r 'a b'",
                json!({"command": "/bin/sh", "args": ["-c", "new"], "cwd": "/p"}),
            ),
        ] {
            assert_eq!(TerminalFields.command("bash", &input).as_deref(), Some(line));
            let mut changed = input.clone();
            TerminalFields.set("bash", &mut changed, Field::Command, "new".to_owned()).unwrap();
            assert_eq!(changed, rewritten);
        }
    }
}
