//! The acceptance of a turn: whether an answer counts, and what of it. Not here: asking again (`driver`).

use serde_json::{Map, Value};

use super::{Arguments, RawTurn, Stop};
use crate::message::Continuation;
use crate::usage::Usage;

/// The most calls of one turn.
pub const MAX_CALLS: usize = 64;

/// The most text and input of one turn, in bytes.
pub const MAX_TURN: usize = 8 << 20;

/// A turn that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The text.
    pub text: String,
    /// The calls that it makes at once. None where the answer was cut: the last of them may be half a call.
    pub calls: Vec<TurnCall>,
    /// The reason, where the answer was cut and calls of it may be missing.
    pub cut: Option<Cut>,
    /// The tokens that it took.
    pub usage: Usage,
    /// The parts that the provider wants back.
    pub provider: Continuation,
}

/// A call of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnCall {
    /// The name of the tool.
    pub name: String,
    /// The input, or why it is none: such a call does not run, and the model is told.
    pub input: Result<Map<String, Value>, BadInput>,
    /// The provider's signatures of the call.
    pub signatures: Vec<String>,
}

/// An answer that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// At the limit of tokens.
    MaxTokens,
    /// By the provider's filter.
    ContentFilter,
}

/// An input that is none. Reads after "the call did not run: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// It is not JSON.
    #[error("its input is not JSON: {0}")]
    NotJson(String),
    /// It is JSON and no object.
    #[error("its input has to be a JSON object")]
    NotObject,
}

/// The reason why a turn does not count. Reads after "the answer is broken: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// Its end did not come.
    #[error("it ended before its end")]
    NoEnd,
    /// It contradicts itself.
    #[error("{0}")]
    Fault(String),
    /// It says that it calls tools, and no call came.
    #[error("it ends with calls, and has none")]
    CallsMissing,
    /// It has too many calls.
    #[error("it has {0} calls; {MAX_CALLS} at once are taken")]
    TooManyCalls(usize),
    /// It is too large.
    #[error("it has {0} bytes; {MAX_TURN} are taken")]
    TooLarge(usize),
    /// A call without a name.
    #[error("a call names no tool")]
    NoName,
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It stopped for a reason that is no end.
    #[error("it stopped: {0}")]
    Stopped(String),
}

/// Decides whether an answer counts.
///
/// Whether there are calls is decided by the calls, not by the stop reason. A call whose input is no JSON object does not run;
/// no input at all counts as an empty one.
///
/// # Errors
/// It is broken: nothing of it may run.
pub fn accept(raw: RawTurn) -> Result<Turn, Broken> {
    let RawTurn { text, calls, stop, fault, usage, provider } = raw;
    let Some(stop) = stop else { return Err(Broken::NoEnd) };
    if let Some(fault) = fault {
        return Err(Broken::Fault(fault));
    }
    let cut = match &stop {
        Stop::MaxTokens => Some(Cut::MaxTokens),
        Stop::ContentFilter => Some(Cut::ContentFilter),
        Stop::Other(reason) => return Err(Broken::Stopped(reason.clone())),
        Stop::End | Stop::Calls => None,
    };
    if calls.len() > MAX_CALLS {
        return Err(Broken::TooManyCalls(calls.len()));
    }
    let size = text.len() + calls.iter().map(|call| size(&call.arguments)).sum::<usize>();
    if size > MAX_TURN {
        return Err(Broken::TooLarge(size));
    }
    if cut.is_some() {
        return Ok(Turn { text, calls: Vec::new(), cut, usage, provider });
    }
    if calls.iter().any(|call| call.name.trim().is_empty()) {
        return Err(Broken::NoName);
    }
    if calls.is_empty() && stop == Stop::Calls {
        return Err(Broken::CallsMissing);
    }
    if calls.is_empty() && text.trim().is_empty() {
        return Err(Broken::Empty);
    }
    let calls = calls.into_iter().map(|call| TurnCall {
        name: call.name,
        input: input(call.arguments),
        signatures: call.signatures,
    });
    Ok(Turn { text, calls: calls.collect(), cut, usage, provider })
}

