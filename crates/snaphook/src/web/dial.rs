//! The target of a connection: a name becomes numbers once, each of them is checked, and the client connects to exactly these. A
//! name server that says something else a moment later is not asked again.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use snaphook_core::{BoxFuture, ServiceError};
use url::{Host, Url};

use crate::grants::net::Reach;

/// Makes numbers of a name. Tests put another one in the place of the system's.
pub(crate) trait Lookup: Send + Sync {
    /// The numbers that a name stands for at the moment.
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The system's own way.
pub(crate) struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A name that may be connected to, with the numbers that it stands for in this exchange. `None` where the address is a
/// number, which needs no looking up.
pub(crate) struct Pinned {
    pub(crate) name: String,
    pub(crate) numbers: Vec<SocketAddr>,
}

/// The numbers that `localhost` stands for. No name server is asked.
const LOCALHOST: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Finds out where to connect to.
///
/// # Errors
/// The name is not known, or one of its numbers may not be reached.
pub(crate) async fn pin(
    lookup: &dyn Lookup,
    reach: &Reach,
    url: &Url,
) -> Result<Option<Pinned>, ServiceError> {
    let Some(Host::Domain(name)) = url.host() else { return Ok(None) };
    let port = url.port_or_known_default().unwrap_or_default();
    let numbers = match name {
        "localhost" => LOCALHOST.to_vec(),
        _ => {
            let unknown = |why: &dyn std::fmt::Display| ServiceError(format!("{name} was not found: {why}"));
            let numbers = lookup.lookup(name.to_owned()).await.map_err(|error| unknown(&error))?;
            if numbers.is_empty() {
                return Err(unknown(&"it has no address"));
            }
            numbers
        }
    };
    for number in &numbers {
        reach.allows(url, *number)?;
    }
    let numbers = numbers.into_iter().map(|number| SocketAddr::new(number, port)).collect();
    Ok(Some(Pinned { name: name.to_owned(), numbers }))
}
