//! Which commands change no file, whatever their arguments name. Not here: their redirects, and what other commands change
//! (`shell`).

use snaphook_shell::programs::{Role, git_keeps_working_tree, is, operands_before_command, writing_options};
use snaphook_shell::{Command, Word};

use super::spelling::{name_of, plain};

/// Where the programs are that are called what they are called.
const PROGRAMS: &[&str] =
    &["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];

/// Variables that change how a program writes or computes, and run nothing.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR",
    "CLICOLOR_FORCE", "FORCE_COLOR", "CI", "DEBUG", "VERBOSE", "POSIXLY_CORRECT", "GREP_COLOR", "GREP_COLORS",
    "LS_COLORS", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GH_TOKEN", "GITHUB_TOKEN", "RUST_BACKTRACE",
    "RUST_LOG", "NODE_ENV", "JQ_COLORS", "MANWIDTH", "BLOCKSIZE", "BLOCK_SIZE", "TIME_STYLE", "QUOTING_STYLE",
    "IFS", "GH_REPO", "GIT_MERGE_AUTOEDIT", "GH_PROMPT_DISABLED", "GIT_LITERAL_PATHSPECS", "REPLY",
];

/// Variables that name a program, which is harmless if it is one of `HARMLESS_PROGRAMS`.
#[rustfmt::skip]
const PROGRAM_VARIABLES: &[&str] = &[
    "PAGER", "GIT_PAGER", "MANPAGER", "GH_PAGER", "BAT_PAGER", "SYSTEMD_PAGER", "EDITOR", "VISUAL",
    "GIT_EDITOR", "GIT_SEQUENCE_EDITOR",
];
const HARMLESS_PROGRAMS: &[&str] =
    &["", "cat", "less", "more", "true", ":", "false", "head", "less -R", "less -FRX", "less -F"];

/// Returns whether this variable with this value has no program do what its words do not show.
pub(crate) fn is_harmless(name: &str, value: &Word) -> bool {
    let prefixes = ["LC_", "GIT_AUTHOR_", "GIT_COMMITTER_"];
    HARMLESS.contains(&name)
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
        || (PROGRAM_VARIABLES.contains(&name)
            && value.known().is_some_and(|value| HARMLESS_PROGRAMS.contains(&value)))
}

/// Returns whether the command changes no file, whatever its arguments name. Its redirects are another matter.
pub(crate) fn reads_only(command: &Command, name: &str) -> bool {
    let starts = |flag: &str| command.args.iter().any(|arg| arg.prefix().starts_with(flag));
    let has = |flag: &str| command.args.iter().any(|arg| arg.known() == Some(flag));
    let operands: Vec<&str> =
        command.args.iter().filter_map(Word::known).filter(|arg| !arg.starts_with('-')).collect();
    if !command.assignments.iter().all(|(name, value)| is_harmless(name, value)) && !name.is_empty() {
        return false;
    }
    // A program of that name somewhere else is another one.
    let path = command.path.text();
    if path.contains('/')
        && !PROGRAMS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| !rest.contains('/')))
    {
        return false;
    }
    // A word that is not known may be an option of those that have one which writes or runs.
    let unknown =
        command.args.iter().any(|arg| arg.many() && arg.prefix().is_empty() && arg.text().starts_with('$'));
    if unknown && is(name, Role::HiddenOptions) {
        return false;
    }
    match name {
        "" => true,
        "git" => git_reads(command, &operands),
        "find" => {
            let writes = ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"];
            !writes.into_iter().any(has) && runs(command).is_none()
        }
        "fd" | "fdfind" => runs(command).is_none(),
        "sed" => {
            let script = operands.first().copied().unwrap_or_default();
            let harmless = script.chars().all(|c| !matches!(c, 'w' | 'W' | 'e'));
            harmless && !bundled(command, 'i') && !["--i", "-e", "-f", "--e", "--f"].into_iter().any(starts)
        }
        // The second operand is written, whatever the first is.
        "uniq" | "xxd" => {
            let is_operand = |arg: &&Word| !arg.prefix().starts_with('-') || arg.known() == Some("-");
            command.args.iter().filter(is_operand).count() < 2 && !command.args.iter().any(Word::many)
        }
        "alias" => !command.args.iter().any(|arg| arg.text().contains('=')),
        "tee" => command.args.is_empty(),
        _ => {
            let writing = writing_options(name);
            let writes = |option: &str| match option.strip_prefix("-*") {
                Some(letter) => letter.chars().any(|letter| bundled(command, letter)),
                None if option.starts_with(['-', '+']) => starts(option),
                None => has(option),
            };
            (is(name, Role::OnlyReads) || !writing.is_empty()) && !writing.iter().any(|option| writes(option))
        }
    }
}

