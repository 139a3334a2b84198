//! Errors of scripts as the host wants them: what happened, where in the user's own file, and the calls that led there.

use std::path::PathBuf;

use rhai::{Dynamic, EvalAltResult, ParseErrorType, Position};
use snaphook_core::{Location, nearest};
use snaphook_script::kit::{MAX_TEXT_BYTES, ScriptError, bounded, call_stack, no_such};

use crate::bindings::{members, no_method};
use crate::convert;
use crate::event;
use crate::hints;
use crate::plain;

/// Reads an error. `file` is where the script's outermost code stands.
pub(crate) fn read(error: &EvalAltResult, file: &str) -> ScriptError {
    let mut frames = Vec::new();
    let mut file = PathBuf::from(file);
    let mut function = String::new();
    let mut inner = error;
    loop {
        let at = inner.position();
        match inner {
            EvalAltResult::ErrorInFunctionCall(name, source, cause, _) => {
                frames.push((location(&file, at), function));
                function =
                    if name.contains('$') { "a closure".to_owned() } else { format!("function {name}") };
                if !source.is_empty() {
                    file = PathBuf::from(source);
                }
                inner = cause;
            }
            EvalAltResult::ErrorInModule(path, cause, _) => {
                frames.push((location(&file, at), function));
                function = "a module".to_owned();
                file = PathBuf::from(path);
                inner = cause;
            }
            _ => {
                frames.push((location(&file, at), function));
                break;
            }
        }
    }
    let shown: Vec<String> = frames
        .iter()
        .rev()
        .filter_map(|(place, function)| {
            let place = place.as_ref()?;
            Some(if function.is_empty() { place.to_string() } else { format!("{place}: in {function}") })
        })
        .collect();
    // The innermost place that has a line: Rhai loses some.
    let location = frames.iter().rev().find_map(|(place, _)| place.clone());
    let mut message = bounded(message(inner));
    let is_thrown = matches!(inner, EvalAltResult::ErrorRuntime(..));
    if let Some(remedy) = hints::running(&message).filter(|_| !is_thrown) {
        message = format!("{message}; {remedy}");
    }
    let traceback = (shown.len() > 1).then(|| call_stack(&shown));
    ScriptError { message, location, traceback, is_memory: false }
}

fn location(file: &std::path::Path, at: Position) -> Option<Location> {
    let line = at.line().and_then(|line| u32::try_from(line).ok())?;
    Some(Location { file: file.to_owned(), line: Some(line) })
}

fn message(error: &EvalAltResult) -> String {
    match error {
        EvalAltResult::ErrorRuntime(thrown, _) => thrown_text(thrown),
        EvalAltResult::ErrorVariableNotFound(name, _) => no_variable(name),
        EvalAltResult::ErrorParsing(error, _) => parsing(error),
        EvalAltResult::ErrorModuleNotFound(path, _) => no_member(path).unwrap_or_else(|| no_module(path)),
        EvalAltResult::ErrorFunctionNotFound(signature, _) => no_function(signature),
        EvalAltResult::ErrorStackOverflow(_) => "stack overflow: the calls are nested too deeply".to_owned(),
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            format!("too large: {} is over its limit", lower_first(what))
        }
        EvalAltResult::ErrorDataRace(..) => {
            "a variable that closures share was changed while it was in use".to_owned()
        }
        EvalAltResult::ErrorDotExpr(text, _) if text.contains("setter") => read_only_message(text),
        EvalAltResult::ErrorTerminated(..) => "the script was stopped".to_owned(),
        other => {
            let text = other.to_string();
            lower_first(text.rsplit_once(" (line ").map_or(text.as_str(), |(text, _)| text))
        }
    }
}

/// The compiler's message, without its place.
pub(crate) fn parsing(error: &ParseErrorType) -> String {
    match error {
        ParseErrorType::VariableUndefined(name) => no_variable(name),
        ParseErrorType::ModuleUndefined(name) => no_module(name),
        ParseErrorType::Reserved(word) => match hints::absent(word) {
            Some(remedy) => format!("\"{word}\" means nothing in Rhai: {remedy}"),
            None => lower_first(&error.to_string()),
        },
        error => lower_first(&error.to_string()),
    }
}

