//! Settings that keep an agent from running our hooks, though they are registered. Each agent looks for its own; here is what they look at,
//! and the shapes that several share. Not here: finding and reading the files (`snaphook doctor`).

use serde_json::Value;

use crate::install::Reach;

/// A file of an agent's settings, read.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsFile {
    /// The settings that it belongs to.
    pub reach: Reach,
    /// The name by which the agent asked for it, relative to the home folder or to the project's root.
    pub file: String,
    /// Its path.
    pub path: String,
    /// Its path without links.
    pub real: String,
    /// Its text.
    pub text: String,
    /// Its document, of JSON or TOML; null for other files, and for one that cannot be read.
    pub document: Value,
}

impl SettingsFile {
    /// The value at these keys; null where there is none.
    pub(crate) fn at(&self, keys: &[&str]) -> &Value {
        keys.iter().fold(&self.document, |value, key| &value[*key])
    }
}

/// A setting that keeps our hooks from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Off {
    /// The path of the file.
    pub path: String,
    /// The setting and its effect.
    pub what: String,
    /// The way to switch our hooks on.
    pub remedy: String,
}

impl Off {
    /// A setting that is changed where it is.
    pub(crate) fn key(file: &SettingsFile, key: &str) -> Self {
        Off {
            path: file.path.clone(),
            what: format!("`{key}` switches it off"),
            remedy: format!("change `{key}` there"),
        }
    }
}

/// Finds the files in which the value at these keys is `true`.
pub(crate) fn set(files: &[SettingsFile], names: &[&str], keys: &[&str]) -> Vec<Off> {
    is(files, names, keys, &Value::Bool(true))
}

/// Variables that have an agent start without its hooks.
const WITHOUT_HOOKS: &[&str] = &["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"];

/// Variables that say where hooks are. Of a person's own settings they may be meant; those of a project are the project's.
const PLACES: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// Finds variables in `env` that keep the agent from running hooks, or have snaphook take others for the person's.
pub(crate) fn variables(files: &[SettingsFile]) -> Vec<Off> {
    let mut found = Vec::new();
    for file in files {
        let theirs = file.reach == Reach::Project;
        for name in file.document["env"].as_object().into_iter().flat_map(|env| env.keys()) {
            let moves = theirs && (name.starts_with("SNAPHOOK_") || PLACES.contains(&name.as_str()));
            if moves || WITHOUT_HOOKS.contains(&name.as_str()) {
                found.push(Off::key(file, &format!("env.{name}")));
            }
        }
    }
    found
}

/// Finds the files in which the value at these keys is this one.
pub(crate) fn is(files: &[SettingsFile], names: &[&str], keys: &[&str], value: &Value) -> Vec<Off> {
    let found = files.iter().filter(|file| names.contains(&file.file.as_str()) && file.at(keys) == value);
    found.map(|file| Off::key(file, &keys.join("."))).collect()
}
