//! Files of the system whose owner a program checks: in a user namespace root's files belong to nobody, and ssh refuses settings of
//! others. It gets copies that belong to the person. Not here: what is guarded or hidden (`mounts`).

use std::fs;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat};

use super::mounts::{MountedTree, attach, failed, memory, restrict};
use crate::command::Failure;
use crate::person::is_root;

/// Settings that the settings of ssh include.
const SETTINGS: &str = "/etc/ssh/ssh_config.d";

/// Other files that settings include: those of the system, and what they include on Fedora and its kin.
const INCLUDED: [&str; 2] = ["/etc/ssh/ssh_config", "/etc/crypto-policies/back-ends/openssh.config"];

/// The longest file that is copied, in bytes.
const MAX_SETTINGS: u64 = 64 << 10;

/// Replaces root's settings of ssh by copies.
pub(super) fn arrange() -> Result<(), Failure> {
    let folder = Path::new(SETTINGS);
    let entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let included: Vec<PathBuf> = INCLUDED.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    if is_root() || !folder.is_dir() || (entries.is_empty() && included.is_empty()) {
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
    // By names that ssh does not take for settings.
    let name = |number: usize| format!(".included-{number}");
    for (number, path) in included.iter().enumerate() {
        copy(path, name(number).as_ref())?;
    }
    attach(fresh.as_fd(), folder)?;
    restrict(&fresh, folder)?;
    let copies = included.iter().enumerate().map(|(number, path)| (folder.join(name(number)), path));
    for (copy, path) in copies.filter(|(copy, _)| copy.exists()) {
        MountedTree::of(&copy)?.attach(path)?;
    }
    Ok(())
}
