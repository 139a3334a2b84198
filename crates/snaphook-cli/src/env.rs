//! The process's surroundings, read once. Nothing else reads the environment, the working directory or asks whether a
//! stream is a terminal.
#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::io::IsTerminal;
use std::ops::Deref;

use snaphook_session::ProcessEnv;

/// The surroundings of the process at its start.
#[derive(Debug, Clone)]
pub(crate) struct Env {
    /// The command line after the program's name.
    pub(crate) words: Vec<String>,
    /// The parts that decide where hooks are and what they see.
    pub(crate) process: ProcessEnv,
    pub(crate) stdin_is_terminal: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
}

impl Deref for Env {
    type Target = ProcessEnv;

    fn deref(&self) -> &ProcessEnv {
        &self.process
    }
}

impl Env {
    pub(crate) fn of_process() -> Self {
        Env {
            words: std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            process: ProcessEnv {
                cwd: std::env::current_dir().ok(),
                vars: std::env::vars_os().collect(),
                program: std::env::current_exe().ok(),
            },
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// The same without these variables.
    #[cfg(feature = "drive")]
    pub(crate) fn without(&self, names: impl Iterator<Item = &'static str>) -> Self {
        let names: Vec<&str> = names.collect();
        let mut env = self.clone();
        let is_kept = |name: &std::ffi::OsStr| !names.iter().any(|known| name == *known);
        env.process.vars = self.vars.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
        env
    }

    /// Returns whether a stream gets colours: a terminal, and colours are not switched off (<https://no-color.org>).
    pub(crate) fn colours(&self, is_terminal: bool) -> bool {
        let dumb = self.var("TERM").is_some_and(|term| term == "dumb");
        is_terminal && !dumb && self.var("NO_COLOR").is_none()
    }

    /// Returns whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal
    }
}
