//! The files that patches and diffs in a text name. Not here: where such a text stands (`free_text`, `shell`).

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
        let path = path.split('\t').next().unwrap_or_default().trim().trim_matches('"');
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
