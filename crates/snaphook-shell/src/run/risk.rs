//! The risks of values that nobody knows: what an argument, an assignment or the input of a program may become, beyond
//! what [`Command::dynamic`] and [`Command::opaque`] tell. Decided by the tables of programs; what is not in them takes
//! its arguments for data, except behind options that everywhere name code.

use super::builtins::prints_text;
use super::{basename, is_loader, is_read_by_name, variables};
use crate::programs::{self, Program, Runs};
use crate::{Command, Opaque, OpaqueKind, Word};

/// The way in which a value may become code of the program that gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Risk {
    /// The program may evaluate it.
    Code,
    /// The program may run it, or fetch it and run it.
    Program,
    /// The program may take it for an option, and has options that run others. Behind `--` it cannot.
    Option,
}

/// Programs and builtins that may evaluate any of their arguments, beside those of the languages in [`EVALUATED`].
#[rustfmt::skip]
const EVALUATING: &[&str] = &[
    "make", "gmake", "sed", "gsed", "bc", "dc", "m4", "bfs", "tmux", "screen", "wait", "getopts", "source", ".", "local", "declare", "typeset",
];
/// Languages whose programs evaluate arguments wherever they stand.
const EVALUATED: &[&str] = &["awk", "sql", "vim", "lisp", "ed"];
/// Options that take code or a command, whatever the program.
const CODE_OPTIONS: &[&str] = &["-c", "--command", "--eval", "--exec", "--execute", "--run"];
/// Programs whose `-c` is none of them.
#[rustfmt::skip]
const COUNTING: &[&str] = &["grep", "egrep", "fgrep", "rg", "wc", "cut", "head", "tail", "uniq", "gzip", "echo", "cksum"];
/// Programs with options that run others, beside those of the table of such options.
const OPTIONS: &[&str] = &["git", "find", "gfind", "fd", "fdfind"];
/// Programs that run what stands behind one of these words of theirs, or anywhere, and how many operands stand before
/// it, beside those that the reader follows.
const STARTING: &[(&[&str], &[&str], usize)] = &[
    (&["concurrently"], &[], usize::MAX),
    (&["rtk", "winpty"], &[], 0),
    (&["envchain"], &[], 1),
    (&["bun", "nodenv"], &["exec", "dlx"], 0),
    (
        &["docker", "podman", "nerdctl", "docker-compose", "apptainer", "singularity", "lxc"],
        &["exec", "run"],
        1,
    ),
    (&["kubectl", "oc"], &["exec", "run"], 1),
];
/// Names and starts of names of variables that decide how words are split, where programs and modules are found, and
/// what we say to programs, beside those that shells evaluate and those that hold a command.
const DECIDING: &[&str] = &["IFS", "CDPATH", "PATH"];
const DECIDING_STARTS: &[&str] =
    &["LD_", "DYLD_", "BASH_", "GIT_", "PYTHON", "PERL", "RUBY", "LUA_", "NPM_", "SNAPHOOK_"];

impl Command {
    /// Returns how the argument at `at`, whose value is not known, may become code of the program.
    #[must_use]
    pub fn risk(&self, at: usize) -> Option<Risk> {
        let name = basename(self.name.text());
        let before = self.args.get(..at).unwrap_or_default();
        let last = before.last().and_then(Word::known).unwrap_or_default();
        let program = programs::find(name);
        let language = program.and_then(Program::language);
        if EVALUATING.contains(&name)
            || is_misspelt(name)
            || language.is_some_and(|language| EVALUATED.contains(&language))
            || CODE_OPTIONS.contains(&last) && !(last == "-c" && COUNTING.contains(&name))
            || for_interpreter(before)
            || name == "printf" && !before.first().is_some_and(prints_text)
        {
            return Some(Risk::Code);
        }
        let prefixes = program.map(|program| program.prefixes).filter(|prefixes| !prefixes.is_empty());
        let fetches = program.and_then(|program| program.fetches);
        let known = fetches.into_iter().chain(prefixes).map(|verbs| (verbs, 0));
        let more = STARTING.iter().filter(|(names, ..)| names.contains(&name));
        let mut starting = known.chain(more.map(|(_, verbs, operands)| (*verbs, *operands)));
        if starting.any(|(verbs, operands)| names_program(before, verbs, operands)) {
            return Some(Risk::Program);
        }
        let runs_others =
            OPTIONS.contains(&name) || program.is_some_and(|program| !program.starts.is_empty());
        let open = self.args.get(at).is_some_and(|word| word.prefix().is_empty());
        let behind = last.starts_with('-') || before.iter().any(|word| *word == "--");
        (runs_others && open && !behind).then_some(Risk::Option)
    }

