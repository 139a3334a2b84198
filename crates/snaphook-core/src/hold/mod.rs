//! The directive of a hold: what a command may touch while the kernel holds it. Here are the data, their JSON, and the
//! combination of several to the strictest; `holder` has the port to what holds, `path` how paths are written. Not here: paths as they are on a machine,
//! and how each part is held (`snaphook-hold`).

mod holder;
mod path;

use serde_json::{Map, Value, json};

use crate::grants::{GrantError, NetGrant, env_name};
use crate::nearest::did_you_mean;

pub use holder::{HoldTools, Holder, NotHeld, StandingHold};
pub use path::{HoldBase, HoldPath, HoldPathError, HoldProgram};

/// What a command may touch. A part that is `None` was not said, and leaves all as it is; an empty list is something else:
/// `only_write = []` lets a command write nothing.
///
/// ```
/// use serde_json::json;
/// use snaphook_core::Hold;
///
/// let one = Hold::parse(&json!({"deny_write": ["~/.ssh"], "net": "loopback"})).unwrap();
/// let other = Hold::parse(&json!({"deny_write": [".git/config"], "net": "none"})).unwrap();
/// let both = one.strictest(other);
/// assert_eq!(both.to_json(), json!({"deny_write": ["~/.ssh", ".git/config"], "net": "none"}));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Hold {
    /// Profiles that it is held by as well: lists of their own, which the machine and the settings fill in.
    pub profile: Option<Vec<HoldProfile>>,
    /// Paths that it may not write, with all that is below each.
    pub deny_write: Option<Vec<HoldPath>>,
    /// Paths that it may not read, with all that is below each.
    pub deny_read: Option<Vec<HoldPath>>,
    /// The only paths that it may write, with all that is below each. Every one of these lists has to allow a path: links are
    /// only known on the machine, so that lists of several directives stay apart until then.
    pub only_write: Option<Vec<Vec<HoldPath>>>,
    /// The network that it may reach.
    pub net: Option<Net>,
    /// Programs that it may not run.
    pub deny_exec: Option<Vec<HoldProgram>>,
    /// The only environment variables that it gets.
    pub env: Option<Vec<String>>,
}

/// The keys of a directive, in the order in which it is printed.
pub const HOLD_KEYS: [&str; 7] =
    ["profile", "deny_write", "deny_read", "only_write", "net", "deny_exec", "env"];

crate::named_enum! {
    /// A directive with a name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum HoldProfile {
        /// The places of self-protection and the protected paths of the settings cannot be written.
        Guarded = "guarded",
        /// The same, and only the project, temporary folders and listed caches can be written.
        Project = "project",
        /// `guarded`, and no network.
        Offline = "offline",
    }
}

/// The network that a held command may reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Net {
    /// None, not even a loopback of its own.
    None,
    /// A loopback of its own: servers that it starts itself, and no others.
    Loopback,
    /// These hosts, and a loopback of its own. Made by [`Net::hosts`].
    Hosts(NetHosts),
}

/// Hosts with a port each, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NetHosts(Vec<(String, u16)>);

/// The ports of a host that is written without one.
const WEB_PORTS: [u16; 2] = [80, 443];

/// The reason why a JSON value is not a directive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HoldError {
    /// It is not an object.
    #[error("`hold` is {0}: expected an object like {{ deny_write = [\"~/.ssh\"] }}")]
    NotAnObject(&'static str),
    /// It has no key at all.
    #[error("`hold` is empty: expected at least one of {}", HOLD_KEYS.join(", "))]
    Empty,
    /// A key that no directive has.
    #[error("`hold` has an unknown key `{key}`{}", did_you_mean(.key, HOLD_KEYS))]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// A value of the wrong type.
    #[error("`hold.{key}` is {found}: expected {expected}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// An entry of a list that is not a string.
    #[error("`hold.{key}` has an entry that is {found}: expected a string")]
    WrongEntry {
        /// The key.
        key: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// A profile that does not exist.
    #[error(
        "`hold.profile` is `{word}`: expected {}{}",
        HoldProfile::NAMES.join(", "),
        did_you_mean(.word, HoldProfile::NAMES.iter().copied())
    )]
    UnknownProfile {
        /// The word.
        word: String,
    },
    /// `net` is a word that means nothing.
    #[error(
        "`hold.net` is `{word}`: expected `none`, `loopback` or a list of hosts{}",
        did_you_mean(.word, ["none", "loopback"])
    )]
    UnknownNet {
        /// The word.
        word: String,
    },
    /// An invalid path.
    #[error("`hold.{key}`: `{entry}` {what}")]
    Path {
        /// The key.
        key: &'static str,
        /// The entry.
        entry: String,
        /// The problem with it.
        what: HoldPathError,
    },
    /// An invalid host or variable.
    #[error("`hold.{key}`: {error}")]
    Entry {
        /// The key.
        key: &'static str,
        /// The problem with it.
        error: GrantError,
    },
}

