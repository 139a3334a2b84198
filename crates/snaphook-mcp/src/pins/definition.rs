//! A tool's definition as it is kept, and what differs between two. Not here: files.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The longest definition that is kept whole, as canonical JSON, so that a person can compare; of others only the hash is.
const MAX_KEPT: usize = 64 << 10;

/// The server's definition of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Over all of it, however it was written.
    pub hash: String,
    /// As it was said, unless it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Definition {
    /// Of a tool in an answer to `tools/list`.
    pub fn of(tool: &Value) -> Self {
        let mut text = String::new();
        canonical(tool, &mut text);
        let digest = Sha256::digest(text.as_bytes());
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Definition { hash, value: (text.len() <= MAX_KEPT).then(|| tool.clone()) }
    }

    /// The fields at the top that are not as they were, by name; none where one of the two is too long to be kept.
    pub fn changed_fields(&self, before: &Definition) -> Vec<String> {
        let (Some(Value::Object(now)), Some(Value::Object(before))) = (&self.value, &before.value) else {
            return Vec::new();
        };
        let mut names: Vec<String> = now
            .iter()
            .filter(|(name, value)| before.get(name.as_str()) != Some(value))
            .map(|(name, _)| name.clone())
            .chain(before.keys().filter(|name| !now.contains_key(name.as_str())).cloned())
            .collect();
        names.sort();
        names
    }
}

/// One text for all ways to write a value: without white space, members by name.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Array(list) => {
            text.push('[');
            for (at, value) in list.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                canonical(value, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (at, (name, value)) in members.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                canonical(value, text);
            }
            text.push('}');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Definition {
        Definition::of(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn the_same_said_in_another_way_has_the_same_hash() {
        let tool = of(r#"{"name":"a","inputSchema":{"type":"object","required":["x","y"]},"n":1}"#);
        for (text, same) in [
            (r#"{ "n":1, "inputSchema":{"required":["x","y"],"type":"object"}, "name":"\u0061" }"#, true),
            (r#"{"name":"a","inputSchema":{"type":"object","required":["y","x"]},"n":1}"#, false),
            (r#"{"name":"a","inputSchema":{"type":"object","required":["x","y"]},"n":"1"}"#, false),
            (r#"{"name":"a","inputSchema":{"type":"object","required":["x","y"]},"n":1,"_meta":{}}"#, false),
            (r#"{"name":"a","inputSchema":{"type":"object","required":["x,y"]},"n":1}"#, false),
            (r#"{"name":"a","inputSchema":{"type":"object","required":["x\",\"y"]},"n":1}"#, false),
        ] {
            assert_eq!(of(text).hash == tool.hash, same, "{text}");
        }
    }

    #[test]
    fn what_changed_is_named() {
        let before = of(r#"{"name":"a","description":"b","annotations":{"readOnlyHint":true}}"#);
        let now = of(r#"{"description":"c","name":"a","icons":[]}"#);
        assert_eq!(now.changed_fields(&before), ["annotations", "description", "icons"]);
        let long = of(&format!(r#"{{"name":"a","description":"{}"}}"#, "x".repeat(MAX_KEPT)));
        assert!(long.value.is_none() && long.changed_fields(&before).is_empty() && long.hash != before.hash);
    }
}
