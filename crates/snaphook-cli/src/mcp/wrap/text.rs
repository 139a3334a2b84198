//! A whole file: which of its servers are changed, and what it is then. Not here: reading and writing it.

use jsonc_parser::common::Range;

use super::edit::{self, Edit, apply};
use super::servers::{Odd, parse, servers};

/// The fate of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Done {
    /// It runs behind the gate now.
    Wrapped,
    /// It did before.
    Already,
    /// It did before, by a program that is not there any more.
    Moved,
    /// It does no more.
    Unwrapped,
    /// It did not before.
    Never,
    /// It is as it was, and does not do what was asked.
    Left(String),
}

/// A server and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) list: String,
    pub(super) name: String,
    pub(super) done: Done,
}

/// The direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way<'a> {
    /// Behind the gate, which is this program.
    In(&'a str),
    /// From behind it.
    Out,
}

/// The text with the servers of these names changed, all if there are none, and what became of each.
///
/// # Errors
/// The file is none that can be changed.
pub(super) fn changed(text: &str, way: Way<'_>, names: &[String]) -> Result<(String, Vec<Told>), Odd> {
    // Some editors put a byte order mark in front.
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let root = parse(text)?;
    let servers = servers(text, &root)?;
    let all: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
    known(names, &all)?;
    let mut edits: Vec<Edit> = Vec::new();
    let mut told = Vec::new();
    for server in servers.iter().filter(|server| names.is_empty() || names.contains(&server.name)) {
        let gated = edit::gated(text, server);
        let (done, new) = match (way, &gated) {
            (Way::In(program), Some(gated)) if gated.is_lost(program) => {
                (Done::Moved, Ok(vec![gated.moved(program)]))
            }
            (Way::In(_), Some(_)) => (Done::Already, Ok(Vec::new())),
            (Way::In(program), None) => (Done::Wrapped, edit::wrap(text, server, program)),
            (Way::Out, Some(gated)) => (Done::Unwrapped, edit::unwrap(text, gated)),
            (Way::Out, None) => (Done::Never, Ok(Vec::new())),
        };
        let done = match new {
            Ok(mut new) => {
                edits.append(&mut new);
                done
            }
            Err(why) => Done::Left(why),
        };
        told.push(Told { list: server.list.clone(), name: server.name.clone(), done });
    }
    let after = apply(text, edits);
    // What we write, we can read, and it is what was meant.
    let all = |odd: Odd| Odd { why: format!("it could not be changed: {}", odd.why), line: None };
    let root = parse(&after).map_err(all)?;
    for server in self::servers(&after, &root).map_err(all)? {
        let is_gated = edit::gated(&after, &server).is_some();
        let meant = told.iter().find(|told| told.list == server.list && told.name == server.name);
        let is_meant = match meant.map(|told| &told.done) {
            Some(Done::Wrapped | Done::Already | Done::Moved) => is_gated,
            Some(Done::Unwrapped | Done::Never) => !is_gated,
            Some(Done::Left(_)) | None => true,
        };
        if !is_meant {
            let why = format!("the server \"{}\" could not be changed", server.name);
            return Err(super::servers::odd(&after, Range::new(0, 0), &why));
        }
    }
    Ok((format!("{mark}{after}"), told))
}

/// Checks that each of these servers is there.
///
/// # Errors
/// One is not; the error has the nearest name.
pub(super) fn known(names: &[String], all: &[String]) -> Result<(), Odd> {
    let Some(name) = names.iter().find(|name| !all.contains(name)) else { return Ok(()) };
    let near = snaphook::nearest(name, all.iter().map(String::as_str));
    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Err(Odd { line: None, why: format!("there is no server \"{name}\" in it{near}") })
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
