//! Builtins: those that run texts or change what names and values mean. A builtin that is not modelled is dynamic.

use super::{Call, Dialect, Item, Reader, Res, emit, file, is_name, join, shells, text, variables};
use crate::Word;
use crate::expansion::Variable;
use crate::programs::{self, Role, words};

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str) -> Res<()> {
    let args = call.args().to_vec();
    let certain = match name {
        "eval" => return eval(reader, call, &args),
        "trap" => return trap(reader, call, &args),
        "source" | "." => return source(reader, call, &args),
        "set" => {
            let text = |item: &Item| item.word.known().map(str::to_owned).unwrap_or_default();
            if args.iter().map(text).any(|text| {
                text == "allexport" || text.starts_with('-') && !text.starts_with("--") && text.contains('a')
            }) {
                reader.out.export_all();
            }
            set(&args)
        }
        "shopt" => shopt(&args),
        "export" | "readonly" | "local" | "declare" | "typeset" => return declare(reader, call, name, &args),
        "read" => return names(reader, call, read(&args)),
        "mapfile" | "readarray" => return names(reader, call, mapfile(&args)),
        "getopts" => return names(reader, call, getopts(&args)),
        "printf" => return printf(reader, call, &args),
        "unset" => args.iter().enumerate().all(|(at, arg)| {
            arg.word.known().is_some_and(|text| is_name(text) || at == 0 && matches!(text, "-f" | "-v"))
        }),
        "wait" => match args.as_slice() {
            [] => true,
            [one] => {
                (!one.word.many() || one.is_number())
                    && one.word.known().is_none_or(|text| !text.starts_with('-') || text == "-n")
            }
            several => several.iter().all(Item::is_number),
        },
        "exit" | "return" | "break" | "continue" | "shift" | "logout" => return number(reader, call, &args),
        "jobs" => args.iter().all(|arg| matches!(arg.word.known(), Some("-l" | "-p" | "-r" | "-s" | "-lp"))),
        "hash" => matches!(args.as_slice(), [one] if one.word == "-r"),
        "ulimit" => args.iter().all(|arg| {
            arg.is_number()
                || arg.word.known().is_some_and(|text| {
                    text.starts_with('-') || text == "unlimited" || text == "hard" || text == "soft"
                })
        }),
        "alias" => args.is_empty(),
        _ => programs::is(name, Role::InertBuiltin),
    };
    emit(reader, call, !certain, None)
}

fn eval(reader: &mut Reader<'_, '_>, call: Call, args: &[Item]) -> Res<()> {
    match join(args).filter(|text| !text.starts_with('-') && !text.trim().is_empty()) {
        Some(script) => {
            let dialect = reader.dialect;
            text(reader, &call, "eval", &script, dialect)
        }
        None => emit(reader, call, true, None),
    }
}

/// `trap 'text' SIGNAL…`, `trap - SIGNAL…`, `trap '' SIGNAL…`.
fn trap(reader: &mut Reader<'_, '_>, call: Call, args: &[Item]) -> Res<()> {
    let signals = args.get(1..).unwrap_or_default();
    let plain = !signals.is_empty()
        && signals.iter().all(|signal| {
            signal
                .word
                .known()
                .is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        });
    match args.first().and_then(|arg| arg.word.known()) {
        Some("-" | "") if plain => emit(reader, call, false, None),
        Some("-p" | "-l") if args.len() == 1 => emit(reader, call, false, None),
        Some(script)
            if plain && !script.starts_with('-') && !script.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            let script = script.to_owned();
            let dialect = reader.dialect;
            text(reader, &call, "trap", &script, dialect)
        }
        _ => emit(reader, call, true, None),
    }
}

fn source(reader: &mut Reader<'_, '_>, call: Call, args: &[Item]) -> Res<()> {
    let Some(first) = args.first() else { return emit(reader, call, false, None) };
    let unclear = first.process
        || match &first.word {
            Word::Known(path) => path.is_empty() || path.starts_with(['-', '+']) || shells::is_device(path),
            // words of a program's output are its arguments, too
            Word::Unknown { text, prefix, many, .. } => {
                *many && text.contains(['(', '`']) || prefix.starts_with('-') || shells::is_device(prefix)
            }
        };
    let opaque = file(Some("shell"), &first.word);
    emit(reader, call, unclear, Some(opaque))
}

