//! Settings: the user's `config.toml` and the project's, which may only tighten. `read` reads a file; what a setting does is
//! elsewhere. Whatever cannot be read or is not known is an error: it may have been the stricter rule.

mod read;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use snaphook_core::{
    DefaultRule, DefaultVerdict, HoldPath, HoldProfile, HoldTools, Limits, Problem, Product, Scope,
};

use self::read::{Reader, problem};
use crate::dirs::Directories;

/// The largest audit file before it is put aside, unless the settings say otherwise.
pub const DEFAULT_AUDIT_BYTES: u64 = 16 * 1024 * 1024;

/// The number of files put aside that are kept for each session, unless the settings say otherwise.
pub const DEFAULT_AUDIT_KEEP: u32 = 8;

/// The settings of the user and the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The outcome of a tool call that no hook explicitly allows: the user's rule, tightened by the project's.
    pub default: DefaultRule,
    /// The same without the project's part, for a command line that replaces the user's rule.
    pub project_default: DefaultRule,
    /// True if the built-in gate guards hooks, settings and state. Only the user can switch it off.
    pub self_protection: bool,
    /// The audit; only the user's settings have a say.
    pub audit: AuditSettings,
    /// The settings of `snaphook mcp`.
    pub mcp: McpSettings,
    /// The products whose hooks are loaded, too; only the user's settings have a say.
    pub compat: Vec<Product>,
    /// As whom executables run where snaphook runs as root; only the user's settings have a say.
    pub run_as_user: Option<String>,
    /// The limits of each script; only the user's settings have a say.
    pub limits: Limits,
    /// How commands are held by the kernel.
    pub hold: HoldSettings,
    /// The model that `snaphook run` asks; only the user's settings have a say.
    pub model: ModelSettings,
}

/// The `[model]` table. Keys are in the environment, and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelSettings {
    /// The model, as `PROVIDER/NAME`.
    pub name: Option<String>,
    /// The address, where it is not the provider's.
    pub base_url: Option<String>,
    /// The file with the system prompt.
    pub system: Option<PathBuf>,
    /// The tokens that the model can read.
    pub window: Option<u64>,
    /// The most tokens of one answer.
    pub max_output: Option<u32>,
    /// The most turns of a session.
    pub max_turns: Option<u64>,
    /// The most tokens of a session.
    pub max_tokens: Option<u64>,
    /// The most tool calls of a session.
    pub max_calls: Option<u64>,
    /// The longest time of a session.
    pub timeout: Option<Duration>,
}

/// The `[hold]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HoldSettings {
    /// The calls that are held without a hook: the user's rule, or the project's where that is stricter. `None` where
    /// neither sets it.
    pub tools: Option<HoldTools>,
    /// What they are held by: the user's profile and the project's. `None` where neither sets it.
    pub profile: Option<Vec<HoldProfile>>,
    /// Paths that no held command may write, the user's and the project's.
    pub protected: Vec<HoldPath>,
    /// Folders that the profile `project` lets commands write, beside its own; only the user's settings have a say.
    pub caches: Vec<HoldPath>,
    /// The outcome of a call that this machine cannot hold; only the user's settings have a say. `None` where they do not say.
    pub unsupported: Option<Unsupported>,
}

/// The outcome of a call that should be held, on a machine that cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unsupported {
    /// It is denied.
    #[default]
    Deny,
    /// The person is asked whether it may run unheld.
    Ask,
    /// It runs held by what the machine has, and is denied where that is nothing.
    Weaker,
}

/// The `[mcp]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct McpSettings {
    /// The way a client is told that its call was denied; only the user's settings have a say.
    pub denied: McpDenied,
    /// The treatment of a tool whose definition changed: the user's rule, or the project's where that is stricter.
    pub changed_tools: ChangedTools,
    /// The fate of a server's messages that no hook looks at: the user's rule, or the project's where that is stricter.
    pub unseen: Unseen,
}

/// The way a client is told that its call was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum McpDenied {
    /// A result of the tool with `isError`, which the model reads.
    #[default]
    Result,
    /// An error of the protocol, which many clients keep from the model.
    Error,
}

/// The treatment of a tool whose definition is not the one that was seen first. The later one is the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangedTools {
    /// It is told.
    #[default]
    Report,
    /// Calls to it are denied until a person accepts it.
    Deny,
}

/// The fate of a server's messages that no hook looks at. The later one is the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unseen {
    /// It passes.
    #[default]
    Pass,
    /// The client does not get it.
    Withhold,
}

/// The `[audit]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditSettings {
    /// True if decisions are written down.
    pub enabled: bool,
    /// The amount of each input that is written.
    pub inputs: AuditInputs,
    /// A file that grows beyond so many bytes is put aside.
    pub max_bytes: u64,
    /// The number of files put aside that are kept for each session.
    pub keep: u32,
}

/// The amount of a call's input that an audit line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditInputs {
    /// All of it, secrets masked.
    Full,
    /// Its hash.
    Hash,
}

impl Default for Settings {
    fn default() -> Self {
        let default = DefaultRule::default;
        Settings {
            default: default(),
            project_default: default(),
            self_protection: true,
            audit: AuditSettings::default(),
            mcp: McpSettings::default(),
            compat: Vec::new(),
            run_as_user: None,
            limits: Limits::default(),
            hold: HoldSettings::default(),
            model: ModelSettings::default(),
        }
    }
}

impl Default for AuditSettings {
    fn default() -> Self {
        AuditSettings {
            enabled: true,
            inputs: AuditInputs::Full,
            max_bytes: DEFAULT_AUDIT_BYTES,
            keep: DEFAULT_AUDIT_KEEP,
        }
    }
}

impl Settings {
    /// Reads both files. One that is not there says nothing; everything else that is wrong is a problem of severity
    /// error, and what it did not set keeps its strict default.
    pub fn load(directories: &Directories) -> (Settings, Vec<Problem>) {
        let mut settings = Settings::default();
        let mut problems = Vec::new();
        if let Some(path) = &directories.user_config {
            let shown = directories.display_path(path, Scope::User);
            let reader = Reader { settings: &mut settings, scope: Scope::User, shown: &shown };
            problems.extend(reader.file(path).into_iter().map(|diagnostic| problem(diagnostic, &shown)));
        }
        // With the home folder as the project, both may be one file.
        if directories.user_config.as_ref() != Some(&directories.project_config) {
            let path = &directories.project_config;
            let shown = directories.display_path(path, Scope::Project);
            let reader = Reader { settings: &mut settings, scope: Scope::Project, shown: &shown };
            problems.extend(reader.file(path).into_iter().map(|diagnostic| problem(diagnostic, &shown)));
        }
        settings.default = settings.default.tightened(settings.project_default.clone());
        (settings, problems)
    }

    /// The rule that was named for this run: it stands in for the user's, the project's still tightens it.
    pub fn default_for(&self, named: Option<DefaultVerdict>) -> DefaultRule {
        match named {
            None => self.default.clone(),
            Some(verdict) => DefaultRule::new(verdict, format!("`--default {}`", verdict.as_str()))
                .tightened(self.project_default.clone()),
        }
    }
}
