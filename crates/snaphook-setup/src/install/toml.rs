//! Our tables in a TOML settings file: put into lists of tables, and taken out, with everything else left as it is, comments and order
//! included. Not here: reading and writing files.

use serde_json::Value;
use snaphook_adapters::install::Part;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

use crate::EditError;
use crate::install::json::mentions;

/// The text with these parts in it and no older ones of snaphook's.
pub(crate) fn put(text: &str, parts: &[Part], agent: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let wanted = |table: &Value| {
        parts.iter().any(|part| matches!(part, Part::Element { value, .. } if value == table))
    };
    remove(&mut document, agent, &wanted);
    for part in parts {
        match part {
            Part::Element { at, value } => append(&mut document, at, value)?,
            Part::Constant { at, value: constant } => {
                let Some((last, above)) = at.split_last() else { continue };
                let table = table_at(&mut document, above)?;
                if !table.contains_key(last) {
                    table.insert(last, item(constant)?);
                }
            }
        }
    }
    let after = document.to_string();
    // Snaphook's own text can be read.
    parse(&after)?;
    Ok(after)
}

/// The text without our tables.
pub(crate) fn take(text: &str, agent: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    remove(&mut document, agent, &|_| false);
    Ok(document.to_string())
}

/// The document.
pub(crate) fn document(text: &str) -> Result<Value, EditError> {
    toml_edit::de::from_str(text).map_err(|error| EditError::Toml(error.to_string().trim().to_owned()))
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| EditError::Toml(error.to_string().trim().to_owned()))
}

/// Takes the tables out of lists at any depth that are ours and not wanted; a list that is empty through that goes, too.
fn remove(table: &mut Table, agent: &str, wanted: &dyn Fn(&Value) -> bool) {
    let stale = |item: Option<Value>| item.is_some_and(|item| mentions(&item, agent) && !wanted(&item));
    let mut emptied = Vec::new();
    for (key, item) in table.iter_mut() {
        match item {
            Item::ArrayOfTables(list) => {
                let before = list.len();
                list.retain(|table| !stale(json_of(&Item::Table(table.clone()))));
                if before > 0 && list.is_empty() {
                    emptied.push(key.get().to_owned());
                }
            }
            Item::Value(toml_edit::Value::Array(list)) => {
                let before = list.len();
                list.retain(|value| !stale(json_of(&Item::Value(value.clone()))));
                if before > 0 && list.is_empty() {
                    emptied.push(key.get().to_owned());
                }
            }
            Item::Table(inner) => remove(inner, agent, wanted),
            _ => {}
        }
    }
    for key in emptied {
        table.remove(&key);
    }
}

fn append(document: &mut DocumentMut, at: &[String], element: &Value) -> Result<(), EditError> {
    let (last, above) = at.split_last().ok_or(EditError::NotObject)?;
    let table = table_at(document, above)?;
    let list = table.entry(last).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let known = |item: Item| json_of(&item).as_ref() == Some(element);
    match list {
        Item::ArrayOfTables(list) => {
            if !list.iter().any(|table| known(Item::Table(table.clone()))) {
                list.push(table_of(element)?);
            }
            Ok(())
        }
        Item::Value(toml_edit::Value::Array(list)) => {
            if !list.iter().any(|value| known(Item::Value(value.clone()))) {
                list.push(table_of(element)?.into_inline_table());
            }
            Ok(())
        }
        _ => Err(EditError::Type { key: at.join("."), expected: "a list of tables" }),
    }
}

fn table_at<'a>(document: &'a mut DocumentMut, at: &[String]) -> Result<&'a mut Table, EditError> {
    at.iter().try_fold(document.as_table_mut(), |table, key| {
        let item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        item.as_table_mut().ok_or_else(|| EditError::Type { key: key.clone(), expected: "a table" })
    })
}

fn table_of(element: &Value) -> Result<Table, EditError> {
    let map = element.as_object().ok_or_else(|| EditError::Inexpressible(element.to_string()))?;
    let mut table = Table::new();
    for (key, value) in map {
        table.insert(key, item(value)?);
    }
    Ok(table)
}

fn item(json: &Value) -> Result<Item, EditError> {
    value_of(json).map(value)
}

fn value_of(json: &Value) -> Result<toml_edit::Value, EditError> {
    Ok(match json {
        Value::Bool(flag) => (*flag).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) => number.into(),
            (None, None) => return Err(EditError::Inexpressible(number.to_string())),
        },
        Value::Array(list) => {
            toml_edit::Value::Array(list.iter().map(value_of).collect::<Result<Array, _>>()?)
        }
        Value::Object(map) => {
            let mut table = InlineTable::new();
            for (key, value) in map {
                table.insert(key, value_of(value)?);
            }
            table.into()
        }
        Value::Null => return Err(EditError::Inexpressible("null".to_owned())),
    })
}

/// The item as JSON; `None` for what JSON has no place for.
fn json_of(item: &Item) -> Option<Value> {
    let mut document = DocumentMut::new();
    document.insert("it", item.clone());
    let text = document.to_string();
    toml_edit::de::from_str::<Value>(&text).ok()?.get("it").cloned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parts() -> Vec<Part> {
        ["PreToolUse", "Stop"]
            .map(|event| {
                let command = format!("/x/snaphook hook kimi {event}");
                Part::element(["hooks"], json!({"event": event, "command": command, "timeout": 60}))
            })
            .into()
    }

    #[test]
    fn tables_are_put_in_and_taken_out_and_all_else_stays() {
        for text in [
            "",
            "# mine\ndefault = \"x\" # why\n\n[a.b]\nc = 1\n",
            "[[hooks]]\nevent = \"Stop\"\ncommand = \"theirs\"\n\n[z]\n",
            "hooks = [{ event = \"Stop\", command = \"theirs\" }]\n[z]\nd = 1979-05-27T07:32:00Z\n",
        ] {
            let put_in = put(text, &parts(), "kimi").unwrap();
            let hooks = document(&put_in).unwrap()["hooks"].as_array().unwrap().clone();
            let ours = hooks.iter().filter(|hook| mentions(hook, "kimi")).count();
            assert_eq!(ours, 2, "{put_in}");
            // Again changes nothing, and another command takes the place of the old one.
            assert_eq!(put(&put_in, &parts(), "kimi").unwrap(), put_in);
            let other = [Part::element(["hooks"], json!({"command": "/y/snaphook hook kimi Stop"}))];
            let changed = put(&put_in, &other, "kimi").unwrap();
            assert!(!changed.contains("/x/snaphook") && changed.contains("/y/snaphook"), "{changed}");
            assert_eq!(take(&put_in, "kimi").unwrap().trim_end(), text.trim_end(), "{put_in}");
        }
    }

    #[test]
    fn what_is_no_list_is_left_alone() {
        for (text, error) in [
            ("hooks = 1\n", "expected `hooks` to be a list of tables"),
            ("[hooks]\na = 1\n", "expected `hooks` to be a list of tables"),
            ("a = \n", "it is not valid TOML"),
        ] {
            let found = put(text, &parts(), "kimi").unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}
