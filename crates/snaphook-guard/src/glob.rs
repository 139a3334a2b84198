//! Signs for unknown parts of a path, and the comparison of a path that has them with a known one; of names
//! as `find` does it. Not here: how a word comes to a path (`path_pattern`).

/// Stands for any text; for any text without a slash (file name patterns).
pub(crate) const ANY: char = '\u{1}';
pub(crate) const GLOB: char = '\u{2}';
/// The same where hidden names are no exception.
pub(crate) const DOTS: char = '\u{3}';

/// Returns how long a bracket expression is behind its `[`, and whether it stands for a part of one name. Where classes
/// (`[[:alpha:]]`), quotes, expansions or a `]` that is a member (`[]c]`) may put the end elsewhere, it goes on to the last
/// `]` of the name: too much may match, never too little. What is expanded in it may lead into folders.
pub(crate) fn bracket(behind: &[char]) -> (usize, bool) {
    let name = behind.iter().take_while(|c| **c != '/').count();
    let name = behind.get(..name).unwrap_or_default();
    let Some(first) = name.iter().position(|c| *c == ']') else { return (name.len(), true) };
    let members = name.get(..first).unwrap_or_default();
    let is_plain = !matches!(members, [] | ['!' | '^'])
        && !members.iter().any(|c| matches!(c, '[' | '\'' | '"' | '\\' | '$' | '`'));
    let last = name.iter().rposition(|c| *c == ']').unwrap_or(first);
    let expands = name.iter().any(|c| matches!(c, '$' | '`'));
    if is_plain { (first + 1, true) } else { (last + 1, !expands) }
}

/// The way a pattern and a path go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    No,
    /// It can stand for a folder that the path is in.
    Above,
    /// It can stand for the path, or for something below it.
    Whole,
}

pub(crate) fn matches(pattern: &[char], path: &[char]) -> Match {
    // Up to the first sign there is one way only, and most paths end it.
    let plain = pattern.iter().take_while(|c| !matches!(**c, ANY | GLOB | DOTS)).count();
    for (at, c) in pattern.iter().take(plain).enumerate() {
        match path.get(at) {
            None if *c == '/' => return Match::Whole,
            other if other != Some(c) => return Match::No,
            _ => {}
        }
    }
    // reached[i]: the first i of the path can be what the pattern's beginning stands for.
    let mut reached = vec![false; path.len() + 1];
    let mut next = reached.clone();
    if let Some(first) = reached.get_mut(plain) {
        *first = true;
    }
    for c in pattern.iter().skip(plain) {
        if *c == '/' && reached.last() == Some(&true) {
            return Match::Whole;
        }
        let mut carried = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reached.get(at).copied().unwrap_or_default();
            let before = at.checked_sub(1).and_then(|at| path.get(at)).copied();
            let came = at.checked_sub(1).and_then(|at| reached.get(at)).copied().unwrap_or_default();
            carried = match *c {
                ANY => carried || here,
                // A file name pattern does not match the dot that a name begins with.
                GLOB => {
                    let hidden = before == Some('.') && at >= 2 && path.get(at - 2) == Some(&'/');
                    here || (carried && before != Some('/') && !hidden)
                }
                DOTS => here || (carried && before != Some('/')),
                c => came && before == Some(c),
            };
            *slot = carried;
        }
        std::mem::swap(&mut reached, &mut next);
    }
    let above = |(at, hit): (usize, &bool)| *hit && at > 0 && path.get(at) == Some(&'/');
    match reached.last() {
        Some(true) => Match::Whole,
        _ if reached.iter().enumerate().any(above) => Match::Above,
        _ => Match::No,
    }
}

/// Returns whether a pattern of `find` may match a name. What is in brackets matches anything.
pub(crate) fn like(pattern: &str, name: &str) -> bool {
    let (mut pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    while let (Some(open), Some(close)) =
        (pattern.iter().position(|c| *c == '['), pattern.iter().position(|c| *c == ']'))
    {
        if close < open {
            return true;
        }
        pattern.splice(open..=close, ['?']);
    }
    let mut reached = vec![false; name.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for c in pattern {
        let mut next = vec![false; name.len() + 1];
        for at in 0..=name.len() {
            let here = reached.get(at).copied().unwrap_or_default();
            let came = at.checked_sub(1).is_some_and(|at| reached.get(at) == Some(&true));
            let carried = at.checked_sub(1).is_some_and(|at| next.get(at) == Some(&true));
            let is = at.checked_sub(1).and_then(|at| name.get(at)) == Some(&c);
            if let Some(slot) = next.get_mut(at) {
                *slot = match c {
                    '*' => here || carried,
                    '?' => came,
                    _ => came && is,
                };
            }
        }
        reached = next;
    }
    reached.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_a_path_or_a_folder_above_it() {
        for (pattern, path, want) in [
            ("/a/b*", "/a/bc", Match::Whole),
            ("/a/*", "/a/.b", Match::No),
            ("/a/.*", "/a/.b/c", Match::Above),
            ("/a*", "/a/b", Match::Above),
            ("/*/b", "/a/b", Match::Whole),
            ("/a/b/c", "/a/b", Match::Whole),
            ("/b", "/a/b", Match::No),
            ("/a/%", "/a/.b", Match::Whole),
            ("/%", "/a/b", Match::Above),
        ] {
            let wild = pattern.replace('*', &GLOB.to_string()).replace('%', &DOTS.to_string());
            let wild: Vec<char> = wild.chars().collect();
            assert_eq!(matches(&wild, &path.chars().collect::<Vec<_>>()), want, "{pattern} {path}");
        }
    }

    #[test]
    fn names_are_matched_as_find_does() {
        for (pattern, name, want) in [
            ("*.json", "settings.json", true),
            ("*.pyc", "settings.json", false),
            ("set*", "settings.json", true),
            ("s?ttings.json", "settings.json", true),
            ("[st]*", "settings.json", true),
            ("__pycache__", "settings.json", false),
            ("*", "", true),
        ] {
            assert_eq!(like(pattern, name), want, "{pattern} {name}");
        }
    }
}