fn no_module(name: &str) -> String {
    format!("there is no module \"{name}\" here: hooks have `snaphook`, and what they `import`")
}

/// The message of what a script threw: a text itself, and so is a map's `message`; anything else in JSON.
fn thrown_text(thrown: &Dynamic) -> String {
    if let Ok(text) = thrown.as_immutable_string_ref() {
        return text.to_string();
    }
    let message = thrown.as_map_ref().ok().and_then(|map| map.get("message").cloned());
    if let Some(text) = message.and_then(|text| text.into_immutable_string().ok()) {
        return text.to_string();
    }
    match convert::to_json(thrown, MAX_TEXT_BYTES, plain::FORMS) {
        Ok(serde_json::Value::Null) => "an error without a message".to_owned(),
        Ok(json) => json.to_string(),
        Err(_) => format!("a {} was thrown", thrown.type_name()),
    }
}

fn no_variable(name: &str) -> String {
    let hint = hints::absent(name).map(|remedy| format!(": {remedy}")).unwrap_or_default();
    match no_member(name) {
        Some(text) => text,
        None => format!("there is no variable \"{name}\" here{hint}"),
    }
}

/// The message about a property that cannot be set, from Rhai's: `… 'name' …`.
fn read_only_message(text: &str) -> String {
    let name = text.split('\'').nth(1).unwrap_or("it");
    let why = "what the host gives cannot be changed; ctx.state and ctx.store have set(key, value)";
    format!("attempt to set `{name}` ({why})")
}

fn no_function(signature: &str) -> String {
    // How Rhai calls a text that was written out.
    let signature = &signature.replace("&str | ImmutableString | String", "string");
    let (name, types) = signature.split_once(" (").unwrap_or((signature, ")"));
    let mut types = types.trim_end_matches(')').split(", ").filter(|name| !name.is_empty());
    let mut members = members();
    members.push(("event", event::METHODS.to_vec()));
    // A method of an object of the host.
    let this = types.next();
    if let Some(text) = this.and_then(|this| no_method(this, name)) {
        return text;
    }
    if let Some((object, names)) = this.and_then(|this| members.iter().find(|(object, _)| *object == this)) {
        let count = types.count();
        let plural = if count == 1 { "" } else { "s" };
        return if names.contains(&name) {
            format!("{object}.{name} does not take {count} argument{plural}")
        } else {
            no_such(object, name, names)
        };
    }
    let remedy = hints::absent(name).map(|remedy| format!("; {remedy}")).unwrap_or_default();
    no_member(name).unwrap_or_else(|| format!("there is no function {}{remedy}", signature.trim()))
}

/// The error of a name below `snaphook` that is not there.
fn no_member(path: &str) -> Option<String> {
    let dotted = path.replace("::", ".");
    let objects = members();
    // The deepest part that is there.
    let (mut object, mut rest) = ("snaphook", dotted.strip_prefix("snaphook.")?);
    if let Some((part, more)) = rest.split_once('.')
        && let Some((known, _)) =
            objects.iter().find(|(name, _)| name.strip_prefix("snaphook.") == Some(part))
    {
        (object, rest) = (known, more);
    }
    let names = &objects.iter().find(|(name, _)| *name == object)?.1;
    let wanted = rest.split('.').next()?;
    if names.contains(&wanted) {
        return Some(format!("{} does not take these arguments", path));
    }
    let shown = object.replace('.', "::");
    let hint = nearest(wanted, names.iter().copied());
    let hint = hint.map(|near| format!("; did you mean {shown}::{near}?")).unwrap_or_default();
    Some(format!("{shown} has no `{wanted}`{hint} (it has {})", names.join(", ")))
}

/// Rhai begins its messages with a capital letter; those of snaphook are parts of a line.
fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
