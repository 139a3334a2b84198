//! The decision about a tool call that no hook explicitly allows. Applied in one place, `GateRun::finish`; where the setting
//! comes from is the caller's business.

use serde::Serialize;

use crate::verdict::Verdict;

crate::named_enum! {
    /// The outcome of a tool call that no hook explicitly allows. The order is from loose to strict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum DefaultVerdict {
        /// It runs, unless a hook objects.
        #[default]
        Allow = "allow",
        /// The person is asked.
        Ask = "ask",
        /// It is denied.
        Deny = "deny",
    }
}

impl DefaultVerdict {
    /// Returns what it adds to a decision.
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            DefaultVerdict::Allow => Verdict::Abstain,
            DefaultVerdict::Ask => Verdict::Ask,
            DefaultVerdict::Deny => Verdict::Deny,
        }
    }
}

/// The rule in force, with the place that set it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefaultRule {
    /// The outcome of the call.
    pub verdict: DefaultVerdict,
    /// The setting as people find it: `` `default = "deny"` in ~/.config/snaphook/config.toml ``, `--default deny`. Empty
    /// where it is not set.
    pub source: String,
}

impl DefaultRule {
    /// A rule.
    pub fn new(verdict: DefaultVerdict, source: impl Into<String>) -> Self {
        DefaultRule { verdict, source: source.into() }
    }

    /// The stricter of two rules; this one where they are equal.
    #[must_use]
    pub fn tightened(self, other: DefaultRule) -> Self {
        if other.verdict > self.verdict { other } else { self }
    }

    /// Returns why the call does not simply run.
    pub(crate) fn reason(&self) -> String {
        let source = if self.source.is_empty() { "the default" } else { &self.source };
        match self.verdict {
            DefaultVerdict::Ask => {
                format!("no hook explicitly allows this call, and {source} asks then. Run it?")
            }
            _ => format!(
                "no hook explicitly allows this call, and {source} denies it then; the person can write a hook that \
                 answers `allow = true` for such calls, or change the setting"
            ),
        }
    }
}
