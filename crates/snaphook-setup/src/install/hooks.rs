//! The hooks in force, as far as setting up depends on them. Not here: loading them, which needs the engines (the command).

use std::collections::BTreeSet;

use snaphook::{EventName, Host, Lifecycle, Problem, Product};
use snaphook_discovery::{Directories, Trust, lifecycle_files};

/// The hooks in force.
#[derive(Debug)]
pub struct HooksInForce {
    /// The problem where there is none.
    pub missing: Option<Problem>,
    /// The lifecycle events that they are for. Tool calls always: the built-in gate is for them, and a hook that does not
    /// load denies them.
    pub events: BTreeSet<&'static str>,
    /// The problems with them and with the settings.
    pub problems: Vec<Problem>,
    /// The number of hooks.
    pub count: usize,
}

/// Events that no agent sends, with those at which they come about.
const COMES_WITH: &[(Lifecycle, &[Lifecycle])] = &[
    (Lifecycle::Startup, &[Lifecycle::SessionStart]),
    (Lifecycle::IterationStart, &[Lifecycle::UserPrompt]),
    (Lifecycle::IterationEnd, &[Lifecycle::UserPrompt, Lifecycle::AgentEnd]),
    (Lifecycle::IterationError, &[Lifecycle::UserPrompt, Lifecycle::AgentError]),
    (Lifecycle::FilesChanged, &[Lifecycle::AgentEnd, Lifecycle::UserPrompt]),
];

/// The events at which commands of lifecycle files run.
const OF_ITERATIONS: &[Lifecycle] = &[
    Lifecycle::SessionStart,
    Lifecycle::UserPrompt,
    Lifecycle::AgentEnd,
    Lifecycle::AgentError,
    Lifecycle::SessionEnd,
];

impl HooksInForce {
    /// Returns the hooks of a host that loaded `count` of them from these folders. `missing` is the problem where there is
    /// none; a lifecycle file makes up for it.
    pub fn of(host: &Host, directories: &Directories, count: usize, missing: Option<Problem>) -> Self {
        let lifecycle = !lifecycle_files(directories, &Trust::default()).files.is_empty();
        let handlers = host.hooks().into_iter().flat_map(|hook| hook.handlers);
        let mut events: BTreeSet<&'static str> = handlers
            .filter_map(|handler| match handler.event {
                EventName::Lifecycle(event) => Some(event.name()),
                EventName::Bus(_) => None,
            })
            .collect();
        events.insert(Lifecycle::ToolCall.name());
        for (event, with) in COMES_WITH {
            if events.contains(event.name()) {
                events.extend(with.iter().map(|event| event.name()));
            }
        }
        // What puts Discobot's script before commits runs there.
        let discobot = directories.compat.contains(&Product::Discobot);
        if discobot && events.contains(Lifecycle::PreCommit.name()) {
            events.insert(Lifecycle::SessionStart.name());
        }
        if lifecycle {
            events.extend(OF_ITERATIONS.iter().map(|event| event.name()));
        }
        HooksInForce { missing: missing.filter(|_| !lifecycle), events, problems: host.problems(), count }
    }

    /// Returns whether a hook is for commits.
    pub fn has_pre_commit(&self) -> bool {
        self.events.contains(Lifecycle::PreCommit.name())
    }
}
