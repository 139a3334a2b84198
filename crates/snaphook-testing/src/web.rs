//! `snaphook.http` in tests: canned answers by address. Nothing ever goes out; a request without a stub is an error that says so.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use snaphook::{HttpResponse, ServiceError, ServiceFuture, Web, WebPlace, WebRequest};

use crate::arguments::{Fields, Positional};
use crate::error::TestError;
use crate::values::object;

/// The web of one test.
#[derive(Debug, Default)]
pub(crate) struct WebStubs {
    stubs: Mutex<Vec<Stub>>,
    fetched: Mutex<Vec<Value>>,
    /// True if there is no test that could stub anything.
    in_example: AtomicBool,
}

#[derive(Debug, Clone)]
struct Stub {
    /// The beginning of addresses that it answers, as they are after reading.
    url: String,
    answer: StubAnswer,
}

/// The answer of a stub.
#[derive(Debug, Clone)]
enum StubAnswer {
    Response(HttpResponse),
    /// The reason why the server cannot be reached.
    Failure(String),
}

impl WebStubs {
    /// `t.http_stub(url, {…})`. The same address again replaces what was said of it.
    ///
    /// # Errors
    /// Invalid arguments.
    pub(crate) fn add(&self, arguments: Vec<Value>) -> Result<(), TestError> {
        let mut arguments = Positional::read("t.http_stub", arguments, 2)?;
        let url = arguments.text("address")?.unwrap_or_default();
        let url = match url::Url::parse(&url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            _ => {
                return Err("t.http_stub needs an address, for example \"https://example.org/v1\"".into());
            }
        };
        let known = &["status", "headers", "body", "error"];
        let mut fields = Fields::read("t.http_stub", arguments.next(), known)?;
        let error = fields.text("error")?;
        let status = fields.integer("status")?;
        let headers = headers(&mut fields)?;
        let body = fields.text("body")?;
        if error.is_some() && (status.is_some() || body.is_some() || !headers.is_empty()) {
            return Err("t.http_stub: `error` takes no other keys".into());
        }
        let status = u16::try_from(status.unwrap_or(200)).ok().filter(|status| (200..600).contains(status));
        let status = status.ok_or("t.http_stub: the `status` is a number from 200 to 599")?;
        let response = HttpResponse { status, headers, body: body.unwrap_or_default(), url: String::new() };
        let stub = Stub {
            url: url.into(),
            answer: error.map_or(StubAnswer::Response(response), StubAnswer::Failure),
        };
        let mut stubs = self.stubs.lock();
        stubs.retain(|other| other.url != stub.url);
        stubs.push(stub);
        Ok(())
    }

    /// From now on an example is tried, which can stub nothing.
    pub(crate) fn refuse(&self) {
        self.in_example.store(true, Ordering::Relaxed);
    }

    /// Returns what hooks asked for since this was last called.
    pub(crate) fn take_fetched(&self) -> Vec<Value> {
        std::mem::take(&mut *self.fetched.lock())
    }

    /// The stub for an address: the longest that it begins with, up to where a part of it ends.
    fn find(&self, url: &str) -> Option<Stub> {
        let begins = |stub: &&Stub| {
            url.strip_prefix(&stub.url).is_some_and(|rest| {
                rest.is_empty() || stub.url.ends_with(['/', '?']) || rest.starts_with(['/', '?'])
            })
        };
        self.stubs.lock().iter().filter(begins).max_by_key(|stub| stub.url.len()).cloned()
    }
}

fn headers(fields: &mut Fields) -> Result<BTreeMap<String, String>, TestError> {
    let map = match fields.take("headers") {
        None => Map::new(),
        Some(Value::Array(list)) if list.is_empty() => Map::new(),
        Some(Value::Object(map)) => map,
        Some(other) => return Err(fields.wrong("headers", "texts by name", &other)),
    };
    let one = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name.to_ascii_lowercase(), text)),
        other => Err(fields.wrong("headers", "texts by name", &other)),
    };
    map.into_iter().map(one).collect()
}

impl Web for WebStubs {
    fn run(&self, _: WebPlace, request: WebRequest) -> ServiceFuture<HttpResponse> {
        let WebRequest { method, url, headers, body, .. } = request;
        let headers: Map<_, _> = headers.into_iter().map(|(name, value)| (name, json!(value))).collect();
        let url = String::from(url);
        let fetched = json!({ "method": method.as_str(), "url": url, "headers": headers, "body": body });
        self.fetched.lock().push(object(fetched));
        let done = match self.find(&url) {
            Some(Stub { answer: StubAnswer::Response(response), .. }) => Ok(HttpResponse { url, ..response }),
            Some(Stub { answer: StubAnswer::Failure(error), .. }) => {
                Err(ServiceError(format!("failed to reach {url}: {error}")))
            }
            None if self.in_example.load(Ordering::Relaxed) => Err(ServiceError(format!(
                "examples reach no web server, and {url} is one: write a test, which can stub it"
            ))),
            None => Err(ServiceError(format!(
                "the test has no stub for {url}: say t.http_stub(\"{url}\", {{body = \"…\"}})"
            ))),
        };
        Box::pin(async move { done })
    }
}