fn set(args: &[Item]) -> bool {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let Some(text) = arg.word.known() else { return false };
        at += 1;
        if text == "--" {
            return true;
        }
        let Some(letters) = text.strip_prefix(['-', '+']) else { return !text.is_empty() };
        if letters.is_empty() {
            return false;
        }
        for (index, letter) in letters.char_indices() {
            if letter == 'o' && index + 1 == letters.len() {
                let setting = args.get(at).and_then(|arg| arg.word.known());
                if args.get(at).is_some()
                    && !setting.is_some_and(|setting| shells::SETTINGS.contains(&setting))
                {
                    return false;
                }
                at += 1;
            } else if !"euxvfaCETb".contains(letter) {
                return false;
            }
        }
    }
    true
}

fn shopt(args: &[Item]) -> bool {
    const OPTIONS: &[&str] = words!(
        "nullglob globstar dotglob nocaseglob nocasematch failglob inherit_errexit lastpipe extglob globskipdots"
    );
    args.iter().all(|arg| {
        arg.word.known().is_some_and(|text| matches!(text, "-s" | "-u" | "-q") || OPTIONS.contains(&text))
    })
}

/// `export NAME=value`, `local NAME`, `declare -r NAME=value`.
fn declare(reader: &mut Reader<'_, '_>, call: Call, name: &str, args: &[Item]) -> Res<()> {
    let mut certain = true;
    let mut array = false;
    let mut opaque = None;
    let mut exports = name == "export";
    for (at, arg) in args.iter().enumerate() {
        if let Some(letters) = arg.word.known().and_then(|text| text.strip_prefix('-')) {
            let allowed = match name {
                "export" | "readonly" => letters.is_empty() || letters == "p" && args.len() == 1,
                _ => !letters.is_empty() && letters.bytes().all(|letter| b"xrgaA".contains(&letter)),
            };
            certain &= allowed
                && args
                    .get(..at)
                    .is_some_and(|earlier| earlier.iter().all(|arg| arg.word.prefix().starts_with('-')));
            array |= letters.contains(['a', 'A']);
            exports |= letters.contains('x');
            continue;
        }
        let start = arg.word.prefix();
        let (variable, value) = match (&arg.word, start.split_once('=')) {
            (Word::Known(_), Some((variable, value))) => (variable, Some(Word::Known(value.to_owned()))),
            (Word::Unknown { .. }, Some((variable, _))) => {
                (variable, Some(Word::unknown(arg.word.text(), false)))
            }
            (Word::Known(text), None) => (text.as_str(), None),
            (Word::Unknown { .. }, None) => {
                certain = false;
                continue;
            }
        };
        let variable = variable.strip_suffix('+').unwrap_or(variable);
        if !is_name(variable) || array && value.is_some() {
            certain = false;
            continue;
        }
        match &value {
            Some(Word::Known(text)) => certain &= !text.starts_with('('),
            Some(Word::Unknown { .. }) => {
                // dash splits it into more assignments
                certain &= !(reader.dialect == Dialect::Sh && arg.word.many());
                reader.out.declare(variable, &call.source, &call.via);
            }
            None => {}
        }
        if array {
            reader.out.array(variable);
        }
        if exports {
            reader.out.export(variable);
        }
        if let Some(value) = value {
            let judge = if exports { variables::exported } else { variables::opaque };
            opaque = opaque.or_else(|| judge(variable, &value));
            let item = Item { word: value, bare: false, variable: None, process: false };
            variables::assigned(reader, variable, Some(&item), &call)?;
        } else if name != "export" && !array {
            variables::assigned(reader, variable, Some(&Item::known("0")), &call)?;
        }
    }
    emit(reader, call, !certain, opaque)
}

/// Reports a builtin that assigns these names; `None` where they are not certain.
fn names(reader: &mut Reader<'_, '_>, call: Call, names: Option<Vec<String>>) -> Res<()> {
    let Some(names) = names else { return emit(reader, call, true, None) };
    for name in &names {
        variables::assigned(reader, name, None, &call)?;
    }
    let value = Word::unknown("what is read", true);
    let opaque = names.iter().find_map(|name| variables::opaque(name, &value));
    emit(reader, call, false, opaque)
}

