//! What each part of a policy is held by, or what is missing. Not here: the doing (`linux`).

use std::path::PathBuf;

use snaphook_core::Net;

use crate::policy::Policy;
use crate::support::{Facility, SCOPES, Support};

/// The way to treat forms that hold less than was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// They are errors.
    #[default]
    AsAsked,
    /// They are taken, and the plan says what they do not hold.
    AllowWeaker,
}

/// A part of a hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Files that cannot be written.
    DenyWrite,
    /// Files that cannot be read, and sockets of services.
    DenyRead,
    /// Programs that cannot be run.
    DenyExec,
    /// The only places that can be written.
    OnlyWrite,
    /// The network.
    Net,
    /// Variables.
    Env,
    /// Processes outside: their memory and files.
    Processes,
    /// Signals to processes outside, and abstract sockets.
    Signals,
}

/// The facility that holds a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// Mounts in a namespace of the command.
    Mounts,
    /// Landlock.
    Landlock,
    /// A filter of system calls.
    Seccomp,
    /// A network namespace.
    NetworkNamespace,
    /// A network namespace and a proxy that decides by name.
    Proxy,
    /// The command does not get it.
    Withheld,
    /// A hold around this one.
    OuterHold,
    /// Nothing, which the caller allowed.
    Nothing,
}

/// A part with what holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartPlan {
    /// The part.
    pub part: Part,
    /// The facility.
    pub by: By,
    /// The rest that this does not hold, where it is a weaker form.
    pub weaker: Option<&'static str>,
}

/// The plan of a hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Each part that was asked for.
    pub parts: Vec<PartPlan>,
}

/// The facility that is missing for a part of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Files cannot be guarded.
    #[error("cannot make {} read-only: {reason}", path.display())]
    ReadOnly {
        /// The first of them.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Files cannot be hidden.
    #[error("cannot hide {}: {reason}", path.display())]
    Hide {
        /// The first of them.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Writing cannot be restricted.
    #[error("cannot restrict where the command writes: {reason}")]
    Walls {
        /// The reason.
        reason: String,
    },
    /// The network cannot be held.
    #[error("cannot restrict the network: {reason}")]
    Net {
        /// The reason.
        reason: String,
    },
    /// Processes outside cannot be held off.
    #[error("cannot keep the command from other processes: {reason}")]
    Processes {
        /// The reason.
        reason: String,
    },
    /// Signals cannot be held off.
    #[error(
        "cannot keep the command from sending signals to other processes: {reason}. `--allow-weaker`, or `unsupported = \"weaker\"` \
         in `[hold]` of config.toml, does without"
    )]
    Signals {
        /// The reason.
        reason: String,
    },
    /// System calls cannot be filtered.
    #[error("cannot filter system calls: {reason}")]
    Seccomp {
        /// The reason.
        reason: String,
    },
}

/// Says what holds each part of the policy on a machine with this support.
///
/// # Errors
/// A part cannot be held as it was asked for.
pub fn plan(policy: &Policy, support: &Support, strictness: Strictness) -> Result<Plan, PlanError> {
    let allow_weaker = strictness == Strictness::AllowWeaker;
    let mut plan = Plan::default();
    if let Facility::Missing(reason) = &support.seccomp {
        return Err(PlanError::Seccomp { reason: reason.clone() });
    }
    let landlock = support.landlock.version();
    if let crate::support::Landlock::Missing(reason) = &support.landlock {
        return Err(PlanError::Processes { reason: reason.clone() });
    }
    plan.files(policy, support, allow_weaker)?;
    plan.net(policy, support)?;
    if policy.env.is_some() {
        plan.add(Part::Env, By::Withheld);
    }
    plan.add(Part::Processes, By::Landlock);
    if landlock >= SCOPES {
        plan.add(Part::Signals, By::Landlock);
    } else if allow_weaker {
        plan.weaker(Part::Signals, By::Nothing, "signals and abstract sockets are not held");
    } else {
        let reason = format!("Landlock's version here is {landlock}, and {SCOPES} (Linux 6.12) is needed");
        return Err(PlanError::Signals { reason });
    }
    Ok(plan)
}

impl Plan {
    /// The facility that holds this part, if it was asked for.
    pub fn by(&self, part: Part) -> Option<By> {
        self.parts.iter().find(|plan| plan.part == part).map(|plan| plan.by)
    }

