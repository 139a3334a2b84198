//! The files of a project that no repository knows.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use ignore::WalkBuilder;
use snaphook_state::plain_fs;

use super::Names;
use super::stamp::Stamp;

/// Folders in which version control keeps its own files.
const NONE_OF_OURS: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The time that the walk may take.
const WALK_TIMEOUT: Duration = Duration::from_secs(20);

/// The files that are not older than `since`, and whether there were too many to look at all of them. Ignore files count (none do where one
/// of the root's, or above it, is no regular file; a folder whose own is not a regular file is passed over), hidden
/// files are files like others, links are not followed.
pub(super) fn dirty(root: &Path, most: usize, since: Option<SystemTime>) -> (Names, bool) {
    let began = Instant::now();
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).require_git(false).git_global(false).follow_links(false);
    if root.ancestors().any(|folder| plain_fs::odd_ignore_file(folder).is_some()) {
        builder.standard_filters(false);
    }
    builder.filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_odd = is_folder && entry.depth() > 0 && plain_fs::odd_ignore_file(entry.path()).is_some();
        !is_odd && !NONE_OF_OURS.iter().any(|name| entry.file_name() == *name)
    });
    let mut names = Names::new();
    let mut seen = 0;
    for entry in builder.build().flatten() {
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        seen += 1;
        if seen > most || began.elapsed() > WALK_TIMEOUT {
            return (names, true);
        }
        let Ok(inside) = entry.path().strip_prefix(root) else { continue };
        let dirty =
            since.is_none_or(|since| Stamp::of(entry.path()).is_some_and(|stamp| stamp.not_before(since)));
        if dirty {
            names.insert(raw(inside));
        }
    }
    (names, false)
}

fn raw(inside: &Path) -> Vec<u8> {
    let bytes = inside.as_os_str().as_encoded_bytes().to_vec();
    match std::path::MAIN_SEPARATOR {
        '/' => bytes,
        other => bytes.into_iter().map(|byte| if byte == other as u8 { b'/' } else { byte }).collect(),
    }
}
