//! The committed files that are made from the script API: which they are, writing them, and finding those that are stale. Not
//! here: what stands in them (`script_api`).

use std::io;
use std::path::{Path, PathBuf};

use crate::script_api::{StubError, luals, luau, reference};

/// A committed file that is generated.
#[derive(Debug, Clone, Copy)]
pub struct GeneratedFile {
    /// Its path, from the root of the repository.
    pub path: &'static str,
    make: fn() -> Result<String, StubError>,
}

/// Every generated file. The command embeds all of them.
pub const FILES: &[GeneratedFile] = &[
    GeneratedFile { path: "crates/snaphook-cli/types/snaphook.d.lua", make: luals },
    GeneratedFile { path: "crates/snaphook-cli/types/snaphook.d.luau", make: luau },
    GeneratedFile { path: "docs/reference.md", make: reference },
];

/// A failure to generate the files or to compare them.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A stub that is not understood.
    #[error("failed to read a stub: {0}")]
    Stub(#[from] StubError),
    /// A file that cannot be read or written.
    #[error("failed to access {path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Returns the paths of the files below `root` that are missing or not what would be written.
///
/// # Errors
/// A stub that is not understood, or a file that cannot be read.
pub fn stale_files(root: &Path) -> Result<Vec<&'static str>, GenerateError> {
    Ok(differing_files(root)?.into_iter().map(|(path, _)| path).collect())
}

/// Writes the files below `root` that are missing or stale, and returns their paths.
///
/// # Errors
/// A stub that is not understood, or a file that cannot be read or written.
pub fn write_files(root: &Path) -> Result<Vec<&'static str>, GenerateError> {
    let mut written = Vec::new();
    for (relative, text) in differing_files(root)? {
        let path = root.join(relative);
        let folder = path.parent().unwrap_or(root);
        let done = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        done.map_err(|source| GenerateError::File { path, source })?;
        written.push(relative);
    }
    Ok(written)
}

/// The files that differ from what is committed, with what they should be.
fn differing_files(root: &Path) -> Result<Vec<(&'static str, String)>, GenerateError> {
    let mut differing = Vec::new();
    for file in FILES {
        let (path, wanted) = (root.join(file.path), (file.make)()?);
        let is_current = match std::fs::read(&path) {
            Ok(found) => found == wanted.as_bytes(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(source) => return Err(GenerateError::File { path, source }),
        };
        if !is_current {
            differing.push((file.path, wanted));
        }
    }
    Ok(differing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_files_are_current() {
        let stale = stale_files(crate::root()).unwrap();
        assert_eq!(stale, [] as [&str; 0], "run `cargo xtask generate` and commit these files");
    }

    #[test]
    fn stale_and_missing_files_are_written() {
        let place = tempfile::tempdir().unwrap();
        let all: Vec<_> = FILES.iter().map(|file| file.path).collect();
        assert_eq!(stale_files(place.path()).unwrap(), all);
        assert_eq!(write_files(place.path()).unwrap(), all);
        assert_eq!(stale_files(place.path()).unwrap(), [] as [&str; 0]);

        std::fs::write(place.path().join(all[1]), "of an old version").unwrap();
        assert_eq!(stale_files(place.path()).unwrap(), [all[1]]);
        assert_eq!(write_files(place.path()).unwrap(), [all[1]]);
        assert_eq!(write_files(place.path()).unwrap(), [] as [&str; 0]);
    }
}
