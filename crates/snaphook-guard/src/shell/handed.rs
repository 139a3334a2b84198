//! What a command of a text finds and hands to another: by a substitution, `xargs`, a loop, a variable. Not here: what the other one does
//! with it (`shell`), and what is reached from a folder above (`above`).

use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Why, Word};

use super::above::{FEEDERS, fed};
use super::readers::reads_only;
use super::spelling::{name_of, plain};
use crate::finding::{Finding, REPLACED, finding};
use crate::path_pattern::Scope;

/// Commands that print where a program is.
const LOOKUPS: &[&str] =
    &["which", "command", "type", "whence", "whereis", "where", "hash", "realpath", "readlink"];

/// Commands that tell about a file, and nothing of what is in it.
#[rustfmt::skip]
const TELL: &[&str] = &[
    "ls", "ll", "eza", "exa", "stat", "file", "which", "type", "command", "whereis", "realpath", "readlink",
    "basename", "dirname", "du", "test", "[", "[[", "echo", "printf", "sha256sum", "sha512sum", "sha1sum",
    "md5sum", "b2sum", "cksum", "shasum", "lsof", "getfacl", "cd", "pushd", "ldd", "nm", "size", "diff", "cmp",
];

/// Returns the commands of a text that find something for others: few, so that a long text is not gone through for each command of it.
pub(crate) fn finders(commands: &[Command]) -> Vec<&Command> {
    let finds = |command: &&Command| FEEDERS.contains(&name_of(command).as_str()) || finds_program(command);
    commands.iter().filter(finds).collect()
}

/// Returns whether a command prints the path of snaphook's program.
fn finds_program(command: &Command) -> bool {
    LOOKUPS.contains(&name_of(command).as_str())
        && command.args.iter().any(|arg| plain(arg.text()).contains("snaphook"))
}

/// Returns whether a word holds what the text of another command prints.
fn holds(word: &Word, other: &Command) -> bool {
    matches!(word, Word::Unknown { why: Why::Expansion, .. })
        && word.text().contains(['(', '`'])
        && word.text().contains(&*other.text)
}

/// Returns what is guarded among that which other commands find for this one, which changes what it gets.
pub(crate) fn look(
    scope: &Scope<'_>,
    command: &Command,
    finders: &[&Command],
    all: &[Command],
    text: &str,
) -> Option<Finding> {
    if finders.is_empty() {
        return None;
    }
    let reads = !command.dynamic && reads_only(command, &name_of(command));
    let args = command.args.iter().filter(|_| !reads);
    let targets = command.redirects.iter().filter(|redirect| redirect.write).map(|redirect| &redirect.target);
    let words: Vec<&Word> = args
        .chain(targets)
        .filter(|word| matches!(word, Word::Unknown { why: Why::Expansion, .. }))
        .collect();
    let fills = !reads && command.via.iter().any(|via| matches!(via.as_str(), "xargs" | "parallel"));
    if words.is_empty() && !fills {
        return None;
    }
    let goes_on = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| matches!(word, "read" | "mapfile" | "readarray" | "for" | "select"));
    let kept =
        |other: &Command| all.iter().flat_map(|one| &one.assignments).any(|(_, value)| holds(value, other));
    let mut found = None;
    for other in finders.iter().copied().filter(|other| !std::ptr::eq(*other, command)) {
        let direct = fills || words.iter().any(|word| holds(word, other));
        if finds_program(other) {
            if direct || goes_on || kept(other) {
                return Some(Finding::Deny(REPLACED.to_owned()));
            }
            continue;
        }
        // Folders are listed all day: what is in a list counts where the list is what is changed.
        let may = match name_of(other).as_str() {
            "ls" => direct && !fills,
            _ => direct || goes_on || kept(other),
        };
        if may {
            let guard = fed(scope, other);
            found = Finding::strictest(found, guard.map(|(guard, path)| finding(guard, &path)));
        }
    }
    found
}

/// Returns whether a command puts the content of snaphook's program somewhere: a copy is the program, under another name.
pub(crate) fn copies_program(
    scope: &Scope<'_>,
    command: &Command,
    finders: &[&Command],
    all: &[Command],
) -> bool {
    let name = name_of(command);
    if TELL.contains(&name.as_str())
        || is(&name, Role::Removes)
        || name.is_empty() && command.redirects.is_empty()
    {
        return false;
    }
    let reads = command.redirects.iter().filter(|redirect| redirect.read).map(|redirect| &redirect.target);
    let names = |word: &Word| {
        scope.names_program(word) || finders.iter().any(|other| finds_program(other) && holds(word, other))
    };
    let keeps = |command: &Command| {
        let written =
            command.redirects.iter().any(|redirect| redirect.write && redirect.target != "/dev/null");
        written || (!name_of(command).is_empty() && !reads_only(command, &name_of(command)))
    };
    command.args.iter().chain(reads).any(names) && all.iter().any(keeps)
}
