//! Sockets and pipes of services that would act for a command outside of its hold: containers, the session's bus, terminals,
//! editors. Not here: sockets of the network, which a network namespace holds.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::policy::Surroundings;

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
    "/run/systemd/resolve/io.systemd.*",
    "/run/nscd",
    "/run/cri-dockerd.sock",
    "/run/host-services",
    "/run/WSL",
    "/run/cups/cups.sock",
    "/run/screen",
    "/run/screens",
    "/tmp/.X11-unix/X*",
    "/tmp/screens",
    "/tmp/dbus-*",
    "/tmp/nvim.*",
];

/// Services that ask the network for a command, and are asked by it where it may reach the network.
const OF_NAMES: &[&str] = &["/run/avahi-daemon"];

/// Sockets that a command needs, although they act for it.
const STAY: &[&str] = &["SSH_AUTH_SOCK"];

/// The longest variable that is looked through, in bytes: more is no address of a socket.
const MAX_ADDRESS: usize = 4096;

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
    ".lima/*",
    ".config/Code/*.sock",
    ".config/Code - Insiders/*.sock",
    ".config/Cursor/*.sock",
    ".config/VSCodium/*.sock",
];

/// Temporary files of a person, with the number of the person behind.
const TEMPORARY: &[&str] = &["tmux-", "emacs", "kitty-", "zellij-"];

/// The sockets that may be there, and are; also of services that ask the network, if it is held.
pub(crate) fn that_act_for_others(around: &Surroundings<'_>, uid: u32, holds_net: bool) -> Vec<PathBuf> {
    let Surroundings { home, runtime, variables, .. } = *around;
    let mut found = Vec::new();
    if holds_net {
        OF_NAMES.iter().for_each(|path| look(Path::new(path), &mut found));
    }
    for (name, value) in variables {
        if name == "TMUX_TMPDIR" {
            look(&Path::new(value).join(format!("tmux-{uid}")), &mut found);
        }
        if !STAY.iter().any(|stays| name == stays) {
            found.extend(addresses(value).filter(|path| is_socket(path)));
        }
    }
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

/// The absolute paths in an address, as programs write them: `unix:///run/x`, `unix:path=/run/x,guid=1`, `/tmp/x,1,0`.
fn addresses(value: &OsStr) -> impl Iterator<Item = PathBuf> {
    let text =
        value.to_str().filter(|text| text.len() <= MAX_ADDRESS && text.contains('/')).unwrap_or_default();
    let parts = text.split([',', ';', ':', '=']);
    // Also the whole: the name of a socket may have these characters.
    let whole = text.starts_with('/').then_some(text);
    parts.filter(|part| part.starts_with('/')).chain(whole).map(PathBuf::from)
}

fn is_socket(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = std::fs::metadata(path).map(|metadata| metadata.file_type());
        kind.is_ok_and(|kind| kind.is_socket() || kind.is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
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
        let around = Surroundings {
            home: Some(folder.path()),
            runtime: Some(folder.path()),
            ..Surroundings::default()
        };
        let mut found = that_act_for_others(&around, 4_000_000, false);
        found.retain(|path| path.starts_with(folder.path()));
        found.sort();
        let expected =
            [".docker/run", "bus", "nvim.1.0", "vscode-ipc-1.sock"].map(|name| folder.path().join(name));
        assert_eq!(found, expected);
    }

    #[test]
    #[cfg(unix)]
    fn sockets_that_variables_name_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s,1");
        let _listener = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
        let _odd = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let at = folder.path().join("s").display().to_string();
        for (name, value, expected) in [
            ("TMUX", format!("{at},1,0"), 1),
            ("DOCKER_HOST", format!("unix://{at}"), 1),
            ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={at},guid=1;unix:path=/nowhere"), 1),
            ("ANY", format!("{at},1"), 2),
            ("SSH_AUTH_SOCK", at.clone(), 0),
            ("OTHER", folder.path().display().to_string(), 0),
            ("RELATIVE", "s".to_owned(), 0),
        ] {
            let variables = [(name.into(), value.into())];
            let around = Surroundings { variables: &variables, ..Surroundings::default() };
            let mut found = that_act_for_others(&around, 4_000_000, false);
            found.retain(|path| path.starts_with(folder.path()));
            assert_eq!(found.len(), expected, "{name}: {found:?}");
        }
    }
}