fn read(args: &[Item]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let text = arg.word.known()?;
        let Some(letters) = text.strip_prefix('-') else {
            names.push(text.to_owned());
            continue;
        };
        if !names.is_empty() || letters.is_empty() {
            return None;
        }
        for (index, letter) in letters.char_indices() {
            match letter {
                'r' | 's' => {}
                'p' | 't' | 'n' | 'd' | 'u' => {
                    if index + 1 == letters.len() {
                        let value = args.get(at)?;
                        let number = matches!(letter, 't' | 'n' | 'u');
                        if value.word.many()
                            || number
                                && !value.word.known().is_some_and(|text| {
                                    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                                })
                        {
                            return None;
                        }
                        at += 1;
                    }
                    break;
                }
                'a' if index + 1 == letters.len() => {}
                _ => return None,
            }
        }
    }
    names.iter().all(|name| is_name(name)).then_some(names)
}

fn mapfile(args: &[Item]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for arg in args {
        match arg.word.known()? {
            "-t" => {}
            name if is_name(name) => names.push(name.to_owned()),
            _ => return None,
        }
    }
    Some(names)
}

fn getopts(args: &[Item]) -> Option<Vec<String>> {
    let [options, name, ..] = args else { return None };
    let name = name.word.known()?;
    let plain = options.word.known().is_some_and(|text| !text.starts_with('-'));
    (plain && is_name(name)).then(|| vec![name.to_owned(), "OPTARG".to_owned()])
}

/// Reports `printf`. zsh evaluates what `%d` and the like print.
fn printf(reader: &mut Reader<'_, '_>, call: Call, args: &[Item]) -> Res<()> {
    let behind = args.first().is_some_and(|first| first.word == "--");
    let at = usize::from(behind);
    let format = args.first().is_none_or(|format| match &format.word {
        Word::Known(text) => !text.starts_with('-') || text == "--" || text == "-",
        Word::Unknown { prefix, many, .. } => {
            args.len() == 1 && !many || !prefix.is_empty() && !prefix.starts_with('-')
        }
    });
    let second = !behind || args.get(1).is_none_or(|format| !format.word.many());
    let printed = args.get(at + 1..).unwrap_or_default();
    let is_code =
        |arg: &Item| arg.word.known().is_some_and(|text| text.contains('[') && text.contains(['$', '`']));
    let is_text = args.get(at).is_none_or(|format| prints_text(&format.word));
    let certain =
        format && second && !printed.iter().any(is_code) && (is_text || evaluated(reader, &call, printed));
    emit(reader, call, !certain, None)
}

/// Returns whether a format of `printf` has its arguments printed as they are: zsh evaluates those of `%d` and `%*s`, and
/// makes a `%` of `\u0025` before it looks for conversions.
pub(super) fn prints_text(format: &Word) -> bool {
    let Some(text) = format.known() else { return false };
    let is_plain =
        |escape: &str| escape.is_empty() || escape.starts_with(['n', 't', 'r', 'a', 'b', 'f', 'v', '"']);
    text.replace("\\\\", "").split('\\').skip(1).all(is_plain)
        && text.replace("%%", "").split('%').skip(1).all(|behind| {
            let conversion = behind.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.".contains(c));
            conversion.is_empty() || conversion.starts_with(['s', 'b', 'c', 'q'])
        })
}

/// Notes the variables that a shell evaluates as arithmetic where these words are numbers to it. Returns false where a
/// word may hold anything.
fn evaluated(reader: &mut Reader<'_, '_>, call: &Call, args: &[Item]) -> bool {
    let mut certain = true;
    for arg in args.iter().filter(|arg| !arg.is_number()) {
        match (&arg.variable, arg.word.known()) {
            (Some(Variable::Name(name)), _) => reader.out.evaluate(name, &call.source, &call.via),
            (_, Some(name)) if is_name(name) => reader.out.evaluate(name, &call.source, &call.via),
            // no name, so no variable
            (_, Some(text)) => {
                certain &= !text.contains(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '`' | '['))
            }
            _ => certain = false,
        }
    }
    certain
}

/// `exit 1`, `return $?`, `exit "$status"`: some shells evaluate what stands there.
fn number(reader: &mut Reader<'_, '_>, call: Call, args: &[Item]) -> Res<()> {
    let mut certain = args.len() <= 1;
    for arg in args {
        if arg.is_number() {
            continue;
        }
        match &arg.variable {
            Some(Variable::Name(name)) => reader.out.evaluate(name, &call.source, &call.via),
            _ => certain = false,
        }
    }
    emit(reader, call, !certain, None)
}
