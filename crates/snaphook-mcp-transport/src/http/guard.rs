//! The requests that the server accepts: against pages that reach a server on the person's machine through the browser, and for
//! what the protocol says of header fields. Not here: sessions.

use std::net::{IpAddr, SocketAddr};

use http::header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

use super::{EVENTS, JSON, VERSION, is_type};

/// Versions of the protocol that a client may name before a session has one of its own, with sessions as they are here.
pub(super) const VERSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The reason why a request is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rejection(pub(super) StatusCode, pub(super) String);

fn rejection(status: StatusCode, why: impl Into<String>) -> Rejection {
    Rejection(status, why.into())
}

/// Refuses what a page could send that some other server made the browser load: its name leads here, but it is not ours.
pub(super) fn sender(headers: &HeaderMap, uri: &Uri, here: SocketAddr) -> Result<(), Rejection> {
    let mut hosts = headers.get_all(HOST).iter();
    let (host, more) = (hosts.next(), hosts.next());
    let named = match (uri.authority(), host) {
        _ if more.is_some() => None,
        (Some(authority), Some(host)) if host.as_bytes() != authority.as_str().as_bytes() => None,
        (Some(authority), _) => Some(authority.clone()),
        (None, host) => host.and_then(|host| Authority::try_from(host.as_bytes()).ok()),
    };
    let Some(named) = named else {
        return Err(rejection(StatusCode::BAD_REQUEST, "the host is ambiguous"));
    };
    // Elsewhere it may have any name, and that was asked for.
    if here.ip().is_loopback() && !is_loopback(named.host()) {
        return Err(rejection(
            StatusCode::FORBIDDEN,
            format!("{:?} is no name of this server", named.host()),
        ));
    }
    for origin in headers.get_all(ORIGIN) {
        let host = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        if !host.as_ref().and_then(Uri::host).is_some_and(is_loopback) {
            return Err(rejection(
                StatusCode::FORBIDDEN,
                format!("pages of {} may not speak to this server", printable(origin)),
            ));
        }
    }
    Ok(())
}

fn is_loopback(host: &str) -> bool {
    let number = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || number.parse::<IpAddr>().is_ok_and(|number| number.is_loopback())
}

/// Refuses a form of request that the protocol does not know.
pub(super) fn form(method: &Method, headers: &HeaderMap) -> Result<(), Rejection> {
    let wanted: &[&str] = match *method {
        Method::POST => &[JSON, EVENTS],
        Method::GET => &[EVENTS],
        _ => &[],
    };
    if let Some(missing) = wanted.iter().find(|wanted| !accepts(headers, wanted)) {
        return Err(rejection(StatusCode::NOT_ACCEPTABLE, format!("the client has to accept {missing}")));
    }
    if method == Method::POST && !is_type(headers.get(CONTENT_TYPE), JSON) {
        return Err(rejection(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("the body has to be {JSON}")));
    }
    Ok(())
}

fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let lists = headers.get_all(ACCEPT).iter().filter_map(|list| list.to_str().ok());
    let mut said = lists.flat_map(|list| list.split(','));
    let family = wanted.split('/').next().unwrap_or_default();
    said.any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let is_meant = kind.eq_ignore_ascii_case(wanted)
            || kind == "*/*"
            || kind.strip_suffix("/*").is_some_and(|kind| kind.eq_ignore_ascii_case(family));
        is_meant
            && !parts.any(|part| {
                let quality = part.strip_prefix("q=").or(part.strip_prefix("Q="));
                quality
                    .and_then(|quality| quality.trim().parse::<f32>().ok())
                    .is_some_and(|quality| quality <= 0.0)
            })
    })
}

/// Returns whether the client names streams before documents among what it accepts.
pub(super) fn prefers_events(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT).iter().filter_map(|list| list.to_str().ok());
    let mut kinds = lists
        .flat_map(|list| list.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim());
    kinds
        .find(|kind| [JSON, EVENTS].iter().any(|known| kind.eq_ignore_ascii_case(known)))
        .is_some_and(|kind| kind.eq_ignore_ascii_case(EVENTS))
}

