//! What the analysis returns: commands, words, redirects. No parsing; flags are in `flags.rs`.

use std::fmt;
use std::sync::Arc;

/// One simple command that bash would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command's name without its directory. An empty known name stands for no command at all: a bare
    /// assignment, or the redirects of a group.
    pub name: Word,
    /// The name as bash would look it up (`/bin/rm`).
    pub path: Word,
    /// The arguments after expansion, without the name.
    pub args: Vec<Word>,
    /// `NAME=value` before the command, and those that `env` and `sudo` take.
    pub assignments: Vec<(String, Word)>,
    /// Files that the command reads or writes through redirects.
    pub redirects: Vec<Redirect>,
    /// The wrappers that run it, outermost first.
    pub via: Vec<String>,
    /// True if what runs cannot be known from the text. A gate denies or asks.
    pub dynamic: bool,
    /// Set where the command does what its words do not show: runs code, a file, or a program that configuration names.
    pub opaque: Option<Opaque>,
    /// The source text of the command; of the outer command where a text within a text holds this one.
    pub text: Arc<str>,
    /// Line in the whole text, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// The way a command does what its words do not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opaque {
    /// The code that runs.
    pub kind: OpaqueKind,
    /// The language of the code, where it is known: `python`, `perl`, `node`, `awk`, `sed`, `shell`, `make`, `sql`, …
    pub language: Option<&'static str>,
    /// The code, where the text holds it and it is known.
    pub code: Option<String>,
    /// The file that is run, where it is named.
    pub file: Option<Word>,
    /// True if the same text writes, downloads or makes executable what is run.
    pub written: bool,
}

/// The code that an opaque command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueKind {
    /// Code in an argument, a here-document or a pipe (`python3 -c`, `perl -e`, `awk`, `sed e`, `make --eval`).
    Code,
    /// A file (`sh s`, `./x`, `source f`, `python3 x.py` that the same text wrote).
    File,
    /// A program or code that an option, a setting or a variable names (`git -c alias.x=!…`, `tar --to-command`, `EDITOR=…`).
    Config,
    /// The program that a changed `PATH` leads to.
    Path,
}

impl OpaqueKind {
    /// The name that scripts see.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::File => "file",
            Self::Config => "config",
            Self::Path => "path",
        }
    }
}

/// The shell that reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The shells that agents run commands with: bash, or zsh or ksh as a user's login shell.
    #[default]
    Bash,
    /// `/bin/sh`, which may be dash, busybox or bash: only what all of them read alike.
    Sh,
}

/// A word after expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Exactly this text.
    Known(String),
    /// A word that depends on something outside the text. It equals no word.
    Unknown {
        /// The source text.
        text: String,
        /// The start of the value that is known.
        prefix: String,
        /// The reason why it is unknown.
        why: Why,
        /// True if it may become no word, or several.
        many: bool,
    },
}

/// The reason why a word is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A variable, a substitution, or arguments that another program adds.
    Expansion,
    /// A file name pattern.
    Glob,
    /// A leading `~`.
    Tilde,
}

/// A file that a redirect opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The file.
    pub target: Word,
    /// True if it is read.
    pub read: bool,
    /// True if it is written.
    pub write: bool,
    /// True if writing keeps what is there.
    pub append: bool,
    /// The file descriptor, where the redirect names or implies one.
    pub fd: Option<i32>,
}

/// The reason why a text was not understood. A gate denies it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// The problem, in lower case.
    pub message: String,
}

impl Word {
    /// The text of a known word.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Unknown { .. } => None,
        }
    }

    /// The value of a known word, the source text of another.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Known(text) | Self::Unknown { text, .. } => text,
        }
    }

    /// The part of the value that is certain to stand at its start.
    #[must_use]
    pub fn prefix(&self) -> &str {
        match self {
            Self::Known(text) => text,
            Self::Unknown { prefix, .. } => prefix,
        }
    }

    /// Returns whether the word may become no word, or several.
    #[must_use]
    pub fn many(&self) -> bool {
        matches!(self, Self::Unknown { many: true, .. })
    }

    pub(crate) fn unknown(text: impl Into<String>, many: bool) -> Self {
        Self::Unknown { text: text.into(), prefix: String::new(), why: Why::Expansion, many }
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        self.known() == Some(other)
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        self.known() == Some(*other)
    }
}

/// Known words as they are, others as `‹source›`.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(text) if text.is_empty() => f.write_str("''"),
            Self::Known(text) => f.write_str(text),
            Self::Unknown { text, .. } => write!(f, "‹{text}›"),
        }
    }
}

/// `[via>via] NAME=v name arg … >file`, for messages and tests.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.via.is_empty() {
            write!(f, "[{}] ", self.via.join(">"))?;
        }
        for (name, value) in &self.assignments {
            write!(f, "{name}={value} ")?;
        }
        if self.dynamic {
            f.write_str("? ")?;
        }
        if let Some(opaque) = &self.opaque {
            write!(f, "({}{}) ", opaque.kind.as_str(), if opaque.written { ", written" } else { "" })?;
        }
        write!(f, "{}", self.name)?;
        for arg in &self.args {
            write!(f, " {arg}")?;
        }
        for redirect in &self.redirects {
            let sign = match (redirect.read, redirect.write, redirect.append) {
                (true, true, _) => "<>",
                (true, false, _) => "<",
                (_, _, true) => ">>",
                _ => ">",
            };
            f.write_str(" ")?;
            if let Some(fd) = redirect.fd {
                write!(f, "{fd}")?;
            }
            write!(f, "{sign}{}", redirect.target)?;
        }
        Ok(())
    }
}
