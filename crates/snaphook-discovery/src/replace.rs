//! Writing files that others read too: settings of agents, hooks, git's hooks. A place is resolved once; after that no part of it is
//! followed through a link, so that a write cannot be led elsewhere between the look and the write. Not here: files of the state
//! folder (`private_fs`).
//!
//! A user's own settings may be a link (a dotfiles manager keeps them elsewhere): it is followed to the file that it means. Of a
//! project, which is not trusted, no link that leads out of it is followed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::{Component, Path, PathBuf};

use snaphook_state::plain_fs;
use snaphook_state::private_fs::temporary;

use crate::Directories;

#[cfg(not(unix))]
use elsewhere::{Bits, Folder};
#[cfg(unix)]
use handles::{Bits, Folder};

/// A place for one regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its folder, without links; its last parts may be missing.
    folder: PathBuf,
    name: OsString,
    /// As it was called, for messages of callers and for [`Target::path`].
    named: PathBuf,
}

/// The permissions of a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those of the file before; of a new one, what the umask leaves of 0666.
    Kept,
    /// The mode that the umask leaves of 0666.
    Plain,
    /// The mode that the umask leaves of 0644: only the owner writes it.
    Shared,
    /// 0755, whatever the umask.
    Executable,
}

impl Target {
    /// A file of the user's own. If it is a link, the file that it means.
    ///
    /// # Errors
    /// It is a link to nothing, or not a regular file; those of the system.
    pub fn of_user(path: &Path) -> Result<Self> {
        let (folder, name) = resolve(path)?;
        Ok(Target { folder, name, named: path.to_owned() })
    }

    /// A file of a project.
    ///
    /// # Errors
    /// As [`Target::of_user`]; `PermissionDenied` where a link leads out of the project.
    pub fn in_project(root: &Path, path: &Path) -> Result<Self> {
        let target = Target::of_user(path)?;
        let root = std::fs::canonicalize(root)?;
        if target.folder.starts_with(&root) {
            return Ok(target);
        }
        Err(Error::new(ErrorKind::PermissionDenied, "a link leads out of the project, and is not followed"))
    }

    /// A file of the project if it is in it, else one of the user's own: who wrote the project does not say where else we
    /// write. Where the project is around the home folder, all is the user's own.
    ///
    /// # Errors
    /// As [`Target::in_project`].
    pub fn of(directories: &Directories, path: &Path) -> Result<Self> {
        let root = directories.project_root.as_path();
        let has_home = directories.home.as_deref().is_some_and(|home| home.starts_with(root));
        if lexical(path).starts_with(root) && !has_home {
            Target::in_project(root, path)
        } else {
            Target::of_user(path)
        }
    }

    /// Replaces whatever is at the path itself: a link is not followed but replaced.
    ///
    /// # Errors
    /// Those of the system.
    pub fn itself(path: &Path) -> Result<Self> {
        let (folder, name) = split(path)?;
        Ok(Target { folder, name, named: path.to_owned() })
    }

    /// As it was called.
    pub fn path(&self) -> &Path {
        &self.named
    }

    /// The file that is meant, without links.
    pub fn resolved(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Makes the folders that are missing.
    ///
    /// # Errors
    /// Those of the system.
    pub fn make_folder(&self) -> Result<()> {
        Folder::open(&self.folder, true).map(drop)
    }

    /// Puts a file there in one step, in the place of what was there; makes the folders that are missing.
    ///
    /// # Errors
    /// Those of the system; what was there stays.
    pub fn replace(&self, bytes: &[u8], mode: Mode) -> Result<()> {
        let folder = Folder::open(&self.folder, true)?;
        let before = if mode == Mode::Kept { folder.permissions(&self.name)? } else { None };
        self.written(&folder, bytes, (mode, before), |temporary| folder.rename(temporary, &self.name))
    }

    /// Puts a new file there in one step; makes the folders that are missing.
    ///
    /// # Errors
    /// `AlreadyExists` where anything is there, a link too; those of the system.
    pub fn create(&self, bytes: &[u8], mode: Mode) -> Result<()> {
        let folder = Folder::open(&self.folder, true)?;
        self.written(&folder, bytes, (mode, None), |temporary| match folder.link(temporary, &self.name) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                // A file system without second names.
                fill(&folder, &folder.create(&self.name, made(mode))?, bytes, (mode, None))
            }
            done => done,
        })
    }

    /// Removes the file.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self) -> Result<()> {
        Folder::open(&self.folder, false)?.remove(&self.name)
    }

    fn written(
        &self,
        folder: &Folder,
        bytes: &[u8],
        permissions: (Mode, Option<Bits>),
        place: impl FnOnce(&OsStr) -> Result<()>,
    ) -> Result<()> {
        let temporary = OsString::from(temporary());
        let file = folder.create(&temporary, made(permissions.0))?;
        let done = fill(folder, &file, bytes, permissions).and_then(|()| place(&temporary));
        drop(file);
        // Nothing where it took its place.
        let _ = folder.remove(&temporary);
        done
    }
}

/// Writes a new file. `before` are the permissions of the one whose place it takes.
fn fill(folder: &Folder, file: &File, bytes: &[u8], (mode, before): (Mode, Option<Bits>)) -> Result<()> {
    let exact = if mode == Mode::Executable { Some(0o755) } else { before };
    // Before there is anything to read in it.
    folder.permit(file, exact)?;
    let mut writer = file;
    writer.write_all(bytes)
}

