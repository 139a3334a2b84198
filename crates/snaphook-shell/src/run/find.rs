//! `find` and `fd`: what they start for each file. An argument that is not known may be a primary, so it makes the call
//! dynamic unless it can only be a value.

use super::{Call, Item, Reader, Res, emit, shells, start};
use crate::programs::{self, Runs, words};
use crate::{Why, Word};

/// Primaries of `find` without a value.
const ALONE: &[&str] = words!(
    "-a -and -o -or -not ! ( ) , -true -false -print -print0 -prune -quit -delete -depth -d -daystart -empty
    -executable -readable -writable -follow -ls -mount -xdev -nogroup -nouser -noleaf -ignore_readdir_race
    -noignore_readdir_race -warn -nowarn -H -L -P -E -X -x -s -O0 -O1 -O2 -O3 -help --help -version --version"
);
/// Primaries with one value.
const VALUED: &[&str] = words!(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype
    -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -newerct
    -newerat -newermm -perm -user -group -uid -gid -links -inum -samefile -fstype -printf -fprint -fprint0 -fls
    -used -context -D -f -flags"
);
const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

pub(super) fn find(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let args = call.args().to_vec();
    let mut at = 0;
    let mut primaries = false;
    let mut unknown = 0;
    let mut starts = Vec::new();
    while let Some(item) = args.get(at) {
        at += 1;
        let Word::Known(text) = &item.word else {
            let path =
                item.word.prefix().chars().next().is_some_and(|c| !matches!(c, '-' | '(' | ')' | '!' | ','));
            let tilde = matches!(item.word, Word::Unknown { why: Why::Tilde, .. });
            let split = item.word.many() && matches!(item.word, Word::Unknown { why: Why::Expansion, .. });
            let glob = matches!(item.word, Word::Unknown { why: Why::Glob, .. });
            unknown += u32::from(!path && !tilde);
            if primaries || split || unknown > 1 || glob && !path {
                return emit(reader, call, true, None);
            }
            continue;
        };
        if RUNS.contains(&text.as_str()) {
            primaries = true;
            let tail = args.get(at..).unwrap_or_default();
            let Some(length) = command_length(tail) else { return emit(reader, call, true, None) };
            starts.push(tail.get(..length).unwrap_or_default().to_vec());
            at += length + 1;
        } else if text == "-fprintf" {
            primaries = true;
            at += 2;
        } else if VALUED.contains(&text.as_str()) {
            primaries |= !matches!(text.as_str(), "-D" | "-f");
            if args.get(at).is_none_or(|value| value.word.many()) {
                return emit(reader, call, true, None);
            }
            at += 1;
        } else if ALONE.contains(&text.as_str()) {
            primaries |= !matches!(text.as_str(), "-H" | "-L" | "-P" | "-E" | "-X" | "-x" | "-s");
        } else if text.starts_with('-') || primaries {
            return emit(reader, call, true, None);
        }
    }
    for words in starts {
        started(reader, &call, "find", words, "{}")?;
    }
    emit(reader, call, false, None)
}

/// Returns how many words stand before the `;`, or the `+` behind `{}`, that ends a command.
fn command_length(tail: &[Item]) -> Option<usize> {
    for (at, item) in tail.iter().enumerate() {
        let text = item.word.known()?;
        let braces = at > 0 && tail.get(at - 1).is_some_and(|before| before.word == "{}");
        if text == ";" || text == "+" && braces {
            return (at > 0).then_some(at);
        }
    }
    None
}

/// Reports a command that is started for each file.
fn started(reader: &mut Reader<'_, '_>, call: &Call, how: &str, words: Vec<Item>, mark: &str) -> Res<()> {
    let mut inner = call.clone();
    inner.redirects.clear();
    inner.via.push(how.to_owned());
    inner.words = words;
    let mut marked = false;
    for item in &mut inner.words {
        marked |= item.replace(mark, true);
    }
    if how == "fd" && !marked {
        inner.words.push(Item::unknown("‹found›"));
    }
    let name = inner.words.first().and_then(|item| item.word.known()).unwrap_or_default().to_owned();
    let base = super::basename(&name);
    let odd = programs::find(base).is_some_and(|program| match program.runs {
        Runs::Builtin | Runs::Precommand => program.is_only_builtin(),
        Runs::Command(_) => !matches!(base, "env" | "sudo" | "nice" | "timeout"),
        Runs::Unmodelled(_) => true,
        Runs::Shell(_) => !shells::takes_text(&inner.words),
        _ => false,
    });
    if odd {
        return emit(reader, inner, true, None);
    }
    reader.nested(|reader| start(reader, inner))
}

/// Options of `fd` without a value, as letters and words.
const FD_LETTERS: &str = "HIuUsigaLl0p1FqJ";
const FD_WORDS: &[&str] = words!(
    "--hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings
    --absolute-path --list-details --follow --full-path --print0 --quiet --show-errors --one-file-system
    --no-ignore-vcs --prune --strip-cwd-prefix --no-ignore-parent --help --version --and --gen-completions"
);
/// Options of `fd` with a value.
const FD_VALUED: &str = "dtemScjoE";
const FD_VALUED_WORDS: &[&str] = words!(
    "--max-depth --min-depth --exact-depth --type --extension --exclude --size --changed-within --changed-before
    --color --threads --owner --max-results --base-directory --path-separator --search-path --ignore-file
    --format"
);

pub(super) fn fd(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let args = call.args().to_vec();
    let mut at = 0;
    while let Some(item) = args.get(at) {
        at += 1;
        let Word::Known(text) = &item.word else {
            if item.word.many() || item.word.prefix().is_empty() || item.word.prefix().starts_with('-') {
                return emit(reader, call, true, None);
            }
            continue;
        };
        if text == "--" {
            break;
        }
        let (word, inline) = text.split_once('=').map_or((text.as_str(), false), |(word, _)| (word, true));
        if matches!(word, "-x" | "-X" | "--exec" | "--exec-batch") && !inline {
            let tail = args.get(at..).unwrap_or_default();
            let length = tail.iter().position(|item| item.word == ";").unwrap_or(tail.len());
            if length == 0 || tail.iter().any(|item| item.word.known().is_none()) || length + 1 < tail.len() {
                return emit(reader, call, true, None);
            }
            let words = tail.get(..length).unwrap_or_default().to_vec();
            // its marks are `{}`, `{/}`, `{//}`, `{.}`, `{/.}`
            let name = words.first().and_then(|item| item.word.known()).unwrap_or_default();
            if name.contains('{') {
                return emit(reader, call, true, None);
            }
            started(reader, &call, "fd", words, "{")?;
            return emit(reader, call, false, None);
        } else if text.starts_with("--") {
            let valued = FD_VALUED_WORDS.contains(&word);
            if !valued && (inline || !FD_WORDS.contains(&word)) {
                return emit(reader, call, true, None);
            }
            at += usize::from(valued && !inline);
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (index, letter) in letters.char_indices() {
                if FD_VALUED.contains(letter) {
                    at += usize::from(index + letter.len_utf8() == letters.len());
                    break;
                }
                if !FD_LETTERS.contains(letter) {
                    return emit(reader, call, true, None);
                }
            }
        }
        if args.get(at.saturating_sub(1)).is_some_and(|item| item.word.many()) {
            return emit(reader, call, true, None);
        }
    }
    emit(reader, call, false, None)
}
