//! Which names a folder may have, by one look instead of one for each name. Not here: what the names mean (`places`).

use std::path::Path;

/// The names that a folder is known to have.
pub(crate) enum Names {
    /// Every name, as [`fold`](snaphook_script::path::fold) makes it.
    All(Vec<String>),
    /// Anything may be in it.
    Unknown,
}

impl Names {
    /// Lists a folder. It is not known what is in one that cannot be listed at once, or that opens names which it does not list.
    pub(crate) fn of(folder: &Path) -> Self {
        list(folder).map_or(Names::Unknown, Names::All)
    }

    /// Returns whether it may open this name, which is folded. To say yes where it does not costs a look.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        match self {
            Names::All(names) => names.iter().any(|known| known == name),
            Names::Unknown => true,
        }
    }
}

/// Of file systems that list what they open. Not of those of other systems, whose files have second names, of the network, and of
/// programs, which may do as they like.
#[cfg(target_os = "linux")]
const FILE_SYSTEMS: &[i128] = &[
    0xef53,      // ext2 to ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0xf2f5_2010, // F2FS
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
];

/// The number of bytes of names that are read: some 250 names. In more each is looked for by itself, which takes as
/// long.
#[cfg(target_os = "linux")]
const MAX_NAME_BYTES: usize = 8 << 10;

/// Returns whether a folder is on a file system that lists each name that it opens, but for the spelling of letters that are
/// not ASCII.
pub(crate) fn lists_what_it_opens(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        rustix::fs::statfs(folder).is_ok_and(|stat| FILE_SYSTEMS.contains(&i128::from(stat.f_type)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}

#[cfg(target_os = "linux")]
fn list(folder: &Path) -> Option<Vec<String>> {
    use std::mem::MaybeUninit;

    use rustix::fs::{Mode, OFlags, RawDir, fstatfs, open};

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let dir = open(folder, flags, Mode::empty()).ok()?;
    let kind = i128::from(fstatfs(&dir).ok()?.f_type);
    if !FILE_SYSTEMS.contains(&kind) {
        return None;
    }
    let mut buffer = [MaybeUninit::<u8>::uninit(); MAX_NAME_BYTES];
    let mut entries = RawDir::new(&dir, &mut buffer);
    let mut names = Vec::with_capacity(64);
    let mut bytes = 0;
    while let Some(entry) = entries.next() {
        let entry = entry.ok()?;
        let name = entry.file_name().to_bytes();
        // Where case is not told apart, letters may stand for others in more ways than we know.
        if !name.is_ascii() {
            return None;
        }
        bytes += name.len() + 24;
        if bytes > MAX_NAME_BYTES {
            return None;
        }
        names.push(snaphook_script::path::fold(std::str::from_utf8(name).ok()?));
    }
    Some(names)
}

#[cfg(not(target_os = "linux"))]
fn list(_: &Path) -> Option<Vec<String>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_never_denied() {
        let folder = tempfile::tempdir().unwrap();
        let has = |name: &str| Names::of(folder.path()).may_have(name);
        let make = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        assert!(!has(".claude"), "an empty folder has it");
        make(".Claude");
        std::os::unix::fs::symlink("nowhere", folder.path().join(".codex")).unwrap();
        for (name, there) in [(".claude", true), (".codex", true), (".gemini", false)] {
            assert_eq!(has(name), there, "{name}");
        }
        // A name that is not ASCII may be taken for another.
        make("caf\u{e9}");
        assert!(has(".gemini"));
        std::fs::remove_file(folder.path().join("caf\u{e9}")).unwrap();
        assert!(!has(".gemini"));
        for number in 0..300 {
            make(&format!("{number}-of-many-files-in-a-folder"));
        }
        assert!(has(".gemini"), "a folder with very many names");
        assert!(Names::of(&folder.path().join("none")).may_have(".gemini"), "one that cannot be listed");
        assert!(Names::of(Path::new("/proc/self")).may_have(".gemini"), "one of a strange file system");
    }
}
