//! Discobot's hooks: executables in `.discobot/hooks`. The body stays byte for byte, the front matter is written anew in our keys, with
//! `compat: discobot`, so that the hook goes on seeing Discobot's variables. Not here: writing (`mod`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use snaphook::{EventName, Executable, Lifecycle, Product, RunAs};
use snaphook_discovery::front_matter::{Block, FileKind, FrontMatter, parse_for, split};
use snaphook_discovery::{Diagnostic, MAX_SOURCE_BYTES};

use crate::files::is_executable;
use crate::import::imported_file::{Fate, ImportedFile, MAX_BYTES};

/// The variables that a hook of Discobot's may use.
const VARIABLES: [&str; 4] =
    ["DISCOBOT_SESSION_ID", "DISCOBOT_WORKSPACE", "DISCOBOT_HOOK_TYPE", "DISCOBOT_CHANGED_FILES"];

/// Endings that name a script, or not a hook at all, in our folder.
const TAKEN: [&str; 6] = ["lua", "luau", "rhai", "ts", "mts", "cts"];

/// Returns the outcome for a file that would be copied to `folder`.
pub(super) fn file(from: PathBuf, folder: &Path) -> ImportedFile {
    let Some(name) = from.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
        return ImportedFile::wrong(from, "its name is not UTF-8: rename it");
    };
    if name.starts_with('.') {
        return ImportedFile::left(from, "is hidden, so it is not a hook");
    }
    if from.is_dir() {
        return ImportedFile::left(from, "is a folder, so it is not a hook");
    }
    if !from.is_file() {
        return ImportedFile::wrong(from, "is not a file, or is a link to nothing: fix it or remove it");
    }
    let bytes = match snaphook_state::plain_fs::read(&from, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return ImportedFile::wrong(from, format!("cannot be read: {error}")),
    };
    if !bytes.starts_with(b"#!") {
        return ImportedFile::left(from, "does not begin with `#!`, so it is not a hook");
    }
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return ImportedFile::wrong(from, "is too long for a hook");
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return ImportedFile::wrong(from, "is not UTF-8");
    };
    let block = match split(&text, FileKind::Executable) {
        Ok(Some(block)) => block,
        Ok(None) => return ImportedFile::left(from, "has no front matter, so it is not a hook"),
        Err(diagnostic) => return ImportedFile::wrong(from, diagnostic_text(&diagnostic)),
    };
    let (front_matter, remarks) = match parse_for(&block, FileKind::Executable, Product::Discobot) {
        Ok(read) => read,
        Err(faults) => {
            return ImportedFile::wrong(
                from,
                faults.iter().map(diagnostic_text).collect::<Vec<_>>().join("; "),
            );
        }
    };
    let Some(executable) = front_matter.executable.clone() else {
        return ImportedFile::left(from, "has no `type`, so it is not a hook");
    };
    if !is_executable(&from) {
        return ImportedFile::left(from, "is not executable, so it is not a hook");
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    if TAKEN.contains(&ending.as_str()) {
        return ImportedFile::wrong(
            from,
            format!("would be taken for a script because of its extension .{ending}: rename it"),
        );
    }
    let used: Vec<_> = VARIABLES.into_iter().filter(|name| text.contains(name)).collect();
    let mut notes: Vec<String> = remarks.iter().map(diagnostic_text).collect();
    if used.contains(&"DISCOBOT_CHANGED_FILES") {
        notes.push(
            "$DISCOBOT_CHANGED_FILES is left out where the list is longer than 100 KB; $SNAPHOOK_CHANGED_FILES_FILE always names it, \
             NUL-separated"
                .to_owned(),
        );
    }
    let to = folder.join(&name);
    let facts = facts(&front_matter, &executable, &to, &used);
    let bytes = rewritten(&text, &block, &front_matter, &executable).into_bytes();
    ImportedFile { from, fate: Fate::Copied { to, bytes, executable: true }, facts, notes }
}

fn diagnostic_text(diagnostic: &Diagnostic) -> String {
    diagnostic
        .clone()
        .into_problem(snaphook::Severity::Note, "")
        .to_string()
        .trim_start_matches(':')
        .trim()
        .to_owned()
}

/// Returns what the hook comes to, as its front matter and the defaults have it.
fn facts(
    front_matter: &FrontMatter,
    executable: &Executable,
    to: &Path,
    used: &[&str],
) -> Vec<(&'static str, Value)> {
    let mut facts = vec![("event", json!(executable.event.as_str()))];
    if let Some(name) = &front_matter.name {
        facts.push(("name", json!(name)));
    }
    if !executable.patterns.is_empty() {
        facts.push(("pattern", json!(executable.patterns)));
    }
    if !executable.ignore.is_empty() {
        facts.push(("ignore", json!(executable.ignore)));
    }
    match &executable.event {
        EventName::Lifecycle(Lifecycle::Startup) => {
            facts.push(("run_as", json!(run_as(executable.run_as))));
        }
        EventName::Lifecycle(Lifecycle::FilesChanged) => {
            facts.push(("notify_llm", json!(executable.notify)));
        }
        _ => {}
    }
    facts.push(("limit", json!(seconds(executable.time_limit()))));
    facts.push(("command", json!(to.to_string_lossy())));
    if !used.is_empty() {
        facts.push(("variables", json!(used)));
    }
    facts
}

