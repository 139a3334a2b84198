//! A list in JSON: which of its servers are changed, and the text of the whole file then. Not here: reading and writing it.

use super::error::ListError;
use super::server::{self, Edit, apply};
use super::servers::{parse, servers};
use super::{Direction, ServerOutcome, ServerReport};
use crate::EditError;

/// Returns the text with the servers of these names changed, all if there are none, and the outcome for each.
pub(super) fn changed(
    text: &str,
    direction: Direction<'_>,
    names: &[String],
) -> Result<(String, Vec<ServerReport>), ListError> {
    // Some editors put a byte order mark in front.
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let root = parse(text)?;
    let servers = servers(text, &root)?;
    let all: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
    check_names(names, &all)?;
    let mut edits: Vec<Edit> = Vec::new();
    let mut reports: Vec<ServerReport> = Vec::new();
    for server in servers.iter().filter(|server| names.is_empty() || names.contains(&server.name)) {
        let gated = server::gated(text, server);
        let (outcome, new) = match (direction, &gated) {
            (Direction::Wrap(program), Some(gated)) if gated.is_lost(program) => {
                (ServerOutcome::Moved, Ok(vec![gated.moved(program)]))
            }
            (Direction::Wrap(_), Some(_)) => (ServerOutcome::Already, Ok(Vec::new())),
            (Direction::Wrap(program), None) => (ServerOutcome::Wrapped, server::wrap(text, server, program)),
            (Direction::Unwrap, Some(gated)) => (ServerOutcome::Unwrapped, server::unwrap(text, gated)),
            (Direction::Unwrap, None) => (ServerOutcome::Never, Ok(Vec::new())),
        };
        let outcome = match new {
            Ok(mut new) => {
                edits.append(&mut new);
                outcome
            }
            Err(fault) => ServerOutcome::Left(fault),
        };
        reports.push(ServerReport { list: server.list.clone(), name: server.name.clone(), outcome });
    }
    let after = apply(text, edits);
    // What we write, we can read, and it is what was meant.
    let root = parse(&after)?;
    for server in self::servers(&after, &root)? {
        let is_gated = server::gated(&after, &server).is_some();
        let meant = reports.iter().find(|report| report.list == server.list && report.name == server.name);
        let is_meant = match meant.map(|report| &report.outcome) {
            Some(ServerOutcome::Wrapped | ServerOutcome::Already | ServerOutcome::Moved) => is_gated,
            Some(ServerOutcome::Unwrapped | ServerOutcome::Never) => !is_gated,
            Some(ServerOutcome::Left(_)) | None => true,
        };
        if !is_meant {
            return Err(ListError { line: None, source: EditError::Server(server.name) });
        }
    }
    Ok((format!("{mark}{after}"), reports))
}

/// Checks that each of these servers is there.
pub(super) fn check_names(names: &[String], all: &[String]) -> Result<(), ListError> {
    let Some(name) = names.iter().find(|name| !all.contains(name)) else { return Ok(()) };
    let nearest = snaphook::nearest(name, all.iter().map(String::as_str)).map(str::to_owned);
    Err(ListError { line: None, source: EditError::UnknownServer { name: name.clone(), nearest } })
}

#[cfg(test)]
#[path = "json_list_tests.rs"]
mod tests;
