//! The patches of `apply_patch`: which files one touches and what it adds, and how a rewritten path or text is written back.
//! Reads what its own parser would take and more (padding, other case): a file too many is checked, none is missed.
//! Not here: whether a patch applies.

use std::borrow::Cow;

use serde_json::Value;
use snaphook_core::{Field, FieldMap, NoSuchField};

/// The place where the portable fields of a patch are: its text is the input's field of this name.
#[derive(Debug)]
pub(crate) struct PatchFields(pub(crate) &'static str);

/// The change that a header line announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Add,
    Update,
    Delete,
    Move,
}

const HEADERS: &[(&str, Change)] = &[
    ("*** Add File:", Change::Add),
    ("*** Update File:", Change::Update),
    ("*** Delete File:", Change::Delete),
    ("*** Move to:", Change::Move),
];

/// Returns whether a patch does nothing but add files.
pub(crate) fn only_adds(patch: &str) -> bool {
    let mut changes = patch.lines().filter_map(header).peekable();
    changes.peek().is_some() && changes.all(|(change, _)| change == Change::Add)
}

/// The change and the path of a header line. A line with a mark of its own (`+`, `-`) is not a header.
fn header(line: &str) -> Option<(Change, &str)> {
    let line = trimmed(line);
    HEADERS.iter().find_map(|(prefix, change)| {
        let (start, path) = line.split_at_checked(prefix.len())?;
        let path = path.strip_prefix(' ').unwrap_or(path);
        let path = if trimmed(path).is_empty() { "" } else { path };
        (start.eq_ignore_ascii_case(prefix) && !path.is_empty()).then_some((*change, path))
    })
}

/// A text without what JavaScript takes for blanks at its ends; some agents read a path so, others unchanged.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Returns whether a text has a patch in it.
pub(crate) fn is_patch(text: &str) -> bool {
    text.lines().any(|line| trimmed(line).to_ascii_lowercase().starts_with("*** begin patch"))
}

/// The files that a patch names, as written and without the blanks around them.
pub(crate) fn paths(patch: &str) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for (_, path) in patch.lines().filter_map(header) {
        for path in [path, trimmed(path)] {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// The one header of a patch that has one only.
fn single(patch: &str) -> Option<(Change, &str)> {
    let mut headers = patch.lines().filter_map(header);
    headers.next().filter(|_| headers.next().is_none())
}

/// The patch with another path in its one header.
fn with_path(patch: &str, path: &str) -> Option<String> {
    let (change, _) = single(patch)?;
    let (prefix, _) = HEADERS.iter().find(|(_, known)| *known == change)?;
    let renamed = |line: &str| match header(line) {
        Some(_) => format!("{prefix} {path}"),
        None => line.to_owned(),
    };
    let lines: Vec<String> = patch.lines().map(renamed).collect();
    let new = lines.join("\n");
    // A line break or a blank end would be read as something else.
    (single(&new) == Some((change, path))).then_some(new)
}

/// The patch with another text in the one file that it adds.
fn with_content(patch: &str, content: &str) -> Option<String> {
    let (Change::Add, _) = single(patch)? else { return None };
    let added = content.strip_suffix('\n').unwrap_or(content).split('\n');
    let added = added.filter(|_| !content.is_empty()).map(|line| format!("+{line}"));
    let mut added = Some(added.collect::<Vec<_>>());
    let mut lines = Vec::new();
    for line in patch.lines().filter(|line| !line.starts_with('+')) {
        lines.push(line.to_owned());
        if header(line).is_some() {
            lines.extend(added.take().unwrap_or_default());
        }
    }
    Some(lines.join("\n"))
}

impl PatchFields {
    /// The text of the patch.
    pub(crate) fn patch<'a>(&self, input: &'a Value) -> Option<&'a str> {
        input.get(self.0)?.as_str()
    }
}

