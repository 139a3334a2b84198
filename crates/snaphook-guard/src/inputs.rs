//! What may be a path in the input of a tool that nobody described, wherever it stands: values, keys, lists, patches, JSON inside
//! of texts. Not here: what may be a command line (`free_text`), where a path leads (`paths`).

use serde_json::Value;
use snaphook_core::ToolCall;

use crate::finding::Finding;
use crate::free_text::{is_typed, plain};
use crate::tools::words;
use crate::{address, parts, patches};

/// The number of paths that one input may have: each takes a look of its own.
pub(crate) const MAX_PATHS: usize = 20_000;

/// The longest text that is taken for a path.
const MAX_PATH_BYTES: usize = 4096;

/// The longest text that is read as JSON, and how deep it may stand in others.
const MAX_JSON_BYTES: usize = 1 << 20;
const MAX_JSON_DEPTH: usize = 4;

/// Words in the names that tools have for texts that people or models read, and for parts of files. Lines of those are paths only
/// where all of them may be, and nothing inside of one is.
#[rustfmt::skip]
const PROSE: &[&str] = &[
    "text", "texts", "message", "messages", "body", "content", "contents", "description", "prompt", "query", "title",
    "comment", "comments", "note", "notes", "markdown", "md", "summary", "instruction", "instructions", "reason",
    "question", "answer", "thought", "thoughts", "string", "str", "html", "context", "goal", "plan", "feedback",
    "observation", "observations", "review", "details", "subject", "caption", "label", "labels", "topic", "task",
    "tasks", "todo", "todos", "old", "new", "repl", "replace", "replacement", "regex", "pattern", "needle", "edit",
    "insert", "find", "search", "value", "values", "issue", "changelog", "log", "memory", "entry", "fact", "q",
];

/// Returns whether a text under this key is one to be read.
fn is_prose(key: &str) -> bool {
    words(key).iter().any(|word| PROSE.contains(&word.as_str()))
}

/// The beginnings of SQL that writes files or runs programs.
#[rustfmt::skip]
const SQL: &[&str] = &[
    "into outfile", "into dumpfile", "copy ", "attach ", "vacuum into", "writefile", "lo_export", "pg_file_write",
    "export database", "load_extension", "xp_cmdshell", "backup ", "into file", "insert overwrite", "save ",
    "unload ", "spool ", ".output", ".once", ".save", ".backup",
];

/// The longest text in which paths are looked for, in bytes.
const MAX_SPLIT: usize = 64 << 10;

/// The names that tools have for the folder that they work in, which nothing is done to as a whole.
#[rustfmt::skip]
const WORKPLACES: &[&str] = &[
    "cwd", "workdir", "workingdir", "workingdirectory", "workspace", "workspacepath", "workspacedir",
    "workspaceroot", "workspacefolder", "root", "rootpath", "rootdir", "rootfolder", "base", "basepath", "basedir",
    "project", "projectpath", "projectroot", "projectdir", "repo", "repopath", "reporoot", "repository",
    "repositorypath", "gitdir", "configpath", "allowed", "alloweddirectories", "roots",
];

/// A text that may be a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) text: String,
    /// True if what is done may be done to all that is below.
    pub(crate) whole: bool,
}

/// Each text that may be a path; inside of texts also where they are not told to a tool that only reads.
pub(crate) fn paths(input: &Value, reads: bool) -> Vec<Named> {
    let mut paths = Vec::new();
    gather(input, "", reads, &mut paths);
    paths
}

/// The input, and what is JSON in its texts.
pub(crate) fn values(input: &Value) -> Vec<Value> {
    let mut all = vec![input.clone()];
    inner(input, 0, &mut all);
    all
}

