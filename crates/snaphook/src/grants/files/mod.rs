//! `snaphook.fs`: files that a script may read or write, as far as its grants go. A path counts as it was asked for and as it
//! is without links, and both have to be granted. `requested_path` reads paths, `globs` knows what is granted,
//! `reserved` what never is, `unix` (elsewhere: `windows`) finds where a path leads and does what is asked there.

mod globs;
mod io_error;
mod requested_path;
mod reserved;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_core::{FileOperation, FileReply, FileRequest, FileStat, ServiceError};
use snaphook_discovery::printable;

use super::Base;
use super::asker::Asker;
use globs::Paths;
use io_error::FileError;
use requested_path::RequestedPath;
pub(crate) use reserved::ReservedPaths;
use system::{End, EntryKind, Spot};
#[cfg(unix)]
use unix as system;
#[cfg(not(unix))]
use windows as system;

/// The most that a script reads or writes at once, in bytes.
pub const MAX_FILE_BYTES: usize = 4 << 20;
/// The most names that a script gets of one folder.
pub const MAX_FILE_NAMES: usize = 10_000;

/// The granted paths.
pub(super) struct Files {
    read: Paths,
    write: Paths,
    /// The project's root.
    root: PathBuf,
    home: Option<PathBuf>,
    own: Arc<ReservedPaths>,
}

/// The grant that an operation needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Read,
    Write,
}

/// The parts of an operation.
#[derive(Clone, Copy)]
struct Doing {
    /// In words, behind "failed to".
    fails: &'static str,
    /// In words, before "is not granted".
    lacks: &'static str,
    needs: Needs,
    /// True if it may be about a folder, which is granted where all in it is.
    of_folders: bool,
}

impl Files {
    pub(super) fn new(read: &[String], write: &[String], base: &Base) -> Self {
        Files {
            read: Paths::new(read, base),
            write: Paths::new(write, base),
            root: base.project_root.clone(),
            home: base.home.clone(),
            own: Arc::clone(&base.own),
        }
    }

    /// Does what is asked. `hooks` are the files of all hooks that are loaded; it is asked for what changes something.
    ///
    /// # Errors
    /// The grant that is missing, or why it failed.
    pub(super) fn run(
        &self,
        asker: &Asker,
        request: FileRequest,
        hooks: impl FnOnce() -> Vec<PathBuf>,
    ) -> Result<FileReply, ServiceError> {
        let FileRequest { path, operation } = request;
        let doing = Doing::of(&operation);
        let failed = |reason: FileError| {
            ServiceError(format!("failed to {} {}: {reason}", doing.fails, printable_path(&path)))
        };
        let read = RequestedPath::read(&path, &self.root, self.home.as_deref());
        let asked = read.map_err(|error| failed(error.into()))?;
        self.need(asker, &asked, &asked.plain, doing, doing.of_folders)?;
        // What is taken away is the link, not what it leads to.
        let through = operation != FileOperation::Remove;
        let spot = system::walk(&asked.path, through).map_err(failed)?;
        let real = spot.path();
        // That all below is granted grants no file.
        let is_file = matches!(&spot.end, End::There(what) if what.kind != EntryKind::Folder);
        let is_folder = doing.of_folders && !is_file;
        self.need(asker, &asked, &asked.plain, doing, is_folder)?;
        let entry = self.need(asker, &asked, &real, doing, is_folder)?;
        if operation == FileOperation::MakeDir {
            for above in spot.missing() {
                self.need(asker, &asked, &above, doing, true)?;
            }
        }
        self.allowed(&asked, &spot, doing.needs, hooks).map_err(failed)?;
        asker.used(doing.needs.kind(), entry);
        let is_granted = |name: &str| {
            let folders = [&asked.plain, &real].into_iter();
            folders
                .map(|folder| folder.join(name))
                .all(|path| self.covers(doing.needs, &path, true).is_some())
        };
        run(&asked, &spot, operation, is_granted).map_err(failed)
    }

