//! Checks of what is held already, by a hold around this one: seen, not believed. Not here: the plan that asks (`plan`).

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatVfsMountFlags, StatxAttributes, StatxFlags, statvfs, statx};

use crate::paths::is_in;
use crate::person::may_change;

fn is_on_read_only_mount(path: &Path) -> bool {
    statvfs(path).is_ok_and(|stat| stat.f_flag.contains(StatVfsMountFlags::RDONLY))
}

fn is_mount(path: &Path) -> bool {
    let stat = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS);
    stat.is_ok_and(|stat| stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Returns whether a place is read-only, and no folder above it can be renamed with it.
pub(crate) fn is_read_only(path: &Path) -> bool {
    is_on_read_only_mount(path) && is_kept(path)
}

/// Returns whether a file, a folder or a link cannot be renamed or removed, nor any folder above it.
pub(crate) fn is_kept(path: &Path) -> bool {
    let is_pinned = |folder: &Path| {
        let parent = folder.parent().unwrap_or(Path::new("/"));
        is_mount(folder) || is_on_read_only_mount(parent) || !may_change(parent)
    };
    path.ancestors().filter(|folder| folder.parent().is_some()).all(is_pinned)
}

/// Returns whether nothing of a place can be read.
pub(crate) fn is_hidden(path: &Path) -> bool {
    if !is_mount(path) || !is_on_read_only_mount(path) {
        return false;
    }
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => fs::File::open(path).is_err(),
    }
}

/// Returns whether every mount that can be written is in one of these places, or is no place for files.
pub(crate) fn writes_only_in(walls: &[PathBuf]) -> bool {
    const NO_FILES: [&str; 3] = ["/dev", "/proc", "/sys"];
    let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else { return false };
    mounts.lines().all(|line| {
        let mut words = line.split(' ').skip(4);
        let (Some(place), Some(options)) = (words.next(), words.next()) else { return false };
        let place = PathBuf::from(unescaped(place));
        options.split(',').any(|option| option == "ro")
            || is_in(walls, &place)
            || NO_FILES.iter().any(|folder| place.starts_with(folder))
    })
}

/// A path of `mountinfo`, where blanks and backslashes are octal numbers.
fn unescaped(text: &str) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let number = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match number.filter(|_| *first == b'\\').and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    std::ffi::OsString::from_vec(bytes)
}

/// Returns whether this network namespace has no interface but its loopback.
pub(crate) fn has_loopback_only() -> bool {
    let devices = fs::read_to_string("/proc/self/net/dev");
    devices.is_ok_and(|text| {
        let names = text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim());
        names.into_iter().all(|name| name == "lo")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_mounts_are_read() {
        assert_eq!(unescaped(r"/a\040b\134c\x"), r"/a b\c\x");
        assert_eq!(unescaped("/a\\04"), "/a\\04");
    }

    #[test]
    fn what_is_not_held_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_read_only(folder.path()) && !is_hidden(folder.path()));
        assert!(!writes_only_in(&["/nothing/of/this/name".into()]));
    }
}
