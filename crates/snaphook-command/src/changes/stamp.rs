//! The stamp of a file, by which a change is seen.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use snaphook_state::plain_fs;

/// The longest file that is read for its hash.
const MAX_HASHED_BYTES: u64 = 16 << 20;

/// Times, length, and where these could miss a change, a hash of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// When the content was written, in nanoseconds since 1970.
    pub(super) modified: i128,
    /// When the entry was changed; 0 where the system does not know.
    pub(super) changed: i128,
    pub(super) length: u64,
    /// Of a file that may have been written in the very tick in which it was looked at.
    pub(super) hash: Option<u64>,
}

impl Stamp {
    /// Returns what a file is now; `None` where there is none. Links are not followed.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let known = std::fs::symlink_metadata(path).ok()?;
        let mut stamp = Stamp::plain(&known);
        if stamp.may_be_of_this_tick(SystemTime::now()) {
            stamp.hash = hash(path, &known);
        }
        Some(stamp)
    }

    fn plain(known: &Metadata) -> Self {
        let modified = known.modified().map(nanos).unwrap_or_default();
        Stamp { modified, changed: changed(known), length: known.len(), hash: None }
    }

    /// Returns whether the file is another one than that of which `before` was kept. `path` is asked only where a
    /// hash has to be made.
    pub(super) fn differs_from(&self, before: &Stamp, path: &dyn Fn() -> std::path::PathBuf) -> bool {
        if (self.modified, self.changed, self.length) != (before.modified, before.changed, before.length) {
            return true;
        }
        let Some(kept) = before.hash else {
            // A file of that tick that has no hash is too long for one, or no file at all.
            return false;
        };
        let path = path();
        std::fs::symlink_metadata(&path).ok().and_then(|known| hash(&path, &known)) != Some(kept)
    }

    /// Returns whether the file is not older than this moment, as far as the file system's clock can tell the two
    /// apart.
    pub(super) fn not_before(&self, moment: SystemTime) -> bool {
        self.latest() + self.tick() >= nanos(moment)
    }

    fn may_be_of_this_tick(&self, now: SystemTime) -> bool {
        self.latest() + self.tick() >= nanos(now)
    }

    fn latest(&self) -> i128 {
        self.modified.max(self.changed)
    }

    /// Returns how coarse the file's times are: whole seconds are those of a file system that keeps no others, two of
    /// them for FAT. Where there are fractions, they may still be those of the kernel's last tick, of which there are
    /// a hundred a second at least.
    fn tick(&self) -> i128 {
        const SECOND: i128 = 1_000_000_000;
        if self.modified % SECOND == 0 && self.changed % SECOND == 0 { 2 * SECOND } else { SECOND / 50 }
    }
}

/// Since 1970.
pub(super) fn nanos(time: SystemTime) -> i128 {
    let positive = |length: Duration| i128::try_from(length.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => positive(since),
        Err(before) => -positive(before.duration()),
    }
}

#[cfg(unix)]
fn changed(known: &Metadata) -> i128 {
    use std::os::unix::fs::MetadataExt as _;
    i128::from(known.ctime()) * 1_000_000_000 + i128::from(known.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> i128 {
    0
}

fn hash(path: &Path, known: &Metadata) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    if known.is_symlink() {
        hasher.write(std::fs::read_link(path).ok()?.as_os_str().as_encoded_bytes());
        return Some(hasher.finish());
    }
    if !known.is_file() || known.len() > MAX_HASHED_BYTES {
        return None;
    }
    let mut file = plain_fs::open(path).ok()?.take(MAX_HASHED_BYTES);
    let mut part = vec![0; 64 << 10];
    loop {
        match file.read(&mut part).ok()? {
            0 => return Some(hasher.finish()),
            length => hasher.write(part.get(..length)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a coarse clock, a second change in the same tick shows only in the content.
    #[test]
    fn a_second_change_in_the_same_tick_is_seen_by_its_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, "one").unwrap();
        let before = Stamp::of(&path).unwrap();
        assert!(before.hash.is_some(), "it was written just now");
        let same = || Stamp { hash: None, ..before.clone() };
        assert!(!same().differs_from(&before, &|| path.clone()));
        std::fs::write(&path, "two").unwrap();
        assert!(same().differs_from(&before, &|| path.clone()));
        // An old file is not read.
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(3600)).unwrap();
        assert!(Stamp::of(&path).unwrap().hash.is_some(), "from the future: not known");
        let old = Stamp { modified: 1_500_000_001, changed: 1_500_000_001, ..before };
        assert!(!old.may_be_of_this_tick(SystemTime::now()));
    }

    /// Whole seconds are a coarse clock's.
    #[test]
    fn times_are_compared_as_fine_as_they_are() {
        const SECOND: i128 = 1_000_000_000;
        let moment = UNIX_EPOCH + Duration::from_nanos(100_500_000_000);
        let stamp = |nanos| Stamp { modified: nanos, changed: 0, length: 0, hash: None };
        for (nanos, expected) in [
            (100 * SECOND, true),
            (99 * SECOND, true),
            (98 * SECOND, false),
            (100 * SECOND + 490_000_000, true),
            (100 * SECOND + 470_000_000, false),
            (101 * SECOND + 1, true),
        ] {
            assert_eq!(stamp(nanos).not_before(moment), expected, "{nanos}");
        }
    }
}
