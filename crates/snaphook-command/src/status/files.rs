//! Files of the status folder, replaced in one step. Not here: how private files are made (`snaphook_state::private_fs`).

use std::io::Result;
use std::path::Path;
use std::time::SystemTime;

use snaphook_state::private_fs;

/// Puts a file in the place of another, so that no reader gets half of it. With a time, it is from then.
pub(crate) fn replace(file: &Path, bytes: &[u8], time: Option<SystemTime>) -> Result<()> {
    match time {
        Some(time) => private_fs::replace_dated(file, bytes, time),
        None => private_fs::replace(file, bytes, false),
    }
}
