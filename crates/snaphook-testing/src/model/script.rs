//! The script of a scripted model: one [`Exchange`] for each request, as data. Not here: faults (`fault`), and how an
//! answer looks on a wire (`wires`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::{Ending, Fault};

/// The answer to one request. It is the same on every wire, except for raw frames.
///
/// As JSON: `{"parts": [{"text": "hi"}, {"call": {"name": "bash", "arguments": {"command": "ls"}}}], "faults": [{"line_ends": "crlf"}]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exchange {
    /// The content, in order.
    pub parts: Vec<Part>,
    /// The stop reason. By default [`Stop::Calls`] if there are calls, else [`Stop::End`]. Another one may contradict them.
    pub stop: Option<Stop>,
    /// The usage; no usage is sent if there is none.
    pub usage: Option<Usage>,
    /// The HTTP status. From 400 the answer is the wire's error body, whole.
    pub status: u16,
    /// Header fields besides those of the wire. One of the same name replaces the wire's.
    pub headers: Vec<(String, String)>,
    /// The text of the error body, or of any whole body, instead of the wire's.
    pub body: Option<String>,
    /// The faults, in the order in which they are applied.
    pub faults: Vec<Fault>,
}

impl Default for Exchange {
    fn default() -> Self {
        Exchange {
            parts: Vec::new(),
            stop: None,
            usage: Some(Usage::default()),
            status: 200,
            headers: Vec::new(),
            body: None,
            faults: Vec::new(),
        }
    }
}

impl Exchange {
    /// An answer of these parts.
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        Exchange { parts: parts.into_iter().collect(), ..Exchange::default() }
    }

    /// An answer of text.
    pub fn text(text: impl Into<String>) -> Self {
        Exchange::new([Part::Text(text.into())])
    }

    /// An answer of tool calls.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Exchange::new(calls.into_iter().map(Part::Call))
    }

    /// An error: its status, with the wire's own body.
    pub fn status(status: u16) -> Self {
        Exchange { status, ..Exchange::default() }
    }

    /// Adds text.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Adds a tool call.
    #[must_use]
    pub fn and_call(mut self, call: Call) -> Self {
        self.parts.push(Part::Call(call));
        self
    }

    /// Sets the stop reason, also one that contradicts the parts.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Sets the tokens of the request and of the answer.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some(Usage { input, output, cached: 0 });
        self
    }

    /// Leaves the usage out.
    #[must_use]
    pub fn without_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// Adds a header field, such as `retry-after`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Replaces the whole body.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Adds a fault.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Ends the answer too early: after so many frames.
    #[must_use]
    pub fn cut(self, after: isize, how: Ending) -> Self {
        self.fault(Fault::Cut { after, bytes: 0, how })
    }

    /// Waits after so many frames until the test releases the gate.
    #[must_use]
    pub fn pause(self, after: isize, gate: impl Into<String>) -> Self {
        self.fault(Fault::Pause { after, gate: gate.into() })
    }

    /// Waits before the answer until the test releases the gate.
    #[must_use]
    pub fn hold(self, gate: impl Into<String>) -> Self {
        self.fault(Fault::Hold { gate: gate.into() })
    }

    /// Returns the calls among the parts.
    pub(crate) fn all_calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) => None,
        })
    }

    /// Returns the stop reason that is sent.
    pub(crate) fn stop_sent(&self) -> Stop {
        let calls = self.all_calls().next().is_some();
        self.stop.clone().unwrap_or(if calls { Stop::Calls } else { Stop::End })
    }
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text for the person.
    Text(String),
    /// A tool call.
    Call(Call),
}

/// A tool call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The id. By default one that the server makes of the numbers of the request and of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub arguments: Value,
    /// The JSON type of the arguments on the wire.
    #[serde(default)]
    pub form: ArgumentsForm,
}

/// The JSON type that a call's arguments have on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentsForm {
    /// The wire's own: JSON in a text with OpenAI and in Anthropic's stream, else the value itself.
    #[default]
    Usual,
    /// Exactly this text: [`Call::arguments`] is a JSON string, whose text need not be JSON. Where the wire has the value
    /// itself, it is this string.
    Text,
    /// The value itself, also where the wire has a text.
    Value,
}

impl Call {
    /// A call with these arguments.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Call { id: None, name: name.into(), arguments, form: ArgumentsForm::Usual }
    }

    /// A call whose arguments are this text, which may be empty or malformed.
    pub fn with_text(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let arguments = Value::String(arguments.into());
        Call { id: None, name: name.into(), arguments, form: ArgumentsForm::Text }
    }

    /// A call whose arguments are this value, also where the wire has a text.
    pub fn with_value(name: impl Into<String>, arguments: Value) -> Self {
        Call { id: None, name: name.into(), arguments, form: ArgumentsForm::Value }
    }

    /// Sets the id.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

/// The reason why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It has said all.
    End,
    /// It calls tools.
    Calls,
    /// It reached the limit of tokens.
    TokenLimit,
    /// A filter stopped it.
    ContentFilter,
    /// None: the field is null, or left out where the wire leaves it out.
    Missing,
    /// A reason that the wire does not have. Responses has no field for it but `incomplete_details`.
    Other(String),
}

/// The tokens of a request and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens of the request, with those that were cached.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens of the request that were read from a cache.
    #[serde(default)]
    pub cached: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Usage { input: 25, output: 11, cached: 0 }
    }
}