impl Hold {
    /// Reads a directive.
    ///
    /// # Errors
    /// The value is not a directive; the error says what to write.
    pub fn parse(value: &Value) -> Result<Self, HoldError> {
        let map = match value {
            Value::Object(map) => map,
            // In Lua an empty table is both an empty list and an empty map.
            Value::Array(list) if list.is_empty() => return Err(HoldError::Empty),
            other => return Err(HoldError::NotAnObject(kind(other))),
        };
        if map.is_empty() {
            return Err(HoldError::Empty);
        }
        let mut hold = Hold::default();
        for (key, value) in map {
            match key.as_str() {
                "profile" => hold.profile = Some(profiles(value)?),
                "deny_write" => hold.deny_write = Some(paths("deny_write", value)?),
                "deny_read" => hold.deny_read = Some(paths("deny_read", value)?),
                "only_write" => hold.only_write = Some(walls(value)?),
                "net" => hold.net = Some(net(value)?),
                "deny_exec" => {
                    let entry = |text: &str| HoldProgram::parse(text).map_err(wrong("deny_exec", text));
                    hold.deny_exec = Some(set(list("deny_exec", value, entry)?));
                }
                "env" => {
                    let entry = |text: &str| match env_name(text) {
                        Ok(()) => Ok(text.to_owned()),
                        Err(error) => Err(HoldError::Entry { key: "env", error }),
                    };
                    hold.env = Some(set(list("env", value, entry)?));
                }
                _ => return Err(HoldError::UnknownKey { key: key.clone() }),
            }
        }
        Ok(hold)
    }

    /// The directive as JSON; [`Hold::parse`] reads it back.
    pub fn to_json(&self) -> Value {
        fn texts<T: ToString>(list: &[T]) -> Value {
            list.iter().map(T::to_string).collect()
        }
        let walls = |lists: &Vec<Vec<HoldPath>>| match &lists[..] {
            [one] => texts(one),
            many => many.iter().map(|list| texts(list)).collect(),
        };
        let profiles = |list: &Vec<HoldProfile>| match &list[..] {
            [one] => json!(one.as_str()),
            many => many.iter().map(|one| one.as_str()).collect(),
        };
        let parts = [
            self.profile.as_ref().map(profiles),
            self.deny_write.as_deref().map(texts),
            self.deny_read.as_deref().map(texts),
            self.only_write.as_ref().map(walls),
            self.net.as_ref().map(Net::to_json),
            self.deny_exec.as_deref().map(texts),
            self.env.as_deref().map(texts),
        ];
        let said = HOLD_KEYS.into_iter().zip(parts);
        Value::Object(said.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect::<Map<_, _>>())
    }

    /// The directive as arguments of `snaphook hold`.
    pub fn arguments(&self) -> Vec<String> {
        let profiles = self.profile.iter().flatten().flat_map(|one| ["-p".to_owned(), one.to_string()]);
        let rest = Hold { profile: None, ..self.clone() };
        let policy = (!rest.is_empty()).then(|| ["--policy".to_owned(), rest.to_json().to_string()]);
        profiles.chain(policy.into_iter().flatten()).collect()
    }

    /// Returns whether nothing was said.
    pub fn is_empty(&self) -> bool {
        *self == Hold::default()
    }

    /// The two combined: whatever either of them denies is denied.
    #[must_use]
    pub fn strictest(self, other: Hold) -> Hold {
        Hold {
            profile: combined(self.profile, other.profile, union),
            deny_write: combined(self.deny_write, other.deny_write, union),
            deny_read: combined(self.deny_read, other.deny_read, union),
            // Each list is a wall of its own.
            only_write: combined(self.only_write, other.only_write, union),
            net: combined(self.net, other.net, Net::strictest),
            deny_exec: combined(self.deny_exec, other.deny_exec, union),
            env: combined(self.env, other.env, common),
        }
    }
}

/// The combination of what two say, or what the one says that says something.
fn combined<T>(one: Option<T>, other: Option<T>, combine: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(combine(one, other)),
        (one, other) => one.or(other),
    }
}

fn union<T: Ord>(mut one: Vec<T>, other: Vec<T>) -> Vec<T> {
    one.extend(other);
    set(one)
}

fn common<T: Ord>(mut one: Vec<T>, other: Vec<T>) -> Vec<T> {
    one.retain(|entry| other.contains(entry));
    set(one)
}

/// The list in order, each entry once.
fn set<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

