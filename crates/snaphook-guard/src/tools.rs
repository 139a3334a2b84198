//! The effect of a tool that nobody described, as far as its name and the words beside its paths say. Not here: which paths an input
//! has (`inputs`), what is guarded (`places`).

use serde_json::Value;

/// The effect of a tool on the folders that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// It looks at them, or makes them.
    Reads,
    /// It takes them away or gives them another name, with all that is below.
    Takes,
    /// It puts something into or over them.
    Fills,
    /// Nobody knows.
    Unknown,
}

#[rustfmt::skip]
const TAKES: &[&str] = &[
    "delete", "del", "remove", "rm", "rmdir", "rmtree", "unlink", "trash", "erase", "wipe", "destroy", "shred",
    "move", "mv", "rename", "cut",
];

#[rustfmt::skip]
const FILLS: &[&str] = &[
    "copy", "cp", "duplicate", "link", "symlink", "hardlink", "ln", "junction", "mount", "extract", "unzip",
    "unpack", "untar", "unarchive", "decompress", "uncompress", "inflate", "replace", "overwrite", "restore",
    "sync", "mirror", "rsync", "download", "clone", "chmod", "chown", "permissions", "mode", "attributes",
];

#[rustfmt::skip]
const READS: &[&str] = &[
    "list", "ls", "dir", "tree", "read", "cat", "get", "view", "show", "search", "find", "grep", "rg", "glob",
    "locate", "stat", "stats", "info", "status", "describe", "diff", "compare", "log", "blame", "history", "size",
    "usage", "count", "exists", "check", "open", "reveal", "watch", "scan", "lint", "analyze", "analyse", "index",
    "query", "ask", "inspect", "explore", "browse", "navigate", "resolve", "lookup", "select", "cd", "chdir",
    "mkdir", "mkdirs", "hash", "checksum", "du", "df",
];

/// Keys whose value says what is done.
const ACTIONS: &[&str] = &["action", "operation", "op", "mode", "method", "verb", "command", "type", "kind"];

/// Returns what the tool of this name does with this input.
pub(crate) fn does(tool: &str, input: &Value) -> Does {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let mut words = words(name);
    let makes =
        ["create", "make", "ensure", "new", "add"].iter().any(|verb| words.iter().any(|word| word == verb))
            && words.iter().any(|word| matches!(word.as_str(), "directory" | "folder" | "dir"));
    told(input, &mut words);
    let has = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    match () {
        () if has(TAKES) => Does::Takes,
        () if has(FILLS) => Does::Fills,
        () if makes || has(READS) => Does::Reads,
        () => Does::Unknown,
    }
}

/// Adds the words of keys that say what is done: `{"delete": true}`, `{"action": "delete"}`, `{"extract_to": "…"}`.
fn told(value: &Value, all: &mut Vec<String>) {
    let changes = |word: &String| TAKES.contains(&word.as_str()) || FILLS.contains(&word.as_str());
    match value {
        Value::Array(items) => items.iter().take(64).for_each(|item| told(item, all)),
        Value::Object(map) => {
            for (name, value) in map {
                if !matches!(value, Value::Null | Value::Bool(false)) {
                    all.extend(words(name).into_iter().filter(changes).filter(|word| word != "mode"));
                }
                if let (true, Value::String(text)) = (ACTIONS.contains(&name.as_str()), value) {
                    all.extend(words(text).into_iter().take(8).filter(changes));
                }
                told(value, all);
            }
        }
        _ => {}
    }
}

/// The words of a name in small letters: `moveFile`, `move_file` and `MOVE-FILE` have two.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        small = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_keys_say_what_is_done() {
        let none = json!({"path": "a"});
        for (tool, input, want) in [
            ("mcp__fs__move_file", &none, Does::Takes),
            ("mcp__fs__deleteDirectory", &none, Does::Takes),
            ("mcp__fs__unzip", &none, Does::Fills),
            ("mcp__fs__list_directory", &none, Does::Reads),
            ("mcp__remove__list", &none, Does::Reads),
            ("mcp__fs__search_and_replace", &none, Does::Fills),
            ("mcp__fs__create_directory", &none, Does::Reads),
            ("mcp__fs__create_symlink", &none, Does::Fills),
            ("mcp__x__y", &none, Does::Unknown),
            ("mcp__x__y", &json!({"path": "a", "delete": true}), Does::Takes),
            ("mcp__x__y", &json!({"path": "a", "delete": false}), Does::Unknown),
            ("mcp__x__y", &json!({"steps": [{"action": "copy", "path": "a"}]}), Does::Fills),
            ("mcp__x__y", &json!({"extractTo": "a"}), Does::Fills),
        ] {
            assert_eq!(does(tool, input), want, "{tool} {input}");
        }
    }
}
