//! Files where there are no handles of folders to walk on (Windows). A path is resolved by the system and then used as a
//! path: a folder that is replaced by a link between the two is not noticed, as `docs/security.md` says. Not here:
//! what is granted. The same functions as in `unix`.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::io_error::{FileError, reason};
use super::requested_path::lexical;

/// Files have no identity here that a stable library shows: paths are compared by name only.
pub(super) type Id = std::convert::Infallible;

/// The place that a path leads to.
pub(super) struct Spot {
    /// The folder on the way that is there, without links.
    folder: PathBuf,
    /// The names that are left below it.
    names: Vec<OsString>,
    /// The end of the path.
    pub(super) end: End,
}

/// The end of a path.
pub(super) enum End {
    /// All of it is there.
    There(Entry),
    /// It is not there.
    Absent,
    /// It goes on below something that is no folder.
    NoFolder,
    /// It cannot be known: the reason.
    Unknown(FileError),
}

/// The kind of entry there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    /// In bytes.
    pub(super) size: u64,
    /// In seconds since 1970.
    pub(super) modified: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

/// The path without links; nothing where it does not lead to anything.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Returns what is at this path now: nothing that could be compared.
pub(super) fn id(_: &Path) -> Option<Id> {
    None
}

/// Resolves an absolute path. The link that it ends in is followed if `through` says so.
///
/// # Errors
/// What the system says of a path that cannot be resolved.
pub(super) fn walk(path: &Path, through: bool) -> Result<Spot, FileError> {
    let path = lexical(path);
    let mut names: Vec<OsString> = Vec::new();
    let mut above = path.as_path();
    if !through && fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
        above = rest(&mut names, above);
    }
    let folder = loop {
        match fs::canonicalize(above) {
            Ok(folder) => break folder,
            // A link that leads nowhere is there all the same; where it leads to cannot be made.
            Err(error) if fs::symlink_metadata(above).is_ok() => return Err(reason(error)),
            Err(error) if above.parent().is_none() => return Err(reason(error)),
            Err(_) => above = rest(&mut names, above),
        }
    };
    names.reverse();
    let (folder, names) = match (names.is_empty(), folder.parent(), folder.file_name()) {
        (true, Some(parent), Some(name)) => (parent.to_owned(), vec![name.to_owned()]),
        _ => (folder, names),
    };
    let end = match fs::symlink_metadata(folder.join(names.iter().collect::<PathBuf>())) {
        Ok(metadata) => End::There(Entry::of(&metadata)),
        Err(_) if !folder.is_dir() => End::NoFolder,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => End::Absent,
        Err(error) => End::Unknown(reason(error)),
    };
    Ok(Spot { folder, names, end })
}

/// The path above, whose last name is put behind the others.
fn rest<'a>(names: &mut Vec<OsString>, path: &'a Path) -> &'a Path {
    if let Some(Component::Normal(name)) = path.components().next_back() {
        names.push(name.to_owned());
    }
    path.parent().unwrap_or(path)
}

impl Entry {
    fn of(metadata: &Metadata) -> Self {
        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Folder,
            kind if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        };
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Entry { kind, size: metadata.len(), modified: since.unwrap_or_default().as_secs_f64() }
    }
}

impl Spot {
    /// The path without links.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(self.names.iter().collect::<PathBuf>())
    }

    /// The paths of all that would have to be made for it to be a folder, the upper ones first.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        let whole = self.path();
        let mut all: Vec<_> = whole.ancestors().take(self.names.len()).map(Path::to_owned).collect();
        all.reverse();
        all
    }

    /// Returns whether this is what the path leads to or a folder above it: nothing can be, see [`Id`].
    pub(super) fn passes(&self, id: Id) -> bool {
        match id {}
    }

    /// Returns whether it is among what the kernel shows as files.
    pub(super) fn is_of_the_kernel(&self) -> bool {
        false
    }

    fn resolved_path(&self) -> Result<PathBuf, FileError> {
        match self.names.as_slice() {
            [first, _, ..] => Err(FileError::NoParent(first.display().to_string())),
            _ => Ok(self.path()),
        }
    }

    fn file(&self, file: File) -> Result<File, FileError> {
        if file.metadata().map_err(reason)?.is_file() { Ok(file) } else { Err(FileError::Special) }
    }

    /// The first bytes of the file, one more than `most` where there are more.
    pub(super) fn read(&self, most: u64) -> Result<Vec<u8>, FileError> {
        let file = self.file(File::open(self.resolved_path()?).map_err(reason)?)?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(reason)?;
        Ok(bytes)
    }

    /// The names in the folder, in no order; one more than `most` where there are more.
    pub(super) fn list(&self, most: usize) -> Result<Vec<OsString>, FileError> {
        let entries = fs::read_dir(self.resolved_path()?).map_err(reason)?;
        let names = entries.take(most.saturating_add(1)).map(|entry| entry.map(|entry| entry.file_name()));
        names.collect::<Result<_, _>>().map_err(reason)
    }

    /// Puts a new file of this text in its place.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), FileError> {
        use std::hash::{BuildHasher, RandomState};
        let path = self.resolved_path()?;
        let before = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
        if before.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(FileError::Denied);
        }
        let temporary = path.with_file_name(format!(".snaphook-{:016x}.tmp", RandomState::new().hash_one(0)));
        let put = || -> Result<(), std::io::Error> {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
            file.write_all(bytes)?;
            if let Some(before) = before {
                file.set_permissions(before)?;
            }
            drop(file);
            fs::rename(&temporary, &path)
        };
        put().map_err(|error| {
            let _gone = fs::remove_file(&temporary);
            reason(error)
        })
    }

    /// Adds to the file, or makes it. Whether it has a second name cannot be seen, so all of it is put in place anew.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<(), FileError> {
        let mut whole = match &self.end {
            End::There(_) => fs::read(self.resolved_path()?).map_err(reason)?,
            _ => Vec::new(),
        };
        whole.extend_from_slice(bytes);
        self.write(&whole)
    }

    /// Takes away a file, a link itself, or an empty folder.
    pub(super) fn remove(&self) -> Result<(), FileError> {
        let path = self.resolved_path()?;
        match &self.end {
            End::There(Entry { kind: EntryKind::Folder, .. }) => fs::remove_dir(path).map_err(reason),
            // A link to a folder is taken away like a folder.
            End::There(Entry { kind: EntryKind::Link, .. }) => {
                fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).map_err(reason)
            }
            _ => fs::remove_file(path).map_err(reason),
        }
    }

    /// Makes the folder, with those above it that are not there.
    pub(super) fn make_dir(&self) -> Result<(), FileError> {
        fs::create_dir_all(self.path()).map_err(reason)
    }
}
