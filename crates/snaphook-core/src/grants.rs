//! The grants that a hook asks for (law 8), and the reading of each entry. Not here: which grants are in force (the host).

use std::fmt;
// From `core`, which has no sockets: this only reads text.
use core::net::{Ipv4Addr, Ipv6Addr};

/// The kinds of grant, as front matter names them.
pub const GRANT_KINDS: [&str; 5] = ["exec", "read", "write", "net", "env"];

/// Capabilities that a hook asks for, in the words of its author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Grants {
    /// Programs that it may run: `git`, `cargo:test,build`, `scripts/check.sh`. See [`ExecGrant`].
    pub exec: Vec<String>,
    /// Paths that it may read: globs, relative to the project's root; `~/` and absolute ones too. See [`PathGrant`].
    pub read: Vec<String>,
    /// Paths that it may write, in the same form.
    pub write: Vec<String>,
    /// Hosts that it may reach: `example.org`, `localhost:8080`. See [`NetGrant`].
    pub net: Vec<String>,
    /// Environment variables that it may see, and that its processes get.
    pub env: Vec<String>,
}

impl Grants {
    /// Returns whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.iter().all(|(_, list)| list.is_empty())
    }

    /// Each kind of grant with what is asked for, in the order of [`GRANT_KINDS`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let lists = [&self.exec, &self.read, &self.write, &self.net, &self.env];
        GRANT_KINDS.into_iter().zip(lists.map(Vec::as_slice))
    }
}

/// The reason why an entry of a list of grants grants nothing, with what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// An entry of `exec` is empty.
    #[error("it names no program")]
    NoProgram,
    /// A program's first argument is empty.
    #[error("`{0}` has an empty argument; write `program:first` or `program:first,other`")]
    EmptyArgument(String),
    /// Every program is asked for at once.
    #[error("there is no grant for every program, so `{0}` is invalid; name each")]
    EveryProgram(String),
    /// A program is named by a pattern.
    #[error("`{0}` is no program; patterns are not understood here, name each program")]
    ProgramPattern(String),
    /// No environment variable has this name.
    #[error("`{0}` is no name of an environment variable; patterns are not understood here, name each")]
    Variable(String),
    /// A URL stands where a host alone belongs.
    #[error("`{0}` is no host; write the host alone, like `example.org` or `example.org:8443`")]
    Url(String),
    /// The name of a host has characters that none has.
    #[error(
        "`{0}` is no host; patterns are not understood here, and a name with other letters is written in its xn-- form"
    )]
    Host(String),
    /// A port that is no number from 1 to 65535.
    #[error("`{0}` has no port from 1 to 65535 behind its colon")]
    Port(String),
    /// A host that has colons and is no IPv6 address.
    #[error("`{entry}` is no host: `{address}` is no address; write one like `::1` or `[::1]:8080`")]
    Ipv6 {
        /// The whole entry.
        entry: String,
        /// The text in the place of the address.
        address: String,
    },
    /// A host that ends in a number and is no IPv4 address in its usual form.
    #[error("`{0}` is no address; write it like `10.0.0.5`, `10.0.0.5:8080` or `[::1]:8080`")]
    Ipv4(String),
    /// An entry of `read` or `write` is empty.
    #[error("it names no path")]
    NoPath,
    /// A path that is not written as paths are.
    #[error("`{entry}` {what}")]
    Path {
        /// The whole entry.
        entry: String,
        /// The problem with it.
        what: PathError,
    },
}

/// The reason why a path is not one that can be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It takes back twice.
    #[error("has two `!`; a name that begins with one is written `\\!`")]
    TwoMarks,
    /// It begins with `~name`.
    #[error(
        "names another person's home folder, which is not understood; write the whole path, or `./{path}` for a file of that name"
    )]
    OtherHome {
        /// The path without its `!`.
        path: String,
    },
    /// It begins with a drive's letter.
    #[error("begins with a drive, which is not understood; write it relative to the project or to `~/`")]
    Drive,
    /// It has a `..`.
    #[error("climbs with `..`; {}", .0.parent_remedy())]
    Climbs(PathBase),
    /// It has a `.` after its beginning.
    #[error("has a `.` that means nothing; leave it out")]
    Dot,
    /// It has two slashes in a row.
    #[error("has an empty name between two slashes; leave it out")]
    EmptyName,
}

/// A program that may be run: a name that is looked up, or a path; with the first arguments that it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecGrant {
    /// `git`, `scripts/check.sh`, `/usr/bin/make`, `~/bin/lint`.
    pub program: String,
    /// The first arguments that it may have; empty where anything may be.
    pub first: Vec<String>,
}

