//! What has to stand in an agent's settings so that it asks snaphook. Data only: the command writes it, and takes it away.

use serde_json::{Map, Value, json};

use crate::agent::Row;

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The person's, for every project. Files are relative to the home folder.
    User,
    /// The project's, which come with it. Files are relative to its root.
    Project,
}

/// One file of an agent's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Relative to the home folder or to the project's root, with `/`.
    pub file: String,
    /// What has to be in it.
    pub what: What,
}

/// What has to be in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// These, beside whatever others put there. JSON, with comments where the agent allows them.
    Json(Vec<Part>),
    /// The whole file is ours.
    Own {
        /// Its text. [`is_ours`] knows it again.
        text: String,
        /// Whether the agent runs it.
        executable: bool,
    },
}

/// One part of a JSON file.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// An element of the list at this path of keys.
    Element {
        /// The keys.
        at: Vec<String>,
        /// The element.
        value: Value,
    },
    /// A value that has to be there; one that is there stays.
    Constant {
        /// The keys.
        at: Vec<String>,
        /// The value.
        value: Value,
    },
}

impl Part {
    /// An element of a list.
    pub fn element<const N: usize>(at: [&str; N], value: Value) -> Self {
        Part::Element { at: at.map(str::to_owned).into(), value }
    }

    /// A constant.
    pub fn constant<const N: usize>(at: [&str; N], value: Value) -> Self {
        Part::Constant { at: at.map(str::to_owned).into(), value }
    }
}

/// How the agent starts snaphook.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The absolute path of the program.
    pub program: String,
    /// The agent's id.
    pub agent: &'static str,
}

impl Launcher {
    /// The command line for one event, for a POSIX shell. That of a gate refuses where snaphook does not even start, is killed
    /// or is gone: by exit code 2 and a text on standard error, which every agent that has command hooks takes for a no.
    pub fn command(&self, row: &Row) -> String {
        let Launcher { program, agent } = self;
        let call = format!("{} hook {agent} {}", quoted(program), row.native);
        match row.is_gate() {
            true => format!(
                "{call} || {{ [ $? -eq 2 ] || echo '{DID_NOT_RUN}. Ask the person to run: snaphook doctor {agent}' >&2; exit 2; }}"
            ),
            false => call,
        }
    }
}

impl Launcher {
    /// The same for PowerShell, where the agent has one command for each kind of system. Without a program there is no exit code,
    /// which is not 0 either.
    pub(crate) fn powershell(&self, row: &Row) -> String {
        let Launcher { program, agent } = self;
        let call = format!("& '{}' hook {agent} {}", program.replace('\'', "''"), row.native);
        match row.is_gate() {
            true => format!(
                "{call}; if ($LASTEXITCODE -ne 0) {{ if ($LASTEXITCODE -ne 2) {{ [Console]::Error.WriteLine('{DID_NOT_RUN}. Ask the person to run: snaphook doctor {agent}') }}; exit 2 }}"
            ),
            false => call,
        }
    }
}

/// What is said where snaphook did not start, was killed or is gone.
pub const DID_NOT_RUN: &str = "snaphook did not run, so this is denied";

/// Whether a text (a command, a file) is what snaphook wrote for this agent.
pub fn is_ours(text: &str, agent: &str) -> bool {
    let after = format!(" hook {agent}");
    text.match_indices(&after).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['\'', '"']);
        let rest = &text[at + after.len()..];
        let program = before.ends_with("snaphook") || before.ends_with("snaphook.exe");
        program && rest.chars().next().is_none_or(|next| next.is_whitespace() || next == '"' || next == '\'')
    }) || text.contains(&marker(agent))
}

/// The line by which a file of our own is known again.
pub fn marker(agent: &str) -> String {
    format!("written by `snaphook install {agent}`")
}

/// A word for a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@');
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The entry that Claude Code and those after it have in a list for each event: no matcher, one command. `timeout` is in the
/// agent's own unit; `more` are further keys of the command.
pub(crate) fn family_entry(command: &str, timeout: u64, more: &[(&str, Value)]) -> Value {
    let mut hook = Map::new();
    hook.insert("type".to_owned(), "command".into());
    hook.insert("command".to_owned(), command.into());
    hook.insert("timeout".to_owned(), timeout.into());
    hook.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    json!({"hooks": [hook]})
}

/// How long the agent waits, in milliseconds.
pub(crate) fn milliseconds(row: &Row) -> u64 {
    u64::try_from(row.limit.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_known_again() {
        for (text, ours) in [
            ("/usr/bin/snaphook hook codex PreToolUse", true),
            ("'/home/a b/snaphook' hook codex Stop", true),
            (r#""C:\x\snaphook.exe" hook codex"#, true),
            ("snaphook hook codex2 PreToolUse", false),
            ("mysnaphook-wrapper hook codex PreToolUse", false),
            ("echo hook codex", false),
            ("// written by `snaphook install codex`", true),
        ] {
            assert_eq!(is_ours(text, "codex"), ours, "{text}");
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("/usr/bin/snaphook"), "/usr/bin/snaphook");
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
