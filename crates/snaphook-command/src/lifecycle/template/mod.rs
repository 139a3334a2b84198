//! Values in the text of a command. `{{task_id}}` in a lifecycle file never becomes shell text: the value goes into the
//! command's environment, and the placeholder becomes a reference that fits its place, so that the command does what it
//! would do with a harmless value written out, and nothing else with any other.
//!
//! Lives here: what there is to fill in, and the rewriting ([`rewrite`]). `check` decides about what the commands do with
//! the values. Not here: any reading of shell text, which `snaphook-shell` does.
//!
//! # How a place is judged
//!
//! A word that the text has nowhere stands in for each placeholder, and the reader of shell commands tells how it is
//! quoted there ([`Site`]). Then the reader reads the text with the references: a value in them is a word that nobody
//! knows, and the reader proves that nothing runs but what it lists. A text that it does not read alike for every `sh`,
//! or a list in which a value may become code, is refused. `{{iteration}}` is a number that we make, so it may stand
//! wherever a reference means the same.
//!
//! # What is not promised
//!
//! A program that gets a value as an argument may do with it what it likes: one that begins with `-` is an option to most
//! (write `--` before it), one with `..` a path to elsewhere. Which programs take code as an argument is a table of
//! `snaphook-shell`, and a table has an end.

mod check;

use std::collections::BTreeSet;
use std::ops::Range;

use snaphook_shell::{Dialect, ParseError, Site, locate};

snaphook_core::named_enum! {
    /// The variables that can be filled in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Variable {
        /// `{{session}}`.
        Session = "session",
        /// `{{iteration}}`.
        Iteration = "iteration",
        /// `{{task_id}}`.
        TaskId = "task_id",
        /// `{{task_content}}`.
        TaskContent = "task_content",
        /// `{{error}}`.
        Error = "error",
    }
}

impl Variable {
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
    fn at(text: &str) -> Option<(Self, usize)> {
        let rest = text.strip_prefix("{{")?;
        let named = |variable: &Variable| {
            rest.strip_prefix(variable.as_str()).is_some_and(|after| after.starts_with("}}"))
        };
        Self::ALL.into_iter().find(named).map(|variable| (variable, variable.as_str().len() + 4))
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

/// A placeholder in a command.
#[derive(Debug, Clone, Copy)]
struct Placeholder {
    variable: Variable,
    at: usize,
    length: usize,
    /// The place, as soon as the reader has told it.
    site: Option<Site>,
}

impl Placeholder {
    /// Refuses it: it cannot stand in this place. `{}` in the help is the variable that has the value.
    fn cannot(self, place: &str, help: &str) -> Refused {
        let message = format!("`{{{{{}}}}}` cannot stand {place}", self.variable.as_str());
        let message = message.replace(char::is_control, " ");
        Refused { at: self.at, message, help: help.replace("{}", self.variable.env()) }
    }

    /// Refuses the command, which the reader does not understand. Its messages are "problem; advice".
    fn unread(self, error: &ParseError) -> Refused {
        let (problem, advice) = error.message.split_once("; ").unwrap_or((&error.message, INTO_SCRIPT));
        self.cannot(&format!("in a command that cannot be read: {problem}"), advice)
    }

    /// The reference in its place.
    fn reference(&self) -> String {
        let name = self.variable.env();
        match self.site {
            // An empty value is no word, as in the text.
            Some(Site::Word { .. }) => format!("${{{name}:+\"${name}\"}}"),
            Some(Site::Single) => format!("'\"${{{name}}}\"'"),
            _ => format!("${{{name}}}"),
        }
    }
}

const INTO_SCRIPT: &str = "put the command into a script, which finds the value in \"${}\"";
const NO_PLACE: &str =
    "in a name, a pattern, the delimiter or the body of a quoted here-document, or behind `$` or `~`";

/// The number of words that are tried for one that a command does not have.
const MAX_MARKS: usize = 64;

/// Makes references of the placeholders in a command for `sh`.
///
/// # Errors
/// A placeholder stands where no reference is safe, or none means the same as the text.
pub fn rewrite(command: &str) -> Result<Rewritten, Refused> {
    let mut found = placeholders(command);
    let Some(first) = found.first().copied() else {
        return Ok(Rewritten { text: command.to_owned(), uses: BTreeSet::new() });
    };
    if let Some(behind) = found.iter().find(|one| command[..one.at].ends_with('\\')) {
        return Err(behind.cannot("right behind a backslash", "write \"${}\""));
    }
    // A digit ends the mark, so that the reader refuses it right before a redirect, as it does a number.
    let free = |mark: &String| !command.contains(mark.as_str());
    let Some(mark) = (0..MAX_MARKS).map(|number| format!("SNAPHOOKx{number}")).find(free) else {
        return Err(first.cannot("in a command with so many words like `SNAPHOOKx0`", INTO_SCRIPT));
    };
    let (marked, spans) = replace(command, &found, |_| mark.clone());
    let read = |dialect| locate(&marked, dialect, &spans);
    // A number is no code in any shell.
    let numbers = found.iter().all(|one| one.variable.is_number());
    let located = read(Dialect::Sh).or_else(|error| if numbers { read(Dialect::Bash) } else { Err(error) });
    let located = located.map_err(|error| first.unread(&error))?;
    for (one, site) in found.iter_mut().zip(located.sites) {
        one.site = site;
    }
    if let Some(one) = found.iter().find(|one| one.site.is_none()) {
        return Err(one.cannot(NO_PLACE, "write it as a word or in double quotes, or write \"${}\""));
    }
    found.retain(|one| one.site != Some(Site::Comment));
    check::check(command, &found, &mark, &located.commands)?;
    let (text, _) = replace(command, &found, Placeholder::reference);
    Ok(Rewritten { text, uses: found.iter().map(|one| one.variable).collect() })
}

/// Returns the placeholders of a command in its order.
fn placeholders(command: &str) -> Vec<Placeholder> {
    let mut found: Vec<Placeholder> = Vec::new();
    let mut at = 0;
    while let Some(open) = command[at..].find("{{").map(|open| open + at) {
        at = open + 1;
        if let Some((variable, length)) = Variable::at(&command[open..]) {
            found.push(Placeholder { variable, at: open, length, site: None });
            at = open + length;
        }
    }
    found
}

/// Puts a text in the place of each placeholder. Returns where the texts stand, too.
fn replace(
    command: &str,
    found: &[Placeholder],
    text: impl Fn(&Placeholder) -> String,
) -> (String, Vec<Range<usize>>) {
    let mut whole = String::with_capacity(command.len() + 32 * found.len());
    let mut spans = Vec::with_capacity(found.len());
    let mut from = 0;
    for one in found {
        whole.push_str(&command[from..one.at]);
        let start = whole.len();
        whole.push_str(&text(one));
        spans.push(start..whole.len());
        from = one.at + one.length;
    }
    whole.push_str(&command[from..]);
    (whole, spans)
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
