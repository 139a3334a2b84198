//! The audit in files: one JSON Lines file a session, which many processes may append to at once.
//!
//! An append takes an advisory lock on the file, goes on from the hash at its end and writes line and line end in one call.
//! Nothing is synced to the disk: a crash of the process loses no line, a power loss may lose those of the last seconds and
//! tear one. A torn line is kept, and the next append says in a line of its own that it is torn. A file that is full is
//! renamed, and the chain goes on in the next one. Not here: reading (`log`), and the file that notes how far each session is
//! (`heads`).

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use serde_json::{Value, json};
use snaphook_state::private_fs;

use crate::chain::{self, Link};
use crate::disk::{self, End};
use crate::events::{DAMAGED, ROTATED, TORN};
use crate::heads::{Heads, Noted};
use crate::line::LINE_VERSION;
use crate::{Audit, AuditError, AuditLine};

/// When a file is full, in bytes.
pub const DEFAULT_MAX_BYTES: u64 = 16 << 20;

/// The number of full files of a session that are kept.
pub const DEFAULT_KEEP: u64 = 8;

/// The time that an append waits where the last one waited in vain: one that holds the lock to stop the audit does so
/// once, not for each call anew.
const BRIEFLY: Duration = Duration::from_millis(100);

/// The length that most lines do not reach, in bytes.
const USUAL_LINE_BYTES: usize = 1000;

/// The number of times that a file may be replaced under an append before it gives up.
const ATTEMPTS: u32 = 100;

/// Writes the audit into a folder: `<session>.jsonl`, and `<session>.<number>.jsonl` for files that are full.
#[derive(Debug)]
pub struct FileAudit {
    dir: PathBuf,
    max_bytes: u64,
    keep: u64,
    /// The file that was written last, and the heads.
    state: Mutex<OpenFiles>,
    /// The time that an append waits for the lock.
    patience: Duration,
    /// True if the last append found the file locked to its end.
    held: AtomicBool,
}

#[derive(Debug)]
struct OpenFiles {
    /// A host has one session at a time.
    open: Option<Open>,
    heads: Heads,
}

#[derive(Debug)]
struct Open {
    session: String,
    /// The name of its files.
    stem: String,
    path: PathBuf,
    file: File,
    /// The system's description of it from when it was opened.
    metadata: Metadata,
    /// The place where our last line ends, and what it is: as long as no other process wrote, the end need not be read.
    known: Option<(u64, Link)>,
    /// The progress of its heads.
    noted: Noted,
}

/// The result of an append that holds the lock.
enum Step {
    Done,
    /// The file is full; another one has to be opened.
    Full,
}

