//! Commands that reach what is below a folder without naming it: `find`, `fd`, `xargs`, git, what unpacks. Not here: words that
//! name a path, or a pattern for it (`path_pattern`).

use std::path::{Path, PathBuf};

use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Word};

use super::readers::{bundled, bundled_in, runs};
use super::spelling::name_of;
use crate::glob::like;
use crate::path_pattern::{Pattern, Scope};
use crate::places::{Guard, Touch};

/// Returns what such a command reaches that is guarded.
pub(crate) fn look(scope: &Scope<'_>, command: &Command, all: &[Command]) -> Option<(Guard, String)> {
    let name = name_of(command);
    match name.as_str() {
        "find" => {
            let deletes = command.args.iter().any(|arg| arg.known() == Some("-delete"));
            (deletes || runs(command).is_some()).then(|| find(scope, command)).flatten()
        }
        "fd" | "fdfind" => runs(command).and_then(|_| fd(scope, command)),
        _ if is(&name, Role::Compresses) && recursive(command) => {
            let folders = command.args.iter().filter(|arg| !arg.prefix().starts_with('-'));
            folders.into_iter().find_map(|start| below(scope, start, Touch::Tree, &[]))
        }
        "git" => git(scope, command),
        _ if command.via.iter().any(|via| matches!(via.as_str(), "xargs" | "parallel")) => {
            all.iter().find_map(|other| fed(scope, other))
        }
        _ if is(&name, Role::Unpacks) => unpacked(scope, command, &name),
        _ => None,
    }
}

/// Returns whether a program is told to go into folders.
fn recursive(command: &Command) -> bool {
    command.args.iter().any(|arg| {
        let text = arg.prefix();
        text.starts_with("--rec")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R']))
            || arg.known().is_none() && text.is_empty()
    })
}

/// Returns what `find` begins with, links and options of its own left out.
fn starts(command: &Command) -> Vec<Word> {
    let operand = |arg: &&Word| {
        let text = arg.text();
        !(text.starts_with('-') || matches!(text, "(" | "!" | "\\("))
    };
    let first = command
        .args
        .iter()
        .skip_while(|arg| matches!(arg.known(), Some("-H" | "-L" | "-P")) || arg.prefix().starts_with("-O"));
    let starts: Vec<Word> = first.take_while(operand).cloned().collect();
    if starts.is_empty() { vec![Word::Known(".".to_owned())] } else { starts }
}

fn find(scope: &Scope<'_>, command: &Command) -> Option<(Guard, String)> {
    let names = filters(command);
    let program = runs(command).and_then(Word::known).unwrap_or_default();
    let touch = if matches!(program, "chmod" | "chown" | "chgrp") { Touch::Mode } else { Touch::Tree };
    starts(command).iter().find_map(|start| below(scope, start, touch, &names))
}

/// The patterns for names that all which is found has to match, where they stand before what is done with it and nothing offers
/// another way.
fn filters(command: &Command) -> Vec<String> {
    let mut names = Vec::new();
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        match arg.known() {
            Some("-name" | "-iname") => {
                names.extend(args.next().and_then(Word::known).map(str::to_lowercase))
            }
            Some("-path" | "-ipath" | "-wholename") => {
                let last = args.next().and_then(Word::known).unwrap_or("*").to_lowercase();
                names.push(last.trim_end_matches("/*").rsplit('/').next().unwrap_or("*").to_owned());
            }
            Some("-o" | "-or" | "!" | "-not" | "(" | "," | ")") => return Vec::new(),
            Some("-delete" | "-exec" | "-execdir" | "-ok" | "-okdir") => break,
            Some(_) => {}
            None => return Vec::new(),
        }
    }
    // An `-o` behind it offers another way as well.
    let other = command.args.iter().any(|arg| matches!(arg.known(), Some("-o" | "-or" | ",")));
    if other { Vec::new() } else { names }
}

/// Returns whether something guarded lies below, whose path has a name that all the patterns match.
fn below(scope: &Scope<'_>, start: &Word, touch: Touch, names: &[String]) -> Option<(Guard, String)> {
    for pattern in scope.patterns(start) {
        let Some(guard) = scope.guard(&pattern, touch, touch == Touch::Tree) else { continue };
        let may_match = || {
            let inside = scope.guarded_below(&pattern);
            inside.is_empty() || inside.iter().flatten().any(|part| names.iter().all(|name| like(name, part)))
        };
        if names.is_empty() || may_match() {
            return Some((guard, pattern.text().to_owned()));
        }
    }
    None
}

