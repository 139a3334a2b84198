//! Interpreters: which of their options take code or files, and what they run of it.

use super::{Call, Item, Opaque, code, config, file};
use crate::Word;
use crate::programs::Interpreter;

/// Returns how an interpreter runs code: `Some(None)` not at all, `None` cannot be told. `feeds` says that the text may give it an
/// input.
fn interpret(interpreter: &Interpreter, call: &Call, feeds: bool) -> Option<Option<Opaque>> {
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
            let statement = args.iter().skip(at).any(|item| !item.word.prefix().starts_with('-'));
            let runs = args.iter().skip(at).any(client_runs);
            return Some(if runs || statement {
                runs.then(|| code(language, None))
            } else {
                feeds.then(|| input(call, language))
            });
        }
        // without a terminal it takes its input for keys, which may be commands
        if language == "vim" {
            return Some(feeds.then(|| input(call, language)));
        }
        // `deno run -`, `bun run -`
        if language == "node" && text == "run" {
            continue;
        }
        if language == "ed" {
            return Some(Some(code(language, None)));
        }
        if interpreter.expression {
            return Some(Some(code(language, Some(text))));
        }
        // a script: its file is run, as the caller can see; `written` says whether this text made it
        return Some(None);
    }
    let reads = (interpreter.input || feeds)
        && (args.is_empty() || !args.iter().any(|item| interpreter.inert.contains(&item.word.text())));
    Some(reads.then(|| input(call, language)))
}

/// Returns what an interpreter that got no code runs: a file that it is given as its input, or what nobody can tell.
fn input(call: &Call, language: &'static str) -> Opaque {
    let mut redirects = call.redirects.iter();
    let redirect = redirects.rfind(|redirect| redirect.read && redirect.fd.is_none_or(|fd| fd == 0));
    redirect.map_or_else(|| code(language, None), |redirect| file(Some(language), &redirect.target))
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
            "-f" | "--file" => {
                let from = args.get(at)?;
                let input = from.process || super::shells::is_device(from.word.prefix());
                return Some(if input { code("awk", None) } else { file(Some("awk"), &from.word) });
            }
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

/// Returns what an interpreter runs; `None` where it cannot be told.
pub(super) fn judge(interpreter: &Interpreter, call: &Call, feeds: bool) -> Option<Option<Opaque>> {
    if interpreter.language == "awk" { Some(awk(call.args())) } else { interpret(interpreter, call, feeds) }
}