impl FileAudit {
    /// An audit in this folder, which is made with the first line.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        let state = OpenFiles { open: None, heads: Heads::new(&dir) };
        FileAudit {
            dir,
            max_bytes: DEFAULT_MAX_BYTES,
            keep: DEFAULT_KEEP,
            state: Mutex::new(state),
            patience: disk::PATIENCE,
            held: AtomicBool::new(false),
        }
    }

    /// When a file is full, in bytes. A single line may be larger. Default: 16 MiB.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets how many full files of a session are kept; older ones are removed. Default: 8.
    #[must_use]
    pub fn keep(mut self, files: u64) -> Self {
        self.keep = files;
        self
    }

    fn append_to(&self, session: &str, time: &str, body: &[u8]) -> Result<()> {
        // From here on, and not from when it is our turn: calls that wait side by side give up side by side.
        let until = Instant::now() + self.waits();
        let mut state = self.state.lock();
        let OpenFiles { open: slot, heads } = &mut *state;
        if slot.as_ref().is_some_and(|open| open.session != session) {
            close(slot, heads, time, until)?;
        }
        let mut noted = slot.as_ref().map(|open| open.noted.clone()).unwrap_or_default();
        for _ in 0..ATTEMPTS {
            let open = match slot.take() {
                Some(open) => open,
                None => Open { noted: std::mem::take(&mut noted), ..self.open(session)? },
            };
            let open = slot.insert(open);
            let taken = disk::lock(&open.file, until);
            let held = taken.as_ref().is_err_and(|error| error.kind() == ErrorKind::TimedOut);
            self.held.store(held, Ordering::Relaxed);
            taken?;
            let done = match disk::len_at(&open.file, &open.metadata, &open.path) {
                Ok(Some(len)) => self.locked(open, len, time, body).map(Some),
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            };
            // Still locked, so that a verifying process never sees a line whose head is on its way.
            let noted_head = match &done {
                Ok(Some(Step::Done)) => open.note(heads, time, until, Noted::is_due),
                _ => Ok(()),
            };
            let unlocked = open.file.unlock();
            match done {
                Ok(Some(Step::Done)) => {
                    unlocked?;
                    return noted_head;
                }
                // Renamed by us or by another process: the chain goes on in another file.
                Ok(Some(Step::Full)) => noted = slot.take().map(|open| open.noted).unwrap_or_default(),
                // The same, or removed.
                Ok(None) => *slot = None,
                Err(error) => {
                    *slot = None;
                    return Err(error);
                }
            }
        }
        Err(std::io::Error::other("it was replaced again and again"))
    }

    /// Returns how long the next append waits for the lock.
    fn waits(&self) -> Duration {
        if self.held.load(Ordering::Relaxed) { BRIEFLY } else { self.patience }
    }

    fn open(&self, session: &str) -> Result<Open> {
        let stem = disk::stem(session);
        let path = disk::current(&self.dir, &stem);
        // Made for its owner, and looked at: once for each session.
        private_fs::make_dir(&self.dir)?;
        let file = disk::open(&path)?;
        let metadata = file.metadata()?;
        let noted = Noted::default();
        Ok(Open { session: session.to_owned(), stem, path, file, metadata, known: None, noted })
    }

    /// Appends under the lock to the file, which is so long.
    fn locked(&self, open: &mut Open, len: u64, time: &str, body: &[u8]) -> Result<Step> {
        let known = open.known.take().filter(|(at, _)| *at == len).map(|(_, link)| link);
        let end = match known {
            Some(link) => End::Line(link),
            None => disk::end(&open.file, len)?,
        };
        let note = |event: &str, fields: Value| {
            let mut note = json!({
                "v": LINE_VERSION, "time": time, "gen_ai.conversation.id": open.session, "event": event,
            });
            if let (Some(note), Value::Object(fields)) = (note.as_object_mut(), fields) {
                note.extend(fields);
            }
            note.to_string().into_bytes()
        };
        let mut bytes = Vec::new();
        let mut remove = Vec::new();
        let mut body = Cow::Borrowed(body);
        let before = match end {
            End::Line(_) if len + body.len() as u64 + chain::END as u64 > self.max_bytes => {
                let next = disk::numbers(&self.dir, &open.stem)?.last().map_or(1, |last| last + 1);
                std::fs::rename(&open.path, disk::rotated(&self.dir, &open.stem, next))?;
                return Ok(Step::Full);
            }
            End::Line(link) => Some(link),
            End::Unended(link) => {
                bytes.push(b'\n');
                Some(link)
            }
            // A process that begins a file looks for the one before: the process that renamed that may have been killed since.
            End::Empty => {
                let numbers = disk::numbers(&self.dir, &open.stem)?;
                match numbers.last() {
                    None => {
                        // From here on a session without heads has lost them.
                        body = Cow::Owned(with_heads(&body));
                        None
                    }
                    Some(last) => {
                        let dropped_to = last.saturating_sub(self.keep);
                        remove.extend(numbers.iter().copied().filter(|number| *number <= dropped_to));
                        let before = self.last_link(&open.stem, *last)?;
                        let note = note(ROTATED, json!({ "from": last, "dropped_to": dropped_to }));
                        Some(chain::seal(&mut bytes, &note, before.as_ref()))
                    }
                }
            }
            End::Torn { before, bytes: count, hash } => {
                bytes.push(b'\n');
                let note = note(TORN, json!({ "torn_bytes": count, "torn_hash": hash }));
                Some(chain::seal(&mut bytes, &note, before.as_ref()))
            }
            // Nothing can go on from it. The chain begins anew, and verifying fails at the line for ever.
            End::Strange => {
                if !ends_with_line(&open.file, len)? {
                    bytes.push(b'\n');
                }
                Some(chain::seal(&mut bytes, &note(DAMAGED, json!({})), None))
            }
        };
        let link = chain::seal(&mut bytes, &body, before.as_ref());
        let mut writer = &open.file;
        if let Err(error) = writer.write_all(&bytes) {
            // What was written in part is taken back; where that fails too, the next append finds a torn line.
            let _ = open.file.set_len(len);
            return Err(error);
        }
        open.known = Some((len + bytes.len() as u64, link));
        for number in remove {
            // What stays is removed with the next full file.
            let _ = std::fs::remove_file(disk::rotated(&self.dir, &open.stem, number));
        }
        Ok(Step::Done)
    }

    fn last_link(&self, stem: &str, number: u64) -> Result<Option<Link>> {
        let file = disk::open_to_read(&disk::rotated(&self.dir, stem, number))?;
        let len = file.metadata()?.len();
        Ok(match disk::end(&file, len)? {
            End::Line(link) | End::Unended(link) => Some(link),
            End::Torn { before, .. } => before,
            End::Empty | End::Strange => None,
        })
    }
}