/// `fd` passes over hidden files, where all but a few guarded ones are, unless it is told otherwise.
fn fd(scope: &Scope<'_>, command: &Command) -> Option<(Guard, String)> {
    let hidden = |arg: &Word| {
        let text = arg.text();
        let short = text.starts_with('-') && !text.starts_with("--");
        text.starts_with("--hid")
            || text.starts_with("--unr")
            || text.starts_with("--no-ig")
            || (short && text.contains(['H', 'u']))
            || !matches!(arg, Word::Known(_))
    };
    let named: Vec<Word> =
        command.args.iter().filter(|arg| arg.text().contains(['/', '~', '.'])).cloned().collect();
    if !command.args.iter().any(hidden) && named.is_empty() {
        return None;
    }
    let here = [Word::Known(".".to_owned())];
    named.iter().chain(&here).find_map(|start| below(scope, start, Touch::Tree, &[]))
}

/// The commands that [`fed`] knows.
pub(crate) const FEEDERS: &[&str] = &[
    "find", "ls", "echo", "printf", "grep", "rg", "ag", "ack", "locate", "plocate", "mlocate", "mdfind",
    "fd", "fdfind",
];

/// Finds what is guarded among the names that a command writes for `xargs` or a loop.
pub(crate) fn fed(scope: &Scope<'_>, feeder: &Command) -> Option<(Guard, String)> {
    let name = name_of(feeder);
    let starts_with_all = |letters: &[char]| {
        feeder.args.iter().any(|arg| arg.prefix().starts_with('-') && arg.prefix().contains(letters))
    };
    let folders = || {
        let named: Vec<Word> =
            feeder.args.iter().filter(|arg| !arg.prefix().starts_with('-')).cloned().collect();
        if named.is_empty() { vec![Word::Known(".".to_owned())] } else { named }
    };
    match name.as_str() {
        "find" => find(scope, feeder),
        // Their words are what is fed; that is to be a path by more than its name, or to be guarded itself.
        "echo" | "printf" => folders()
            .iter()
            .filter(|word| {
                !feeder.redirects.iter().any(|one| one.write) && word.text().contains(['/', '~', '.'])
            })
            .find_map(|word| below(scope, word, Touch::Tree, &[])),
        "ls" => {
            let all = starts_with_all(&['a', 'A']);
            let shown = |start: &Word| all || start.known().is_none();
            folders()
                .iter()
                .filter(|start| shown(start))
                .find_map(|start| below(scope, start, Touch::Tree, &[]))
        }
        "grep" | "rg" | "ag" | "ack" if starts_with_all(&['l', 'r', 'R']) => searched(scope, feeder),
        "locate" | "plocate" | "mlocate" | "mdfind" | "fd" | "fdfind" => {
            let parts: Vec<String> = feeder
                .args
                .iter()
                .filter(|arg| !arg.prefix().starts_with('-'))
                .map(|arg| arg.text().trim_matches(['*', '"', '\'', '^', '$', '\\', '/']).to_lowercase())
                .collect();
            let named = |names: &[String]| {
                let path = names.join("/");
                parts.iter().any(|part| !part.is_empty() && path.contains(part.as_str()))
            };
            let is_there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
            let mut all = scope.places.names();
            let (path, _, what) = all.find(|(path, names, _)| named(names) && is_there(path))?;
            Some((Guard::Ask(what), path.to_string_lossy().into_owned()))
        }
        _ => None,
    }
}

/// The longest file that is looked into, in bytes.
const MAX_SEARCHED: u64 = 256 << 10;

/// Finds what is guarded and may have in it what a command looks for in files.
fn searched(scope: &Scope<'_>, feeder: &Command) -> Option<(Guard, String)> {
    let operands: Vec<&Word> = feeder.args.iter().filter(|arg| !arg.prefix().starts_with('-')).collect();
    let inverts = |arg: &Word| {
        let text = arg.prefix();
        text.starts_with("--") || ['v', 'L', 'f', 'e'].iter().any(|letter| bundled_in(text, *letter))
    };
    let sought = operands.first().and_then(|word| word.known()).and_then(certain_words);
    let sought = sought.filter(|_| !feeder.args.iter().any(inverts));
    let here = Word::Known(".".to_owned());
    let starts = if operands.len() > 1 { operands.get(1..)? } else { &[&here][..] };
    for start in starts.iter().flat_map(|start| scope.patterns(start)) {
        let Some(guard) = scope.guard(&start, Touch::Tree, true) else { continue };
        let folders =
            scope.cwds.iter().flatten().map(|cwd| scope.ways.physical(&cwd.join(start.text()), cwd));
        let folders: Vec<PathBuf> = folders.collect();
        let below = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
        let mut files = scope.places.names().map(|(path, ..)| scope.ways.physical(&path, &path)).peekable();
        // What is not below by its path is reached in another way, and what is not sought by certain words may be anything.
        let any = start.is_open() || sought.is_none() || folders.iter().all(|folder| !folder.is_dir());
        if any || files.any(|path| below(&path) && may_have(&path, sought.as_deref().unwrap_or_default())) {
            return Some((guard, start.text().to_owned()));
        }
    }
    None
}