    /// The entry that grants a path.
    ///
    /// # Errors
    /// The grant that is missing.
    fn need(
        &self,
        asker: &Asker,
        asked: &RequestedPath,
        path: &Path,
        doing: Doing,
        is_folder: bool,
    ) -> Result<&str, ServiceError> {
        self.covers(doing.needs, path, is_folder).ok_or_else(|| {
            let what = if path == asked.plain {
                format!("{} {}", doing.lacks, printable_path(&asked.text))
            } else {
                let real = printable_path(&globs::as_text(path));
                format!("{} {real}, which {} leads to,", doing.lacks, printable_path(&asked.text))
            };
            asker.missing(&what, doing.needs.kind(), &self.entry(path))
        })
    }

    /// The entry that grants a path.
    fn covers(&self, needs: Needs, path: &Path, is_folder: bool) -> Option<&str> {
        let paths = match needs {
            Needs::Read => &self.read,
            Needs::Write => &self.write,
        };
        if is_folder { paths.cover_folder(path) } else { paths.cover(path) }
    }

    /// Returns whether the place is one that grants can give.
    fn allowed(
        &self,
        asked: &RequestedPath,
        spot: &Spot,
        needs: Needs,
        hooks: impl FnOnce() -> Vec<PathBuf>,
    ) -> Result<(), FileError> {
        let of_the_kernel = |path: &Path| {
            cfg!(unix)
                && ["/proc", "/sys", "/dev"].iter().any(|folder| path.starts_with(folder))
                && !path.starts_with("/dev/shm")
        };
        // Also on the way: `/dev/fd/1` leads to whatever file this process writes to.
        if of_the_kernel(&asked.plain) || of_the_kernel(&spot.path()) || spot.is_of_the_kernel() {
            return Err(FileError::OfTheKernel);
        }
        let own = &self.own;
        let held = match needs {
            Needs::Read => own.forbids_reading(spot),
            Needs::Write => own.forbids_writing(spot, &hooks()),
        };
        match held {
            None => Ok(()),
            Some(what) => Err(FileError::Reserved(what)),
        }
    }

    /// The smallest entry that would grant a path.
    fn entry(&self, path: &Path) -> String {
        let below = |base: &Path, start: &str| {
            let inside = globs::as_text(path.strip_prefix(base).ok()?);
            Some(match (inside.is_empty(), inside.contains('/') || start != "./") {
                (true, _) if start == "./" => "**".to_owned(),
                (true, _) => start.to_owned(),
                // With a slash inside it begins at the root anyway.
                (false, true) if start == "./" => literal(&inside),
                (false, _) => format!("{start}{}", literal(&inside)),
            })
        };
        let root =
            |root: &Path| Some(root).filter(|root| root.is_absolute()).and_then(|root| below(root, "./"));
        root(&self.root)
            .or_else(|| system::real(&self.root).and_then(|real| root(&real)))
            .or_else(|| self.home.as_deref().and_then(|home| below(home, "~/")))
            .unwrap_or_else(|| literal(&globs::as_text(path)))
    }
}

impl Needs {
    /// The grant as front matter names it.
    fn kind(self) -> &'static str {
        match self {
            Needs::Read => "read",
            Needs::Write => "write",
        }
    }
}

impl Doing {
    fn of(operation: &FileOperation) -> Self {
        let (fails, lacks, needs) = match operation {
            FileOperation::Read => ("read", "reading", Needs::Read),
            FileOperation::Stat => ("look at", "looking at", Needs::Read),
            FileOperation::List => ("list", "listing", Needs::Read),
            FileOperation::Write(_) => ("write", "writing", Needs::Write),
            FileOperation::Append(_) => ("append to", "appending to", Needs::Write),
            FileOperation::Remove => ("remove", "removing", Needs::Write),
            FileOperation::MakeDir => ("make the folder", "making the folder", Needs::Write),
        };
        let of_folders = matches!(
            operation,
            FileOperation::List | FileOperation::Stat | FileOperation::MakeDir | FileOperation::Remove
        );
        Doing { fails, lacks, needs, of_folders }
    }
}

/// A path as messages show it: in one line, and not without end.
fn printable_path(path: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 200;
    let mut text = printable(&path.chars().take(MAX_SHOWN_CHARS).collect::<String>());
    if path.chars().nth(MAX_SHOWN_CHARS).is_some() {
        text.push('…');
    }
    if text.is_empty() { "\"\"".to_owned() } else { text }
}

