//! The entries in an agent's settings that make it call snaphook. Data only: the command writes and removes them.

use serde_json::{Value, json};

use crate::row::Row;

/// The owner of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The person's, for every project. Files are relative to the home folder.
    User,
    /// The project's, which come with it. Files are relative to its root.
    Project,
}

/// The reason why an agent's settings cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The way is not known.
    #[error("snaphook does not know how {agent} is set up; see docs/agents.md")]
    Unknown {
        /// The agent's title.
        agent: &'static str,
    },
    /// The agent reads hooks from its person's settings only.
    #[error(
        "{title} reads hooks from its person's settings only: run `snaphook install {agent}` without --project"
    )]
    PersonOnly {
        /// The agent's title.
        title: &'static str,
        /// The agent's id.
        agent: &'static str,
    },
    /// The person has to choose the file.
    #[error(
        "{title} runs the hooks that are in the file of the agent in use, {file}. Add this to it:\n{hooks:#}"
    )]
    ByHand {
        /// The agent's title.
        title: &'static str,
        /// The file.
        file: &'static str,
        /// The text to add.
        hooks: Value,
    },
}

/// One file of an agent's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Relative to the home folder or to the project's root, with `/`.
    pub file: String,
    /// The parts that have to be in it.
    pub content: FileContent,
}

/// The parts that have to be in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileContent {
    /// These, beside whatever others put there. JSON, with comments where the agent allows them.
    Json(Vec<Part>),
    /// Snaphook's tables in lists of tables, beside the entries of others. TOML.
    Toml(Vec<Part>),
    /// The whole file is ours.
    Own {
        /// Its text. [`is_ours`] knows it again.
        text: String,
        /// True if the agent runs it.
        executable: bool,
    },
}

impl Edit {
    /// A whole file of ours that the agent does not run as a program.
    pub(crate) fn own(file: &str, text: String) -> Self {
        Edit { file: file.to_owned(), content: FileContent::Own { text, executable: false } }
    }
}

/// One set-up of an agent: whose settings call snaphook, how, and at which events.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The owner of the settings.
    pub reach: Reach,
    /// The way the agent starts snaphook.
    pub launcher: &'a Launcher,
    /// The events.
    pub rows: &'a [&'static Row],
}

impl Setup<'_> {
    /// The command line for one event, for a POSIX shell.
    pub(crate) fn command(&self, row: &Row) -> String {
        self.launcher.command(row)
    }

    /// The file of the settings' owner.
    pub(crate) fn file(&self, user: &'static str, project: &'static str) -> &'static str {
        match self.reach {
            Reach::User => user,
            Reach::Project => project,
        }
    }

    /// A JSON file with an element for each event, in the list of the event's name below `key`.
    pub(crate) fn lists(&self, file: &str, key: &str, entry: impl Fn(&Row) -> Value) -> Vec<Edit> {
        let parts = self.rows.iter().map(|row| Part::element([key, row.native], entry(row)));
        vec![Edit { file: file.to_owned(), content: FileContent::Json(parts.collect()) }]
    }

    /// A TOML file with a table for each event, in its list `hooks`.
    pub(crate) fn tables(&self, file: &str, entry: impl Fn(&Row) -> Value) -> Vec<Edit> {
        let parts = self.rows.iter().map(|row| Part::element(["hooks"], entry(row)));
        vec![Edit { file: file.to_owned(), content: FileContent::Toml(parts.collect()) }]
    }

    /// A map with a list of one entry for each event.
    pub(crate) fn map(&self, entry: impl Fn(&Row) -> Value) -> Value {
        let entries = self.rows.iter().map(|row| (row.native.to_owned(), json!([entry(row)])));
        Value::Object(entries.collect())
    }
}

/// One part of a document.
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

/// The way the agent starts snaphook.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The absolute path of the program.
    pub program: String,
    /// The agent's id.
    pub agent: &'static str,
}

/// The option with which `snaphook hook` ends with codes of its own: [`SEALED_ANSWER`] and [`SEALED_REFUSAL`].
pub const SEALED: &str = "--sealed";

/// Ends an answer, instead of 0: no shell, no signal, no `sysexits.h` and no program that is known to us gives it by chance. An
/// empty file in the place of snaphook, or anything else that ends with 0, is no consent.
pub const SEALED_ANSWER: u8 = 219;

/// Ends a refusal by exit code, instead of 2, with its reason on standard error.
pub const SEALED_REFUSAL: u8 = 220;

/// The text in front of the program where its answer is kept until its exit code is known: half an answer of a program that
/// crashes never gets out. A signal for a closed pipe would count as success in some agents.
const HOLD_OUTPUT: &str = "trap '' PIPE; out=$(";

/// The text in front of the program where the agent reads `$` as a variable of its own.
const SET: &str = "set -- ";

impl Launcher {
    /// The command line for one event, for a POSIX shell. That of a gate passes an answer on only with [`SEALED_ANSWER`], and else
    /// refuses: by exit code 2 and a text on standard error, which every agent that has command hooks takes for a no.
    pub fn command(&self, row: &Row) -> String {
        if row.is_gate() {
            format!("{HOLD_OUTPUT}{}); {}", self.sealed(row), self.verdict())
        } else {
            self.call(row)
        }
    }

    /// The same without a `$`, for an agent that reads it as a variable of its own: the shell makes the rest of the line itself.
    pub fn command_without_dollar(&self, row: &Row) -> String {
        if !row.is_gate() {
            return self.call(row);
        }
        let rest = format!("{HOLD_OUTPUT}\"$@\"); {}", self.verdict());
        let octal = |c: char| match c {
            '$' | '"' | '\'' | '\\' | '`' | '%' => format!("\\{:03o}", u32::from(c)),
            c => c.to_string(),
        };
        let rest: String = rest.chars().map(octal).collect();
        format!("{SET}{}; eval \"`printf '{rest}'`\" || exit 2", self.sealed(row))
    }

