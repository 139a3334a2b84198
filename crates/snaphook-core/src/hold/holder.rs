//! The port to what holds commands, and the directive that holds without a hook. Not here: when a gate asks
//! (`snaphook::dispatch::hold`), and what holds (`snaphook-hold`).

use std::fmt;

use crate::hold::Hold;
use crate::tool::ToolCall;

/// Makes command lines that run held by the kernel.
pub trait Holder: Send + Sync + fmt::Debug {
    /// Returns the command line that runs the call's command line and holds it. One that does so already stays as it is.
    ///
    /// # Errors
    /// The command line cannot be held like this.
    fn held(&self, hold: &Hold, call: &ToolCall) -> Result<String, NotHeld>;
}

/// The outcome of a call that should be held and cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotHeld {
    /// It is denied; the text says what is missing.
    #[error("{0}")]
    Deny(String),
    /// The person is asked whether it may run unheld; the text is the question.
    #[error("{0}")]
    Ask(String),
}

crate::named_enum! {
    /// The calls that a standing directive is for. The order is from loose to strict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum HoldTools {
        /// None.
        #[default]
        Off = "off",
        /// Those about which a hook asks.
        WhenAsked = "when-asked",
        /// All.
        Always = "always",
    }
}

/// A directive for calls of `bash` that no hook has to ask for: the setting `[hold]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StandingHold {
    /// The calls.
    pub tools: HoldTools,
    /// The directive.
    pub hold: Hold,
}

impl StandingHold {
    /// The directive, if it is for a call; `asked` says whether a hook asks about it.
    pub fn for_call(&self, asked: bool) -> Option<&Hold> {
        let applies = match self.tools {
            HoldTools::Off => false,
            HoldTools::WhenAsked => asked,
            HoldTools::Always => true,
        };
        Some(&self.hold).filter(|hold| applies && !hold.is_empty())
    }
}
