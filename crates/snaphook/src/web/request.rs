//! A request as a client gets it: its address read and granted, its header fields and its size looked at. The same for
//! every client.

use std::time::Duration;

use snaphook_core::{HttpRequest, ServiceError};
use url::Url;

use super::{DEFAULT_HTTP_TIMEOUT, MAX_HTTP_BODY, MAX_HTTP_HEADERS, MAX_HTTP_TIMEOUT};
use crate::grants::net::Reach;

/// The way something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebMethod {
    /// Without a body.
    Get,
    /// With one.
    Post,
}

impl WebMethod {
    /// `GET` or `POST`.
    pub fn as_str(self) -> &'static str {
        match self {
            WebMethod::Get => "GET",
            WebMethod::Post => "POST",
        }
    }
}

/// A request that may be sent.
#[derive(Debug, Clone)]
pub struct WebRequest {
    /// The method.
    pub method: WebMethod,
    /// The address. What was checked is this value, and not the text that the script wrote: a client uses no other.
    pub url: Url,
    /// Header fields: names in lower case and each once, values of one line of ASCII.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<String>,
    /// When it is given up.
    pub timeout: Duration,
}

/// A request needs no more header fields than that.
const MAX_FIELDS: usize = 64;

/// The header fields that belong to the connection or follow from the body; a script that could set it could smuggle
/// a second request into the first, or make a server believe that it is another host's.
const RESERVED: [&str; 10] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The request as it may be sent.
///
/// # Errors
/// What is wrong with it, or the grant that is missing.
pub(crate) fn check(reach: &Reach, request: HttpRequest) -> Result<WebRequest, ServiceError> {
    let HttpRequest { method, url, headers, body, timeout } = request;
    let method = match method.as_str() {
        "GET" => WebMethod::Get,
        "POST" => WebMethod::Post,
        other => {
            return Err(ServiceError(format!("snaphook.http has no method `{other}`, only GET and POST")));
        }
    };
    if body.as_ref().is_some_and(|body| body.len() > MAX_HTTP_BODY) {
        let limit = MAX_HTTP_BODY >> 20;
        return Err(ServiceError(format!("the body is too long: snaphook.http sends at most {limit} MiB")));
    }
    let timeout = timeout.unwrap_or(DEFAULT_HTTP_TIMEOUT);
    if timeout > MAX_HTTP_TIMEOUT {
        let limit = MAX_HTTP_TIMEOUT.as_secs();
        return Err(ServiceError(format!("the `timeout` of snaphook.http is at most {limit} seconds")));
    }
    let mut fields: Vec<(String, String)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        let name = field(&name, &value).map_err(|error| ServiceError(error.to_string()))?;
        if fields.iter().any(|(known, _)| *known == name) {
            return Err(ServiceError(format!("the header field `{name}` is given twice")));
        }
        fields.push((name, value));
    }
    let length: usize = fields.iter().map(|(name, value)| name.len() + value.len()).sum();
    if fields.len() > MAX_FIELDS || length > MAX_HTTP_HEADERS {
        let limit = MAX_HTTP_HEADERS >> 10;
        return Err(ServiceError(format!(
            "there are too many header fields: at most {MAX_FIELDS}, and {limit} KiB"
        )));
    }
    Ok(WebRequest { method, url: reach.address(&url)?, headers: fields, body, timeout })
}

/// The reason why a header field cannot be sent.
#[derive(Debug, thiserror::Error)]
enum FieldError {
    /// The name has characters that none has.
    #[error("{0:?} is no name of a header field")]
    Name(String),
    /// Scripts do not set the field of this name.
    #[error("the header field `{0}` cannot be set: the web client sets it, or leaves it out")]
    Reserved(String),
    /// The value of the field of this name.
    #[error("the value of the header field `{0}` is no single line of ASCII; other text has to be encoded")]
    Value(String),
}

/// Checks a header field and gives its name in lower case.
fn field(name: &str, value: &str) -> Result<String, FieldError> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        return Err(FieldError::Name(name.to_owned()));
    }
    let lower = name.to_ascii_lowercase();
    if RESERVED.contains(&lower.as_str()) || lower.starts_with("proxy-") {
        return Err(FieldError::Reserved(name.to_owned()));
    }
    let legal = |c: char| c == '\t' || c == ' ' || c.is_ascii_graphic();
    if !value.chars().all(legal) {
        return Err(FieldError::Value(name.to_owned()));
    }
    Ok(lower)
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
