//! The audit's files: their names, how they are opened and locked, how their end is read. Not here: what is written
//! (`file`), and whether it is right (`verify`).

use std::fs::{File, Metadata, TryLockError};
use std::io::{Error, ErrorKind, Read as _, Result, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use snaphook_discovery::hex;
use snaphook_state::private_fs;

use crate::chain::{self, Link};

/// The time that an append waits for others. Each holds the lock for one small write, so only a process that wants to stop the
/// audit holds it for longer; then the call is denied instead of waiting for ever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The amount that is read at once on the way back through a torn line.
const STEP: usize = 4096;

/// The amount of a session's id that is in its file's name.
const MAX_STEM: usize = 48;

/// The name of the file of the heads. No session's file has one like it.
pub(crate) const HEADS: &str = "heads.chain";

/// The name of a session's file without its ending. Ids come from agents: what is no plain name, and what two file systems
/// would read differently, gets a hash instead.
pub(crate) fn stem(session: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let slug: String = session.chars().take(MAX_STEM).map(|c| if plain(c) { c } else { '-' }).collect();
    // Windows opens a device for each of these.
    let device = matches!(slug.as_str(), "con" | "prn" | "aux" | "nul")
        || (slug.len() == 4 && (slug.starts_with("com") || slug.starts_with("lpt")));
    if slug == session && !slug.is_empty() && !slug.starts_with('-') && !device {
        return slug;
    }
    let digest = Sha256::digest(session.as_bytes());
    let hash = hex(&digest[..8]);
    let shown = slug.trim_matches('-');
    format!("{}-{hash}", if shown.is_empty() { "unnamed" } else { shown })
}

/// The file that is written.
pub(crate) fn current(dir: &Path, stem: &str) -> PathBuf {
    dir.join(format!("{stem}.jsonl"))
}

/// A file that was written before; they are numbered from 1.
pub(crate) fn rotated(dir: &Path, stem: &str, number: u64) -> PathBuf {
    dir.join(format!("{stem}.{number}.jsonl"))
}

/// The session's stem, and the number of a file that was written before.
pub(crate) fn parse_name(name: &str) -> Option<(&str, Option<u64>)> {
    let name = name.strip_suffix(".jsonl")?;
    match name.split_once('.') {
        None => Some((name, None)),
        Some((stem, number)) => Some((stem, Some(number.parse().ok().filter(|number| *number > 0)?))),
    }
}

/// The numbers of a session's earlier files that are there, in order.
pub(crate) fn numbers(dir: &Path, stem: &str) -> Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name();
        if let Some((other, Some(number))) = name.to_str().and_then(parse_name)
            && other == stem
        {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Opens a file to append to, for its owner only.
pub(crate) fn open(path: &Path) -> Result<File> {
    private_fs::options().read(true).append(true).create(true).open(path)
}

/// Opens a file to read. What is no plain file is not opened: a pipe would be waited for.
pub(crate) fn open_to_read(path: &Path) -> Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(Error::other(format!("{}: it is no plain file", path.display())));
    }
    let file = private_fs::options().read(true).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(Error::other(format!("{}: it is no plain file", path.display())))
    }
}

/// Takes the file for itself, by this time at the latest.
pub(crate) fn lock(file: &File, until: Instant) -> Result<()> {
    patiently(until, || file.try_lock())
}

/// Keeps writers out.
pub(crate) fn lock_shared(file: &File) -> Result<()> {
    patiently(Instant::now() + PATIENCE, || file.try_lock_shared())
}

/// Tries until then; once in any case.
fn patiently(
    until: Instant,
    mut attempt: impl FnMut() -> std::result::Result<(), TryLockError>,
) -> Result<()> {
    let mut pause = Duration::from_micros(50);
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Interrupted => return Err(error),
            Err(_) => {}
        }
        if Instant::now() >= until {
            return Err(Error::new(ErrorKind::TimedOut, "another process keeps it locked"));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Returns whether the path still names this file: it may have been renamed or replaced before the lock was there.
///
/// # Errors
/// The path names something that is no file, a link for example: lines could go anywhere.
pub(crate) fn is_at(file: &File, path: &Path) -> Result<bool> {
    Ok(len_at(file, &file.metadata()?, path)?.is_some())
}

/// Returns how long the file is, if the path still names it. `known` is what the system once said of the open file.
///
/// # Errors
/// As [`is_at`].
#[cfg_attr(unix, expect(unused_variables, reason = "as long as it is open no other file has its numbers"))]
pub(crate) fn len_at(file: &File, known: &Metadata, path: &Path) -> Result<Option<u64>> {
    let there = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        there => there?,
    };
    if !there.is_file() {
        return Err(Error::other("it is no plain file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let same = (known.dev(), known.ino()) == (there.dev(), there.ino());
        // It is the file itself that was looked at.
        Ok(same.then_some(there.len()))
    }
    // The standard library names no identity of a file here; a file that took another's place was made later.
    #[cfg(not(unix))]
    {
        let here = file.metadata()?;
        let same = known.created().ok() == there.created().ok() && here.len() == there.len();
        Ok(same.then_some(here.len()))
    }
}

/// One file, as it was at one moment.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name.
    pub(crate) name: String,
    /// The number of a full one.
    pub(crate) number: Option<u64>,
    pub(crate) bytes: Vec<u8>,
}

impl Part {
    /// Reads an open file to its end.
    pub(crate) fn read(path: &Path, number: Option<u64>, file: &mut File) -> Result<Part> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Part { name, number, bytes })
    }
}

