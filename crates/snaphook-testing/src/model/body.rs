//! The body of an answer: does the steps of a plan, one after the other. Not here: the plan (`delivery`), and the end of the
//! connection (`connection`).

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::connection::{CutShort, Line};
use super::delivery::Step;
use super::record::{Delivery, Record};

/// The wait for a gate.
type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The body of one answer.
pub(super) struct StepBody {
    steps: VecDeque<Step>,
    /// The bytes that are still to come, if the length was announced.
    length: Option<usize>,
    /// The wait for the gate of the first step.
    waiting: Option<Wait>,
    /// The connection was asked to send all that it has.
    flushed: bool,
    noted: Noted,
    line: Arc<Line>,
}

impl StepBody {
    pub(super) fn new(steps: VecDeque<Step>, length: Option<usize>, noted: Noted, line: Arc<Line>) -> Self {
        let body = StepBody { steps, length, waiting: None, flushed: false, noted, line };
        body.note();
        body
    }

    /// Notes the end, if nothing is left to do. Nobody asks for more once the announced length is reached.
    fn note(&self) {
        match self.steps.front() {
            None => self.noted.end(Delivery::Sent),
            Some(Step::Ended) => self.noted.end(Delivery::Cut),
            _ => {}
        }
    }
}

impl Body for StepBody {
    type Data = Bytes;
    type Error = CutShort;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutShort>>> {
        let body = self.get_mut();
        loop {
            match body.steps.front() {
                None | Some(Step::Ended) => return Poll::Ready(None),
                Some(Step::Bytes(bytes)) => {
                    let bytes = bytes.clone();
                    body.steps.pop_front();
                    body.note();
                    body.length = body.length.map(|left| left.saturating_sub(bytes.len()));
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(Step::Forever(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes.clone())))),
                Some(Step::Wait(gate)) => {
                    let wait = || {
                        let (record, gate) = (Arc::clone(&body.noted.record), gate.clone());
                        Box::pin(async move { record.pass(&gate).await }) as Wait
                    };
                    ready!(body.waiting.get_or_insert_with(wait).as_mut().poll(context));
                    body.waiting = None;
                    body.steps.pop_front();
                    body.note();
                }
                Some(Step::Cut { tail, reset }) => {
                    // An error makes hyper drop what it has not written yet, so it gets a turn to do that first. It asks
                    // again when it has written all.
                    if !body.flushed || body.line.is_blocked() {
                        if !body.flushed {
                            context.waker().wake_by_ref();
                        }
                        body.flushed = true;
                        return Poll::Pending;
                    }
                    body.line.cut(tail.clone(), *reset);
                    body.noted.end(Delivery::Cut);
                    return Poll::Ready(Some(Err(CutShort)));
                }
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, |length| SizeHint::with_exact(length as u64))
    }
}

/// Notes the end of an answer, and that the client has hung up if it is dropped before.
#[derive(Debug)]
pub(super) struct Noted {
    record: Arc<Record>,
    index: usize,
}

impl Noted {
    pub(super) fn new(record: Arc<Record>, index: usize) -> Self {
        Noted { record, index }
    }

    /// Notes an end. The first one counts.
    pub(super) fn end(&self, delivery: Delivery) {
        self.record.end(self.index, delivery);
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.end(Delivery::HungUp);
    }
}
