//! Lua errors as Snaphook reports them: the message, the line in the user's own file, the call stack without our own
//! frames.

use std::path::PathBuf;

use mlua::Error;
use snaphook_core::{BenchError, Location};
use snaphook_script::kit::{ScriptError, bounded, call_stack};

use crate::hints;

/// Chunks of the host; their frames do not help the author of a hook.
const INTERNAL_CHUNKS: &[&str] = &["[C]", "snaphook", "__mlua", "=snaphook", "[string"];

/// The message of the bench of a test in an error, and where the script was. The message's lines are kept as they are:
/// they are about other places than the test's own.
fn of_bench(error: &Error) -> Option<(&BenchError, Option<&str>)> {
    match error {
        Error::CallbackError { traceback, cause } => {
            of_bench(cause).map(|(error, inner)| (error, inner.or(Some(traceback.as_str()))))
        }
        Error::ExternalError(inner) => inner.downcast_ref().map(|error| (error, None)),
        _ => None,
    }
}

/// Reads an error.
pub(crate) fn read(error: &Error) -> ScriptError {
    if let Some((error, frames)) = of_bench(error) {
        let traceback = frames.map(clean).filter(|frames| !frames.is_empty());
        let location = traceback.as_deref().and_then(|frames| frames.lines().find_map(frame_location));
        return ScriptError { message: error.to_string(), location, traceback, is_memory: false };
    }
    let mut is_memory = false;
    let mut traceback = None;
    let mut text = collect_text(error, &mut is_memory, &mut traceback);
    if let Some(at) = text.find("\nstack traceback:") {
        traceback.get_or_insert_with(|| text[at + 1..].to_owned());
        text.truncate(at);
    }
    // Luau appends bare frames without a heading where an error crossed a coroutine.
    let traceback = traceback.map(|frames| clean(&frames)).filter(|frames| !frames.is_empty());
    let (location, message) = match split_location(&text) {
        Some((location, message)) => (Some(location), message.to_owned()),
        None => {
            let first = traceback.as_deref().and_then(|frames| frames.lines().find_map(frame_location));
            (first, text)
        }
    };
    let mut message = bounded(message.trim_end().to_owned());
    if message == "attempt to modify a readonly table" {
        message.push_str(
            " (what the host gives cannot be changed; ctx.state and ctx.store have set(key, value))",
        );
    }
    if !is_syntax(error)
        && let Some(remedy) = hints::running(&message)
    {
        message = format!("{message}; {remedy}");
    }
    ScriptError { message, location, traceback, is_memory }
}

/// Adds what is written instead, by the line of the source that the compiler got stuck in. It knows only that.
pub(crate) fn explain(read: &mut ScriptError, error: &Error, source: &str) {
    let line = read.location.as_ref().and_then(|place| place.line).filter(|_| is_syntax(error));
    let line = line.and_then(|line| usize::try_from(line).ok());
    if let Some(remedy) = line.and_then(|line| hints::syntax(&read.message, source, line)) {
        read.message = format!("{}; {remedy}", read.message);
    }
}

fn is_syntax(error: &Error) -> bool {
    match error {
        Error::CallbackError { cause, .. } => is_syntax(cause),
        Error::SyntaxError { .. } => true,
        _ => false,
    }
}

/// The host function in the innermost named frame of a call stack.
fn function_of(frames: &str) -> Option<&str> {
    let names = frames.lines().filter_map(|frame| {
        let (_, name) = frame.trim().strip_prefix("[C]")?.split_once("in function '")?;
        name.split_once('\'').map(|(name, _)| name)
    });
    names.into_iter().find(|name| *name != "host")
}

