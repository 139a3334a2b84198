//! Interpreters: which of their options take code or files, and what they run of it.

use super::{Call, Item, Opaque, code, config, file, modules};
use crate::Word;
use crate::programs::{self, Interpreter, Program, Runs, words};

/// Returns how an interpreter runs code: `Some(None)` not at all, `None` cannot be told. `feeds` says that the text may give it an
/// input.
fn interpret(interpreter: &Interpreter, call: &Call, feeds: bool) -> Option<Option<Opaque>> {
    let args = call.args();
    let language = interpreter.language;
    // behind code that is shown, what the text feeds it is code as well
    let shown = |text: Option<String>| {
        let hidden = feeds && interpreter.reads_beside;
        code(language, text.as_deref().filter(|_| !hidden))
    };
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
        if language == "sql" && starts_pipe(text) {
            return Some(Some(config(Some(language), text.split_once('|').map(|(_, command)| command))));
        }
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
                return Some(Some(shown(Some(value.to_owned()))));
            }
            if interpreter.files.contains(&option) {
                let word = Word::Known(value.to_owned());
                return Some(Some(if is_address(value) {
                    code(language, None)
                } else if interpreter.plain.is_empty() {
                    file(Some(language), &word)
                } else {
                    Opaque { file: Some(word), ..config(Some(language), None) }
                }));
            }
            if !is_plain(interpreter, text, None) {
                return Some(Some(config(Some(language), Some(text))));
            }
            continue;
        }
        if text.starts_with('-') {
            if language == "python"
                && let Some(glued) = modules::option(text)
            {
                // `-mjson.tool`, and the arguments behind it
                let from = if glued.is_empty() { at } else { at - 1 };
                return Some(modules::run(call, from, glued, feeds));
            }
            if reads_on(language, text) {
                return Some(Some(code(language, None)));
            }
            if let Some(glued) = code_option(interpreter, text) {
                return Some(Some(shown(script(interpreter, &args[at..], glued))));
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
            let valued = interpreter.valued.contains(&text.as_str());
            let value = args.get(at).filter(|_| valued);
            // a module in a bundle is among the words that are shown beside the code
            let module = matches!(language, "perl" | "ruby")
                && text.contains(['M', 'm', 'r'])
                && !text.starts_with("-F");
            let shows = || {
                let mut rest = args.iter().skip(at).filter_map(|item| item.word.known());
                rest.any(|text| code_option(interpreter, text).is_some())
            };
            if !(is_plain(interpreter, text, value) || module && shows()) {
                return Some(Some(config(Some(language), Some(text))));
            }
            at += usize::from(valued);
            continue;
        }
        if language == "vim" && text.starts_with('+') {
            return Some(Some(shown(text.get(1..).map(str::to_owned))));
        }
        if matches!(language, "sql" | "redis") {
            // `psql db user -c code`: options stand behind operands, too
            if !interpreter.statements {
                continue;
            }
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
        if language == "node" && matches!(text.as_str(), "run" | "repl" | "task") {
            continue;
        }
        if language == "ed" {
            return Some(Some(code(language, None)));
        }
        // `bb '(delete-tree …)'`, `db2 '!cmd'`
        if interpreter.expression || language == "other" && text.contains([' ', '(', '!', ';']) {
            return Some(Some(code(language, Some(text))));
        }
        // `python manage.py shell -c code`, `php artisan tinker --execute code`
        if let Some(Program { runs: Runs::Code(inner), .. }) = programs::find(super::basename(text))
            && !std::ptr::eq(*inner, interpreter)
        {
            return interpret(inner, &call.clone().through("", at), feeds);
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

/// Commands of a database's client that only print or set how it prints.
const PRINTS: &[&str] = words!(
    ".tables .schema .indexes .indices .databases .dbinfo .fullschema .mode .headers .header .help .show .version
    .width .nullvalue .separator .quit .exit .timer .timeout .changes .stats .bail .echo"
);

/// Returns whether a text for a database's client may hold commands of the client, which run programs.
fn client_runs(item: &Item) -> bool {
    item.word.known().is_none_or(|text| {
        let lower = text.to_ascii_lowercase();
        let own = |line: &str| {
            let line = line.trim_start();
            line.starts_with('.')
                && !line.split([' ', ';', '|']).next().is_some_and(|name| PRINTS.contains(&name))
        };
        text.contains('\\')
            || ["program", "load_extension", "system"].iter().any(|word| lower.contains(word))
            || text.lines().any(own)
    })
}

/// Returns whether an argument names a program to print into: `-o '|cmd'`, `--output='|cmd'`.
fn starts_pipe(text: &str) -> bool {
    let letters = text.trim_start_matches('-');
    let value =
        letters.split_once('=').filter(|_| text.starts_with("--")).map_or(letters, |(_, value)| value);
    let glued = || letters.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('|');
    value.starts_with('|') || text.starts_with('-') && !text.starts_with("--") && glued()
}

/// Returns whether a module's name is its code, or an address that it is fetched from.
fn is_address(name: &str) -> bool {
    name.starts_with("data:") || name.contains("://")
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

/// Returns whether an option, with its value, is known to have an interpreter load nothing. Where the table has no such
/// options, all are.
fn is_plain(interpreter: &Interpreter, text: &str, value: Option<&Item>) -> bool {
    if interpreter.letters.is_empty() && interpreter.plain.is_empty() {
        return true;
    }
    let short = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let glued = |option: &str| text.strip_prefix(option).filter(|rest| !rest.is_empty());
    let known = value.map(|item| item.word.known());
    match (interpreter.language, value) {
        // a category of warnings is loaded by its module
        ("python", _) if text.starts_with("-W") => {
            return glued("-W")
                .or(known.flatten())
                .is_some_and(|value| !value.split(':').nth(2).unwrap_or_default().contains('.'));
        }
        ("python", _) if text.starts_with("-X") => {
            return glued("-X").or(known.flatten()).is_some_and(|value| !value.starts_with("presite"));
        }
        ("php", _) if text.starts_with("-d") || text.starts_with("--define") => {
            return glued("-d").filter(|_| value.is_none()).or(known.flatten()).is_some_and(is_php_setting);
        }
        // what splits is code
        ("perl", _) if text.starts_with("-F") => {
            return glued("-F").or(known.flatten()).is_some_and(|value| {
                let value = value.trim_matches('/');
                value.len() <= 4
                    && value.chars().all(|c| c.is_ascii_alphanumeric() || " ,:;|\\\t+.-".contains(c))
            });
        }
        (_, Some(_)) => return true,
        _ => {}
    }
    short.is_some_and(|letters| letters.chars().all(|letter| interpreter.letters.contains(letter)))
        || interpreter.plain.iter().any(|option| text.starts_with(option))
        || interpreter.inert.contains(&text)
        || interpreter.valued.iter().any(|option| option.len() == 2 && text.starts_with(option))
}

/// Returns whether a setting of PHP, as `name=value`, loads no code and writes no file.
fn is_php_setting(setting: &str) -> bool {
    const NAMES: &[&str] = words!(
        "memory_limit display_errors display_startup_errors error_reporting date.timezone max_execution_time max_input opcache. xdebug. pcov.
        zend.assertions assert. phar.readonly short_open_tag html_errors log_errors default_charset upload_max post_max session.
        output_buffering variables_order precision serialize_precision mbstring. intl. realpath_cache zend.enable_gc pcre. register_argc
        default_socket_timeout implicit_flush"
    );
    let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
    NAMES.iter().any(|start| name.starts_with(start))
        && !value.contains(['/', '.', '\\'])
        && !name.contains("preload")
        && !name.contains("callback")
}

/// Returns what is glued to the option that takes code, where `text` is one: `-c`, `-ne`, `-e'code'`.
fn code_option<'a>(interpreter: &Interpreter, text: &'a str) -> Option<&'a str> {
    if interpreter.code.contains(&text) {
        return Some("");
    }
    if !interpreter.bundles {
        return None;
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
