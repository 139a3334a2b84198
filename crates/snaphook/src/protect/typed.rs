//! What may go to a shell in the input of a tool that nobody described, and where it may run. Not here: what a command line does
//! (`shell`).

use serde_json::{Map, Value};
use snaphook_core::quoted_word;

/// What tools call a program, of which the words stand beside it.
const PROGRAMS: &[&str] = &["program", "executable", "exe", "binary", "bin", "command", "cmd"];
const ARGUMENTS: &[&str] = &["args", "arguments", "argv"];

/// What they call what a shell is to read, or what is typed into a terminal.
const TYPED: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "commandline",
    "commandstring",
    "shellcommand",
    "bashcommand",
    "argv",
    "script",
    "scripts",
    "code",
    "exec",
    "execute",
    "run",
    "shell",
    "bash",
    "line",
    "lines",
    "input",
    "stdin",
    "keys",
    "keystrokes",
];

/// What they call the folder that they work in.
const FOLDERS: &[&str] =
    &["cwd", "workdir", "workingdir", "workingdirectory", "dirpath", "directory", "dir", "folder"];

/// Whether a name is one of these, however it is written: `commandLine`, `command_line`, `Command-Line`.
fn is(names: &[&str], name: &str) -> bool {
    let plain = || name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase);
    names.iter().any(|known| plain().eq(known.chars()))
}

/// The folders that an input names as those in which something runs.
pub(super) fn folders(input: &Value) -> Vec<&str> {
    let entries = input.as_object().into_iter().flatten();
    entries.filter(|(name, _)| is(FOLDERS, name)).filter_map(|(_, folder)| folder.as_str()).collect()
}

/// Each text that may be a command line, wherever it stands.
pub(super) fn lines(input: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    gather(input, &mut lines);
    lines
}

fn gather(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, lines)),
        Value::Object(map) => {
            let program = entry(map, PROGRAMS).and_then(Value::as_str);
            let words = entry(map, ARGUMENTS).and_then(line);
            if let (Some(program), Some(words)) = (program, words) {
                lines.push(format!("{program} {words}"));
            }
            for (name, value) in map {
                if is(TYPED, name) {
                    typed(value, lines);
                }
                gather(value, lines);
            }
        }
        _ => {}
    }
}

fn entry<'a>(map: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    map.iter().find(|(name, _)| is(names, name)).map(|(_, value)| value)
}

/// A text, several, or the words of one.
fn typed(value: &Value, lines: &mut Vec<String>) {
    lines.extend(line(value));
    if let Value::Array(items) = value {
        lines.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
    }
}

fn line(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<_>> = words.iter().map(|word| Some(quoted_word(word.as_str()?))).collect();
            words.map(|words| words.join(" ")).filter(|line| !line.is_empty())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whatever_a_shell_may_read_is_a_line() {
        for (input, want) in [
            (json!({"text": "a", "query": ["b"], "n": 1}), &[][..]),
            (json!({"script": "a"}), &["a"]),
            (json!({"Command-Line": "a", "shellCommand": "b"}), &["a", "b"]),
            (json!({"argv": ["a", "b c"]}), &["a 'b c'", "a", "b c"]),
            (json!({"commands": ["a b", {"cmd": "c"}]}), &["a b", "c"]),
            (json!({"program": "a", "args": ["b c"]}), &["a 'b c'"]),
            (json!({"command": "a", "arguments": "b c"}), &["a b c", "a"]),
            (json!({"steps": [{"process": {"exe": "a", "args": []}, "stdin": "b"}]}), &["b"]),
            (json!("a"), &[]),
        ] {
            assert_eq!(lines(&input), want, "{input}");
        }
        assert_eq!(
            folders(&json!({"workingDirectory": "a", "dir_path": "b", "path": "c", "cwd": 1})),
            ["a", "b"]
        );
    }
}
