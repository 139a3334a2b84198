//! Parts of a word's source text: braces, `$'…'`, folders of the shell's stack. Not here: what the word then is as a path
//! (`path_pattern`).

use snaphook_shell::Word;

use crate::glob::ANY;

/// The number of texts that the braces of one word may come to.
const MAX_BRACES: usize = 64;

/// The parts of a text that may be paths, with signs between. `).cursor(` is a call of something.
pub(crate) fn paths(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'`(),;=<>|&:{}[]".contains(c);
    let mut at = 0;
    text.split_inclusive(ends).filter_map(move |part| {
        let (from, to) = (at, at + part.len());
        at = to;
        let bare = part.strip_suffix(ends).unwrap_or(part);
        let behind = text.get(..from).unwrap_or_default().ends_with([')', ']']);
        let is_call = behind && bare.starts_with('.') && part.ends_with('(');
        (!is_call && bare.contains(['/', '.', '~'])).then_some(bare)
    })
}

/// The words that braces come to; the word as it is where they are too many.
pub(crate) fn braces(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match one_brace(&text) {
            Some(parts) if open.len() + done.len() + parts.len() <= MAX_BRACES => open.extend(parts),
            Some(_) => return vec![text],
            None => done.push(text),
        }
    }
    done
}

/// Returns what the first braces of a word that hold a comma come to.
fn one_brace(text: &str) -> Option<Vec<String>> {
    let chars: Vec<char> = text.chars().collect();
    let mut quote: Option<char> = None;
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            '\'' | '"' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            '\\' if quote != Some('\'') => at += 1,
            '{' if quote.is_none() && (at == 0 || chars.get(at - 1) != Some(&'$')) => {
                let end = group(&chars, at + 1, '{', '}')?;
                let inside = chars.get(at + 1..end - 1)?;
                let mut depth = 0_usize;
                let mut parts = vec![String::new()];
                for c in inside {
                    depth += usize::from(*c == '{');
                    depth -= usize::from(*c == '}' && depth > 0);
                    match (*c, depth) {
                        (',', 0) => parts.push(String::new()),
                        (c, _) => parts.last_mut()?.push(c),
                    }
                }
                if parts.len() > 1 {
                    let (before, behind) = (chars.get(..at)?, chars.get(end..)?);
                    let whole = |part: &String| {
                        before.iter().chain(&part.chars().collect::<Vec<_>>()).chain(behind).collect()
                    };
                    return Some(parts.iter().map(whole).collect());
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns where a group ends that begins before this place; `None` if it does not, or if braces hold nothing to
/// choose from.
pub(crate) fn group(chars: &[char], at: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 1_usize;
    let mut choice = open == '(';
    let mut last = ' ';
    for (number, c) in chars.iter().enumerate().skip(at) {
        depth += usize::from(*c == open);
        depth -= usize::from(*c == close);
        choice |= *c == ',' || (*c == '.' && last == '.');
        last = *c;
        if depth == 0 {
            return choice.then_some(number + 1);
        }
    }
    None
}

/// The longest mark of a program that puts something in its place, without its braces: `{/.}` and `{1}` of `parallel`.
const MAX_MARK: usize = 3;

/// Returns whether file name patterns of a text may match hidden names.
pub(crate) fn shows_hidden(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !matches!(c, '_' | '\'' | '"' | '\\')).collect();
    let plain = plain.to_lowercase();
    ["dotglob", "globdots", "globignore"].iter().any(|option| plain.contains(option))
}

/// The marks that a text gives to `xargs -I` and the like.
pub(crate) fn marks(text: &str) -> Vec<String> {
    if !["xargs", "parallel", "rush"].iter().any(|name| text.contains(name)) {
        return Vec::new();
    }
    let bare = |word: &str| word.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect::<String>();
    let mut marks = Vec::new();
    let mut words = text.split_whitespace().map(bare).peekable();
    while let Some(word) = words.next() {
        let long = word.strip_prefix("--replace").map(|rest| rest.trim_start_matches('=').to_owned());
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let short =
            letters.and_then(|letters| letters.split_once(['I', 'i', 'J'])).map(|(_, rest)| rest.to_owned());
        let Some(value) = long.or(short) else { continue };
        marks.extend(if value.is_empty() { words.peek().cloned() } else { Some(value) });
    }
    marks.retain(|mark| !mark.is_empty());
    marks
}

/// A word with what another program puts in the place of marks as anything.
pub(crate) fn filled(text: &str, marks: &[String]) -> String {
    let mut filled = text.to_owned();
    for mark in marks {
        filled = filled.replace(mark.as_str(), &ANY.to_string());
    }
    let mut from = 0;
    while let Some(open) = filled.get(from..).and_then(|rest| rest.find('{')).map(|at| from + at) {
        let inside =
            filled.get(open + 1..).and_then(|rest| rest.split_once('}')).map_or("{", |(inside, _)| inside);
        let is_mark =
            inside.len() <= MAX_MARK && inside.chars().all(|c| c.is_ascii_digit() || "./#%".contains(c));
        // `${1}` is the shell's own.
        if is_mark && !filled.get(..open).unwrap_or_default().ends_with('$') {
            filled.replace_range(open..open + inside.len() + 2, &ANY.to_string());
        }
        from = open + 1;
    }
    filled
}

/// Variables whose values are paths in a home, as they stand in the text: what a word with one comes to.
pub(crate) fn values(sets: &[(String, Word)]) -> Vec<(String, String)> {
    let text = |word: &Word| word.text().replace('"', "");
    let all = sets.iter().map(|(name, word)| (name.clone(), text(word), word.known().is_some()));
    let starts = |value: &str| ["~", "$HOME", "${HOME"].iter().any(|start| value.starts_with(start));
    // A part of a path that says which one it is. It may be another value by then, which asks no less.
    let telling = |value: &str| value.starts_with('.') && value.len() > 2 || value.contains("snaphook");
    let counts = |value: &str, known| if known { telling(value) } else { starts(value) };
    all.filter(|(name, value, known)| {
        counts(value, *known) && value.len() < 4096 && !value.contains(name.as_str())
    })
    .map(|(name, value, _)| (name, value))
    .take(64)
    .collect()
}

/// A word with the values of these variables.
pub(crate) fn with_values(text: &str, values: &[(String, String)]) -> Option<String> {
    let mut whole = text.replace('"', "");
    let before = whole.clone();
    for (name, value) in values {
        whole = whole.replace(&format!("${{{name}}}"), value);
        let plain = format!("${name}");
        let mut from = 0;
        while let Some(at) = whole.get(from..).and_then(|rest| rest.find(&plain)).map(|at| from + at) {
            let end = at + plain.len();
            let goes_on = whole
                .get(end..)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
            if !goes_on {
                whole.replace_range(at..end, value);
            }
            from = if goes_on { end } else { at + value.len() };
        }
    }
    (whole != before).then_some(whole)
}

/// Returns what `$'…'` stands for from here on, and where it ends. What is not known is anything.
pub(crate) fn ansi(chars: &[char], mut at: usize) -> (String, usize) {
    let mut value = String::new();
    let digits = |from: usize, most: usize, radix: u32| -> String {
        chars.iter().skip(from).take(most).take_while(|c| c.is_digit(radix)).collect()
    };
    while let Some(&c) = chars.get(at) {
        at += 1;
        if c == '\'' {
            return (value, at);
        }
        if c != '\\' {
            value.push(c);
            continue;
        }
        let Some(&escape) = chars.get(at) else { break };
        at += 1;
        let (from, most, radix) = match escape {
            'x' => (at, 2, 16),
            'u' => (at, 4, 16),
            'U' => (at, 8, 16),
            '0'..='7' => (at - 1, 3, 8),
            '\\' | '\'' | '"' | '?' => {
                value.push(escape);
                continue;
            }
            _ => {
                value.push(ANY);
                continue;
            }
        };
        let number = digits(from, most, radix);
        at = from + number.chars().count();
        value.push(u32::from_str_radix(&number, radix).ok().and_then(char::from_u32).unwrap_or(ANY));
    }
    (value, at)
}

/// Returns whether `~` with what follows is a folder that the shell was in before: `~-`, `~2`, `~+1`.
pub(crate) fn is_earlier(chars: &[char], at: usize) -> bool {
    let name: String = chars.iter().skip(at).take_while(|c| **c != '/').collect();
    let digits = name.trim_start_matches(['-', '+']);
    name == "-" || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_come_to_their_words() {
        for (text, want) in [
            ("a", &["a"][..]),
            ("{a,b}", &["b", "a"]),
            ("x{a,{b,c}d}y", &["xcdy", "xbdy", "xay"]),
            ("{a}", &["{a}"]),
            ("{1..3}", &["{1..3}"]),
            ("${a,b}", &["${a,b}"]),
            ("'{a,b}'", &["'{a,b}'"]),
            ("{snap,}hook", &["hook", "snaphook"]),
        ] {
            assert_eq!(braces(text), want, "{text}");
        }
        let many = "{a,b}".repeat(10);
        assert_eq!(braces(&many).len(), 1);
    }

    #[test]
    fn marks_are_anything() {
        for (line, word, want) in [
            ("xargs -I{} cp x a/{}", "a/{}", "a/\u{1}"),
            ("xargs -I @ cp x a/@.b", "a/@.b", "a/\u{1}.b"),
            ("xargs -0I'%%' cp x %%", "%%", "\u{1}"),
            ("parallel cp x a/{/.}", "a/{/.}", "a/\u{1}"),
            ("ls -I x", "x", "x"),
            ("cp x ${1}", "${1}", "${1}"),
            ("cp x {a,b}", "{a,b}", "{a,b}"),
        ] {
            assert_eq!(filled(word, &marks(line)), want, "{line}");
        }
    }

    #[test]
    fn escapes_are_read() {
        for (text, want) in
            [("a'", "a"), ("\\x2ea\\056b'", ".a.b"), ("\\u002e\\''", ".'"), ("\\cA'", "\u{1}A")]
        {
            let chars: Vec<char> = text.chars().collect();
            assert_eq!(ansi(&chars, 0), (want.to_owned(), chars.len()), "{text}");
        }
    }

    #[test]
    fn values_are_put_in() {
        let values = [("f".to_owned(), "~/a".to_owned())];
        for (text, want) in [
            ("$f.b", Some("~/a.b")),
            ("\"${f}\"/c", Some("~/a/c")),
            ("$foo", None),
            ("x", None),
            ("$f/$f", Some("~/a/~/a")),
        ] {
            assert_eq!(with_values(text, &values).as_deref(), want, "{text}");
        }
    }
}
