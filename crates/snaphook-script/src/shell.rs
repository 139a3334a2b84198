//! The options of `snaphook.shell.commands`, the fields of what it gives, and the dialect of a tool call. Not here: reading a text
//! (`snaphook-shell`).

use snaphook_core::ToolCall;
use snaphook_shell::Dialect;

use crate::options::OptionError;

/// The fields of a command.
pub const COMMAND: &[&str] = &[
    "name",
    "path",
    "args",
    "assignments",
    "redirects",
    "via",
    "dynamic",
    "opaque",
    "text",
    "line",
    "column",
];
/// The method of a command.
pub const HAS_FLAGS: &str = "has_flags";
/// The fields of a redirect.
pub const REDIRECT: &[&str] = &["target", "read", "write", "append", "fd"];
/// The fields of `cmd.opaque`.
pub const OPAQUE: &[&str] = &["kind", "language", "code", "file", "written"];
/// The fields of a word whose value is not known.
pub const UNKNOWN: &[&str] = &["unknown", "text", "prefix", "many"];

/// The one option.
const OPTIONS: [&str; 1] = ["shell"];

/// Returns the dialect that the options of `commands` name; without options bash's.
///
/// `options` are their names and their values, `None` for a value that is no text.
///
/// # Errors
/// An unknown option, or a shell that is neither `bash` nor `sh`.
pub fn dialect<Name: AsRef<str>, Text: AsRef<str>>(
    function: &str,
    options: impl IntoIterator<Item = (Name, Option<Text>)>,
) -> Result<Dialect, OptionError> {
    let mut dialect = Dialect::default();
    for (name, value) in options {
        let name = name.as_ref();
        if !OPTIONS.contains(&name) {
            return Err(OptionError::unknown(function, name, &OPTIONS));
        }
        let shell = value.as_ref().map(AsRef::as_ref);
        dialect = shell.and_then(named).ok_or_else(|| {
            let found = shell.map_or("another kind of value".to_owned(), |shell| format!("\"{shell}\""));
            OptionError::Shell { function: function.to_owned(), found }
        })?;
    }
    Ok(dialect)
}

fn named(shell: &str) -> Option<Dialect> {
    match shell {
        "bash" => Some(Dialect::Bash),
        "sh" => Some(Dialect::Sh),
        _ => None,
    }
}

/// Returns the dialect in which the command line of this call is read.
#[must_use]
pub fn of_call(call: &ToolCall) -> Dialect {
    named(call.shell()).unwrap_or_default()
}
