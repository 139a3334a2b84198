//! The MCP servers that a project names in `.mcp.json`: each entry as it was read, and whether a person trusts exactly this entry. Not
//! here: starting servers, and what is in an entry (`snaphook-agent`).
//!
//! An entry starts a process or says where data goes, so it needs a person's yes as a hook does. Two things differ from hooks. A server
//! gates nothing: one that is not trusted is not started, and denies no call. And the yes holds at its place only: the same words
//! (`node server.js`) start another program in another folder.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook_core::{HookRef, Problem, Scope};

use crate::candidate::{Candidate, Language};
use crate::dirs::Directories;
use crate::file_bytes::{MAX_SOURCE_BYTES, read_up_to};
use crate::front_matter::FrontMatter;
use crate::lifecycle::leaves;
use crate::trust::{Judge, ProjectHook, Trust};

/// The file in a project's root.
pub const PROJECT_SERVERS: &str = ".mcp.json";

/// The beginning of the names that servers have beside hooks, as in `snaphook trust mcp:NAME`. No hook's name has a colon.
pub const SERVER_PREFIX: &str = "mcp:";

/// The entry of one server in a file.
pub type ServerEntry = Map<String, Value>;

/// A server of a project's file.
#[derive(Debug, Clone)]
pub struct ProjectServer {
    /// Its name in the file.
    pub name: String,
    /// The entry, as it is trusted and as it counts.
    pub entry: ServerEntry,
    /// The entry beside hooks: the server starts only if it is trusted.
    pub hook: ProjectHook,
}

/// The servers that were found, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct ProjectServers {
    /// Trusted or not.
    pub servers: Vec<ProjectServer>,
    /// The problems with the file and with decisions.
    pub problems: Vec<Problem>,
}

/// The reason why a file of servers cannot be used. Reads after the file's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServersError {
    /// It is not JSON.
    #[error("is not JSON: {0}")]
    NotJson(String),
    /// It has no list of servers.
    #[error("has no object `mcpServers`")]
    NoServers,
    /// An entry is not an object.
    #[error("has a server {0:?} whose entry is not an object")]
    Entry(String),
    /// A server without a name.
    #[error("has a server without a name")]
    NoName,
}

/// Reads the text of a file with `mcpServers`: the names with their entries, in order.
///
/// # Errors
/// It is not such a file.
pub fn read_servers(text: &[u8]) -> Result<Vec<(String, ServerEntry)>, ServersError> {
    let value: Value =
        serde_json::from_slice(text).map_err(|error| ServersError::NotJson(error.to_string()))?;
    let Value::Object(mut file) = value else { return Err(ServersError::NoServers) };
    let Some(Value::Object(servers)) = file.remove("mcpServers") else {
        return Err(ServersError::NoServers);
    };
    let entry = |(name, entry): (String, Value)| match entry {
        _ if name.is_empty() => Err(ServersError::NoName),
        Value::Object(entry) => Ok((name, entry)),
        _ => Err(ServersError::Entry(name)),
    };
    servers.into_iter().map(entry).collect()
}

/// Reads the servers of the project's `.mcp.json`; none where there is no such file.
pub fn project_servers(directories: &Directories, trust: &Trust) -> ProjectServers {
    let path = directories.project_root.join(PROJECT_SERVERS);
    let shown = directories.display_path(&path, Scope::Project);
    let mut found = ProjectServers::default();
    match std::fs::symlink_metadata(&path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return found,
        _ => {}
    }
    if let Some(problem) = leaves(directories, &path, &shown) {
        found.problems.push(problem);
        return found;
    }
    let read = read_up_to(&path, MAX_SOURCE_BYTES).map_err(|diagnostic| {
        let problem = diagnostic.into_error(&shown);
        Problem { severity: snaphook_core::Severity::Warning, ..problem }
    });
    let entries = read.and_then(|bytes| {
        read_servers(&bytes).map_err(|error| {
            let text = format!("{error}, so none of its MCP servers is started");
            Problem::warning(&shown, text).with_help("fix it or remove it")
        })
    });
    let entries = match entries {
        Ok(entries) => entries,
        Err(problem) => {
            found.problems.push(problem);
            return found;
        }
    };
    let mut judge = Judge::new(directories, trust);
    for (name, entry) in entries {
        let candidate = candidate(&name, &entry, &path, &shown);
        // The `/` keeps it apart from every hook of the project's folder.
        let place = format!("{PROJECT_SERVERS}/{name}");
        let mut hook = judge.judge_here(candidate, &place);
        hook.name = format!("{SERVER_PREFIX}{name}");
        found.servers.push(ProjectServer { name, entry, hook });
    }
    found.problems.extend(judge.store_problem());
    found
}

/// The entry as something that is trusted by its content: written in one way, so that white space decides nothing.
fn candidate(name: &str, entry: &ServerEntry, path: &Path, shown: &Path) -> Candidate {
    let text = serde_json::to_string_pretty(entry).unwrap_or_default() + "\n";
    let id = format!("{SERVER_PREFIX}{name}");
    Candidate {
        hook: HookRef::new(&id, &id, Scope::Project, shown),
        path: path.to_owned(),
        language: Language::McpServer,
        source: text.as_str().into(),
        modules: None,
        raw: BTreeMap::from([(format!("{PROJECT_SERVERS}/{name}"), Arc::from(text.into_bytes()))]),
        front_matter: FrontMatter::default(),
        executable: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_named_entries() {
        let shown = |text: &str| match read_servers(text.as_bytes()) {
            Ok(servers) => servers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(","),
            Err(error) => error.to_string(),
        };
        for (text, expected) in [
            (r#"{"mcpServers":{"b":{"command":"x"},"a":{}}}"#, "b,a"),
            (r#"{"mcpServers":{}}"#, ""),
            (r#"{"mcpServers":{"a":"x"}}"#, r#"has a server "a" whose entry is not an object"#),
            (r#"{"mcpServers":{"":{}}}"#, "has a server without a name"),
            (r#"{"mcpServers":[]}"#, "has no object `mcpServers`"),
            (r#"{"servers":{}}"#, "has no object `mcpServers`"),
            ("[]", "has no object `mcpServers`"),
            ("{", "is not JSON: EOF while parsing an object at line 1 column 1"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