impl Net {
    /// The network with these hosts only. Without any it is the loopback.
    pub fn hosts(list: impl IntoIterator<Item = NetGrant>) -> Self {
        let ports = |grant: NetGrant| {
            let ports = grant.port.map_or_else(|| WEB_PORTS.to_vec(), |port| vec![port]);
            ports.into_iter().map(move |port| (grant.host.clone(), port)).collect::<Vec<_>>()
        };
        Self::of(set(list.into_iter().flat_map(ports).collect()))
    }

    fn of(hosts: Vec<(String, u16)>) -> Self {
        if hosts.is_empty() { Net::Loopback } else { Net::Hosts(NetHosts(hosts)) }
    }

    /// The network that both allow.
    #[must_use]
    pub fn strictest(self, other: Net) -> Net {
        match (self, other) {
            (Net::None, _) | (_, Net::None) => Net::None,
            (Net::Loopback, _) | (_, Net::Loopback) => Net::Loopback,
            (Net::Hosts(NetHosts(one)), Net::Hosts(NetHosts(other))) => Self::of(common(one, other)),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Net::None => json!("none"),
            Net::Loopback => json!("loopback"),
            Net::Hosts(hosts) => hosts.grants().map(|grant| grant.to_string()).collect(),
        }
    }
}

impl NetHosts {
    /// Returns whether this port of a host may be reached. The host is written as [`NetGrant::parse`] gives it.
    pub fn allow(&self, host: &str, port: u16) -> bool {
        self.0.iter().any(|(known, open)| known == host && *open == port)
    }

    /// Returns whether any port of a host may be reached.
    pub fn names(&self, host: &str) -> bool {
        self.0.iter().any(|(known, _)| known == host)
    }

    /// The hosts as they are written, one without a port for both of 80 and 443.
    pub fn grants(&self) -> impl Iterator<Item = NetGrant> {
        let both = |host: &str| WEB_PORTS.iter().all(|port| self.allow(host, *port));
        self.0.iter().filter_map(move |(host, port)| {
            let port = match (WEB_PORTS.contains(port) && both(host), *port == WEB_PORTS[0]) {
                (true, false) => return None,
                (true, true) => None,
                (false, _) => Some(*port),
            };
            Some(NetGrant { host: host.clone(), port })
        })
    }
}

// ---- reading ----

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong(key: &'static str, entry: &str) -> impl FnOnce(HoldPathError) -> HoldError {
    move |what| HoldError::Path { key, entry: entry.to_owned(), what }
}

fn list<T>(
    key: &'static str,
    value: &Value,
    entry: impl Fn(&str) -> Result<T, HoldError>,
) -> Result<Vec<T>, HoldError> {
    let list = match value {
        Value::Array(list) => list.as_slice(),
        Value::Object(map) if map.is_empty() => &[],
        other => return Err(HoldError::WrongType { key, expected: "a list of strings", found: kind(other) }),
    };
    let text = |value: &Value| match value {
        Value::String(text) => entry(text),
        other => Err(HoldError::WrongEntry { key, found: kind(other) }),
    };
    list.iter().map(text).collect()
}

fn paths(key: &'static str, value: &Value) -> Result<Vec<HoldPath>, HoldError> {
    list(key, value, |text| HoldPath::parse(text).map_err(wrong(key, text))).map(set)
}

/// One list, or several that all have to allow a path.
fn walls(value: &Value) -> Result<Vec<Vec<HoldPath>>, HoldError> {
    match value {
        Value::Array(lists) if !lists.is_empty() && lists.iter().all(Value::is_array) => {
            lists.iter().map(|list| paths("only_write", list)).collect::<Result<_, _>>().map(set)
        }
        one => Ok(vec![paths("only_write", one)?]),
    }
}

/// One profile, or a list of them.
fn profiles(value: &Value) -> Result<Vec<HoldProfile>, HoldError> {
    let one = |word: &str| {
        HoldProfile::from_name(word).ok_or_else(|| HoldError::UnknownProfile { word: word.to_owned() })
    };
    match value {
        Value::String(word) => Ok(vec![one(word)?]),
        Value::Array(words) if !words.is_empty() => list("profile", value, one).map(set),
        other => Err(HoldError::WrongType {
            key: "profile",
            expected: "the name of a profile, or a list of names",
            found: kind(other),
        }),
    }
}

fn net(value: &Value) -> Result<Net, HoldError> {
    match value {
        Value::String(word) => match word.as_str() {
            "none" => Ok(Net::None),
            "loopback" => Ok(Net::Loopback),
            _ => Err(HoldError::UnknownNet { word: word.clone() }),
        },
        Value::Array(_) => {
            let host =
                |text: &str| NetGrant::parse(text).map_err(|error| HoldError::Entry { key: "net", error });
            list("net", value, host).map(Net::hosts)
        }
        other => Err(HoldError::WrongType {
            key: "net",
            expected: "`none`, `loopback` or a list of hosts",
            found: kind(other),
        }),
    }
}

#[cfg(test)]
mod tests;
