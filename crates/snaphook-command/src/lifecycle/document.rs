//! A YAML text as values with their places, or the place where it is none. The same library as for front matter. Not here: which
//! keys there are.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{DefaultMessageFormatter, Error, Location, MessageFormatter, Options, Spanned};

use super::{Finding, Place, Weight};

/// A value and where it starts.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) node: Node,
}

/// What YAML can say.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float,
    Text(String),
    List(Vec<Node>),
    /// Duplicate keys are kept.
    Map(Vec<Entry>),
}

impl Value {
    /// What it is called in a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "empty",
            Value::Bool(_) => "true or false",
            Value::Int(_) | Value::Float => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

fn place(location: &Location) -> Place {
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX).max(1);
    Place { line: number(location.line()), column: number(location.column()) }
}

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Node, Finding> {
    serde_saphyr::from_str_with_options::<Node>(text, options()).map_err(|error| {
        let error = error.without_snippet();
        let place = error.location().map(|location| place(&location));
        let (message, help) = match &error {
            Error::Budget { breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. }, .. } => {
                ("anchors (`&`) and aliases (`*`) are not read".to_owned(), "write the value out")
            }
            Error::Budget { .. } => {
                ("it is nested too deeply or has too many values".to_owned(), "keep it short")
            }
            error => {
                let message = DefaultMessageFormatter.format_message(error);
                let message = message.lines().next().unwrap_or_default().trim().to_owned();
                (format!("it is not valid YAML: {message}"), "put values with special characters in quotes")
            }
        };
        Finding { weight: Weight::Warning, place, message, help: Some(help.to_owned()) }
    })
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            flow_nesting_limit: 16,
            max_nodes: 16_384,
            max_events: 65_536,
            max_aliases: 0,
            max_anchors: 0,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        with_snippet: false,
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Node { place: place(&spanned.referenced), value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Float, Value::Int))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Float)
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = access.next_element()? {
            nodes.push(node);
        }
        Ok(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let place = place(&key.referenced);
            entries.push(Entry { key: key.value, place, node: access.next_value()? });
        }
        Ok(Value::Map(entries))
    }
}
