//! Interpreters: which of their options take code or files, and what they run of it.

use super::{Call, Item, Opaque, code, config, file};
use crate::Word;

/// An interpreter: what its options mean.
struct Interpreter {
    names: &'static [&'static str],
    language: &'static str,
    /// Short options, alone or last in a bundle, and long ones, whose value is code.
    code: &'static [&'static str],
    /// Options whose value is skipped.
    valued: &'static [&'static str],
    /// Options whose value is a file or module that is run.
    files: &'static [&'static str],
    /// Options with which nothing runs.
    inert: &'static [&'static str],
    /// Commands of its own that take code or a file.
    commands: &'static [&'static str],
    /// True if it reads code from input where there is no file.
    input: bool,
}

const BASIC: Interpreter = Interpreter {
    names: &[],
    language: "",
    code: &[],
    valued: &[],
    files: &[],
    inert: &["--version", "--help", "-V", "-h"],
    commands: &[],
    input: true,
};

#[rustfmt::skip]
const INTERPRETERS: &[Interpreter] = &[
    Interpreter { names: &["python", "python2", "python3", "pypy", "pypy3", "python3.8", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14", "ipython", "micropython"],
        language: "python", code: &["-c"], valued: &["-W", "-X", "--check-hash-based-pycs"], ..BASIC },
    Interpreter { names: &["perl", "perl5"], language: "perl", code: &["-e", "-E"], valued: &["-I"], files: &["-M", "-m"], inert: &["-v", "-V", "--version", "--help"], ..BASIC },
    Interpreter { names: &["ruby", "jruby", "irb"], language: "ruby", code: &["-e"], valued: &["-I", "-C", "-E"], files: &["-r"], inert: &["-v", "--version", "--help", "-h"], ..BASIC },
    Interpreter { names: &["node", "nodejs"], language: "node", code: &["-e", "--eval", "-p", "--print", "-pe"], valued: &["-C", "--conditions"],
        files: &["-r", "--require", "--import", "--loader", "--experimental-loader"], inert: &["-v", "--version", "-h", "--help", "-c", "--check", "--test"], ..BASIC },
    Interpreter { names: &["deno"], language: "node", code: &["-e", "--eval"], commands: &["eval"], input: false, ..BASIC },
    Interpreter { names: &["bun"], language: "node", code: &["-e", "--eval", "-p", "--print"], input: false, ..BASIC },
    Interpreter { names: &["ts-node", "tsx", "esno"], language: "node", code: &["-e", "--eval", "-p", "--print", "-pe"], ..BASIC },
    Interpreter { names: &["php", "php8"], language: "php", code: &["-r", "-B", "-R", "-E"], valued: &["-d", "-c", "-t", "-S"], files: &["-f", "-F"], inert: &["-v", "--version", "-i", "-m", "--help", "-h", "--ini", "-l"], ..BASIC },
    Interpreter { names: &["lua", "lua5.1", "lua5.3", "lua5.4", "luajit", "luau"], language: "lua", code: &["-e"], files: &["-l"], inert: &["-v"], ..BASIC },
    Interpreter { names: &["Rscript", "R", "littler"], language: "r", code: &["-e"], inert: &["--version", "--help"], files: &["-f"], ..BASIC },
    Interpreter { names: &["julia"], language: "julia", code: &["-e", "-E", "--eval", "--print"], files: &["-L", "--load"], valued: &["--project", "-t", "-p"], ..BASIC },
    Interpreter { names: &["rename", "prename", "perl-rename", "file-rename"], language: "perl", code: &["-e"], ..BASIC },
    Interpreter { names: &["tclsh", "wish", "tclsh8.6"], language: "tcl", ..BASIC },
    Interpreter { names: &["gnuplot"], language: "other", code: &["-e"], input: false, ..BASIC },
    Interpreter { names: &["guile", "racket", "sbcl", "clisp", "ecl", "gosh", "chez", "scheme", "csi"], language: "lisp", code: &["-c", "-e", "--eval", "-x", "--non-interactive"], files: &["-l", "--load", "-s", "--script"], input: false, ..BASIC },
    Interpreter { names: &["emacs", "emacsclient"], language: "lisp", code: &["--eval", "-eval", "--execute", "-e"], files: &["-l", "--load", "--script", "-f"], input: false, ..BASIC },
    Interpreter { names: &["vim", "vi", "nvim", "ex", "view", "gvim", "vimdiff"], language: "vim", code: &["-c", "--cmd"], files: &["-S", "-s", "-u", "-w", "-W"], input: false, ..BASIC },
    Interpreter { names: &["ed", "red"], language: "ed", ..BASIC },
    Interpreter { names: &["gawk", "awk", "mawk", "nawk", "original-awk"], language: "awk", ..BASIC },
    Interpreter { names: &["sqlite3", "sqlite"], language: "sql", code: &["-cmd", "--cmd", "-c"], files: &["-init", "--init"], ..BASIC },
    Interpreter { names: &["psql", "mysql", "mariadb", "sqlplus", "mongosh", "mongo", "isql"], language: "sql", code: &["-c", "--command", "-e", "--execute", "--eval", "--query", "-q"], files: &["-f", "--file"], valued: &["-h", "-p", "-U", "-u", "-d", "-P", "-v"], inert: &["--version", "--help", "-V", "-l", "--list"], ..BASIC },
    Interpreter { names: &["dc", "m4", "octave", "octave-cli", "maxima", "gp", "ocaml", "swipl", "gprolog", "erl", "iex", "elixir", "scala", "groovy", "jshell", "kotlin", "clojure", "clj", "bb", "gforth", "forth", "raku", "perl6", "yaegi", "gomacro", "evcxr", "janet", "fennel", "hy"],
        language: "other", code: &["-e", "--eval", "-c", "-eval", "-E"], ..BASIC },
];

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&name))
}

