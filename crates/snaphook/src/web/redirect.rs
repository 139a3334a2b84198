//! The target of a redirect, and the header fields that go along.

use snaphook_core::ServiceError;
use url::Url;

use super::{WebMethod, WebRequest};
use crate::grants::net::Reach;

/// The header fields that go along to the target of a redirect, if that is another origin: nothing that could say
/// who asks.
const GOES_ALONG: [&str; 4] = ["accept", "accept-language", "content-type", "user-agent"];
/// The header fields about a body.
const OF_THE_BODY: [&str; 4] = ["content-type", "content-language", "content-encoding", "content-location"];

/// The request that an answer leads on to; `None` where it is the answer. `location` is its header field.
///
/// # Errors
/// It leads to where the script may not go.
pub(crate) fn next(
    reach: &Reach,
    request: &WebRequest,
    status: u16,
    location: Option<&str>,
) -> Result<Option<WebRequest>, ServiceError> {
    let (Some(location), 301 | 302 | 303 | 307 | 308) = (location, status) else { return Ok(None) };
    let url = reach.redirected(&request.url, location)?;
    let mut next = WebRequest { url, ..request.clone() };
    if next.method == WebMethod::Post && matches!(status, 301..=303) {
        next.method = WebMethod::Get;
        next.body = None;
        next.headers.retain(|(name, _)| !OF_THE_BODY.contains(&name.as_str()));
    }
    if !is_same(&request.url, &next.url) {
        next.headers.retain(|(name, _)| GOES_ALONG.contains(&name.as_str()));
    }
    Ok(Some(next))
}

fn is_same(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}
