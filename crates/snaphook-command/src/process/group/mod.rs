//! A running child and everything it started: signalling it, learning of its end, and ending it when the caller goes
//! away. The platform's half is `unix` or `windows`. Not here: reading and writing its pipes (`run`).

use std::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{io, thread};

use parking_lot::{Condvar, Mutex};
use process_wrap::std::ChildWrapper;
use tokio::sync::oneshot;

use super::{Identity, Limits, ProcessOutcome};

#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "windows.rs"]
mod platform;

pub(super) use platform::{KILL, TERM};

/// Enough for starting a process and waiting for it.
const STACK: usize = 256 * 1024;

/// The way the leader ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Code(i32),
    #[cfg(unix)]
    Signal(i32),
    /// Other code took the status, and with it the claim on the group's number.
    Lost,
}

impl From<Exit> for ProcessOutcome {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Code(code) => ProcessOutcome::Exited(code),
            #[cfg(unix)]
            Exit::Signal(signal) => ProcessOutcome::Signaled(signal),
            Exit::Lost => ProcessOutcome::Lost,
        }
    }
}

/// The leader and its group. The leader, dead or alive, is reaped only when the last owner lets go, so as long as
/// there is a `Group` its number cannot be given to another process, and a signal cannot hit a stranger.
///
/// The waiting thread is an owner until the leader has died; so the last owner's `wait` returns at once.
#[derive(Debug)]
pub(super) struct Group {
    child: Mutex<Box<dyn ChildWrapper>>,
    exit: Mutex<Option<Exit>>,
    exited: Condvar,
}

impl Group {
    /// Asks the group to end, where the system has a way to ask.
    pub(super) fn terminate(&self) {
        if self.may_signal() {
            platform::terminate(self);
        }
    }

    /// Ends the group. Killing what is dead already is no error.
    pub(super) fn kill(&self) {
        if self.may_signal() {
            platform::kill(self);
        }
    }

    fn may_signal(&self) -> bool {
        *self.exit.lock() != Some(Exit::Lost)
    }

    fn note_exit(&self, exit: Exit) {
        *self.exit.lock() = Some(exit);
        self.exited.notify_all();
    }

    /// Blocks until the leader has died or `limit` has passed.
    fn wait_for_exit(&self, limit: Duration) -> bool {
        let mut exit = self.exit.lock();
        self.exited.wait_while_for(&mut exit, |exit| exit.is_none(), limit);
        exit.is_some()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An error means that there is nothing left to reap.
        let _ = self.child.get_mut().wait();
    }
}

/// The groups that are there, for [`kill_all`].
static GROUPS: Mutex<Vec<Weak<Group>>> = Mutex::new(Vec::new());

fn note(group: &Arc<Group>) {
    let mut groups = GROUPS.lock();
    groups.retain(|group| group.strong_count() > 0);
    groups.push(Arc::downgrade(group));
}

/// Kills every group that this process started and that has not ended. For a process that is about to exit in the middle of its
/// work: no guard is dropped then, and what it started would go on without it.
pub fn kill_all() {
    let groups = std::mem::take(&mut *GROUPS.lock());
    for group in groups.iter().filter_map(Weak::upgrade) {
        group.kill();
    }
}

/// Ends the group when it is dropped before [`Guard::disarm`], without needing a runtime.
#[derive(Debug)]
pub(super) struct Guard {
    group: Arc<Group>,
    limits: Limits,
    armed: bool,
    /// Second handles on the output pipes. A child that is asked to end, and says so on a pipe that cannot be read
    /// any more, would die of SIGPIPE before it has tidied up.
    outputs: Vec<platform::Pipe>,
}

impl Guard {
    pub(super) fn group(&self) -> &Group {
        &self.group
    }

    /// Keeps another pipe of the child's readable while it is asked to end.
    pub(super) fn hold(&mut self, pipe: &ChildStdout) {
        self.outputs.extend(platform::hold(pipe));
    }

    /// For when the group has been ended: nothing happens on drop any more.
    pub(super) fn disarm(&mut self) {
        self.armed = false;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        self.group.terminate();
        let (group, limits, outputs) =
            (Arc::clone(&self.group), self.limits, std::mem::take(&mut self.outputs));
        let reaper = move || {
            if group.wait_for_exit(limits.term_grace) {
                thread::sleep(limits.drain_grace);
            }
            group.kill();
            drop(outputs);
        };
        let spawned = thread::Builder::new().name("snaphook-reap".into()).stack_size(STACK).spawn(reaper);
        if spawned.is_err() {
            // There is no task left to wait for the grace to pass.
            self.group.kill();
        }
    }
}

/// A child that was just started.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
    pub(super) guard: Guard,
    /// Told once, when the leader has died.
    pub(super) exited: oneshot::Receiver<Exit>,
}

/// Starts `command` in a group of its own, on a thread that then waits for its end; neither the fork nor the wait
/// blocks the runtime. If this future is dropped, the child, once started, is ended.
pub(super) async fn start(
    command: Command,
    limits: Limits,
    identity: Option<Identity>,
) -> io::Result<Started> {
    let (started_tx, started_rx) = oneshot::channel();
    let body = move || {
        let (exit_tx, exited) = oneshot::channel();
        let group = match platform::spawn(command, identity.as_ref()) {
            Ok(mut child) => {
                let (stdin, stdout, stderr) =
                    (child.stdin().take(), child.stdout().take(), child.stderr().take());
                let (exit, condvar) = (Mutex::new(None), Condvar::new());
                let group = Arc::new(Group { child: Mutex::new(child), exit, exited: condvar });
                note(&group);
                let outputs = stdout
                    .as_ref()
                    .and_then(platform::hold)
                    .into_iter()
                    .chain(stderr.as_ref().and_then(platform::hold))
                    .collect();
                let guard = Guard { group: Arc::clone(&group), limits, armed: true, outputs };
                // Without a receiver it is dropped here, and its guard ends the child.
                let _ = started_tx.send(Ok(Started { stdin, stdout, stderr, guard, exited }));
                group
            }
            Err(error) => {
                let _ = started_tx.send(Err(error));
                return;
            }
        };
        let exit = platform::wait(&group);
        group.note_exit(exit);
        // Let go before telling, so that the runner is the last owner and the leader is reaped when it returns.
        drop(group);
        let _ = exit_tx.send(exit);
    };
    thread::Builder::new().name("snaphook-run".into()).stack_size(STACK).spawn(body)?;
    started_rx.await.unwrap_or_else(|_| Err(io::Error::other("the thread that starts processes died")))
}
