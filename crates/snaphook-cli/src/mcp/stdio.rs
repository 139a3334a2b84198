//! The client's side on our standard input and output. Pipes and sockets are waited for together with all else; what is neither
//! (a terminal, a file) takes a thread.

use snaphook_mcp::{Carried, MAX_FRAME, carry};
use tokio::io::{AsyncRead, AsyncWrite};

/// Carries messages on the process's own streams. Nothing else may read or write them.
pub(super) fn client() -> Carried {
    let (from, to) = (input(), output());
    carry(from, to, MAX_FRAME)
}

type Input = Box<dyn AsyncRead + Send + Unpin>;
type Output = Box<dyn AsyncWrite + Send + Unpin>;

fn input() -> Input {
    #[cfg(unix)]
    if let Ok(input) = unix::input() {
        return input;
    }
    Box::new(tokio::io::stdin())
}

fn output() -> Output {
    #[cfg(unix)]
    if let Ok(output) = unix::output() {
        return output;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::net::UnixStream;

    use rustix::fs::{FileType, fstat};
    use tokio::net::unix::pipe::{Receiver, Sender};

    use super::{Input, Output};

    pub(super) fn input() -> io::Result<Input> {
        let stream = io::stdin();
        match kind(stream.as_fd())? {
            FileType::Fifo => Ok(Box::new(Receiver::from_owned_fd(stream.as_fd().try_clone_to_owned()?)?)),
            FileType::Socket => Ok(Box::new(socket(stream.as_fd())?)),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    pub(super) fn output() -> io::Result<Output> {
        let stream = io::stdout();
        match kind(stream.as_fd())? {
            FileType::Fifo => Ok(Box::new(Sender::from_owned_fd(stream.as_fd().try_clone_to_owned()?)?)),
            FileType::Socket => Ok(Box::new(socket(stream.as_fd())?)),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn kind(stream: BorrowedFd<'_>) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(fstat(stream)?.st_mode))
    }

    fn socket(stream: BorrowedFd<'_>) -> io::Result<tokio::net::UnixStream> {
        let socket = UnixStream::from(stream.try_clone_to_owned()?);
        socket.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(socket)
    }
}
