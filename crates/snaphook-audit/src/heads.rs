//! The heads: one file beside those of the sessions, `heads.chain`, which notes how far each session was, and is a chain itself. So a
//! session's file that is gone, cut at its end or written anew is noticed. Writing it; not here: reading it (`heads_log`).
//!
//! A head is written behind the line that it notes, never before: a process that is killed leaves a head that is late, which is no
//! sign of anything. It costs about as much as a line, so not every line has one: the first that a process writes of a session has,
//! then one of [`EVERY`] or the first after [`HEAD_INTERVAL`], and the last when the audit is closed.

use std::fs::{File, Metadata};
use std::io::{Error, Result, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook_state::private_fs;

use crate::chain::{self, Link};
use crate::disk::{self, End, HEADS};
use crate::events::{DAMAGED, HEAD, SHORTENED, TORN};
use crate::heads_log;
use crate::line::LINE_VERSION;

/// The number of lines of a session that may be without a head.
const EVERY: u64 = 64;

/// The time after which a line has a head again.
const HEAD_INTERVAL: Duration = Duration::from_secs(1);

/// The length that the file may become, in bytes: some 20,000 heads. Then only the last head of each session is kept.
const MAX_BYTES: u64 = 4 << 20;

/// The length that it has to gain before it is tried again, in bytes.
const TRIED_EVERY: u64 = 64 << 10;

/// The length of its first line at most, in bytes.
const FIRST: u64 = 4096;

/// The number of times that the file may be replaced under an append before it gives up.
const ATTEMPTS: u32 = 100;

/// The place where the heads are written.
#[derive(Debug)]
pub(crate) struct Heads {
    path: PathBuf,
    open: Option<Open>,
    max_bytes: u64,
}

#[derive(Debug)]
struct Open {
    file: File,
    metadata: Metadata,
    /// The place where our last line ends, and what it is.
    known: Option<(u64, Link)>,
}

/// The progress of a session's heads in this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Noted {
    /// The last line with a head, and when it was written.
    last: Option<(u64, Instant)>,
}

impl Noted {
    /// Returns whether a line that was just written gets a head.
    pub(crate) fn is_due(&self, line: u64) -> bool {
        match self.last {
            None => true,
            Some((noted, at)) => line >= noted + EVERY || at.elapsed() >= HEAD_INTERVAL,
        }
    }

    /// Returns whether the last line has none.
    pub(crate) fn is_late(&self, line: u64) -> bool {
        self.last.is_some_and(|(noted, _)| noted < line)
    }

    pub(crate) fn now_at(&mut self, line: u64) {
        self.last = Some((line, Instant::now()));
    }
}

impl Heads {
    pub(crate) fn new(dir: &Path) -> Self {
        Heads { path: dir.join(HEADS), open: None, max_bytes: MAX_BYTES }
    }

    /// Notes how far a session is.
    pub(crate) fn note(&mut self, stem: &str, line: &Link, time: &str, until: Instant) -> Result<()> {
        let failed = |error: Error| Error::new(error.kind(), format!("{}: {error}", self.path.display()));
        let head = head(stem, line.seq, &line.hash, time);
        for _ in 0..ATTEMPTS {
            let open = match self.open.take() {
                Some(open) => open,
                None => open(&self.path).map_err(failed)?,
            };
            let mut open = open;
            disk::lock(&open.file, until).map_err(failed)?;
            let done = match disk::len_at(&open.file, &open.metadata, &self.path) {
                // Another process wrote it anew, or it was removed.
                Ok(None) => continue,
                Ok(Some(len)) => append(&mut open, len, &head),
                Err(error) => Err(error),
            };
            let done = done.and_then(|(before, len)| {
                // Not with each head, where it stays long.
                let is_tried = len > self.max_bytes && before / TRIED_EVERY != len / TRIED_EVERY;
                if is_tried { shorten(&self.path, &open.file, len, time) } else { Ok(()) }
            });
            let unlocked = open.file.unlock();
            done.and(unlocked).map_err(failed)?;
            self.open = Some(open);
            return Ok(());
        }
        Err(failed(Error::other("it was replaced again and again")))
    }
}

fn head(stem: &str, seq: u64, hash: &str, time: &str) -> Vec<u8> {
    let head = json!({
        "v": LINE_VERSION, "time": time, "event": HEAD, "file": stem, "lines": seq, "last": hash,
    });
    head.to_string().into_bytes()
}

fn open(path: &Path) -> Result<Open> {
    let file = disk::open(path)?;
    let metadata = file.metadata()?;
    Ok(Open { file, metadata, known: None })
}

