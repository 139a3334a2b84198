//! Parts of a word's source text: braces, `$'…'`, folders of the shell's stack. Not here: what the word then is as a path
//! (`path_pattern`).

use crate::path_pattern::ANY;

/// The number of texts that the braces of one word may come to.
const MAX_BRACES: usize = 64;

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
    fn escapes_are_read() {
        for (text, want) in
            [("a'", "a"), ("\\x2ea\\056b'", ".a.b"), ("\\u002e\\''", ".'"), ("\\cA'", "\u{1}A")]
        {
            let chars: Vec<char> = text.chars().collect();
            assert_eq!(ansi(&chars, 0), (want.to_owned(), chars.len()), "{text}");
        }
    }
}
