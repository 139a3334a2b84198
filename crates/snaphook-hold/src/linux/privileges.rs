//! The capabilities that a held command keeps: what root may do to files and users, and nothing that reaches the kernel, other
//! processes, devices or mounts. Not here: the calls that need none (`filter`).

use std::io;

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use crate::command::Failure;

const ROOT_CAPABILITIES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// The highest number that a capability has, or will have for long.
const MAX_CAPABILITY: u32 = 63;

pub(crate) fn drop_all() -> Result<(), Failure> {
    drop_capabilities().map_err(|error| Failure::step("drop capabilities", error))?;
    set_no_new_privs(true).map_err(|error| Failure::step("forbid new privileges", error))
}

fn drop_capabilities() -> io::Result<()> {
    let have = capabilities(None)?;
    clear_ambient_capability_set()?;
    if have.effective.contains(CapabilitySet::SETPCAP) {
        for number in 0..=MAX_CAPABILITY {
            let one = CapabilitySet::from_bits_retain(1 << number);
            // `EINVAL`: this kernel has no more.
            if !ROOT_CAPABILITIES.contains(one) && remove_capability_from_bounding_set(one).is_err() {
                break;
            }
        }
    }
    // Only root had any that a program may use; who got them with a namespace is that person again.
    let kept = if rustix::process::geteuid().is_root() {
        ROOT_CAPABILITIES.intersection(have.permitted)
    } else {
        CapabilitySet::empty()
    };
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    Ok(set_capabilities(None, sets)?)
}
