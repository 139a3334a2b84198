//! Process groups: `setsid` to make one, `killpg` to signal it, `waitid` to learn that its leader has died without
//! reaping it. Works on Linux and macOS; OpenBSD has no `waitid` and is not supported.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::super::Identity;
use super::{Exit, Group};

/// The signal that asks.
pub(in crate::process) const TERM: i32 = Signal::TERM.as_raw();
/// The signal that does not.
pub(in crate::process) const KILL: i32 = Signal::KILL.as_raw();

/// Called on a thread of its own, which has no other work than to wait for the child.
pub(super) fn spawn(
    #[cfg_attr(target_os = "linux", expect(unused_mut, reason = "changed elsewhere"))] mut command: Command,
    identity: Option<&Identity>,
) -> io::Result<Box<dyn ChildWrapper>> {
    if let Some(identity) = identity {
        #[cfg(target_os = "linux")]
        become_user(identity)?;
        #[cfg(not(target_os = "linux"))]
        std::os::unix::process::CommandExt::uid(
            std::os::unix::process::CommandExt::gid(&mut command, identity.gid),
            identity.uid,
        );
    }
    // The wrapper around the child is taken off again: its `wait` also waits for every process of the group that
    // became ours, which a run must not do.
    Ok(CommandWrap::from(command).wrap(ProcessSession).spawn()?.into_inner())
}

/// Gives up this thread's rights, all of them and for good; what it starts has no others. On Linux they are a thread's own, and
/// with them go the groups, which the standard library's way would drop.
#[cfg(target_os = "linux")]
fn become_user(identity: &Identity) -> io::Result<()> {
    use rustix::process::{Gid, Uid};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

    // -1 means "leave it as it is" to the system.
    if identity.uid == u32::MAX || identity.gid == u32::MAX {
        return Err(io::Error::other(format!("the user \"{}\" has no number", identity.name)));
    }
    let groups: Vec<Gid> = identity.groups.iter().map(|group| Gid::from_raw(*group)).collect();
    let (uid, gid) = (Uid::from_raw(identity.uid), Gid::from_raw(identity.gid));
    set_thread_groups(&groups)?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

/// The leader's process id, which is also the group's and the session's.
fn id(group: &Group) -> Option<Pid> {
    Pid::from_raw(i32::try_from(group.child.lock().id()).ok()?)
}

/// The handle that keeps a pipe readable.
pub(super) type Pipe = OwnedFd;

/// A second handle on the reading end of a pipe; none when the process has no descriptors left.
pub(super) fn hold(pipe: &impl AsFd) -> Option<Pipe> {
    pipe.as_fd().try_clone_to_owned().ok()
}

pub(super) fn terminate(group: &Group) {
    signal(group, Signal::TERM);
    // A stopped process acts on TERM only when it is continued.
    signal(group, Signal::CONT);
}

pub(super) fn kill(group: &Group) {
    signal(group, Signal::KILL);
}

/// Nothing can be done about a failure: the group is gone (ESRCH), or what is left of it is another user's (EPERM).
fn signal(group: &Group, signal: Signal) {
    if let Some(id) = id(group) {
        let _ = kill_process_group(id, signal);
    }
}

/// Blocks until the leader has died, and leaves it to be reaped.
pub(super) fn wait(group: &Group) -> Exit {
    let Some(id) = id(group) else { return Exit::Lost };
    loop {
        match waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(Some(status)) => {
                return match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Exit::Code(code),
                    (None, Some(signal)) => Exit::Signal(signal),
                    (None, None) => Exit::Lost,
                };
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Exit::Lost,
        }
    }
}