/// A path as a pattern that matches nothing else.
fn literal(path: &str) -> String {
    let mut pattern = String::new();
    for (at, c) in path.chars().enumerate() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') || (at == 0 && matches!(c, '!' | '#' | '~'))
        {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Does what is asked where the path leads.
fn run(
    asked: &RequestedPath,
    spot: &Spot,
    operation: FileOperation,
    is_granted: impl Fn(&str) -> bool,
) -> Result<FileReply, FileError> {
    let there = match &spot.end {
        End::There(what) => Some(*what),
        End::Absent | End::NoFolder => None,
        End::Unknown(reason) => return Err(reason.clone()),
    };
    let kind = there.map(|what| what.kind);
    if asked.is_folder && kind.is_some_and(|kind| kind != EntryKind::Folder) {
        return match operation {
            FileOperation::Stat => Ok(FileReply::Stat(None)),
            _ => Err(FileError::NoFolder),
        };
    }
    let absent = || match &spot.end {
        End::NoFolder => FileError::InNoFolder,
        _ => FileError::NotFound,
    };
    // A regular file, or none where none is needed.
    let file = |may_be_absent: bool| match kind {
        Some(EntryKind::File) => Ok(()),
        Some(EntryKind::Folder) => Err(FileError::IsFolder),
        Some(EntryKind::Link | EntryKind::Other) => Err(FileError::Special),
        None if !may_be_absent => Err(absent()),
        None if asked.is_folder => Err(FileError::FolderPath),
        None => Ok(()),
    };
    match operation {
        FileOperation::Stat => Ok(FileReply::Stat(there.map(|what| FileStat {
            kind: match what.kind {
                EntryKind::File => "file",
                EntryKind::Folder => "folder",
                EntryKind::Link | EntryKind::Other => "other",
            },
            size: what.size,
            modified: what.modified,
        }))),
        FileOperation::Read => file(false).and_then(|()| read(spot)).map(FileReply::Text),
        FileOperation::List => match kind {
            Some(EntryKind::Folder) => list(spot, is_granted).map(FileReply::Names),
            Some(_) => Err(FileError::NoFolder),
            None => Err(absent()),
        },
        FileOperation::Write(text) => file(true)
            .and_then(|()| fits(&text))
            .and_then(|()| spot.write(text.as_bytes()))
            .map(|()| FileReply::Done),
        FileOperation::Append(text) => file(true)
            .and_then(|()| fits(&text))
            .and_then(|()| spot.append(text.as_bytes()))
            .map(|()| FileReply::Done),
        FileOperation::Remove => match kind {
            Some(_) => spot.remove().map(|()| FileReply::Done),
            None => Err(absent()),
        },
        FileOperation::MakeDir => match (&spot.end, kind) {
            (_, Some(EntryKind::Folder)) => Ok(FileReply::Done),
            (_, Some(_)) => Err(FileError::Occupied),
            (End::NoFolder, None) => Err(absent()),
            _ => spot.make_dir().map(|()| FileReply::Done),
        },
    }
}

fn read(spot: &Spot) -> Result<String, FileError> {
    let bytes = spot.read(MAX_FILE_BYTES as u64)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(FileError::TooBig);
    }
    String::from_utf8(bytes).map_err(|error| FileError::NotText(error.utf8_error().valid_up_to()))
}

fn fits(text: &str) -> Result<(), FileError> {
    if text.len() <= MAX_FILE_BYTES { Ok(()) } else { Err(FileError::TooLong) }
}

/// Names that are not granted are left out: a name says something, too.
fn list(spot: &Spot, is_granted: impl Fn(&str) -> bool) -> Result<Vec<String>, FileError> {
    let found = spot.list(MAX_FILE_NAMES)?;
    if found.len() > MAX_FILE_NAMES {
        return Err(FileError::TooMany);
    }
    let mut names = Vec::new();
    for name in found {
        let name = name
            .into_string()
            .map_err(|name| FileError::NameNotText(printable_path(&name.to_string_lossy())))?;
        if is_granted(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}