    /// An answer for an agent that goes by what is written, for a POSIX shell: snaphook's own, or else `denial`, whatever the exit
    /// codes.
    pub(crate) fn script(&self, row: &Row, denial: &str) -> String {
        if row.is_gate() {
            format!(
                "{HOLD_OUTPUT}{})\ncase $? in\n{SEALED_ANSWER}) printf '%s\\n' \"$out\" ;;\n*) printf '%s\\n' {} ;;\nesac",
                self.sealed(row),
                quoted(denial)
            )
        } else {
            self.call(row)
        }
    }

    fn call(&self, row: &Row) -> String {
        format!("{} hook {} {}", quoted(&self.program), self.agent, row.native)
    }

    fn sealed(&self, row: &Row) -> String {
        format!("{} {SEALED}", self.call(row))
    }

    /// Returns what the shell does with the answer in `$out` and the exit code.
    fn verdict(&self) -> String {
        format!(
            "case $? in {SEALED_ANSWER}) true 3>&1 && printf %s \"$out\" || exit 2;; {SEALED_REFUSAL}) exit 2;; *) echo '{}' >&2; exit 2;; esac",
            self.did_not_run()
        )
    }

    fn did_not_run(&self) -> String {
        format!("{DID_NOT_RUN}. Ask the person to run: snaphook doctor {}", self.agent)
    }
}

impl Launcher {
    /// The same for PowerShell, where the agent has one command for each kind of system. Without a program there is no exit code,
    /// which is not snaphook's code either. What the program wrote is not kept back: agents with such a command deny by the exit code.
    pub(crate) fn powershell(&self, row: &Row) -> String {
        let Launcher { program, agent } = self;
        let call = format!("& '{}' hook {agent} {}", program.replace('\'', "''"), row.native);
        if row.is_gate() {
            format!(
                "{call} {SEALED}; if ($LASTEXITCODE -eq {SEALED_ANSWER}) {{ exit 0 }}; if ($LASTEXITCODE -ne {SEALED_REFUSAL}) {{ [Console]::Error.WriteLine('{}') }}; exit 2",
                self.did_not_run()
            )
        } else {
            call
        }
    }
}

/// The message where snaphook did not start, was killed or is gone.
pub const DID_NOT_RUN: &str = "snaphook did not run, so this is denied";

/// The program and the event in a command line that a [`Launcher`] of this agent wrote, of this version or of an earlier one.
pub fn program_and_event(command: &str, agent: &str) -> Option<(String, String)> {
    let (before, rest) = command.split_once(&format!(" hook {agent} "))?;
    let word = before.strip_prefix(HOLD_OUTPUT).or_else(|| before.strip_prefix(SET)).unwrap_or(before);
    let program = match word.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    };
    let native = rest.split(|c: char| c.is_whitespace() || c == ';' || c == ')').next()?;
    Some((program, native.to_owned()))
}

/// Returns whether a text (a command, a file) is what snaphook wrote for this agent.
pub fn is_ours(text: &str, agent: &str) -> bool {
    let after = format!(" hook {agent}");
    text.match_indices(&after).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['\'', '"']);
        let rest = &text[at + after.len()..];
        let folder = before.strip_suffix(".exe").unwrap_or(before).strip_suffix("snaphook");
        let program = folder.is_some_and(|folder| {
            folder.is_empty()
                || folder.ends_with(['/', '\\', '\'', '"', '('])
                || folder.ends_with(char::is_whitespace)
        });
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
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The entry that Claude Code and those after it have in a list for each event: no matcher, one command. `timeout` is in the
/// agent's own unit; `more` are further keys of the command.
pub(crate) fn family_entry(
    command: &str,
    timeout: u64,
    more: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let mut hook = json!({"type": "command", "command": command, "timeout": timeout});
    for (key, value) in more {
        hook[key] = value;
    }
    json!({"hooks": [hook]})
}

/// Returns how long the agent waits, in milliseconds.
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
            ("/usr/bin/mysnaphook hook codex PreToolUse", false),
            ("timeout 5 snaphook hook codex PreToolUse", true),
            ("out=$(snaphook hook codex PreToolUse --sealed); …", true),
            ("echo hook codex", false),
            ("// written by `snaphook install codex`", true),
        ] {
            assert_eq!(is_ours(text, "codex"), ours, "{text}");
        }
    }

    #[test]
    fn a_command_line_says_what_it_starts() {
        for program in ["/usr/bin/snaphook", "/a b/it's/snaphook", "/$(x)/snaphook"] {
            let launcher = Launcher { program: program.to_owned(), agent: "codex" };
            let rows = crate::agent("codex").into_iter().flat_map(|agent| agent.rows());
            for row in rows {
                let quoted = quoted(program);
                for command in [
                    launcher.command(row),
                    launcher.command_without_dollar(row),
                    format!("{quoted} hook codex {}", row.native),
                    // As earlier versions wrote it.
                    format!(
                        "{quoted} hook codex {} || {{ [ $? -eq 2 ] || echo 'x' >&2; exit 2; }}",
                        row.native
                    ),
                ] {
                    let found = program_and_event(&command, "codex");
                    assert_eq!(found, Some((program.to_owned(), row.native.to_owned())), "{command}");
                    assert!(is_ours(&command, "codex"), "{command}");
                }
                let without = launcher.command_without_dollar(row);
                assert!(!without.replace(&quoted, "").contains('$'), "{without}");
            }
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("/usr/bin/snaphook"), "/usr/bin/snaphook");
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
