//! Sockets and pipes of services that would act for a command outside of its hold: containers, the session's bus, terminals,
//! editors. Not here: sockets of the network, which a network namespace holds.

use std::path::{Path, PathBuf};

/// Whole folders and single sockets, wherever they are there. `*` at the end stands for any rest of the name.
const OF_THE_SYSTEM: &[&str] = &[
    "/run/docker.sock",
    "/run/docker",
    "/var/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/buildkit",
    "/run/k3s",
    "/run/libvirt",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/run/snapd.socket",
    "/run/snapd-snap.socket",
    "/run/dbus",
    "/run/systemd/private",
    "/run/systemd/io.systemd.*",
    "/run/systemd/machine",
    "/run/initctl",
    "/dev/initctl",
    "/run/acpid.socket",
    "/run/cups/cups.sock",
    "/run/screen",
    "/run/screens",
    "/tmp/.X11-unix/X*",
    "/tmp/screens",
];

/// Below the folder for sockets of a person.
const OF_A_PERSON: &[&str] = &[
    "bus",
    "dbus-1",
    "systemd",
    "docker.sock",
    "docker",
    "podman",
    "containerd*",
    "buildkit",
    "libvirt",
    "emacs",
    "nvim*",
    "kitty*",
    "wezterm",
    "tmux*",
    "screen*",
    "zellij",
    "vscode-*",
    "wayland-*",
    "sway-ipc*",
    "i3",
    "hypr",
    "keyring",
    "kdeinit*",
    "at-spi",
];

/// Below the home folder.
const OF_HOME: &[&str] = &[
    ".docker/run",
    ".docker/desktop",
    ".colima/*",
    ".orbstack/run",
    ".rd/*.sock",
    ".screen",
    ".local/share/containers/podman/machine",
];

/// Temporary files of a person, with the number of the person behind.
const TEMPORARY: &[&str] = &["tmux-", "emacs", "kitty-", "zellij-"];

/// The sockets that may be there, and are.
pub(crate) fn that_act_for_others(home: Option<&Path>, runtime: Option<&Path>, uid: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in OF_THE_SYSTEM {
        look(Path::new(path), &mut found);
    }
    let usual = PathBuf::from(format!("/run/user/{uid}"));
    for folder in [Some(&*usual), runtime.filter(|folder| *folder != usual)].into_iter().flatten() {
        if folder.is_dir() {
            OF_A_PERSON.iter().for_each(|name| look(&folder.join(name), &mut found));
        }
    }
    if let Some(home) = home {
        OF_HOME.iter().for_each(|name| look(&home.join(name), &mut found));
    }
    for name in TEMPORARY {
        look(&Path::new("/tmp").join(format!("{name}{uid}")), &mut found);
    }
    look(Path::new("/tmp/vscode-*"), &mut found);
    found
}

fn look(path: &Path, found: &mut Vec<PathBuf>) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((start, end)) = name.split_once('*') else {
        if std::fs::symlink_metadata(path).is_ok() {
            found.push(path.to_owned());
        }
        return;
    };
    let entries = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    for entry in entries.into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(start) && name.ends_with(end)) {
            found.push(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_a_person_are_found() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bus", "nvim.1.0", "pulse", "vscode-ipc-1.sock"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir_all(folder.path().join(".docker/run")).unwrap();
        let mut found = that_act_for_others(Some(folder.path()), Some(folder.path()), 4_000_000);
        found.retain(|path| path.starts_with(folder.path()));
        found.sort();
        let expected =
            [".docker/run", "bus", "nvim.1.0", "vscode-ipc-1.sock"].map(|name| folder.path().join(name));
        assert_eq!(found, expected);
    }
}