fn run_as(run_as: RunAs) -> &'static str {
    match run_as {
        RunAs::User => "user",
        RunAs::Root => "root",
    }
}

fn seconds(limit: Duration) -> String {
    match limit.as_millis() % 1000 {
        0 => format!("{}s", limit.as_secs()),
        _ => format!("{}ms", limit.as_millis()),
    }
}

/// The file with its front matter in our keys.
fn rewritten(text: &str, block: &Block, front_matter: &FrontMatter, executable: &Executable) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let list = |patterns: &[String]| match patterns {
        [one] => quoted(one),
        more => format!("[{}]", more.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(", ")),
    };
    let mut keys = Vec::new();
    keys.extend(front_matter.name.as_ref().map(|name| ("name", quoted(name))));
    keys.extend(front_matter.description.as_ref().map(|text| ("description", quoted(text))));
    keys.push(match &executable.event {
        EventName::Lifecycle(Lifecycle::Startup) => ("type", "session".to_owned()),
        EventName::Lifecycle(Lifecycle::FilesChanged) => ("type", "file".to_owned()),
        EventName::Lifecycle(Lifecycle::PreCommit) => ("type", "pre-commit".to_owned()),
        other => ("event", other.as_str().to_owned()),
    });
    if !executable.patterns.is_empty() {
        keys.push(("pattern", list(&executable.patterns)));
    }
    if !executable.ignore.is_empty() {
        keys.push(("ignore", list(&executable.ignore)));
    }
    if !executable.notify {
        keys.push(("notify_llm", "false".to_owned()));
    }
    if executable.run_as == RunAs::Root {
        keys.push(("run_as", "root".to_owned()));
    }
    keys.extend(executable.timeout.map(|limit| ("timeout", quoted(&seconds(limit)))));
    keys.push(("compat", Product::Discobot.to_string()));
    let end = if text.lines().count() > 1 && text.contains("\r\n") { "\r\n" } else { "\n" };
    let leader = match block.style.leader() {
        "" => String::new(),
        leader => format!("{leader} "),
    };
    let keys: String = keys.iter().map(|(key, value)| format!("{leader}{key}: {value}{end}")).collect();
    // The lines around the keys, with their ends.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let open = block.open as usize;
    let close = (block.close as usize).saturating_sub(1);
    let before: String = lines.iter().take(open).copied().collect();
    let after: String = lines.iter().skip(close).copied().collect();
    format!("{before}{keys}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that is written reads as what was read, and everything else is as it was.
    #[test]
    fn a_rewritten_file_means_the_same() {
        for matter in [
            "name: Go format check\ntype: file\npattern: \"*.go\"",
            "type: file\npattern: *.{ts,tsx}\nnotify_llm: false\nblocking: false",
            "name: \"it's: odd # \\\" name\"\ntype: session\nrun_as: root\ntimeout: 90",
            "type: pre-commit\ndescription: all of it\nnotify_llm: true",
            "type: file\npattern: [\"*.go\", 'src/**/x y.ts']\nignore: '!*.md'\ntimeout: 500ms",
        ] {
            for (open, leader) in [("#---", "# "), ("//---", "// "), ("---", ""), ("-----", "-- ")] {
                for end in ["\n", "\r\n"] {
                    let block: String = matter.lines().map(|line| format!("{leader}{line}{end}")).collect();
                    let body = format!("{end}echo $DISCOBOT_CHANGED_FILES{end}# no end");
                    let file = format!("#!/bin/bash{end}{open}{end}{block}{open}{end}{body}");
                    let read = |text: &str, product| {
                        let block = split(text, FileKind::Executable).unwrap().unwrap();
                        let (matter, _) = parse_for(&block, FileKind::Executable, product).unwrap();
                        (matter, block)
                    };
                    let (old, block) = read(&file, Product::Discobot);
                    let executable = old.executable.clone().unwrap();
                    let new = rewritten(&file, &block, &old, &executable);
                    assert_eq!(read(&new, Product::Snaphook).0, old, "{new}");
                    assert!(new.starts_with(&format!("#!/bin/bash{end}{open}{end}")), "{new}");
                    assert!(new.ends_with(&format!("{open}{end}{body}")), "{new}");
                }
            }
        }
    }
}
