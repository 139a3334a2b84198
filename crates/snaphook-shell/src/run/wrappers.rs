//! Programs that run the command in their arguments, as data: which options they take, and where the command starts.
//! An option that is not in the table, or a word that is not known in front of the command, makes the call dynamic.

use super::{Call, Dialect, Item, Reader, Res, emit, join, reader, shells, text, variables};
use crate::Word;
use crate::programs::{self, Program, Role, Runs, Tail, Wrapper, words};

/// A wrapper's own arguments.
struct Options {
    /// The index of the command among the words.
    at: usize,
    assignments: Vec<(String, Item)>,
    /// The text that xargs replaces in its command.
    placeholder: Option<String>,
    /// The short options without a value.
    letters: String,
    inert: bool,
}

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str, wrapper: &Wrapper) -> Res<()> {
    if name == "snaphook" {
        return ours(reader, call);
    }
    // `exec` of a plain sh has no options, and takes them for the command
    let foreign = name == "exec"
        && reader.dialect == Dialect::Sh
        && call.words.get(1).is_some_and(|word| word.word.prefix().starts_with('-'));
    let options = read(wrapper, name, &call).filter(|_| !foreign);
    let Some(options) = options else { return emit(reader, call, true, None) };
    if wrapper.tail == Tail::Xargs && !options.inert && options.at >= call.words.len() {
        let mut echo = call.through(name, usize::MAX);
        echo.words = vec![Item::known("echo"), Item::unknown("‹input›")];
        return emit(reader, echo, false, None);
    }
    if options.inert || options.at >= call.words.len() {
        // only its redirects, its own output, or a shell, which may read its input: ssh has one at the other end
        let remote =
            name == "ssh" && call.words.len() > 1 && !options.letters.contains('N') && reader.out.feeds;
        let shell = wrapper.tail == Tail::Shell && !options.inert || remote;
        return emit(reader, call, shell, None);
    }
    let mut inner = call.clone().through(name, options.at);
    for (variable, value) in &options.assignments {
        variables::assigned(reader, variable, Some(value), &call)?;
    }
    inner.assignments.extend(options.assignments);
    let first = inner.words.first().and_then(|word| word.word.known()).map(str::to_owned);
    // A program cannot run a builtin, and `[` of another shell has other rules. `command eval` goes on after an error in the text,
    // and what dash and busybox expand next is split where a word of that text was, into whatever is in their memory.
    let program = !matches!(name, "command" | "builtin" | "exec" | "time");
    let inside = first.as_deref().and_then(programs::find);
    let odd = first.as_deref().is_none_or(|first| {
        program && inside.is_some_and(Program::is_only_builtin)
            || name == "command" && matches!(first, "[[" | "builtin" | "command" | "eval" | "." | "source")
            || name == "exec" && inside.is_some_and(Program::is_builtin)
    });
    match wrapper.tail {
        Tail::Text => match join(&inner.words) {
            Some(joined) => text(reader, &call, name, &joined, Dialect::Sh),
            None => emit(reader, call, true, None),
        },
        _ if odd => emit(reader, call, true, None),
        Tail::Builtin if inside.is_some_and(Program::is_builtin) => start_again(reader, inner),
        Tail::Builtin => emit(reader, call, true, None),
        Tail::Xargs => {
            xargs(reader, call, inner, options.placeholder.as_deref(), first.as_deref().unwrap_or_default())
        }
        Tail::Command | Tail::Shell => {
            let applet = matches!(name, "busybox" | "toybox")
                && first.as_deref().is_some_and(|first| {
                    super::is_read_by_name(first) && !programs::is(first, Role::AlsoProgram)
                        || first.contains('/')
                });
            if applet { emit(reader, call, true, None) } else { start_again(reader, inner) }
        }
    }
}

/// Reports the command behind a wrapper. Its redirects and assignments have been looked at.
fn start_again(reader: &mut Reader<'_, '_>, inner: Call) -> Res<()> {
    reader.nested(|reader| super::start(reader, inner))
}