fn size(arguments: &Arguments) -> usize {
    match arguments {
        Arguments::Text(text) => text.len(),
        Arguments::Value(value) => value.to_string().len(),
    }
}

fn input(arguments: Arguments) -> Result<Map<String, Value>, BadInput> {
    let value = match arguments {
        Arguments::Text(text) if text.trim().is_empty() => return Ok(Map::new()),
        Arguments::Text(text) => {
            serde_json::from_str(&text).map_err(|error| BadInput::NotJson(error.to_string()))?
        }
        Arguments::Value(value) => value,
    };
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(BadInput::NotObject),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::RawCall;

    fn call(arguments: Arguments) -> RawCall {
        RawCall { name: "bash".to_owned(), arguments, signatures: Vec::new() }
    }

    fn text(arguments: &str) -> RawCall {
        call(Arguments::Text(arguments.to_owned()))
    }

    #[test]
    fn a_turn_counts_or_it_does_not() {
        let end = Some(Stop::End);
        let calls = Some(Stop::Calls);
        let turn = |text: &str, calls: Vec<RawCall>, stop: Option<Stop>| RawTurn {
            text: text.to_owned(),
            calls,
            stop,
            ..RawTurn::default()
        };
        let cases = [
            (turn("hi", vec![], end.clone()), "0 calls"),
            (turn("", vec![text("{}")], calls.clone()), "1 calls"),
            // Whether there are calls is decided by the calls.
            (turn("", vec![text("{}")], end.clone()), "1 calls"),
            (turn("hi", vec![], calls.clone()), "it ends with calls, and has none"),
            (turn("", vec![text("{}")], None), "it ended before its end"),
            (turn("", vec![], end.clone()), "it is empty"),
            (turn("", vec![text("{}"), text("{}")], Some(Stop::MaxTokens)), "0 calls, cut"),
            (turn("", vec![text("{}")], Some(Stop::ContentFilter)), "0 calls, cut"),
            (turn("", vec![text("{}")], Some(Stop::Other("ERROR".to_owned()))), "it stopped: ERROR"),
            (turn("", vec![text("{}"); 64], end.clone()), "64 calls"),
            (turn("", vec![text("{}"); 65], end.clone()), "it has 65 calls; 64 at once are taken"),
            (
                turn("", vec![RawCall { name: " ".to_owned(), ..text("") }], end.clone()),
                "a call names no tool",
            ),
            (
                turn("", vec![text(&" ".repeat(MAX_TURN + 1))], end.clone()),
                "it has 8388609 bytes; 8388608 are taken",
            ),
            (RawTurn { fault: Some("two in one".to_owned()), ..turn("x", vec![], end) }, "two in one"),
        ];
        for (raw, expected) in cases {
            let shown = match accept(raw.clone()) {
                Ok(turn) => {
                    format!("{} calls{}", turn.calls.len(), if turn.cut.is_some() { ", cut" } else { "" })
                }
                Err(broken) => broken.to_string(),
            };
            assert_eq!(shown, expected, "{:?}", raw.stop);
        }
    }

    #[test]
    fn an_input_is_an_object() {
        let cases = [
            (Arguments::Text(String::new()), Ok(json!({}))),
            (Arguments::Text("{\"a\":1}".to_owned()), Ok(json!({"a": 1}))),
            (Arguments::Value(json!({"a": 1})), Ok(json!({"a": 1}))),
            (Arguments::Value(Value::Null), Ok(json!({}))),
            (Arguments::Text("[1]".to_owned()), Err("its input has to be a JSON object")),
            (Arguments::Value(json!("x")), Err("its input has to be a JSON object")),
            (
                Arguments::Text("{\"a\":1}{\"b\":2}".to_owned()),
                Err("its input is not JSON: trailing characters at line 1 column 8"),
            ),
            (
                Arguments::Text("{\"a\":".to_owned()),
                Err("its input is not JSON: EOF while parsing a value at line 1 column 5"),
            ),
        ];
        for (arguments, expected) in cases {
            let input = input(arguments).map(Value::Object).map_err(|error| error.to_string());
            assert_eq!(input, expected.map_err(str::to_owned));
        }
    }
}
