//! Job objects. There is no way to ask a job to end, only to end it. Compiled, not tested.

use std::io;
use std::process::Command;
use std::thread;
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap, CreationFlags, JobObject};
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

use super::super::Identity;
use super::{Exit, Group};

/// The number of the signal that asks, on Unix: the numbers in results are the same everywhere.
pub(in crate::process) const TERM: i32 = 15;
/// The number of the signal that does not ask, on Unix.
pub(in crate::process) const KILL: i32 = 9;

/// The time between two looks at the leader. `wait` would hold the lock that `kill` needs.
const POLL: Duration = Duration::from_millis(10);

pub(super) fn spawn(command: Command, identity: Option<&Identity>) -> io::Result<Box<dyn ChildWrapper>> {
    if identity.is_some() {
        return Err(io::Error::other("this system cannot run a program as another user"));
    }
    // Without a window the child gets a console of its own, and so cannot write to the agent's.
    let mut command = CommandWrap::from(command);
    command.wrap(CreationFlags(CREATE_NO_WINDOW)).wrap(JobObject).spawn()
}

/// Nothing is kept: a job that is terminated says no last words.
pub(super) type Pipe = ();

pub(super) fn hold<T>(_pipe: &T) -> Option<Pipe> {
    None
}

pub(super) fn terminate(group: &Group) {
    kill(group);
}

/// A failure means that the job is gone.
pub(super) fn kill(group: &Group) {
    let _ = group.child.lock().start_kill();
}

/// Blocks until the leader has exited.
pub(super) fn wait(group: &Group) -> Exit {
    loop {
        match group.child.lock().try_wait() {
            Ok(Some(status)) => return status.code().map_or(Exit::Lost, Exit::Code),
            Ok(None) => {}
            Err(_) => return Exit::Lost,
        }
        thread::sleep(POLL);
    }
}
