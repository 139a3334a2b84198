//! The plan of a delivery: status, header fields, and the steps in which the body is sent, with the faults of bytes and of the
//! connection. Not here: faults of frames (`mutate`), and doing the steps (`body`).

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::error::AnswerError;
use super::fault::{Ending, Fault};
use super::frame::{Frame, Framing, Notation, Style};
use super::mutate::{self, position};
use super::script::Exchange;
use super::wires::{Answer, Asked};

/// An answer that is ready to be sent.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) steps: VecDeque<Step>,
    /// The length that is announced. Without it the body is sent in chunks.
    pub(super) length: Option<usize>,
}

/// A step of a delivery.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Bytes, in a chunk of their own.
    Bytes(Bytes),
    /// The test has to release a gate.
    Wait(String),
    /// These bytes, again and again.
    Forever(Bytes),
    /// The connection ends here, after these last bytes, which HTTP has no part in.
    Cut { tail: Bytes, reset: bool },
    /// The end, which is too early.
    Ended,
}

impl Plan {
    /// The answer of a script to a request.
    ///
    /// # Errors
    /// A fault changes nothing, or the script's header fields or status are not HTTP.
    pub(super) fn of(asked: &Asked, exchange: &Exchange, index: usize) -> Result<Self, AnswerError> {
        let format = asked.wire.format();
        let (traits, answer) = (format.traits(), Answer::new(asked, exchange, index + 1));
        let status = StatusCode::from_u16(exchange.status).map_err(http::Error::from)?;
        let failed = exchange.status >= 400;
        let is_whole = failed || exchange.body.is_some() || !asked.streamed;
        let mut frames = match &exchange.body {
            Some(body) => vec![Frame::raw(body)],
            None if failed => {
                let text = mutate::error_text(exchange.status);
                vec![Frame::unnamed(format.error(exchange.status, &text, index + 1))]
            }
            None if is_whole => vec![Frame::unnamed(format.whole(&answer))],
            None => format.stream(&answer),
        };
        let framing = match (is_whole, asked.array) {
            (true, _) => Framing::Whole,
            (false, true) => Framing::Array,
            (false, false) => Framing::Events,
        };
        let notation =
            if framing == Framing::Events { traits.stream_notation } else { traits.whole_notation };
        let mut style = Style {
            framing,
            notation,
            line_end: traits.line_end,
            comments: false,
            space: true,
            many_lines: false,
        };
        let mut later = Vec::new();
        let no_effect =
            |fault: &Fault, frames| AnswerError::NoEffect { fault: fault.clone(), wire: asked.wire, frames };
        for fault in &exchange.faults {
            match mutate::apply(fault, &mut frames, format, &answer).or_else(|| restyle(fault, &mut style)) {
                Some(true) => {}
                Some(false) => return Err(no_effect(fault, frames.len())),
                None => later.push(fault),
            }
        }
        let is_split = later.iter().any(|fault| is_split(fault));
        let mut delivery = Sending::new(style.bytes(&frames), is_whole && !is_split);
        for fault in &later {
            if !delivery.disturb(fault) {
                return Err(no_effect(fault, frames.len()));
            }
        }
        let (mut steps, length) = delivery.steps();
        for fault in &later {
            if !split(fault, &mut steps) {
                return Err(no_effect(fault, frames.len()));
            }
        }
        let content = if framing == Framing::Events { traits.stream_type } else { traits.whole_type };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content));
        if framing == Framing::Events {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        }
        for (name, value) in format.headers(index + 1) {
            headers.insert(name, HeaderValue::try_from(value).map_err(http::Error::from)?);
        }
        for (name, value) in &exchange.headers {
            let name = HeaderName::try_from(name).map_err(http::Error::from)?;
            headers.insert(name, HeaderValue::try_from(value).map_err(http::Error::from)?);
        }
        Ok(Plan { status, headers, steps, length })
    }

    /// An answer that no script has: why it fails, in the wire's form.
    pub(super) fn failed(asked: &Asked, error: &AnswerError) -> Self {
        let body = asked.wire.format().error(500, &error.to_string(), 0);
        Plan::whole(StatusCode::INTERNAL_SERVER_ERROR, "application/json", Notation::Pretty.text(&body))
    }

    /// The answer to a request that is to no wire.
    pub(super) fn not_found(text: String) -> Self {
        Plan::whole(StatusCode::NOT_FOUND, "text/plain", text)
    }

    fn whole(status: StatusCode, kind: &'static str, text: String) -> Self {
        let length = Some(text.len());
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]);
        Plan { status, headers, steps: VecDeque::from([Step::Bytes(text.into())]), length }
    }
}

/// Applies a fault of how frames are written. Returns none if it is not one. Only events have such faults.
fn restyle(fault: &Fault, style: &mut Style) -> Option<bool> {
    match fault {
        Fault::LineEnds(line_end) => style.line_end = *line_end,
        Fault::Comments => style.comments = true,
        Fault::NoSpace => style.space = false,
        Fault::ManyLines => style.many_lines = true,
        _ => return None,
    }
    Some(style.framing == Framing::Events)
}

/// The frames, and what happens between them.
struct Sending {
    frames: Vec<String>,
    /// The steps before each frame, and after the last.
    gaps: Vec<Vec<Step>>,
    /// The length is announced; else there are chunks.
    has_length: bool,
}

