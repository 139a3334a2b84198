//! The mounts of a held command: read-only binds, pins, walls, hidden files, and devices. Not here: the namespace (`namespaces`).

use std::collections::{BTreeSet, HashSet};
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mkdirat, mknodat, symlinkat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};

use crate::command::Failure;
use crate::ffi;
use crate::paths::within;
use crate::person::{is_root, may_change};
use crate::policy::Policy;

const READ_ONLY: u64 = MountAttrFlags::MOUNT_ATTR_RDONLY.bits() as u64;
const NO_DEVICES: u64 = MountAttrFlags::MOUNT_ATTR_NODEV.bits() as u64;
const NO_PROGRAMS: u64 = MountAttrFlags::MOUNT_ATTR_NOEXEC.bits() as u64;

/// Memory that programs share.
const SHARED_MEMORY: &str = "/dev/shm";

/// Arranges all mounts of the policy.
pub(crate) fn arrange(policy: &Policy) -> Result<(), Failure> {
    devices()?;
    let writable = policy
        .inside
        .iter()
        .map(|path| Ok((path, MountedTree::of(path)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    if let Some(walls) = &policy.walls {
        wall(walls, policy.own_memory)?;
    }
    super::owners::arrange()?;
    for path in pins(policy) {
        MountedTree::of(&path)?.attach(&path)?;
    }
    for path in &policy.read_only {
        let tree = MountedTree::of(path)?;
        tree.set(path, READ_ONLY)?;
        tree.attach(path)?;
    }
    for (path, tree) in writable {
        tree.attach(path)?;
    }
    hide(&policy.hidden)?;
    // A link with itself mounted on it leads where it led, and cannot be replaced.
    for link in policy.links.iter().chain(&policy.service_links) {
        MountedTree::of(link)?.attach(link)?;
    }
    // The switches of the kernel, control groups, and the memory and files of processes outside.
    for path in ["/proc", "/sys"] {
        read_only_in_place(Path::new(path))?;
    }
    Ok(())
}

/// A copy of a tree of mounts that is attached nowhere.
pub(super) struct MountedTree(OwnedFd);

impl MountedTree {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE
            | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
        open_tree(CWD, path, flags).map(MountedTree).map_err(failed("bind", path))
    }

    fn set(&self, path: &Path, attributes: u64) -> Result<(), Failure> {
        ffi::set_mount_attributes(self.0.as_fd(), c"", attributes, true).map_err(failed("restrict", path))
    }

    pub(super) fn attach(&self, path: &Path) -> Result<(), Failure> {
        attach(self.0.as_fd(), path)
    }
}

pub(super) fn attach(tree: BorrowedFd<'_>, path: &Path) -> Result<(), Failure> {
    move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).map_err(failed("mount on", path))
}

pub(super) fn failed<E: Into<io::Error>>(step: &str, path: &Path) -> impl FnOnce(E) -> Failure {
    move |error| Failure::step(format!("{step} {}", path.display()), error)
}

fn read_only_in_place(path: &Path) -> Result<(), Failure> {
    let name = CString::new(path.as_os_str().as_bytes())
        .map_err(|error| failed("restrict", path)(io::Error::from(error)))?;
    match ffi::set_mount_attributes(CWD, &name, READ_ONLY, true) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // It is a plain folder, not a mount.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            let tree = MountedTree::of(path)?;
            tree.set(path, READ_ONLY)?;
            tree.attach(path)
        }
        other => other.map_err(failed("restrict", path)),
    }
}

/// Makes everything read-only but these places, and memory that programs share: the machine's, or a fresh one of the command's.
fn wall(walls: &[PathBuf], own_memory: bool) -> Result<(), Failure> {
    let shared = Path::new(SHARED_MEMORY);
    let has_shared = shared.is_dir();
    let machines = Some(shared.to_owned()).filter(|_| has_shared && !own_memory);
    let open: Vec<PathBuf> = walls.iter().cloned().chain(machines).collect();
    let trees =
        open.iter().map(|path| Ok((path, MountedTree::of(path)?))).collect::<Result<Vec<_>, Failure>>()?;
    read_only_in_place(Path::new("/"))?;
    if own_memory && has_shared && !walls.iter().any(|wall| shared.starts_with(wall)) {
        let fresh = memory_with("1777", "50%", NO_DEVICES).map_err(failed("make", shared))?;
        attach(fresh.as_fd(), shared)?;
    }
    trees.into_iter().try_for_each(|(path, tree)| tree.attach(path))
}

/// The folders above guarded and hidden places that could be renamed with the guard in them, outermost first: a later call would
/// not find them by their paths. A mount on each makes the kernel refuse that.
pub(crate) fn pins(policy: &Policy) -> BTreeSet<PathBuf> {
    let (mut pins, mut seen) = (BTreeSet::new(), HashSet::new());
    let links = policy.links.iter().chain(&policy.service_links);
    for guard in policy.read_only.iter().chain(&policy.hidden).chain(links) {
        for folder in guard.ancestors().skip(1) {
            let Some(parent) = folder.parent() else { break };
            // Whoever came by here has seen all that is above.
            if !seen.insert(folder.as_os_str()) {
                break;
            }
            let is_walled = policy.walls.as_ref().is_some_and(|walls| {
                !walls.iter().any(|wall| within(folder, wall) && folder.as_os_str() != wall.as_os_str())
            });
            if !is_walled && may_change(parent) {
                pins.insert(folder.to_owned());
            }
        }
    }
    pins
}