/// `xargs`: adds arguments that are not known, or puts them in the place of a mark.
fn xargs(
    reader: &mut Reader<'_, '_>,
    call: Call,
    mut inner: Call,
    placeholder: Option<&str>,
    first: &str,
) -> Res<()> {
    let name = super::basename(first);
    let program = programs::find(name);
    let runs = program.is_some_and(|program| {
        matches!(
            program.runs,
            Runs::Command(_) | Runs::Unmodelled(_) | Runs::Precommand | Runs::Git | Runs::Fd
        ) || !program.prefixes.is_empty()
    });
    let runs = runs || name == "find";
    if runs && !(name == "git" && inner.words.len() > 1) {
        return emit(reader, call, true, None);
    }
    if let Some(mark) = placeholder {
        if mark.is_empty() {
            return emit(reader, call, true, None);
        }
        for item in &mut inner.words {
            item.replace(mark, false);
        }
    } else {
        inner.words.push(Item::unknown("‹input›"));
    }
    let shell = program.is_some_and(|program| matches!(program.runs, Runs::Shell(_)));
    if shell && !shells::takes_text(&inner.words) {
        return emit(reader, call, true, None);
    }
    start_again(reader, inner)
}

/// `snaphook mcp … -- server` and `snaphook hold … -- command`: of our own commands these start another. A single argument of
/// `hold` is a command line for bash, unless `--exec` is among the options.
fn ours(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let known = |index: usize| call.words.get(index).and_then(|word| word.word.known());
    let dashes = call.words.iter().position(|word| word.word == "--");
    let hold = known(1) == Some("hold");
    let Some(at) = dashes.filter(|at| (hold || known(1) == Some("mcp")) && at + 1 < call.words.len()) else {
        return emit(reader, call, false, None);
    };
    let options = call.words.get(..at).unwrap_or_default();
    // a word that is not known may be the dashes themselves
    if hold && options.iter().any(|item| item.word.known().is_none()) {
        return emit(reader, call, true, None);
    }
    let is_line = hold && at + 2 == call.words.len() && !options.iter().any(|item| item.word == "--exec");
    match known(at + 1).filter(|_| is_line).map(str::to_owned) {
        Some(line) => text(reader, &call, "snaphook", &line, Dialect::Bash),
        None if is_line => emit(reader, call, true, None),
        None => {
            let inner = call.through("snaphook", at + 1);
            start_again(reader, inner)
        }
    }
}

/// Reads a wrapper's own arguments; `None` where the table does not say what they mean.
fn read(wrapper: &Wrapper, name: &str, call: &Call) -> Option<Options> {
    let words = &call.words;
    let mut options =
        Options { at: 1, assignments: Vec::new(), placeholder: None, letters: String::new(), inert: false };
    let mut over = false;
    let mut skip = wrapper.skip;
    let is_env = matches!(name, "env" | "genv");
    // `-` of env is an option once, behind the options: behind anything else it is the command to some, and so is what begins with
    // a dash behind it, or behind an assignment
    let mut dash = false;
    while let Some(item) = words.get(options.at) {
        let Word::Known(text) = &item.word else {
            // `env NAME=$value cmd`, where the value is one word
            if let Some((variable, _)) = item.word.prefix().split_once('=')
                && wrapper.assigns
                && !item.word.many()
                && reader::is_name(variable)
            {
                options.assignments.push((variable.to_owned(), Item::unknown(item.word.text())));
                over = true;
                options.at += 1;
                continue;
            }
            // `timeout "$seconds" cmd` could be an option, which takes the place of a word
            if skip > 0 && !item.word.many() && (over || item.is_number()) {
                (skip, over) = (skip - 1, true);
                options.at += 1;
                continue;
            }
            return if over && skip == 0 && options.assignments.is_empty() { Some(options) } else { None };
        };
        let is_late = dash || !options.assignments.is_empty();
        if is_env && text.starts_with('-') && (is_late || over && text == "-") {
            return None;
        }
        if !over && text == "--" {
            over = true;
            options.at += 1;
        } else if is_env && text == "-" {
            dash = true;
            options.at += 1;
        } else if !over && text.starts_with("--") {
            long_option(wrapper, text, words, &mut options)?;
        } else if !over && text.len() > 1 && text.starts_with('-') {
            short_options(wrapper, name, text, words, &mut options)?;
        } else if let Some((variable, value)) = text.split_once('=').filter(|_| wrapper.assigns) {
            if !reader::is_name(variable) {
                return None;
            }
            options.assignments.push((variable.to_owned(), Item::known(value)));
            options.at += 1;
        } else if skip > 0 {
            (skip, over) = (skip - 1, true);
            options.at += 1;
        } else {
            break;
        }
    }
    Some(options)
}