/// Appends under the lock, and says how long the file was and is.
fn append(open: &mut Open, len: u64, head: &[u8]) -> Result<(u64, u64)> {
    let known = open.known.take().filter(|(at, _)| *at == len).map(|(_, link)| link);
    let end = match known {
        Some(link) => End::Line(link),
        None => disk::end(&open.file, len)?,
    };
    let mut bytes = Vec::new();
    let before = match end {
        End::Empty => None,
        End::Line(link) => Some(link),
        End::Unended(link) => {
            bytes.push(b'\n');
            Some(link)
        }
        End::Torn { before, bytes: count, hash } => {
            bytes.push(b'\n');
            let note = note(TORN, json!({ "torn_bytes": count, "torn_hash": hash }));
            Some(chain::seal(&mut bytes, &note, before.as_ref()))
        }
        // As in a session's file: verifying fails there for ever.
        End::Strange => {
            if disk::before(&open.file, len, 1)?.last() != Some(&b'\n') {
                bytes.push(b'\n');
            }
            Some(chain::seal(&mut bytes, &note(DAMAGED, json!({})), None))
        }
    };
    let link = chain::seal(&mut bytes, head, before.as_ref());
    let mut writer = &open.file;
    if let Err(error) = writer.write_all(&bytes) {
        let _ = open.file.set_len(len);
        return Err(error);
    }
    let now = len + bytes.len() as u64;
    open.known = Some((now, link));
    Ok((len, now))
}

fn note(event: &str, fields: Value) -> Vec<u8> {
    let mut note = json!({ "v": LINE_VERSION, "event": event });
    if let (Some(note), Value::Object(fields)) = (note.as_object_mut(), fields) {
        note.extend(fields);
    }
    note.to_string().into_bytes()
}

/// Writes the file anew with the last head of each session, if that makes it half as long. Its first line has the hash of the last
/// one before. One that does not hold stays as it is: it is evidence.
fn shorten(path: &Path, file: &File, len: u64, time: &str) -> Result<()> {
    // With very many sessions it would be as long again at once.
    let first = disk::before(file, len.min(FIRST), usize::try_from(FIRST).unwrap_or(usize::MAX))?;
    if heads_log::shortened_to(&first).is_some_and(|size| len < 2 * size) {
        return Ok(());
    }
    let known = heads_log::parse(&disk::before(file, len, usize::MAX)?);
    let Some((seq, hash)) = known.verified.last.clone().filter(|_| known.verified.bad.is_none()) else {
        return Ok(());
    };
    let heads: Vec<Vec<u8>> = known
        .sessions
        .iter()
        .filter_map(|(stem, heads)| {
            let (seq, hash) = heads.iter().max_by_key(|(seq, _)| *seq)?;
            Some(head(stem, *seq, hash, time))
        })
        .collect();
    let size = heads.iter().map(|head| head.len() as u64 + 300).sum::<u64>();
    let mut bytes = Vec::new();
    let mut link = chain::seal(
        &mut bytes,
        &note(SHORTENED, json!({ "time": time, "from_lines": seq, "from": hash, "size": size })),
        None,
    );
    for head in heads {
        link = chain::seal(&mut bytes, &head, Some(&link));
    }
    // Where it cannot be written it is tried again later: the head itself is in the old one.
    let _ = private_fs::replace(path, &bytes, false);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(seq: u64) -> Link {
        Link { seq, hash: chain::hash_of(seq.to_string().as_bytes()) }
    }

    #[test]
    fn a_long_file_keeps_the_last_head_of_each_session() {
        let dir = tempfile::tempdir().unwrap();
        let mut heads = Heads { max_bytes: 100_000, ..Heads::new(dir.path()) };
        let file = dir.path().join(HEADS);
        let until = || Instant::now() + disk::PATIENCE;
        let mut shortened = 0;
        let mut before = 0;
        for seq in 1..=2000 {
            heads.note(["a", "b"][seq as usize % 2], &link(seq), "t", until()).unwrap();
            let len = std::fs::metadata(&file).unwrap().len();
            shortened += u32::from(len < before);
            before = len;
        }
        assert!(shortened > 1, "{shortened}");
        let known = heads_log::parse(&std::fs::read(&file).unwrap());
        assert_eq!(known.verified.bad, None);
        assert!(known.verified.notes[0].contains("was shortened"), "{:?}", known.verified.notes);
        let last = |name: &str| known.sessions[name].last().cloned();
        assert_eq!(last("a"), Some((2000, link(2000).hash)));
        assert_eq!(last("b"), Some((1999, link(1999).hash)));
        // One that does not hold is left as it is.
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[10] ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        for seq in 2001..3000 {
            heads.note("a", &link(seq), "t", until()).unwrap();
        }
        let after = std::fs::read(&file).unwrap();
        assert_eq!(after[..bytes.len()], bytes);
        assert_eq!(heads_log::parse(&after).verified.bad.unwrap().line, 1);
    }

    #[test]
    fn heads_are_due_at_first_and_then_now_and_then() {
        let mut noted = Noted::default();
        assert!(noted.is_due(1) && !noted.is_late(1));
        noted.now_at(5);
        assert!(!noted.is_due(6) && noted.is_late(6) && !noted.is_late(5));
        assert!(noted.is_due(5 + EVERY));
        noted.last = noted.last.map(|(line, at)| (line, at.checked_sub(HEAD_INTERVAL).unwrap()));
        assert!(noted.is_due(6));
    }
}
