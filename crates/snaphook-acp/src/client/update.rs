//! What an agent tells of a session while it works. For showing: what an update does not say, or says in another form, is left
//! out.

use serde_json::Value;

/// An update of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionUpdate {
    /// The session.
    pub session: String,
    /// The update.
    pub update: Update,
}

/// An update.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// A piece of the agent's answer.
    Text(String),
    /// A piece of what it thinks.
    Thought(String),
    /// A piece of what the person wrote, when an old session is loaded.
    UserText(String),
    /// A tool call, new or changed.
    Call(CallUpdate),
    /// The steps that the agent plans, each with its status.
    Plan(Vec<(String, String)>),
    /// Anything else.
    Other {
        /// Its kind.
        kind: String,
        /// The whole of it.
        update: Value,
    },
}

/// What an update says of a tool call; what it does not say stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallUpdate {
    /// The call.
    pub id: String,
    /// True if it is new.
    pub is_new: bool,
    /// The title.
    pub title: Option<String>,
    /// The kind: `read`, `edit`, `execute`, …
    pub kind: Option<String>,
    /// The status: `pending`, `in_progress`, `completed`, `failed`.
    pub status: Option<String>,
    /// The texts in its content.
    pub text: Option<String>,
}

impl SessionUpdate {
    /// Reads the parameters of `session/update`.
    pub(super) fn read(params: &str) -> Option<Self> {
        let mut params: Value = serde_json::from_str(params).ok()?;
        let session = params.get("sessionId")?.as_str()?.to_owned();
        let update = params.get_mut("update").map(Value::take)?;
        Some(SessionUpdate { session, update: Update::read(update) })
    }
}

impl Update {
    fn read(update: Value) -> Self {
        let text = |key: &str| update.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text("sessionUpdate").unwrap_or_default();
        let chunk = || update.get("content").and_then(text_of);
        let known = match &*kind {
            "agent_message_chunk" => chunk().map(Update::Text),
            "agent_thought_chunk" => chunk().map(Update::Thought),
            "user_message_chunk" => chunk().map(Update::UserText),
            "tool_call" | "tool_call_update" => text("toolCallId").map(|id| {
                Update::Call(CallUpdate {
                    id,
                    is_new: kind == "tool_call",
                    title: text("title"),
                    kind: text("kind"),
                    status: text("status"),
                    text: texts_of(&update),
                })
            }),
            "plan" => update.get("entries").and_then(Value::as_array).map(|entries| {
                let entry = |entry: &Value| {
                    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
                    Some((text("content")?, text("status").unwrap_or_default()))
                };
                Update::Plan(entries.iter().filter_map(entry).collect())
            }),
            _ => None,
        };
        known.unwrap_or(Update::Other { kind, update })
    }
}

fn text_of(block: &Value) -> Option<String> {
    block.get("text")?.as_str().map(str::to_owned)
}

fn texts_of(update: &Value) -> Option<String> {
    let parts = update.get("content")?.as_array()?;
    let texts: Vec<_> = parts.iter().filter_map(|part| text_of(part.get("content")?)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_read() {
        for (update, want) in [
            (
                r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}"#,
                Update::Text("a".into()),
            ),
            (
                r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"}}"#,
                Update::Thought("a".into()),
            ),
            (
                r#"{"sessionUpdate":"tool_call","toolCallId":"1","title":"T","kind":"read","content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"diff"}]}"#,
                Update::Call(CallUpdate {
                    id: "1".into(),
                    is_new: true,
                    title: Some("T".into()),
                    kind: Some("read".into()),
                    text: Some("x".into()),
                    ..CallUpdate::default()
                }),
            ),
            (
                r#"{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}"#,
                Update::Call(CallUpdate {
                    id: "1".into(),
                    status: Some("completed".into()),
                    ..CallUpdate::default()
                }),
            ),
            (
                r#"{"sessionUpdate":"plan","entries":[{"content":"a","status":"pending"},{}]}"#,
                Update::Plan(vec![("a".into(), "pending".into())]),
            ),
            (
                r#"{"sessionUpdate":"new"}"#,
                Update::Other { kind: "new".into(), update: serde_json::json!({"sessionUpdate": "new"}) },
            ),
        ] {
            let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
            let read = SessionUpdate::read(&params).unwrap();
            assert_eq!((read.session.as_str(), read.update), ("s", want));
        }
        assert_eq!(SessionUpdate::read("{}"), None);
    }
}
