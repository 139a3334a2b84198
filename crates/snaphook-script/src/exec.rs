//! `ctx.exec`: what scripts write for a process, and the message about a command line that stands for a program. Not here:
//! running it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{
    CallContext, ExecRequest, HookRef, Notation, PendingReply, ServiceError, ServiceTask, Services,
};

use crate::options::{self, OptionError};

/// The fields of the result.
pub const RESULT_FIELDS: &[&str] = &["stdout", "stderr", "code", "signal", "timed_out", "truncated"];
/// The name of one in messages.
pub const RESULT_NAME: &str = "the result of ctx.exec";

const OPTIONS: &[&str] = &["timeout", "cwd", "env", "stdin"];

/// A request to run `program`; without arguments and options where a script gave none.
///
/// # Errors
/// Arguments that are no list of texts; an option that `ctx.exec` does not have, or of a wrong type.
pub fn request(
    program: String,
    arguments: Option<Value>,
    options: Option<Value>,
    notation: Notation,
) -> Result<ExecRequest, OptionError> {
    let mut request = ExecRequest { program, ..ExecRequest::default() };
    if let Some(list) = arguments {
        let wrong = || OptionError::Arguments(notation.texts(["status", "--short"]));
        request.args = match list {
            Value::Array(items) => {
                items.iter().map(options::word).collect::<Option<_>>().ok_or_else(wrong)?
            }
            // An empty table of Lua.
            Value::Object(map) if map.is_empty() && notation == Notation::Lua => Vec::new(),
            _ => return Err(wrong()),
        };
    }
    match options {
        None => {}
        Some(Value::Object(map)) => {
            for (name, value) in map {
                set(&mut request, name, value, notation)?;
            }
        }
        Some(_) if notation == Notation::Lua => {
            return Err(OptionError::NotAMap("a table with named fields"));
        }
        Some(_) => return Err(OptionError::NotAMap("a map")),
    }
    Ok(request)
}

fn set(request: &mut ExecRequest, name: String, value: Value, notation: Notation) -> Result<(), OptionError> {
    let expected = match name.as_str() {
        "timeout" => {
            request.timeout = options::timeout(&value);
            request.timeout.is_none().then_some(options::TIMEOUT)
        }
        "cwd" => {
            request.cwd = value.as_str().map(Into::into);
            request.cwd.is_none().then_some("a path")
        }
        "stdin" => {
            request.stdin = value.as_str().map(str::to_owned);
            request.stdin.is_none().then_some("text")
        }
        "env" => match environment(&value) {
            Some(variables) => {
                request.env = variables;
                None
            }
            None if notation == Notation::Lua => Some("a table of texts"),
            None => Some("a map of texts"),
        },
        other => return Err(OptionError::unknown("ctx.exec", other, OPTIONS)),
    };
    match expected {
        None => Ok(()),
        Some(expected) => Err(OptionError::WrongType {
            function: "ctx.exec".to_owned(),
            name,
            expected,
            found: Box::new(value),
        }),
    }
}

fn environment(value: &Value) -> Option<BTreeMap<String, String>> {
    value.as_object()?.iter().map(|(name, value)| Some((name.clone(), options::word(value)?))).collect()
}

/// Runs the process.
pub fn run(
    services: &dyn Services,
    hook: &HookRef,
    call: &Arc<CallContext>,
    request: ExecRequest,
    notation: Notation,
) -> PendingReply {
    let (program, has_arguments) = (request.program.clone(), !request.args.is_empty());
    let output = services.begin(hook, call, ServiceTask::Exec(request));
    Box::pin(async move {
        output.await.map_err(|error| ServiceError(failure(&program, has_arguments, &error.0, notation)))
    })
}

/// The signs that mean something to a shell only.
const SHELL_CHARACTERS: [char; 12] = ['|', '&', ';', '<', '>', '$', '`', '*', '?', '"', '\'', '~'];

/// The failure of a program whose name has a space, so that it is probably a command line: with what to write. A name
/// without a folder is surely one; of a path the original failure is kept.
fn failure(program: &str, has_arguments: bool, failure: &str, notation: Notation) -> String {
    let mut words = program.split_whitespace();
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return failure.to_owned() };
    if has_arguments && first.contains(['/', '\\']) {
        return failure.to_owned();
    }
    let call = if program.contains(SHELL_CHARACTERS) {
        format!("ctx.exec(\"sh\", {})", notation.texts(["-c", program]))
    } else {
        let arguments = std::iter::once(second).chain(words);
        format!("ctx.exec({first:?}, {})", notation.texts(arguments))
    };
    let said = format!("ctx.exec takes a program and its arguments, not a command line: write {call}");
    if first.contains(['/', '\\']) { format!("{failure}; {said}") } else { said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_told_apart() {
        let not_a_line = "ctx.exec takes a program and its arguments, not a command line: write";
        for (program, has_arguments, notation, expected) in [
            ("git", false, Notation::Lua, "it is not there".to_owned()),
            ("/opt/my tools/run", true, Notation::Lua, "it is not there".to_owned()),
            (
                "git status --short",
                false,
                Notation::Lua,
                format!("{not_a_line} ctx.exec(\"git\", {{ \"status\", \"--short\" }})"),
            ),
            ("git status", true, Notation::Rhai, format!("{not_a_line} ctx.exec(\"git\", [\"status\"])")),
            (
                "ls | wc -l",
                false,
                Notation::Rhai,
                format!("{not_a_line} ctx.exec(\"sh\", [\"-c\", \"ls | wc -l\"])"),
            ),
            (
                "./run --fast",
                false,
                Notation::Lua,
                format!("it is not there; {not_a_line} ctx.exec(\"./run\", {{ \"--fast\" }})"),
            ),
        ] {
            assert_eq!(failure(program, has_arguments, "it is not there", notation), expected, "{program}");
        }
    }
}
