//! Compares what the reader says of a text with what shells did with it.

use snaphook_shell::{Command, Dialect, ParseError, Word, commands_in};

use super::sandbox::{Call, Run};
use super::shells::Shell;

/// The answer of the reader about a text, for one dialect.
#[derive(Debug)]
pub enum Reading {
    Refused(ParseError),
    /// Something in it is dynamic or opaque.
    Flagged(Vec<Command>),
    Listed(Vec<Command>),
}

impl Reading {
    pub fn of(text: &str, dialect: Dialect) -> Self {
        match commands_in(text, dialect) {
            Err(error) => Self::Refused(error),
            Ok(list) if list.iter().any(|command| command.dynamic || command.opaque.is_some()) => {
                Self::Flagged(list)
            }
            Ok(list) => Self::Listed(list),
        }
    }

    pub fn listed(&self) -> Option<&[Command]> {
        match self {
            Self::Listed(list) => Some(list),
            _ => None,
        }
    }
}

/// A call that the list does not have.
#[derive(Debug)]
pub struct Miss {
    pub shell: Shell,
    pub call: Call,
}

/// The first call of a run that is in no listed command.
pub fn missed(shell: Shell, run: &Run, list: &[Command]) -> Option<Miss> {
    run.calls.iter().find(|call| !is_listed(shell, call, list)).map(|call| Miss { shell, call: call.clone() })
}

fn is_listed(shell: Shell, call: &Call, list: &[Command]) -> bool {
    list.iter().any(|command| {
        command.name == *call.name() && args_match(&command.args, &call.args)
            || in_zsh(shell, list) && is_nullcmd(call, command)
    })
}

fn in_zsh(shell: Shell, list: &[Command]) -> bool {
    shell == Shell::Zsh || list.iter().any(|command| command.via.iter().any(|name| name == "zsh"))
}

/// zsh runs `cat`, and `more` or what Debian takes for it, for redirects without a command, which are listed as such.
fn is_nullcmd(call: &Call, command: &Command) -> bool {
    matches!(call.name(), "cat" | "more" | "pager")
        && call.args.is_empty()
        && command.name == *""
        && command.text.contains(['<', '>'])
}

/// Returns whether `args` is what `words` can become: known words are equal, an unknown one is one argument, or any
/// number.
fn args_match(words: &[Word], args: &[String]) -> bool {
    // Positions in `args` that the words so far can end at; a search that branches would take too long for many globs.
    let mut ends = vec![false; args.len() + 1];
    ends[0] = true;
    for word in words {
        let mut next = vec![false; args.len() + 1];
        for at in (0..=args.len()).filter(|at| ends[*at]) {
            match word {
                Word::Known(text) => {
                    if args.get(at) == Some(text) {
                        next[at + 1] = true;
                    }
                }
                Word::Unknown { prefix, many, .. } => {
                    let starts = args.get(at).is_some_and(|arg| arg.starts_with(prefix.as_str()));
                    if *many {
                        next[at] = true;
                        if starts {
                            next[at + 1..].fill(true);
                        }
                    } else if starts {
                        next[at + 1] = true;
                    }
                }
            }
        }
        ends = next;
    }
    ends[args.len()]
}

/// The list, one command a line.
pub fn show(list: &[Command]) -> String {
    list.iter()
        .map(|command| {
            format!(
                "    {} {:?}\n",
                show_word(&command.name),
                command.args.iter().map(show_word).collect::<Vec<_>>()
            )
        })
        .collect()
}

fn show_word(word: &Word) -> String {
    match word {
        Word::Known(text) => text.clone(),
        Word::Unknown { text, many, .. } => format!("<{}{text}>", if *many { "*" } else { "" }),
    }
}
