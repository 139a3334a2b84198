//! The parts of a hold that a machine has, and the reason for those that it has not. Not here: what is done without them
//! (`plan`).

use snaphook_core::{Hold, Net};

use crate::plan::Strictness;
use crate::profile::profile_hold;

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
    pub fn missing_for(&self, hold: &Hold, strictness: Strictness) -> Option<String> {
        if cfg!(target_os = "macos") {
            return None;
        }
        let allow_weaker = strictness == Strictness::AllowWeaker;
        let profiles = hold.profile.iter().flatten();
        let whole = profiles.fold(hold.clone(), |hold, profile| hold.strictest(profile_hold(*profile)));
        // Landlock holds what is outside of walls; that there is no network, the filter holds.
        let needs_mounts = !allow_weaker
            || whole.profile.is_some()
            || whole.deny_write.is_some()
            || whole.deny_read.is_some()
            || whole.deny_exec.is_some();
        let needs_network = matches!(whole.net, Some(Net::Loopback | Net::Hosts(_)));
        let landlock = match &self.landlock {
            Landlock::Missing(reason) => Some(reason.clone()),
            Landlock::Version(version) if *version < SCOPES && !allow_weaker => {
                Some(format!("version {version} holds no signals, and version {SCOPES} (Linux 6.12) does"))
            }
            Landlock::Version(_) => None,
        };
        let facilities = [
            ("a mount namespace", self.mounts.missing().filter(|_| needs_mounts)),
            ("Landlock", landlock.as_deref()),
            ("a filter of system calls", self.seccomp.missing()),
            ("a network namespace", self.network.missing().filter(|_| needs_network)),
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
    use serde_json::json;

    use super::*;

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn what_a_directive_needs_is_named() {
        use Strictness::{AllowWeaker, AsAsked};
        let hold = |value: serde_json::Value| Hold::parse(&value).unwrap();
        let (guarded, loopback) = (hold(json!({"profile": "guarded"})), hold(json!({"net": "loopback"})));
        let walls = hold(json!({"only_write": ["/tmp"]}));
        let missing = || Facility::Missing("off".to_owned());
        let (no_network, no_mounts) = (
            Support { network: missing(), ..Support::full() },
            Support { mounts: missing(), ..Support::full() },
        );
        let old = Support { landlock: Landlock::Version(4), ..Support::full() };
        for (support, hold, strictness, expected) in [
            (&Support::full(), &loopback, AsAsked, None),
            (&no_network, &guarded, AsAsked, None),
            (&no_network, &hold(json!({"profile": "offline"})), AsAsked, None),
            (&no_network, &loopback, AllowWeaker, Some("a network namespace: off")),
            (&no_mounts, &walls, AsAsked, Some("a mount namespace: off")),
            (&no_mounts, &walls, AllowWeaker, None),
            (&no_mounts, &guarded, AllowWeaker, Some("a mount namespace: off")),
            (&old, &guarded, AllowWeaker, None),
            (
                &old,
                &guarded,
                AsAsked,
                Some("Landlock: version 4 holds no signals, and version 6 (Linux 6.12) does"),
            ),
            (&Support::none("off"), &Hold::default(), AsAsked, Some("a mount namespace: off")),
            (&Support::none("off"), &Hold::default(), AllowWeaker, Some("Landlock: off")),
        ] {
            assert_eq!(support.missing_for(hold, strictness).as_deref(), expected, "{support:?} {hold:?}");
        }
    }
}