/// Refuses a version of the protocol that is neither the session's nor any that it could have.
pub(super) fn version(headers: &HeaderMap, agreed: Option<&str>) -> Result<(), Rejection> {
    for said in headers.get_all(VERSION) {
        let known = said.to_str().is_ok_and(|said| agreed == Some(said) || VERSIONS.contains(&said));
        if !known {
            let why = format!(
                "the protocol version {} is not known here; known are {}",
                printable(said),
                VERSIONS.join(", ")
            );
            return Err(rejection(StatusCode::BAD_REQUEST, why));
        }
    }
    Ok(())
}

fn printable(value: &HeaderValue) -> String {
    format!("{:?}", String::from_utf8_lossy(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in list {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        map
    }

    fn status(result: Result<(), Rejection>) -> u16 {
        result.map_or_else(|Rejection(status, _)| status.as_u16(), |()| 200)
    }

    #[test]
    fn only_names_of_this_machine_are_taken_on_it() {
        let (here, elsewhere) = ("127.0.0.1:80".parse().unwrap(), "0.0.0.0:80".parse().unwrap());
        for (list, on_loopback, on_all) in [
            (&[("host", "localhost:1")][..], 200, 200),
            (&[("host", "LOCALHOST")], 200, 200),
            (&[("host", "127.0.0.1:80")], 200, 200),
            (&[("host", "[::1]:80")], 200, 200),
            (&[("host", "127.0.0.1.evil.example")], 403, 200),
            (&[("host", "localhost.evil.example")], 403, 200),
            (&[("host", "evil.example")], 403, 200),
            (&[("host", "192.168.1.2:80")], 403, 200),
            (&[("host", "a@localhost")], 200, 200),
            (&[], 400, 400),
            (&[("host", "localhost"), ("host", "evil.example")], 400, 400),
            (&[("host", "localhost"), ("origin", "http://localhost:6274")], 200, 200),
            (&[("host", "localhost"), ("origin", "http://[::1]:1")], 200, 200),
            (&[("host", "localhost"), ("origin", "http://evil.example")], 403, 403),
            (&[("host", "localhost"), ("origin", "http://localhost.evil.example")], 403, 403),
            (&[("host", "localhost"), ("origin", "null")], 403, 403),
            (&[("host", "localhost"), ("origin", "")], 403, 403),
            (&[("host", "evil.example"), ("origin", "http://evil.example")], 403, 403),
            (
                &[("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")],
                403,
                403,
            ),
        ] {
            let plain = Uri::from_static("/mcp");
            assert_eq!(status(sender(&fields(list), &plain, here)), on_loopback, "{list:?}");
            assert_eq!(status(sender(&fields(list), &plain, elsewhere)), on_all, "{list:?}");
        }
        let whole = Uri::from_static("http://evil.example/mcp");
        assert_eq!(status(sender(&fields(&[("host", "localhost")]), &whole, here)), 400);
        assert_eq!(status(sender(&fields(&[]), &whole, here)), 403);
    }

    #[test]
    fn forms_and_versions_are_those_of_the_protocol() {
        let both = "application/json, text/event-stream";
        for (method, accept, kind, want) in [
            (Method::POST, both, "application/json", 200),
            (Method::POST, both, "Application/JSON; charset=utf-8", 200),
            (Method::POST, "*/*", "application/json", 200),
            (Method::POST, "application/*, text/*;q=0.5", "application/json", 200),
            (Method::POST, "application/json", "application/json", 406),
            (Method::POST, "application/json, text/event-stream;q=0", "application/json", 406),
            (Method::POST, "", "application/json", 406),
            (Method::POST, both, "text/plain", 415),
            (Method::POST, both, "application/jsonx", 415),
            (Method::GET, "text/event-stream", "", 200),
            (Method::GET, "application/json", "", 406),
            (Method::DELETE, "", "", 200),
        ] {
            let got = status(form(&method, &fields(&[("accept", accept), ("content-type", kind)])));
            assert_eq!(got, want, "{method} {accept} {kind}");
        }
        for (said, agreed, want) in [
            (None, None, 200),
            (Some("2025-03-26"), Some("2025-11-25"), 200),
            (Some("2031-01-01"), Some("2031-01-01"), 200),
            (Some("2031-01-01"), Some("2025-11-25"), 400),
            (Some("1"), None, 400),
            (Some(""), None, 400),
        ] {
            let list: Vec<_> = said.map(|said| ("mcp-protocol-version", said)).into_iter().collect();
            assert_eq!(status(version(&fields(&list), agreed)), want, "{said:?} {agreed:?}");
        }
    }
}
