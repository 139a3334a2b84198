//! Errors of the client library as ours: whether it makes sense to ask again, and when. The key is in none of them.

use std::time::Duration;

use genai::Error;
use serde_json::Value;

use crate::model::AskError;

/// The longest text of a provider that is shown, in bytes.
const MAX_TEXT: usize = 600;

/// The words by which providers say that a conversation is too long.
const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "context length",
    "context_length_exceeded",
    "context window",
    "maximum context",
    "too many tokens",
    "exceeds the maximum number of tokens",
    "input is too long",
    "string_above_max_length",
];

/// The words in an error of a stream by which a provider says that it cannot answer now.
const BUSY: &[&str] = &[
    "overloaded",
    "rate_limit",
    "rate limit",
    "server_error",
    "unavailable",
    "internal",
    "timeout",
    "api_error",
];

pub(super) fn ask_error(error: &Error, key: Option<&str>) -> AskError {
    let hidden = |text: &str| shown(text, key);
    if let Some(status) = error.status() {
        return refused(error, status.as_u16(), hidden);
    }
    match error {
        Error::ChatResponse { body, .. } => in_stream(body, hidden),
        Error::WebStream { error: cause, cause: text, .. } => match cause.downcast_ref::<Error>() {
            Some(cause) => ask_error(cause, key),
            None if cause.source().is_some() => AskError::Connection(hidden(&chain(cause.as_ref()))),
            None => AskError::Connection(hidden(text)),
        },
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => match webc_error
        {
            genai::webc::Error::Reqwest(cause) => AskError::Connection(hidden(&chain(cause))),
            other => AskError::Protocol(hidden(&other.to_string())),
        },
        Error::StreamParse { serde_error, .. } => {
            AskError::Protocol(format!("a frame of the answer is no JSON: {serde_error}"))
        }
        Error::ChatResponseGeneration { cause, .. } => AskError::Protocol(hidden(cause)),
        Error::NoChatResponse { .. }
        | Error::InvalidJsonResponseElement { .. }
        | Error::JsonValueExt(_)
        | Error::SerdeJson(_) => AskError::Protocol(hidden(&error.to_string())),
        other => AskError::Request(hidden(&other.to_string())),
    }
}

fn refused(error: &Error, status: u16, hidden: impl Fn(&str) -> String) -> AskError {
    let body = body(error);
    let message = hidden(&message(&body).unwrap_or(body));
    let header = |name: &str| error.headers().and_then(|headers| headers.get(name)?.to_str().ok());
    let lower = message.to_lowercase();
    if matches!(status, 400 | 413 | 422) && TOO_LONG.iter().any(|words| lower.contains(words)) {
        return AskError::TooLong { message };
    }
    let passes = matches!(status, 408 | 409 | 425 | 429) || status >= 500;
    let passes = match header("x-should-retry") {
        Some("true") => true,
        Some("false") => false,
        _ => passes,
    };
    if passes {
        AskError::Busy { status, message, retry_after: retry_after(header) }
    } else {
        AskError::Refused { status, message }
    }
}

/// An error that came within a stream, which began well.
fn in_stream(body: &Value, hidden: impl Fn(&str) -> String) -> AskError {
    let text = body.to_string().to_lowercase();
    let message = hidden(&message(&body.to_string()).unwrap_or_else(|| body.to_string()));
    if TOO_LONG.iter().any(|words| text.contains(words)) {
        return AskError::TooLong { message };
    }
    if BUSY.iter().any(|words| text.contains(words)) {
        return AskError::Busy { status: 503, message, retry_after: None };
    }
    AskError::Protocol(message)
}

fn body(error: &Error) -> String {
    match error {
        Error::HttpError { body, .. } => body.clone(),
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => match webc_error
        {
            genai::webc::Error::ResponseFailedStatus { body, .. } => body.clone(),
            other => other.to_string(),
        },
        other => other.to_string(),
    }
}

/// The words of a provider in the body of an error.
fn message(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    let of = |value: &Value| {
        let error = value.get("error").unwrap_or(value);
        let text = error.get("message").or(Some(error)).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    // Gemini answers a stream with a list.
    value.as_array().and_then(|list| list.first()).and_then(of).or_else(|| of(&value))
}

/// The time that a provider wants to be left alone: milliseconds, seconds, or a date.
fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Duration> {
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let text = header("retry-after")?.trim();
    match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {
            let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
            let wait = date.duration_since(jiff::Timestamp::now());
            Some(Duration::try_from(wait).unwrap_or_default())
        }
    }
}

/// An error of the connection with its causes, which say what happened.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// The text without the key, and not too long.
fn shown(text: &str, key: Option<&str>) -> String {
    let text = match key.filter(|key| key.len() >= 8) {
        Some(key) => text.replace(key, "[key]"),
        None => text.to_owned(),
    };
    let cut = text.floor_char_boundary(MAX_TEXT.min(text.len()));
    snaphook_core::printable(text.get(..cut).unwrap_or_default().trim())
}
