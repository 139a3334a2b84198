//! The end of a process for one event: its answer on the two streams, and the exit code. Not here: what is answered (`desk`), and
//! the command line that reads the code (`snaphook_adapters::install`).

use std::io::Write as _;

use snaphook_adapters::install::{SEALED_ANSWER, SEALED_REFUSAL};
use snaphook_adapters::{Effect, Reply, Row};

/// The exit code with which every agent that has one refuses.
pub(super) const REFUSED: u8 = 2;

/// The exit code of an answer that was lost where [`REFUSED`] would make the agent go on.
const FAILED: u8 = 1;

/// The way the process ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// True if the caller takes an answer only with a code of our own
    /// ([`SEALED`](snaphook_adapters::install::SEALED)).
    sealed: bool,
    /// True if the event can be denied, as far as is known.
    gate: bool,
    /// The exit code where the answer is lost.
    lost: u8,
}

impl Output {
    /// For an event with this row; `None` where it is not known.
    pub(super) fn new(sealed: bool, row: Option<&Row>) -> Self {
        let lost = if row.is_some_and(|row| row.effects.has(Effect::Continue)) { FAILED } else { REFUSED };
        Output { sealed, gate: row.is_none_or(Row::is_gate), lost }
    }

    /// Writes the reply; gives the exit code. An answer that cannot have been read is lost, and a gate without an answer denies.
    pub(super) fn give(self, reply: &Reply) -> i32 {
        let says = !reply.stdout.is_empty();
        let lost = (self.gate || says) && nobody_reads(says);
        let mut out = std::io::stdout().lock();
        let written = out.write_all(reply.stdout.as_bytes()).and_then(|()| out.flush());
        let _ = std::io::stderr().lock().write_all(reply.stderr.as_bytes());
        i32::from(if lost || written.is_err() { self.lost } else { self.code(reply) })
    }

    /// The exit code of a reply that was written.
    pub(super) fn code(self, reply: &Reply) -> u8 {
        match reply.code {
            0 if self.sealed => SEALED_ANSWER,
            REFUSED if self.sealed => SEALED_REFUSAL,
            code => code,
        }
    }
}

/// Returns whether standard output is closed, or the other end of it is. One that was closed when the process started
/// is `/dev/null` by now, open for reading and writing: the standard library puts it there. Who has opened that for
/// writing alone means to read no more than the exit code, which is enough where nothing is said.
#[cfg(unix)]
fn nobody_reads(says: bool) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, stat};

    let out = std::io::stdout();
    let Ok(known) = fstat(&out) else { return true };
    if FileType::from_raw_mode(known.st_mode) == FileType::CharacterDevice
        && stat("/dev/null").is_ok_and(|null| null.st_rdev == known.st_rdev)
    {
        return says || fcntl_getfl(&out).is_ok_and(|flags| flags.contains(OFlags::RDWR));
    }
    let mut asked = [PollFd::new(&out, PollFlags::empty())];
    let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok()
        && asked.iter().any(|asked| asked.revents().intersects(gone))
}

/// Not looked at: there a write fails.
#[cfg(not(unix))]
fn nobody_reads(_: bool) -> bool {
    false
}
