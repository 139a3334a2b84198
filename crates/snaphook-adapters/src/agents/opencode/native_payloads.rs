//! The payloads of snaphook's plugin, hook by hook.

use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook_core::{Event, Lifecycle, ToolCall};

use super::{OpenCode, tools};
use crate::agent::Unreadable;
use crate::agents::family::{payloads, results};
use crate::fields::{Fields, kind, lifecycle, value};
use crate::incoming::Origin;

/// One line, taken apart.
pub(super) struct Line<'a> {
    /// The hook's name; of what the `event` hook gets, its type.
    pub(super) native: &'a str,
    /// The hook's first argument; of an event, its properties.
    input: Fields<'a>,
    /// The hook's second argument.
    pub(super) output: Fields<'a>,
    whole: Fields<'a>,
    agent: &'a OpenCode,
}

impl<'a> Line<'a> {
    pub(super) fn of(
        payload: &'a Map<String, Value>,
        empty: &'a Map<String, Value>,
        agent: &'a OpenCode,
    ) -> Result<Self, Unreadable> {
        let whole = Fields(payload);
        let map =
            |of: Fields<'a>, name: &str| Fields(of.0.get(name).and_then(Value::as_object).unwrap_or(empty));
        let (input, output) = (map(whole, "input"), map(whole, "output"));
        let hook = whole.need("hook")?;
        if hook != "event" {
            return Ok(Line { native: hook, input, output, whole, agent });
        }
        let event = map(input, "event");
        Ok(Line { native: event.need("type")?, input: map(event, "properties"), output, whole, agent })
    }

    /// The session of the person: a subagent has one of its own, and the plugin knows whose it is.
    pub(super) fn origin(&self) -> Origin {
        let info = self.input.0.get("info").and_then(|info| info.get("directory")).and_then(Value::as_str);
        Origin {
            session: self.whole.owned("root").or_else(|| self.session().map(str::to_owned)),
            cwd: self.whole.folder("directory").or_else(|| info.map(Into::into)),
            prompt: self.input.owned("messageID"),
            ..Origin::default()
        }
    }

    fn session(&self) -> Option<&'a str> {
        self.input.text("sessionID")
    }

    /// The subagent that this is about: a session that another one is the root of.
    fn subagent(&self) -> Option<&'a str> {
        self.whole.text("root").and(self.session())
    }

    pub(super) fn events(&self) -> Result<Vec<Event>, Unreadable> {
        Ok(match (self.native, self.subagent()) {
            ("tool.execute.before", _) => vec![Event::tool_call(self.call(self.output)?)],
            ("tool.execute.after", _) => vec![self.result()?],
            ("chat.message", Some(subagent)) => vec![lifecycle(
                Lifecycle::SubagentStart,
                [("subagent", value(Some(subagent))), ("prompt", Some(self.prompt()?.into()))],
            )?],
            ("chat.message", None) => vec![
                lifecycle(Lifecycle::UserPrompt, [("prompt", Some(self.prompt()?.into()))])?,
                lifecycle(Lifecycle::AgentStart, [("prompt", Some(self.prompt()?.into()))])?,
            ],
            ("experimental.session.compacting", _) => vec![lifecycle(Lifecycle::SessionBeforeCompact, [])?],
            ("experimental.text.complete", _) => {
                vec![lifecycle(Lifecycle::ModelResponse, [("content", value(self.output.text("text")))])?]
            }
            // A subagent's start is its task.
            ("session.created", Some(_)) => Vec::new(),
            ("session.created", None) if self.info("parentID").is_some() => Vec::new(),
            ("session.created", None) => vec![
                lifecycle(Lifecycle::Session, [("reason", value(Some("start")))])?,
                lifecycle(Lifecycle::SessionStart, [])?,
            ],
            ("session.deleted", _) => vec![lifecycle(Lifecycle::SessionEnd, [])?],
            ("session.idle", Some(subagent)) => {
                vec![lifecycle(Lifecycle::SubagentEnd, [("subagent", value(Some(subagent)))])?]
            }
            ("session.idle", None) => vec![lifecycle(Lifecycle::AgentEnd, [])?],
            ("session.error", _) => {
                vec![lifecycle(Lifecycle::AgentError, [("error", Some(self.error().into()))])?]
            }
            ("session.compacted", _) => vec![lifecycle(Lifecycle::SessionCompact, [])?],
            ("permission.asked", _) => vec![lifecycle(
                Lifecycle::Notification,
                [("message", Some(self.permission_text().into())), ("kind", value(Some("permission")))],
            )?],
            _ => Vec::new(),
        })
    }

    fn info(&self, name: &str) -> Option<&'a str> {
        self.input.0.get("info")?.get(name)?.as_str()
    }

    /// `tool` and `callID`, with the `args` of this argument.
    fn call(&self, of: Fields<'_>) -> Result<ToolCall, Unreadable> {
        let native = self.input.need("tool")?;
        // Calls within this one came to no hook in versions that have it.
        if native == "batch" && of.0.get("args").and_then(|args| args.get("tool_calls")).is_some() {
            return Err(Unreadable(
                "the call makes several calls at once; make them one at a time".to_owned(),
            ));
        }
        let args = match of.need_value("args")? {
            args @ Value::Object(_) => args.clone(),
            // A tool without parameters.
            Value::Null => Value::Object(Map::new()),
            other => return Err(Unreadable(format!("`args` is {}, not a map", kind(other)))),
        };
        let mut call =
            tools::call(self.agent.own, self.input.text("callID").unwrap_or_default(), native, args);
        call.subagent = self.subagent().map(Arc::from);
        Ok(call)
    }

    /// `output`, or the `content` of an MCP tool. A shell command says how it ended.
    fn result(&self) -> Result<Event, Unreadable> {
        let call = self.call(self.input)?;
        let exit =
            self.output.0.get("metadata").and_then(|metadata| metadata.get("exit")).and_then(Value::as_i64);
        let is_error = self.output.flag("isError") || exit.is_some_and(|exit| exit != 0);
        let output = Value::Object(self.output.0.clone());
        Ok(payloads::result(call, results::text(&output), output, is_error))
    }

    /// Returns what the person wrote, without what others put beside it.
    fn prompt(&self) -> Result<String, Unreadable> {
        let parts = match self.output.need_value("parts")? {
            Value::Array(parts) => parts,
            other => return Err(Unreadable(format!("`parts` is {}, not a list", kind(other)))),
        };
        let texts = parts.iter().filter(|part| is_written(part)).filter_map(|part| part["text"].as_str());
        Ok(texts.collect::<Vec<_>>().join("\n"))
    }

    fn error(&self) -> String {
        let error = self.input.0.get("error").cloned().unwrap_or_default();
        let message = error.get("data").and_then(|data| data.get("message")).or_else(|| error.get("name"));
        message.and_then(Value::as_str).unwrap_or("unknown").to_owned()
    }

    fn permission_text(&self) -> String {
        let patterns = self.input.0.get("patterns").and_then(Value::as_array);
        let patterns: Vec<_> = patterns.into_iter().flatten().filter_map(Value::as_str).collect();
        format!(
            "{} asks about {}: {}",
            self.agent.profile.title,
            self.input.text("permission").unwrap_or("a tool"),
            patterns.join(", ")
        )
    }
}

/// Returns whether a part of a message is what the person wrote.
pub(super) fn is_written(part: &Value) -> bool {
    let flagged = |name: &str| part.get(name) == Some(&Value::Bool(true));
    part.get("type").and_then(Value::as_str) == Some("text")
        && part.get("text").is_some_and(Value::is_string)
        && !flagged("synthetic")
        && !flagged("ignored")
}
