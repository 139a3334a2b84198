//! The client's side on our standard input and output; for an ACP agent that is the editor. Pipes and sockets are waited for together with all else; what is neither
//! (a terminal, a file) takes a thread.

use snaphook_mcp_transport::{Framed, MAX_FRAME_BYTES, framed};
use tokio::io::{AsyncRead, AsyncWrite};

/// Carries messages on the process's own streams. Nothing else may read or write them.
pub(crate) fn client() -> Framed {
    let (from, to) = (input(), output());
    framed(from, to, MAX_FRAME_BYTES)
}

/// Completes when the client has closed its end of our standard output: nothing that we say is read any more. Where that cannot be
/// seen (a terminal, a file) it never does.
pub(crate) async fn nobody_reads() {
    #[cfg(unix)]
    if unix::reader_gone().await.is_ok() {
        return;
    }
    std::future::pending().await
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
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    use rustix::fs::{FileType, fstat};
    use tokio::io::Interest;
    use tokio::net::unix::pipe::{Receiver, Sender};

    use super::{Input, Output};

    pub(super) fn input() -> io::Result<Input> {
        let stream = io::stdin();
        match kind(stream.as_fd())? {
            FileType::Fifo => Ok(Box::new(Receiver::from_owned_fd(stream.as_fd().try_clone_to_owned()?)?)),
            FileType::Socket => Ok(Box::new(socket(stream.as_fd().try_clone_to_owned()?)?)),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    pub(super) fn output() -> io::Result<Output> {
        let stream = io::stdout();
        match kind(stream.as_fd())? {
            FileType::Fifo => Ok(Box::new(Sender::from_owned_fd(stream.as_fd().try_clone_to_owned()?)?)),
            FileType::Socket => Ok(Box::new(socket(stream.as_fd().try_clone_to_owned()?)?)),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Completes when the other end of standard output is closed.
    ///
    /// # Errors
    /// It is neither a pipe nor a socket.
    pub(super) async fn reader_gone() -> io::Result<()> {
        let stream = io::stdout();
        let again = stream.as_fd().try_clone_to_owned()?;
        match kind(stream.as_fd())? {
            // The system tells of it as an error, whatever else is waited for.
            FileType::Fifo => Sender::from_owned_fd(again)?.ready(Interest::ERROR).await.map(drop),
            FileType::Socket => until_closed(&socket(again)?).await,
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    async fn until_closed(stream: &tokio::net::UnixStream) -> io::Result<()> {
        loop {
            stream.readable().await?;
            match stream.try_read(&mut [0; 256]) {
                Ok(0) => return Ok(()),
                // Nothing is to come from there; if it does, it is dropped.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Ok(()),
            }
        }
    }

    fn kind(stream: BorrowedFd<'_>) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(fstat(stream)?.st_mode))
    }

    fn socket(stream: OwnedFd) -> io::Result<tokio::net::UnixStream> {
        let socket = UnixStream::from(stream);
        socket.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(socket)
    }
}
