//! What has been read so far: the commands, and the facts about the whole text that only its end decides (which names it
//! assigns, which files it writes). Not here: how they are found (`reader`, `run`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::limits::MAX_COMMANDS;
use super::run::environment::Environment;
use super::run::written::WrittenFiles;
use super::{Command, Site, Word};

/// The source text of a command, and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) text: Arc<str>,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A use of a variable's value as an arithmetic expression, which bash evaluates: `a[$(cmd)]` runs `cmd`.
#[derive(Debug)]
struct VariableUse {
    name: String,
    source: Source,
    via: Vec<String>,
}

/// The commands, and what the text as a whole does.
#[derive(Debug, Default)]
pub(crate) struct Output {
    commands: Vec<Command>,
    /// Names that the text assigns, and whether each value is certainly an integer.
    assigned: HashMap<String, bool>,
    /// Names that the text makes arrays.
    arrays: HashSet<String>,
    /// Names that a declaration gives a value that may look like an array's.
    declared: Vec<VariableUse>,
    evaluated: Vec<VariableUse>,
    /// The assignments of the text, in its order, and those that programs get.
    environment: Environment,
    pub(crate) written: WrittenFiles,
    /// True if the text may give the command at the cursor an input: by a pipe, a file or a here-document.
    pub(crate) feeds: bool,
    /// The last command that takes code from its input.
    pub(crate) reads_code: Option<usize>,
    /// Bytes of texts within texts.
    pub(crate) texts: usize,
    /// The places of the spans that the caller asks about.
    pub(crate) sites: Vec<Option<Site>>,
}

impl Output {
    /// Adds a command; `false` where there are too many.
    pub(crate) fn push(&mut self, command: Command) -> bool {
        self.commands.push(command);
        self.commands.len() <= MAX_COMMANDS
    }

    /// Returns the index of the last command.
    pub(crate) fn last(&self) -> Option<usize> {
        self.commands.len().checked_sub(1)
    }

    /// Sets the code that a command reads from a here-document.
    pub(crate) fn code(&mut self, index: usize, code: &str) {
        if let Some(opaque) = self.commands.get_mut(index).and_then(|command| command.opaque.as_mut()) {
            opaque.code = Some(code.to_owned());
        }
    }

    /// Notes that the text gives `name` a value.
    pub(crate) fn assign(&mut self, name: &str, integer: bool) {
        *self.assigned.entry(name.to_owned()).or_insert(true) &= integer;
    }

    /// Notes a value that the text assigns.
    pub(crate) fn value(&mut self, name: &str, value: Word) {
        self.environment.values.push((name.to_owned(), value));
    }

    /// Notes that programs get the variable.
    pub(crate) fn export(&mut self, name: &str) {
        self.environment.exported.insert(name.to_owned());
    }

    /// Notes that programs get all variables that the text assigns.
    pub(crate) fn export_all(&mut self) {
        self.environment.all = true;
    }

    /// Notes that the text makes `name` an array.
    pub(crate) fn array(&mut self, name: &str) {
        self.arrays.insert(name.to_owned());
        self.assign(name, false);
    }

    /// Notes that a declaration takes the value of `name` from an expansion.
    pub(crate) fn declare(&mut self, name: &str, source: &Source, via: &[String]) {
        self.declared.push(VariableUse { name: name.to_owned(), source: source.clone(), via: via.to_vec() });
    }

    /// Notes that the value of `name` is evaluated as arithmetic.
    pub(crate) fn evaluate(&mut self, name: &str, source: &Source, via: &[String]) {
        self.evaluated.push(VariableUse { name: name.to_owned(), source: source.clone(), via: via.to_vec() });
    }

    /// Returns all commands, with what only the whole text shows.
    pub(crate) fn finish(mut self) -> Vec<Command> {
        let evaluated = std::mem::take(&mut self.evaluated);
        let declared = std::mem::take(&mut self.declared);
        let tainted = |name: &str| self.assigned.get(name) == Some(&false) || is_set_by_shells(name);
        let mut found: Vec<Command> = evaluated
            .into_iter()
            .filter(|use_| tainted(&use_.name))
            .map(|use_| use_.dynamic("arithmetic"))
            .collect();
        found.extend(
            declared
                .into_iter()
                .filter(|use_| self.arrays.contains(&use_.name))
                .map(|use_| use_.dynamic("declare")),
        );
        found.truncate(1);
        let mut commands = std::mem::take(&mut self.commands);
        self.environment.mark(&mut commands);
        self.written.mark(&mut commands, &self.environment, |name| self.assigned.contains_key(name));
        commands.append(&mut found);
        commands
    }
}

/// Returns whether shells themselves put texts into a variable: the last argument, what was read, the text that runs.
fn is_set_by_shells(name: &str) -> bool {
    matches!(
        name,
        "_" | "REPLY" | "reply" | "OPTARG" | "MAPFILE" | "MATCH" | "match" | "argv" | "PWD" | "OLDPWD"
    ) || name.starts_with("BASH_")
        || name.starts_with("ZSH_")
}

impl VariableUse {
    /// Makes the command that stands for code in a value.
    fn dynamic(self, how: &str) -> Command {
        unknowable(&self.name, how, &self.via, &self.source)
    }
}

/// Makes the command that stands for what the text does not show: `what` runs by way of `how`.
pub(crate) fn unknowable(what: &str, how: &str, via: &[String], source: &Source) -> Command {
    let name = Word::unknown(what, true);
    let mut via = via.to_vec();
    via.push(how.to_owned());
    Command {
        path: name.clone(),
        name,
        args: Vec::new(),
        assignments: Vec::new(),
        redirects: Vec::new(),
        via,
        dynamic: true,
        opaque: None,
        text: source.text.clone(),
        line: source.line,
        column: source.column,
    }
}