fn collect_text(error: &Error, is_memory: &mut bool, traceback: &mut Option<String>) -> String {
    match error {
        Error::CallbackError { traceback: frames, cause } => {
            traceback.get_or_insert_with(|| frames.clone());
            let text = collect_text(cause, is_memory, traceback);
            // Of a function that takes any number of values.
            match function_of(frames).filter(|_| matches!(**cause, Error::FromLuaConversionError { .. })) {
                Some(function) => format!("bad argument to {function}: {text}"),
                None => text,
            }
        }
        Error::MemoryError(_) => {
            *is_memory = true;
            "the memory limit is reached".to_owned()
        }
        Error::RuntimeError(text) | Error::SyntaxError { message: text, .. } => {
            *is_memory |= text.starts_with("not enough memory");
            text.clone()
        }
        Error::BadArgument { to, pos, name, cause } => {
            let function = to.as_deref().or_else(|| traceback.as_deref().and_then(function_of));
            let function = function.unwrap_or("the function").to_owned();
            let name = name.as_deref().map(|name| format!(" (`{name}`)")).unwrap_or_default();
            let text = format!(
                "bad argument {pos}{name} to {function}: {}",
                collect_text(cause, is_memory, traceback)
            );
            // What a colon passes as the first argument is the object itself.
            let colon = *pos == 1 && text.ends_with("got table");
            match hints::usage(&function) {
                Some(usage) => format!("{text}; {usage}"),
                None if colon => format!("{text}; if it was called with a colon, write a dot"),
                None => text,
            }
        }
        Error::FromLuaConversionError { from, to, message } => {
            let wanted = plain_type(to);
            let detail = message.as_deref().filter(|text| !text.starts_with("expected"));
            let detail = detail.map(|text| format!(": {text}")).unwrap_or_default();
            format!("expected {wanted}, got {from}{detail}")
        }
        Error::ExternalError(inner) => inner.to_string(),
        other => other.to_string(),
    }
}

/// mlua names Rust types; authors of hooks know Lua's.
fn plain_type(name: &str) -> &str {
    match name {
        "String" | "LuaString" | "string" => "a string",
        "table" | "Table" => "a table",
        "function" | "Function" => "a function",
        "f64" | "number" | "i64" | "usize" | "u64" => "a number",
        "bool" | "boolean" => "a boolean",
        other => other,
    }
}

/// Splits `path/guard.lua:12: message`.
fn split_location(text: &str) -> Option<(Location, &str)> {
    // The path may hold colons itself: look for the first `:digits: `.
    let mut from = 0;
    loop {
        let at = from + text[from..].find(':')?;
        let rest = &text[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && rest[digits..].starts_with(": ") && !text[..at].contains('\n') {
            let file = &text[..at];
            if INTERNAL_CHUNKS.iter().any(|ours| file.starts_with(ours)) {
                return None;
            }
            let line = rest[..digits].parse().ok()?;
            return Some((Location { file: PathBuf::from(file), line: Some(line) }, &rest[digits + 2..]));
        }
        from = at + 1;
    }
}

/// `path/guard.lua:12: in function <path/guard.lua:10>`, or Luau's own `path/guard.lua:12 function f`.
fn frame_location(frame: &str) -> Option<Location> {
    let place = frame.trim().split(": in ").next()?.split(" function ").next()?;
    let (file, line) = place.rsplit_once(':')?;
    Some(Location { file: PathBuf::from(file), line: Some(line.parse().ok()?) })
}

fn clean(frames: &str) -> String {
    let foreign = |line: &&str| {
        let line = line.trim();
        !line.is_empty()
            && line != "stack traceback:"
            && !INTERNAL_CHUNKS.iter().any(|ours| line.starts_with(ours))
    };
    call_stack(frames.lines().filter(foreign).map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read_from_messages() {
        let read =
            |text: &str| split_location(text).map(|(place, message)| (place.to_string(), message.to_owned()));
        assert_eq!(read("guard.lua:5: boom"), Some(("guard.lua:5".into(), "boom".into())));
        assert_eq!(read("a:b/guard.lua:5: x: 7: y"), Some(("a:b/guard.lua:5".into(), "x: 7: y".into())));
        assert_eq!(read("snaphook:5: boom"), None);
        assert_eq!(read("no place at all"), None);
        assert_eq!(
            frame_location("guard.lua:12 function f").map(|l| l.to_string()),
            Some("guard.lua:12".into())
        );
        let frame = "\tguard.lua:12: in function <guard.lua:10>";
        assert_eq!(frame_location(frame).map(|l| l.to_string()), Some("guard.lua:12".into()));
        assert_eq!(frame_location("guard.lua:12").map(|l| l.to_string()), Some("guard.lua:12".into()));
    }
}
