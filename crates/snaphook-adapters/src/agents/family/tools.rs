//! Claude Code's tool names in canonical words.

/// The canonical name; the native one where there is none, as for `mcp__SERVER__TOOL`.
pub(crate) fn canonical(native: &str) -> &str {
    match native {
        "Bash" | "PowerShell" | "Monitor" => "bash",
        "Read" => "read",
        "Write" => "write",
        "Edit" | "MultiEdit" => "edit",
        "Glob" => "glob",
        "Grep" => "grep",
        "WebFetch" => "web_fetch",
        "WebSearch" => "web_search",
        "Task" | "Agent" => "task",
        "TodoWrite" | "TaskCreate" | "TaskUpdate" => "todo",
        "NotebookEdit" | "NotebookRead" => "notebook",
        other => other,
    }
}
