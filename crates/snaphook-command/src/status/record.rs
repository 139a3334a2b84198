//! `status.json`: its fields are Discobot's, names and values alike.

use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The status of a session's hooks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The result of each hook, by its id.
    #[serde(default, deserialize_with = "or_default")]
    pub hooks: Map<String, Value>,
    /// The hooks that still have to run, or to pass.
    #[serde(default, deserialize_with = "or_default")]
    pub pending_hooks: Vec<String>,
    /// When the project was looked at last; empty where it never was.
    #[serde(default, deserialize_with = "or_default")]
    pub last_evaluated_at: String,
    /// The entries that others keep beside it.
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Reads a field in which null stands for nothing: the part of Discobot that is written in Go leaves an empty list as null.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    Option::deserialize(value).map(Option::unwrap_or_default)
}

/// The history of one hook. A count that is missing is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookStatus {
    /// Its id: a slug of its file's name.
    pub hook_id: String,
    /// Its name.
    pub hook_name: String,
    /// When it runs.
    #[serde(rename = "type")]
    pub kind: HookKind,
    /// When it last ran to its end.
    #[serde(default)]
    pub last_run_at: String,
    /// The last result.
    pub last_result: Last,
    /// With which exit code.
    #[serde(default)]
    pub last_exit_code: i32,
    /// The place where all is that it wrote.
    #[serde(default)]
    pub output_path: String,
    /// The number of times that it ran.
    #[serde(default)]
    pub run_count: u64,
    /// The number of times that it failed.
    #[serde(default)]
    pub fail_count: u64,
    /// The number of times that it failed since it last passed.
    #[serde(default)]
    pub consecutive_failures: u64,
}

snaphook_core::named_enum! {
    /// When a hook runs, in Discobot's words.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum HookKind {
        /// At `startup`.
        Session = "session",
        /// At `files_changed`.
        File = "file",
        /// At `pre_commit`.
        PreCommit = "pre-commit",
    }
}

/// The way a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Last {
    /// It passed.
    Success,
    /// It did not.
    Failure,
    /// It was started, and its end is not noted. Discobot writes this; we do not, because it would stay where a process is killed.
    Running,
    /// An unknown word.
    #[serde(other)]
    Unknown,
}

/// The end of one run.
#[derive(Debug, Clone)]
pub struct RunEnd<'a> {
    /// The hook's id.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// When it runs.
    pub kind: HookKind,
    /// When the run ended.
    pub at: SystemTime,
    /// With which exit code; 0 for one that passed.
    pub exit_code: i32,
    /// True if it passed.
    pub passed: bool,
    /// The place where all is that it wrote.
    pub output: &'a std::path::Path,
}

impl Status {
    /// Reads the file.
    ///
    /// # Errors
    /// What it is not.
    pub fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).map_or_else(|_| "{}".to_owned(), |text| text + "\n")
    }

    /// Returns what became of a hook; `None` where it never ran, or where what is noted cannot be read.
    pub fn hook(&self, id: &str) -> Option<HookStatus> {
        serde_json::from_value(self.hooks.get(id)?.clone()).ok()
    }

    /// All that ran, in the order in which they first did.
    pub fn ran(&self) -> impl Iterator<Item = HookStatus> {
        self.hooks.keys().filter_map(|id| self.hook(id))
    }

    /// Counts a run.
    pub fn record(&mut self, end: &RunEnd<'_>) {
        let before = self.hook(end.id);
        let counts = |of: fn(&HookStatus) -> u64| before.as_ref().map_or(0, of);
        let failed = u64::from(!end.passed);
        let now = HookStatus {
            hook_id: end.id.to_owned(),
            hook_name: end.name.to_owned(),
            kind: end.kind,
            last_run_at: iso(end.at),
            last_result: if end.passed { Last::Success } else { Last::Failure },
            last_exit_code: end.exit_code,
            output_path: end.output.display().to_string(),
            run_count: counts(|hook| hook.run_count).saturating_add(1),
            fail_count: counts(|hook| hook.fail_count).saturating_add(failed),
            consecutive_failures: if end.passed {
                0
            } else {
                counts(|hook| hook.consecutive_failures).saturating_add(1)
            },
        };
        if let Ok(now) = serde_json::to_value(now) {
            self.hooks.insert(end.id.to_owned(), now);
        }
    }

    /// Makes hooks pending, each once.
    pub fn add_pending<'a>(&mut self, ids: impl IntoIterator<Item = &'a str>) {
        for id in ids {
            if !self.is_pending(id) {
                self.pending_hooks.push(id.to_owned());
            }
        }
    }

    /// A hook need not run any more.
    pub fn remove_pending(&mut self, id: &str) {
        self.pending_hooks.retain(|pending| pending != id);
    }

    /// Returns whether a hook still has to run, or to pass.
    pub fn is_pending(&self, id: &str) -> bool {
        self.pending_hooks.iter().any(|pending| pending == id)
    }
}

/// A moment as JavaScript writes it: `2026-01-02T03:04:05.678Z`.
pub fn iso(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
