//! Claude Code's tool names in canonical words.

/// The canonical name; the native one where there is none, as for `mcp__SERVER__TOOL`.
pub(super) fn canonical(native: &str) -> &str {
    match native {
        "Bash" => "bash",
        "Read" => "read",
        "Write" => "write",
        "Edit" | "MultiEdit" => "edit",
        "Glob" => "glob",
        "Grep" => "grep",
        "WebFetch" => "web_fetch",
        "WebSearch" => "web_search",
        "Task" | "Agent" => "task",
        "TodoWrite" => "todo",
        "NotebookEdit" | "NotebookRead" => "notebook",
        other => other,
    }
}
