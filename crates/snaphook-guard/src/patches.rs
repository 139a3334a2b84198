//! The files that patches and diffs in a text name. Not here: where such a text stands (`free_text`, `shell`).

use std::borrow::Cow;

/// The number of folders at the start of a path that a program may be told to leave out (`-p3`).
const MAX_STRIPPED: usize = 6;

/// The texts before a path in a patch, and whether the path is taken away.
const HEADERS: &[(&str, bool)] = &[
    ("*** Update File: ", false),
    ("*** Add File: ", false),
    ("*** Delete File: ", true),
    ("*** Move to: ", false),
    ("rename from ", true),
    ("rename to ", false),
    ("copy to ", false),
    ("Index: ", false),
    ("--- ", false),
    ("+++ ", false),
    ("*** ", false),
    ("diff --git ", false),
];

/// Each path that a patch or a diff in the text names, and whether it is taken away.
pub(crate) fn named(text: &str) -> Vec<(String, bool)> {
    let diff = || text.contains("+++ ") || text.contains("diff --git ") || text.contains("Index: ");
    if !text.contains("*** ") && !diff() {
        return Vec::new();
    }
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim) {
        let header = HEADERS.iter().find_map(|(start, removes)| Some((line.strip_prefix(start)?, *removes)));
        let Some((path, removes)) = header else { continue };
        let path = unquoted(path.split('\t').next().unwrap_or_default().trim());
        let path = path.trim_matches('"');
        let path = path.replace("\" \"", " ");
        let path = path.as_str();
        let both = path.split_once(" b/").filter(|_| line.starts_with("diff --git "));
        let each = match both {
            Some((before, behind)) => vec![before, behind],
            None => vec![path],
        };
        for path in each.into_iter().filter(|path| !path.is_empty() && *path != "/dev/null") {
            let mut rest = path;
            for _ in 0..=MAX_STRIPPED {
                paths.push((rest.to_owned(), removes));
                match rest.split_once('/') {
                    Some((_, below)) if !below.is_empty() => rest = below,
                    _ => break,
                }
            }
        }
    }
    paths
}

/// Returns a name without the escapes in which git and diff write names with odd letters: `\056` is a dot.
fn unquoted(text: &str) -> Cow<'_, str> {
    if !(text.contains('"') && text.contains('\\')) {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::new();
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let mut value = 0_u32;
        let mut digits = 0;
        while let Some(digit) = rest.peek().filter(|byte| digits < 3 && (b'0'..=b'7').contains(*byte)) {
            value = value * 8 + u32::from(digit - b'0');
            digits += 1;
            rest.next();
        }
        match (digits, rest.peek()) {
            (0, Some(_)) => plain.extend(rest.next()),
            _ => plain.push(u8::try_from(value & 0xff).unwrap_or_default()),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_patches_are_found() {
        for (text, want) in [
            ("*** Begin Patch\n*** Delete File: a/b\n*** End Patch", &["a/b", "b"][..]),
            ("*** Update File: a\n*** Move to: .c/d", &["a", ".c/d"]),
            ("--- a/x y\t2026\n+++ b/x y", &["a/x y", "x y", "b/x y"]),
            ("diff --git a/x b/y\nrename from x\nrename to y", &["a/x", "y", "x"]),
            ("+++ \"b/\\056c/\\163\"", &["b/.c/s", ".c/s"]),
            ("diff --git \"a/\\056c\" \"b/\\056c\"", &[".c"]),
            ("Apply:\n  --- /dev/null\n  +++ b/x", &["b/x", "x"]),
        ] {
            let found: Vec<_> = named(text).into_iter().map(|(path, _)| path).collect();
            for path in want {
                assert!(found.iter().any(|found| found == path), "{text}: {path} in {found:?}");
            }
        }
        assert!(named("a - b\n---\nno diff").is_empty());
    }
}
