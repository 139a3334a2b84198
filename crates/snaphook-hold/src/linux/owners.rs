//! Files of the system whose owner a program checks: in a user namespace root's files belong to nobody, and ssh refuses settings of
//! others. It gets copies that belong to the person. Not here: what is guarded or hidden (`mounts`).

use std::fs;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat};

use super::mounts::{MountedTree, attach, failed, memory, restrict};
use crate::command::Failure;
use crate::policy::is_root;

/// Settings that the settings of ssh include.
const SETTINGS: &str = "/etc/ssh/ssh_config.d";

/// A file that those include, on Fedora and its kin.
const INCLUDED: &str = "/etc/crypto-policies/back-ends/openssh.config";

/// The name of its copy, which ssh does not take for one of the settings.
const COPY: &str = ".included";

/// The longest file that is copied, in bytes.
const MAX_SETTINGS: u64 = 64 << 10;

/// Replaces root's settings of ssh by copies.
pub(super) fn arrange() -> Result<(), Failure> {
    let folder = Path::new(SETTINGS);
    let entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    if is_root() || entries.is_empty() {
        return Ok(());
    }
    let fresh = memory("0755", "1m").map_err(failed("copy to", folder))?;
    let copy = |from: &Path, name: &std::ffi::OsStr| -> Result<(), Failure> {
        let is_small = fs::metadata(from).is_ok_and(|file| file.is_file() && file.len() <= MAX_SETTINGS);
        let Some(text) = is_small.then(|| fs::read(from).ok()).flatten() else { return Ok(()) };
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        let file = openat(&fresh, name, OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, mode);
        let mut file = fs::File::from(file.map_err(failed("copy", from))?);
        file.write_all(&text).map_err(failed("copy", from))
    };
    for entry in &entries {
        copy(entry, entry.file_name().unwrap_or_default())?;
    }
    let included = fs::canonicalize(INCLUDED).ok();
    if let Some(included) = &included {
        copy(included, COPY.as_ref())?;
    }
    attach(fresh.as_fd(), folder)?;
    restrict(&fresh, folder)?;
    match included {
        Some(included) if folder.join(COPY).exists() => {
            MountedTree::of(&folder.join(COPY))?.attach(&included)
        }
        _ => Ok(()),
    }
}
