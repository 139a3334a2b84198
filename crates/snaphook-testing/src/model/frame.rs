//! One frame of an answer, and its bytes. Not here: what is in it (`wires`).

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::fault::LineEnd;

/// One event of a stream, or a whole answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    /// The name in the line `event:`, if the wire has one.
    pub(super) event: Option<&'static str>,
    /// The content.
    pub(super) data: Data,
}

/// The content of a frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Json(Value),
    /// What stands behind `data:` and is not JSON, or not in the usual notation.
    Text(&'static str),
    /// All bytes of the frame.
    Raw(String),
}

impl Frame {
    /// A frame of a wire that names its events.
    pub(super) fn named(event: &'static str, data: Value) -> Self {
        Frame { event: Some(event), data: Data::Json(data) }
    }

    /// A frame of a wire that does not.
    pub(super) fn unnamed(data: Value) -> Self {
        Frame { event: None, data: Data::Json(data) }
    }

    /// A frame whose bytes are all given.
    pub(super) fn raw(raw: impl Into<String>) -> Self {
        Frame { event: None, data: Data::Raw(raw.into()) }
    }
}

/// The spaces in the JSON of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// None.
    Compact,
    /// One after each colon.
    Colons,
    /// Two for each level, with line ends.
    Pretty,
}

impl Notation {
    pub(super) fn text(self, value: &Value) -> String {
        let mut bytes = Vec::new();
        // A value made of JSON, written to memory: it does not fail.
        let _ = match self {
            Notation::Compact => {
                value.serialize(&mut Serializer::with_formatter(&mut bytes, CompactFormatter))
            }
            Notation::Colons => value.serialize(&mut Serializer::with_formatter(&mut bytes, Colons)),
            Notation::Pretty => {
                value.serialize(&mut Serializer::with_formatter(&mut bytes, PrettyFormatter::new()))
            }
        };
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

struct Colons;

impl Formatter for Colons {
    fn begin_object_value<W: std::io::Write + ?Sized>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The way in which the frames of one answer become bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) framing: Framing,
    pub(super) notation: Notation,
    pub(super) line_end: LineEnd,
    /// A comment and blank lines before each event.
    pub(super) comments: bool,
    /// A space after the colon of a field.
    pub(super) space: bool,
    /// The JSON is spread over several `data:` lines.
    pub(super) many_lines: bool,
}

/// The way in which frames stand behind each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Events,
    /// The elements of one JSON array.
    Array,
    /// There is one frame, and its JSON is the body.
    Whole,
}

impl Style {
    /// Returns the bytes of all frames.
    pub(super) fn bytes(&self, frames: &[Frame]) -> Vec<String> {
        let last = frames.len().saturating_sub(1);
        let one = |(at, frame): (usize, &Frame)| match self.framing {
            Framing::Events => self.event(frame),
            Framing::Array => {
                let (before, after) =
                    (if at == 0 { "[" } else { ",\r\n" }, if at == last { "]\n" } else { "" });
                format!("{before}{}{after}", self.data(frame))
            }
            Framing::Whole => self.data(frame),
        };
        frames.iter().enumerate().map(one).collect()
    }

    fn data(&self, frame: &Frame) -> String {
        match &frame.data {
            Data::Json(value) => {
                let end = if self.framing == Framing::Whole && self.notation == Notation::Pretty {
                    "\n"
                } else {
                    ""
                };
                format!("{}{end}", self.notation.text(value))
            }
            Data::Text(text) => (*text).to_owned(),
            Data::Raw(raw) => raw.clone(),
        }
    }

    fn event(&self, frame: &Frame) -> String {
        if let Data::Raw(raw) = &frame.data {
            return raw.clone();
        }
        let end = match self.line_end {
            LineEnd::Lf => "\n",
            LineEnd::Crlf => "\r\n",
            LineEnd::Cr => "\r",
        };
        let space = if self.space { " " } else { "" };
        let mut text = String::new();
        if self.comments {
            text += &format!(":{space}comment{end}{end}{end}");
        }
        if let Some(event) = frame.event {
            text += &format!("event:{space}{event}{end}");
        }
        let data = match &frame.data {
            Data::Json(value) if self.many_lines => Notation::Pretty.text(value),
            _ => self.data(frame),
        };
        for line in data.lines() {
            text += &format!("data:{space}{line}{end}");
        }
        text + end
    }
}
