//! A server's list of tools as it is offered to a model: compared with what the server said before, seen by hooks, and without what a
//! provider would refuse. Not here: asking for it (`connection`).

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook::{CallOptions, CancellationToken, Event, EventName, Host, Payload};
use snaphook_mcp::pins::{Page, Pins};

use super::connection::ListedPage;
use super::{MAX_DESCRIPTION, MAX_SCHEMA, MAX_TOOL_NAME, MAX_TOOLS};
use crate::tools::ToolSpec;

/// The event that hooks see lists by, as behind `snaphook mcp`.
const EVENT: &str = "mcp.tools_list";

/// The names that are told of one by one where tools are left out.
const MAX_TOLD: usize = 5;

/// The reason why a tool is not offered. Reads after its name, in parentheses.
#[derive(Debug, thiserror::Error)]
enum LeftOut {
    #[error("it has no name")]
    NoName,
    #[error("its name has other characters than letters, digits, _ and -")]
    Characters,
    #[error("{0} is longer than {MAX_TOOL_NAME} characters")]
    LongName(String),
    #[error("it is defined twice")]
    Twice,
    #[error("its `inputSchema` is not an object")]
    NoSchema,
    #[error("its schema has {0} bytes; {MAX_SCHEMA} are taken")]
    LongSchema(usize),
    #[error("there are more than {MAX_TOOLS}")]
    TooMany,
}

/// A tool that is offered.
#[derive(Debug)]
pub(super) struct Offered {
    /// The server's own name for it.
    pub(super) tool: String,
    pub(super) spec: ToolSpec,
}

/// Makes the tools that a model is offered of a whole list, and says what the person should know.
pub(super) async fn offered(
    server: &str,
    pages: Vec<ListedPage>,
    pins: &Arc<Pins>,
    host: &Host,
    cancel: &CancellationToken,
) -> (Vec<Offered>, Vec<String>) {
    let (pages, mut news) = compared(server, pages, pins).await;
    let mut tools = Vec::new();
    for page in pages {
        tools.extend(seen_by_hooks(server, page.tools, host, cancel).await);
    }
    let fitted = fit(server, tools);
    news.extend(fitted.1);
    (fitted.0, news)
}

/// Holds the pages against what the server said earlier, before anything on them can be called.
async fn compared(server: &str, pages: Vec<ListedPage>, pins: &Arc<Pins>) -> (Vec<ListedPage>, Vec<String>) {
    let (pins, name) = (Arc::clone(pins), server.to_owned());
    // It waits for a lock on a file.
    let looked = tokio::task::spawn_blocking(move || {
        let mut news = Vec::new();
        for page in &pages {
            let page =
                Page { cursor: page.cursor.as_deref(), tools: &page.tools, next: page.next.as_deref() };
            match pins.look(page) {
                Ok(changes) => news.extend(changes.into_iter().map(|change| {
                    format!("MCP server {name}: {change} (look at it with `snaphook mcp pins {name}`)")
                })),
                Err(fault) => news.push(format!("MCP server {name}: {fault}")),
            }
        }
        (pages, news)
    });
    match looked.await {
        Ok(looked) => looked,
        Err(error) => {
            let text =
                format!("MCP server {server}: the tools could not be compared, so none is offered: {error}");
            (Vec::new(), vec![text])
        }
    }
}

/// The tools as hooks leave them: they may hide one, or say something else about it.
async fn seen_by_hooks(
    server: &str,
    tools: Vec<Value>,
    host: &Host,
    cancel: &CancellationToken,
) -> Vec<Value> {
    if !host.handles(&EventName::Bus(EVENT.into())) {
        return tools;
    }
    let payload = Map::from_iter([
        ("server".to_owned(), Value::from(server)),
        ("tools".to_owned(), Value::Array(tools.clone())),
    ]);
    let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::supervised() };
    let emitted = host.emit(Event::bus(EVENT.into(), payload), &options).await;
    let now = match emitted.event.payload() {
        Payload::Fields(fields) if emitted.rewritten => fields.get("tools").and_then(Value::as_array),
        _ => None,
    };
    let Some(now) = now else { return tools };
    // All but the description is the server's, and what the server does not have is not in it.
    now.iter()
        .filter_map(|tool| {
            let mut known = tools.iter().find(|known| known.get("name") == tool.get("name"))?.clone();
            known["description"] = tool.get("description").cloned().unwrap_or_default();
            Some(known)
        })
        .collect()
}

