//! Files where the system has handles of folders (Unix). A path is walked from the root, name by name, each folder opened
//! below the one before it and never through a link; links are read and walked like the rest. So a [`Spot`] stands for
//! folders that are open, and replacing one of them by a link afterwards changes nothing. Not here: what is granted.
//!
//! By hand with `rustix` and not with `cap-std`: that keeps paths within one folder, but does not say where they lead,
//! which is what grants are about; names would have to be walked here all the same, with a dozen crates more.
//! `openat2` would save calls, on Linux only.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;

use super::io_error::{FileError, reason};

/// The number of links that are followed on the way of one path, as the system does.
const MAX_LINKS: usize = 40;
/// The number of times that a name is looked at again that is something else whenever it is opened.
const MAX_CHANGES: usize = 100;
/// The number of names that are tried for a temporary file.
const MAX_NAMES: usize = 16;

/// Folders are opened to walk on only; where the system has it, without the right to list them.
#[cfg(any(target_os = "linux", target_os = "android"))]
const WALK: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const WALK: OFlags = OFlags::RDONLY;

/// The identity of a file or a folder, whatever it is called: its device and its number there.
pub(super) type Id = (i128, i128);

/// The place that a path leads to.
pub(super) struct Spot {
    /// The folders on the way, the root first.
    folders: Vec<Folder>,
    /// The names that are left below the last of them: one name, more where they are not there. None for the root
    /// itself.
    names: Vec<OsString>,
    /// The entry that the first of these names is.
    pub(super) end: End,
}

struct Folder {
    name: OsString,
    handle: OwnedFd,
    id: Id,
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
    id: Id,
    names: i128,
    mode: Mode,
    owner: (Uid, Gid),
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
    std::fs::canonicalize(path).ok()
}

/// Returns what is at this path now, links followed.
pub(super) fn id(path: &Path) -> Option<Id> {
    rustix::fs::stat(path).ok().map(|stat| Entry::of(&stat).id)
}

/// Walks an absolute path. The link that it ends in is followed if `through` says so.
///
/// # Errors
/// Links in a circle, or a path that keeps changing.
pub(super) fn walk(path: &Path, through: bool) -> Result<Spot, FileError> {
    walk_past(path, through, |_| {})
}

/// The same; `looked` is called between looking at a name and opening it, which is when another process could replace it.
fn walk_past(path: &Path, through: bool, mut looked: impl FnMut(&OsStr)) -> Result<Spot, FileError> {
    let mut todo = parts(path);
    let mut folders = vec![root()?];
    let (mut links, mut changes) = (0, 0);
    while let Some(name) = todo.pop() {
        let Some(here) = folders.last() else { break };
        if name == ".." {
            if folders.len() > 1 {
                folders.pop();
            }
            continue;
        }
        let left = |end: End| {
            let mut names = vec![name.clone()];
            names.extend(todo.iter().rev().cloned());
            Ok((names, end))
        };
        let what = match rustix::fs::statat(&here.handle, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Entry::of(&stat),
            Err(error) => {
                let end = match error {
                    Errno::NOENT => End::Absent,
                    error => End::Unknown(reason(error)),
                };
                return left(end).map(|(names, end)| Spot { folders, names, end });
            }
        };
        looked(&name);
        match what.kind {
            EntryKind::Link if through || !todo.is_empty() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(FileError::Circle);
                }
                match rustix::fs::readlinkat(&here.handle, &name, Vec::new()) {
                    Ok(target) => {
                        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                        if target.is_absolute() {
                            folders.truncate(1);
                        }
                        todo.extend(parts(&target));
                    }
                    Err(_) => todo.push(name),
                }
            }
            EntryKind::Folder if !todo.is_empty() => match open_folder(&here.handle, &name, WALK) {
                Ok((handle, id)) => folders.push(Folder { name, handle, id }),
                // It is something else by now.
                Err(Errno::NOTDIR | Errno::LOOP | Errno::NOENT) => {
                    changes += 1;
                    if changes > MAX_CHANGES {
                        return Err(FileError::Changed);
                    }
                    todo.push(name);
                }
                Err(error) => {
                    return left(End::Unknown(reason(error))).map(|(names, end)| Spot {
                        folders,
                        names,
                        end,
                    });
                }
            },
            _ if todo.is_empty() => return Ok(Spot { folders, names: vec![name], end: End::There(what) }),
            _ => return left(End::NoFolder).map(|(names, end)| Spot { folders, names, end }),
        }
    }
    // It ends in `..`, or is the root: a folder that is open already.
    let Some(last) = folders.last() else { return Err(FileError::Changed) };
    let what = Entry::of(&rustix::fs::fstat(&last.handle).map_err(reason)?);
    let names = if folders.len() > 1 { folders.pop().map(|folder| folder.name) } else { None };
    Ok(Spot { folders, names: names.into_iter().collect(), end: End::There(what) })
}