fn long_option(wrapper: &Wrapper, text: &str, words: &[Item], options: &mut Options) -> Option<()> {
    let body = text.trim_start_matches('-');
    let (option, inline) = match body.split_once('=') {
        Some((option, value)) => (option, Some(value)),
        None => (body, None),
    };
    if matches!(option, "help" | "version") {
        if options.at + 1 < words.len() {
            return None;
        }
        options.inert = true;
        options.at = words.len();
        return Some(());
    }
    let entry = wrapper.long.iter().find(|entry| entry.trim_end_matches(['=', '?']) == option)?;
    options.at += 1;
    match (entry.ends_with('='), entry.ends_with('?'), inline) {
        (true, _, Some(value)) => note(wrapper, option, Some(value), options),
        (true, _, None) => {
            let value = words.get(options.at)?;
            if value.word.many() {
                return None;
            }
            options.at += 1;
            note(wrapper, option, value.word.known(), options)
        }
        (_, true, _) => note(wrapper, option, inline.or((option == "replace").then_some("{}")), options),
        (_, _, Some(_)) => None,
        _ => Some(()),
    }
}

fn short_options(
    wrapper: &Wrapper,
    name: &str,
    text: &str,
    words: &[Item],
    options: &mut Options,
) -> Option<()> {
    options.at += 1;
    let body = text.get(1..)?;
    for (index, letter) in body.char_indices() {
        let tail = body.get(index + letter.len_utf8()..).unwrap_or_default();
        if wrapper.inert.contains(letter) {
            // what stands behind `sudo -l` is not run by it, but may be by another program of that name
            if !wrapper.looks_up && options.at < words.len() {
                return None;
            }
            options.inert = true;
            options.at = words.len();
            return Some(());
        }
        if wrapper.plain.contains(letter) {
            options.letters.push(letter);
            continue;
        }
        if !wrapper.valued.contains(letter) {
            return None;
        }
        if !tail.is_empty() {
            return note(wrapper, &letter.to_string(), Some(tail), options);
        }
        let value = words.get(options.at)?;
        if value.word.many() {
            return None;
        }
        options.at += 1;
        return note(wrapper, &letter.to_string(), value.word.known(), options);
    }
    // `nice -5`, and nothing else that is all digits
    (name != "nice" || body.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

/// Settings of ssh that run nothing.
const SSH_SETTINGS: &[&str] = words!(
    "stricthostkeychecking userknownhostsfile connecttimeout batchmode serveraliveinterval serveralivecountmax
    loglevel identitiesonly port user connectionattempts passwordauthentication pubkeyauthentication
    identityfile controlmaster controlpath controlpersist requesttty tcpkeepalive compression hostname
    forwardagent exitonforwardfailure preferredauthentications globalknownhostsfile addressfamily"
);

/// Looks at an option's value; `None` where it decides what runs.
fn note(wrapper: &Wrapper, option: &str, value: Option<&str>, options: &mut Options) -> Option<()> {
    match wrapper.tail {
        Tail::Xargs if matches!(option, "I" | "replace") => options.placeholder = Some(value?.to_owned()),
        // of ssh's settings only those that run nothing
        Tail::Text if option == "o" => {
            let setting = value?.split(['=', ' ']).next().unwrap_or_default().to_ascii_lowercase();
            if !SSH_SETTINGS.contains(&setting.as_str()) {
                return None;
            }
        }
        _ => {}
    }
    Some(())
}
