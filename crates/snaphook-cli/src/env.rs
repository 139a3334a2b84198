//! The process's surroundings, read once. Nothing else reads the environment, the working directory or asks whether a
//! stream is a terminal.
#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook_discovery::Environment;

/// The surroundings of the process at its start.
#[derive(Debug, Clone)]
pub(crate) struct Env {
    /// The command line after the program's name.
    pub(crate) words: Vec<String>,
    /// The working directory; `None` if it is gone.
    pub(crate) cwd: Option<PathBuf>,
    /// Every variable.
    pub(crate) vars: Arc<[(OsString, OsString)]>,
    /// This program's own file.
    pub(crate) program: Option<PathBuf>,
    pub(crate) stdin_is_terminal: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
}

impl Env {
    pub(crate) fn of_process() -> Self {
        Env {
            words: std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            cwd: std::env::current_dir().ok(),
            vars: std::env::vars_os().collect(),
            program: std::env::current_exe().ok(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// A variable that is set and not empty.
    pub(crate) fn var(&self, name: &str) -> Option<&OsString> {
        self.vars.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value)
    }

    /// A variable as a path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.var(name).map(PathBuf::from)
    }

    /// Returns whether a stream gets colours: a terminal, and nobody said no (<https://no-color.org>).
    pub(crate) fn colours(&self, is_terminal: bool) -> bool {
        let dumb = self.var("TERM").is_some_and(|term| term == "dumb");
        is_terminal && !dumb && self.var("NO_COLOR").is_none()
    }

    /// Returns whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal
    }

    /// Returns what decides where hooks and state are, for this working directory.
    pub(crate) fn environment(&self, cwd: PathBuf) -> Environment {
        Environment {
            home: self.path("HOME").or_else(|| self.path("USERPROFILE")),
            xdg_config_home: self.path("XDG_CONFIG_HOME"),
            xdg_state_home: self.path("XDG_STATE_HOME"),
            snaphook_config_dir: self.path("SNAPHOOK_CONFIG_DIR"),
            snaphook_state_dir: self.path("SNAPHOOK_STATE_DIR"),
            ..Environment::new(cwd)
        }
    }
}
