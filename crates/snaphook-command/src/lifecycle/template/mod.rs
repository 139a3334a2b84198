//! Values in the text of a command. `{{task_id}}` in a lifecycle file never becomes shell text: the value goes into the command's
//! environment, and the placeholder becomes a reference that fits its place, so that the command does what it would do with a
//! harmless value written out, and nothing else with any other.
//!
//! Lives here: what there is to fill in, and the rewriting ([`rewrite`]). `scan` follows the shell's grammar as far as it decides
//! about quoting and about what is a command's name; `judge` knows the commands whose words are code. Not here: the understanding
//! of bash that gates need (`snaphook-script`), which asks what a text runs, not where a value may stand.
//!
//! # Where a value may stand
//!
//! As a word or a part of one, in single, double and `$'…'` quotes, in `$(…)`, in backticks, as the default of `${name:-…}`, in a
//! here-document, in an assignment, as the target of a redirection. In a comment it is left as it is.
//!
//! It is refused where the shell, or the program, would read the value as code: as a command's name or a part of it, as a variable's
//! name, in arithmetic, in `[[ … ]]`, in a code argument (`sh -c "… {{x}} …"`, `eval`, `awk`, `ssh`, `python -c`, `make`), in the
//! input of a shell, as the delimiter of a here-document; and where a reference could not mean the same as the text: after `$` or
//! a backslash, in a `[…]` or `{…}` pattern, in `~name`. The refusal says what to write instead. `{{iteration}}` is a number that we
//! make, so it may stand wherever a reference means the same.
//!
//! # What is not promised
//!
//! A program that gets a value as an argument may do with it what it likes: one that begins with `-` is an option to most (write
//! `--` before it), one with `..` a path to elsewhere. Which programs take code as an argument is a list, and a list has an end.

mod expand;
mod here;
mod judge;
mod scan;
mod word;

use std::collections::BTreeSet;

/// The variables that can be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// `{{session}}`.
    Session,
    /// `{{iteration}}`.
    Iteration,
    /// `{{task_id}}`.
    TaskId,
    /// `{{task_content}}`.
    TaskContent,
    /// `{{error}}`.
    Error,
}

impl Variable {
    /// All of them.
    pub const ALL: [Variable; 5] =
        [Variable::Session, Variable::Iteration, Variable::TaskId, Variable::TaskContent, Variable::Error];

    /// The name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Variable::Session => "session",
            Variable::Iteration => "iteration",
            Variable::TaskId => "task_id",
            Variable::TaskContent => "task_content",
            Variable::Error => "error",
        }
    }

    /// The environment variable that has the value.
    pub const fn env(self) -> &'static str {
        match self {
            Variable::Session => "SNAPHOOK_SESSION",
            Variable::Iteration => "SNAPHOOK_ITERATION",
            Variable::TaskId => "SNAPHOOK_TASK_ID",
            Variable::TaskContent => "SNAPHOOK_TASK_CONTENT",
            Variable::Error => "SNAPHOOK_ERROR",
        }
    }

    /// Returns whether its value is nothing but digits that we wrote ourselves.
    pub(crate) const fn is_number(self) -> bool {
        matches!(self, Variable::Iteration)
    }

    /// The variable whose placeholder begins here, with the placeholder's length.
    pub(crate) fn at(text: &str) -> Option<(Self, usize)> {
        let rest = text.strip_prefix("{{")?;
        let named = |variable: &Variable| {
            rest.strip_prefix(variable.name()).is_some_and(|after| after.starts_with("}}"))
        };
        Self::ALL.into_iter().find(named).map(|variable| (variable, variable.name().len() + 4))
    }
}

/// A command whose placeholders are references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The text that the shell gets.
    pub text: String,
    /// The variables whose values it needs in its environment.
    pub uses: BTreeSet<Variable>,
}

/// The reason why a placeholder cannot stand where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The place where the placeholder, or what makes it unsafe, stands in the command: a byte.
    pub at: usize,
    /// The place, as in "`{{error}}` cannot stand in arithmetic".
    pub message: String,
    /// The text to write instead.
    pub help: String,
}

/// Makes references of the placeholders in a command for `sh`.
///
/// # Errors
/// A placeholder stands where no reference is safe, or none means the same as the text.
pub fn rewrite(command: &str) -> Result<Rewritten, Refused> {
    let mut uses = BTreeSet::new();
    if !Variable::ALL.iter().any(|variable| command.contains(&format!("{{{{{}}}}}", variable.name()))) {
        return Ok(Rewritten { text: command.to_owned(), uses });
    }
    let edits = scan::edits(command)?;
    let mut text = String::with_capacity(command.len() + 32 * edits.len());
    let mut from = 0;
    for edit in edits {
        text.push_str(command.get(from..edit.from).unwrap_or_default());
        text.push_str(&edit.text);
        from = edit.to;
        uses.extend(edit.variable);
    }
    text.push_str(command.get(from..).unwrap_or_default());
    Ok(Rewritten { text, uses })
}

/// Returns what looks like a placeholder and is none of ours, with its place.
pub fn unknown(command: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = command.get(from..).and_then(|rest| rest.find("{{")).map(|at| at + from) {
        let Some(rest) = command.get(open + 2..) else { break };
        if let Some((_, length)) = Variable::at(&command[open..]) {
            from = open + length;
            continue;
        }
        from = open + 1;
        let Some(close) = rest.find("}}") else { break };
        let name = rest[..close].trim();
        let like_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        // `{{.Names}}` is another program's.
        if !name.is_empty() && !name.starts_with('.') && name.chars().all(like_a_name) {
            found.push((open, &command[open..open + close + 4]));
            from = open + close + 4;
        }
    }
    found
}

/// A value as the environment takes it: without NUL, and not longer than the system lets one variable be.
pub(crate) fn for_environment(value: &str) -> String {
    const MAX_VALUE_BYTES: usize = 64 * 1024;
    let mut text = value.replace('\0', "\u{fffd}");
    if text.len() > MAX_VALUE_BYTES {
        let length = text.len();
        text.truncate(text.floor_char_boundary(MAX_VALUE_BYTES));
        text.push_str(&format!("\n[cut: {length} bytes, {MAX_VALUE_BYTES} are kept]"));
    }
    text
}
