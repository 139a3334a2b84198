//! Hosts that a script may reach. An address is read once, by the parser that the client uses, and what comes of it is both
//! checked and used; so no way of writing an address means one thing here and another there. Not here: the connection
//! (`web`), which asks [`Reach::allows`] about each number that a name stands for.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use snaphook_core::{NetGrant, ServiceError};
use url::{Host, Url};

use super::asker::{Asker, missing};
use crate::web::address::special;

/// The place where a script may go: what its front matter lists under `net`. What it uses of that for an event, and
/// what it misses, is noted for the audit.
#[derive(Clone)]
pub struct Reach {
    hosts: Arc<[Granted]>,
    asker: Option<Asker>,
}

struct Granted {
    /// As front matter has it.
    entry: String,
    host: Host<String>,
    /// `None`: 80 and 443.
    port: Option<u16>,
}

impl Granted {
    fn read(text: &str) -> Option<Self> {
        let grant = NetGrant::parse(text).ok()?;
        let entry = grant.to_string();
        let NetGrant { host, port } = grant;
        let read = match host.parse::<Ipv6Addr>() {
            Ok(address) => Host::Ipv6(address),
            Err(_) => Host::parse(&host).ok()?,
        };
        // `0x7f.1` is a host that people do not recognise in a prompt: it grants nothing.
        let is_plain = match &read {
            Host::Ipv4(address) => address.to_string() == host,
            Host::Domain(name) => *name == host,
            Host::Ipv6(_) => true,
        };
        is_plain.then_some(Granted { entry, host: read, port })
    }

    fn takes(&self, host: &Host<&str>, port: u16) -> bool {
        let same = match (&self.host, host) {
            (Host::Domain(mine), Host::Domain(name)) => mine == name,
            (Host::Ipv4(mine), Host::Ipv4(address)) => mine == address,
            (Host::Ipv6(mine), Host::Ipv6(address)) => mine == address,
            _ => false,
        };
        same && self.port.map_or(port == 80 || port == 443, |only| port == only)
    }
}

/// The longest address that is read, in bytes.
const MAX_ADDRESS_BYTES: usize = 16 << 10;

impl Reach {
    /// The reach of a script with these grants. What is no host grants nothing.
    pub fn new(granted: &[String]) -> Self {
        Reach { hosts: granted.iter().filter_map(|text| Granted::read(text)).collect(), asker: None }
    }

    /// The same for one event.
    pub(super) fn asked_by(&self, asker: Asker) -> Self {
        Reach { hosts: Arc::clone(&self.hosts), asker: Some(asker) }
    }

    /// Reads an address that a script wrote.
    ///
    /// # Errors
    /// The address is invalid or not granted.
    pub fn address(&self, text: &str) -> Result<Url, ServiceError> {
        let read = plain(text).and_then(|()| Ok(Url::parse(text)?));
        let url = read.map_err(|why| no_address(text, &why.to_string()))?;
        self.check(url)
    }

    /// Reads an address that a server wrote, which may be relative to where it was written.
    ///
    /// # Errors
    /// The same.
    pub fn redirected(&self, from: &Url, text: &str) -> Result<Url, ServiceError> {
        let read = plain(text).and_then(|()| Ok(from.join(text)?));
        let url = read.map_err(|why| no_address(text, &why.to_string()))?;
        if from.scheme() == "https" && url.scheme() == "http" {
            let host = url.host_str().unwrap_or_default();
            return Err(ServiceError(format!("https does not lead on to http ({host})")));
        }
        self.check(url)
    }

    /// Checks whether a name that is granted may be reached at this number. A public one may; any other has to be
    /// granted beside the name, so that no name server can turn a hook against the network that it runs in.
    ///
    /// # Errors
    /// It may not.
    pub fn allows(&self, url: &Url, address: IpAddr) -> Result<(), ServiceError> {
        let Some(kind) = special(address) else { return Ok(()) };
        if url.host_str() == Some("localhost") && address.is_loopback() {
            return Ok(());
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let name = entry(&Host::Domain(url.host_str().unwrap_or_default()), port);
        self.grants(&format!("{name} leads to {address}, {kind} address, which"), &host_of(address), port)
    }

    fn grants(&self, what: &str, host: &Host<&str>, port: u16) -> Result<(), ServiceError> {
        match self.hosts.iter().find(|granted| granted.takes(host, port)) {
            Some(granted) => {
                if let Some(asker) = &self.asker {
                    asker.used("net", &granted.entry);
                }
                Ok(())
            }
            None => Err(match &self.asker {
                Some(asker) => asker.missing(what, "net", &entry(host, port)),
                None => missing(what, "net", &entry(host, port)),
            }),
        }
    }

    fn check(&self, mut url: Url) -> Result<Url, ServiceError> {
        let refused = |why: &str| Err(ServiceError(format!("{} is refused: {why}", display_url(&url))));
        if !matches!(url.scheme(), "http" | "https") {
            return refused("only https and http are spoken");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused(
                "a name or a password before the host is not taken; set the header field `authorization`",
            );
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if port == 0 {
            return refused("there is no port 0");
        }
        if let Some(Host::Domain(name)) = url.host()
            && name.ends_with('.')
        {
            let name = name.trim_end_matches('.').to_owned();
            if name.is_empty() || url.set_host(Some(&name)).is_err() {
                return Err(ServiceError(format!("{} has no host", display_url(&url))));
            }
        }
        let Some(host) = url.host() else {
            return Err(ServiceError(format!("{} has no host", display_url(&url))));
        };
        self.grants(&display_url(&url), &host, port)?;
        url.set_fragment(None);
        Ok(url)
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.hosts.iter().map(|granted| &granted.entry)).finish()
    }
}

/// The reason why a text is no address.
#[derive(Debug, thiserror::Error)]
enum AddressError {
    /// It is too long.
    #[error("it is longer than {MAX_ADDRESS_BYTES} bytes")]
    TooLong,
    /// It has a character that addresses do not have.
    #[error("it has a {0:?} in it")]
    Character(char),
    /// It is not written as addresses are.
    #[error(transparent)]
    Syntax(#[from] url::ParseError),
}

/// Refuses what addresses are not made of, though parsers bear with it, each in its own way.
fn plain(text: &str) -> Result<(), AddressError> {
    if text.len() > MAX_ADDRESS_BYTES {
        return Err(AddressError::TooLong);
    }
    match text.chars().find(|c| c.is_control() || c.is_whitespace() || *c == '\\') {
        Some(c) => Err(AddressError::Character(c)),
        None => Ok(()),
    }
}

fn no_address(text: &str, why: &str) -> ServiceError {
    let short = text.get(..text.floor_char_boundary(200)).unwrap_or(text);
    let dots = if short.len() < text.len() { "…" } else { "" };
    ServiceError(format!("{short:?}{dots} is no address: {why}"))
}

fn host_of(address: IpAddr) -> Host<&'static str> {
    match address {
        IpAddr::V4(address) => Host::Ipv4(address),
        IpAddr::V6(address) => Host::Ipv6(address),
    }
}

/// The entry that grants a host at a port.
fn entry(host: &Host<&str>, port: u16) -> String {
    let bare = match host {
        Host::Ipv6(address) => address.to_string(),
        other => other.to_string(),
    };
    match port {
        80 | 443 => bare,
        _ => format!("{host}:{port}"),
    }
}

/// An address as messages show it: without what may be secret.
pub(crate) fn display_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let bare = url.set_username("").and_then(|()| url.set_password(None));
    match bare {
        Ok(()) | Err(()) => url.into(),
    }
}

#[cfg(test)]
#[path = "net_tests.rs"]
mod tests;
