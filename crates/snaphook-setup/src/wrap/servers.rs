//! The servers of a list in a client's settings file, and where each part of one is in the text. Not here: what is changed.

use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::{Range, Ranged as _};

use crate::EditError;
use crate::install::json::options;
use crate::wrap::error::{ListError, Twice};

/// A server, as it is in the text.
pub(super) struct Server<'a, 't> {
    /// The list that it is in: `mcpServers`, `projects./home/a.mcpServers`.
    pub(super) list: String,
    pub(super) name: String,
    /// The name as it is written, with its quotes.
    pub(super) written: &'t str,
    pub(super) value: &'a Value<'t>,
}

/// A file as agents take it.
pub(super) fn parse(text: &str) -> Result<Value<'_>, ListError> {
    let collect = jsonc_parser::CollectOptions::default();
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &options()).map_err(|error| ListError {
        line: Some(error.line_display()),
        source: EditError::Json(error.kind().to_string()),
    })?;
    parsed.value.ok_or(ListError { line: None, source: EditError::Empty })
}

/// Returns all servers of a file: of `mcpServers` (Claude, Cursor, Gemini and others), `servers` (VS Code), `mcp.servers` (VS Code's settings),
/// `mcp` (OpenCode, Crush) and `projects.*.mcpServers` (Claude Code).
///
/// # Errors
/// There is no list, or something is there twice: of two with one name clients take the last, readers the first.
pub(super) fn servers<'a, 't>(text: &'t str, root: &'a Value<'t>) -> Result<Vec<Server<'a, 't>>, ListError> {
    let Value::Object(root) = root else {
        return Err(ListError { line: Some(line(text, root.range())), source: EditError::NotObject });
    };
    let mut lists: Vec<(String, &Object<'t>)> = Vec::new();
    let mut list = |name: String, object: &'a Object<'t>, key: &str| -> Result<(), ListError> {
        if let Some(property) = only(text, object, key)? {
            lists.push((name, inner(text, property, key)?));
        }
        Ok(())
    };
    list("mcpServers".to_owned(), root, "mcpServers")?;
    list("servers".to_owned(), root, "servers")?;
    // Elsewhere the names mean whatever they like.
    if let Some(Value::Object(mcp)) = only(text, root, "mcp")?.map(|property| &property.value) {
        match only(text, mcp, "servers")?.map(|property| &property.value) {
            Some(Value::Object(servers)) if !is_server(text, servers)? => {
                list("mcp.servers".to_owned(), mcp, "servers")?;
            }
            _ => list("mcp".to_owned(), root, "mcp")?,
        }
    }
    if let Some(Value::Object(projects)) = only(text, root, "projects")?.map(|property| &property.value) {
        for project in &projects.properties {
            if let Value::Object(project_settings) = &project.value {
                let name = format!("projects.{}.mcpServers", project.name.as_str());
                list(name, project_settings, "mcpServers")?;
            }
        }
    }
    if lists.is_empty() {
        return Err(ListError {
            line: None,
            source: EditError::NoServers("`mcpServers`, `servers` or `mcp`"),
        });
    }
    let mut servers = Vec::new();
    for (name, object) in lists {
        for property in &object.properties {
            let server = property.name.as_str();
            only(text, object, server)?;
            let range = property.name.range();
            servers.push(Server {
                list: name.clone(),
                name: server.to_owned(),
                written: text.get(range.start..range.end).unwrap_or_default(),
                value: &property.value,
            });
        }
    }
    Ok(servers)
}

/// Returns whether an object is one server, and not a list of them.
fn is_server(text: &str, object: &Object<'_>) -> Result<bool, Twice> {
    for key in ["command", "url"] {
        if !matches!(only(text, object, key)?.map(|property| &property.value), None | Some(Value::Object(_)))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the property of this name.
pub(super) fn only<'a, 't>(
    text: &str,
    object: &'a Object<'t>,
    key: &str,
) -> Result<Option<&'a ObjectProp<'t>>, Twice> {
    let mut named = object.properties.iter().filter(|property| property.name.as_str() == key);
    let first = named.next();
    match named.next() {
        Some(second) => Err(Twice { key: key.to_owned(), line: line(text, second.range()) }),
        None => Ok(first),
    }
}

fn inner<'a, 't>(text: &str, property: &'a ObjectProp<'t>, key: &str) -> Result<&'a Object<'t>, ListError> {
    match &property.value {
        Value::Object(object) => Ok(object),
        other => Err(ListError {
            line: Some(line(text, other.range())),
            source: EditError::Type { key: key.to_owned(), expected: "an object" },
        }),
    }
}

/// Returns the line of a position, from 1.
fn line(text: &str, at: Range) -> usize {
    text.get(..at.start).unwrap_or_default().matches('\n').count() + 1
}

/// Returns the texts of a list; `None` where it has something else.
pub(super) fn words<'a, 't>(list: &'a Array<'t>) -> Option<Vec<&'a StringLit<'t>>> {
    list.elements
        .iter()
        .map(|element| match element {
            Value::StringLit(text) => Some(text),
            _ => None,
        })
        .collect()
}
