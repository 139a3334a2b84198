//! The folder that the file tools may touch. Not here: what `bash` may touch; a shell is not confined.

use std::io;
use std::path::{Component, Path, PathBuf};

use snaphook_state::plain_fs;

use super::MAX_FILE;

/// A folder, and the rule that nothing outside is read or written through it.
///
/// A path is checked twice: as it is written, and with every symbolic link on its way resolved. A process that
/// swaps a folder for a link between the check and the use is not guarded against; the scratch project belongs to
/// one session.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    /// The folder as it was named: on its way may be links (`/tmp` on macOS).
    named: PathBuf,
}

/// The reason why a tool did not do what it was asked: the text that the agent gets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolRefused(pub String);

impl Workspace {
    /// The workspace at an existing folder.
    ///
    /// # Errors
    /// The folder cannot be resolved.
    pub fn new(root: &Path) -> io::Result<Self> {
        Ok(Workspace { root: root.canonicalize()?, named: root.to_owned() })
    }

    /// The folder, absolute and without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The place of a path as an agent writes it: absolute, or relative to the workspace.
    ///
    /// # Errors
    /// It is outside, or leads outside through a symbolic link.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, ToolRefused> {
        if path.contains('\0') {
            return Err(ToolRefused("the path contains a NUL byte".to_owned()));
        }
        let outside = || ToolRefused(format!("{path} is outside the session's scratch project"));
        let plain = normalize(&self.root.join(path)).ok_or_else(outside)?;
        let plain = match plain.strip_prefix(&self.named) {
            Ok(inside) if !plain.starts_with(&self.root) => self.root.join(inside),
            _ => plain,
        };
        if !plain.starts_with(&self.root) {
            return Err(outside());
        }
        // What does not exist yet has no links; what exists of the path may.
        let mut existing = plain.as_path();
        let mut missing = Vec::new();
        while existing.symlink_metadata().is_err() {
            let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
                return Err(outside());
            };
            missing.push(name);
            existing = parent;
        }
        let real = existing.canonicalize().map_err(|error| ToolRefused(format!("{path}: {error}")))?;
        if !real.starts_with(&self.root) {
            return Err(ToolRefused(format!(
                "{path} leads outside the session's scratch project through a symbolic link"
            )));
        }
        Ok(missing.iter().rev().fold(real, |place, name| place.join(name)))
    }

    /// A place inside as it is shown: relative to the workspace, with `/`.
    pub fn show(&self, place: &Path) -> String {
        let inside = place.strip_prefix(&self.root).unwrap_or(place);
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
    }

    /// Reads a whole file that [`Workspace::resolve`] gave.
    pub(super) fn load(&self, shown: &str, place: &Path) -> Result<Vec<u8>, ToolRefused> {
        let failed = |error: io::Error| ToolRefused(format!("{shown}: {error}"));
        let metadata = match place.metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ToolRefused(format!("{shown} does not exist")));
            }
            Err(error) => return Err(failed(error)),
        };
        if metadata.is_dir() {
            return Err(ToolRefused(format!("{shown} is a folder")));
        }
        // A pipe or a device might never end.
        if !metadata.is_file() {
            return Err(ToolRefused(format!("{shown} is not a regular file")));
        }
        if metadata.len() > MAX_FILE {
            let size = metadata.len();
            return Err(ToolRefused(format!("{shown} has {size} bytes; more than {MAX_FILE} are not read")));
        }
        plain_fs::read(place, MAX_FILE).map_err(failed)
    }

    /// Reads a file that must be text.
    pub(crate) fn load_text(&self, shown: &str, place: &Path) -> Result<String, ToolRefused> {
        let bytes = self.load(shown, place)?;
        String::from_utf8(bytes).map_err(|_| ToolRefused(format!("{shown} is not UTF-8 text")))
    }
}

/// The path without `.` and `..`, by its words alone; `None` where `..` leads above the root of the file system.
fn normalize(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// Returns whether bytes look like something that is no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8192).any(|byte| *byte == 0)
}
