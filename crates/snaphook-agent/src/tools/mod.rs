//! The tools of a driven session: real ones that act in a project, and a stand-in for those whose results are only recorded. Not here: gating them (the host) and choosing what they are called with (the driver).

mod bash;
mod edit;
mod glob;
mod grep;
mod input;
mod read;
mod recorded;
mod spec;
mod walk;
mod workspace;
mod write;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use snaphook_core::{Tool, ToolOutput};

pub use bash::Bash;
pub use edit::Edit;
pub use glob::Glob;
pub use grep::Grep;
pub use read::Read;
pub use recorded::Recorded;
pub use spec::{ToolSpec, built_in};
pub use workspace::{ToolRefused, Workspace};
pub use write::Write;

/// The longest result of a tool, in bytes. What is beyond is cut, with a note.
pub const MAX_RESULT: usize = 256 * 1024;

/// The largest file that a tool reads whole, in bytes.
pub const MAX_FILE: u64 = 16 << 20;

/// The real tools, all acting in one workspace.
#[derive(Clone)]
pub struct Toolbox {
    workspace: Arc<Workspace>,
    env: Vec<(OsString, OsString)>,
}

impl Toolbox {
    /// The canonical names of the tools.
    pub const NAMES: &'static [&'static str] = &["bash", "read", "write", "edit", "glob", "grep"];

    /// Tools for a workspace. `env` is the whole environment of what `bash` runs.
    pub fn new(workspace: Arc<Workspace>, env: Vec<(OsString, OsString)>) -> Self {
        Toolbox { workspace, env }
    }

    /// The workspace.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// The tool of this canonical name. `cwd`, relative to the workspace, is where `bash` runs.
    pub fn get(&self, name: &str, cwd: Option<&Path>) -> Option<Arc<dyn Tool>> {
        let workspace = Arc::clone(&self.workspace);
        Some(match name {
            "bash" => Arc::new(Bash::new(workspace, cwd.map(Path::to_owned), self.env.clone())),
            "read" => Arc::new(Read(workspace)),
            "write" => Arc::new(Write(workspace)),
            "edit" => Arc::new(Edit(workspace)),
            "glob" => Arc::new(Glob(workspace)),
            "grep" => Arc::new(Grep(workspace)),
            _ => return None,
        })
    }
}

impl std::fmt::Debug for Toolbox {
    // The environment is where secrets are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Toolbox").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// Runs a tool that works on files where it may block.
async fn blocking(work: impl FnOnce() -> Result<ToolOutput, ToolRefused> + Send + 'static) -> ToolOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(output)) => ToolOutput { content: cut(output.content), ..output },
        Ok(Err(refused)) => ToolOutput::error(cut(refused.0)),
        Err(error) => ToolOutput::error(format!("the tool broke off: {error}")),
    }
}

/// Cuts a result at [`MAX_RESULT`], at a character boundary, and says so.
pub(crate) fn cut(mut text: String) -> String {
    let whole = text.len();
    if whole > MAX_RESULT {
        text.truncate(text.floor_char_boundary(MAX_RESULT));
        text.push_str(&format!("\n[cut: {whole} bytes in all, the first {MAX_RESULT} shown]"));
    }
    text
}
