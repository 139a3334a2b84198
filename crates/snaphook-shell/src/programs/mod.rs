//! The one table of programs: what programs do, and which of their options matter, by their names. The reader asks it what a
//! command runs, and who judges commands (self-protection) asks it by [`Role`].
//!
//! | file | rows |
//! |---|---|
//! | `shells` | shells, builtins, and what runs the command in its arguments |
//! | `languages` | interpreters, editors, databases' clients |
//! | `builds` | build tools, package managers, what they run and fetch |
//! | `files` | everything else: what reads, changes and makes files, processes, mounts |
//! | `git` | git's own commands |
//!
//! A row is for programs of which the same is known; a name is in one row only, which a test checks. Not here: how the words of
//! a command are read by this (`run`), variables (`run::variables`).

mod builds;
mod files;
pub(crate) mod git;
mod index;
mod languages;
mod shells;
#[cfg(test)]
mod tests;

use crate::Dialect;

pub(crate) use builds::COMPILERS_START;
pub use git::keeps_working_tree as git_keeps_working_tree;
pub(crate) use index::{find, split_words, word_count, words};
pub(crate) use languages::SQLITE;

/// A property of a program. The lists are what is known, not all there is: a program without a role may do it as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A builtin that runs nothing, whatever its arguments.
    InertBuiltin,
    /// Something that a shell has built in, of which there is a program that does the same.
    AlsoProgram,
    /// Runs the command behind its own, with options of its own between that are not modelled.
    UnclearCommand,
    /// Changes none of the files in its arguments.
    KeepsOperands,
    /// Writes nothing but its output, whatever its arguments, unless [`writing_options`] says otherwise.
    OnlyReads,
    /// Has an option that writes or runs something, which a word that is not known may be.
    HiddenOptions,
    /// Takes away what its arguments name.
    Removes,
    /// Puts its first arguments into or over its last.
    Copies,
    /// Makes or touches what its arguments name, and no more.
    Creates,
    /// Runs a text of its own, or applies a patch: what it changes is inside a text.
    RunsTexts,
    /// Makes another text of a text.
    Transforms,
    /// Prints some of the lines that it gets.
    Filters,
    /// Puts what is in an archive or a patch where the shell is.
    Unpacks,
    /// Unpacks an archive into a folder that an option may name.
    UnpacksInto,
    /// Puts a file of another name in the place of a file.
    Compresses,
    /// Lays one folder over another, or shows processes other files.
    Mounts,
    /// Changes who may do what with a file.
    ChangesAccess,
    /// Installs or removes programs by their names.
    Installs,
    /// Starts the program of a package that its arguments name.
    StartsPackages,
    /// Starts containers, which get folders.
    StartsContainers,
    /// Stops, slows down or changes the process whose number it gets.
    ChangesProcess,
    /// Starts and stops services and sessions.
    ManagesServices,
    /// Sets the variables in its arguments.
    SetsVariables,
}

/// What is known of the programs of these names.
#[derive(Debug)]
pub(crate) struct Program {
    names: &'static [&'static str],
    roles: &'static [Role],
    pub(crate) runs: Runs,
    pub(crate) makes: Makes,
    /// Options with which it starts another program: `--long`, `-s` alone or in a bundle, `=-s` alone, `^-s` or another word for
    /// how a word begins.
    pub(crate) starts: &'static [&'static str],
    /// Files that it runs as a build tool: names, and ends of names that begin with a dot.
    pub(crate) builds: &'static [&'static str],
    /// Commands of its own behind which another command stands.
    pub(crate) prefixes: &'static [&'static str],
    /// Commands of its own that run what they fetch; an empty list for all of them.
    pub(crate) fetches: Option<&'static [&'static str]>,
    /// Letters and long names of the same options: `rR=recursive`.
    pub(crate) synonyms: &'static [&'static str],
    /// Options, as they begin, with which a program that reads writes or runs something. `-*o` is the letter in any bundle; a
    /// word without a dash is a whole argument.
    writing: &'static [&'static str],
}

/// The basis of the rows: nothing is known.
const PROGRAM: Program = Program {
    names: &[],
    roles: &[],
    runs: Runs::Nothing,
    makes: Makes::Nothing,
    starts: &[],
    builds: &[],
    prefixes: &[],
    fetches: None,
    synonyms: &[],
    writing: &[],
};

/// What a program runs beside itself, and by which rules.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Runs {
    /// Nothing that is known.
    Nothing,
    /// What the builtin does.
    Builtin,
    /// The command behind a builtin, by rules that are not modelled.
    Precommand,
    /// A text in this dialect; `None` in a language that is not read.
    Shell(Option<Dialect>),
    /// The command behind its own arguments.
    Command(&'static Wrapper),
    /// A command in its arguments, by rules that are not modelled. With this many words before the command, options apart;
    /// `usize::MAX` is any number.
    Unmodelled(usize),
    /// Code of a language.
    Code(&'static Interpreter),
    /// What its options, its own commands and files tell.
    Configured,
    /// `test` and `[`.
    Test,
    /// `find`.
    Find,
    /// `fd`.
    Fd,
    /// `git`.
    Git,
    /// `sed`.
    Sed,
    /// A command in a container.
    Container,
}

/// The files that a program makes by its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Makes {
    /// None that is known.
    Nothing,
    /// All of its operands.
    Operands,
    /// Its operands but the first one.
    LaterOperands,
    /// Its operands but the first one, with an option for it.
    InPlace,
    /// What its arguments and the values of its options name.
    Downloads,
    /// A program of a source.
    Compiled,
    /// Its operands, of sources of those names.
    Targets,
    /// The value of `of=`.
    Output,
    /// Files of names that are not told.
    Parts,
}