/// Returns how an interpreter runs code: `Some(None)` not at all, `None` cannot be told.
fn interpret(interpreter: &Interpreter, call: &Call) -> Option<Option<Opaque>> {
    let args = call.args();
    let language = interpreter.language;
    let mut at = 0;
    while let Some(item) = args.get(at) {
        at += 1;
        let Word::Known(text) = &item.word else {
            let plain = item.word.prefix().chars().next().is_some_and(|c| c != '-');
            // a word that may be an option or a file; what it is, it runs
            return Some(Some(if plain && !item.process {
                file(Some(language), &item.word)
            } else {
                code(language, None)
            }));
        };
        if interpreter.inert.contains(&text.as_str()) && args.len() == 1 {
            return Some(None);
        }
        if interpreter.commands.contains(&text.as_str()) {
            let script =
                args.iter().skip(at).find_map(|item| item.word.known().filter(|text| !text.starts_with('-')));
            return Some(Some(code(language, script)));
        }
        if text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/") {
            return Some(Some(code(language, None)));
        }
        if let Some((option, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
            if interpreter.code.contains(&option) {
                return Some(Some(code(language, Some(value))));
            }
            if interpreter.files.contains(&option) {
                return Some(Some(file(Some(language), &Word::Known(value.to_owned()))));
            }
            continue;
        }
        if text.starts_with('-') {
            if language == "python" && text == "-m" {
                let module = args.get(at).and_then(|item| item.word.known());
                let runs =
                    ["timeit", "pdb", "profile", "cProfile", "trace", "code", "runpy", "doctest", "IPython"];
                return Some(
                    module.is_none_or(|module| runs.contains(&module)).then(|| code(language, None)),
                );
            }
            if reads_on(language, text) {
                return Some(Some(code(language, None)));
            }
            if let Some(glued) = code_option(interpreter, text) {
                return Some(Some(code(language, script(interpreter, &args[at..], glued).as_deref())));
            }
            if interpreter.files.iter().any(|option| text.starts_with(option)) {
                let inline = interpreter
                    .files
                    .iter()
                    .find_map(|option| text.strip_prefix(option))
                    .filter(|rest| !rest.is_empty());
                let word = inline
                    .map(|rest| Word::Known(rest.to_owned()))
                    .or_else(|| args.get(at).map(|item| item.word.clone()));
                return Some(Some(Opaque { language: Some(language), file: word, ..config(None, None) }));
            }
            at += usize::from(interpreter.valued.contains(&text.as_str()));
            continue;
        }
        if language == "vim" && text.starts_with('+') {
            return Some(Some(code(language, text.get(1..))));
        }
        if language == "sql" {
            return Some(args.iter().skip(at).any(client_runs).then(|| code(language, None)));
        }
        if language == "ed" {
            return Some(Some(code(language, None)));
        }
        if matches!(interpreter.names, ["rename", ..]) {
            return Some(Some(code(language, Some(text))));
        }
        // a script: its file is run, as the caller can see; `written` says whether this text made it
        return Some(None);
    }
    let input = interpreter.input
        && (args.is_empty() || !args.iter().any(|item| interpreter.inert.contains(&item.word.text())));
    Some(input.then(|| code(language, None)))
}