/// The way a file ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It has no lines.
    Empty,
    /// With a whole line.
    Line(Link),
    /// With a whole line that lacks its line end only.
    Unended(Link),
    /// Within a line: a process ended, or the power did, while it was written.
    Torn {
        /// The last whole line.
        before: Option<Link>,
        /// The bytes that there are of the torn one, and their hash.
        bytes: u64,
        hash: String,
    },
    /// With a line that snaphook did not write.
    Strange,
}

/// Returns how a file of this length ends.
pub(crate) fn end(file: &File, len: u64) -> Result<End> {
    if len == 0 {
        return Ok(End::Empty);
    }
    let last = before(file, len, chain::END)?;
    if last.last() == Some(&b'\n') {
        return Ok(chain::link_at_end(&last).map_or(End::Strange, End::Line));
    }
    let start = last_line_start(file, len)?;
    let mut torn = Vec::new();
    let mut reader = file;
    reader.seek(SeekFrom::Start(start))?;
    reader.take(len - start).read_to_end(&mut torn)?;
    if let Ok(sealed) = chain::check(&torn) {
        return Ok(End::Unended(sealed.link));
    }
    let before = match start {
        0 => None,
        start => match chain::link_at_end(&before(file, start, chain::END)?) {
            Some(link) => Some(link),
            None => return Ok(End::Strange),
        },
    };
    Ok(End::Torn { before, bytes: len - start, hash: chain::hash_of(&torn) })
}

/// Returns where the line begins that the file ends with.
fn last_line_start(file: &File, len: u64) -> Result<u64> {
    let mut to = len;
    while to > 0 {
        let part = before(file, to, STEP)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(to - (part.len() - at - 1) as u64);
        }
        to -= part.len() as u64;
    }
    Ok(0)
}

/// At most `most` bytes before a place.
pub(crate) fn before(file: &File, place: u64, most: usize) -> Result<Vec<u8>> {
    let count = place.min(most as u64);
    let mut bytes = Vec::with_capacity(usize::try_from(count).unwrap_or(most));
    let mut reader = file;
    reader.seek(SeekFrom::Start(place - count))?;
    reader.take(count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != count {
        return Err(Error::new(ErrorKind::UnexpectedEof, "it became shorter while it was read"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sessions_are_safe_and_tell_sessions_apart() {
        let long = "x".repeat(1000);
        let longer = "x".repeat(1001);
        let ids = [
            "s1",
            "S1",
            "a/b",
            "a\\b",
            "..",
            ".",
            "",
            "-",
            "-rf",
            "a.1",
            "con",
            "com1",
            "ünïcode",
            "x\0y",
            "a b",
            "~",
            &long,
            &longer,
        ];
        let stems: Vec<_> = ids.iter().map(|id| stem(id)).collect();
        for (id, stem) in ids.iter().zip(&stems) {
            assert!(stem.len() <= 80 && !stem.is_empty(), "{id}: {stem}");
            assert!(
                stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_'),
                "{id}: {stem}"
            );
            assert!(!stem.starts_with('-'), "{id}: {stem}");
            assert_eq!(stems.iter().filter(|other| *other == stem).count(), 1, "{id}: {stem}");
            let name = format!("{stem}.jsonl");
            assert_eq!(parse_name(&name), Some((stem.as_str(), None)));
        }
        assert_eq!(stem("s1"), "s1");
        assert_eq!(parse_name("s1.12.jsonl"), Some(("s1", Some(12))));
        for other in ["s1.0.jsonl", "s1.x.jsonl", "s1.json", "s1"] {
            assert_eq!(parse_name(other), None, "{other}");
        }
    }

    #[test]
    fn who_comes_when_the_time_is_up_tries_once() {
        let now = Instant::now();
        for (until, least, most) in [(now, 1, 1), (now + Duration::from_millis(20), 2, usize::MAX)] {
            let mut attempts = 0;
            let said = patiently(until, || {
                attempts += 1;
                Err(TryLockError::WouldBlock)
            });
            assert_eq!(said.unwrap_err().kind(), ErrorKind::TimedOut);
            assert!((least..=most).contains(&attempts), "{attempts}");
        }
        assert!(patiently(now, || Ok(())).is_ok());
    }
}