impl ExecGrant {
    /// Reads an entry of `exec`.
    ///
    /// # Errors
    /// The entry is invalid; the error says what to write.
    pub fn parse(text: &str) -> Result<Self, GrantError> {
        let (program, first) = match text.split_once(':') {
            None => (text.trim(), Vec::new()),
            Some((program, list)) => {
                let list: Vec<String> = list.split(',').map(|word| word.trim().to_owned()).collect();
                if list.iter().any(String::is_empty) {
                    return Err(GrantError::EmptyArgument(text.to_owned()));
                }
                (program.trim(), list)
            }
        };
        match program {
            "" => Err(GrantError::NoProgram),
            "*" | "all" => Err(GrantError::EveryProgram(program.to_owned())),
            _ if program.contains(['*', '?', '[']) => Err(GrantError::ProgramPattern(program.to_owned())),
            _ => Ok(ExecGrant { program: program.to_owned(), first }),
        }
    }
}

/// The longest name of an environment variable, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// Checks an entry of `env`: the name of one environment variable.
///
/// # Errors
/// The name is invalid.
pub fn env_name(text: &str) -> Result<(), GrantError> {
    let wrong =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '=' | '*' | '?' | '[' | '$' | '%');
    if text.is_empty() || text.len() > MAX_NAME_BYTES || text.contains(wrong) {
        let text = text.get(..text.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or_default();
        return Err(GrantError::Variable(text.to_owned()));
    }
    Ok(())
}

impl fmt::Display for ExecGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)?;
        if self.first.is_empty() { Ok(()) } else { write!(f, ":{}", self.first.join(",")) }
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
    /// The entry is invalid; the error says what to write.
    pub fn parse(text: &str) -> Result<Self, GrantError> {
        let text = text.trim();
        if text.contains("://") || text.contains('/') {
            return Err(GrantError::Url(text.to_owned()));
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
            Some(_) => return Err(GrantError::Port(text.to_owned())),
        };
        // An address has several spellings, and `[1:80]` would print like the port 80 of `1`.
        let host = if in_brackets.is_some() || host.contains(':') {
            match host.parse::<Ipv6Addr>() {
                Ok(address) => address.to_string(),
                Err(_) => {
                    return Err(GrantError::Ipv6 { entry: text.to_owned(), address: host.to_owned() });
                }
            }
        } else {
            host.trim_end_matches('.').to_ascii_lowercase()
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
        if host.is_empty() || !host.chars().all(legal) {
            return Err(GrantError::Host(text.to_owned()));
        }
        // What ends in a number is an address, to every program that reads one; it is written in the one way that people know.
        let last = host.rsplit('.').next().unwrap_or_default();
        let is_number = last.starts_with("0x") || last.chars().all(|c| c.is_ascii_digit());
        if host.contains(':') || !is_number || host.parse::<Ipv4Addr>().is_ok() {
            Ok(NetGrant { host, port })
        } else {
            Err(GrantError::Ipv4(text.to_owned()))
        }
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

/// Paths that may be read or written. `!` takes back what entries before it grant.
///
/// The rest is a pattern in the form of `.gitignore`: relative to the project it may stand at any depth if it has no
/// slash inside; `./x` is one in the project's root. Below `~/` and `/` a pattern always begins there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGrant {
    /// True if it takes back.
    pub takes_back: bool,
    /// The base that the pattern is relative to.
    pub base: PathBase,
    /// The pattern below the base. Whether it is a legal glob is not known yet.
    pub pattern: String,
}

/// The base that a pattern of paths is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathBase {
    /// The project's root.
    Project,
    /// The person's home folder, `~/…`.
    Home,
    /// The root of the file system, `/…`.
    Root,
}

impl PathGrant {
    /// Reads an entry of `read` or `write`.
    ///
    /// # Errors
    /// The entry is invalid; the error says what to write.
    pub fn parse(text: &str) -> Result<Self, GrantError> {
        let whole = text.trim();
        let (takes_back, path) = match whole.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, whole),
        };
        let wrong = |what| GrantError::Path { entry: whole.to_owned(), what };
        let (base, rest) = match path {
            "" => return Err(GrantError::NoPath),
            "~" => (PathBase::Home, ""),
            _ if path.starts_with('!') => return Err(wrong(PathError::TwoMarks)),
            _ => match (path.strip_prefix("~/"), path.strip_prefix('/')) {
                (Some(rest), _) => (PathBase::Home, rest),
                (None, Some(rest)) => (PathBase::Root, rest),
                (None, None) if path.starts_with('~') => {
                    return Err(wrong(PathError::OtherHome { path: path.to_owned() }));
                }
                (None, None) if is_drive(path) => return Err(wrong(PathError::Drive)),
                (None, None) => (PathBase::Project, path),
            },
        };
        let anchored = base != PathBase::Project || rest == "." || rest.starts_with("./");
        let rest = rest.strip_prefix("./").unwrap_or(if rest == "." { "" } else { rest });
        let folder = rest.strip_suffix('/').unwrap_or(rest);
        for part in folder.split('/') {
            match part {
                ".." => return Err(wrong(PathError::Climbs(base))),
                "." => return Err(wrong(PathError::Dot)),
                "" if !rest.is_empty() => return Err(wrong(PathError::EmptyName)),
                _ => {}
            }
        }
        let pattern = match (rest.is_empty(), anchored) {
            (true, _) => "/**".to_owned(),
            (false, true) => format!("/{rest}"),
            (false, false) => rest.to_owned(),
        };
        Ok(PathGrant { takes_back, base, pattern })
    }
}

