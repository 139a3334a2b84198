//! New namespaces for a command, and the reason if there are none. Not here: what is mounted in them (`mounts`).

use std::fs;
use std::io;
use std::os::fd::AsFd;

use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use rustix::thread::{CapabilitySet, capabilities};

use crate::command::Failure;
use crate::ffi;
use crate::support::{Facility, Landlock, Support};

/// Enters a mount namespace and one for shared memory, with one for users around it where that is needed, and one for the network if that is wanted.
/// What could not be had is missing in the answer, with the reason.
pub(crate) fn enter(wants_network: bool) -> Result<Support, Failure> {
    let mut support = Support {
        mounts: Facility::Works,
        network: if wants_network {
            Facility::Works
        } else {
            Facility::Missing("it was not asked for".into())
        },
        landlock: landlock(),
        seccomp: match ffi::can_filter_calls() {
            Ok(()) => Facility::Works,
            Err(error) => Facility::Missing(format!("this kernel has no filter of system calls ({error})")),
        },
    };
    let has = |capability| capabilities(None).is_ok_and(|sets| sets.effective.contains(capability));
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let users = if has(CapabilitySet::SYS_ADMIN) { 0 } else { libc::CLONE_NEWUSER };
    if users != 0 && uid == 0 && !has(CapabilitySet::SETFCAP) {
        let reason = "root without CAP_SETFCAP gets no user namespace (a container without privileges, or a hold around this one)";
        support.without_namespaces(reason);
        return Ok(support);
    }
    if users != 0 && is_restricted_by_apparmor() && !super::probe::can_mount() {
        support.without_namespaces("AppArmor takes the capabilities of user namespaces away");
        return Ok(support);
    }
    let network = if wants_network { libc::CLONE_NEWNET } else { 0 };
    // Memory and queues that processes of one user share by numbers and names are no files.
    let wanted = users | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    let entered = ffi::unshare(wanted | network).or_else(|error| {
        if wants_network {
            support.network = Facility::Missing(format!("the system refused a network namespace ({error})"));
            ffi::unshare(wanted)
        } else {
            Err(error)
        }
    });
    if let Err(error) = entered {
        let what = if users == 0 { "a mount namespace" } else { "a user namespace" };
        support.without_namespaces(&format!("the system refused {what} ({})", explained(&error)));
        return Ok(support);
    }
    if users != 0 {
        map_ids(uid, gid)
            .map_err(|error| Failure::step("map the user into a namespace of its own", error))?;
    }
    // New mounts outside still arrive; ours stay here. `EINVAL`: the root is no mount, as in a chroot.
    if let Err(error) = mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC) {
        let reason = format!("nothing can be mounted below this root, as in a chroot ({error})");
        support.mounts = Facility::Missing(reason);
    }
    Ok(support)
}

impl Support {
    fn without_namespaces(&mut self, reason: &str) {
        self.mounts = Facility::Missing(reason.to_owned());
        self.network = Facility::Missing(reason.to_owned());
    }
}

pub(crate) fn landlock() -> Landlock {
    match ffi::landlock_version() {
        Ok(version) => Landlock::Version(version),
        Err(error) => {
            Landlock::Missing(format!("this kernel has no Landlock, or it is switched off ({error})"))
        }
    }
}

fn explained(error: &io::Error) -> String {
    let why = match error.raw_os_error() {
        Some(libc::ENOSPC) => "they are switched off: max_user_namespaces is 0, or too many are in use",
        Some(libc::EPERM) => "a container, a chroot or a hold around this one forbids them",
        Some(libc::EINVAL) => "this kernel has none, or the process has several threads",
        _ => return error.to_string(),
    };
    format!("{why}; {error}")
}

/// Ubuntu 23.10 and later: the namespace is granted, and its capabilities are not.
fn is_restricted_by_apparmor() -> bool {
    let setting = fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    setting.is_ok_and(|setting| setting.trim() != "0")
}

/// One user and one group, themselves inside and outside.
pub(crate) fn map_ids(uid: u32, gid: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

pub(crate) fn loopback_up() -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::step("switch the loopback on", error);
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(|error| failed(error.into()))?;
    ffi::loopback_up(socket.as_fd()).map_err(failed)
}
