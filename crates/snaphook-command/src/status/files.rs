//! Files of the status folder, replaced in one step. Not here: how private files are made (`snaphook_discovery::private`).

use std::io::Result;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use snaphook_discovery::private;

/// Puts a file in the place of another, so that nobody reads half of it. With a time, it is from then.
pub(crate) fn replace(file: &Path, bytes: &[u8], time: Option<SystemTime>) -> Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    let beside = file.with_file_name(name);
    let dated =
        private::written(&beside, bytes).and_then(|new| time.map_or(Ok(()), |time| new.set_modified(time)));
    let done = dated.and_then(|()| std::fs::rename(&beside, file));
    if done.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    done
}
