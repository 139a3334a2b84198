//! Values of options that several subcommands have. Not here: the options (`args`).

use snaphook::{DefaultVerdict, HoldProfile, Language};

/// A script language on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum LanguageArg {
    /// Luau
    #[default]
    Lua,
    /// Rhai
    Rhai,
}

impl LanguageArg {
    /// As the host knows it.
    pub(crate) fn language(self) -> Language {
        match self {
            LanguageArg::Lua => Language::Lua,
            LanguageArg::Rhai => Language::Rhai,
        }
    }
}

/// `--default` on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DefaultArg {
    /// Allow, unless a hook objects
    Allow,
    /// Ask the person
    Ask,
    /// Deny
    Deny,
}

impl DefaultArg {
    /// As the host knows it.
    pub(crate) fn verdict(self) -> DefaultVerdict {
        match self {
            DefaultArg::Allow => DefaultVerdict::Allow,
            DefaultArg::Ask => DefaultVerdict::Ask,
            DefaultArg::Deny => DefaultVerdict::Deny,
        }
    }
}

/// A profile of a hold on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProfileArg {
    /// What self-protection guards cannot be written
    Guarded,
    /// The same, and only the project, temporary folders and caches can be written
    Project,
    /// `guarded`, and no network
    Offline,
}

impl ProfileArg {
    /// As the host knows it.
    pub(crate) fn profile(self) -> HoldProfile {
        match self {
            ProfileArg::Guarded => HoldProfile::Guarded,
            ProfileArg::Project => HoldProfile::Project,
            ProfileArg::Offline => HoldProfile::Offline,
        }
    }
}

/// The way questions are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ui {
    Headless,
    Terminal,
    Defer,
    Scripted(String),
}

/// A value of `--ui` that is none of [`Ui`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is headless, terminal, defer, or scripted:yes,no,…")]
pub(crate) struct UnknownUi;

impl std::str::FromStr for Ui {
    type Err = UnknownUi;

    fn from_str(text: &str) -> Result<Self, UnknownUi> {
        match text {
            "headless" => Ok(Ui::Headless),
            "terminal" => Ok(Ui::Terminal),
            "defer" => Ok(Ui::Defer),
            other => match other.strip_prefix("scripted:") {
                Some(answers) => Ok(Ui::Scripted(answers.to_owned())),
                None => Err(UnknownUi),
            },
        }
    }
}
