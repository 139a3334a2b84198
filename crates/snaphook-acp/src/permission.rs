//! A permission request of an agent: the tool call that it is about, as hooks see it, and the options to answer with.
//! Not here: what is answered (`proxy`).

use serde_json::{Map, Value, json};
use snaphook::ToolCall;
use snaphook_mcp_transport::json::{Fields, JsonError};
use snaphook_mcp_transport::strict::strict;

use crate::fields::{PermissionFields, diffs};

/// The reason why a request of the agent, or a prompt of the editor, cannot be read. The text is about the request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    /// There are no parameters.
    #[error("it has no parameters")]
    NoParameters,
    /// A key is not there, or has another type.
    #[error("it has no `{0}`, or one of another type")]
    NoKey(&'static str),
    /// A key is written so that only some editors read it.
    #[error("`{0}` is not how the protocol spells it")]
    Spelling(String),
    /// A command of which nothing says what it is.
    #[error("it runs a command, and neither `rawInput` nor `title` says which")]
    NoCommand,
    /// A program's name that a shell would take for several words, beside arguments.
    #[error("its `command` has several words, and it has `args`: editors run that differently")]
    TwoCommands,
    /// The parameters are not read as JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
}

/// Reads parameters in which no key occurs twice, and none is another spelling of these.
pub(crate) fn read_params(params: Option<&str>, keys: &[&str]) -> Result<Value, RequestError> {
    let params = params.ok_or(RequestError::NoParameters)?;
    if let Some(other) = Fields::read(params)?.look_alike(keys) {
        return Err(RequestError::Spelling(other.to_owned()));
    }
    Ok(strict(params)?)
}

/// The request, with as much as a gate needs.
#[derive(Debug)]
pub(crate) struct PermissionRequest {
    /// The id of the tool call in the session.
    pub(crate) call_id: String,
    call: Map<String, Value>,
    options: Vec<PermissionOption>,
}

#[derive(Debug)]
struct PermissionOption {
    id: String,
    kind: String,
}

const KEYS: &[&str] = &["sessionId", "toolCall", "options", "_meta"];
const CALL_KEYS: &[&str] = &[
    "toolCallId",
    "title",
    "name",
    "kind",
    "status",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "_meta",
];

impl PermissionRequest {
    /// Reads the parameters.
    ///
    /// # Errors
    /// They have not the form that the protocol gives them, or one that can be read in two ways.
    pub(crate) fn read(params: Option<&str>) -> Result<Self, RequestError> {
        let params = read_params(params, KEYS)?;
        let call = params.get("toolCall").and_then(Value::as_object);
        let call = call.ok_or(RequestError::NoKey("toolCall"))?;
        read_params(Some(&Value::Object(call.clone()).to_string()), CALL_KEYS)?;
        let call_id = call.get("toolCallId").and_then(Value::as_str);
        let call_id = call_id.ok_or(RequestError::NoKey("toolCallId"))?.to_owned();
        let option = |option: &Value| {
            let text = |key: &str| option.get(key)?.as_str().map(str::to_owned);
            Some(PermissionOption { id: text("optionId")?, kind: text("kind")? })
        };
        let options = params.get("options").and_then(Value::as_array);
        let options = options.and_then(|options| options.iter().map(option).collect());
        Ok(PermissionRequest {
            call_id,
            call: call.clone(),
            options: options.ok_or(RequestError::NoKey("options"))?,
        })
    }

    /// The tool call for hooks, with what was said of it before.
    ///
    /// # Errors
    /// It runs a command that is nowhere.
    pub(crate) fn tool_call(&self, known: Option<&Map<String, Value>>) -> Result<ToolCall, RequestError> {
        let mut input = known.cloned().unwrap_or_default();
        for (key, value) in self.call.iter().filter(|(_, value)| !value.is_null()) {
            input.insert(key.clone(), value.clone());
        }
        let input = Value::Object(input);
        let (tool, native) = (canonical(&input).to_owned(), native_name(&input).to_owned());
        let call =
            ToolCall { map: &PermissionFields, ..ToolCall::new(&*self.call_id, tool, input).native(native) };
        if &*call.tool == "bash" && call.command().is_none() {
            return Err(RequestError::NoCommand);
        }
        Ok(call)
    }

