//! The files that a commit is about to change. Not here: the hooks that look at them (`commit`).

use std::path::Path;

use snaphook_command::changes::below;

use crate::git::GitError;
use crate::git::client::Git;

/// Returns the files of the index that differ from the last commit, relative to the working tree's top; those that are deleted are not
/// there any more. The index is the one that git says, also for `git commit FILE`, which makes one of its own.
pub(crate) async fn staged(git: &Git) -> Result<Vec<String>, GitError> {
    // Whatever the person's settings make of `git diff`: names, one by one, of every file.
    let answer = git
        .output(&[
            "diff",
            "--cached",
            "--name-only",
            "-z",
            "--diff-filter=ACMRT",
            "--no-renames",
            "--no-relative",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=none",
        ])
        .await?;
    let names: Vec<String> = answer.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.iter().try_for_each(|name| below(name.as_bytes())).map_err(GitError::Outside)?;
    Ok(names)
}

/// Returns those in a project's folder, as its hooks see them: relative to it.
pub(crate) fn inside(files: &[String], top: &Path, project: &Path) -> Vec<String> {
    let one = |file: &String| {
        let path = top.join(file);
        let inside = path.strip_prefix(project).ok()?;
        Some(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
    };
    files.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_sees_its_own_files() {
        let files = ["a.rs", "sub/b.rs", "subway/c.rs"].map(str::to_owned);
        let of = |project: &str| inside(&files, Path::new("/r/top"), Path::new(project)).join(" ");
        assert_eq!(of("/r/top"), "a.rs sub/b.rs subway/c.rs");
        assert_eq!(of("/r/top/sub"), "b.rs");
        assert_eq!(of("/r"), "top/a.rs top/sub/b.rs top/subway/c.rs");
        assert_eq!(of("/elsewhere"), "");
    }
}