impl Sending {
    fn new(frames: Vec<String>, has_length: bool) -> Self {
        let gaps = vec![Vec::new(); frames.len() + 1];
        Sending { frames, gaps, has_length }
    }

    /// Applies a fault of the connection. Returns false if it has no place.
    fn disturb(&mut self, fault: &Fault) -> bool {
        let (after, steps) = match fault {
            Fault::Pause { after, gate } => (*after, Some(vec![Step::Wait(gate.clone())])),
            Fault::Endless { after, raw } => {
                let before = position(*after, self.frames.len()).and_then(|after| after.checked_sub(1));
                let frame = before.and_then(|before| self.frames.get(before));
                let bytes = raw.as_ref().or(frame).filter(|bytes| !bytes.is_empty());
                (*after, bytes.map(|bytes| vec![Step::Forever(Bytes::from(bytes.clone()))]))
            }
            Fault::Cut { after, bytes, how } => (*after, self.cut(*after, *bytes, *how)),
            _ => return true,
        };
        let gap = position(after, self.frames.len()).and_then(|after| self.gaps.get_mut(after));
        match (gap, steps) {
            (Some(gap), Some(steps)) => {
                gap.extend(steps);
                true
            }
            _ => false,
        }
    }

    fn cut(&self, after: isize, bytes: usize, how: Ending) -> Option<Vec<Step>> {
        let after = position(after, self.frames.len())?;
        let frame = self.frames.get(after).map(String::as_bytes).unwrap_or_default();
        let part = frame.get(..bytes)?;
        let part_of_chunk = || match (bytes, self.has_length) {
            (0, _) => Bytes::new(),
            (_, true) => Bytes::copy_from_slice(part),
            (_, false) => [format!("{:X}\r\n", frame.len()).as_bytes(), part].concat().into(),
        };
        Some(match how {
            Ending::Clean => vec![Step::Bytes(Bytes::copy_from_slice(part)), Step::Ended],
            Ending::Close => vec![Step::Cut { tail: part_of_chunk(), reset: false }],
            Ending::Reset => vec![Step::Cut { tail: part_of_chunk(), reset: true }],
        })
    }

    /// Returns the steps up to the one after which nothing comes, and the length that a whole answer announces.
    fn steps(self) -> (VecDeque<Step>, Option<usize>) {
        let total: usize = self.frames.iter().map(String::len).sum();
        let frames = self.frames.into_iter().map(|frame| vec![Step::Bytes(frame.into())]).chain([Vec::new()]);
        let mut steps = VecDeque::new();
        for step in self.gaps.into_iter().zip(frames).flat_map(|(gap, frame)| gap.into_iter().chain(frame)) {
            let is_last = matches!(step, Step::Forever(_) | Step::Cut { .. } | Step::Ended);
            steps.push_back(step);
            if is_last {
                break;
            }
        }
        steps.retain(|step| !matches!(step, Step::Bytes(bytes) if bytes.is_empty()));
        let sent = all(&steps).len();
        let length = match steps.back() {
            _ if !self.has_length => None,
            Some(Step::Ended) => Some(sent),
            // What comes after the last byte would be left out.
            Some(Step::Wait(_) | Step::Cut { .. }) if sent == total => None,
            Some(Step::Forever(_)) => None,
            _ => Some(total),
        };
        (steps, length)
    }
}

/// Returns the bytes of all steps, in order.
fn all(steps: &VecDeque<Step>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for step in steps {
        if let Step::Bytes(more) = step {
            bytes.extend_from_slice(more);
        }
    }
    bytes
}

fn is_split(fault: &Fault) -> bool {
    matches!(fault, Fault::SplitAt(_) | Fault::SplitInside(_) | Fault::SplitEvery(_))
}

/// Applies a fault of pieces. Returns false if it splits nothing.
fn split(fault: &Fault, steps: &mut VecDeque<Step>) -> bool {
    let bytes = all(steps);
    let positions: BTreeSet<usize> = match fault {
        Fault::SplitAt(positions) => positions.iter().copied().collect(),
        Fault::SplitEvery(size) if *size > 0 => (0..bytes.len()).step_by(*size).skip(1).collect(),
        Fault::SplitInside(text) if text.len() > 1 => {
            let found =
                bytes.windows(text.len()).enumerate().filter(|(_, window)| *window == text.as_bytes());
            found.map(|(at, _)| at + text.len() / 2).collect()
        }
        fault => return !is_split(fault),
    };
    let inside = |position: &usize| (1..bytes.len()).contains(position);
    if positions.is_empty() || !positions.iter().all(inside) {
        return false;
    }
    let mut pieces = VecDeque::new();
    let mut begin = 0;
    for step in steps.drain(..) {
        let Step::Bytes(mut rest) = step else {
            pieces.push_back(step);
            continue;
        };
        let end = begin + rest.len();
        for position in positions.range(begin + 1..end.max(begin + 1)) {
            let piece = rest.split_to(position - begin);
            begin = *position;
            pieces.push_back(Step::Bytes(piece));
        }
        begin = end;
        pieces.push_back(Step::Bytes(rest));
    }
    *steps = pieces;
    true
}
