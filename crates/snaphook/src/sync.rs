//! Work that ends with a cancellation.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio_util::sync::CancellationToken;

/// The result of the work, or `None` when the cancellation came first; the work is dropped then.
pub(crate) async fn until<T>(cancel: Option<&CancellationToken>, work: impl Future<Output = T>) -> Option<T> {
    let Some(cancel) = cancel else { return Some(work.await) };
    let mut cancelled = pin!(cancel.cancelled());
    let mut work = pin!(work);
    poll_fn(|cx| match cancelled.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => work.as_mut().poll(cx).map(Some),
    })
    .await
}
