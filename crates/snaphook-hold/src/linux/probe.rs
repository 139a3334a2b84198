//! Tries what a machine can hold, in a child for each facility. Not here: what a hold finds on its own way (`namespaces`).

use rustix::process::{Pid, WaitOptions, waitpid};

use super::{mounts, namespaces};
use crate::ffi::{self, Side};
use crate::support::{Facility, Support};

/// The child's answers.
const WORKS: i32 = 0;
const FAILED: i32 = 1;

/// Tries everything. A child that enters namespaces cannot tell much, so that it writes its reason to a pipe.
pub(crate) fn probe() -> Support {
    let said = in_child(|| {
        let support = match namespaces::enter(true) {
            Ok(support) => support,
            Err(failure) => return vec![failure.to_string(), failure.to_string()],
        };
        let network = match &support.network {
            Facility::Works => {
                namespaces::loopback_up().err().map(|error| error.to_string()).unwrap_or_default()
            }
            Facility::Missing(reason) => reason.clone(),
        };
        let mounts = match &support.mounts {
            Facility::Works => mounts::try_one().err().map(|error| error.to_string()).unwrap_or_default(),
            Facility::Missing(reason) => reason.clone(),
        };
        vec![mounts, network]
    });
    let facility = |reason: Option<&String>| match reason {
        Some(reason) if reason.is_empty() => Facility::Works,
        Some(reason) => Facility::Missing(reason.clone()),
        None => Facility::Missing("the attempt ended without an answer".to_owned()),
    };
    let (mounts, network) = match &said {
        Ok(said) => (facility(said.first()), facility(said.get(1))),
        Err(error) => (Facility::Missing(error.to_string()), Facility::Missing(error.to_string())),
    };
    let seccomp = match ffi::can_filter_calls() {
        Ok(()) => Facility::Works,
        Err(error) => Facility::Missing(format!("this kernel has no filter of system calls ({error})")),
    };
    Support { mounts, network, landlock: namespaces::landlock(), seccomp }
}

/// Returns whether a user namespace may really mount something here.
pub(crate) fn can_mount() -> bool {
    let said = in_child(|| {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let tried = ffi::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)
            .and_then(|()| namespaces::map_ids(uid, gid))
            .is_ok()
            && mounts::try_one().is_ok();
        vec![if tried { String::new() } else { "no".to_owned() }]
    });
    said.is_ok_and(|said| said.first().is_some_and(String::is_empty))
}

/// Runs this in a child, and gives the lines that it answers.
fn in_child(work: impl FnOnce() -> Vec<String>) -> std::io::Result<Vec<String>> {
    use std::io::{Read, Write};
    let (mut reader, mut writer) = std::io::pipe()?;
    match ffi::fork()? {
        Side::Child => {
            let lines = work().iter().map(|line| line.replace('\n', " ") + "\n").collect::<String>();
            let code = if writer.write_all(lines.as_bytes()).is_ok() { WORKS } else { FAILED };
            ffi::exit(code)
        }
        Side::Parent(pid) => {
            drop(writer);
            let mut text = String::new();
            reader.read_to_string(&mut text)?;
            if let Some(pid) = Pid::from_raw(pid) {
                waitpid(Some(pid), WaitOptions::empty())?;
            }
            Ok(text.lines().map(str::to_owned).collect())
        }
    }
}
