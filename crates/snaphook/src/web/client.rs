//! The client: one exchange after the other, each on a connection of its own. It follows redirects itself, so that each is
//! checked like the first address; it knows no proxy, keeps no cookies and has no credentials but those that a script gives.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, OnceLock};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt;
use snaphook_core::{HttpResponse, ServiceError, ServiceFuture};

use super::dial::{Lookup, Pinned, SystemLookup, pin};
use super::{MAX_HTTP_BODY, MAX_HTTP_HEADERS, MAX_REDIRECTS, Web, WebMethod, WebPlace, WebRequest, redirect};
use crate::grants::net::{Reach, display_url};

/// Web servers over HTTP/1.1. Certificates are checked as the system does; which are trusted is looked up at the first
/// `https` address and kept.
#[derive(Clone)]
pub struct HttpClient(Arc<Parts>);

struct Parts {
    lookup: Box<dyn Lookup>,
    tls: OnceLock<Result<ClientConfig, rustls::Error>>,
}

impl Default for HttpClient {
    fn default() -> Self {
        HttpClient::with(Box::new(SystemLookup), OnceLock::new())
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpClient").finish_non_exhaustive()
    }
}

impl HttpClient {
    /// A client that looks names up, and trusts certificates, in this way.
    fn with(lookup: Box<dyn Lookup>, tls: OnceLock<Result<ClientConfig, rustls::Error>>) -> Self {
        HttpClient(Arc::new(Parts { lookup, tls }))
    }
}

impl Web for HttpClient {
    fn run(&self, place: WebPlace, request: WebRequest) -> ServiceFuture<HttpResponse> {
        let parts = Arc::clone(&self.0);
        Box::pin(async move {
            let (first, time) = (display_url(&request.url), request.timeout);
            let failed = |why: &str| ServiceError(format!("failed to reach {first}: {why}"));
            if tokio::runtime::Handle::try_current().is_err() {
                return Err(failed("this program runs without a tokio runtime"));
            }
            match tokio::time::timeout(time, parts.follow(&place.reach, request)).await {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(ServiceError(why))) => Err(failed(&why)),
                Err(_) => Err(failed(&format!("there was no whole answer within {} s", time.as_secs_f64()))),
            }
        })
    }
}

impl Parts {
    async fn follow(&self, reach: &Reach, mut request: WebRequest) -> Result<HttpResponse, ServiceError> {
        for redirects in 0..=MAX_REDIRECTS {
            let response = self.ask(reach, &request).await.map_err(|ServiceError(why)| match redirects {
                0 => ServiceError(why),
                _ => ServiceError(format!("redirected to {}: {why}", display_url(&request.url))),
            })?;
            let location = response.headers().get(reqwest::header::LOCATION).map(HeaderValue::as_bytes);
            let location = location.map(String::from_utf8_lossy);
            let next = redirect::next(reach, &request, response.status().as_u16(), location.as_deref());
            match next.map_err(|ServiceError(why)| ServiceError(format!("it redirects, and {why}")))? {
                Some(next) => request = next,
                None => return read(&request, response).await,
            }
        }
        Err(ServiceError(format!("more than {MAX_REDIRECTS} redirects")))
    }

    /// One exchange, up to the header fields of the answer.
    async fn ask(&self, reach: &Reach, request: &WebRequest) -> Result<Response, ServiceError> {
        let pinned = pin(&*self.lookup, reach, &request.url).await?;
        let client = self.client(request, pinned.as_ref())?;
        let method = match request.method {
            WebMethod::Get => Method::GET,
            WebMethod::Post => Method::POST,
        };
        let mut asked = client.request(method, request.url.clone()).headers(fields(request)?);
        if let Some(body) = &request.body {
            asked = asked.body(body.clone());
        }
        let response = asked.send().await.map_err(request_error)?;
        let reached = response.remote_addr();
        if pinned.is_some_and(|pinned| !reached.is_some_and(|reached| pinned.numbers.contains(&reached))) {
            return Err(ServiceError("the connection went elsewhere than it was meant to".to_owned()));
        }
        Ok(response)
    }

