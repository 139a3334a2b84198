//! What one file of another product comes to here, for people and as data. Not here: reading files (`discobot`, `iteratr`, `marvin`).

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use snaphook_discovery::{Directories, printable};
use snaphook_state::plain;

use crate::files::shown;

/// The longest file that is brought over, in bytes.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// One file.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) from: PathBuf,
    pub(crate) fate: Fate,
    /// The result of compiling it: the name of a thing and its value.
    pub(crate) facts: Vec<(&'static str, Value)>,
    /// The differences from what it was.
    pub(crate) notes: Vec<String>,
}

/// The fate of a file.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It is written there.
    Copied { to: PathBuf, bytes: Vec<u8>, executable: bool },
    /// It is no hook, or none that can be brought over; the others are.
    Left(String),
    /// Nothing is written before this is mended.
    Wrong(String),
}

impl Item {
    pub(crate) fn left(from: PathBuf, why: impl Into<String>) -> Self {
        Item { from, fate: Fate::Left(why.into()), facts: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn wrong(from: PathBuf, why: impl Into<String>) -> Self {
        Item { from, fate: Fate::Wrong(why.into()), facts: Vec::new(), notes: Vec::new() }
    }

    /// Looks at the place that it is for: what is there is never overwritten.
    pub(crate) fn checked(mut self) -> Self {
        let Fate::Copied { to, bytes, .. } = &self.fate else { return self };
        if to.symlink_metadata().is_err() {
            return self;
        }
        let place = printable(&to.display().to_string());
        self.fate = match plain::read(to, MAX_BYTES) {
            Ok(there) if there == *bytes => Fate::Left(format!("is at {place} already")),
            _ => Fate::Wrong(format!(
                "{place} is there already, and is not overwritten: move one of them away"
            )),
        };
        self
    }

    pub(crate) fn document(&self) -> Value {
        let facts: Map<String, Value> =
            self.facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let (state, to, why) = match &self.fate {
            Fate::Copied { to, .. } => ("copied", Some(to.to_string_lossy()), None),
            Fate::Left(why) => ("left", None, Some(why)),
            Fate::Wrong(why) => ("wrong", None, Some(why)),
        };
        json!({
            "from": self.from.to_string_lossy(),
            "state": state,
            "to": to,
            "why": why,
            "hook": (!facts.is_empty()).then_some(facts),
            "notes": self.notes,
        })
    }

    pub(crate) fn text(&self, directories: &Directories) -> String {
        let from = shown(directories, &self.from);
        let mut text = match &self.fate {
            Fate::Copied { to, .. } => format!("{from} -> {}\n", shown(directories, to)),
            Fate::Left(why) => format!("{from}: {why}\n"),
            Fate::Wrong(why) => format!("{from}: wrong: {why}\n"),
        };
        for (name, value) in &self.facts {
            let value = match value {
                Value::String(text) => text.clone(),
                Value::Array(list) => list
                    .iter()
                    .map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned))
                    .collect::<Vec<_>>()
                    .join(", "),
                other => other.to_string(),
            };
            text += &format!("    {name}: {}\n", printable(&value));
        }
        for note in &self.notes {
            text +=
                &format!("    note: {}\n", note.lines().map(printable).collect::<Vec<_>>().join("\n    "));
        }
        text
    }
}