/// The words that whatever a pattern matches has in it, in small letters; `None` where a sign of it may leave some out.
fn certain_words(pattern: &str) -> Option<Vec<String>> {
    if pattern.contains(['\\', '|', '*', '?', '+', '{', '[']) {
        return None;
    }
    let words = pattern.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    Some(words.map(str::to_lowercase).collect())
}

/// Returns whether a file has all these words in it, as far as it can be told. A folder may have a file that has.
fn may_have(path: &Path, words: &[String]) -> bool {
    let Ok(known) = std::fs::metadata(path) else { return false };
    if !known.is_file() || known.len() > MAX_SEARCHED {
        return true;
    }
    let Ok(text) = std::fs::read(path) else { return true };
    let text = String::from_utf8_lossy(&text).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Commands of git that put other files in their place, or take away what it does not know.
fn git(scope: &Scope<'_>, command: &Command) -> Option<(Guard, String)> {
    let has = |flags: &[&str]| {
        command.args.iter().filter_map(Word::known).any(|arg| flags.iter().any(|flag| arg.starts_with(flag)))
    };
    let mut operands = command.args.iter().filter(|arg| !arg.prefix().starts_with('-'));
    let asked = operands.next()?.known()?;
    let paths: Vec<Word> = operands.cloned().collect();
    let here = vec![Word::Known(".".to_owned())];
    let registered = || {
        scope
            .places
            .is_registered_in(scope.project)
            .then(|| (Guard::Ask("the project's settings that register snaphook"), asked.to_owned()))
    };
    let dry = has(&["-n", "--dry-run"]) || bundled(command, 'n');
    let (paths, removes) = match asked {
        "clean" if !dry => (if paths.is_empty() { here } else { paths }, true),
        "rm" | "mv" if !has(&["--cached"]) => (paths, true),
        "restore" if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) => return None,
        "checkout" | "restore" if !paths.is_empty() => (paths, false),
        "checkout" | "switch" if has(&["-f", "--force", "--discard"]) => return registered(),
        "reset" if has(&["--hard", "--merge", "--keep"]) => return registered(),
        "stash" if paths.first().is_none_or(|word| matches!(word.known(), Some("push" | "save"))) => {
            return registered();
        }
        "read-tree" | "checkout-index" | "filter-branch" => return registered(),
        _ => return None,
    };
    for word in &paths {
        // Git reads patterns itself, and `:` begins what is more than a path.
        let patterns = match word.known() {
            Some(text) if text.starts_with(':') => vec![Pattern::known(".")],
            Some(text) if text.contains(['*', '?', '[']) => vec![scope.read(text)],
            _ => scope.patterns(word),
        };
        for pattern in patterns {
            if let Some(guard) = scope.guard(&pattern, Touch::Tree, removes) {
                return Some((guard, pattern.text().to_owned()));
            }
        }
    }
    None
}

/// Returns what is unpacked where the shell stands, if a `cd` of this text led there.
fn unpacked(scope: &Scope<'_>, command: &Command, name: &str) -> Option<(Guard, String)> {
    let lists = |arg: &Word| {
        let text = arg.text();
        text.starts_with("--list")
            || text.starts_with("--create")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains(['t', 'c']))
    };
    if name.ends_with("tar") && command.args.iter().any(lists) {
        return None;
    }
    // An archive may then name any path.
    let anywhere = |arg: &Word| {
        let text = arg.prefix();
        text.starts_with("--abs")
            || text.starts_with("--transf")
            || text.starts_with("--xf")
            || bundled_in(text, 'P')
    };
    if name.ends_with("tar") && command.args.iter().any(anywhere) {
        return Some((Guard::Ask("what the archive names by its whole path"), "anywhere".to_owned()));
    }
    let here = Pattern::known(".");
    scope.cwds.iter().skip(1).flatten().find_map(|cwd| {
        let guard = scope.places.look(scope.ways, cwd, cwd, Touch::Tree, false)?;
        Some((guard, here.text().to_owned()))
    })
}
