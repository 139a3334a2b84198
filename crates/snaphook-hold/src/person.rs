//! The person whom this process runs as, and what they may change. Not here: what is guarded from them (`policy`).

use std::path::Path;

/// Returns whether this person may make or replace what is in a folder, or may give themselves the right to.
pub(crate) fn may_change(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        let is_owner = std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.uid() == uid());
        is_owner || is_root() || rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        true
    }
}

pub(crate) fn uid() -> u32 {
    #[cfg(target_os = "linux")]
    {
        static UID: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        *UID.get_or_init(|| rustix::process::geteuid().as_raw())
    }
    #[cfg(not(target_os = "linux"))]
    {
        u32::MAX
    }
}

pub(crate) fn is_root() -> bool {
    uid() == 0
}