    /// The answer that refuses: once where the agent offers it, else as it does, else the end of the turn.
    pub(crate) fn refusal(&self) -> Value {
        self.option(&["reject_once", "reject_always"]).map_or_else(cancelled, selected)
    }

    /// The answer that allows it this once, where the agent offers that.
    pub(crate) fn approval(&self) -> Option<Value> {
        self.option(&["allow_once"]).map(selected)
    }

    /// The tool call as the agent describes it.
    pub(crate) fn described(&self) -> &Map<String, Value> {
        &self.call
    }

    /// The id of the first option of the first of these kinds that there is.
    pub(crate) fn option(&self, kinds: &[&str]) -> Option<&str> {
        let of = |kind: &&str| self.options.iter().find(|option| option.kind == **kind);
        kinds.iter().find_map(of).map(|option| &*option.id)
    }
}

/// The answer that chooses this option.
pub(crate) fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

/// The answer to a request of a turn that was cancelled.
pub(crate) fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn text<'a>(call: &'a Value, key: &str) -> Option<&'a str> {
    call.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// The agent's own name of the tool, where it says one.
fn own_name(call: &Value) -> Option<&str> {
    let adapter = call.get("_meta").and_then(|meta| meta.get("claudeCode"));
    text(call, "name").or_else(|| text(adapter?, "toolName"))
}

fn native_name(call: &Value) -> &str {
    own_name(call).or_else(|| text(call, "kind")).unwrap_or("other")
}

/// The canonical name. An agent need not say of which kind a call is, so what it would do counts as well.
fn canonical(call: &Value) -> &str {
    let own = own_name(call);
    if let Some(name) = own.filter(|name| name.starts_with("mcp__")) {
        return name;
    }
    let raw = call.get("rawInput");
    let has = |keys: &[&str]| {
        keys.iter().any(|key| raw.and_then(|raw| raw.get(key)).is_some_and(|value| !value.is_null()))
    };
    match text(call, "kind").unwrap_or("other") {
        "execute" => "bash",
        // Some call a command that only reads by what it does: it is a command all the same.
        "read" | "search" | "think" | "fetch" | "delete" | "move" if has(&["command", "cmd"]) => "bash",
        "read" => "read",
        "edit" => write_or_edit(call),
        "delete" => "delete",
        "move" => "move",
        "search" => "grep",
        "think" => "think",
        "fetch" if has(&["query"]) && !has(&["url"]) => "web_search",
        "fetch" => "web_fetch",
        "switch_mode" => "switch_mode",
        kind => match () {
            () if has(&["command", "cmd"]) => "bash",
            () if diffs(call).next().is_some() => write_or_edit(call),
            () => own.unwrap_or(kind),
        },
    }
}

