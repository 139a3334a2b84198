//! The commands of a shell text: [`commands`] returns every simple command that a shell would run for it.
//!
//! Two rules carry everything here. *One reading or none*: a text is understood only if it lies in a subset of the shell
//! language that every shell which may run it reads alike; anything else is an error with a plainer way to write it. *No
//! guessed values*: an expansion is an unknown word, and a command whose name or whose wrapper's arguments are not
//! certain is [dynamic](Command::dynamic). `docs/shell.md` has the subset and how it is shown to be sound. No VM and no
//! I/O: the bindings call this.
//!
//! `reader` knows the grammar, `programs` what programs do, `run` reads a command's words by that, `flags` answers which
//! options it has, `limits` bounds the work. `locate` also tells how pieces of the text are quoted (`reader/site`), `run/risk` what a value that nobody knows
//! may do as an argument.

mod command;
mod expansion;
mod flags;
mod limits;
mod output;
pub mod programs;
mod reader;
mod run;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use command::{Command, Dialect, Opaque, OpaqueKind, ParseError, Redirect, Why, Word};
pub use flags::FlagMatch;
pub use limits::{MAX_COMMANDS, MAX_DEPTH, MAX_INPUT};
pub use programs::operands_before_command;
pub use reader::{Located, Site};
pub use run::{Risk, decides_what_runs};

/// Returns every simple command that the shell of an agent's tool (bash, zsh or ksh) would run for `text`, in the order of
/// the text.
///
/// ```
/// let found = snaphook_shell::commands("sudo rm -rf build && echo done").unwrap();
/// assert_eq!(found[0].name, "rm");
/// assert_eq!(found[0].via, ["sudo"]);
/// assert!(found[0].has_flags(&["r", "f"]));
/// ```
///
/// # Errors
///
/// When shells read the text differently, it is no complete text, or it exceeds a limit. A gate denies it.
pub fn commands(text: &str) -> Result<Vec<Command>, ParseError> {
    commands_in(text, Dialect::Bash)
}

/// Returns every simple command that a shell of this dialect would run for `text`, in the order of the text.
///
/// # Errors
///
/// As [`commands`].
pub fn commands_in(text: &str, dialect: Dialect) -> Result<Vec<Command>, ParseError> {
    let mut output = output::Output::default();
    reader::top(text, dialect, &[], &mut output)?;
    Ok(output.finish())
}

/// Returns the commands of a text as [`commands_in`] does, and where in its grammar each of the `spans` stands: pieces of
/// the text of letters and digits only, in its order.
///
/// ```
/// use snaphook_shell::{Dialect, Site, locate};
///
/// let located = locate("echo \"a MARK\" # MARK", Dialect::Sh, &[8..12, 16..20]).unwrap();
/// assert_eq!(located.sites, [Some(Site::Double), Some(Site::Comment)]);
/// ```
///
/// # Errors
///
/// As [`commands`].
pub fn locate(text: &str, dialect: Dialect, spans: &[Range<usize>]) -> Result<Located, ParseError> {
    let mut output = output::Output::default();
    output.sites = vec![None; spans.len()];
    reader::top(text, dialect, spans, &mut output)?;
    let sites = std::mem::take(&mut output.sites);
    Ok(Located { commands: output.finish(), sites })
}
