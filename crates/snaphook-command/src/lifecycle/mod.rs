//! Lifecycle files (`.snaphook/lifecycle.yml`, `.iteratr.hooks.yml`): shell commands for the moments of an agent's session.
//!
//! Lives here: reading such a file ([`parse`]), values in its commands ([`template`]), running one list of it ([`run_all`]). Not
//! here: where the files are and whether they are trusted (`snaphook-discovery`), and when which list runs and where its output
//! goes (the iteration loop of the host).

mod document;
mod parse;
mod run;
pub mod template;

use std::fmt;
use std::time::Duration;

pub use parse::{MAX_BYTES, Parsed, parse, parse_for};
pub use run::{ListOutput, Ran, Surroundings, Values, join_outputs, run_all};
use snaphook_core::{Hold, Product};
pub use snaphook_discovery::yaml::TextPosition;
pub use template::Variable;

/// The time that a command may run that does not say it.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

snaphook_core::named_enum! {
    /// One of the six lists of a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum List {
        /// Once, before the first iteration.
        SessionStart = "session_start",
        /// Before each iteration.
        PreIteration = "pre_iteration",
        /// After each iteration.
        PostIteration = "post_iteration",
        /// Once, after all else.
        SessionEnd = "session_end",
        /// When a task was completed.
        OnTaskComplete = "on_task_complete",
        /// When an iteration failed.
        OnError = "on_error",
    }
}

impl List {
    /// Returns whether commands of this list have a value for the variable. Those that have none are empty.
    pub fn has(self, variable: Variable) -> bool {
        match variable {
            Variable::Session => true,
            Variable::Iteration => matches!(self, List::PreIteration | List::PostIteration | List::OnError),
            Variable::TaskId | Variable::TaskContent => self == List::OnTaskComplete,
            Variable::Error => self == List::OnError,
        }
    }
}

/// One command of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// As it is in the file.
    pub written: String,
    /// The text that the shell gets.
    pub text: template::Rewritten,
    /// The time that it may run.
    pub timeout: Duration,
    /// True if the agent gets its output.
    pub pipe_output: bool,
    /// What it may touch while it runs.
    pub hold: Option<Box<Hold>>,
    /// The place where it is.
    pub position: TextPosition,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifecycle {
    lists: [Vec<Command>; 6],
    product: Product,
}

impl Lifecycle {
    /// An empty file of a product.
    pub(crate) fn of(product: Product) -> Self {
        Lifecycle { product, ..Lifecycle::default() }
    }

    /// The product whose file it is.
    pub fn product(&self) -> Product {
        self.product
    }

    /// The commands of a list, in the order of the file.
    pub fn commands(&self, list: List) -> &[Command] {
        &self.lists[list as usize]
    }

    /// Returns whether there is no command at all.
    pub fn is_empty(&self) -> bool {
        self.lists.iter().all(Vec::is_empty)
    }

    pub(crate) fn push(&mut self, list: List, command: Command) {
        self.lists[list as usize].push(command);
    }
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Worth a word.
    Note,
    /// Something is not as its author meant it.
    Warning,
}

/// A finding about a file. None of them is an error elsewhere: a broken file has no hooks, and the finding says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its weight.
    pub weight: Weight,
    /// The place, if that is known.
    pub position: Option<TextPosition>,
    /// The message: a lowercase fragment without a full stop.
    pub message: String,
    /// The advice what to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{}:{}: ", position.line, position.column)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}
