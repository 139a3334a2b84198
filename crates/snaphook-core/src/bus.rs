//! The events of the bus that snaphook itself causes, with their classes: a closed table beside the open set. Names that begin
//! with `mcp.` belong to it. Not here: lifecycle events (`event`, `spec`).

use serde_json::{Map, Value};

use crate::lifecycle::ReplyClass;
use crate::spec::{ALLOW, ASK, BLOCK, CONTEXT, FieldSpec, FieldType, REASON, may, must};

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct BusSpec {
    /// The name.
    pub name: &'static str,
    /// One sentence about it.
    pub doc: &'static str,
    /// The way answers and failures count.
    pub class: ReplyClass,
    /// The fields that a handler finds in it, beside `name`.
    pub payload: &'static [FieldSpec],
    /// The fields that a handler may return. An empty answer is always legal.
    pub answers: &'static [FieldSpec],
}

/// The prefix of the names in the table; only they have it.
const RESERVED_PREFIX: &str = "mcp.";

const SERVER: FieldSpec = must("server", FieldType::Text, "the server's name, as in `mcp__SERVER__TOOL`");
const TEXTS: &str = "texts";
const VERDICTS: &[FieldSpec] = &[BLOCK, REASON, ASK, ALLOW, CONTEXT];

impl BusSpec {
    /// The event of what an MCP server says beside its tools' results. What a handler has to check in it can be withheld.
    pub const SERVER_MESSAGE: &'static str = "mcp.server_message";

    /// Every event of the table.
    pub const ALL: &'static [BusSpec] = &[
        BusSpec {
            name: "mcp.tools_list",
            doc: "An MCP server has listed its tools, or a page of them.",
            class: ReplyClass::Rewrite,
            payload: &[
                SERVER,
                must("tools", FieldType::List, "the tools as the server describes them, as rewritten so far"),
            ],
            answers: &[may(
                "tools",
                FieldType::List,
                "the tools that the client is shown: one that is left out is hidden; of the others only `description` can be changed",
            )],
        },
        BusSpec {
            name: Self::SERVER_MESSAGE,
            doc: "An MCP server says something that no `tool_result` handler is shown. With `on_failure: withhold` in its front matter, a hook that fails keeps the message back.",
            class: ReplyClass::Rewrite,
            payload: &[
                SERVER,
                must(
                    "method",
                    FieldType::Text,
                    "the method of the request that is answered, or the message's own",
                ),
                must(
                    "kind",
                    FieldType::OneOf(&["result", "error", "notification", "request"]),
                    "an answer to the client, a notice, or a request of the server's own",
                ),
                must(
                    TEXTS,
                    FieldType::Texts,
                    "each text of the message in order, keys that are not the protocol's own among them, as rewritten so far",
                ),
                must(
                    "binary",
                    FieldType::List,
                    "what is written in base64, as `{mime_type, bytes}`; its content cannot be read",
                ),
            ],
            answers: &[
                may(TEXTS, FieldType::Texts, "the texts that the client gets: as many, in the same order"),
                may("block", FieldType::Bool, "true: the client does not get the message"),
                may(
                    "reason",
                    FieldType::Text,
                    "with a block: why, for the client and the log; may not quote the message",
                ),
            ],
        },
        BusSpec {
            name: "mcp.resource_read",
            doc: "A resource of an MCP server is about to be read.",
            class: ReplyClass::Gate,
            payload: &[SERVER, must("uri", FieldType::Text, "the resource's address")],
            answers: VERDICTS,
        },
        BusSpec {
            name: "mcp.prompt_get",
            doc: "A prompt of an MCP server is about to be fetched.",
            class: ReplyClass::Gate,
            payload: &[
                SERVER,
                must("prompt", FieldType::Text, "the prompt's name"),
                must("arguments", FieldType::Map, "the prompt's arguments"),
            ],
            answers: VERDICTS,
        },
    ];

    /// The row of this name.
    pub fn of(name: &str) -> Option<&'static BusSpec> {
        // Most events of the bus are not in the table.
        name.starts_with(RESERVED_PREFIX).then(|| Self::ALL.iter().find(|spec| spec.name == name))?
    }

    /// The fault of a rewrite whose types are those of the table.
    pub(crate) fn rewrite_error(
        name: &str,
        before: &Map<String, Value>,
        changes: &Map<String, Value>,
    ) -> Option<String> {
        if name != Self::SERVER_MESSAGE {
            return None;
        }
        let count = |fields: &Map<String, Value>| fields.get(TEXTS).and_then(Value::as_array).map(Vec::len);
        let (wanted, got) = (count(before)?, count(changes)?);
        let text =
            || format!("{name} answer `{TEXTS}` must have {wanted} texts, as the event has, not {got}");
        (wanted != got).then(text)
    }

    /// Returns whether a name that is not in the table cannot be anybody's.
    pub(crate) fn is_reserved(name: &str) -> bool {
        name.starts_with(RESERVED_PREFIX) && Self::of(name).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;
    use crate::event::EventName;
    use serde_json::json;

    #[test]
    fn names_that_are_not_in_the_table_are_nobodys() {
        for spec in BusSpec::ALL {
            let name = EventName::parse(spec.name).unwrap();
            assert_eq!(name.class(), spec.class);
        }
        let unknown = EventName::parse("mcp.tool_list").unwrap_err();
        assert_eq!(unknown.nearest, Some("mcp.tools_list"));
        assert!(EventName::parse("mcp.zzz").is_err());
        assert_eq!(EventName::parse("mcpx.zzz").unwrap().class(), ReplyClass::Notify);
    }

    #[test]
    fn answers_are_those_of_the_table() {
        for (event, answer, legal) in [
            ("mcp.resource_read", json!({"block": true, "reason": "no"}), true),
            ("mcp.resource_read", json!({"ask": "sure?"}), true),
            ("mcp.resource_read", json!({"uri": "other"}), false),
            ("mcp.resource_read", json!({"blocked": true}), false),
            ("mcp.prompt_get", json!({"input": {}}), false),
            ("mcp.tools_list", json!({"tools": []}), true),
            ("mcp.tools_list", json!({"block": true}), false),
            ("mcp.server_message", json!({"texts": ["a"]}), true),
            ("mcp.server_message", json!({"texts": [1]}), false),
            ("mcp.server_message", json!({"texts": "a"}), false),
            ("mcp.server_message", json!({"block": true}), true),
            ("mcp.server_message", json!({"block": true, "reason": "no"}), true),
            ("mcp.server_message", json!({"block": false, "reason": "no"}), true),
            ("mcp.server_message", json!({"block": true, "texts": []}), false),
            ("mcp.server_message", json!({"reason": "no"}), false),
            ("mcp.server_message", json!({"context": "no"}), false),
            ("acme.deployed", json!({"block": true}), false),
        ] {
            let name = EventName::parse(event).unwrap();
            assert_eq!(Answer::parse(&name, answer.clone()).is_ok(), legal, "{event} {answer}");
        }
    }

    #[test]
    fn a_field_that_is_never_there_is_named() {
        let name = EventName::parse("mcp.resource_read").unwrap();
        assert_eq!(name.no_such_field("uri"), None);
        assert!(name.no_such_field("url").unwrap().contains("did you mean `uri`?"));
    }
}