/// `awk`: programs that neither start programs nor read code from files run nothing.
fn awk(args: &[Item]) -> Option<Opaque> {
    let mut at = 0;
    while let Some(item) = args.get(at) {
        at += 1;
        let Some(text) = item.word.known() else { return Some(code("awk", None)) };
        match text {
            "-F" | "-v" => at += 1,
            "--" => {}
            "--version" | "--help" | "-W" => return None,
            _ if (text.starts_with("-F") || text.starts_with("-v")) && !text.starts_with("--") => {}
            "-f" | "--file" => return args.get(at).map(|item| file(Some("awk"), &item.word)),
            _ if text.starts_with('-') && text.len() > 1 => return Some(code("awk", None)),
            program => {
                let runs = program.replace("||", "").contains('|')
                    || ["system", "getline", "@", "ENVIRON[\"_"].iter().any(|word| program.contains(word));
                return runs.then(|| code("awk", Some(program)));
            }
        }
        if args.get(at.saturating_sub(1)).is_some_and(|item| item.word.many()) {
            return Some(code("awk", None));
        }
    }
    None
}

/// Returns whether a text for a database's client may hold commands of the client, which run programs.
fn client_runs(item: &Item) -> bool {
    item.word.known().is_none_or(|text| {
        let lower = text.to_ascii_lowercase();
        text.contains('\\')
            || ["program", "load_extension", "system"].iter().any(|word| lower.contains(word))
            || text.lines().any(|line| line.trim_start().starts_with('.'))
    })
}

/// Returns whether an option has an interpreter read code from its input as well: a debugger, or a prompt behind the script.
fn reads_on(language: &str, option: &str) -> bool {
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    match language {
        "python" => {
            letters.bytes().all(|byte| byte.is_ascii_alphabetic())
                && letters.starts_with(|c| "bBdEiIOPqsSuv".contains(c))
                && letters.contains('i')
        }
        "perl" => letters.starts_with('d'),
        "node" => option == "-i" || option == "--interactive",
        "lua" | "julia" => option == "-i",
        "php" => option == "-a" || option == "--interactive",
        _ => false,
    }
}

/// Returns what is glued to the option that takes code, where `text` is one: `-c`, `-ne`, `-e'code'`.
fn code_option<'a>(interpreter: &Interpreter, text: &'a str) -> Option<&'a str> {
    if interpreter.code.contains(&text) {
        return Some("");
    }
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let takes = |letter: char| {
        let mut short = interpreter.code.iter().filter(|option| option.len() == 2);
        short.any(|option| option.ends_with(letter))
    };
    let (at, letter) = letters.char_indices().find(|(_, letter)| takes(*letter))?;
    letters.get(at + letter.len_utf8()..)
}

/// Joins the code of all options that take it; `None` where some of it is not known, or operands may run, too.
fn script(interpreter: &Interpreter, args: &[Item], glued: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut next = glued.is_empty();
    if !next {
        parts.push(glued);
    }
    for item in args {
        let text = item.word.known()?;
        if std::mem::take(&mut next) {
            parts.push(text);
        } else if let Some(glued) = code_option(interpreter, text) {
            next = glued.is_empty();
            parts.extend((!next).then_some(glued));
        } else if interpreter.language == "perl" && text.contains('|') {
            // perl opens operands, and runs those with a pipe in them
            return None;
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// Returns what an interpreter of this name runs: `None` where it cannot be told, or the name is none.
pub(super) fn judge(name: &str, call: &Call) -> Option<Option<Opaque>> {
    let interpreter = interpreter(name)?;
    if interpreter.language == "awk" { Some(awk(call.args())) } else { interpret(interpreter, call) }
}

/// The language of an interpreter of this name.
pub(super) fn language(name: &str) -> Option<&'static str> {
    interpreter(name).map(|interpreter| interpreter.language)
}

/// Returns whether a program of this name runs code of a language.
pub(super) fn is_interpreter(name: &str) -> bool {
    interpreter(name).is_some()
}