/// The tools that every provider takes, and a sentence about those that are left out.
fn fit(server: &str, tools: Vec<Value>) -> (Vec<Offered>, Vec<String>) {
    let mut count: HashMap<String, usize> = HashMap::new();
    for tool in &tools {
        *count.entry(name_of(tool)).or_default() += 1;
    }
    let (mut offered, mut left_out) = (Vec::new(), Vec::new());
    for tool in tools {
        let name = name_of(&tool);
        let why = match () {
            () if offered.len() >= MAX_TOOLS => Err(LeftOut::TooMany),
            () if count.get(&name).is_some_and(|count| *count > 1) => Err(LeftOut::Twice),
            () => one(server, &name, &tool),
        };
        match why {
            Ok(spec) => offered.push(Offered { tool: name, spec }),
            Err(why) => left_out.push(format!("{} ({why})", Value::from(brief(&name)))),
        }
    }
    if left_out.is_empty() {
        return (offered, Vec::new());
    }
    let more = match left_out.len().saturating_sub(MAX_TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    left_out.truncate(MAX_TOLD);
    let text = format!("MCP server {server}: tools are left out: {}{more}", left_out.join(", "));
    (offered, vec![text])
}

fn name_of(tool: &Value) -> String {
    tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn brief(name: &str) -> &str {
    name.get(..name.floor_char_boundary(MAX_TOOL_NAME)).unwrap_or_default()
}

/// Makes what a model is told of a tool.
fn one(server: &str, name: &str, tool: &Value) -> Result<ToolSpec, LeftOut> {
    if name.is_empty() {
        return Err(LeftOut::NoName);
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Err(LeftOut::Characters);
    }
    let full = snaphook_mcp::tool_name(server, name);
    if full.len() > MAX_TOOL_NAME {
        return Err(LeftOut::LongName(full));
    }
    let schema = tool.get("inputSchema").filter(|schema| schema.is_object()).ok_or(LeftOut::NoSchema)?;
    let size = schema.to_string().len();
    if size > MAX_SCHEMA {
        return Err(LeftOut::LongSchema(size));
    }
    let mut description = tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    if description.len() > MAX_DESCRIPTION {
        description.truncate(description.floor_char_boundary(MAX_DESCRIPTION));
        description.push_str(" [cut]");
    }
    Ok(ToolSpec { name: full, description, schema: schema.clone() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> Value {
        json!({"name": name, "description": "d", "inputSchema": {"type": "object"}})
    }

    #[test]
    fn what_a_provider_would_refuse_is_left_out_with_its_reason() {
        let long = "x".repeat(MAX_TOOL_NAME - "mcp__s__".len());
        let big = json!({"name": "a", "inputSchema": {"x": "y".repeat(MAX_SCHEMA)}});
        for (tools, names, why) in [
            (vec![tool("a"), tool("b-_1")], vec!["mcp__s__a", "mcp__s__b-_1"], ""),
            (vec![tool(&long)], vec![&*format!("mcp__s__{long}")], ""),
            (vec![tool(&format!("{long}x"))], vec![], "longer than 64 characters"),
            (vec![tool("a"), tool("b"), tool("a")], vec!["mcp__s__b"], "it is defined twice"),
            (vec![tool("a.b")], vec![], r#""a.b" (its name has other characters"#),
            (vec![tool("")], vec![], "it has no name"),
            (vec![json!(7)], vec![], "it has no name"),
            (vec![json!({"name": "a"})], vec![], "its `inputSchema` is not an object"),
            (vec![json!({"name": "a", "inputSchema": true})], vec![], "its `inputSchema` is not an object"),
            (vec![big], vec![], "its schema has "),
            ((0..9).map(|_| tool("?")).collect(), vec![], "and 4 more"),
        ] {
            let (offered, news) = fit("s", tools);
            let got: Vec<_> = offered.iter().map(|one| one.spec.name.as_str()).collect();
            assert_eq!(got, names, "{news:?}");
            assert!(news.join("\n").contains(why) && news.is_empty() == why.is_empty(), "{why}: {news:?}");
        }
        let (offered, news) = fit("s", (0..=MAX_TOOLS).map(|at| tool(&format!("t{at}"))).collect());
        assert_eq!(offered.len(), MAX_TOOLS);
        assert!(news[0].contains("\"t256\" (there are more than 256)"), "{news:?}");
    }

    #[test]
    fn a_long_description_is_cut() {
        let mut long = tool("a");
        long["description"] = "é".repeat(MAX_DESCRIPTION).into();
        let (offered, news) = fit("s", vec![long]);
        let description = &offered[0].spec.description;
        assert!(description.ends_with("é [cut]") && description.len() <= MAX_DESCRIPTION + 6, "{news:?}");
    }
}