impl FieldMap for PatchFields {
    fn command<'a>(&self, _: &str, _: &'a Value) -> Option<Cow<'a, str>> {
        None
    }

    fn paths<'a>(&self, _: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        self.patch(input).map(paths).unwrap_or_default().into_iter().map(Cow::Borrowed).collect()
    }

    fn content<'a>(&self, _: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let added = self.patch(input)?.lines().filter_map(|line| line.strip_prefix('+'));
        let content: String = added.flat_map(|line| [line, "\n"]).collect();
        (!content.is_empty()).then_some(Cow::Owned(content))
    }

    fn url<'a>(&self, _: &str, _: &'a Value) -> Option<Cow<'a, str>> {
        None
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let new = self.patch(input).and_then(|patch| match field {
            Field::Path => with_path(patch, &value),
            Field::Content => with_content(patch, &value),
            Field::Command | Field::Url => None,
        });
        match (new, input.get_mut(self.0)) {
            (Some(new), Some(slot)) => {
                *slot = Value::String(new);
                Ok(())
            }
            _ => Err(NoSuchField { tool: tool.to_owned(), field }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const FIELDS: PatchFields = PatchFields("command");

    fn input(lines: &[&str]) -> Value {
        json!({"command": format!("*** Begin Patch\n{}\n*** End Patch\n", lines.join("\n"))})
    }

    #[test]
    fn every_file_is_found_whatever_the_padding() {
        let cases: &[(&[&str], &[&str])] = &[
            (&["*** Add File: a.txt", "+x"], &["a.txt"]),
            (
                &["*** Update File: src/a.rs", "*** Move to: src/b.rs", "@@", "-x", "+y"],
                &["src/a.rs", "src/b.rs"],
            ),
            (&["*** Delete File: a", "*** Add File: b", "+x", "*** Update File: a", " x"], &["a", "b"]),
            (&["  *** Add File: a b.txt  ", "+x"], &["a b.txt"]),
            (&["*** add file: .env\r", "+x\r"], &[".env"]),
            (&["*** Add File:.env", "+x"], &[".env"]),
            (&["*** Add File:  .env", "+x"], &[" .env", ".env"]),
            (&["*** Add File: \u{feff}.env\t", "+x"], &["\u{feff}.env", ".env"]),
            (&["\u{feff}*** Add File: .env", "+x"], &[".env"]),
            (&["*** Add File: a", "+*** Add File: only text"], &["a"]),
            (&["*** Update File: a", "-*** Delete File: only text", "*** End of File"], &["a"]),
            (&["*** Add File: ", "+x"], &[]),
            (&["nothing"], &[]),
        ];
        for (lines, paths) in cases {
            assert_eq!(FIELDS.paths("edit", &input(lines)), *paths, "{lines:?}");
        }
        assert!(FIELDS.paths("edit", &json!({"command": 7})).is_empty());
        assert!(FIELDS.paths("edit", &json!("*** Add File: a")).is_empty());
    }

    #[test]
    fn what_is_added_is_the_content() {
        let both =
            input(&["*** Add File: a", "+one", "+two", "*** Update File: b", "@@", " same", "-old", "+new"]);
        assert_eq!(FIELDS.content("edit", &both).as_deref(), Some("one\ntwo\nnew\n"));
        assert_eq!(FIELDS.content("edit", &input(&["*** Delete File: a"])), None);
        assert_eq!(FIELDS.command("edit", &both), None, "a patch is no command line");
    }

    #[test]
    fn a_patch_that_only_adds_is_told_from_others() {
        assert!(only_adds("*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b\n+y\n*** End Patch"));
        assert!(!only_adds("*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"));
        assert!(!only_adds("nothing"));
    }

    proptest! {
        /// Whatever the text: what was written back is read again, and nothing else changed.
        #[test]
        fn what_is_written_is_read_again(value in "[a-zA-Z*+ /:.\\n\\r-]{0,24}", other in ".{0,40}") {
            let mut new = input(&["*** Add File: a", "+one"]);
            if FIELDS.set("write", &mut new, Field::Path, value.clone()).is_ok() {
                let paths = FIELDS.paths("write", &new);
                prop_assert_eq!(&*paths[0], value.as_str());
                prop_assert!(paths.iter().all(|path| trimmed(path) == trimmed(&value)));
                let content = FIELDS.content("write", &new);
                prop_assert_eq!(content.as_deref(), Some("one\n"));
            }
            let mut new = input(&["*** Add File: a", "+one"]);
            prop_assert!(FIELDS.set("write", &mut new, Field::Content, value.clone()).is_ok());
            prop_assert_eq!(FIELDS.paths("write", &new), ["a"]);
            let plain = |text: &str| text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect::<Vec<_>>();
            prop_assert_eq!(plain(&FIELDS.content("write", &new).unwrap_or_default()), plain(&value));
            FIELDS.paths("write", &json!({"command": other}));
        }
    }

    #[test]
    fn a_field_is_written_where_it_can_be_told() {
        let set = |lines: &[&str], field: Field, value: &str| {
            let mut new = input(lines);
            FIELDS.set("edit", &mut new, field, value.to_owned()).map(|()| new)
        };
        let add = ["*** Add File: a", "+one"];
        let new = set(&add, Field::Path, "dir/b c").unwrap();
        assert_eq!(
            (&*FIELDS.paths("edit", &new)[0], FIELDS.content("edit", &new).unwrap()),
            ("dir/b c", "one\n".into())
        );
        let new = set(&add, Field::Content, "1\n2\n\n").unwrap();
        assert_eq!(new["command"], "*** Begin Patch\n*** Add File: a\n+1\n+2\n+\n*** End Patch");
        assert_eq!(
            set(&add, Field::Content, "").unwrap()["command"],
            "*** Begin Patch\n*** Add File: a\n*** End Patch"
        );
        // Text that looks like a header stays text.
        let new = set(&add, Field::Content, "*** Delete File: b").unwrap();
        assert_eq!(FIELDS.paths("edit", &new), ["a"]);

        let update = ["*** Update File: a", "@@", "-x", "+y"];
        assert_eq!(FIELDS.paths("edit", &set(&update, Field::Path, "b").unwrap()), ["b"]);
        let moved = ["*** Update File: a", "*** Move to: b", "@@", "+y"];
        for (lines, field, value) in [
            (&add[..], Field::Command, "ls"),
            (&add, Field::Path, "b\n*** Delete File: c"),
            (&add, Field::Path, "b "),
            (&add, Field::Path, ""),
            (&update, Field::Content, "y"),
            (&moved, Field::Path, "c"),
        ] {
            assert!(set(lines, field, value).is_err(), "{lines:?} {field:?} {value:?}");
        }
    }
}
