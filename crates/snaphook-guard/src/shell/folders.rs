//! The folders that a text may run its commands in. Not here: what is done there (`shell`).

use std::path::{Path, PathBuf};

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
    for pattern in scope.patterns(operand.unwrap_or(&home)) {
        if pattern.is_open() {
            add(scope, None);
            // `cd "$(dirname "$(which snaphook)")"`
            if operand.is_some_and(|word| plain(word.text()).contains("snaphook")) {
                let places = scope.places;
                for (program, _) in &places.programs {
                    add(scope, program.parent().map(Path::to_owned));
                }
            }
            for folder in scope.guarded_folders(&pattern) {
                add(scope, Some(folder));
            }
            continue;
        }
        for cwd in scope.cwds.clone() {
            match cwd {
                Some(cwd) => add(scope, Some(lexical(&cwd.join(pattern.text())))),
                None if Path::new(pattern.text()).is_absolute() => {
                    add(scope, Some(PathBuf::from(pattern.text())))
                }
                None => {}
            }
        }
    }
}

fn add(scope: &mut Scope<'_>, cwd: Option<PathBuf>) {
    if scope.cwds.contains(&cwd) {
        return;
    }
    if scope.cwds.len() < MAX_FOLDERS { scope.cwds.push(cwd) } else { scope.overflows = true }
}
