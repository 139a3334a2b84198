//! Brace expansion (`{a,b}`, `{1..3}`), after bash's own algorithm with its quirks. Runs before any other expansion.

use super::limits::MAX_BRACES;

/// One character of a word, or a piece that braces cannot look into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
    Char(char),
    /// The index of a part of the word.
    Opaque(usize),
}

/// The words that `word` becomes; `None` if they are too many or uncertain.
pub(super) fn expand(word: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    if !word.contains(&Atom::Char('{')) {
        return Some(vec![word.to_vec()]);
    }
    // every open brace may look for its end up to the end of the word
    if word.len() > 4_000 {
        return None;
    }
    let mut left = 20_000;
    words(word, 0, &mut left)
}

fn words(word: &[Atom], depth: usize, left: &mut usize) -> Option<Vec<Vec<Atom>>> {
    *left = left.checked_sub(word.len() + 1)?;
    if depth > 24 {
        return None;
    }
    let Some((open, close)) = brace_pair(word, left)? else { return Some(vec![word.to_vec()]) };
    let preamble = word.get(..open)?;
    let amble = word.get(open + 1..close)?;
    let rest = word.get(close + 1..)?;
    let middle = if amble.contains(&Atom::Char(',')) {
        let mut middle = Vec::new();
        for piece in pieces(amble) {
            middle.extend(words(piece, depth + 1, left)?);
        }
        middle
    } else {
        match sequence(amble)? {
            Some(items) => items.into_iter().map(|item| item.chars().map(Atom::Char).collect()).collect(),
            None if rest.is_empty() => return Some(vec![word.to_vec()]),
            None => vec![word.get(open..=close)?.to_vec()],
        }
    };
    let tails = words(rest, depth + 1, left)?;
    if middle.len() * tails.len() > MAX_BRACES {
        return None;
    }
    let mut all = Vec::with_capacity(middle.len() * tails.len());
    for item in &middle {
        for tail in &tails {
            *left = left.checked_sub(preamble.len() + item.len() + tail.len())?;
            all.push([preamble, item, tail].concat());
        }
    }
    Some(all)
}

/// The first brace that has an end with a comma or `..` before it.
#[expect(clippy::option_option, reason = "no pair and too much work are different answers")]
fn brace_pair(word: &[Atom], left: &mut usize) -> Option<Option<(usize, usize)>> {
    for (open, _) in word.iter().enumerate().filter(|(_, atom)| **atom == Atom::Char('{')) {
        if open == 0 && word.get(1) == Some(&Atom::Char('}')) {
            continue;
        }
        let (mut level, mut separators) = (0usize, 0usize);
        for close in open + 1..word.len() {
            *left = left.checked_sub(1)?;
            let at = |index: usize| word.get(index).copied();
            match at(close) {
                Some(Atom::Char('}')) if level == 0 && separators > 0 => return Some(Some((open, close))),
                Some(Atom::Char('{')) => level += 1,
                Some(Atom::Char('}')) if level > 0 => level -= 1,
                Some(Atom::Char(',')) if level == 0 => separators += 1,
                Some(Atom::Char('.'))
                    if level == 0
                        && at(close + 1) == Some(Atom::Char('.'))
                        && at(close + 2) != Some(Atom::Char('}')) =>
                {
                    separators += 1;
                }
                _ => {}
            }
        }
    }
    Some(None)
}

/// The members of a list, split at the commas that are in no inner brace.
fn pieces(amble: &[Atom]) -> Vec<&[Atom]> {
    let mut level = 0usize;
    amble
        .split(|atom| {
            match atom {
                Atom::Char('{') => level += 1,
                Atom::Char('}') => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0 && *atom == Atom::Char(',')
        })
        .collect()
}

/// `1..3`, `01..10..2`, `a..e`; `Some(None)` if it is no sequence.
#[expect(clippy::option_option, reason = "no sequence and an uncertain one are different answers")]
fn sequence(amble: &[Atom]) -> Option<Option<Vec<String>>> {
    let mut text = String::new();
    for atom in amble {
        match atom {
            Atom::Char(plain) => text.push(*plain),
            Atom::Opaque(_) => return Some(None),
        }
    }
    let fields: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match fields.as_slice() {
        [first, last] => (*first, *last, "1"),
        [first, last, step] => (*first, *last, *step),
        _ => return Some(None),
    };
    let one_letter = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if let (Ok(start), Ok(end), Ok(by)) = (first.parse::<i64>(), last.parse::<i64>(), step.parse::<i64>()) {
        let padded = |text: &str| {
            let digits = text.trim_start_matches(['-', '+']);
            digits.len() > 1 && digits.starts_with('0')
        };
        // signs and padding have rules of their own, past what a gate needs
        if first.contains('+') || last.contains('+') || first == "-0" || last == "-0" {
            return None;
        }
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        return count(start, end, by)?
            .into_iter()
            .map(|number| {
                if number < 0 && width > 0 {
                    format!("-{:0>1$}", number.unsigned_abs(), width.saturating_sub(1))
                } else {
                    format!("{number:0>width$}")
                }
            })
            .map(Some)
            .collect::<Option<Vec<_>>>()
            .map(Some);
    }
    if one_letter(first) && one_letter(last) {
        let (start, end) = (first.bytes().next()?, last.bytes().next()?);
        let by = step.parse::<i64>().ok()?;
        if start.is_ascii_lowercase() != end.is_ascii_lowercase() {
            return None;
        }
        let codes = count(i64::from(start), i64::from(end), by)?;
        return Some(
            codes
                .into_iter()
                .map(|code| u8::try_from(code).ok().map(|byte| char::from(byte).to_string()))
                .collect(),
        );
    }
    // it may still be one to bash (numbers beyond 64 bits, blanks): leave it open unless it plainly is none
    let numeric = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    if numeric(first) && numeric(last) { None } else { Some(None) }
}

fn count(start: i64, end: i64, by: i64) -> Option<Vec<i64>> {
    let step = by.checked_abs()?.max(1);
    let distance = end.checked_sub(start)?.checked_abs()?;
    if distance / step >= i64::try_from(MAX_BRACES).ok()? {
        return None;
    }
    let sign = if end < start { -1 } else { 1 };
    (0..=distance / step).map(|index| start.checked_add(sign * step * index)).collect()
}
