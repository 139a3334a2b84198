//! Lists of tools: hooks may hide a tool or say something else about it. All else of a tool stays as the server wrote it.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use snaphook::{CallOptions, Event, EventName, Payload};

use crate::json::strict;
use crate::pins::{self, Pins};
use crate::session::shared::{DENIED, INVALID_REQUEST, Shared};
use crate::session::state::Ticket;
use snaphook_mcp_transport::json::{Fields, splice};
use snaphook_mcp_transport::message::{Message, MessageKind};

const EVENT: &str = "mcp.tools_list";

/// Returns whether any hook or pin looks at lists.
pub(super) fn wants_lists(shared: &Shared) -> bool {
    shared.options.pins.is_some() || shared.host.handles(&EventName::Bus(EVENT.into()))
}

/// Has the hooks look at a page of tools, and passes what they leave of it.
pub(super) async fn rewrite(shared: &Shared, message: Message, cursor: Option<&str>, ticket: &Ticket) {
    if matches!(message.kind(), MessageKind::Response { is_error: true, .. }) {
        return shared.answer_looked_at(ticket, message).await;
    }
    let read = message.body().and_then(Page::read);
    let Some(page) = read else {
        let text = "the server's list of tools cannot be read by hooks, so it is withheld";
        return shared.answer(ticket, Message::error(Some(&ticket.id), INVALID_REQUEST, text)).await;
    };
    let server = shared.requests.server();
    if let Some(pins) = &shared.options.pins {
        compare(Arc::clone(pins), cursor, &page).await;
    }
    let mut payload = Map::new();
    payload.insert("server".to_owned(), Value::from(&*server));
    payload.insert("tools".to_owned(), Value::Array(page.values.clone()));
    let event = Event::bus(EVENT.into(), payload);
    let options =
        CallOptions { cancel: Some(ticket.cancel.clone()), supervised: true, ..CallOptions::default() };
    let emitted = shared.host.emit(event, &options).await;
    if emitted.cancelled {
        return shared.answer(ticket, Message::error(Some(&ticket.id), DENIED, "cancelled")).await;
    }
    let changed = match emitted.event.payload() {
        Payload::Fields(fields) if emitted.rewritten => fields.get("tools").and_then(Value::as_array),
        _ => None,
    };
    let message = match changed.map(|tools| page.with(tools)) {
        None => message,
        Some(list) => match Message::read(splice(message.bytes(), page.list, &list)) {
            Ok(message) => message,
            Err(error) => {
                let error = Message::error(Some(&ticket.id), DENIED, &error.to_string());
                return shared.answer(ticket, error).await;
            }
        },
    };
    shared.answer_looked_at(ticket, message).await;
}

/// Holds the page against what the server said earlier, before the client can call anything on it.
async fn compare(pins: Arc<Pins>, cursor: Option<&str>, page: &Page<'_>) {
    let (cursor, next, tools) = (cursor.map(str::to_owned), page.next.clone(), page.values.clone());
    let server = pins.server().name.clone();
    // It waits for a lock on a file.
    let looked = tokio::task::spawn_blocking(move || {
        pins.look(pins::Page { cursor: cursor.as_deref(), tools: &tools, next: next.as_deref() })
    });
    match looked.await {
        Ok(Ok(changes)) => {
            for change in changes {
                tracing::warn!(target: "snaphook::mcp", server, "{change} (look at it with `snaphook mcp pins`)");
            }
        }
        Ok(Err(fault)) => tracing::error!(target: "snaphook::mcp", server, "{fault}"),
        Err(error) => {
            tracing::error!(target: "snaphook::mcp", server, "the tools could not be compared: {error}")
        }
    }
}

/// One page of tools, as it is written.
struct Page<'a> {
    /// The whole list.
    list: &'a str,
    tools: Vec<&'a RawValue>,
    values: Vec<Value>,
    /// The place where it goes on.
    next: Option<String>,
}

impl<'a> Page<'a> {
    /// Reads a result; `None` if it is not a list of tools. Not why: the reason may quote a key.
    fn read(result: &'a str) -> Option<Self> {
        let fields = Fields::read(result).ok()?;
        let list = fields.get("tools")?.get();
        let tools: Vec<&RawValue> = serde_json::from_str(list).ok()?;
        let values = tools.iter().map(|tool| strict(tool.get())).collect::<Result<_, _>>().ok()?;
        let next = fields.text("nextCursor").map(|next| next.into_owned());
        Some(Page { list, tools, values, next })
    }

    /// The list of these tools: each as the server wrote it, but for what is said about it. What the server does not have is not
    /// in it.
    fn with(&self, tools: &[Value]) -> String {
        let written = tools.iter().filter_map(|tool| {
            let name = tool.get("name");
            let at = self.values.iter().position(|known| name.is_some() && known.get("name") == name);
            let Some(at) = at else {
                let name = name.map(Value::to_string).unwrap_or_default();
                tracing::warn!(target: "snaphook::mcp", name, "a hook put a tool into the list that the server does not have");
                return None;
            };
            let (known, text) = (self.values.get(at)?, self.tools.get(at)?.get());
            let (before, now) = (known.get("description"), tool.get("description"));
            Some(if before == now { text.to_owned() } else { described(text, now) })
        });
        format!("[{}]", written.collect::<Vec<_>>().join(","))
    }
}

/// A tool with something else said about it.
fn described(tool: &str, description: Option<&Value>) -> String {
    let fields = Fields::read(tool).unwrap_or_default();
    let text = description.map(Value::to_string).filter(|text| text.starts_with('"'));
    let mut entries = Vec::new();
    let mut put = text.clone();
    for (name, value) in &fields.0 {
        match (&**name, put.take_if(|_| name == "description")) {
            ("description", Some(text)) => entries.push(format!("\"description\":{text}")),
            ("description", None) => {}
            (name, _) => entries.push(format!("{}:{}", Value::from(name), value.get())),
        }
    }
    entries.extend(put.map(|text| format!("\"description\":{text}")));
    format!("{{{}}}", entries.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_keeps_what_hooks_do_not_say() {
        let result = r#"{"tools":[{"name":"a","x":1.0,"description":"old"},{"name":"b"},{"name":"c"}],"nextCursor":"n"}"#;
        let page = Page::read(result).unwrap();
        for (tools, want) in [
            (
                json!([{"name": "a", "description": "new", "x": 2}]),
                r#"[{"name":"a","x":1.0,"description":"new"}]"#,
            ),
            (
                json!([{"name": "c"}, {"name": "b", "description": "d"}]),
                r#"[{"name":"c"},{"name":"b","description":"d"}]"#,
            ),
            (json!([{"name": "a"}, {"name": "z"}, {}]), r#"[{"name":"a","x":1.0}]"#),
            (json!([]), "[]"),
        ] {
            assert_eq!(page.with(tools.as_array().unwrap()), want);
        }
    }
}