fn root() -> Result<Folder, FileError> {
    let (handle, id) = open_folder(CWD, OsStr::new("/"), WALK).map_err(reason)?;
    Ok(Folder { name: OsString::new(), handle, id })
}

fn open_folder(below: impl std::os::fd::AsFd, name: &OsStr, how: OFlags) -> Result<(OwnedFd, Id), Errno> {
    let flags = how | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::openat(below, name, flags, Mode::empty())?;
    let id = Entry::of(&rustix::fs::fstat(&handle)?).id;
    Ok((handle, id))
}

/// The names of a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    let mut parts: Vec<_> = path.components().filter_map(name).collect();
    parts.reverse();
    parts
}

impl Entry {
    fn of(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Other,
        };
        Entry {
            kind,
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: stat.st_mtime as f64 + stat.st_mtime_nsec as f64 / 1e9,
            id: (i128::from(stat.st_dev), i128::from(stat.st_ino)),
            names: i128::from(stat.st_nlink),
            mode: Mode::from_raw_mode(stat.st_mode),
            owner: (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid)),
        }
    }
}

impl Spot {
    /// The path without links.
    pub(super) fn path(&self) -> PathBuf {
        let folders = self.folders.iter().skip(1).map(|folder| folder.name.as_os_str());
        let names = folders.chain(self.names.iter().map(OsString::as_os_str));
        super::requested_path::lexical(&Path::new("/").join(names.collect::<PathBuf>()))
    }

