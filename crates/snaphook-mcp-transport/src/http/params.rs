//! Header fields for single arguments: a tool's schema may ask that an argument is in a field `Mcp-Param-…`, too, where programs
//! in between can see it. Both sides are here: `fields` for what we send, `check` for what is sent to us. Which tool asks for what
//! is learned from the lists of tools that pass; who calls before that is refused by the server, then lists, and calls again. Not
//! here: the other fields (`fields`).
//!
//! The rules are those of the protocol's page on Streamable HTTP, "Custom Headers from Tool Parameters" (2026-07-28).

use std::collections::HashMap;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fields::{HeaderError, means, mismatch, only, own_version, wrapped};
use crate::json::{Fields, text_of};
use crate::message::{Message, MessageKind, whole};

/// The keyword of a property that is to be in a field.
const ANNOTATION: &str = "x-mcp-header";

/// The number of tools that are kept in mind that ask for fields.
const MAX_TOOLS: usize = 10_000;

/// The fields that tools ask for.
#[derive(Debug, Default)]
pub(super) struct Params(HashMap<String, Arc<[HeaderArgument]>>);

/// An argument, by the keys that lead to it, and the field for it.
#[derive(Debug)]
struct HeaderArgument {
    path: Vec<String>,
    field: HeaderName,
}

impl Params {
    /// Keeps in mind what a list of tools asks for.
    pub(super) fn note(&mut self, list: &str) {
        #[derive(Deserialize)]
        struct List<'a> {
            #[serde(borrow)]
            tools: Vec<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Tool {
            name: String,
            #[serde(rename = "inputSchema")]
            schema: Value,
        }
        // Most servers ask for none.
        if self.0.is_empty() && memchr::memmem::find(list.as_bytes(), ANNOTATION.as_bytes()).is_none() {
            return;
        }
        let Ok(List { tools }) = serde_json::from_str(list) else { return };
        for Tool { name, schema } in
            tools.into_iter().filter_map(|tool| serde_json::from_str(tool.get()).ok())
        {
            let mut wanted = Vec::new();
            // A tool that asks in another way than the protocol has it asks for nothing: clients that see the fields do not call it.
            let is_valid = gather(&schema, &mut Vec::new(), &mut wanted).is_some();
            if !is_valid || wanted.is_empty() {
                self.0.remove(&name);
            } else if self.0.len() < MAX_TOOLS || self.0.contains_key(&name) {
                self.0.insert(name, wanted.into());
            }
        }
    }

    /// Returns what the tool asks for that a message calls, if it does.
    fn of(&self, message: &Message) -> Option<Arc<[HeaderArgument]>> {
        if self.0.is_empty() {
            return None;
        }
        match message.kind() {
            MessageKind::Request { method, .. }
                if **method == *"tools/call" && own_version(message).is_some() => {}
            _ => return None,
        }
        self.0.get(&*Fields::read(message.body()?).ok()?.text("name")?).cloned()
    }

    /// The fields of a call.
    pub(super) fn fields(&self, message: &Message) -> HeaderMap {
        let mut fields = HeaderMap::new();
        let (Some(wanted), Some(params)) = (self.of(message), message.body()) else { return fields };
        for HeaderArgument { path, field } in &*wanted {
            // One that is not there has no field.
            let said = argument(params, path)
                .and_then(|argument| HeaderValue::from_str(&wrapped(&argument.text)).ok());
            if let Some(said) = said {
                fields.insert(field, said);
            }
        }
        fields
    }

    /// Holds the fields against the call that they came with: who reads one of the two must not see something else.
    pub(super) fn check(&self, fields: &HeaderMap, message: &Message) -> Result<(), HeaderError> {
        let (Some(wanted), Some(params)) = (self.of(message), message.body()) else { return Ok(()) };
        for HeaderArgument { path, field } in &*wanted {
            let agree = match (only(fields, field)?, argument(params, path)) {
                (None, None) => true,
                (Some(said), Some(argument)) => argument.is_meant(said),
                (Some(_), None) | (None, Some(_)) => false,
            };
            if !agree {
                return Err(mismatch(field, &format!("the argument `{}`", path.join("."))));
            }
        }
        Ok(())
    }
}

