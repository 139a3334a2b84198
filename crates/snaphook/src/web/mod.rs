//! `snaphook.http`: the port for a web client, and what is asked of one. Which addresses a script may use is decided by
//! [`Reach`] (`grants::net`); the client that is there behind the feature `http` is in `client`. Not here: what scripts
//! write, which the engines read.

pub(crate) mod address;
#[cfg(feature = "http")]
mod client;
#[cfg(feature = "http")]
mod dial;
#[cfg(feature = "http")]
mod redirect;
mod request;

pub(crate) use request::check;

use std::time::Duration;

use snaphook_core::{HookRef, HttpResponse, ServiceError, ServiceFuture};

#[cfg(feature = "http")]
pub use client::{HttpClient, system_tls};
pub use request::{WebMethod, WebRequest};

use crate::grants::net::Reach;

/// The time that an exchange may take whose script gave no time: redirects and the body included.
pub const DEFAULT_HTTP_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time that a script may give.
pub const MAX_HTTP_TIMEOUT: Duration = Duration::from_secs(300);
/// The longest body in bytes, of a request and of an answer; of a compressed one, when it is unpacked.
pub const MAX_HTTP_BODY: usize = 4 << 20;
/// The length that all header fields may be together, in bytes, of a request and of an answer.
pub const MAX_HTTP_HEADERS: usize = 64 << 10;
/// The number of redirects that are followed.
pub const MAX_REDIRECTS: usize = 5;

/// For whom a client asks.
#[derive(Debug, Clone)]
pub struct WebPlace {
    /// The hook that wants it.
    pub hook: HookRef,
    /// The place where it may go. A client checks with it each address that a request leads to beside the first, and
    /// each number that a name stands for.
    pub reach: Reach,
}

/// Asks web servers for hooks (`Builder::web`). Tests put another one in the place of `HttpClient`.
pub trait Web: Send + Sync {
    /// Asks. The address of the request is granted. Dropping the future ends the exchange.
    fn run(&self, place: WebPlace, request: WebRequest) -> ServiceFuture<HttpResponse>;
}

/// The substitute for a client where there is none.
pub(crate) struct NoWeb;

impl Web for NoWeb {
    fn run(&self, _: WebPlace, _: WebRequest) -> ServiceFuture<HttpResponse> {
        Box::pin(async { Err(ServiceError(crate::NO_WEB_CLIENT.to_owned())) })
    }
}
