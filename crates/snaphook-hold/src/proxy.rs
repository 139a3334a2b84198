//! A proxy that connects a held command with hosts by their names: HTTP, `CONNECT` and SOCKS 5 on one port. Not here: its process
//! and its listener (`linux::host_proxy`).

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::Duration;

use snaphook_core::{NetGrant, NetHosts};

/// The longest head of a request, in bytes.
const MAX_HEAD_BYTES: u64 = 64 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// A host and a port that a client asks for, and the form in which it asked.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    host: String,
    port: u16,
}

/// The reason why a client gets no connection.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    /// The host is not among those that the command may reach.
    #[error("snaphook: {host}:{port} is not among the hosts that this command may reach")]
    Host { host: String, port: u16 },
    /// A name that leads back to this machine.
    #[error("snaphook: {0} is an address of this machine or its link, which the name {1} must not lead to")]
    Inward(IpAddr, String),
    /// A request that is not understood.
    #[error("snaphook: not a request that the proxy understands")]
    Malformed,
    /// The host did not answer.
    #[error("snaphook: no connection: {0}")]
    Unreachable(io::Error),
}

/// Serves one client until it or the host closes the connection.
pub(crate) fn serve(client: TcpStream, hosts: &NetHosts) {
    let mut first = [0];
    // The client may have gone; there is nobody to tell then.
    let _ = match client.peek(&mut first) {
        Ok(1) if first == [5] => socks(client, hosts),
        Ok(1) => http(client, hosts),
        _ => Ok(()),
    };
}

/// Connects with the host if it is one of these.
fn connect(target: &Target, hosts: &NetHosts) -> Result<TcpStream, Refusal> {
    let Target { host, port } = target;
    // In the one way in which the directive's hosts are written.
    let written = if host.contains(':') { format!("[{host}]") } else { host.clone() };
    let name = NetGrant::parse(&written).map_err(|_| Refusal::Malformed)?.host;
    if !hosts.allow(&name, *port) {
        return Err(Refusal::Host { host: host.clone(), port: *port });
    }
    // A server of this machine has to be named as one.
    let is_address = name.parse::<IpAddr>().is_ok() || name == "localhost";
    let addresses = (name.as_str(), *port).to_socket_addrs().map_err(Refusal::Unreachable)?;
    let mut last = Refusal::Unreachable(io::ErrorKind::NotFound.into());
    for address in addresses {
        if !is_address && leads_inward(address.ip()) {
            last = Refusal::Inward(address.ip(), name.clone());
            continue;
        }
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Refusal::Unreachable(error),
        }
    }
    Err(last)
}

/// Returns whether an address is this machine's or of its link, where metadata services are.
fn leads_inward(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_link_local()
                || address == Ipv4Addr::BROADCAST
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address == Ipv6Addr::UNSPECIFIED || address.is_unicast_link_local()
        }
    }
}

// ---- HTTP ----

fn http(client: TcpStream, hosts: &NetHosts) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let Some(head) = head(&mut reader)? else {
        return refuse(&client, "400 Bad Request", &Refusal::Malformed);
    };
    let (target, forwarded) = match request(&head) {
        Ok(request) => request,
        Err(refusal) => return refuse(&client, "400 Bad Request", &refusal),
    };
    let server = match connect(&target, hosts) {
        Ok(server) => server,
        Err(refusal @ (Refusal::Host { .. } | Refusal::Inward(..))) => {
            return refuse(&client, "403 Forbidden", &refusal);
        }
        Err(refusal) => return refuse(&client, "502 Bad Gateway", &refusal),
    };
    match forwarded {
        Some(head) => (&server).write_all(&head)?,
        None => (&client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
    }
    relay(reader, client, server)
}

fn refuse(mut client: &TcpStream, status: &str, refusal: &Refusal) -> io::Result<()> {
    let text = format!("{refusal}\n");
    let length = text.len();
    // At once: a client may take the first piece for all of it.
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    );
    client.write_all(answer.as_bytes())?;
    client.shutdown(Shutdown::Write)
}

/// The lines up to the empty one; `None` if there is none in time.
fn head(reader: &mut impl BufRead) -> io::Result<Option<Vec<String>>> {
    let mut limited = reader.take(MAX_HEAD_BYTES);
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        limited.read_until(b'\n', &mut line)?;
        if line.pop() != Some(b'\n') {
            return Ok(None);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        let Ok(line) = String::from_utf8(line) else { return Ok(None) };
        if line.is_empty() {
            return Ok(Some(lines));
        }
        lines.push(line);
    }
}

