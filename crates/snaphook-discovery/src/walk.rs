//! Listing one folder, and walking folders with `ignore`, every filter off: a hook that is git-ignored must not vanish. Not
//! here: what the entries mean.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::diagnostic::io_message;
use crate::natural::natural_cmp;
use snaphook_core::printable;

/// One name in a folder.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The path through the folder that was listed, links unresolved.
    pub(crate) path: PathBuf,
    /// The file name; bytes that are not UTF-8 replaced.
    pub(crate) name: String,
    /// True if the file name is UTF-8.
    pub(crate) is_utf8: bool,
    /// The kind of file, links followed; or why that cannot be known.
    pub(crate) kind: Result<FileType, Unusable>,
}

/// The reason why an entry cannot be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// A link to a folder that contains it.
    Loop,
    /// A link to nothing.
    BrokenLink,
    /// Anything else, as a fragment.
    Io(String),
}

impl Unusable {
    pub(crate) fn message(&self) -> String {
        match self {
            Unusable::Loop => "is a link to a folder that contains it".to_owned(),
            Unusable::BrokenLink => "is a broken link".to_owned(),
            Unusable::Io(message) => message.clone(),
        }
    }
}

/// A walk that hides nothing.
pub(crate) fn walker(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false);
    builder
}

/// Returns what a folder holds, links followed, in natural order. Fails only when the folder itself cannot be listed.
/// By hand: a walk asks the system how many threads it could have, which takes longer than to list a folder.
pub(crate) fn list(folder: &Path) -> Result<Vec<Entry>, Unusable> {
    let unusable = |error: std::io::Error| Unusable::Io(io_message(&error));
    let mut entries = Vec::new();
    for item in std::fs::read_dir(folder).map_err(unusable)? {
        let item = item.map_err(unusable)?;
        let path = item.path();
        let kind = match item.file_type() {
            Ok(kind) if kind.is_symlink() => behind_link(folder, &path),
            Ok(kind) => Ok(kind),
            Err(error) => Err(unusable(error)),
        };
        entries.push(named(path, kind));
    }
    entries.sort_by(|a, b| natural_cmp(&a.name, &b.name).then_with(|| a.path.cmp(&b.path)));
    Ok(entries)
}

/// Returns what a link in the folder leads to.
fn behind_link(folder: &Path, link: &Path) -> Result<FileType, Unusable> {
    let kind = match std::fs::metadata(link) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Unusable::BrokenLink),
        Err(error) => return Err(Unusable::Io(io_message(&error))),
    };
    let same = |folder: PathBuf| std::fs::canonicalize(link).is_ok_and(|link| link == folder);
    if kind.is_dir() && std::fs::canonicalize(folder).is_ok_and(same) {
        return Err(Unusable::Loop);
    }
    Ok(kind)
}

fn named(path: PathBuf, kind: Result<FileType, Unusable>) -> Entry {
    let name = path.file_name().unwrap_or_default();
    let is_utf8 = name.to_str().is_some();
    let name = name.to_string_lossy().into_owned();
    Entry { path, name, is_utf8, kind }
}

/// The path that a walk error is about, and the error without it.
pub(crate) fn explain(error: &ignore::Error) -> (Option<PathBuf>, Unusable) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let (inner, mut unusable) = explain(err);
            let path = inner.unwrap_or_else(|| path.clone());
            let link = std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
            if link && err.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
                unusable = Unusable::BrokenLink;
            }
            (Some(path), unusable)
        }
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => explain(err),
        ignore::Error::Loop { child, .. } => (Some(child.clone()), Unusable::Loop),
        ignore::Error::Io(error) => (None, Unusable::Io(io_message(error))),
        other => (None, Unusable::Io(format!("cannot be read: {}", printable(&other.to_string())))),
    }
}
