//! Words as the scanner hands them to `judge`, and what is known of the whole command.

use super::{Refused, Variable};

/// A word of a command.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    /// Its text without quotes, as far as it is written out; values and expansions are left out.
    pub(super) literal: String,
    /// The amount of `literal` that stands before the first quote, expansion or value: where a name has to be to be
    /// one to the shell.
    pub(super) bare: Option<usize>,
    /// True if a part of it was quoted: no reserved word then.
    pub(super) quoted: bool,
    /// True if the shell makes a part of it: an expansion or a substitution.
    pub(super) dynamic: bool,
    /// The first value in it, however deep, with its place. Numbers do not count.
    pub(super) value: Option<(Variable, usize)>,
    /// The length that `literal` was when the first value came.
    pub(super) before: usize,
}

impl Word {
    pub(super) fn take(&mut self, value: Option<(Variable, usize)>) {
        if self.value.is_none() && value.is_some() {
            self.value = value;
            self.before = self.literal.len();
        }
    }

    /// A placeholder stands here. A number is no value that could do harm, but it may be empty, and then the next word is the first.
    pub(super) fn fill(&mut self, value: Option<(Variable, usize)>) {
        self.dynamic |= value.is_none();
        self.take(value);
    }

    /// The text before the first value, or all of it.
    pub(super) fn prefix(&self) -> &str {
        match self.value {
            Some(_) => self.literal.get(..self.before).unwrap_or_default(),
            None => &self.literal,
        }
    }

    /// The name of an assignment (`NAME=…`, `NAME+=…`) that is written out.
    pub(super) fn assigns(&self) -> Option<&str> {
        let (name, _) = self.literal.get(..self.bare.unwrap_or(self.literal.len()))?.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let first = name.chars().next()?;
        let fine = (first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        fine.then_some(name)
    }

    /// Returns whether nothing of it is left to the shell or to a value.
    pub(super) fn is_plain(&self) -> bool {
        !self.dynamic && self.value.is_none()
    }

    pub(super) fn is_option(&self) -> bool {
        self.prefix().starts_with('-') && self.prefix().len() > 1
    }
}

/// The facts about a whole command.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The first value that is no number.
    pub(super) value: Option<(Variable, usize)>,
    /// Where a value is kept for later: an assignment, a loop, a function.
    pub(super) keeps: bool,
    /// The place where something is evaluated that could be such a value.
    pub(super) evaluates: Option<usize>,
    /// The number of commands that were looked at.
    pub(super) judged: usize,
    /// True if a shell, or the like, reads from its input what it runs.
    pub(super) reads_code: bool,
    /// The first text that shells read differently, or where we may be wrong about the quoting.
    pub(super) unclear: Option<(usize, &'static str)>,
}

pub(super) fn refused(at: usize, message: impl Into<String>, help: impl Into<String>) -> Refused {
    Refused { at, message: message.into(), help: help.into() }
}

/// A refusal about one value.
pub(super) fn cannot(value: (Variable, usize), place: &str, help: &str) -> Refused {
    let (variable, at) = value;
    let help = help.replace("{}", variable.env());
    refused(at, format!("`{{{{{}}}}}` cannot stand {place}", variable.name()), help)
}
