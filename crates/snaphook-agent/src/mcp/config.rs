//! An entry of `mcpServers`: the program that it starts, or the address that it names, with variables put in. Not here: whether it may
//! start.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustls::ClientConfig;
use serde_json::{Map, Value};
use snaphook_command::process::{Limits, Request};
use snaphook_mcp_transport::http::client::{Client, ClientError};

/// The time that a program may take to end when it is asked to, before it is killed.
const TERM_GRACE: Duration = Duration::from_secs(2);

/// A server that can be started or reached.
#[derive(Debug)]
pub struct ServerConfig {
    /// The name as it is written.
    pub name: String,
    /// The words that make it this server, as they are written: no value of a variable is in them.
    pub words: Vec<String>,
    pub(super) target: Target,
}

/// The server itself.
#[derive(Debug)]
pub(super) enum Target {
    Program(Box<Request>),
    Address(Client),
}

/// The place where servers run.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The folder of programs, and what a `cwd` is relative to.
    pub folder: &'a Path,
    /// The whole environment of programs, and the variables of entries. No key of a provider is in it.
    pub env: &'a [(OsString, OsString)],
}

/// The reason why an entry is no server. Reads after "the MCP server NAME: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It says nothing to start.
    #[error("its entry has neither `command` nor `url`")]
    Nothing,
    /// It says two things to start.
    #[error("its entry has both `command` and `url`; remove one of them")]
    Both,
    /// A transport that is not spoken.
    #[error("its transport {0:?} is not supported; `stdio` and `http` are")]
    Transport(String),
    /// A value of the wrong type.
    #[error("`{key}` must be {expected}")]
    Type {
        /// The key.
        key: &'static str,
        /// The type that it has to have.
        expected: &'static str,
    },
    /// A variable without a value.
    #[error(
        "the variable {0} is not set; set it, or write ${{{0}:-DEFAULT}} (keys of model providers are never given to servers)"
    )]
    Variable(String),
    /// The address cannot be used.
    #[error(transparent)]
    Address(#[from] ClientError),
}

impl ServerConfig {
    /// Reads an entry. `tls` is called where its address is `https`.
    ///
    /// # Errors
    /// It is no server, or a variable in it has no value.
    pub fn read<E: fmt::Display>(
        name: &str,
        entry: &Map<String, Value>,
        around: Surroundings<'_>,
        tls: impl FnOnce() -> Result<ClientConfig, E>,
    ) -> Result<Self, ConfigError> {
        let kind = text(entry, "type")?;
        let (command, url) = (text(entry, "command")?, text(entry, "url")?);
        let is_address = match (kind, command, url) {
            (_, Some(_), Some(_)) => return Err(ConfigError::Both),
            (_, None, None) => return Err(ConfigError::Nothing),
            (None | Some("stdio"), Some(_), None) => false,
            (None | Some("http" | "streamable-http"), None, Some(_)) => true,
            (Some(other), ..) => return Err(ConfigError::Transport(other.to_owned())),
        };
        let (target, words) = if is_address {
            let url = url.unwrap_or_default();
            let fields = pairs(entry, "headers")?;
            let fields = fields
                .into_iter()
                .map(|(field, value)| Ok((field.to_owned(), expanded(value, around.env)?)))
                .collect::<Result<Vec<_>, ConfigError>>()?;
            let client = Client::new(&expanded(url, around.env)?, &fields, tls)?;
            (Target::Address(client), vec![url.to_owned()])
        } else {
            let command = command.unwrap_or_default();
            let args = list(entry, "args")?;
            let words = std::iter::once(command).chain(args.iter().copied()).map(str::to_owned).collect();
            (Target::Program(Box::new(program(entry, command, &args, around)?)), words)
        };
        Ok(ServerConfig { name: name.to_owned(), words, target })
    }
}

fn program(
    entry: &Map<String, Value>,
    command: &str,
    args: &[&str],
    around: Surroundings<'_>,
) -> Result<Request, ConfigError> {
    let cwd = match text(entry, "cwd")? {
        Some(cwd) => around.folder.join(expanded(cwd, around.env)?),
        None => PathBuf::from(around.folder),
    };
    // What has no name cannot be handed on; it was not a variable of the program's before either.
    let has_name = |name: &OsString| {
        let bytes = name.as_encoded_bytes();
        !bytes.is_empty() && !bytes.contains(&b'=')
    };
    let mut env: Vec<(OsString, OsString)> =
        around.env.iter().filter(|(name, _)| has_name(name)).cloned().collect();
    for (name, value) in pairs(entry, "env")? {
        if !has_name(&name.into()) {
            return Err(ConfigError::Type { key: "env", expected: "an object of variables with names" });
        }
        let value = expanded(value, around.env)?;
        env.retain(|(known, _)| known != name);
        env.push((name.into(), value.into()));
    }
    let args = args.iter().map(|arg| Ok(expanded(arg, around.env)?.into()));
    Ok(Request {
        args: args.collect::<Result<_, ConfigError>>()?,
        env,
        limits: Limits { term_grace: TERM_GRACE, ..Limits::default() },
        ..Request::new(expanded(command, around.env)?, cwd)
    })
}

