//! The marker file: when the project was looked at last, and what was dirty then.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use snaphook_state::{plain_fs, private_fs};

use super::stamp::{Stamp, nanos};

/// The longest marker that is read, in bytes.
const MAX_MARKER_BYTES: u64 = 256 << 20;

/// The first line of a marker that we made.
const OURS: &str = "snaphook 1";

/// When the project was looked at, and what was dirty then. The file's own time is that moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Marker {
    /// The moment.
    pub time: SystemTime,
    /// Since when files count as dirty where git cannot say which are.
    pub since: Option<SystemTime>,
    /// A hash of the project's path, in snaphook's markers.
    pub(super) project: Option<u64>,
    /// The dirty files; `None` in a marker of another program. Without a stamp: it was deleted.
    pub(super) known: Option<BTreeMap<Vec<u8>, Option<Stamp>>>,
}

impl Marker {
    /// A marker for a beginning: everything that is dirty is new, but what is older does not count as dirty where git cannot
    /// be asked.
    pub fn beginning(root: &Path, now: SystemTime) -> Self {
        Marker { time: now, since: Some(now), project: Some(project(root)), known: Some(BTreeMap::new()) }
    }

    /// Reads the marker of a project; `None` where there is none, or one of another project: a session may go from one to
    /// another.
    ///
    /// # Errors
    /// Those of the system.
    pub fn read(path: &Path, root: &Path) -> Result<Option<Self>> {
        let (bytes, time) = match plain_fs::read(path, MAX_MARKER_BYTES) {
            Ok(bytes) => (bytes, std::fs::metadata(path)?.modified()?),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut marker = Marker { time, since: None, project: None, known: None };
        marker.fill(&bytes);
        Ok(Some(marker).filter(|marker| marker.project.is_none_or(|kept| kept == project(root))))
    }

    /// Puts the marker in its place in one step.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write(&self, path: &Path) -> Result<()> {
        private_fs::replace_dated(path, &self.to_bytes(), self.time)
    }

    /// Returns whether a dirty file is new.
    pub(super) fn is_new(&self, raw: &[u8], stamp: Option<&Stamp>, path: &dyn Fn() -> PathBuf) -> bool {
        match (&self.known, stamp) {
            // It was not noted what was deleted.
            (None, None) => true,
            (None, Some(stamp)) => stamp.not_before(self.time),
            (Some(known), stamp) => match (known.get(raw), stamp) {
                (None, _) => true,
                (Some(before), now) => match (before, now) {
                    (None, None) => false,
                    (Some(before), Some(now)) => now.differs_from(before, path),
                    _ => true,
                },
            },
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let since = self.since.map_or("-".to_owned(), |since| nanos(since).to_string());
        let mut bytes = format!("{OURS} {} {since}\n", self.project.unwrap_or_default()).into_bytes();
        for (raw, stamp) in self.known.iter().flatten() {
            let text = match stamp {
                None => "-".to_owned(),
                Some(Stamp { modified, changed, length, hash }) => {
                    let hash = hash.map(|hash| format!(",{hash}")).unwrap_or_default();
                    format!("{modified},{changed},{length}{hash}")
                }
            };
            bytes.extend(text.as_bytes());
            bytes.push(b' ');
            bytes.extend(raw);
            bytes.push(0);
        }
        bytes
    }

    /// Reads snaphook's marker. One of another program, or a damaged one, has its time only.
    fn fill(&mut self, bytes: &[u8]) {
        let Some(line) = bytes.iter().position(|byte| *byte == b'\n') else { return };
        let (head, rest) = (bytes.get(..line).unwrap_or_default(), bytes.get(line + 1..).unwrap_or_default());
        let head =
            std::str::from_utf8(head).ok().and_then(|head| head.strip_prefix(OURS)?.trim().split_once(' '));
        let Some((project, since)) = head.and_then(|(project, since)| Some((project.parse().ok()?, since)))
        else {
            return;
        };
        let records = rest.strip_suffix(&[0]).unwrap_or(rest).split(|byte| *byte == 0);
        let known: Option<BTreeMap<_, _>> = records.filter(|one| !one.is_empty()).map(record).collect();
        if let Some(known) = known {
            self.project = Some(project);
            self.since = since.parse().ok().and_then(time);
            self.known = Some(known);
        }
    }
}

pub(super) fn project(root: &Path) -> u64 {
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let mut hasher = DefaultHasher::new();
    hasher.write(root.as_os_str().as_encoded_bytes());
    hasher.finish()
}

fn record(bytes: &[u8]) -> Option<(Vec<u8>, Option<Stamp>)> {
    let space = bytes.iter().position(|byte| *byte == b' ')?;
    let (text, raw) = (std::str::from_utf8(bytes.get(..space)?).ok()?, bytes.get(space + 1..)?);
    if text == "-" {
        return Some((raw.to_owned(), None));
    }
    let mut parts = text.split(',');
    let mut number = || parts.next()?.parse::<i128>().ok();
    let (modified, changed, length) = (number()?, number()?, u64::try_from(number()?).ok()?);
    let hash = match parts.next() {
        Some(hash) => Some(hash.parse().ok()?),
        None => None,
    };
    Some((raw.to_owned(), Some(Stamp { modified, changed, length, hash })))
}

fn time(nanos: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_nanos(nanos))
}
