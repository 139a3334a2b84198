//! `snaphook.http`: what scripts write for a request, and the names of what they get. Not here: whether it may be sent, which
//! the host decides.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use snaphook_core::{HttpRequest, nearest};

/// The fields of an answer.
pub const RESPONSE: &[&str] = &["status", "headers", "body", "url"];
/// The name of one in messages.
pub const RESPONSE_WHAT: &str = "the response of snaphook.http";

const OPTIONS: &[&str] = &["headers", "timeout"];

/// A request for `url`; one with a body is a `POST`. `function` is what messages call it.
///
/// # Errors
/// Options that are none.
pub fn request(
    function: &str,
    url: String,
    body: Option<String>,
    options: Option<Value>,
) -> Result<HttpRequest, String> {
    let method = if body.is_some() { "POST" } else { "GET" };
    let mut request = HttpRequest { method: method.to_owned(), url, body, ..HttpRequest::default() };
    let map = match options {
        None | Some(Value::Null) => return Ok(request),
        // An empty table of Lua.
        Some(Value::Array(list)) if list.is_empty() => return Ok(request),
        Some(Value::Object(map)) => map,
        Some(other) => {
            return Err(format!("the options of {function} have names, like `timeout`; this is {other}"));
        }
    };
    for (key, value) in map {
        let wrong = |kind: &str| format!("the option `{key}` of {function} is {kind}, not {value}");
        match key.as_str() {
            "timeout" => {
                let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
                let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                request.timeout = Some(timeout.ok_or_else(|| wrong("a number of seconds above 0"))?);
            }
            "headers" => request.headers = headers(&value).ok_or_else(|| wrong("texts by name"))?,
            other => {
                let hint = nearest(other, OPTIONS.iter().copied());
                let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
                return Err(format!("{function} has no option `{other}`{hint}"));
            }
        }
    }
    Ok(request)
}

fn headers(value: &Value) -> Option<BTreeMap<String, String>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Object(map) => map.iter().map(|(name, value)| Some((name.clone(), text(value)?))).collect(),
        Value::Array(list) if list.is_empty() => Some(BTreeMap::new()),
        _ => None,
    }
}
