//! The tools as a model is told of them: a name, a sentence, a JSON schema.

use serde_json::{Value, json};

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: String,
    /// The sentence about it.
    pub description: String,
    /// The JSON schema of its input.
    pub schema: Value,
}

fn spec(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema }
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn count(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "description": description })
}

/// The built-in tools, in the order in which models are told of them.
pub fn built_in() -> Vec<ToolSpec> {
    let path = || text("The file, absolute or relative to the project");
    vec![
        spec(
            "bash",
            "Run a command line in bash, in the project folder. Output and errors come as one text; a failure starts with its exit code.",
            json!({
                "command": text("The command line"),
                "timeout": json!({ "type": "integer", "minimum": 1, "maximum": 600_000, "description": "Milliseconds until it is ended; 120000 unless set" }),
            }),
            &["command"],
        ),
        spec(
            "read",
            "Read a text file, with line numbers.",
            json!({
                "file_path": path(),
                "offset": count("The first line, from 1"),
                "limit": count("How many lines; 2000 unless set"),
            }),
            &["file_path"],
        ),
        spec(
            "write",
            "Write a whole file. Makes the folders above it.",
            json!({ "file_path": path(), "content": text("All of the file's text") }),
            &["file_path", "content"],
        ),
        spec(
            "edit",
            "Replace text in a file. The old text has to be there exactly once, unless replace_all is true.",
            json!({
                "file_path": path(),
                "old_string": text("The text as it is in the file, without line numbers"),
                "new_string": text("The text in its place"),
                "replace_all": json!({ "type": "boolean", "description": "Replace every place; false unless set" }),
            }),
            &["file_path", "old_string", "new_string"],
        ),
        spec(
            "glob",
            "List the files whose path matches a pattern. Ignored files are left out.",
            json!({
                "pattern": text("A glob such as src/**/*.rs; without / it matches at any depth"),
                "path": text("The folder to look in; the project unless set"),
            }),
            &["pattern"],
        ),
        spec(
            "grep",
            "Search files for a regular expression. Ignored and binary files are left out.",
            json!({
                "pattern": text("A regular expression in Rust's syntax"),
                "path": text("A file or folder; the project unless set"),
                "glob": text("Only files whose path matches this glob"),
                "output_mode": json!({ "type": "string", "enum": ["content", "files_with_matches", "count"], "description": "files_with_matches unless set" }),
                "-i": json!({ "type": "boolean", "description": "Ignore case" }),
                "-n": json!({ "type": "boolean", "description": "Show line numbers, with content" }),
                "-C": count("Lines around each match, with content"),
                "head_limit": count("The most lines of the answer"),
            }),
            &["pattern"],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Toolbox;

    #[test]
    fn a_model_is_told_of_every_tool() {
        let specs = built_in();
        let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, Toolbox::NAMES);
        for spec in &specs {
            let properties = spec.schema["properties"].as_object().unwrap();
            for required in spec.schema["required"].as_array().unwrap() {
                assert!(properties.contains_key(required.as_str().unwrap()), "{}: {required}", spec.name);
            }
        }
    }
}