impl Open {
    /// Writes the head of the last line, if that is wanted.
    fn note(
        &mut self,
        heads: &mut Heads,
        time: &str,
        until: Instant,
        wanted: impl FnOnce(&Noted, u64) -> bool,
    ) -> Result<()> {
        let Some((_, link)) = self.known.as_ref().filter(|(_, link)| wanted(&self.noted, link.seq)) else {
            return Ok(());
        };
        heads.note(&self.stem, link, time, until)?;
        self.noted.now_at(link.seq);
        Ok(())
    }
}

/// Is done with a session: its last line gets its head.
fn close(slot: &mut Option<Open>, heads: &mut Heads, time: &str, until: Instant) -> Result<()> {
    slot.take().map_or(Ok(()), |mut open| open.note(heads, time, until, Noted::is_late))
}

impl Drop for FileAudit {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        let OpenFiles { open, heads } = state;
        let time = snaphook_script::time::iso(now()).unwrap_or_default();
        // Verification reports that the head is late.
        let _ = close(open, heads, &time, Instant::now() + BRIEFLY);
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// The first line of a session, which says that there are heads.
fn with_heads(body: &[u8]) -> Vec<u8> {
    let mut bytes = body.strip_suffix(b"}").unwrap_or(body).to_vec();
    bytes.extend_from_slice(b",\"heads\":true}");
    bytes
}

fn ends_with_line(file: &File, len: u64) -> Result<bool> {
    Ok(disk::before(file, len, 1)?.last() == Some(&b'\n'))
}

impl Audit for FileAudit {
    fn append(&self, line: &AuditLine) -> std::result::Result<(), AuditError> {
        let failed =
            |path: &Path, error: &dyn std::fmt::Display| AuditError(format!("{}: {error}", path.display()));
        let mut body = Vec::with_capacity(USUAL_LINE_BYTES);
        serde_json::to_writer(&mut body, line).map_err(|error| failed(&self.dir, &error))?;
        self.append_to(&line.session, &line.time, &body)
            .map_err(|error| failed(&disk::current(&self.dir, &disk::stem(&line.session)), &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file as it is, or locked by another process.
    #[test]
    fn who_waited_in_vain_does_not_wait_as_long_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut audit = FileAudit::new(dir.path());
        audit.patience = BRIEFLY * 2;
        let append = || audit.append_to("s", "", b"{\"a\":1}").map_err(|error| error.kind());
        assert_eq!((append(), audit.waits()), (Ok(()), audit.patience));
        let other = disk::open(&disk::current(dir.path(), "s")).unwrap();
        other.lock().unwrap();
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..3).map(|_| scope.spawn(append)).collect();
            for call in calls {
                assert_eq!(call.join().unwrap(), Err(ErrorKind::TimedOut));
            }
        });
        assert_eq!(audit.waits(), BRIEFLY);
        assert_eq!((append(), audit.waits()), (Err(ErrorKind::TimedOut), BRIEFLY));
        other.unlock().unwrap();
        assert_eq!((append(), audit.waits()), (Ok(()), audit.patience));
        let lines = std::fs::read_to_string(disk::current(dir.path(), "s")).unwrap();
        assert_eq!(lines.lines().count(), 2);
    }
}
