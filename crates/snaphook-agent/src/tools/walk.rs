//! Walking the files of a workspace: hidden ones too, ignored ones not, always in the same order.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::types::Types;
use snaphook_state::plain_fs;

use super::{ToolRefused, Workspace};

impl Workspace {
    /// Every regular file that no ignore file names, sorted by path.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        files(self, self.root(), None).unwrap_or_default()
    }
}

/// The regular files at or below `base`, sorted by path.
///
/// The walk starts at the workspace's own root, so that its ignore files count wherever `base` is, and no ignore
/// file above it does.
pub(super) fn files(
    workspace: &Workspace,
    base: &Path,
    types: Option<Types>,
) -> Result<Vec<PathBuf>, ToolRefused> {
    if !base.exists() {
        return Err(ToolRefused(format!("{} does not exist", workspace.show(base))));
    }
    if base.is_file() {
        return Ok(vec![base.to_owned()]);
    }
    let wanted = base.to_owned();
    let mut walk = WalkBuilder::new(workspace.root());
    walk.hidden(false).parents(false).require_git(false).git_global(false).git_exclude(true);
    walk.sort_by_file_path(|one, other| one.cmp(other));
    walk.filter_entry(move |entry| {
        let path = entry.path();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.file_name() != ".git"
            && !(is_folder && plain_fs::odd_ignore_file(path).is_some())
            && (path.starts_with(&wanted) || wanted.starts_with(path))
    });
    if let Some(types) = types {
        walk.types(types);
    }
    // What cannot be read is passed over, as `rg` and `find` go on after it.
    let found = walk.build().filter_map(Result::ok);
    let files = found.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    Ok(files.map(ignore::DirEntry::into_path).filter(|path| path.starts_with(base)).collect())
}
