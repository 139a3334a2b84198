//! A YAML text as values with their positions, or the position of the first error. Front matter and lifecycle files are read with it. Not
//! here: which keys there are, and what is said about them.
//!
//! `serde-saphyr` was chosen over `serde_norway` and `serde_yaml_ng`: pure Rust without `unsafe`, in active upkeep
//! (the others are forks of the archived `serde_yaml` over translated C, one release in years), it gives every node
//! its place and refuses deep nesting, aliases and oversized documents while it parses.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{DefaultMessageFormatter, Error, Location, MessageFormatter, Options, Spanned};

/// A place in a text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TextPosition {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl From<&Location> for TextPosition {
    fn from(location: &Location) -> Self {
        let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX).max(1);
        TextPosition { line: number(location.line()), column: number(location.column()) }
    }
}

/// A value and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The place where it starts.
    pub position: TextPosition,
    /// The value.
    pub value: Value,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The place where the key starts.
    pub position: TextPosition,
    /// The value.
    pub node: Node,
}

/// The values that YAML has.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing after the colon.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map in the order of the file, duplicate keys kept.
    Map(Vec<Entry>),
}

impl Value {
    /// Returns what it is called in a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "empty",
            Value::Bool(_) => "a true/false value",
            Value::Int(_) | Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The value as JSON.
    pub fn into_json(self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => value.into(),
            Value::Int(value) => value.into(),
            Value::Float(value) => value.into(),
            Value::Text(value) => value.into(),
            Value::List(nodes) => nodes.into_iter().map(|node| node.value.into_json()).collect(),
            Value::Map(entries) => {
                entries.into_iter().map(|entry| (entry.key, entry.node.value.into_json())).collect()
            }
        }
    }
}

/// The reason why a text is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// It has anchors (`&`) or aliases (`*`).
    Alias,
    /// It is nested too deeply or has too many values.
    TooMuch,
    /// It is not valid YAML: what is wrong, in one line.
    Invalid(String),
}

/// Reads a document of so many values at most. Duplicate keys are kept for the caller.
///
/// # Errors
/// The text is invalid, or beyond what is read; with the position, where there is one.
pub fn read(text: &str, most_nodes: usize) -> Result<Node, (Unread, Option<TextPosition>)> {
    serde_saphyr::from_str_with_options::<Node>(text, options(most_nodes)).map_err(|error| {
        let error = error.without_snippet();
        let position = error.location().map(|location| TextPosition::from(&location));
        let why = match &error {
            Error::Budget { breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. }, .. } => {
                Unread::Alias
            }
            Error::Budget { .. } => Unread::TooMuch,
            error => {
                let message = DefaultMessageFormatter.format_message(error);
                Unread::Invalid(message.lines().next().unwrap_or_default().trim().to_owned())
            }
        };
        (why, position)
    })
}

fn options(most_nodes: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 16,
            flow_nesting_limit: 16,
            max_nodes: most_nodes,
            max_events: most_nodes.saturating_mul(4),
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
        Ok(Node { position: TextPosition::from(&spanned.referenced), value: spanned.value })
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

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        i64::try_from(value).map(Value::Int).map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
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
            let position = TextPosition::from(&key.referenced);
            entries.push(Entry { key: key.value, position, node: access.next_value()? });
        }
        Ok(Value::Map(entries))
    }
}