    fn add(&mut self, part: Part, by: By) {
        self.parts.push(PartPlan { part, by, weaker: None });
    }

    fn weaker(&mut self, part: Part, by: By, weaker: &'static str) {
        self.parts.push(PartPlan { part, by, weaker: Some(weaker) });
    }

    fn files(&mut self, policy: &Policy, support: &Support, allow_weaker: bool) -> Result<(), PlanError> {
        let asked = [
            (Part::DenyWrite, !(policy.read_only.is_empty() && policy.links.is_empty())),
            (Part::OnlyWrite, policy.walls.is_some()),
            (Part::DenyRead, policy.hides_files || !policy.hidden.is_empty()),
            (Part::DenyExec, policy.hides_programs),
        ];
        let Facility::Missing(reason) = &support.mounts else {
            asked.into_iter().filter(|(_, asked)| *asked).for_each(|(part, _)| self.add(part, By::Mounts));
            return Ok(());
        };
        for (part, _) in asked.into_iter().filter(|(_, asked)| *asked) {
            match part {
                Part::DenyWrite => {
                    // What the walls keep out needs no guard of its own.
                    let is_walled = |path: &PathBuf| {
                        policy.walls.as_ref().is_some_and(|walls| {
                            !walls.iter().any(|wall| path.starts_with(wall) || wall.starts_with(path))
                        })
                    };
                    let open = policy.read_only.iter().filter(|path| !is_walled(path));
                    let links = policy.links.iter().filter(|link| !is_walled(link) && !is_kept(link));
                    match open.clone().find(|path| !is_read_only(path)).or(links.min()) {
                        Some(path) => {
                            return Err(PlanError::ReadOnly { path: path.clone(), reason: reason.clone() });
                        }
                        None if open.count() == 0 => self.add(part, By::Landlock),
                        None => self.add(part, By::OuterHold),
                    }
                }
                Part::DenyRead | Part::DenyExec => {
                    let open = policy.hidden.iter().filter(|path| !is_hidden(path));
                    let must = |path: &&PathBuf| !allow_weaker || policy.named.contains(path);
                    if let Some(path) = open.clone().find(must) {
                        return Err(PlanError::Hide { path: path.clone(), reason: reason.clone() });
                    }
                    match open.count() {
                        0 => self.add(part, By::OuterHold),
                        _ => self.weaker(part, By::Nothing, "sockets of services are not hidden"),
                    }
                }
                _ => {
                    const REST: &str =
                        "modes, owners, times and attributes of files outside of the walls are not held";
                    if policy.walls.as_ref().is_some_and(|walls| writes_only_in(walls)) {
                        self.add(part, By::Landlock);
                    } else if allow_weaker {
                        self.weaker(part, By::Landlock, REST);
                    } else {
                        let reason = format!("{reason}, and without mounts {REST}");
                        return Err(PlanError::Walls { reason });
                    }
                }
            }
        }
        Ok(())
    }

    fn net(&mut self, policy: &Policy, support: &Support) -> Result<(), PlanError> {
        let Some(net) = &policy.net else { return Ok(()) };
        match (&support.network, net) {
            (Facility::Works, Net::Hosts(_)) => self.add(Part::Net, By::Proxy),
            (Facility::Works, _) => self.add(Part::Net, By::NetworkNamespace),
            (Facility::Missing(_), Net::None) => self.add(Part::Net, By::Seccomp),
            (Facility::Missing(_), Net::Loopback) if has_loopback_only() => {
                self.add(Part::Net, By::OuterHold)
            }
            (Facility::Missing(reason), _) => return Err(PlanError::Net { reason: reason.clone() }),
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
use crate::linux::held::{has_loopback_only, is_hidden, is_kept, is_read_only, writes_only_in};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::path::{Path, PathBuf};

    pub(super) fn is_read_only(_: &Path) -> bool {
        false
    }

    pub(super) fn is_kept(_: &Path) -> bool {
        false
    }

    pub(super) fn is_hidden(_: &Path) -> bool {
        false
    }

    pub(super) fn writes_only_in(_: &[PathBuf]) -> bool {
        false
    }

    pub(super) fn has_loopback_only() -> bool {
        false
    }
}
#[cfg(not(target_os = "linux"))]
use elsewhere::{has_loopback_only, is_hidden, is_kept, is_read_only, writes_only_in};
