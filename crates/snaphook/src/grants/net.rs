//! Hosts that a script may reach.

use snaphook_core::{BoxFuture, HttpRequest, HttpResponse, ServiceError};

use super::Asker;

/// The granted hosts.
pub(super) struct Hosts;

impl Hosts {
    pub(super) fn new(_granted: &[String]) -> Self {
        Hosts
    }

    /// Does what is asked.
    pub(super) fn run(
        &self,
        asker: Asker,
        request: HttpRequest,
    ) -> BoxFuture<'static, Result<HttpResponse, ServiceError>> {
        let error = asker.missing(&request.url, "net", &request.url);
        Box::pin(async move { Err(error) })
    }
}
