//! `read`: a text file with its line numbers, as `cat -n` shows it.

use std::sync::Arc;

use serde_json::json;
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};

use super::input::{Input, PATH};
use super::workspace::is_binary;
use super::{ToolRefused, Workspace, blocking};

/// The number of lines that are shown where the call gives no limit.
const DEFAULT_LINES: usize = 2000;

/// Input: `file_path` or `path`; `offset`, the first line, from 1; `limit`, how many lines.
#[derive(Debug, Clone)]
pub struct Read(pub Arc<Workspace>);

impl Tool for Read {
    fn name(&self) -> &str {
        "read"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, _output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        let (workspace, call) = (Arc::clone(&self.0), call.clone());
        Box::pin(blocking(move || read(&workspace, &Input::of(&call))))
    }
}

fn read(workspace: &Workspace, input: &Input<'_>) -> Result<ToolOutput, ToolRefused> {
    let place = workspace.resolve(input.text(PATH)?)?;
    let shown = workspace.show(&place);
    let first = input.count("offset")?.unwrap_or(1).max(1);
    let limit = input.count("limit")?.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LINES);
    let bytes = workspace.load(&shown, &place)?;
    if is_binary(&bytes) {
        return Err(ToolRefused(format!("{shown} is a binary file of {} bytes", bytes.len())));
    }
    let text = String::from_utf8_lossy(&bytes);
    let total = text.lines().count();
    if total == 0 {
        return Ok(ToolOutput::text(format!("[{shown} is empty]")));
    }
    if first > total {
        return Err(ToolRefused(format!("{shown} has {total} lines; `offset` is {first}")));
    }
    let mut content = String::with_capacity(text.len().saturating_add(total.saturating_mul(8)));
    let mut last = first.saturating_sub(1);
    for (number, line) in text.lines().enumerate().skip(first - 1).take(limit) {
        last = number + 1;
        content.push_str(&format!("{last:>6}\t{line}\n"));
    }
    if last < total {
        content
            .push_str(&format!("[lines {first} to {last} of {total}; go on with `offset` {}]\n", last + 1));
    }
    let details = json!({ "path": shown, "first_line": first, "last_line": last, "total_lines": total });
    Ok(ToolOutput { content, details, is_error: false })
}
