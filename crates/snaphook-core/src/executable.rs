//! Executables as hooks: what their front matter comes to, and what a run of one left. Not here: reading front matter
//! (`snaphook-discovery`), running them (`snaphook-command`).

use std::path::PathBuf;
use std::time::Duration;

use crate::event::EventName;
use crate::hold::Hold;
use crate::lifecycle::{Lifecycle, ReplyClass};

crate::named_enum! {
    /// The product whose conventions a hook follows: names of variables, the first line of messages, where state is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Product {
        /// Our own.
        #[default]
        Snaphook = "snaphook",
        /// Discobot: `.discobot/hooks`.
        Discobot = "discobot",
        /// iteratr: `.iteratr.hooks.yml`.
        Iteratr = "iteratr",
        /// marvin: `.marvin/hooks`.
        Marvin = "marvin",
    }
}

impl Product {
    /// Every product but our own.
    pub const OTHERS: [Product; 3] = [Product::Discobot, Product::Marvin, Product::Iteratr];

    /// The name in messages.
    pub fn title(self) -> &'static str {
        match self {
            Product::Snaphook => "Snaphook",
            Product::Discobot => "Discobot",
            Product::Iteratr => "iteratr",
            Product::Marvin => "marvin",
        }
    }

    /// The other product of this name.
    pub fn other(name: &str) -> Option<Self> {
        Self::OTHERS.into_iter().find(|product| product.as_str() == name)
    }
}

/// As whom an executable runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RunAs {
    /// As the user, also where the host runs as root.
    #[default]
    User,
    /// As root: a failure where the host does not run as root.
    Root,
}

/// An executable that is a hook: it has one handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// The event that it answers.
    pub event: EventName,
    /// Gitignore-style patterns over files; empty for all.
    pub patterns: Vec<String>,
    /// Patterns of files that it does not care for.
    pub ignore: Vec<String>,
    /// True if a failed check is reported to the agent.
    pub notify: bool,
    /// As whom it runs.
    pub run_as: RunAs,
    /// The time that it may take, where it says so.
    pub timeout: Option<Duration>,
    /// The product whose conventions it follows.
    pub product: Product,
    /// True if it is handed the event as JSON on its standard input, and may answer in JSON (`event:`). Else its input is
    /// closed, and what it writes is text (`type:`).
    pub answers: bool,
    /// What it may touch while it runs.
    pub hold: Option<Box<Hold>>,
}

impl Executable {
    /// An executable for an event, with nothing else said.
    pub fn new(event: impl Into<EventName>) -> Self {
        Executable {
            event: event.into(),
            patterns: Vec::new(),
            ignore: Vec::new(),
            notify: true,
            run_as: RunAs::User,
            timeout: None,
            product: Product::Snaphook,
            answers: true,
            hold: None,
        }
    }

    /// Returns how long it may take.
    pub fn time_limit(&self) -> Duration {
        const MINUTE: u64 = 60;
        let default = || match (&self.event, self.event.class()) {
            (EventName::Lifecycle(Lifecycle::Startup), _) => 5 * MINUTE,
            (_, ReplyClass::Check) => 15 * MINUTE,
            (_, ReplyClass::Gate) => MINUTE,
            _ => MINUTE / 2,
        };
        self.timeout.unwrap_or_else(|| Duration::from_secs(default()))
    }
}

/// The trace that a program of a hook left when it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRun {
    /// The way it ended: its exit code, 124 where its time was up, 128 and the signal's number where a signal ended
    /// it, 127 where it could not be started, -1 where it is not known.
    pub exit_code: i32,
    /// The output on both streams, or the beginning of it.
    pub output: String,
    /// The number of its lines, all of them.
    pub lines: u64,
    /// The number of its bytes, all of them.
    pub bytes: u64,
    /// The place where all of it is kept.
    pub file: Option<PathBuf>,
    /// The time that it ran.
    pub took: Duration,
}
