//! `snaphook.http`: what scripts write for a request, and the names of what they get. Not here: whether it may be sent, which
//! the host decides.

use std::collections::BTreeMap;

use serde_json::Value;
use snaphook_core::HttpRequest;

use crate::options::{self, OptionError};

/// The fields of an answer.
pub const RESPONSE_FIELDS: &[&str] = &["status", "headers", "body", "url"];
/// The name of one in messages.
pub const RESPONSE_NAME: &str = "the response of snaphook.http";

const OPTIONS: &[&str] = &["headers", "timeout"];

/// A request for `url`; one with a body is a `POST`. `function` is what messages call it.
///
/// # Errors
/// An option that it does not have, or of a wrong type.
pub fn request(
    function: &str,
    url: String,
    body: Option<String>,
    options: Option<Value>,
) -> Result<HttpRequest, OptionError> {
    let method = if body.is_some() { "POST" } else { "GET" };
    let mut request = HttpRequest { method: method.to_owned(), url, body, ..HttpRequest::default() };
    let map = match options {
        None | Some(Value::Null) => return Ok(request),
        // An empty table of Lua.
        Some(Value::Array(list)) if list.is_empty() => return Ok(request),
        Some(Value::Object(map)) => map,
        Some(other) => {
            return Err(OptionError::NoNames { function: function.to_owned(), found: Box::new(other) });
        }
    };
    for (key, value) in map {
        let wrong = |expected| {
            let (function, name) = (function.to_owned(), key.clone());
            OptionError::WrongType { function, name, expected, found: Box::new(value.clone()) }
        };
        match key.as_str() {
            "timeout" => {
                request.timeout = Some(options::timeout(&value).ok_or_else(|| wrong(options::TIMEOUT))?);
            }
            "headers" => request.headers = headers(&value).ok_or_else(|| wrong("texts by name"))?,
            other => return Err(OptionError::unknown(function, other, OPTIONS)),
        }
    }
    Ok(request)
}

fn headers(value: &Value) -> Option<BTreeMap<String, String>> {
    match value {
        Value::Object(map) => {
            map.iter().map(|(name, value)| Some((name.clone(), options::word(value)?))).collect()
        }
        Value::Array(list) if list.is_empty() => Some(BTreeMap::new()),
        _ => None,
    }
}