    /// Returns whether the program may run what it reads from its input although nothing else of it tells.
    #[must_use]
    pub fn runs_input(&self) -> bool {
        let name = basename(self.name.text());
        let dash = || self.args.iter().any(|word| *word == "-");
        let operands = || self.args.iter().any(|word| !word.prefix().starts_with('-'));
        let program = programs::find(name);
        match program.and_then(Program::language) {
            Some(language) => {
                language == "sql"
                    || dash()
                    || matches!(name, "deno" | "bun") && !operands()
                    || self.opaque.as_ref().is_some_and(is_by_variable)
            }
            None => {
                matches!(name, "ssh" | "bc" | "crontab")
                    || program.is_some_and(|program| matches!(program.runs, Runs::Unmodelled(_)))
                    || is_misspelt(name)
            }
        }
    }

    /// Returns whether nothing but shells stands between the text and the command: its words may be those of a text
    /// within the text, and the shell's own words are data to it.
    #[must_use]
    pub fn is_in_shells(&self) -> bool {
        self.via.iter().all(|via| is_shell(via) || via == "eval")
    }

    /// Returns whether it runs a program of the user's own in a home folder, such as `~/bin/notify`, and is dynamic for
    /// that alone.
    #[must_use]
    pub fn is_in_home(&self) -> bool {
        let Some(path) = self.name.text().strip_prefix("~/") else { return false };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_.-".contains(&byte);
        let name = basename(path);
        path.bytes().all(plain) && !is_read_by_name(name) && !is_loader(name)
    }
}

/// Returns whether a variable in front of a command may be all that its mark tells: it hides what its words do.
fn is_by_variable(opaque: &Opaque) -> bool {
    matches!(opaque.kind, OpaqueKind::Path | OpaqueKind::Config)
}

/// Returns whether a name is one of a shell, an interpreter or a wrapper in capitals, or with a version or an ending that
/// no table has: some systems do not tell them apart.
fn is_misspelt(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_suffix(".exe").unwrap_or(&lower);
    let plain = plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let runs = |name: &str| is_interpreter(name) || programs::operands_before_command(name).is_some();
    name == "rscript" || plain != name && runs(plain) && !runs(name)
}

/// Returns whether a name is that of a shell.
fn is_shell(name: &str) -> bool {
    programs::find(name).is_some_and(|program| matches!(program.runs, Runs::Shell(_)))
}

/// Returns whether a name is that of a shell or of an interpreter.
fn is_interpreter(name: &str) -> bool {
    programs::find(name).is_some_and(|program| matches!(program.runs, Runs::Shell(_) | Runs::Code(_)))
        || matches!(name, "expect" | "osascript" | "powershell")
}

/// Returns whether the word behind these may be code, or decide about code, of an interpreter that stands among them.
fn for_interpreter(before: &[Word]) -> bool {
    let named = |word: &Word| {
        word.known().map(basename).is_some_and(|name| is_interpreter(name) || is_misspelt(name))
    };
    let Some(at) = before.iter().position(named) else { return false };
    let behind = before.get(at + 1..).unwrap_or_default();
    let plain = |word: &Word| word.known().is_some_and(|text| !text.starts_with('-'));
    behind.is_empty() || !behind.iter().all(plain)
}

/// Returns whether the word behind these may name the program that is run: it stands behind one of the program's own
/// words (`verbs`; anywhere, where there is none), and not behind more than `operands` that are certain to be none.
fn names_program(before: &[Word], verbs: &[&str], operands: usize) -> bool {
    let is_verb = |word: &Word| word.known().is_some_and(|text| verbs.contains(&text));
    let begin = match before.iter().position(is_verb) {
        Some(at) => at + 1,
        None if verbs.is_empty() => 0,
        None => return false,
    };
    let mut option = false;
    let certain = before.get(begin..).unwrap_or_default().iter().filter(|word| {
        let text = word.known().unwrap_or("-");
        let operand = !text.starts_with('-') && !option;
        option = text.starts_with('-') && text != "--" && !text.contains('=');
        operand
    });
    certain.count() <= operands
}

/// Returns whether the value of a variable of this name decides what shells and programs run.
#[must_use]
pub fn decides_what_runs(name: &str) -> bool {
    DECIDING.contains(&name)
        || DECIDING_STARTS.iter().any(|start| name.starts_with(start))
        || variables::runs(name)
        || variables::opaque(name, &Word::unknown("", false)).is_some()
}
