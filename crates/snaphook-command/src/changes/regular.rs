//! A look at a repository before git reads it: git waits for ever where one of its files is a named pipe. What is not looked at
//! here (loose objects, branches) is bounded by the time that git is given. Not here: asking git (`git`).

use std::path::{Path, PathBuf};

use snaphook_state::plain_fs;

use super::GitError;

/// The longest file that leads to another folder, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The files that git reads in the folder of a working tree's repository.
const OWN: [&str; 4] = ["HEAD", "index", "config.worktree", "commondir"];

/// The files that git reads in the folder that the working trees of a repository share.
const COMMON: [&str; 7] = [
    "config",
    "packed-refs",
    "shallow",
    "info/exclude",
    "info/attributes",
    "objects/info/alternates",
    "hooks/pre-commit",
];

/// The files that git reads at the top of a working tree.
const TOP: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Looks whether the repository around a folder is made of regular files. None is fine.
///
/// # Errors
/// Names the file that is not.
pub fn check_repository(folder: &Path) -> Result<(), GitError> {
    let around = folder.ancestors().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    let Some(top) = around else { return Ok(()) };
    let dot = top.join(".git");
    let own = match std::fs::metadata(&dot) {
        // A link to nothing: git says so.
        Err(_) => return Ok(()),
        Ok(known) if known.is_dir() => dot,
        Ok(_) => match pointed(&dot, "gitdir:")? {
            Some(path) => top.join(path),
            None => return Ok(()),
        },
    };
    files(&own, &OWN)?;
    let common = pointed(&own.join("commondir"), "")?.map_or_else(|| own.clone(), |path| own.join(path));
    files(&common, &COMMON)?;
    files(top, &TOP)
}

fn files(folder: &Path, names: &[&str]) -> Result<(), GitError> {
    match names.iter().map(|name| folder.join(name)).find(|file| plain_fs::is_odd(file)) {
        Some(file) => Err(GitError::Irregular(file)),
        None => Ok(()),
    }
}

/// The path in a file that leads elsewhere; `None` where there is none, or none that git would follow.
fn pointed(file: &Path, before: &str) -> Result<Option<PathBuf>, GitError> {
    if plain_fs::is_odd(file) {
        return Err(GitError::Irregular(file.to_owned()));
    }
    let text = plain_fs::read_text(file, MAX_BYTES).ok();
    Ok(text.and_then(|text| text.strip_prefix(before).map(|path| PathBuf::from(path.trim()))))
}