/// A file that was not there before is written, any other edited.
fn write_or_edit(call: &Value) -> &'static str {
    let is_new = |diff: &Value| diff.get("oldText").is_none_or(Value::is_null);
    let mut all = diffs(call).peekable();
    if all.peek().is_some() && all.all(is_new) { "write" } else { "edit" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(call: &str, options: &str) -> Result<PermissionRequest, RequestError> {
        PermissionRequest::read(Some(&format!(
            r#"{{"sessionId":"s","toolCall":{call},"options":{options},"_meta":{{}}}}"#
        )))
    }

    #[test]
    fn a_call_has_the_name_of_what_it_does() {
        for (call, tool, native) in [
            (json!({"kind": "execute", "title": "ls"}), "bash", "execute"),
            (json!({"kind": "read"}), "read", "read"),
            (json!({"kind": "edit"}), "edit", "edit"),
            (
                json!({"kind": "edit", "content": [{"type": "diff", "path": "a", "oldText": "", "newText": "x"}]}),
                "edit",
                "edit",
            ),
            (
                json!({"kind": "edit", "content": [{"type": "diff", "path": "a", "oldText": null, "newText": "x"}]}),
                "write",
                "edit",
            ),
            (
                json!({"kind": "edit", "content": [{"type": "diff", "path": "a", "newText": "x"}]}),
                "write",
                "edit",
            ),
            (json!({"kind": "fetch"}), "web_fetch", "fetch"),
            (json!({"kind": "fetch", "rawInput": {"query": "x"}}), "web_search", "fetch"),
            (json!({"kind": "search"}), "grep", "search"),
            (json!({"kind": "delete"}), "delete", "delete"),
            (json!({"kind": "move"}), "move", "move"),
            (json!({"kind": "new_kind"}), "new_kind", "new_kind"),
            (json!({}), "other", "other"),
            (json!({"name": "deploy"}), "deploy", "deploy"),
            (json!({"name": "mcp__files__read", "kind": "read"}), "mcp__files__read", "mcp__files__read"),
            (
                json!({"_meta": {"claudeCode": {"toolName": "mcp__a__b"}}, "kind": "other"}),
                "mcp__a__b",
                "mcp__a__b",
            ),
            (json!({"rawInput": {"command": "ls"}}), "bash", "other"),
            (json!({"kind": "read", "rawInput": {"command": "cat a; rm b"}}), "bash", "read"),
            (json!({"kind": "edit", "rawInput": {"command": "str_replace", "path": "a"}}), "edit", "edit"),
            (json!({"kind": "other", "rawInput": {"cmd": ["ls"]}}), "bash", "other"),
            (
                json!({"kind": "other", "content": [{"type": "diff", "path": "a", "newText": "x"}]}),
                "write",
                "other",
            ),
        ] {
            let mut own = call.clone();
            own["toolCallId"] = "1".into();
            let call_of = read(&own.to_string(), "[]").unwrap().tool_call(None).unwrap();
            assert_eq!((&*call_of.tool, &*call_of.native_tool), (tool, native), "{call}");
        }
    }

    #[test]
    fn what_was_said_before_counts_where_the_request_says_nothing() {
        let request = read(r#"{"toolCallId":"1","title":null,"rawInput":{"command":"new"}}"#, "[]").unwrap();
        let known = json!({"title": "T", "kind": "execute", "rawInput": {"command": "old"}});
        let call = request.tool_call(known.as_object()).unwrap();
        assert_eq!((&*call.tool, call.command().as_deref()), ("bash", Some("new")));
        assert_eq!(call.input["title"], "T");
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for (call, options, want) in [
            (r#"{"toolCallId":"1","kind":"execute"}"#, "[]", "neither `rawInput` nor `title`"),
            (r#"{"toolCallId":"1","toolCallId":"2"}"#, "[]", "occurs twice"),
            (r#"{"toolCallId":"1","RawInput":{}}"#, "[]", "`RawInput` is not how"),
            (r#"{"title":"x"}"#, "[]", "no `toolCallId`"),
            ("[]", "[]", "no `toolCall`"),
            (r#"{"toolCallId":"1"}"#, "{}", "no `options`"),
            (r#"{"toolCallId":"1"}"#, r#"[{"optionId":1,"kind":"allow_once"}]"#, "no `options`"),
        ] {
            let error =
                read(call, options).and_then(|request| request.tool_call(None)).unwrap_err().to_string();
            assert!(error.contains(want), "{call} {options}: {error}");
        }
    }

    #[test]
    fn a_no_is_said_as_the_agent_takes_it() {
        let option = |id: &str, kind: &str| format!(r#"{{"optionId":"{id}","name":"N","kind":"{kind}"}}"#);
        let (always, once) = (option("a", "reject_always"), option("o", "reject_once"));
        for (options, want) in [
            (format!("[{always},{once}]"), selected("o")),
            (format!("[{always}]"), selected("a")),
            (format!("[{}]", option("y", "allow_once")), cancelled()),
            ("[]".to_owned(), cancelled()),
        ] {
            assert_eq!(read(r#"{"toolCallId":"1"}"#, &options).unwrap().refusal(), want, "{options}");
        }
    }
}