/// The target of a request, and the head that its server gets; `None` for a tunnel.
fn request(head: &[String]) -> Result<(Target, Option<Vec<u8>>), Refusal> {
    let (first, fields) = head.split_first().ok_or(Refusal::Malformed)?;
    let words: Vec<_> = first.split(' ').collect();
    let [method, address, version @ ("HTTP/1.1" | "HTTP/1.0")] = words[..] else {
        return Err(Refusal::Malformed);
    };
    if method == "CONNECT" {
        return Ok((authority(address, None)?, None));
    }
    let (scheme, rest) = address.split_once("://").ok_or(Refusal::Malformed)?;
    if !scheme.eq_ignore_ascii_case("http") {
        return Err(Refusal::Malformed);
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let target = authority(host, Some(80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut forwarded = format!("{method} {slash}{path} {version}\r\nHost: {host}\r\nConnection: close\r\n");
    for field in fields {
        let name = field.split(':').next().unwrap_or_default().to_ascii_lowercase();
        // One connection is for one request: a second one could be for another host.
        if !matches!(
            name.as_str(),
            "host" | "connection" | "proxy-connection" | "proxy-authorization" | "keep-alive"
        ) {
            forwarded += field;
            forwarded += "\r\n";
        }
    }
    forwarded += "\r\n";
    Ok((target, Some(forwarded.into_bytes())))
}

/// `host:port`, without a user.
fn authority(text: &str, usual: Option<u16>) -> Result<Target, Refusal> {
    let in_brackets = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (host, port) = match in_brackets {
        Some((host, rest)) => (host, rest.strip_prefix(':').or((!rest.is_empty()).then_some(rest))),
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    let port = match port {
        Some(port) => port.parse().map_err(|_| Refusal::Malformed)?,
        None => usual.ok_or(Refusal::Malformed)?,
    };
    if host.is_empty() || host.contains('@') {
        return Err(Refusal::Malformed);
    }
    Ok(Target { host: host.to_owned(), port })
}

// ---- SOCKS 5 ----

/// The answers of a SOCKS server.
const GRANTED: u8 = 0;
const NOT_ALLOWED: u8 = 2;
const UNREACHABLE: u8 = 4;
const NOT_SUPPORTED: u8 = 7;

fn socks(client: TcpStream, hosts: &NetHosts) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let [_, methods] = take::<2>(&mut reader)?;
    reader.by_ref().take(methods.into()).read_to_end(&mut Vec::new())?;
    (&client).write_all(&[5, 0])?;
    let [_, command, _, kind] = take::<4>(&mut reader)?;
    let host = match kind {
        1 => Ipv4Addr::from(take::<4>(&mut reader)?).to_string(),
        4 => Ipv6Addr::from(take::<16>(&mut reader)?).to_string(),
        3 => {
            let [length] = take::<1>(&mut reader)?;
            let mut name = Vec::new();
            reader.by_ref().take(length.into()).read_to_end(&mut name)?;
            String::from_utf8(name).map_err(io::Error::other)?
        }
        _ => return answer(&client, NOT_SUPPORTED),
    };
    let target = Target { host, port: u16::from_be_bytes(take::<2>(&mut reader)?) };
    if command != 1 {
        return answer(&client, NOT_SUPPORTED);
    }
    match connect(&target, hosts) {
        Ok(server) => {
            answer(&client, GRANTED)?;
            relay(reader, client, server)
        }
        Err(Refusal::Unreachable(_)) => answer(&client, UNREACHABLE),
        Err(_) => answer(&client, NOT_ALLOWED),
    }
}

fn take<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn answer(mut client: &TcpStream, code: u8) -> io::Result<()> {
    let mut reply = vec![5, code, 0, 1];
    reply.extend([0; 6]);
    client.write_all(&reply)
}

// ---- bytes ----

/// Passes bytes on, both ways, until both sides have closed theirs.
fn relay(mut reader: BufReader<TcpStream>, client: TcpStream, server: TcpStream) -> io::Result<()> {
    let (mut from_server, mut to_client) = (server.try_clone()?, client);
    let back = thread::spawn(move || {
        let passed = io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Write);
        passed
    });
    let mut to_server = server;
    let passed = io::copy(&mut reader, &mut to_server);
    let _ = to_server.shutdown(Shutdown::Write);
    let _ = back.join();
    passed.map(|_| ())
}

/// Returns whether a client is one of the command: its listener is on a loopback that only the command has.
#[cfg(target_os = "linux")]
pub(crate) fn is_local(peer: SocketAddr) -> bool {
    peer.ip().is_loopback()
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