// ---- hidden files ----

/// Covers files so that nobody can open them, and folders so that they are empty.
fn hide(paths: &[PathBuf]) -> Result<(), Failure> {
    // One empty folder for all: making a file system takes longer than mounting it again.
    let mut empty: Option<&Path> = None;
    for path in paths {
        let metadata = fs::symlink_metadata(path).map_err(failed("hide", path))?;
        match empty {
            _ if !metadata.is_dir() => hide_file(path)?,
            Some(empty) => MountedTree::of(empty)?.attach(path)?,
            None => {
                let nothing = memory_with("0", "64k", NO_DEVICES | NO_PROGRAMS | READ_ONLY);
                attach(nothing.map_err(failed("hide", path))?.as_fd(), path)?;
                empty = Some(path);
            }
        }
    }
    Ok(())
}

fn hide_file(path: &Path) -> Result<(), Failure> {
    // A device on a mount without devices: opening it is refused, to root as well.
    let nothing = MountedTree::of(Path::new("/dev/null"))?;
    nothing.set(path, READ_ONLY | NO_DEVICES | NO_PROGRAMS)?;
    nothing.attach(path)
}

/// A file system in memory that is attached nowhere, for files that are no programs.
pub(super) fn memory(mode: &str, size: &str) -> rustix::io::Result<OwnedFd> {
    memory_with(mode, size, NO_DEVICES | NO_PROGRAMS)
}

/// Makes a file system in memory read-only.
pub(super) fn restrict(memory: &OwnedFd, path: &Path) -> Result<(), Failure> {
    ffi::set_mount_attributes(memory.as_fd(), c"", READ_ONLY, false).map_err(failed("restrict", path))
}

fn memory_with(mode: &str, size: &str, attributes: u64) -> rustix::io::Result<OwnedFd> {
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(context.as_fd(), "mode", mode)?;
    fsconfig_set_string(context.as_fd(), "size", size)?;
    fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::from_bits_retain(attributes as u32) | MountAttrFlags::MOUNT_ATTR_NOSUID;
    fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

// ---- devices ----

/// Names of devices, and beginnings of names, that are no way to the disks, the memory, the keyboard or the kernel.
const DEVICES: &[&str] = &[
    "null",
    "zero",
    "full",
    "random",
    "urandom",
    "tty",
    "ptmx",
    "pts",
    "shm",
    "mqueue",
    "hugepages",
    "fd",
    "stdin",
    "stdout",
    "stderr",
    "log",
    "net",
    "fuse",
    "kvm",
    "kfd",
    "dri",
    "snd",
    "dma_heap",
    "infiniband",
];
const DEVICES_BEGIN: &[&str] = &["nvidia", "accel", "dxg", "video"];

/// Replaces `/dev` by one without disks for whoever could write those: neither a mount nor Landlock holds what is written to
/// a device.
fn devices() -> Result<(), Failure> {
    let dev = Path::new("/dev");
    if !reaches_disks(dev) {
        return Ok(());
    }
    let entries = fs::read_dir(dev).map_err(failed("read", dev))?;
    let (mut trees, mut links) = (Vec::new(), Vec::new());
    let terminals = super::streams::terminals();
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let text = name.to_string_lossy();
        let is_terminal = terminals.contains(&path);
        if !(is_terminal
            || DEVICES.contains(&&*text)
            || DEVICES_BEGIN.iter().any(|begin| text.starts_with(begin)))
        {
            continue;
        }
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            links.push((name, fs::read_link(&path).map_err(failed("read", &path))?));
        } else if name == "ptmx" && is_root() {
            // The device finds the terminals beside itself, where it was made.
            links.push((name, "pts/ptmx".into()));
        } else if !kind.is_block_device() {
            trees.push((name, kind.is_dir(), MountedTree::of(&path)?));
        }
    }
    let fresh = memory_with("0755", "64k", NO_PROGRAMS).map_err(failed("make", dev))?;
    for (name, target) in &links {
        symlinkat(target, &fresh, name).map_err(failed("make", dev))?;
    }
    for (name, is_folder, _) in &trees {
        let made = if *is_folder {
            mkdirat(&fresh, name, Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH)
        } else {
            mknodat(&fresh, name, FileType::RegularFile, Mode::RUSR | Mode::WUSR, 0)
        };
        made.map_err(failed("make", dev))?;
    }
    attach(fresh.as_fd(), dev)?;
    trees.iter().try_for_each(|(name, _, tree)| tree.attach(&dev.join(name)))?;
    restrict(&fresh, dev)
}

/// Returns whether this person could write a disk.
fn reaches_disks(dev: &Path) -> bool {
    is_root()
        || fs::read_dir(dev).into_iter().flatten().flatten().any(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_block_device())
                && rustix::fs::access(entry.path(), rustix::fs::Access::WRITE_OK).is_ok()
        })
}

/// Mounts something, to see whether that is allowed.
pub(crate) fn try_one() -> Result<(), Failure> {
    let tree = MountedTree::of(Path::new("/proc"))?;
    tree.set(Path::new("/proc"), READ_ONLY)?;
    tree.attach(Path::new("/proc"))
}