    /// A client for one exchange, which can connect to these numbers only.
    fn client(&self, request: &WebRequest, pinned: Option<&Pinned>) -> Result<Client, ServiceError> {
        let mut builder = Client::builder()
            .tls_backend_preconfigured(self.tls(request.url.scheme() == "https")?)
            .dns_resolver(Arc::new(Nobody))
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            .user_agent(concat!("snaphook/", env!("CARGO_PKG_VERSION")));
        if let Some(Pinned { name, numbers }) = pinned {
            builder = builder.resolve_to_addrs(name, numbers);
        }
        builder.build().map_err(request_error)
    }

    fn tls(&self, is_used: bool) -> Result<ClientConfig, ServiceError> {
        let tls = if is_used { self.tls.get_or_init(system_tls).clone() } else { no_tls() };
        tls.map_err(|error| ServiceError(format!("https is not to be had here: {error}")))
    }
}

type TlsBuilder = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn tls_builder() -> Result<TlsBuilder, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    builder.with_safe_default_protocol_versions()
}

/// TLS with the certificates that the system trusts, for any client.
///
/// # Errors
/// They cannot be read, or there is none.
pub fn system_tls() -> Result<ClientConfig, rustls::Error> {
    let builder = tls_builder()?.with_platform_verifier()?;
    Ok(builder.with_no_client_auth())
}

/// For addresses without TLS, for which the client wants a configuration all the same: this one trusts no certificate.
///
/// # Errors
/// There is no TLS of any version that is safe.
fn no_tls() -> Result<ClientConfig, rustls::Error> {
    let builder = tls_builder()?;
    Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

/// Looks up nothing: all that may be connected to is known when the client is made.
struct Nobody;

impl reqwest::dns::Resolve for Nobody {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let error = format!("{} was not looked up beforehand", name.as_str());
        Box::pin(async move { Err(error.into()) })
    }
}

fn fields(request: &WebRequest) -> Result<HeaderMap, ServiceError> {
    let mut map = HeaderMap::new();
    for (name, value) in &request.headers {
        let wrong = || ServiceError(format!("the header field `{name}` cannot be sent"));
        let read = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        map.insert(read, HeaderValue::from_str(value).map_err(|_| wrong())?);
    }
    if request.body.is_some() {
        map.entry(reqwest::header::CONTENT_TYPE)
            .or_insert(HeaderValue::from_static("text/plain; charset=utf-8"));
    }
    Ok(map)
}

/// The answer with its body, as far as there is room for it.
async fn read(request: &WebRequest, mut response: Response) -> Result<HttpResponse, ServiceError> {
    let too_long = |what: &str, limit: String| Err(ServiceError(format!("{what} longer than {limit}")));
    let length: usize =
        response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if length > MAX_HTTP_HEADERS {
        return too_long("the header fields of the answer are", format!("{} KiB", MAX_HTTP_HEADERS >> 10));
    }
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in response.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        match headers.get_mut(name.as_str()) {
            Some(known) => {
                known.push_str(", ");
                known.push_str(&value);
            }
            None => drop(headers.insert(name.as_str().to_owned(), value.into_owned())),
        }
    }
    // What the client can unpack it has taken off.
    if let Some(packed) = headers.get("content-encoding").filter(|packed| *packed != "identity") {
        return Err(ServiceError(format!("the answer is packed as {packed:?}, which was not requested")));
    }
    let limit = || format!("{} MiB", MAX_HTTP_BODY >> 20);
    if response.content_length().is_some_and(|length| length > MAX_HTTP_BODY as u64) {
        return too_long("the answer is", limit());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(request_error)? {
        if chunk.len() > MAX_HTTP_BODY - body.len() {
            return too_long("the answer is", limit());
        }
        body.extend_from_slice(&chunk);
    }
    let body = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(HttpResponse { status: response.status().as_u16(), headers, body, url: request.url.clone().into() })
}

/// Returns what went wrong, as the lowest layer says it.
fn request_error(error: reqwest::Error) -> ServiceError {
    let error = error.without_url();
    let mut lowest: &dyn Error = &error;
    while let Some(cause) = lowest.source() {
        lowest = cause;
    }
    ServiceError(lowest.to_string())
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
