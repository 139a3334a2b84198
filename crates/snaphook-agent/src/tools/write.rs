//! `write`: a whole file, with the folders above it.

use std::sync::Arc;

use serde_json::json;
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};

use super::input::{Input, PATH};
use super::{ToolRefused, Workspace, blocking};

/// Input: `file_path` or `path`, and `content`.
#[derive(Debug, Clone)]
pub struct Write(pub Arc<Workspace>);

impl Tool for Write {
    fn name(&self) -> &str {
        "write"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, _output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        let (workspace, call) = (Arc::clone(&self.0), call.clone());
        Box::pin(blocking(move || write(&workspace, &Input::of(&call))))
    }
}

fn write(workspace: &Workspace, input: &Input<'_>) -> Result<ToolOutput, ToolRefused> {
    let content = input.text(&["content"])?;
    let place = workspace.resolve(input.text(PATH)?)?;
    let shown = workspace.show(&place);
    let existed = match place.metadata() {
        Ok(metadata) if metadata.is_dir() => return Err(ToolRefused(format!("{shown} is a folder"))),
        Ok(metadata) if !metadata.is_file() => {
            return Err(ToolRefused(format!("{shown} is not a regular file")));
        }
        Ok(_) => true,
        Err(_) => false,
    };
    let failed = |error: std::io::Error| ToolRefused(format!("{shown}: {error}"));
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(&place, content).map_err(failed)?;
    let done = if existed { "updated" } else { "created" };
    Ok(ToolOutput {
        content: format!("{done} {shown} ({} bytes)", content.len()),
        details: json!({ "path": shown, "created": !existed, "bytes": content.len() }),
        is_error: false,
    })
}
