//! Portable fields of an agent that names its inputs in a way of its own: a table of keys, tool by tool. What is not in
//! the table is read as [`CommonFields`] reads it. Not here: inputs that have to be parsed (`patch`).

use std::borrow::Cow;

use serde_json::Value;
use snaphook_core::{CommonFields, Field, FieldMap, NoSuchField, quoted_word};

/// Rows of canonical tool, field and the keys that may have the field, the more specific ones first. A key with dots goes
/// into maps and through lists: `operations.path` is the `path` of each of the `operations`.
#[derive(Debug)]
pub(crate) struct FieldKeys(pub(crate) &'static [(&'static str, Field, &'static [&'static str])]);

impl FieldKeys {
    fn of(&self, tool: &str, field: Field) -> Option<&'static [&'static str]> {
        let row = self.0.iter().find(|(known, of, _)| *known == tool && *of == field)?;
        Some(row.2)
    }

    /// The texts of each key that has some, none twice: which of them the agent takes is not for us to guess.
    fn texts<'a>(&self, tool: &str, input: &'a Value, field: Field) -> Option<Vec<Vec<&'a str>>> {
        let mut found: Vec<Vec<&str>> = Vec::new();
        for texts in self.of(tool, field)?.iter().map(|key| texts(input, key)) {
            if !texts.is_empty() && !found.contains(&texts) {
                found.push(texts);
            }
        }
        Some(found)
    }
}

