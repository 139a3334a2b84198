//! Reads the output of `git status --porcelain=v2 -z`. Pure.

use super::GitError;

/// One entry of the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the repository's top, as git has it.
    pub name: Vec<u8>,
    /// The name before it was renamed or copied.
    pub from: Option<Vec<u8>>,
    /// A repository of its own: a submodule, or one that was not added.
    pub repository: bool,
}

/// Reads the output.
///
/// # Errors
/// A record that git does not document: better no answer than half of one.
pub fn parse(output: &[u8]) -> Result<Vec<Entry>, GitError> {
    let mut records = output.strip_suffix(&[0]).unwrap_or(output).split(|byte| *byte == 0);
    let mut entries = Vec::new();
    while let Some(record) = records.next() {
        let Some((kind, rest)) = record.split_first() else { continue };
        let bad = || GitError::UnknownRecord(String::from_utf8_lossy(record).into_owned());
        let rest = rest.strip_prefix(b" ");
        let entry = match (kind, rest) {
            (b'#' | b'!', Some(_)) => continue,
            (b'?', Some(name)) => untracked(name),
            (b'1', Some(rest)) => tracked(rest, 7),
            (b'u', Some(rest)) => tracked(rest, 9),
            (b'2', Some(rest)) => tracked(rest, 8).and_then(|entry| {
                let from = records.next().filter(|from| !from.is_empty())?;
                Some(Entry { from: Some(from.to_owned()), ..entry })
            }),
            _ => None,
        };
        entries.push(entry.ok_or_else(bad)?);
    }
    Ok(entries)
}

/// A folder that is not looked into is a repository of its own.
fn untracked(name: &[u8]) -> Option<Entry> {
    let folder = name.strip_suffix(b"/");
    let name = folder.unwrap_or(name);
    (!name.is_empty()).then(|| Entry { name: name.to_owned(), from: None, repository: folder.is_some() })
}

/// `XY`, what there is of a submodule, then more fields than are of use here, then the name.
fn tracked(rest: &[u8], fields: usize) -> Option<Entry> {
    let mut parts = rest.splitn(fields + 1, |byte| *byte == b' ');
    let submodule = parts.nth(1)?;
    let name = parts.nth(fields - 2).filter(|name| !name.is_empty())?;
    Some(Entry { name: name.to_owned(), from: None, repository: submodule.first() == Some(&b'S') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let hash = "1".repeat(40);
        let output = [
            "# branch.head main".to_owned(),
            format!("1 .M N... 100644 100644 100644 {hash} {hash} a b.go"),
            format!("1 A. S.M. 160000 160000 160000 {hash} {hash} sub"),
            format!("2 R. N... 100644 100644 100644 {hash} {hash} R100 new\nname"),
            "old \"name\"".to_owned(),
            format!("u UU N... 100644 100644 100644 100644 {hash} {hash} {hash} both"),
            "? fresh".to_owned(),
            "? nested/".to_owned(),
            "! target".to_owned(),
        ]
        .join("\0")
            + "\0";
        let read: Vec<_> = parse(output.as_bytes())
            .unwrap()
            .into_iter()
            .map(|entry| {
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
                (text(entry.name), entry.from.map(text), entry.repository)
            })
            .collect();
        let entry = |name: &str, from: Option<&str>, repository| {
            (name.to_owned(), from.map(str::to_owned), repository)
        };
        assert_eq!(
            read,
            [
                entry("a b.go", None, false),
                entry("sub", None, true),
                entry("new\nname", Some("old \"name\""), false),
                entry("both", None, false),
                entry("fresh", None, false),
                entry("nested", None, true),
            ]
        );
        assert_eq!(parse(b"").unwrap(), []);
        for bad in ["M a", "1 .M N...", "2 R. N... 1 1 1 1 1 R100 new", "?", "x y", "1"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