/// Returns what a schema asks for; `None` where it does so in another way than the protocol has it.
fn gather(schema: &Value, path: &mut Vec<String>, all: &mut Vec<HeaderArgument>) -> Option<()> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Some(()) };
    for (key, property) in properties {
        path.push(key.clone());
        if let Some(name) = property.get(ANNOTATION) {
            let name = name.as_str().filter(|name| !name.is_empty())?;
            let field = HeaderName::from_bytes(format!("mcp-param-{name}").as_bytes()).ok()?;
            let is_plain = matches!(property.get("type")?.as_str()?, "string" | "integer" | "boolean");
            if !is_plain || all.iter().any(|known| known.field == field) {
                return None;
            }
            all.push(HeaderArgument { path: path.clone(), field });
        }
        gather(property, path, all)?;
        path.pop();
    }
    Some(())
}

/// An argument as it is in a field.
struct Argument {
    text: String,
    is_number: bool,
}

impl Argument {
    /// Returns whether a field says it. Numbers are compared as such: `42` is `42.0`.
    fn is_meant(&self, said: &str) -> bool {
        let is_decimal = || said.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
        let is_same = || is_decimal() && whole(said).is_some_and(|said| *said == *self.text);
        means(said, &self.text) || (self.is_number && is_same())
    }
}

