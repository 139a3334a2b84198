//! The session's own commands: lines that begin with `/`. Not here: doing what they want (`person`).

/// A command.
#[derive(Debug)]
pub(super) struct CommandInfo {
    pub(super) name: &'static str,
    /// The words that it takes.
    pub(super) words: &'static str,
    pub(super) about: &'static str,
}

const fn info(name: &'static str, words: &'static str, about: &'static str) -> CommandInfo {
    CommandInfo { name, words, about }
}

/// Every command.
pub(super) const COMMANDS: &[CommandInfo] = &[
    info("help", "", "This list"),
    info("show", "N", "All of result N; without a number the newest"),
    info("hooks", "", "The hooks in force, and problems with them"),
    info("reload", "", "Load the hooks anew"),
    info("audit", "N", "The last N decisions of this session; 10 without a number"),
    info("model", "PROVIDER/NAME", "Ask another model from now on; without a name the one that is asked"),
    info("compact", "", "Put a summary in place of the conversation"),
    info("clear", "", "Begin the conversation anew"),
    info("quit", "", "Leave; so do Ctrl-D, and Ctrl-C twice"),
];

/// A command as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Show(Option<usize>),
    Hooks,
    Reload,
    Audit(usize),
    Model(Option<String>),
    Compact,
    Clear,
    Quit,
}

/// A line that is no command, though it looks like one; which it could be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum WrongCommand {
    #[error("/{name} takes a number, not {given}")]
    NotANumber { name: String, given: String },
    #[error("/{0} takes nothing behind it")]
    TakesNothing(String),
    #[error("there is no command /{name}{} (/help lists them)", near.map(|near| format!("; did you mean /{near}?")).unwrap_or_default())]
    Unknown { name: String, near: Option<&'static str> },
}

/// The number of decisions that `/audit` shows.
const AUDIT_LINES: usize = 10;

/// Reads a line; `None` where it is a prompt. A path at the beginning is no command.
///
/// # Errors
/// There is no such command, or it has words that it does not take.
pub(super) fn parse(line: &str) -> Option<Result<Command, WrongCommand>> {
    let line = line.trim();
    let words = line.strip_prefix('/')?;
    let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let rest = rest.trim();
    if !name.chars().all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    let number = |none: Option<usize>| match (rest, none) {
        ("", none) => Ok(none),
        (rest, _) => rest
            .parse()
            .map(Some)
            .map_err(|_| WrongCommand::NotANumber { name: name.to_owned(), given: rest.to_owned() }),
    };
    let alone = |command: Command| match rest {
        "" => Ok(command),
        _ => Err(WrongCommand::TakesNothing(name.to_owned())),
    };
    Some(match name {
        "help" | "" => alone(Command::Help),
        "show" => number(None).map(Command::Show),
        "hooks" => alone(Command::Hooks),
        "reload" => alone(Command::Reload),
        "audit" => number(Some(AUDIT_LINES)).map(|lines| Command::Audit(lines.unwrap_or(AUDIT_LINES))),
        "model" => Ok(Command::Model((!rest.is_empty()).then(|| rest.to_owned()))),
        "compact" => alone(Command::Compact),
        "clear" => alone(Command::Clear),
        "quit" | "exit" => alone(Command::Quit),
        other => {
            let names = COMMANDS.iter().map(|command| command.name);
            Err(WrongCommand::Unknown { name: other.to_owned(), near: snaphook_core::nearest(other, names) })
        }
    })
}

/// The list for `/help`.
pub(super) fn help() -> String {
    let lines = COMMANDS.iter().map(|command| {
        format!("  {:<22} {}\n", format!("/{} {}", command.name, command.words), command.about)
    });
    lines.collect::<String>()
        + "  Ctrl-C ends what the agent does. What you type meanwhile is the next prompt; Tab completes commands and files.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_prompts() {
        for (line, command) in [
            ("/help", Command::Help),
            ("/", Command::Help),
            (" /show 3 ", Command::Show(Some(3))),
            ("/show", Command::Show(None)),
            ("/audit", Command::Audit(10)),
            ("/audit 2", Command::Audit(2)),
            ("/model a/b", Command::Model(Some("a/b".to_owned()))),
            ("/exit", Command::Quit),
        ] {
            assert_eq!(parse(line), Some(Ok(command)), "{line}");
        }
        for prompt in ["hello", "/etc/hosts is wrong", "/tmp/x", "say /help", "//x", "/Users"] {
            assert_eq!(parse(prompt), None, "{prompt}");
        }
        for (wrong, error) in [
            ("/hlep", "there is no command /hlep; did you mean /help? (/help lists them)"),
            ("/show me", "/show takes a number, not me"),
            ("/quit now", "/quit takes nothing behind it"),
        ] {
            assert_eq!(parse(wrong).unwrap().unwrap_err().to_string(), error, "{wrong}");
        }
    }
}
