//! One connection: HTTP by hyper, up to the place where a script cuts it. Not here: answers (`server`), what is sent (`body`).

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::record::Record;
use super::server;

/// The script ends the connection here.
#[derive(Debug, thiserror::Error)]
#[error("the script ends the connection here")]
pub(super) struct CutShort;

/// What the body of an answer knows of its connection, and how it cuts it.
#[derive(Debug, Default)]
pub(super) struct Line {
    blocked: AtomicBool,
    cut: Mutex<Option<(Bytes, bool)>>,
}

impl Line {
    /// Returns whether bytes wait until the client reads.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    /// Says how the connection ends: after these bytes, and with a reset or not.
    pub(super) fn cut(&self, tail: Bytes, reset: bool) {
        *self.cut.lock() = Some((tail, reset));
    }
}

/// Serves a connection until one of both sides ends it.
pub(super) async fn serve(stream: TcpStream, record: Arc<Record>) {
    // Small pieces are sent at once. A system that cannot do that sends them later.
    let _ = stream.set_nodelay(true);
    let line = Arc::new(Line::default());
    let watched = Watched { io: TokioIo::new(stream), line: Arc::clone(&line) };
    let of_service = Arc::clone(&line);
    let service = service_fn(move |request| {
        Box::pin(server::answer(request, Arc::clone(&record), Arc::clone(&of_service)))
    });
    let mut connection = http1::Builder::new().serve_connection(watched, service);
    // An error is a client that hung up, or a cut.
    let _ = std::future::poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let mut stream = connection.into_parts().io.io.into_inner();
    let cut = line.cut.lock().take();
    if let Some((tail, reset)) = cut {
        let _ = stream.write_all(&tail).await;
        if reset {
            let _ = stream.set_zero_linger();
        }
    }
}

/// A socket that knows if it is blocked.
struct Watched {
    io: TokioIo<TcpStream>,
    line: Arc<Line>,
}

impl Watched {
    fn written<T>(&self, written: Poll<T>) -> Poll<T> {
        self.line.blocked.store(written.is_pending(), Ordering::Relaxed);
        written
    }
}

impl Read for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl Write for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.written(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(context, parts);
        self.written(written)
    }
}
