//! What may go to a shell in the input of a tool that nobody described, and where it may run. Not here: what a command line does
//! (`shell`).

use serde_json::Value;
use snaphook_core::quoted_word;

use crate::tools::words;
use crate::typed;

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
    "cmdline",
    "terminalcommand",
    "sh",
    "zsh",
    "powershell",
    "cli",
    "statement",
    "snippet",
    "expression",
    "function",
    "sourcecode",
    "newsource",
    "cell",
    "js",
    "javascript",
    "ts",
    "typescript",
    "py",
    "python",
    "pythoncode",
    "lua",
    "elisp",
    "ruby",
    "perl",
    "php",
    "applescript",
    "jxa",
    "osascript",
];

/// Words in the names of tools that run what they are given, under whatever name it is.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "exec", "execute", "eval", "evaluate", "sh", "bash", "zsh", "shell", "powershell", "python", "py", "ipython",
    "jupyter", "js", "javascript", "node", "deno", "lua", "ruby", "perl", "php", "osascript", "osa", "applescript",
    "elisp", "emacs", "repl", "interpreter",
];

/// The names that they have for variables.
#[rustfmt::skip]
const VARIABLES: &[&str] = &["env", "environment", "envvars", "environmentvariables", "vars", "variables"];

/// Words in the names of tools, or of what they are told to do, that end processes, and that remove programs.
#[rustfmt::skip]
const ENDS: &[&str] =
    &["kill", "killprocess", "terminate", "stop", "suspend", "pause", "signal", "end", "quit", "freeze", "renice"];
const UNINSTALLS: &[&str] = &["uninstall", "remove", "delete", "purge", "unlink", "uninstallpackage"];

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

/// Returns whether a text under this key may go to a shell.
pub(crate) fn is_typed(key: &str) -> bool {
    TYPED.contains(&&*plain(key))
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

/// The number of variables that are set for a command, and of commands that they are set for.
const MAX_VARIABLES: usize = 200;
const MAX_BESIDE: usize = 20;

/// Each text that may be a command line, wherever it stands.
pub(crate) fn lines(tool: &str, input: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    gather(input, &mut lines);
    let words: Vec<String> =
        tool.split("__").skip(usize::from(tool.starts_with("mcp__"))).flat_map(words).collect();
    let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
    if has(typed::TYPISTS) {
        typed::keys(input, &mut lines);
    } else if has(RUNNERS) {
        leaves(input, &mut |key, text| {
            let beside =
                ["language", "lang", "shell", "interpreter", "id", "session", "sessionid", "kernel", "path"];
            let key = &*plain(key);
            // What is typed is there already.
            let known = FOLDERS.contains(&key) || TYPED.contains(&key);
            if !known && !beside.contains(&key) && !key.ends_with("path") {
                lines.push(text.to_owned());
            }
        });
    }
    // A folder or a variable holds for the lines behind it.
    let first: Vec<&str> = lines.iter().take(MAX_LINES).map(String::as_str).collect();
    let goes_on = |line: &&str| {
        let line = line.trim_start();
        ["cd ", "pushd ", "export "].iter().any(|start| line.starts_with(start)) || sets_variable(line)
    };
    if first.len() > 1 && first.iter().any(goes_on) {
        lines.push(first.join("\n"));
    }
    against_programs(tool, input, &mut lines);
    lines
}

/// Returns whether a line begins with `name=`.
fn sets_variable(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or_default();
    name.len() < line.len()
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Lines for what a tool does to a process or a package that it is given by name or number.
fn against_programs(tool: &str, input: &Value, lines: &mut Vec<String>) {
    let mut said = words(tool.rsplit("__").next().unwrap_or(tool));
    leaves(input, &mut |key, text| {
        if matches!(key, "action" | "operation" | "op" | "method" | "verb") && text.len() < 32 {
            said.extend(words(text));
        }
    });
    for key in input.as_object().into_iter().flat_map(|map| map.keys()) {
        said.extend(words(key));
    }
    let does = |verbs: &[&str]| said.iter().any(|word| verbs.contains(&word.as_str()));
    let (ends, uninstalls) = (does(ENDS), does(UNINSTALLS));
    if !ends && !uninstalls {
        return;
    }
    leaves(input, &mut |key, text| {
        let short = (3..128).contains(&text.len()) && !text.contains(['\n', '/']) && lines.len() <= MAX_LINES;
        if short && ends && !matches!(key, "action" | "operation" | "signal" | "reason" | "message") {
            lines.push(format!("pkill -- {}", quoted_word(text)));
        }
        if short && uninstalls && !text.contains(' ') {
            lines.push(format!("brew uninstall {}", quoted_word(text)));
        }
    });
    numbers(input, &mut |number| {
        if ends && lines.len() <= MAX_LINES {
            lines.push(format!("kill {number}"));
        }
    });
}

/// Each text with the key that it stands under.
fn leaves(value: &Value, each: &mut dyn FnMut(&str, &str)) {
    fn go(value: &Value, key: &str, each: &mut dyn FnMut(&str, &str)) {
        match value {
            Value::String(text) => each(key, text),
            Value::Array(items) => items.iter().for_each(|item| go(item, key, each)),
            Value::Object(map) => map.iter().for_each(|(key, item)| go(item, key, each)),
            _ => {}
        }
    }
    go(value, "", each);
}

fn numbers(value: &Value, each: &mut dyn FnMut(u64)) {
    match value {
        Value::Number(number) => number.as_u64().into_iter().for_each(each),
        Value::Array(items) => items.iter().for_each(|item| numbers(item, each)),
        Value::Object(map) => map.values().for_each(|item| numbers(item, each)),
        _ => {}
    }
}

/// The variables that stand beside a command, as a shell would set them.
fn variables(value: &Value) -> Vec<String> {
    let pairs: Vec<(String, String)> = match value {
        Value::Object(map) => {
            map.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
        }
        Value::Array(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::Object(map) => {
                    let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
                    Some((text("name").or_else(|| text("key"))?, text("value")?))
                }
                item => {
                    item.as_str()?.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
                }
            })
            .collect(),
        _ => Vec::new(),
    };
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let known = pairs.into_iter().filter(|(name, value)| is_name(name) && !value.contains('\0'));
    known.take(MAX_VARIABLES).map(|(name, value)| format!("{name}={}", quoted_word(&value))).collect()
}

fn gather(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, lines)),
        Value::Object(map) => {
            let (mut programs, mut words, mut set) = (Vec::new(), Vec::new(), Vec::new());
            let from = lines.len();
            for (name, value) in map {
                let name = &*plain(name);
                if TYPED.contains(&name) {
                    typed(value, lines);
                }
                if PROGRAMS.contains(&name) {
                    programs.extend(value.as_str());
                }
                if VARIABLES.contains(&name) {
                    set.extend(variables(value));
                }
                if ARGUMENTS.contains(&name) {
                    words.extend(line(value));
                }
                gather(value, lines);
            }
            let both = programs.iter().flat_map(|program| words.iter().map(move |words| (program, words)));
            lines.extend(both.take(MAX_LINES + 1).map(|(program, words)| format!("{program} {words}")));
            if !set.is_empty() {
                let set = format!("export {}", set.join(" "));
                let own: Vec<String> = lines.iter().skip(from).take(MAX_BESIDE).cloned().collect();
                lines.extend(own.iter().map(|line| format!("{set}; {line}")));
                lines.extend(programs.iter().map(|program| format!("{set}; {program}")));
                lines.push(set);
            }
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
            assert_eq!(lines("mcp__x__y", &input), want, "{input}");
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
