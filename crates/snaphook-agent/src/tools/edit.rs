//! `edit`: replaces text in a file. What is replaced must be there once, unless the call says all.

use std::sync::Arc;

use serde_json::json;
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};

use super::input::{Input, PATH};
use super::{ToolRefused, Workspace, blocking};

/// Input: `file_path` or `path`, `old_string`, `new_string`, `replace_all`; or `edits`, a list of such replacements
/// that are made one after the other, all or none.
#[derive(Debug, Clone)]
pub struct Edit(pub Arc<Workspace>);

impl Tool for Edit {
    fn name(&self) -> &str {
        "edit"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, _output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        let (workspace, call) = (Arc::clone(&self.0), call.clone());
        Box::pin(blocking(move || edit(&workspace, &Input::of(&call))))
    }
}

fn edit(workspace: &Workspace, input: &Input<'_>) -> Result<ToolOutput, ToolRefused> {
    let place = workspace.resolve(input.text(PATH)?)?;
    let shown = workspace.show(&place);
    let mut text = workspace.load_text(&shown, &place)?;
    let mut count = 0;
    match input.get("edits") {
        None => count += replace(&mut text, input, &shown)?,
        Some(edits) => {
            let edits = edits.as_array().ok_or_else(|| input.wrong("edits", "a list"))?;
            for (number, one) in edits.iter().enumerate() {
                let replaced = replace(&mut text, &input.part(one), &shown);
                count += replaced
                    .map_err(|ToolRefused(why)| ToolRefused(format!("edit {}: {why}", number + 1)))?;
            }
        }
    }
    std::fs::write(&place, &text).map_err(|error| ToolRefused(format!("{shown}: {error}")))?;
    let times = if count == 1 { "1 place".to_owned() } else { format!("{count} places") };
    Ok(ToolOutput {
        content: format!("updated {shown} ({times})"),
        details: json!({ "path": shown, "replaced": count }),
        is_error: false,
    })
}

fn replace(text: &mut String, input: &Input<'_>, shown: &str) -> Result<usize, ToolRefused> {
    let old = input.text(&["old_string"])?;
    let new = input.text(&["new_string"])?;
    let all = input.flag("replace_all")?;
    let refuse = |why: String| Err(ToolRefused(why));
    if old.is_empty() {
        return refuse("`old_string` is empty; the write tool makes a new file".to_owned());
    }
    if old == new {
        return refuse("`old_string` and `new_string` are the same".to_owned());
    }
    let count = text.matches(old).count();
    match count {
        0 => refuse(format!("`old_string` is not in {shown}")),
        1 => {
            *text = text.replacen(old, new, 1);
            Ok(1)
        }
        _ if all => {
            *text = text.replace(old, new);
            Ok(count)
        }
        _ => refuse(format!(
            "`old_string` is {count} times in {shown}; give more of the text around it, or set `replace_all`"
        )),
    }
}
