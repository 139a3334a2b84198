//! Moves the paths of a recording to where its project lies now.

use std::path::Path;

use serde_json::Value;

/// The input keys that hold paths, whatever the tool.
const KEYS: &[&str] = &["file_path", "path", "notebook_path", "paths", "cwd", "source", "destination"];

/// The input with every path below one of `roots` moved to `project`: whole values under the keys of paths, and
/// wherever a root is in a shell command or a glob. Other text, such as a file's content, stays as it is.
pub(super) fn relocate(roots: &[String], project: &Path, tool: &str, input: &Value) -> Value {
    let mut input = input.clone();
    let Some(map) = input.as_object_mut().filter(|_| !roots.is_empty()) else { return input };
    let project = project.to_string_lossy();
    for (key, value) in map.iter_mut() {
        let in_text = matches!((tool, key.as_str()), ("bash", "command" | "cmd") | ("glob", "pattern"));
        if in_text || KEYS.contains(&key.as_str()) {
            relocate_value(roots, &project, in_text, value);
        }
    }
    input
}

fn relocate_value(roots: &[String], project: &str, in_text: bool, value: &mut Value) {
    match value {
        Value::String(text) if in_text => *text = replace_all(roots, project, text),
        Value::String(text) => {
            if let Some(rest) = below(roots, text) {
                *text = format!("{project}{rest}");
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|one| relocate_value(roots, project, in_text, one)),
        _ => {}
    }
}

/// Returns what follows the root in a path that is a root or lies below one: empty, or starting with a slash.
pub(super) fn below<'a>(roots: &[String], path: &'a str) -> Option<&'a str> {
    roots.iter().find_map(|root| {
        let rest = path.strip_prefix(root.as_str())?;
        (rest.is_empty() || rest.starts_with(['/', '\\'])).then_some(rest)
    })
}

/// Replaces each root that is as a whole path or as the beginning of one: `/a/b` in `cd /a/b/c`, but not in
/// `/a/bc` or `/x/a/b`.
fn replace_all(roots: &[String], project: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~');
    while let Some(next) = rest.chars().next() {
        let before = out.chars().next_back();
        let begins = !before.is_some_and(|c| word(c) || c == '/');
        let found = roots.iter().filter(|_| begins).find(|root| {
            let after = rest.strip_prefix(root.as_str()).map(|after| after.chars().next());
            after.is_some_and(|after| !after.is_some_and(word))
        });
        match found {
            Some(root) => {
                out.push_str(project);
                rest = rest.get(root.len()..).unwrap_or_default();
            }
            None => {
                out.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_paths_of_the_project_move() {
        let roots = ["/home/dev/project".to_owned()];
        for (tool, input, expected) in [
            ("read", json!({"file_path": "/home/dev/project/a"}), json!({"file_path": "/p/a"})),
            ("read", json!({"file_path": "/home/dev/project"}), json!({"file_path": "/p"})),
            (
                "read",
                json!({"file_path": "/home/dev/project2/a"}),
                json!({"file_path": "/home/dev/project2/a"}),
            ),
            ("read", json!({"file_path": "a/b", "limit": 3}), json!({"file_path": "a/b", "limit": 3})),
            (
                "write",
                json!({"path": "/home/dev/project/a", "content": "see /home/dev/project/b"}),
                json!({"path": "/p/a", "content": "see /home/dev/project/b"}),
            ),
            (
                "bash",
                json!({"command": "cd /home/dev/project && cat '/home/dev/project/é' /home/dev/projects/x x/home/dev/project"}),
                json!({"command": "cd /p && cat '/p/é' /home/dev/projects/x x/home/dev/project"}),
            ),
            ("glob", json!({"pattern": "/home/dev/project/**/*.rs"}), json!({"pattern": "/p/**/*.rs"})),
            ("mcp__fs__get", json!({"paths": ["/home/dev/project/a", "b"]}), json!({"paths": ["/p/a", "b"]})),
            ("bash", json!("no map"), json!("no map")),
        ] {
            assert_eq!(relocate(&roots, Path::new("/p"), tool, &input), expected);
        }
    }
}
