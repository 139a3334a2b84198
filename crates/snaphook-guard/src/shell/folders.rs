//! The folders that a text may run its commands in. Not here: what is done there (`shell`).

use std::path::{Component, Path, PathBuf};

use snaphook_shell::{Command, Why, Word};

use super::spelling::{name_of, plain};
use crate::path_pattern::Scope;
use crate::paths::lexical;

/// In how many folders the commands of one text may run.
const MAX_FOLDERS: usize = 64;

/// The number of times that a loop is gone through.
const ROUNDS: usize = 2;

/// Returns whether commands of the text may run in another order than they stand: in loops, functions and traps.
pub(crate) fn reorders(text: &str) -> bool {
    let words = ["while", "until", "for", "function", "trap", "repeat"];
    text.contains("()") || text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| words.contains(&word))
}

/// Takes in every folder that any command leads to.
pub(crate) fn all(scope: &mut Scope<'_>, commands: &[Command]) {
    for _ in 0..ROUNDS {
        for command in commands {
            change(scope, command);
        }
    }
}

/// Takes in the folders that this command leads to. Those before stay: it may fail, or run in a subshell.
pub(crate) fn change(scope: &mut Scope<'_>, command: &Command) {
    let name = name_of(command);
    if scope.overflows {
        return;
    }
    if matches!(name.as_str(), "popd" | "dirs") {
        return add(scope, None);
    }
    if !command.via.is_empty() {
        for folder in told(&command.text) {
            lead(scope, &folder, true);
        }
    }
    if !matches!(name.as_str(), "cd" | "pushd" | "chdir" | "z" | "autojump" | "j") {
        return;
    }
    let operand = command.args.iter().find(|arg| !arg.prefix().starts_with('-') || arg.known() == Some("-"));
    let home = Word::Unknown { text: "~".to_owned(), prefix: String::new(), why: Why::Tilde, many: false };
    // `CDPATH` may lead it anywhere, and so may a list of folders.
    let listed = operand.and_then(Word::known).is_some_and(|text| text == "-" || text.starts_with('+'));
    if listed || (operand.is_none() && name == "pushd") || scope.elsewhere || name.len() == 1 {
        add(scope, None);
    }
    lead(scope, operand.unwrap_or(&home), operand.is_some());
}

/// The folders that wrappers are told to run a command in: `env -C`, `sudo -D`. Only the text has them.
fn told(text: &str) -> Vec<Word> {
    let mut folders = Vec::new();
    for option in [" -C", " --chdir", " -D"] {
        for (at, _) in text.match_indices(option) {
            let rest = text.get(at + option.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['=', ' ']);
            let mut quote = None;
            let mut depth = 0_usize;
            let end = rest.find(|c: char| {
                match c {
                    '(' if quote != Some('\'') => depth += 1,
                    ')' if quote != Some('\'') => depth = depth.saturating_sub(1),
                    '"' | '\'' if quote.is_none() => quote = Some(c),
                    c if quote == Some(c) => quote = None,
                    _ => {}
                }
                c.is_whitespace() && quote.is_none() && depth == 0
            });
            let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_owned();
            // As it was written: what it stands for is read of its text, as a word with a tilde is.
            folders.push(Word::Unknown { text, prefix: String::new(), why: Why::Tilde, many: false });
        }
    }
    folders
}

/// Takes in the folders that a word may stand for.
fn lead(scope: &mut Scope<'_>, word: &Word, is_operand: bool) {
    for pattern in scope.patterns(word) {
        if pattern.is_open() {
            add(scope, None);
            // `cd "$(dirname "$(which snaphook)")"`
            if is_operand && plain(word.text()).contains("snaphook") {
                let places = scope.places;
                for (program, _) in &places.programs {
                    add(scope, program.parent().map(Path::to_owned));
                }
            }
            for folder in scope.guarded_folders(&pattern) {
                add(scope, Some(folder));
            }
            if let Some(tail) = pattern.tail() {
                add_tail(scope, tail);
            }
            continue;
        }
        for cwd in scope.cwds.clone() {
            match cwd {
                Some(cwd) => add(scope, Some(lexical(&cwd.join(pattern.text())))),
                None if Path::new(pattern.text()).is_absolute() => {
                    add(scope, Some(PathBuf::from(pattern.text())))
                }
                None => {
                    for tail in [PathBuf::new()].iter().chain(&scope.tails.clone()) {
                        add_tail(scope, &tail.join(pattern.text()));
                    }
                }
            }
        }
    }
}

/// Adds what is certain at the end of a folder that is not known, and the guarded folders that it may be.
fn add_tail(scope: &mut Scope<'_>, path: &Path) {
    let mut tail = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => tail.push(name),
            // Out of a folder that is not known nothing is certain.
            Component::ParentDir => drop(tail.pop()),
            _ => {}
        }
    }
    if tail.as_os_str().is_empty() || scope.tails.contains(&tail) {
        return;
    }
    if scope.tails.len() >= MAX_FOLDERS {
        scope.overflows = true;
        return;
    }
    for folder in scope.guarded_folders_ending(&tail) {
        add(scope, Some(folder));
    }
    scope.tails.push(tail);
}

fn add(scope: &mut Scope<'_>, cwd: Option<PathBuf>) {
    if scope.cwds.contains(&cwd) {
        return;
    }
    if scope.cwds.len() < MAX_FOLDERS { scope.cwds.push(cwd) } else { scope.overflows = true }
}
