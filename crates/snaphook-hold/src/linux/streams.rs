//! The standard streams of a command: none may be a way past its mounts. A descriptor keeps the mount that it was opened on,
//! and `/proc/self/fd/0` opens it again with any rights. Not here: other descriptors, which are closed.

use std::fs;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, SeekFrom, fcntl_getfl, fstat, openat, seek, stat};
use rustix::stdio::{stderr, stdin, stdout};

use crate::command::Failure;
use crate::ffi;
use crate::paths::is_in;
use crate::policy::Policy;

/// A file, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let stat = stat(path)?;
        Ok(Identity { device: stat.st_dev, inode: stat.st_ino })
    }

    fn of_fd(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let stat = fstat(fd)?;
        Ok(Identity { device: stat.st_dev, inode: stat.st_ino })
    }
}

const NAMES: [&str; 3] = ["standard input", "standard output", "standard error"];

/// The streams that have to be opened anew, behind the mounts.
pub(crate) struct Streams(Vec<Anew>);

struct Anew {
    stream: u8,
    path: PathBuf,
    flags: OFlags,
    file: Identity,
}

fn fd_of(stream: u8) -> BorrowedFd<'static> {
    match stream {
        0 => stdin(),
        1 => stdout(),
        _ => stderr(),
    }
}

fn is_null_of_the_runtime(stream: u8) -> bool {
    ffi::was_closed(stream)
}

/// Looks at the three streams.
pub(crate) fn look(policy: &Policy) -> Result<Streams, Failure> {
    let mut anew = Vec::new();
    for stream in 0..3 {
        if is_null_of_the_runtime(stream) {
            continue;
        }
        let name = NAMES[usize::from(stream)];
        let refused = |what: String| Failure::Stream { stream: name, what };
        let failed = |error| Failure::step(format!("look at {name}"), error);
        let fd = fd_of(stream);
        // Nothing is open: the program closed it itself.
        let Ok(stat) = fstat(fd) else { continue };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => return Err(refused("a folder".to_owned())),
            FileType::BlockDevice => return Err(refused("a disk".to_owned())),
            FileType::Socket if policy.net.is_some() && !is_local(fd) => {
                return Err(refused("a socket of the network".to_owned()));
            }
            FileType::RegularFile => {}
            _ => continue,
        }
        let path = fs::read_link(format!("/proc/self/fd/{stream}")).map_err(failed)?;
        let file = Identity::of_fd(fd).map_err(failed)?;
        // A file without a name is nobody's guarded one.
        if Identity::of(&path).ok() != Some(file) {
            continue;
        }
        if is_in(&policy.hidden, &path) {
            return Err(refused(format!("{}, which is hidden", path.display())));
        }
        let is_guarded = is_in(&policy.read_only, &path) && !is_in(&policy.inside, &path);
        let is_outside = policy.walls.as_ref().is_some_and(|walls| !is_in(walls, &path));
        if !(is_guarded || is_outside) {
            continue;
        }
        let flags = fcntl_getfl(fd).map_err(|error| failed(error.into()))?;
        if (flags & OFlags::RWMODE) == OFlags::RDONLY {
            anew.push(Anew { stream, path, flags, file });
        } else if is_guarded {
            return Err(refused(format!("{}, which is read-only, opened for writing", path.display())));
        }
    }
    Ok(Streams(anew))
}

impl Streams {
    /// Opens them anew: on the mounts that are there now, at the place where they were.
    pub(crate) fn open_anew(self) -> Result<(), Failure> {
        for Anew { stream, path, flags, file } in self.0 {
            let failed = |error| Failure::step(format!("open {} again", path.display()), error);
            let opened = (|| -> io::Result<_> {
                let kept = flags & (OFlags::NONBLOCK | OFlags::APPEND);
                let fd = openat(CWD, &path, OFlags::RDONLY | OFlags::CLOEXEC | kept, Mode::empty())?;
                let at = seek(fd_of(stream), SeekFrom::Current(0))?;
                seek(&fd, SeekFrom::Start(at))?;
                Ok(fd)
            })()
            .map_err(failed)?;
            if Identity::of_fd(opened.as_fd()).map_err(failed)? != file {
                return Err(failed(io::Error::other("it was replaced by another file")));
            }
            match stream {
                0 => rustix::stdio::dup2_stdin(&opened),
                1 => rustix::stdio::dup2_stdout(&opened),
                _ => rustix::stdio::dup2_stderr(&opened),
            }
            .map_err(|error| failed(error.into()))?;
        }
        Ok(())
    }
}

/// Returns whether a socket is one of this machine's processes, as pipes of some programs are. A network namespace does not hold
/// others that are open.
fn is_local(fd: BorrowedFd<'_>) -> bool {
    rustix::net::sockopt::socket_domain(fd).is_ok_and(|domain| domain == rustix::net::AddressFamily::UNIX)
}

/// The terminals among the streams, by their paths.
pub(crate) fn terminals() -> Vec<PathBuf> {
    let terminals = (0..3).filter(|stream| fd_of(*stream).is_terminal());
    terminals.filter_map(|stream| fs::read_link(format!("/proc/self/fd/{stream}")).ok()).collect()
}
