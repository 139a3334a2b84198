//! What a hook asks to be allowed (law 8), and how each entry is read. Not here: what is in force, which is the host's business.

use core::net::Ipv6Addr;
use std::fmt;

/// The kinds of grant, as front matter names them.
pub const GRANT_KINDS: [&str; 5] = ["exec", "read", "write", "net", "env"];

/// Capabilities that a hook asks for, in the words of its author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Grants {
    /// Programs that it may run: `git`, `cargo:test,build`, `scripts/check.sh`. See [`ExecGrant`].
    pub exec: Vec<String>,
    /// Paths that it may read: globs, relative to the project's root; `~/` and absolute ones too.
    pub read: Vec<String>,
    /// Paths that it may write, in the same form.
    pub write: Vec<String>,
    /// Hosts that it may reach: `example.org`, `localhost:8080`. See [`NetGrant`].
    pub net: Vec<String>,
    /// Environment variables that it may see, and that its processes get.
    pub env: Vec<String>,
}

impl Grants {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.iter().all(|(_, list)| list.is_empty())
    }

    /// Each kind of grant with what is asked for, in the order of [`GRANT_KINDS`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let lists = [&self.exec, &self.read, &self.write, &self.net, &self.env];
        GRANT_KINDS.into_iter().zip(lists.map(Vec::as_slice))
    }
}

/// A program that may be run: a name that is looked up, or a path; with the first arguments that it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecGrant {
    /// `git`, `scripts/check.sh`, `/usr/bin/make`, `~/bin/lint`.
    pub program: String,
    /// What its first argument may be; empty where anything may be.
    pub first: Vec<String>,
}

impl ExecGrant {
    /// Reads an entry of `exec`.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (program, first) = match text.split_once(':') {
            None => (text.trim(), Vec::new()),
            Some((program, list)) => {
                let list: Vec<String> = list.split(',').map(|word| word.trim().to_owned()).collect();
                if list.iter().any(String::is_empty) {
                    return Err(format!(
                        "`{text}` has an empty argument; write `program:first` or `program:first,other`"
                    ));
                }
                (program.trim(), list)
            }
        };
        match program {
            "" => Err("it names no program".to_owned()),
            "*" | "all" => {
                Err(format!("there is no grant for every program, so `{program}` is none; name each"))
            }
            _ if program.contains(['*', '?', '[']) => {
                Err(format!("`{program}` is no program; patterns are not understood here, name each program"))
            }
            _ => Ok(ExecGrant { program: program.to_owned(), first }),
        }
    }
}

/// The longest name of an environment variable, in bytes.
const LONGEST_NAME: usize = 256;

/// Checks an entry of `env`: the name of one environment variable.
///
/// # Errors
/// What is wrong with it.
pub fn env_name(text: &str) -> Result<(), String> {
    let wrong =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '=' | '*' | '?' | '[' | '$' | '%');
    if text.is_empty() || text.len() > LONGEST_NAME || text.contains(wrong) {
        let text = text.get(..text.floor_char_boundary(LONGEST_NAME)).unwrap_or_default();
        return Err(format!(
            "`{text}` is no name of an environment variable; patterns are not understood here, name each"
        ));
    }
    Ok(())
}

impl fmt::Display for ExecGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)?;
        match self.first.is_empty() {
            true => Ok(()),
            false => write!(f, ":{}", self.first.join(",")),
        }
    }
}

/// A host that may be reached: a name or an address, with the only port that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetGrant {
    /// In lower case, without a final dot; an IPv6 address without its brackets.
    pub host: String,
    /// `None`: 80 and 443.
    pub port: Option<u16>,
}

impl NetGrant {
    /// Reads an entry of `net`.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.contains("://") || text.contains('/') {
            return Err(format!(
                "`{text}` is no host; write the host alone, like `example.org` or `example.org:8443`"
            ));
        }
        let in_brackets = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (host, port) = match in_brackets {
            Some((address, rest)) => (address, rest.strip_prefix(':').or((!rest.is_empty()).then_some(rest))),
            None if text.matches(':').count() > 1 => (text, None),
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let port = match port.map(str::parse::<u16>) {
            None => None,
            Some(Ok(port)) if port > 0 => Some(port),
            Some(_) => return Err(format!("`{text}` has no port from 1 to 65535 behind its colon")),
        };
        // An address has several spellings, and `[1:80]` would print like the port 80 of `1`.
        let host = match in_brackets.is_some() || host.contains(':') {
            true => match host.parse::<Ipv6Addr>() {
                Ok(address) => address.to_string(),
                Err(_) => return Err(format!("`{text}` is no host: `{host}` is no IPv6 address")),
            },
            false => host.trim_end_matches('.').to_ascii_lowercase(),
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
        if host.is_empty() || !host.chars().all(legal) {
            return Err(format!(
                "`{text}` is no host; patterns are not understood here, and a name with other letters is written in its xn-- form"
            ));
        }
        Ok(NetGrant { host, port })
    }
}

impl fmt::Display for NetGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.host.contains(':'), self.port) {
            (_, None) => f.write_str(&self.host),
            (true, Some(port)) => write!(f, "[{}]:{port}", self.host),
            (false, Some(port)) => write!(f, "{}:{port}", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_printed_as_it_is_read() {
        for (text, host, port) in [
            ("Example.org.", "example.org", None),
            ("localhost:8080", "localhost", Some(8080)),
            ("::1", "::1", None),
            ("[0:0::1]:443", "::1", Some(443)),
            ("[fe80::1]", "fe80::1", None),
        ] {
            let grant = NetGrant::parse(text).unwrap();
            assert_eq!((grant.host.as_str(), grant.port), (host, port), "{text}");
            assert_eq!(NetGrant::parse(&grant.to_string()), Ok(grant), "{text}");
        }
        // The second would print as the first host with a port.
        for text in ["xn--::1", "[1:80]", "[example.org]:80", "[::1]80x", "a:b:c", "*.org", "", "a:0"] {
            assert!(NetGrant::parse(text).is_err(), "{text}");
        }
    }
}