/// Returns whether a path begins as on Windows, `C:/` or `C:\`.
fn is_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && chars.next().is_none_or(|c| matches!(c, '/' | '\\'))
}

impl PathBase {
    fn parent_remedy(self) -> &'static str {
        match self {
            PathBase::Project => {
                "relative entries mean paths in the project; write one outside of it as `~/…` or `/…`"
            }
            PathBase::Home | PathBase::Root => "write the path that it leads to",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_in_the_one_way_that_people_write_them() {
        for (text, expected) in [
            ("example.org", "example.org"),
            ("Example.ORG.:8443", "example.org:8443"),
            ("localhost:8080", "localhost:8080"),
            ("10.0.0.5", "10.0.0.5"),
            ("10.0.0.5:80", "10.0.0.5:80"),
            ("::1", "::1"),
            ("[::1]", "::1"),
            ("[::1]:9", "[::1]:9"),
            ("xn--exmple-4nf.org", "xn--exmple-4nf.org"),
            ("https://example.org", "no host"),
            ("example.org/x", "no host"),
            ("*.example.org", "no host"),
            ("ex\u{430}mple.org", "no host"),
            ("a@b", "no host"),
            ("", "no host"),
            (".", "no host"),
            ("a b", "no host"),
            ("example.org:0", "no port"),
            ("example.org:", "no port"),
            ("example.org:65536", "no port"),
            ("[::1]x", "no port"),
            ("127.1", "no address"),
            ("2130706433", "no address"),
            ("0x7f.0.0.1", "no address"),
            ("0177.0.0.1", "no address"),
            ("10.0.0.256", "no address"),
            ("a.0x1", "no address"),
            ("1:2:3", "no address"),
            ("fe80::1%eth0", "no host"),
        ] {
            let read = NetGrant::parse(text);
            let came = read.map_or_else(|error| error.to_string(), |grant| grant.to_string());
            let fits = if expected.starts_with("no ") { came.contains(expected) } else { came == expected };
            assert!(fits, "{text:?}: {came}");
        }
    }

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

    #[test]
    fn path_grants() {
        for (text, expected) in [
            ("docs/**", "Project docs/**"),
            ("*.md", "Project *.md"),
            ("./*.md", "Project /*.md"),
            ("docs/", "Project docs/"),
            (".", "Project /**"),
            ("./", "Project /**"),
            ("~", "Home /**"),
            ("~/", "Home /**"),
            ("~/notes/*.md", "Home /notes/*.md"),
            ("/", "Root /**"),
            ("/etc/hosts", "Root /etc/hosts"),
            ("!secrets/", "not Project secrets/"),
            ("!~/.ssh/**", "not Home /.ssh/**"),
            (" a b ", "Project a b"),
            ("...", "Project ..."),
            ("", "no path"),
            ("!", "no path"),
            ("!!x", "two `!`"),
            ("~root/x", "another person's"),
            ("~root", "another person's"),
            ("..", "climbs"),
            ("../x", "climbs"),
            ("docs/../../x", "climbs"),
            ("!docs/..", "climbs"),
            ("~/../x", "climbs"),
            ("/etc/../x", "climbs"),
            ("docs/./x", "means nothing"),
            ("docs//x", "empty name"),
            ("//x", "empty name"),
            ("docs//", "empty name"),
            ("C:/x", "begins with a drive"),
            ("c:x", "Project c:x"),
        ] {
            match PathGrant::parse(text) {
                Ok(PathGrant { takes_back, base, pattern }) => {
                    let not = if takes_back { "not " } else { "" };
                    assert_eq!(format!("{not}{base:?} {pattern}"), expected, "{text}");
                }
                Err(error) => assert!(error.to_string().contains(expected), "{text}: {error}"),
            }
        }
    }
}