/// The argument at the end of these keys.
fn argument(params: &str, path: &[String]) -> Option<Argument> {
    let mut at = Fields::read(params).ok()?.get("arguments")?;
    for key in path {
        at = Fields::read(at.get()).ok()?.get(key)?;
    }
    let text = at.get();
    match text.as_bytes().first()? {
        b'"' => Some(Argument { text: text_of(at)?.into_owned(), is_number: false }),
        b't' | b'f' => Some(Argument { text: text.to_owned(), is_number: false }),
        b'-' | b'0'..=b'9' => {
            let text = whole(text).map_or_else(|| text.to_owned(), String::from);
            Some(Argument { text, is_number: true })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tools: &[(&str, &str)]) -> String {
        let tools: Vec<String> = tools
            .iter()
            .map(|(name, properties)| {
                format!(r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{properties}}}}}"#)
            })
            .collect();
        format!(r#"{{"tools":[7,{{}},{}]}}"#, tools.join(","))
    }

    fn call(version: &str, method: &str, arguments: &str) -> Message {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"t","arguments":{arguments},"_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}"}}}}}}"#
        );
        Message::read(text.into_bytes()).unwrap()
    }

    fn field_text(params: &Params, message: &Message) -> String {
        let fields = params.fields(message);
        let mut said: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", value.to_str().unwrap())).collect();
        said.sort();
        said.join(" ")
    }

    const ALL: &str = r#"{
        "region":{"type":"string","x-mcp-header":"Region"}, "dry":{"type":"boolean","x-mcp-header":"dry"},
        "options":{"type":"object","properties":{"limit":{"type":"integer","x-mcp-header":"LIMIT"}}},
        "other":{"type":"string"}, "x-mcp-header":{"type":"string"}
    }"#;

    #[test]
    fn arguments_stand_in_the_fields_that_a_schema_asks_for() {
        let mut params = Params::default();
        params.note(&list(&[("t", ALL)]));
        for (arguments, want) in [
            (r#"{"region":"eu west","other":"x"}"#, "mcp-param-region=eu west"),
            (r#"{"region":"é"}"#, "mcp-param-region==?base64?w6k=?="),
            (r#"{"region":"a\u0062"}"#, "mcp-param-region=ab"),
            (r#"{"region":""}"#, "mcp-param-region="),
            (r#"{"region":"a\r\nX-Evil: 1"}"#, "mcp-param-region==?base64?YQ0KWC1FdmlsOiAx?="),
            (r#"{"dry":false,"options":{"limit":42.0}}"#, "mcp-param-dry=false mcp-param-limit=42"),
            (r#"{"options":{"limit":-1e2}}"#, "mcp-param-limit=-100"),
            (r#"{"options":{"limit":123456789012345678901}}"#, "mcp-param-limit=123456789012345678901"),
            (r#"{"region":null,"dry":[true],"options":7}"#, ""),
            ("{}", ""),
            ("null", ""),
        ] {
            assert_eq!(
                field_text(&params, &call("2026-07-28", "tools/call", arguments)),
                want,
                "{arguments}"
            );
        }
        let arguments = r#"{"region":"eu"}"#;
        for message in [call("2025-11-25", "tools/call", arguments), call("2026-07-28", "x/call", arguments)]
        {
            assert_eq!(field_text(&params, &message), "", "{message:?}");
        }
    }

    #[test]
    fn what_is_listed_last_counts_and_what_is_not_valid_asks_for_nothing() {
        let call = call("2026-07-28", "tools/call", r#"{"a":"1","b":"2"}"#);
        let of = |properties: &str| {
            let mut params = Params::default();
            params.note(&list(&[("t", r#"{"b":{"type":"string","x-mcp-header":"b"}}"#), ("u", ALL)]));
            assert_eq!(field_text(&params, &call), "mcp-param-b=2");
            params.note(properties);
            field_text(&params, &call)
        };
        let listed = |properties: &str| of(&list(&[("t", properties)]));
        assert_eq!(listed(r#"{"a":{"type":"string","x-mcp-header":"a"}}"#), "mcp-param-a=1");
        for properties in [
            r#"{"a":{"type":"string"}}"#,
            r#"{"a":{"type":"number","x-mcp-header":"a"}}"#,
            r#"{"a":{"type":["string"],"x-mcp-header":"a"}}"#,
            r#"{"a":{"x-mcp-header":"a"}}"#,
            r#"{"a":{"type":"string","x-mcp-header":""}}"#,
            r#"{"a":{"type":"string","x-mcp-header":"a b"}}"#,
            r#"{"a":{"type":"string","x-mcp-header":7}}"#,
            r#"{"a":{"type":"string","x-mcp-header":"a\r\nX-Evil: 1"}}"#,
            r#"{"a":{"type":"string","x-mcp-header":"Same"},"b":{"type":"string","x-mcp-header":"same"}}"#,
        ] {
            assert_eq!(listed(properties), "", "{properties}");
        }
        // Other tools, and what is no list, change nothing.
        for other in [list(&[("v", ALL)]), "{}".to_owned(), "[]".to_owned(), r#"{"tools":7}"#.to_owned()] {
            assert_eq!(of(&other), "mcp-param-b=2", "{other}");
        }
    }

    #[test]
    fn fields_have_to_say_what_the_arguments_say() {
        let mut params = Params::default();
        params.note(&list(&[("t", ALL)]));
        for (arguments, fields, agree) in [
            (r#"{"region":"eu"}"#, &[("mcp-param-region", "eu")][..], true),
            (r#"{"region":"é"}"#, &[("mcp-param-region", "=?base64?w6k=?=")], true),
            (r#"{"region":"eu"}"#, &[("mcp-param-region", "=?base64?ZXU=?=")], true),
            (r#"{"region":"eu"}"#, &[("mcp-param-region", "=?base64?ZXU?=")], false),
            (r#"{"region":"eu"}"#, &[("mcp-param-region", "us")], false),
            (r#"{"region":"eu"}"#, &[("mcp-param-region", "EU")], false),
            (r#"{"region":"eu"}"#, &[], false),
            (r#"{"region":"eu"}"#, &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")], false),
            ("{}", &[("mcp-param-region", "eu")], false),
            (r#"{"region":null}"#, &[("mcp-param-region", "null")], false),
            (r#"{"region":["eu"]}"#, &[("mcp-param-region", "eu")], false),
            ("{}", &[], true),
            ("{}", &[("mcp-param-other", "x")], true),
            (r#"{"dry":true}"#, &[("mcp-param-dry", "true")], true),
            (r#"{"dry":true}"#, &[("mcp-param-dry", "True")], false),
            (r#"{"options":{"limit":42}}"#, &[("mcp-param-limit", "42")], true),
            (r#"{"options":{"limit":42}}"#, &[("mcp-param-limit", "42.0")], true),
            (r#"{"options":{"limit":42.0}}"#, &[("mcp-param-limit", "42")], true),
            (r#"{"options":{"limit":42}}"#, &[("mcp-param-limit", "4.2e1")], false),
            (r#"{"options":{"limit":42}}"#, &[("mcp-param-limit", "42.5")], false),
            (r#"{"options":{"limit":42}}"#, &[("mcp-param-limit", "43")], false),
            (r#"{"options":{"limit":"42"}}"#, &[("mcp-param-limit", "42.0")], false),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in fields {
                map.append(*name, HeaderValue::from_static(value));
            }
            let got = params.check(&map, &call("2026-07-28", "tools/call", arguments));
            assert_eq!(got.is_ok(), agree, "{arguments} {fields:?}: {got:?}");
        }
        let mut unreadable = HeaderMap::new();
        unreadable.append("mcp-param-region", HeaderValue::from_bytes(b"\xe9").unwrap());
        assert!(params.check(&unreadable, &call("2026-07-28", "tools/call", r#"{"region":"é"}"#)).is_err());
    }
}
