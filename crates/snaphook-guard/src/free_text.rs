//! What may go to a shell in the input of a tool that nobody described, and where it may run. Not here: what a command line does
//! (`shell`).

use serde_json::Value;
use snaphook_core::quoted_word;

/// The names that tools have for a program, of which the words stand beside it.
const PROGRAMS: &[&str] = &["program", "executable", "exe", "binary", "bin", "command", "cmd"];
const ARGUMENTS: &[&str] = &["args", "arguments", "argv"];

/// The names that they have for what a shell is to read, or what is typed into a terminal.
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
    "input",
    "stdin",
    "keys",
    "keystrokes",
];

/// The names that they have for the folder that they work in.
const FOLDERS: &[&str] = &[
    "cwd",
    "workdir",
    "workingdir",
    "workingdirectory",
    "dirpath",
    "directory",
    "dir",
    "folder",
    "workspace",
    "workspacepath",
    "workspacedir",
    "workspaceroot",
    "root",
    "rootpath",
    "rootdir",
    "base",
    "basepath",
    "basedir",
    "baseuri",
    "project",
    "projectpath",
    "projectroot",
    "projectdir",
    "repo",
    "repopath",
    "reporoot",
    "repository",
    "parent",
    "parentpath",
    "parentdir",
    "destination",
    "destinationfolder",
    "target",
    "targetdir",
    "location",
];

/// A name without what differs in how it is written: `commandLine`, `command_line`, `Command-Line`.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// The folders that an input names as those in which something runs.
pub(crate) fn folders(input: &Value) -> Vec<&str> {
    let entries =
        input.as_object().into_iter().flatten().filter_map(|(name, folder)| Some((name, folder.as_str()?)));
    entries.filter(|(name, _)| FOLDERS.contains(&&*plain(name))).map(|(_, folder)| folder).collect()
}

/// Anything that is longer than this, in bytes, is looked through for snaphook's name only: there it is more likely a
/// document.
pub(crate) const MAX_READ_BYTES: usize = 256 << 10;

/// The number of command lines that a call may have: each takes a look of its own.
pub(crate) const MAX_LINES: usize = 10_000;

/// Words in the names of tools that type what they are given.
#[rustfmt::skip]
const TYPISTS: &[&str] = &[
    "stdin", "keys", "key", "keystrokes", "keyboard", "terminal", "tmux", "screen", "pty", "tty", "console",
    "repl", "type", "typing", "expect",
];

/// Each text that may be a command line, wherever it stands.
pub(crate) fn lines(tool: &str, input: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    gather(input, &mut lines);
    let mut words = tool.split(|c: char| !c.is_ascii_alphanumeric());
    if words.any(|word| TYPISTS.contains(&word.to_ascii_lowercase().as_str())) {
        keys(input, &mut lines);
    }
    lines
}

/// Every text that is typed, and those of a list as one: what a terminal makes of them.
fn keys(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::String(text) => lines.push(erased(text)),
        Value::Array(items) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            for all in [texts.concat(), texts.join(" ")] {
                lines.push(erased(&all));
            }
            items.iter().for_each(|item| keys(item, lines));
        }
        Value::Object(map) => map.values().for_each(|item| keys(item, lines)),
        _ => {}
    }
}

/// A text as it stands when keys that take back were pressed.
fn erased(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        match c {
            '\u{8}' | '\u{7f}' => {
                line.pop();
            }
            '\r' => line.push('\n'),
            '\u{15}' => line.truncate(line.rfind('\n').map_or(0, |at| at + 1)),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => line.push(c),
        }
    }
    line
}

fn gather(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, lines)),
        Value::Object(map) => {
            let (mut programs, mut words) = (Vec::new(), Vec::new());
            for (name, value) in map {
                let name = &*plain(name);
                if TYPED.contains(&name) {
                    typed(value, lines);
                }
                if PROGRAMS.contains(&name) {
                    programs.extend(value.as_str());
                }
                if ARGUMENTS.contains(&name) {
                    words.extend(line(value));
                }
                gather(value, lines);
            }
            let both = programs.iter().flat_map(|program| words.iter().map(move |words| (program, words)));
            lines.extend(both.take(MAX_LINES + 1).map(|(program, words)| format!("{program} {words}")));
        }
        _ => {}
    }
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
            (json!({"exe": "a", "args": ["c"], "bin": "b"}), &["a c", "b c"]),
            (json!({"command": "a", "arguments": "b c"}), &["a", "a b c"]),
            (json!({"steps": [{"process": {"exe": "a", "args": []}, "stdin": "b"}]}), &["b"]),
            (json!("a"), &[]),
        ] {
            assert_eq!(lines("mcp__sh__run", &input), want, "{input}");
        }
        let typed = json!({"keys": ["sn", "apx\u{8}", "\r"], "n": 1});
        assert!(lines("mcp__tmux__send_keys", &typed).contains(&"snap\n".to_owned()));
        assert!(lines("write_stdin", &json!({"chars": "a\u{15}b\r"})).contains(&"b\n".to_owned()));
        assert_eq!(
            folders(&json!({"workingDirectory": "a", "dir_path": "b", "path": "c", "cwd": 1})),
            ["a", "b"]
        );
    }
}