/// The permissions with which a file is made, before the umask.
fn made(mode: Mode) -> Bits {
    match mode {
        Mode::Kept | Mode::Plain => 0o666,
        Mode::Shared => 0o644,
        Mode::Executable => 0o755,
    }
}

/// The path without `.` and `..`, by its text alone.
fn lexical(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = folded.pop(),
            part => folded.push(part),
        }
    }
    folded
}

/// The folder without links, of which the last parts may be missing, and the name in it.
fn resolve(path: &Path) -> Result<(PathBuf, OsString)> {
    let whole = match std::fs::symlink_metadata(path) {
        Ok(known) if known.is_symlink() => {
            let real = std::fs::canonicalize(path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => Error::new(ErrorKind::NotFound, "it is a link to nothing"),
                _ => error,
            })?;
            plain_fs::refuse(&std::fs::symlink_metadata(&real)?)?;
            real
        }
        Ok(known) => {
            plain_fs::refuse(&known)?;
            path.to_owned()
        }
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    split(&whole)
}

fn split(path: &Path) -> Result<(PathBuf, OsString)> {
    let odd = || Error::new(ErrorKind::InvalidInput, "the path has no file name");
    let name = path.file_name().ok_or_else(odd)?.to_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((existing(folder)?, name))
}

/// A folder without links. Parts at its end that are missing stay as they are.
fn existing(folder: &Path) -> Result<PathBuf> {
    let mut missing: Vec<&OsStr> = Vec::new();
    let mut there = folder;
    loop {
        match std::fs::canonicalize(there) {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Err(error) => {
                // A link to nothing is no folder that could be made.
                if std::fs::symlink_metadata(there).is_ok() {
                    return Err(Error::new(ErrorKind::NotFound, "a folder above it is a link to nothing"));
                }
                let Some(Component::Normal(name)) = there.components().next_back() else { return Err(error) };
                missing.push(name);
                there = match there.parent() {
                    Some(above) if above.as_os_str().is_empty() => Path::new("."),
                    Some(above) => above,
                    None => return Err(error),
                };
            }
        }
    }
}

/// Handles of folders: each part is opened in the one before, and no link among them is followed.
#[cfg(unix)]
mod handles {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::Result;
    use std::os::fd::OwnedFd;
    use std::path::{Component, Path};

    use rustix::fs::{AtFlags, Mode, OFlags};
    use rustix::io::Errno;

    /// Permission bits, as wide as the system has them.
    pub(super) type Bits = rustix::fs::RawMode;

    pub(super) struct Folder(OwnedFd);

    /// Search permission is enough to pass through a folder.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const THROUGH: OFlags = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const THROUGH: OFlags = OFlags::RDONLY;

    impl Folder {
        /// Opens an absolute path without links; with `make` its missing parts are made.
        pub(super) fn open(path: &Path, make: bool) -> Result<Self> {
            let flags = THROUGH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut folder = rustix::fs::open("/", flags, Mode::empty())?;
            for part in path.components() {
                let Component::Normal(name) = part else { continue };
                folder = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
                    Err(Errno::NOENT) if make => {
                        match rustix::fs::mkdirat(&folder, name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
                            Err(error) if error != Errno::EXIST => return Err(error.into()),
                            _ => rustix::fs::openat(&folder, name, flags, Mode::empty())?,
                        }
                    }
                    opened => opened?,
                };
            }
            Ok(Folder(folder))
        }

        pub(super) fn create(&self, name: &OsStr, mode: Bits) -> Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(mode))?.into())
        }

        /// The permission bits of a regular file; `None` where there is none.
        pub(super) fn permissions(&self, name: &OsStr) -> Result<Option<Bits>> {
            match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(known) => Ok(Some(Mode::from_raw_mode(known.st_mode).bits() & 0o777)),
                Err(Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        pub(super) fn permit(&self, file: &File, permissions: Option<Bits>) -> Result<()> {
            match permissions {
                Some(bits) => Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(bits))?),
                None => Ok(()),
            }
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<()> {
            Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
        }

        pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> Result<()> {
            Ok(rustix::fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?)
        }

        pub(super) fn remove(&self, name: &OsStr) -> Result<()> {
            Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
        }
    }
}

/// The same by paths, where there are no handles of folders.
#[cfg(not(unix))]
mod elsewhere {
    use std::ffi::OsStr;
    use std::fs::{self, File, OpenOptions};
    use std::io::Result;
    use std::path::{Path, PathBuf};

    /// Nothing uses them here.
    pub(super) type Bits = u32;

    pub(super) struct Folder(PathBuf);

    impl Folder {
        pub(super) fn open(path: &Path, make: bool) -> Result<Self> {
            if make {
                fs::create_dir_all(path)?;
            }
            Ok(Folder(path.to_owned()))
        }

        pub(super) fn create(&self, name: &OsStr, _: Bits) -> Result<File> {
            OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
        }

        /// There are no bits.
        pub(super) fn permissions(&self, _: &OsStr) -> Result<Option<Bits>> {
            Ok(None)
        }

        pub(super) fn permit(&self, _: &File, _: Option<Bits>) -> Result<()> {
            Ok(())
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> Result<()> {
            fs::hard_link(self.0.join(from), self.0.join(to))
        }

        pub(super) fn remove(&self, name: &OsStr) -> Result<()> {
            fs::remove_file(self.0.join(name))
        }
    }
}