fn git_reads(command: &Command, operands: &[&str]) -> bool {
    let starts = |flag: &str| command.args.iter().any(|arg| arg.prefix().starts_with(flag));
    let first = operands.first().copied().unwrap_or_default();
    let odd = [
        "-c",
        "--config-env",
        "--exec",
        "--ou",
        "-C",
        "--git-dir",
        "--work-tree",
        "--ext-diff",
        "--upload-pack",
        "--receive-pack",
    ];
    let runs = match first {
        "grep" => bundled(command, 'O') || starts("--op"),
        "config" => !crate::git::reads_config(command),
        "fetch" | "push" | "remote" => operands.iter().any(|word| word.starts_with("ext::")),
        "cat-file" | "show" | "log" | "diff" | "blame" => starts("--textconv") || starts("--filters"),
        _ => false,
    };
    git_keeps_working_tree(first) && !runs && !odd.into_iter().any(starts)
}

/// The words behind `-exec` and the like of `find` and `fd`: what it runs, where that is not known to read
/// only.
pub(crate) fn runs(command: &Command) -> Option<&Word> {
    let is_fd = name_of(command).starts_with("fd");
    let starts = |arg: &Word| match arg.known() {
        Some("-exec" | "-execdir" | "-ok" | "-okdir") => !is_fd,
        Some(text) if is_fd => {
            let short = text.starts_with('-') && !text.starts_with("--");
            text.starts_with("--exec") || (short && text.contains(['x', 'X']))
        }
        _ => false,
    };
    let at = command.args.iter().position(starts)?;
    let program = command.args.get(at + 1);
    let reads = |word: &&Word| {
        let name = word.known().map(|name| name.rsplit('/').next().unwrap_or(name));
        name.is_some_and(|name| {
            name.is_empty() || is(name, Role::OnlyReads) && operands_before_command(name).is_none()
        })
    };
    match program {
        Some(word) => Some(word).filter(|word| !reads(word)),
        None => command.args.get(at),
    }
}

/// Returns whether a short option has this letter, alone or among others.
pub(crate) fn bundled(command: &Command, letter: char) -> bool {
    command.args.iter().any(|arg| bundled_in(arg.prefix(), letter))
}

/// Returns whether a word is a short option with this letter, alone or among others.
pub(crate) fn bundled_in(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// Variables that a command sets for itself or for what follows, with their values.
pub(crate) fn sets(command: &Command, name: &str) -> Vec<(String, Word)> {
    let mut all = command.assignments.clone();
    if is(name, Role::SetsVariables) {
        for arg in &command.args {
            if let Some((name, value)) = arg.text().split_once('=') {
                let value = match arg.known() {
                    Some(_) => Word::Known(value.to_owned()),
                    None => Word::Unknown {
                        text: value.to_owned(),
                        prefix: String::new(),
                        why: snaphook_shell::Why::Expansion,
                        many: false,
                    },
                };
                all.push((plain_name(name), value));
            }
        }
    }
    all
}

fn plain_name(name: &str) -> String {
    plain(name).to_uppercase()
}