/// The arguments of a program that stand before the command that it runs.
#[derive(Debug)]
pub(crate) struct Wrapper {
    /// Short options without a value, and with one.
    pub(crate) plain: &'static str,
    pub(crate) valued: &'static str,
    /// Long options; one with a value ends in `=`, one with an optional value in `?`.
    pub(crate) long: &'static [&'static str],
    /// Arguments of its own before the command.
    pub(crate) skip: usize,
    /// True if `NAME=value` may stand before the command.
    pub(crate) assigns: bool,
    /// Options with which no command is run.
    pub(crate) inert: &'static str,
    /// True if those take operands, which are no command to run.
    pub(crate) looks_up: bool,
    pub(crate) tail: Tail,
}

/// The words behind a wrapper's own arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// A command.
    Command,
    /// A command, or a shell where there is none.
    Shell,
    /// Words that are joined and given to a shell.
    Text,
    /// A command that gets more arguments from input.
    Xargs,
    /// A builtin of the shell.
    Builtin,
}

/// The options of an interpreter.
#[derive(Debug)]
pub(crate) struct Interpreter {
    pub(crate) language: &'static str,
    /// Short options, alone or last in a bundle, and long ones, whose value is code.
    pub(crate) code: &'static [&'static str],
    /// Options whose value is skipped.
    pub(crate) valued: &'static [&'static str],
    /// Options whose value is a file or module that is run.
    pub(crate) files: &'static [&'static str],
    /// Short options without a value with which it runs nothing more, and long ones, as they begin. Where there are any, every
    /// other option may be one by which it loads code.
    pub(crate) letters: &'static str,
    pub(crate) plain: &'static [&'static str],
    /// Options with which nothing runs.
    pub(crate) inert: &'static [&'static str],
    /// Commands of its own that take code or a file.
    pub(crate) commands: &'static [&'static str],
    /// True if it reads code from input where there is no file, whether or not the text feeds it.
    pub(crate) input: bool,
    /// True if its first operand is code.
    pub(crate) expression: bool,
    /// True if its operands behind the first one are code.
    pub(crate) statements: bool,
    /// True if it takes its input for code beside what an option says.
    pub(crate) reads_beside: bool,
    /// True if its short options stand in bundles.
    pub(crate) bundles: bool,
}

impl Program {
    /// Returns whether it has a role.
    pub(crate) fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Returns whether `run::configured` looks at it.
    pub(crate) fn is_configured(&self) -> bool {
        matches!(self.runs, Runs::Unmodelled(_) | Runs::Code(_) | Runs::Configured) || !self.builds.is_empty()
    }

    /// Returns whether it runs the command in its arguments, and how many words of its own stand before, options apart.
    pub(crate) fn operands_before_command(&self) -> Option<usize> {
        match self.runs {
            Runs::Command(wrapper) => Some(wrapper.skip),
            Runs::Unmodelled(skip) => Some(skip),
            Runs::Precommand => Some(0),
            _ => None,
        }
    }

    /// Returns whether shells have it built in.
    pub(crate) fn is_builtin(&self) -> bool {
        matches!(self.runs, Runs::Builtin | Runs::Precommand)
    }

    /// Returns whether only shells have it, so that no other program can start it.
    pub(crate) fn is_only_builtin(&self) -> bool {
        self.is_builtin() && !self.is(Role::AlsoProgram)
    }

    /// The language of the code that it runs as an interpreter.
    pub(crate) fn language(&self) -> Option<&'static str> {
        match self.runs {
            Runs::Code(interpreter) => Some(interpreter.language),
            _ => None,
        }
    }

    /// Returns whether it is a compiler, of which there are many by version and by target.
    pub(crate) fn compiles(&self) -> bool {
        self.makes == Makes::Compiled && self.builds.is_empty() && !self.starts.is_empty()
    }

    /// Returns whether it runs files: an interpreter, a shell or a build tool.
    pub(crate) fn runs_files(&self) -> bool {
        matches!(self.runs, Runs::Code(_) | Runs::Shell(_)) || !self.builds.is_empty()
    }
}

/// Returns whether a program of this name has a role.
///
/// ```
/// use snaphook_shell::programs::{Role, is};
///
/// assert!(is("mv", Role::Copies) && is("mv", Role::Removes));
/// assert!(!is("a-program-of-mine", Role::OnlyReads));
/// ```
#[must_use]
pub fn is(name: &str, role: Role) -> bool {
    find(name).is_some_and(|program| program.is(role))
}

/// The options, as they begin, with which a program that only reads otherwise writes or runs something. `-*o` stands for a
/// letter in any bundle of short options; a word without a dash is a whole argument.
#[must_use]
pub fn writing_options(name: &str) -> &'static [&'static str] {
    find(name).map_or(&[], |program| program.writing)
}

/// Returns how many words stand before the command that a program of this name runs, options apart (`usize::MAX`: any
/// number); `None` for a program that runs none. By its name alone: with some arguments it runs none.
#[must_use]
pub fn operands_before_command(name: &str) -> Option<usize> {
    find(name).and_then(Program::operands_before_command)
}