fn inner(value: &Value, depth: usize, all: &mut Vec<Value>) {
    match value {
        Value::String(text) => {
            let parsed = json(text).filter(|_| depth < MAX_JSON_DEPTH);
            if let Some(parsed) = parsed {
                inner(&parsed, depth + 1, all);
                all.push(parsed);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| inner(item, depth, all)),
        Value::Object(map) => map.values().for_each(|item| inner(item, depth, all)),
        _ => {}
    }
}

fn json(text: &str) -> Option<Value> {
    let text = text.trim();
    let is_one = text.starts_with(['{', '[', '"']) && text.len() <= MAX_JSON_BYTES;
    is_one.then(|| serde_json::from_str(text).ok()).flatten()
}

fn gather(value: &Value, key: &str, reads: bool, paths: &mut Vec<Named>) {
    let is_whole = || !is_prose(key) && !WORKPLACES.contains(&&*plain(key));
    if paths.len() > MAX_PATHS {
        return;
    }
    match value {
        Value::String(line) => text(line, key, (is_whole(), reads), paths),
        Value::Array(items) => {
            // The parts of one path.
            let parts: Option<Vec<&str>> = items.iter().take(64).map(Value::as_str).collect();
            if let Some(parts) =
                parts.filter(|parts| parts.len() > 1 && parts.iter().all(|part| part.len() < 256))
            {
                paths.push(Named { text: parts.join("/"), whole: is_whole() });
            }
            items.iter().for_each(|item| gather(item, key, reads, paths));
        }
        Value::Object(map) => {
            for (name, item) in map {
                if may_be_path(name) {
                    paths.push(Named { text: name.clone(), whole: true });
                }
                gather(item, name, reads, paths);
            }
        }
        _ => {}
    }
}

fn text(text: &str, key: &str, (whole, reads): (bool, bool), paths: &mut Vec<Named>) {
    let named = |text: &str| Named { text: text.to_owned(), whole };
    paths.extend(patches::named(text).into_iter().map(|(text, _)| Named { text, whole }));
    // What writes may be told so in a text of its own language: a list, SQL, YAML, XML.
    let told = || {
        let folded = text.to_lowercase();
        let quoted = folded.contains(['\'', '"']) || folded.starts_with('.');
        quoted && SQL.iter().any(|words| folded.contains(words))
    };
    if text.len() <= MAX_SPLIT && (!(reads || is_prose(key) || is_typed(key)) || told()) {
        paths.extend(
            parts::paths(text).take(MAX_PATHS + 1).map(|text| Named { text: text.to_owned(), whole: false }),
        );
    }
    let lines = || text.split(['\n', '\r', '\0']).map(str::trim).filter(|line| !line.is_empty());
    let sentence =
        is_prose(key) && text.contains(' ') && !text.trim_start().starts_with(['/', '~', '.', '$', '%']);
    let is_one = address::is_one(text) || (lines().count() < 2 && may_be_path(text) && !sentence);
    if text.len() <= MAX_PATH_BYTES && is_one {
        paths.push(named(text));
    }
    if lines().nth(1).is_none() {
        return;
    }
    if !is_prose(key) || lines().all(may_be_path) {
        let each = lines().filter(|line| line.len() <= MAX_PATH_BYTES && may_be_path(line));
        paths.extend(each.take(MAX_PATHS + 1).map(named));
    }
}

fn may_be_path(text: &str) -> bool {
    text.contains(['/', '.', '~', '\\', '%']) && text.len() <= MAX_PATH_BYTES
}

/// Looks for variables of ours that a call puts into a file out of which agents take theirs: they say which hooks are a person's.
pub(crate) fn variables(call: &ToolCall) -> Option<Finding> {
    const OURS: &str = "SNAPHOOK_";
    let is_env = |path: &str| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
        name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
    };
    let is_file = call.content().is_some_and(|text| text.contains(OURS))
        && call.paths().iter().any(|path| is_env(path));
    let is_line = call.command().is_some_and(|line| line.contains(OURS) && line.contains(".env"));
    (is_file || is_line).then(|| {
        Finding::Ask(
            "this may set a variable of snaphook's for agents, which says whose hooks run".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_found_wherever_they_stand() {
        for (input, path) in [
            (json!({"a": {"b/c": 1}}), "b/c"),
            (json!({"list": "a\nb/c\r\n"}), "b/c"),
            (json!({"text": "a/x\nb/c"}), "b/c"),
            (json!({"parts": ["b", "c"]}), "b/c"),
            (json!({"text": "see:\n--- a/b/c\n+++ b/b/c"}), "b/c"),
        ] {
            let found = paths(&input, false);
            assert!(found.iter().any(|found| found.text == path), "{input}: {found:?}");
        }
        assert!(paths(&json!({"text": "a note\nb/c", "n": 1}), false).is_empty());
        for (input, found) in [
            (json!({"yaml": "- path: b/c\n  x: y"}), true),
            (json!({"query": "copy t to 'b/c'"}), true),
            (json!({"query": "where is b/c?"}), false),
        ] {
            assert_eq!(paths(&input, false).iter().any(|path| path.text == "b/c"), found, "{input}");
        }
        let nested = json!({"a": "{\"b\": \"[1]\"}"});
        assert_eq!(values(&nested), [nested.clone(), json!([1]), json!({"b": "[1]"})]);
    }
}
