//! `grep`: the lines that match a regular expression. Binary files and what `.gitignore` names are passed over.

use std::path::Path;
use std::sync::Arc;

use ignore::types::{Types, TypesBuilder};
use regex::{Regex, RegexBuilder};
use serde_json::json;
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};
use snaphook_state::plain_fs;

use super::glob::Matcher;
use super::input::Input;
use super::workspace::is_binary;
use super::{MAX_FILE, MAX_RESULT, ToolRefused, Workspace, blocking, walk};

/// Input: `pattern`; `path`, a folder or file; `glob`; `type` (`rust`, `sh`, …); `output_mode` (`content`,
/// `files_with_matches`, `count`; the second where absent); `-i`, `-n`, `-A`, `-B`, `-C`; `head_limit`.
#[derive(Debug, Clone)]
pub struct Grep(pub Arc<Workspace>);

impl Tool for Grep {
    fn name(&self) -> &str {
        "grep"
    }

    fn run<'a>(&'a self, call: &'a ToolCall, _output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        let (workspace, call) = (Arc::clone(&self.0), call.clone());
        Box::pin(blocking(move || grep(&workspace, &Input::of(&call))))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Content,
    Files,
    Count,
}

/// The pattern to look for, and how to show it.
struct Query {
    regex: Regex,
    mode: Mode,
    numbers: bool,
    before: usize,
    after: usize,
}

fn grep(workspace: &Workspace, input: &Input<'_>) -> Result<ToolOutput, ToolRefused> {
    let base = workspace.resolve(input.maybe_text(&["path"])?.unwrap_or("."))?;
    let query = Query::of(input)?;
    let limit = input.count("head_limit")?.filter(|limit| *limit > 0).unwrap_or(usize::MAX);
    let matcher = input.maybe_text(&["glob"])?.map(Matcher::new).transpose()?;
    let types = input.maybe_text(&["type"])?.map(file_type).transpose()?;
    if input.flag("multiline")? {
        return Err(ToolRefused("grep: `multiline` is not supported here".to_owned()));
    }
    let mut lines = Vec::new();
    let (mut matches, mut size, mut left_out) = (0, 0, false);
    for file in walk::files(workspace, &base, types)? {
        if matcher.as_ref().is_some_and(|matcher| !matcher.matches(&base, &file)) {
            continue;
        }
        let (found, count) = query.search(&workspace.show(&file), &file);
        matches += count;
        for line in found {
            if lines.len() >= limit || size > MAX_RESULT {
                left_out = true;
                break;
            }
            size += line.len();
            lines.push(line);
        }
        if left_out {
            break;
        }
    }
    let mut content = if lines.is_empty() { "No matches found".to_owned() } else { lines.join("\n") };
    if left_out {
        content.push_str(&format!("\n[more was found; {} shown]", lines.len()));
    }
    Ok(ToolOutput { content, details: json!({ "matches": matches, "cut": left_out }), is_error: false })
}

fn file_type(name: &str) -> Result<Types, ToolRefused> {
    let types = TypesBuilder::new().add_defaults().select(name).build();
    types.map_err(|error| ToolRefused(format!("grep: {error}")))
}

impl Query {
    fn of(input: &Input<'_>) -> Result<Self, ToolRefused> {
        let pattern = input.text(&["pattern"])?;
        let regex = RegexBuilder::new(pattern).case_insensitive(input.flag("-i")?).build();
        let regex = regex.map_err(|error| ToolRefused(format!("grep: {error}")))?;
        let mode = match input.maybe_text(&["output_mode"])? {
            None | Some("files_with_matches") => Mode::Files,
            Some("content") => Mode::Content,
            Some("count") => Mode::Count,
            Some(_) => return Err(input.wrong("output_mode", "content, files_with_matches or count")),
        };
        let numbers = input.get("-n").is_none() || input.flag("-n")?;
        let around = input.count("-C")?;
        let before = input.count("-B")?.or(around).unwrap_or(0);
        let after = input.count("-A")?.or(around).unwrap_or(0);
        Ok(Query { regex, mode, numbers, before, after })
    }

    /// The lines to show of one file, and how many of its lines match.
    fn search(&self, shown: &str, file: &Path) -> (Vec<String>, usize) {
        let Some(bytes) = plain_fs::read(file, MAX_FILE).ok().filter(|bytes| !is_binary(bytes)) else {
            return (Vec::new(), 0);
        };
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let hits: Vec<usize> = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| self.regex.is_match(line))
            .map(|(at, _)| at)
            .collect();
        let found = match self.mode {
            _ if hits.is_empty() => Vec::new(),
            Mode::Files => vec![shown.to_owned()],
            Mode::Count => vec![format!("{shown}:{}", hits.len())],
            Mode::Content => self.show(shown, &lines, &hits),
        };
        (found, hits.len())
    }

    fn show(&self, shown: &str, lines: &[&str], hits: &[usize]) -> Vec<String> {
        let mut out = Vec::new();
        let mut next = 0;
        for hit in hits {
            let from = hit.saturating_sub(self.before).max(next);
            let to = hit.saturating_add(self.after).min(lines.len().saturating_sub(1));
            if self.before + self.after > 0 && next > 0 && from > next {
                out.push("--".to_owned());
            }
            for (at, line) in lines.iter().enumerate().take(to + 1).skip(from) {
                let mark = if hits.binary_search(&at).is_ok() { ':' } else { '-' };
                out.push(if self.numbers {
                    format!("{shown}{mark}{}{mark}{line}", at + 1)
                } else {
                    format!("{shown}{mark}{line}")
                });
            }
            next = next.max(to + 1);
        }
        out
    }
}
