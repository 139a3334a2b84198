//! What the model is told when a held command failed at what holds it: nothing of ours is left in the process that could
//! say so, so the result is looked through. Not here: what holds (`snaphook hold`), and the line of a held command
//! (`holder`).

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use snaphook::{Hold, HoldProfile, printable};

/// The longest line of a result that is quoted, in bytes.
const MAX_QUOTED: usize = 200;

/// The kinds of walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wall {
    /// A file that cannot be written.
    Files,
    /// The network.
    Net,
}

/// Messages of the system for what a wall answers, as the C library and common programs write them. The first is only
/// given by a file system that is read-only; the others have many causes, so their line has to name a guarded path.
const READ_ONLY: [&str; 3] = ["Read-only file system", "EROFS", "read-only file system"];
const REFUSED: [&str; 9] = [
    "Permission denied",
    "permission denied",
    "EACCES",
    "Operation not permitted",
    "EPERM",
    "Device or resource busy",
    "EBUSY",
    "Invalid cross-device link",
    "EXDEV",
];
const NO_NETWORK: [&str; 10] = [
    "Network is unreachable",
    "ENETUNREACH",
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Name or service not known",
    "EAI_AGAIN",
    "ENOTFOUND",
    "Couldn't connect to server",
    "Connection refused",
    "ECONNREFUSED",
];

/// Returns what to say about the result of a command that was held like this, if a line of it looks like a wall.
/// `guarded` finds the paths that cannot be written beside those of the directive; it is asked where a line needs it.
pub(crate) fn note(hold: &Hold, guarded: impl FnOnce() -> Vec<PathBuf>, result: &str) -> Option<String> {
    let guarded = LazyCell::new(guarded);
    let names_guarded = |line: &str| names_guarded(hold, &guarded, line);
    let (line, wall) = result.lines().find_map(|line| Some((line, wall(hold, names_guarded, line)?)))?;
    let line = line.trim();
    let cut = line.floor_char_boundary(MAX_QUOTED.min(line.len()));
    let line = printable(line.get(..cut).unwrap_or_default());
    let why = match wall {
        Wall::Files => "a file that this command may not touch. Do without that, or ask the person to do it",
        Wall::Net => "the network, which this command may not reach. Do without it, or ask the person",
    };
    Some(format!(
        "snaphook ran this command held by the kernel ({}). \"{line}\" comes from that: {why}.",
        named(hold)
    ))
}

fn wall(hold: &Hold, names_guarded: impl Fn(&str) -> bool, line: &str) -> Option<Wall> {
    let has = |messages: &[&str]| messages.iter().any(|message| line.contains(message));
    let holds_net =
        hold.net.is_some() || hold.profile.iter().flatten().any(|one| *one == HoldProfile::Offline);
    match () {
        () if has(&READ_ONLY) => Some(Wall::Files),
        () if holds_net && has(&NO_NETWORK) => Some(Wall::Net),
        () if has(&REFUSED) && names_guarded(line) => Some(Wall::Files),
        () => None,
    }
}

/// Returns whether a line names a guarded path: whole, or by its last two names, or by a last one that begins with a dot.
fn names_guarded<F: FnOnce() -> Vec<PathBuf>>(
    hold: &Hold,
    guarded: &LazyCell<Vec<PathBuf>, F>,
    line: &str,
) -> bool {
    let mut denied = [&hold.deny_write, &hold.deny_read].into_iter().flatten().flatten();
    let walls =
        hold.only_write.is_some() || hold.profile.iter().flatten().any(|one| *one == HoldProfile::Project);
    let names = |path: &str| !path.is_empty() && line.contains(path);
    walls || denied.any(|path| names(&path.path)) || guarded.iter().any(|path| names(&last_names(path)))
}

fn last_names(path: &Path) -> String {
    let mut names: Vec<_> = path.iter().rev().take(2).map(|name| name.to_string_lossy()).collect();
    if names.first().is_some_and(|last| last.starts_with('.')) {
        names.truncate(1);
    }
    names.reverse();
    names.join("/")
}

fn named(hold: &Hold) -> String {
    let mut directive = hold.clone();
    let profiles: Vec<_> = directive.profile.take().into_iter().flatten().map(|one| one.as_str()).collect();
    let mut parts = Vec::new();
    if !profiles.is_empty() {
        parts.push(format!("profile {}", profiles.join(", ")));
    }
    if !directive.is_empty() {
        parts.push(format!("policy {}", directive.to_json()));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_wall_is_told_from_other_failures() {
        let guarded = || ["/home/ada/.claude/settings.json", "/home/ada/.bashrc"].map(PathBuf::from).to_vec();
        let profile = |name: &str| json!({ "profile": name });
        for (hold, result, expected) in [
            (
                profile("guarded"),
                "ok\nsh: 1: cannot create x: Read-only file system\n",
                Some("may not touch"),
            ),
            (
                profile("guarded"),
                "mv: cannot move '.claude/settings.json': Device or resource busy",
                Some("may not touch"),
            ),
            (
                profile("guarded"),
                "mv: cannot remove '.bashrc': Device or resource busy",
                Some("may not touch"),
            ),
            (profile("guarded"), "mv: cannot remove 'settings.json': Device or resource busy", None),
            (profile("guarded"), "cat: /etc/shadow: Permission denied", None),
            (profile("guarded"), "all tests passed", None),
            (profile("guarded"), "curl: (6) Could not resolve host: x.org", None),
            (profile("offline"), "curl: (6) Could not resolve host: x.org", Some("the network")),
            (profile("project"), "touch: cannot touch '/opt/x': Permission denied", Some("may not touch")),
            (
                json!({"deny_write": ["build"]}),
                "PermissionError: [Errno 13] Permission denied: 'build'",
                Some("may not touch"),
            ),
            (json!({"net": ["a.org"]}), "Error: getaddrinfo ENOTFOUND b.org", Some("the network")),
        ] as [(Value, &str, Option<&str>); 11]
        {
            let said = note(&Hold::parse(&hold).unwrap(), guarded, result);
            assert_eq!(said.is_some(), expected.is_some(), "{result}: {said:?}");
            assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{result}");
        }
    }

    #[test]
    fn what_is_said_names_the_line_and_what_holds() {
        let hold = Hold::parse(&json!({"profile": "guarded", "net": "none"})).unwrap();
        assert_eq!(
            note(&hold, Vec::new, "x\n  rm: cannot remove 'a': Read-only file system\u{1b}[0m\n").unwrap(),
            "snaphook ran this command held by the kernel (profile guarded; policy {\"net\":\"none\"}). \"rm: cannot \
             remove 'a': Read-only file system\\u{1b}[0m\" comes from that: a file that this command may not touch. Do \
             without that, or ask the person to do it."
        );
    }
}
