//! The parts of a hold that a machine has, and the reason for those that it has not. Not here: what is done without them
//! (`plan`).

use snaphook_core::{Hold, HoldProfile};

/// A facility of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facility {
    /// It was tried, and works.
    Works,
    /// It does not, for this reason.
    Missing(String),
}

/// The version of Landlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landlock {
    /// This version of its interface.
    Version(u32),
    /// None, for this reason.
    Missing(String),
}

/// The version from which signals and abstract sockets are held.
pub(crate) const SCOPES: u32 = 6;

/// The parts of a hold that a machine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// A mount namespace in which something could be mounted.
    pub mounts: Facility,
    /// A network namespace.
    pub network: Facility,
    /// Landlock.
    pub landlock: Landlock,
    /// A filter of system calls.
    pub seccomp: Facility,
}

impl Support {
    /// The first facility that a directive needs and this machine lacks, with the reason. On macOS, where `sandbox-exec` is one
    /// program that holds all, there is none.
    pub fn missing_for(&self, hold: &Hold) -> Option<String> {
        if cfg!(target_os = "macos") {
            return None;
        }
        let has_net =
            hold.net.is_some() || hold.profile.iter().flatten().any(|one| *one == HoldProfile::Offline);
        let landlock = match &self.landlock {
            Landlock::Missing(reason) => Some(reason.as_str()),
            Landlock::Version(_) => None,
        };
        let facilities = [
            ("a mount namespace", self.mounts.missing()),
            ("Landlock", landlock),
            ("a filter of system calls", self.seccomp.missing()),
            ("a network namespace", self.network.missing().filter(|_| has_net)),
        ];
        facilities.into_iter().find_map(|(name, reason)| Some(format!("{name}: {}", reason?)))
    }

    /// A machine that has none of it, for this reason.
    pub fn none(reason: &str) -> Self {
        let missing = || Facility::Missing(reason.to_owned());
        let landlock = Landlock::Missing(reason.to_owned());
        Support { mounts: missing(), network: missing(), landlock, seccomp: missing() }
    }

    /// A machine that has all of it.
    pub fn full() -> Self {
        let landlock = Landlock::Version(SCOPES);
        Support { mounts: Facility::Works, network: Facility::Works, landlock, seccomp: Facility::Works }
    }
}

impl Facility {
    /// The reason why it is missing.
    pub fn missing(&self) -> Option<&str> {
        match self {
            Facility::Works => None,
            Facility::Missing(reason) => Some(reason),
        }
    }
}

impl Landlock {
    /// The version, 0 for none.
    pub fn version(&self) -> u32 {
        match self {
            Landlock::Version(version) => *version,
            Landlock::Missing(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn what_a_directive_needs_is_named() {
        let offline = Hold { profile: Some(vec![HoldProfile::Offline]), ..Hold::default() };
        let no_network = Support { network: Facility::Missing("switched off".to_owned()), ..Support::full() };
        for (support, hold, expected) in [
            (Support::full(), &offline, None),
            (no_network.clone(), &Hold::default(), None),
            (no_network, &offline, Some("a network namespace: switched off")),
            (Support::none("too old"), &Hold::default(), Some("a mount namespace: too old")),
        ] {
            assert_eq!(support.missing_for(hold).as_deref(), expected);
        }
    }
}
