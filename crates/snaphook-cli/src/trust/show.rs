//! The content of a hook that a person has to see before they decide.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use similar::TextDiff;
use snaphook::Language;
use snaphook_discovery::trust::{Kept, TrustStore};
use snaphook_discovery::{ProjectHook, TrustState, printable};

use crate::print::Paint;
use crate::{lifecycle, render};

/// A hook as lines.
pub(super) fn hook(hook: &ProjectHook, store: &TrustStore, paint: Paint) -> String {
    let candidate = &hook.candidate;
    let file = printable(&candidate.hook.file.display().to_string());
    let mut text = format!("{} {file}\n", paint.bold(&printable(&hook.name)));
    if let Some(description) = &candidate.front_matter.description {
        text += &format!("    {}\n", printable(description));
    }
    text += &match (&candidate.executable, render::grant_lines(&candidate.front_matter.grants)) {
        _ if candidate.language == Language::Lifecycle => {
            let code = "    shell commands: they can do whatever you can; no grants hold them";
            let beside = "scripts and programs that they run are not part of what you trust";
            format!("{}\n    {beside}\n{}", paint.yellow(code), lifecycle::lines(candidate))
        }
        _ if candidate.language == Language::McpServer => {
            let code = "    an MCP server: its program can do whatever you can; no grants hold it";
            let beside = "the program that it names is not part of what you trust; the entry is";
            let entry = candidate.source.lines().map(|line| format!("      {}\n", printable(line)));
            format!("{}\n    {beside}\n{}", paint.yellow(code), entry.collect::<String>())
        }
        (Some(executable), _) => {
            let code = "    an executable: arbitrary code that can do whatever you can; no grants hold it";
            let beside =
                "the interpreter, and what the program reads or calls, are not part of what you trust";
            format!("{}\n    {beside}\n{}", paint.yellow(code), render::executable_lines(executable))
        }
        (None, none) if none.is_empty() => "    grants none\n".to_owned(),
        (None, lines) => lines,
    };
    for (path, bytes) in &candidate.raw {
        let lines = match String::from_utf8_lossy(bytes).lines().count() {
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        };
        text += &format!("    file {} ({lines}, {} bytes)\n", printable(path), bytes.len());
    }
    text += &format!("    {}\n", hook.hash);
    if hook.changed_from.is_some() {
        text += "    changed since it was decided on:\n";
        match difference(hook, store) {
            Some(difference) => {
                for line in difference.lines() {
                    let line = printable(line);
                    let line = match line.chars().next() {
                        Some('-') => paint.red(&line),
                        Some('+') => paint.green(&line),
                        _ => line,
                    };
                    text += &format!("    {line}\n");
                }
            }
            None => text += "    (the version that was decided on is not kept any more)\n",
        }
    }
    text
}

/// A hook as JSON.
pub(super) fn document(hook: &ProjectHook, state: TrustState, store: &TrustStore) -> Value {
    let candidate = &hook.candidate;
    json!({
        "name": hook.name,
        "id": candidate.hook.id,
        "file": candidate.hook.file.display().to_string(),
        "state": state,
        "hash": hook.hash,
        "description": candidate.front_matter.description,
        "grants": render::grants(&candidate.front_matter.grants),
        "executable": candidate.executable.as_deref().map(render::executable),
        "commands": lifecycle::document(candidate),
        "files": candidate.raw.iter()
            .map(|(path, bytes)| json!({ "path": path, "bytes": bytes.len() }))
            .collect::<Vec<_>>(),
        "changed_from": hook.changed_from,
        "diff": hook.changed_from.and_then(|_| difference(hook, store)),
    })
}

/// The difference to the version that was decided on, file by file; `None` if that is not kept.
fn difference(hook: &ProjectHook, store: &TrustStore) -> Option<String> {
    let before = store.kept(hook.changed_from?)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let now: Kept = hook.candidate.raw.iter().map(|(path, bytes)| (path.clone(), text(bytes))).collect();
    let mut all = String::new();
    for path in before.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
        let (old, new) = (before.get(path), now.get(path));
        if old == new {
            continue;
        }
        let name = |side: Option<&String>| side.map_or_else(|| "/dev/null".to_owned(), |_| path.clone());
        let (old_text, new_text) = (old.map_or("", String::as_str), new.map_or("", String::as_str));
        let diff = TextDiff::from_lines(old_text, new_text);
        all += &diff.unified_diff().header(&name(old), &name(new)).to_string();
        if !all.ends_with('\n') {
            all.push('\n');
        }
    }
    Some(all)
}
