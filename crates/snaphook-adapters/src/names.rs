//! Where the portable fields stand in the inputs of an agent's own tools: a table of names, before those that most agents
//! share. A name may hold a text, a list of texts, or a list of maps with the text in them.

use std::borrow::Cow;

use serde_json::Value;
use snaphook::{Access, CommonFields, Field, FieldMap, NoSuchField};

/// An agent's own names.
#[derive(Debug)]
pub(crate) struct Names {
    /// The canonical tool (or the native one where there is none), the field, the names in the input.
    pub(crate) rows: &'static [(&'static str, Field, &'static [&'static str])],
    /// Tools without a canonical name that only read.
    pub(crate) reads: &'static [&'static str],
}

impl Names {
    fn keys(&self, tool: &str, field: Field) -> &'static [&'static str] {
        let row = self.rows.iter().find(|(name, of, _)| *name == tool && *of == field);
        row.map(|(.., keys)| *keys).unwrap_or_default()
    }

    /// The texts under the first of the names that has any.
    fn texts<'a>(&self, tool: &str, field: Field, input: &'a Value) -> Vec<Cow<'a, str>> {
        let present = self.keys(tool, field).iter().filter_map(|key| input.get(key));
        present.map(|value| texts(field, value)).find(|texts| !texts.is_empty()).unwrap_or_default()
    }

    /// All of the texts as one; of several commands each is a line.
    fn joined<'a>(&self, tool: &str, field: Field, input: &'a Value) -> Option<Cow<'a, str>> {
        let mut texts = self.texts(tool, field, input);
        match texts.len() {
            0 => None,
            1 => texts.pop(),
            _ => Some(Cow::Owned(texts.join("\n"))),
        }
    }
}

/// The names in a map of a list.
fn inner(field: Field) -> &'static [&'static str] {
    match field {
        Field::Command => &["command"],
        Field::Path => &["path", "file_path", "filePath"],
        Field::Content => &["new_string", "newString", "new_text", "content"],
        Field::Url => &["url"],
    }
}

fn texts(field: Field, value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::String(text) => vec![Cow::Borrowed(text)],
        Value::Array(items) => items.iter().filter_map(|item| of_item(field, item)).collect(),
        Value::Object(_) => of_item(field, value).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn of_item(field: Field, item: &Value) -> Option<Cow<'_, str>> {
    if let Some(text) = item.as_str() {
        return Some(Cow::Borrowed(text));
    }
    let text = inner(field).iter().find_map(|key| item.get(key)?.as_str())?;
    // A program with its arguments apart.
    match item.get("args").and_then(Value::as_array) {
        Some(args) if field == Field::Command => {
            let args = args.iter().filter_map(Value::as_str);
            Some(Cow::Owned(std::iter::once(text).chain(args).collect::<Vec<_>>().join(" ")))
        }
        _ => Some(Cow::Borrowed(text)),
    }
}

/// The one place of a field in a value, to write it.
fn slot(field: Field, value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::String(_) => Some(value),
        Value::Array(items) => match items.as_mut_slice() {
            [one] => slot(field, one),
            _ => None,
        },
        Value::Object(map) if field == Field::Command && map.contains_key("args") => None,
        Value::Object(map) => {
            let key = inner(field).iter().find(|key| map.get(**key).is_some_and(Value::is_string))?;
            map.get_mut(*key)
        }
        _ => None,
    }
}

impl FieldMap for Names {
    fn command<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        self.joined(tool, Field::Command, input).or_else(|| CommonFields.command(tool, input))
    }

    fn paths<'a>(&self, tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
        let own = self.keys(tool, Field::Path).iter().filter_map(|key| input.get(key));
        let mut paths: Vec<_> = own.flat_map(|value| texts(Field::Path, value)).collect();
        for path in CommonFields.paths(tool, input) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    fn content<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        self.joined(tool, Field::Content, input).or_else(|| CommonFields.content(tool, input))
    }

    fn url<'a>(&self, tool: &str, input: &'a Value) -> Option<Cow<'a, str>> {
        self.joined(tool, Field::Url, input).or_else(|| CommonFields.url(tool, input))
    }

    fn set(&self, tool: &str, input: &mut Value, field: Field, value: String) -> Result<(), NoSuchField> {
        let missing = || NoSuchField { tool: tool.to_owned(), field };
        if field == Field::Path && self.paths(tool, input).len() != 1 {
            return Err(missing());
        }
        let holds = |key: &&&str| input.get(**key).is_some_and(|value| !texts(field, value).is_empty());
        let Some(key) = self.keys(tool, field).iter().find(holds) else {
            return CommonFields.set(tool, input, field, value);
        };
        let place = input.get_mut(*key).and_then(|held| slot(field, held)).ok_or_else(missing)?;
        *place = Value::String(value);
        Ok(())
    }

    fn access(&self, tool: &str) -> Access {
        if self.reads.contains(&tool) { Access::Read } else { CommonFields.access(tool) }
    }
}