fn text<'a>(entry: &'a Map<String, Value>, key: &'static str) -> Result<Option<&'a str>, ConfigError> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ConfigError::Type { key, expected: "text" }),
    }
}

fn list<'a>(entry: &'a Map<String, Value>, key: &'static str) -> Result<Vec<&'a str>, ConfigError> {
    let wrong = || ConfigError::Type { key, expected: "a list of texts" };
    match entry.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(|one| one.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}

fn pairs<'a>(
    entry: &'a Map<String, Value>,
    key: &'static str,
) -> Result<Vec<(&'a str, &'a str)>, ConfigError> {
    let wrong = || ConfigError::Type { key, expected: "an object of texts" };
    match entry.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(map)) => {
            map.iter().map(|(name, value)| Ok((name.as_str(), value.as_str().ok_or_else(wrong)?))).collect()
        }
        Some(_) => Err(wrong()),
    }
}

/// A text with `${NAME}` and `${NAME:-DEFAULT}` put in; everything else stays. What a variable has is not looked at again.
fn expanded(text: &str, env: &[(OsString, OsString)]) -> Result<String, ConfigError> {
    let mut all = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let Some(end) = from.find('}') else { break };
        let inside = from.get(2..end).unwrap_or_default();
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let value = env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value);
        let value = value.and_then(|value| value.to_str());
        all.push_str(before);
        all.push_str(value.or(default).ok_or_else(|| ConfigError::Variable(name.to_owned()))?);
        rest = from.get(end + 1..).unwrap_or_default();
    }
    all.push_str(rest);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(entry: Value) -> Result<ServerConfig, ConfigError> {
        let env: Vec<(OsString, OsString)> =
            [("HOME", "/home/me"), ("A", "${B}"), ("EMPTY", "")].map(|(n, v)| (n.into(), v.into())).into();
        let Value::Object(entry) = entry else { panic!("no object") };
        let around = Surroundings { folder: Path::new("/p"), env: &env };
        ServerConfig::read("s", &entry, around, || Err("no TLS here"))
    }

    #[test]
    fn an_entry_is_a_program_or_an_address() {
        let shown = |entry: Value| match read(entry) {
            Ok(ServerConfig { target: Target::Program(request), .. }) => {
                let args: Vec<_> = request.args.iter().map(|arg| arg.to_string_lossy()).collect();
                let own = request.env.iter().skip(3).map(|(n, v)| format!("{}={}", n.display(), v.display()));
                let own: Vec<_> = own.collect();
                format!(
                    "{} [{}] {} {own:?}",
                    request.program.display(),
                    args.join(","),
                    request.cwd.display()
                )
            }
            Ok(ServerConfig { target: Target::Address(client), .. }) => client.host().to_owned(),
            Err(error) => error.to_string(),
        };
        for (entry, expected) in [
            (json!({"command": "npx", "args": ["-y", "x"]}), "npx [-y,x] /p []"),
            (
                json!({"type": "stdio", "command": "${HOME}/bin/x", "cwd": "sub"}),
                "/home/me/bin/x [] /p/sub []",
            ),
            (json!({"command": "x", "cwd": "/q", "env": {"K": "v-${NO:-d}"}}), r#"x [] /q ["K=v-d"]"#),
            // A value is not looked at again, an empty one is one, and what is not closed stays.
            (
                json!({"command": "x", "args": ["${A}", "${EMPTY:-y}", "$HOME", "${HOME"]}),
                "x [${B},,$HOME,${HOME] /p []",
            ),
            (
                json!({"type": "http", "url": "http://localhost:1/mcp", "headers": {"X": "${HOME}"}}),
                "localhost",
            ),
            (json!({"url": "http://localhost:1/mcp"}), "localhost"),
            (json!({}), "its entry has neither `command` nor `url`"),
            (
                json!({"command": "x", "url": "http://h"}),
                "its entry has both `command` and `url`; remove one of them",
            ),
            (
                json!({"type": "sse", "url": "http://h"}),
                r#"its transport "sse" is not supported; `stdio` and `http` are"#,
            ),
            (
                json!({"type": "http", "command": "x"}),
                r#"its transport "http" is not supported; `stdio` and `http` are"#,
            ),
            (json!({"command": ["x"]}), "`command` must be text"),
            (json!({"command": "x", "args": "y"}), "`args` must be a list of texts"),
            (json!({"command": "x", "env": {"A": 1}}), "`env` must be an object of texts"),
            (json!({"command": "x", "env": {"A=B": ""}}), "`env` must be an object of variables with names"),
            (
                json!({"command": "${NO}"}),
                "the variable NO is not set; set it, or write ${NO:-DEFAULT} (keys of model providers are never given to servers)",
            ),
        ] {
            assert_eq!(shown(entry.clone()), expected, "{entry}");
        }
    }

    #[test]
    fn what_a_server_is_known_by_has_no_value_of_a_variable() {
        let config = read(json!({"command": "x", "args": ["--token", "${HOME}"]})).unwrap();
        assert_eq!(config.words, ["x", "--token", "${HOME}"]);
    }
}
