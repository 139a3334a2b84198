//! Variables that the programs of a text get, which it assigns in one command and exports, in this one or in another. Only
//! the end of the text tells. Not here: which values matter (`variables`, `make`).

use std::collections::HashSet;

use super::{basename, config, make, variables};
use crate::{Command, Word};

/// The variables of a text.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    pub(crate) values: Vec<(String, Word)>,
    pub(crate) exported: HashSet<String>,
    /// True if all of them are exported.
    pub(crate) all: bool,
}

impl Environment {
    fn exports(&self, name: &str) -> bool {
        self.all || self.exported.contains(name)
    }

    /// Marks the commands that assign what a program runs, and those of make that get it.
    pub(crate) fn mark(&self, commands: &mut [Command]) {
        if self.values.is_empty() {
            return;
        }
        let made = self
            .values
            .iter()
            .any(|(name, value)| (self.exports(name) || make::has_program(name)) && make::runs(name, value));
        for command in commands.iter_mut().filter(|command| command.opaque.is_none()) {
            let sets = command.name.known().is_some_and(|name| {
                matches!(
                    name,
                    "export" | "declare" | "typeset" | "local" | "read" | "mapfile" | "readarray" | "getopts"
                )
            });
            if sets {
                // `read -r NAME; export NAME`: the value is in no command
                let named = |name: &str| command.args.iter().any(|word| *word == name);
                let mut exported = self.values.iter().filter(|(name, _)| self.exports(name) && named(name));
                command.opaque = exported.find_map(|(name, value)| variables::exported(name, value));
            } else if command.name == "" {
                let mut exported = command.assignments.iter().filter(|(name, _)| self.exports(name));
                command.opaque = exported.find_map(|(name, value)| variables::exported(name, value));
            } else if command.name.known().is_some_and(|name| make::NAMES.contains(&basename(name)))
                && (made || command.args.iter().any(|word| self.may_assign(word)))
            {
                command.opaque = Some(config(Some("make"), None));
            }
        }
    }

    /// Returns whether a word that is not known may be an assignment or an option, by a variable of the text.
    fn may_assign(&self, word: &Word) -> bool {
        let Word::Unknown { text, prefix, .. } = word else { return false };
        let named = |name: &str| {
            text.match_indices('$').any(|(at, _)| {
                let rest = text.get(at + 1..).unwrap_or_default().trim_start_matches('{');
                rest.strip_prefix(name)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
            })
        };
        prefix.is_empty()
            && self.values.iter().any(|(name, value)| {
                named(name) && value.known().is_none_or(|value| value.contains('=') || value.starts_with('-'))
            })
    }

    /// Returns whether a word that is not known may end so, by what the text assigns to its variables. What `mktemp` says has no
    /// such end.
    pub(crate) fn may_end(&self, text: &str, ends: &[&str], depth: u32) -> bool {
        let is_open = |c: char| matches!(c, '$' | '`' | '*' | '?' | '{' | '}' | ')' | ']');
        // what stands behind the last expansion is certain
        let tail = text.rfind(is_open).map_or(text, |at| {
            let rest = text.get(at + 1..).unwrap_or_default();
            let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            if text.get(at..).is_some_and(|text| text.starts_with('$')) {
                rest.get(name..).unwrap_or_default()
            } else {
                rest
            }
        });
        if tail.contains('.') || tail.contains('/') {
            return ends.iter().any(|end| tail.ends_with(end));
        }
        if depth == 0 || text.contains('{') && text.contains(',') {
            return true;
        }
        if text.contains(['(', '`']) {
            return !text.contains("mktemp");
        }
        let name = text.rsplit('$').next().unwrap_or_default().trim_matches(|c| matches!(c, '{' | '}' | '"'));
        self.values.iter().filter(|(other, _)| other == name).any(|(_, value)| match value {
            Word::Known(value) => ends.iter().any(|end| format!("{value}{tail}").ends_with(end)),
            Word::Unknown { text, .. } => self.may_end(&text.replace('"', ""), ends, depth - 1),
        })
    }
}
