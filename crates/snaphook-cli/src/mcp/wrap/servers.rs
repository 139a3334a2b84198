//! The servers of a list in a client's settings file, and where each part of one stands in the text. Not here: what is changed.

use jsonc_parser::ParseOptions;
use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::{Range, Ranged as _};

/// The fault of a whole file, with its line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Odd {
    pub(super) line: Option<usize>,
    pub(super) why: String,
}

/// A server, as it stands in the text.
pub(super) struct Server<'a, 't> {
    /// The list that it is in: `mcpServers`, `projects./home/a.mcpServers`.
    pub(super) list: String,
    pub(super) name: String,
    /// The name as it is written, with its quotes.
    pub(super) written: &'t str,
    pub(super) value: &'a Value<'t>,
}

/// A file as agents take it: with comments and trailing commas, and nothing else that some parsers let pass.
///
/// # Errors
/// It is something else.
pub(super) fn parse(text: &str) -> Result<Value<'_>, Odd> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    let collect = jsonc_parser::CollectOptions::default();
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &options).map_err(|error| Odd {
        line: Some(error.line_display()),
        why: format!("it is not JSON: {}", error.kind()),
    })?;
    parsed.value.ok_or_else(|| Odd { line: None, why: "it is empty".to_owned() })
}

/// All servers of a file: of `mcpServers` (Claude, Cursor, Gemini and others), `servers` (VS Code), `mcp.servers` (VS Code's settings),
/// `mcp` (OpenCode, Crush) and `projects.*.mcpServers` (Claude Code).
///
/// # Errors
/// There is no list, or something is there twice: of two with one name clients take the last, readers the first.
pub(super) fn servers<'a, 't>(text: &'t str, root: &'a Value<'t>) -> Result<Vec<Server<'a, 't>>, Odd> {
    let Value::Object(root) = root else { return Err(odd(text, root.range(), "it is no object")) };
    let mut lists: Vec<(String, &Object<'t>)> = Vec::new();
    let mut list = |name: String, object: &'a Object<'t>, key: &str| -> Result<(), Odd> {
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
        let why = "it has no list of MCP servers: neither `mcpServers` nor `servers` nor `mcp`";
        return Err(Odd { line: None, why: why.to_owned() });
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
fn is_server(text: &str, object: &Object<'_>) -> Result<bool, Odd> {
    for key in ["command", "url"] {
        if !matches!(only(text, object, key)?.map(|property| &property.value), None | Some(Value::Object(_)))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The property of this name.
///
/// # Errors
/// There are two.
pub(super) fn only<'a, 't>(
    text: &str,
    object: &'a Object<'t>,
    key: &str,
) -> Result<Option<&'a ObjectProp<'t>>, Odd> {
    let mut named = object.properties.iter().filter(|property| property.name.as_str() == key);
    let first = named.next();
    match named.next() {
        Some(second) => Err(odd(text, second.range(), &format!("`{key}` is there twice"))),
        None => Ok(first),
    }
}

fn inner<'a, 't>(text: &str, property: &'a ObjectProp<'t>, key: &str) -> Result<&'a Object<'t>, Odd> {
    match &property.value {
        Value::Object(object) => Ok(object),
        other => Err(odd(text, other.range(), &format!("`{key}` is no object"))),
    }
}

pub(super) fn odd(text: &str, at: Range, why: &str) -> Odd {
    let before = text.get(..at.start).unwrap_or_default();
    Odd { line: Some(before.matches('\n').count() + 1), why: why.to_owned() }
}

/// The texts of a list; `None` where it has something else.
pub(super) fn words<'a, 't>(list: &'a Array<'t>) -> Option<Vec<&'a StringLit<'t>>> {
    list.elements
        .iter()
        .map(|element| match element {
            Value::StringLit(text) => Some(text),
            _ => None,
        })
        .collect()
}