    /// The paths of all that would have to be made for it to be a folder, the upper ones first.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        if self.names.iter().any(|name| name == "..") {
            // Nothing is made then.
            return Vec::new();
        }
        let whole = self.path();
        let mut all: Vec<_> = whole.ancestors().take(self.names.len()).map(Path::to_owned).collect();
        all.reverse();
        all
    }

    /// Returns whether this is what the path leads to or a folder above it.
    pub(super) fn passes(&self, id: Id) -> bool {
        let end = match &self.end {
            End::There(what) => Some(what.id),
            _ => None,
        };
        self.folders.iter().any(|folder| folder.id == id) || end == Some(id)
    }

    /// Returns whether it is a pseudo-file of the kernel, wherever its file system is mounted.
    #[cfg(target_os = "linux")]
    pub(super) fn is_of_the_kernel(&self) -> bool {
        const PROC: i128 = 0x9fa0;
        const SYS: i128 = 0x6265_6572;
        let below = self.folders.last().and_then(|folder| rustix::fs::fstatfs(&folder.handle).ok());
        below.is_some_and(|fs| [PROC, SYS].contains(&i128::from(fs.f_type)))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_of_the_kernel(&self) -> bool {
        false
    }

    /// The folder that holds it, and its name there.
    fn parent_and_name(&self) -> Result<(&OwnedFd, &OsStr), FileError> {
        let Some(folder) = self.folders.last() else { return Err(FileError::Changed) };
        match self.names.as_slice() {
            [name] => Ok((&folder.handle, name)),
            // `.` of the root folder.
            [] => Ok((&folder.handle, OsStr::new("."))),
            [..] if !matches!(self.end, End::Absent) => Err(FileError::InNoFolder),
            [first, ..] => Err(FileError::NoParent(first.display().to_string())),
        }
    }

    fn open(&self, how: OFlags) -> Result<(File, Entry), FileError> {
        let (folder, name) = self.parent_and_name()?;
        // Neither a FIFO without a partner nor a terminal holds or takes us.
        let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(|error| match error {
            Errno::LOOP | Errno::NXIO => FileError::Changed,
            error => reason(error),
        })?;
        let what = Entry::of(&rustix::fs::fstat(&handle).map_err(reason)?);
        match what.kind {
            EntryKind::File => Ok((File::from(handle), what)),
            _ => Err(FileError::Special),
        }
    }

    /// The first bytes of the file, one more than `most` where there are more.
    pub(super) fn read(&self, most: u64) -> Result<Vec<u8>, FileError> {
        let (file, _) = self.open(OFlags::RDONLY)?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(reason)?;
        Ok(bytes)
    }

    /// The names in the folder, in no order; one more than `most` where there are more.
    pub(super) fn list(&self, most: usize) -> Result<Vec<OsString>, FileError> {
        let (folder, name) = self.parent_and_name()?;
        let (handle, _) = open_folder(folder, name, OFlags::RDONLY).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => FileError::Changed,
            error => reason(error),
        })?;
        let mut names = Vec::new();
        for entry in Dir::new(handle).map_err(reason)? {
            let name = entry.map_err(reason)?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
            if names.len() > most {
                break;
            }
        }
        Ok(names)
    }

    /// Puts a new file of this text in its place.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), FileError> {
        let (folder, name) = self.parent_and_name()?;
        let before = match &self.end {
            End::There(what) => Some(what),
            _ => None,
        };
        if before.is_some() {
            // Replacing needs a right on the folder only; a file that is write-protected is meant to stay.
            rustix::fs::accessat(folder, name, Access::WRITE_OK, AtFlags::empty()).map_err(reason)?;
        }
        let (temporary, file) =
            temporary(folder, before.map_or(Mode::from_raw_mode(0o666), |_| Mode::RUSR | Mode::WUSR))?;
        let put = || -> Result<(), std::io::Error> {
            (&file).write_all(bytes)?;
            if let Some(before) = before {
                // Another's file stays his where that is ours to say.
                let _ours_then = rustix::fs::fchown(&file, Some(before.owner.0), Some(before.owner.1));
                rustix::fs::fchmod(&file, before.mode & Mode::from_raw_mode(0o777))?;
            }
            Ok(rustix::fs::renameat(folder, &temporary, folder, name)?)
        };
        put().map_err(|error| {
            let _gone = rustix::fs::unlinkat(folder, &temporary, AtFlags::empty());
            reason(error)
        })
    }

    /// Adds to the file, or makes it.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<(), FileError> {
        if let End::There(_) = self.end {
            let (mut file, what) = self.open(OFlags::WRONLY | OFlags::APPEND)?;
            if what.names > 1 {
                return Err(FileError::HardLink);
            }
            return file.write_all(bytes).map_err(reason);
        }
        let (folder, name) = self.parent_and_name()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o666)).map_err(reason)?;
        File::from(handle).write_all(bytes).map_err(reason)
    }

    /// Takes away a file, a link itself, or an empty folder.
    pub(super) fn remove(&self) -> Result<(), FileError> {
        let (folder, name) = self.parent_and_name()?;
        let flags = match &self.end {
            End::There(Entry { kind: EntryKind::Folder, .. }) => AtFlags::REMOVEDIR,
            _ => AtFlags::empty(),
        };
        rustix::fs::unlinkat(folder, name, flags).map_err(|error| match error {
            // What some systems say of a folder with something in it.
            Errno::EXIST => reason(Errno::NOTEMPTY),
            error => reason(error),
        })
    }

    /// Makes the folder, with those above it that are not there.
    pub(super) fn make_dir(&self) -> Result<(), FileError> {
        let mut made: Option<OwnedFd> = None;
        for name in &self.names {
            if name == ".." {
                return Err(FileError::NoWayUp);
            }
            let Some(below) = made.as_ref().or(self.folders.last().map(|folder| &folder.handle)) else {
                break;
            };
            match rustix::fs::mkdirat(below, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(reason(error)),
            }
            let opened = open_folder(below, name, WALK).map_err(|error| match error {
                // It was absent, or was just made.
                Errno::LOOP | Errno::NOTDIR => FileError::Changed,
                error => reason(error),
            })?;
            made = Some(opened.0);
        }
        Ok(())
    }
}

/// A new file with an unguessable name, for its owner and whom `mode` allows.
fn temporary(folder: &OwnedFd, mode: Mode) -> Result<(String, File), FileError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for _ in 0..MAX_NAMES {
        let name = format!(".snaphook-{:016x}.tmp", RandomState::new().hash_one(0));
        match rustix::fs::openat(folder, &name, flags, mode) {
            Ok(handle) => return Ok((name, File::from(handle))),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(reason(error)),
        }
    }
    Err(FileError::NoTemporary)
}

#[cfg(test)]
#[path = "unix_tests.rs"]
mod tests;
