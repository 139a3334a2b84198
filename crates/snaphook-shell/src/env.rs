//! What is certain about the shell's state while a text is walked: variables, positional parameters, `IFS`.
//!
//! Only certain values are kept; a name that is absent is unknown. Changes are logged, so that a subshell can be
//! undone and a branch that may not run can be forgotten.

use std::collections::{HashMap, HashSet};

use super::Word;

/// Names that bash itself sets or treats in its own way: never known.
const LIVE: [&str; 39] = [
    "_",
    "BASHOPTS",
    "BASHPID",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_CMDS",
    "BASH_COMMAND",
    "BASH_LINENO",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COLUMNS",
    "COMP_WORDBREAKS",
    "COPROC",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "IFS",
    "LINENO",
    "LINES",
    "MAPFILE",
    "OLDPWD",
    "OPTARG",
    "OPTIND",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELLOPTS",
];

/// The state of one shell.
#[derive(Debug, Default)]
pub(super) struct Env {
    vars: HashMap<String, String>,
    log: Vec<(String, Option<String>)>,
    frozen: HashSet<String>,
    /// `$0` and on, where the text that starts this shell says what they are.
    pub(super) positional: Option<Vec<Word>>,
    /// Whether the text sets `IFS`, so that splitting is not the usual one.
    pub(super) ifs_touched: bool,
    /// Whether it does so by name, not only perhaps.
    pub(super) ifs_assigned: bool,
    /// Whether nothing is believed any more.
    distrusted: bool,
    /// Whether braces may be no expression here.
    pub(super) no_braces: bool,
    /// Inside a function or trap: what is assigned may be assigned at any time.
    pub(super) freezing: bool,
}

impl Env {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str)
    }

    /// Assigns; `None` is a value that is not known.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        if name == "IFS" {
            self.ifs_touched = true;
            self.ifs_assigned = true;
        }
        if self.freezing {
            self.freeze(name);
            return;
        }
        let value = value.filter(|_| {
            !self.distrusted && !self.frozen.contains(name) && !LIVE.contains(&name) && name != "SRANDOM"
        });
        if value.is_none() && !self.vars.contains_key(name) {
            return;
        }
        let old = match value {
            Some(value) => self.vars.insert(name.to_owned(), value),
            None => self.vars.remove(name),
        };
        self.log.push((name.to_owned(), old));
    }

    /// The name is never known again.
    pub(super) fn freeze(&mut self, name: &str) {
        if name == "IFS" {
            self.ifs_touched = true;
            self.ifs_assigned = true;
        }
        self.frozen.insert(name.to_owned());
        if let Some(old) = self.vars.remove(name) {
            self.log.push((name.to_owned(), Some(old)));
        }
    }

    /// Nothing is known any more: something ran that the text does not show.
    pub(super) fn forget_all(&mut self) {
        self.log.extend(self.vars.drain().map(|(name, value)| (name, Some(value))));
        self.ifs_touched = true;
    }

    /// Nothing will be known again: any name may stand for another, or change at any time.
    pub(super) fn distrust(&mut self) {
        self.forget_all();
        self.distrusted = true;
    }

    /// A point to return to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back what happened since: it was in a subshell.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((name, old)) = self.log.pop() {
                match old.filter(|_| !self.distrusted && !self.frozen.contains(&name)) {
                    Some(value) => self.vars.insert(name, value),
                    None => self.vars.remove(&name),
                };
            }
        }
    }

    /// Forgets every name that changed since: it may have happened, or not.
    pub(super) fn blur(&mut self, mark: usize) {
        let names: Vec<String> = self.log.iter().skip(mark).map(|(name, _)| name.clone()).collect();
        for name in names {
            self.set(&name, None);
        }
    }
}
