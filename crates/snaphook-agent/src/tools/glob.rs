//! `glob`: the files whose path matches a pattern.

use std::path::Path;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::json;
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};

use super::input::Input;
use super::{ToolRefused, Workspace, blocking, walk};

/// Input: `pattern`, and `path`, the folder to look in. A pattern without `/` matches at any depth. The answer is
/// sorted by path; what `.gitignore` names is left out.
#[derive(Debug, Clone)]
pub struct Glob(pub Arc<Workspace>);

impl Tool for Glob {
    fn name(&self) -> &str {
        "glob"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, _output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        let (workspace, call) = (Arc::clone(&self.0), call.clone());
        Box::pin(blocking(move || glob(&workspace, &Input::of(&call))))
    }
}

fn glob(workspace: &Workspace, input: &Input<'_>) -> Result<ToolOutput, ToolRefused> {
    let pattern = input.text(&["pattern"])?;
    let mut base = workspace.resolve(input.maybe_text(&["path"])?.unwrap_or("."))?;
    let root = format!("{}/", workspace.root().display());
    let pattern = match pattern.strip_prefix(&root) {
        Some(inside) => {
            base = workspace.root().to_owned();
            inside
        }
        None => pattern,
    };
    let matcher = Matcher::new(pattern)?;
    let files = walk::files(workspace, &base, None)?;
    let matching = files.iter().filter(|file| matcher.matches(&base, file));
    let shown: Vec<_> = matching.map(|file| workspace.show(file)).collect();
    let content = if shown.is_empty() { "No files found".to_owned() } else { shown.join("\n") };
    Ok(ToolOutput { content, details: json!({ "count": shown.len() }), is_error: false })
}

/// A glob over the path below a folder; over the file's name alone where the pattern has no `/`.
pub(super) struct Matcher {
    glob: GlobMatcher,
    by_name: bool,
}

impl Matcher {
    pub(super) fn new(pattern: &str) -> Result<Self, ToolRefused> {
        let glob = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build();
        let glob = glob.map_err(|error| ToolRefused(error.to_string()))?.compile_matcher();
        Ok(Matcher { glob, by_name: !pattern.contains('/') })
    }

    pub(super) fn matches(&self, base: &Path, file: &Path) -> bool {
        let whole = file.strip_prefix(base).ok().filter(|rest| !rest.as_os_str().is_empty());
        let name = file.file_name().map(Path::new);
        let subject = if self.by_name { name } else { whole.or(name) };
        subject.is_some_and(|subject| self.glob.is_match(subject))
    }
}
