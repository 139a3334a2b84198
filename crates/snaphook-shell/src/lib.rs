//! What a bash text would run: `commands` returns every simple command in it, through quoting, control flow,
//! substitutions, here-documents, wrappers and texts inside texts.
//!
//! The rule of every module here: what is not certain is flagged, never passed over. `docs/shell.md` says what is
//! resolved and what is flagged, and why the parser is our own. No VM and no I/O: the bindings call this.
//!
//! `limits` bounds the work; `lexer` (with `ansi`, `dollar`, `heredoc`) and `parser` (with `simple`, `redirect`) read; `ast` holds the tree; `env`, `brace`
//! and `expand` know values; `walk`, `effects`, `run`, `texts`, `wrappers` and `builtins` know what runs; `flags` reads
//! options.

mod ansi;
mod ast;
mod brace;
mod builtins;
mod command;
mod dollar;
mod effects;
mod env;
mod expand;
mod flags;
mod heredoc;
mod lexer;
mod limits;
mod parser;
mod redirect;
mod run;
mod simple;
#[cfg(test)]
mod tests;
mod texts;
mod walk;
mod wrappers;

pub use command::{Command, Dialect, Opaque, OpaqueKind, ParseError, Redirect, Why, Word};
pub use flags::FlagMatch;
pub use limits::{MAX_BRACES, MAX_COMMANDS, MAX_DEPTH, MAX_INPUT};
pub use wrappers::operands_before_command;

/// Every simple command that bash would run for `text`, in the order of the text.
///
/// # Errors
///
/// When the text does not parse as bash, parses in more than one way, or exceeds a limit. A gate denies it.
pub fn commands(text: &str) -> Result<Vec<Command>, ParseError> {
    commands_in(text, Dialect::Bash)
}

/// Every simple command that a shell of this dialect would run for `text`, in the order of the text.
///
/// # Errors
///
/// As [`commands`].
pub fn commands_in(text: &str, _dialect: Dialect) -> Result<Vec<Command>, ParseError> {
    if text.len() > MAX_INPUT {
        return Err(ParseError::limit("the text is too long"));
    }
    let mut budget = limits::Budget::new();
    let mut walker = walk::Walker::new(&mut budget, text.contains("extglob"));
    walker.script(text)?;
    walker.finish()
}