/// The texts at a dotted key, those of lists in order.
fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    match (value, key) {
        (Value::Array(items), _) => items.iter().flat_map(|item| texts(item, key)).collect(),
        (Value::String(text), "") => vec![text],
        (Value::Object(map), _) if !key.is_empty() => {
            let (first, rest) = key.split_once('.').unwrap_or((key, ""));
            map.get(first).map(|inner| texts(inner, rest)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The places of those texts.
fn slots<'a>(value: &'a mut Value, key: &str) -> Vec<&'a mut String> {
    match (value, key) {
        (Value::Array(items), _) => items.iter_mut().flat_map(|item| slots(item, key)).collect(),
        (Value::String(text), "") => vec![text],
        (Value::Object(map), _) if !key.is_empty() => {
            let (first, rest) = key.split_once('.').unwrap_or((key, ""));
            map.get_mut(first).map(|inner| slots(inner, rest)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn joined<'a>(texts: Vec<&'a str>, between: &str) -> Option<Cow<'a, str>> {
    match texts.as_slice() {
        [] => None,
        [single] => Some(Cow::Borrowed(*single)),
        several => Some(Cow::Owned(several.join(between))),
    }
}

impl FieldMap for FieldKeys {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        let Some(found) = self.texts(tool, input, Field::Command) else {
            return CommonFields.command(tool, input);
        };
        match found.as_slice() {
            [] => None,
            [one] if one.len() == 1 => Some(Cow::Borrowed(one.first()?)),
            several => {
                let line = |words: &Vec<&str>| match words.as_slice() {
                    [line] => (*line).to_owned(),
                    words => words.iter().map(|word| quoted_word(word)).collect::<Vec<_>>().join(" "),
                };
                Some(Cow::Owned(several.iter().map(line).collect::<Vec<_>>().join("\n")))
            }
        }
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        let Some(keys) = self.of(tool, Field::Path) else { return CommonFields.paths(tool, input) };
        let mut paths: Vec<Cow<'a, str>> = Vec::new();
        for path in keys.iter().flat_map(|key| texts(input, key)) {
            if !paths.iter().any(|known| known == path) {
                paths.push(Cow::Borrowed(path));
            }
        }
        paths
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        match self.texts(tool, input, Field::Content) {
            Some(texts) => joined(texts.concat(), "\n"),
            None => CommonFields.content(tool, input),
        }
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        match self.texts(tool, input, Field::Url) {
            Some(texts) => joined(texts.concat(), " "),
            None => CommonFields.url(tool, input),
        }
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let Some(keys) = self.of(tool, field) else { return CommonFields.set(tool, input, field, value) };
        let filled: Vec<&str> = keys.iter().copied().filter(|key| !texts(input, key).is_empty()).collect();
        let single = filled.first().filter(|_| filled.len() == 1);
        let mut places = single.map(|key| slots(input, key)).unwrap_or_default();
        match places.as_mut_slice() {
            [slot] => {
                **slot = value;
                Ok(())
            }
            _ => Err(NoSuchField { tool: tool.to_owned(), field }),
        }
    }
}

/// Fields of an agent that reads a path in a way of its own: as it is written, and as the agent may read it.
#[derive(Debug)]
pub(crate) struct Spelled {
    pub(crate) fields: &'static dyn FieldMap,
    /// The other way to read a path; the same text where there is none.
    pub(crate) as_read: fn(&str) -> String,
}

impl FieldMap for Spelled {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        self.fields.command(tool, input)
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        let mut paths = self.fields.paths(tool, input);
        let others: Vec<String> = paths.iter().map(|path| (self.as_read)(path)).collect();
        for other in others {
            if paths.iter().all(|path| *path != other) {
                paths.push(Cow::Owned(other));
            }
        }
        paths
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        self.fields.content(tool, input)
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        self.fields.url(tool, input)
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        self.fields.set(tool, input, field, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEYS: FieldKeys = FieldKeys(&[
        ("bash", Field::Command, &["CommandLine"]),
        ("read", Field::Path, &["target", "operations.path"]),
        ("edit", Field::Content, &["text", "chunks.new"]),
    ]);

    #[test]
    fn fields_are_read_through_maps_and_lists() {
        let many = json!({"operations": [{"path": "a"}, {"path": ["b", "a"]}, {"mode": 7}, "c"]});
        assert_eq!(KEYS.paths("read", &many), ["a", "b"]);
        assert_eq!(KEYS.paths("read", &json!({"target": "a", "operations": {"path": "b"}})), ["a", "b"]);
        assert_eq!(
            KEYS.command("bash", &json!({"CommandLine": ["rm", "-rf", "x y"]})).as_deref(),
            Some("rm -rf 'x y'")
        );
        assert_eq!(KEYS.command("bash", &json!({"command": "ls"})), None, "a row replaces the common keys");
        assert_eq!(
            KEYS.content("edit", &json!({"chunks": [{"new": "x"}, {"new": "y"}]})).as_deref(),
            Some("x\ny")
        );
        assert_eq!(KEYS.content("write", &json!({"content": "x"})).as_deref(), Some("x"));
        assert_eq!(KEYS.url("web_fetch", &json!({"url": "x:"})).as_deref(), Some("x:"));
        assert!(KEYS.paths("read", &json!("a")).is_empty());
    }

    #[test]
    fn a_field_is_written_where_it_was_read() {
        let set = |tool: &str, mut input: Value, field: Field| {
            KEYS.set(tool, &mut input, field, "new".to_owned()).map(|()| input).ok()
        };
        assert_eq!(
            set("read", json!({"operations": [{"path": "a", "mode": "Line"}]}), Field::Path),
            Some(json!({"operations": [{"path": "new", "mode": "Line"}]}))
        );
        assert_eq!(set("read", json!({"operations": [{"path": "a"}, {"path": "b"}]}), Field::Path), None);
        assert_eq!(set("read", json!({"target": "a", "operations": [{"path": "b"}]}), Field::Path), None);
        assert_eq!(
            set("bash", json!({"CommandLine": "ls"}), Field::Command),
            Some(json!({"CommandLine": "new"}))
        );
        assert_eq!(set("bash", json!({}), Field::Command), None);
        assert_eq!(
            set("write", json!({"path": "a", "content": "x"}), Field::Content),
            Some(json!({"path": "a", "content": "new"}))
        );
    }
}
