//! `sed`: scripts of commands that neither run nor write are understood; any other script is opaque.

use super::{Call, Item, Reader, Res, code, emit, file};
use crate::Word;

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let mut at = 0;
    let mut script = false;
    let mut opaque = None;
    let args = call.args().to_vec();
    while let Some(item) = args.get(at) {
        at += 1;
        let Some(text) = item.word.known() else {
            if !script {
                opaque = opaque.or_else(|| judge(item));
                script = true;
            }
            continue;
        };
        match text {
            "-e" | "--expression" => {
                opaque = opaque.or_else(|| args.get(at).and_then(judge));
                (script, at) = (true, at + 1);
            }
            "-f" | "--file" => {
                opaque = opaque.or_else(|| args.get(at).map(|item| file(Some("sed"), &item.word)));
                (script, at) = (true, at + 1);
            }
            "--version" | "--help" | "--posix" | "--debug" | "--sandbox" | "-n" | "-r" | "-E" | "-s"
            | "-u" | "-z" | "-i" | "-l" => {}
            "--quiet" | "--silent" | "--regexp-extended" | "--in-place" | "--separate" | "--unbuffered"
            | "--null-data" => {}
            _ if text.starts_with("-i") || text.starts_with("--in-place=") => {}
            _ if text.starts_with("--expression=") => {
                let value = text.get("--expression=".len()..).unwrap_or_default();
                opaque = opaque.or_else(|| judge(&Item::known(value)));
                script = true;
            }
            _ if text.len() > 1 && text.starts_with('-') => {
                let letters = text.get(1..).unwrap_or_default();
                match letters.find(['e', 'f']) {
                    None if letters.bytes().all(|letter| b"nrEsuzi".contains(&letter)) => {}
                    Some(index)
                        if letters.as_bytes().get(index) == Some(&b'e')
                            && letters.get(..index).is_some_and(|before| {
                                before.bytes().all(|letter| b"nrEsuz".contains(&letter))
                            }) =>
                    {
                        let inline = letters.get(index + 1..).filter(|rest| !rest.is_empty());
                        match inline {
                            Some(rest) => opaque = opaque.or_else(|| judge(&Item::known(rest))),
                            None => {
                                opaque = opaque.or_else(|| args.get(at).and_then(judge));
                                at += 1;
                            }
                        }
                        script = true;
                    }
                    _ => {
                        opaque = opaque.or_else(|| Some(code("sed", None)));
                        script = true;
                    }
                }
            }
            // BSD's `-i ''`
            "" if !script => {}
            _ if !script => {
                opaque = opaque.or_else(|| judge(item));
                script = true;
            }
            _ => {}
        }
    }
    emit(reader, call, false, opaque)
}

/// Marks a script that may run something.
fn judge(item: &Item) -> Option<crate::Opaque> {
    match &item.word {
        Word::Known(script) if harmless(script) => None,
        Word::Known(script) => Some(code("sed", Some(script))),
        // a value may end the command and begin another
        Word::Unknown { .. } => Some(code("sed", None)),
    }
}

/// Returns whether all commands of a script are such that neither run programs nor write files.
fn harmless(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(behind) = addresses(rest) else { return false };
        rest = behind.trim_start_matches([' ', '\t', '!']);
        let mut letters = rest.chars();
        let Some(command) = letters.next() else { return false };
        rest = letters.as_str();
        rest = match command {
            '{' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | '=' | 'F' | 'z' => rest,
            'q' | 'Q' | 'l' | 'L' => rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '),
            's' | 'y' => {
                let Some(delimiter) = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\')
                else {
                    return false;
                };
                let Some(behind) = rest
                    .get(1..)
                    .and_then(|rest| part(rest, delimiter))
                    .and_then(|rest| part(rest, delimiter))
                else {
                    return false;
                };
                behind.trim_start_matches(|c: char| {
                    command == 's' && (c.is_ascii_digit() || "gpiIMm".contains(c))
                })
            }
            'a' | 'i' | 'c' | '#' => {
                return !rest.contains('\n')
                    || rest.starts_with("\\\n") && !rest.get(2..).is_some_and(|rest| rest.contains('\n'));
            }
            'b' | 't' | 'T' | ':' => {
                rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == ' ' || c == '_')
            }
            _ => return false,
        };
        if !rest.is_empty() && command != '{' && !rest.starts_with([' ', '\t', '\n', ';', '}']) {
            return false;
        }
        // blanks are followed by a separator
        let separator = rest.trim_start_matches([' ', '\t']);
        if command != '{' && !separator.is_empty() && !separator.starts_with(['\n', ';', '}']) {
            return false;
        }
    }
}

/// Skips addresses: numbers, `$`, `/re/`, with `,`, `~` and `+`.
fn addresses(mut rest: &str) -> Option<&str> {
    for _ in 0..2 {
        rest = rest.trim_start_matches([' ', '\t']);
        match rest.chars().next() {
            Some('0'..='9' | '$' | '+' | '~') => {
                rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | '~' | '+'));
            }
            Some('/') => rest = part(rest.get(1..)?, '/')?.trim_start_matches(['I', 'M']),
            Some('\\') => {
                let delimiter = rest.chars().nth(1)?;
                rest = part(rest.get(1 + delimiter.len_utf8()..)?, delimiter)?.trim_start_matches(['I', 'M']);
            }
            _ => {}
        }
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None => return Some(rest),
        }
    }
    Some(rest)
}

/// Returns what stands behind the next `delimiter`. In brackets and behind backslashes programs differ, so a bracket with the
/// delimiter in it is not understood.
fn part(text: &str, delimiter: char) -> Option<&str> {
    let mut bracket = false;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next()?;
            }
            '[' if delimiter != '[' => bracket = true,
            ']' => bracket = false,
            _ if letter == delimiter => {
                return if bracket { None } else { text.get(at + letter.len_utf8()..) };
            }
            _ => {}
        }
    }
    None
}
