//! Hooks that are programs: executables, startup, checks of files, lifecycle files, git. Here: what their tests share.

#[cfg(unix)]
mod compat;
#[cfg(unix)]
mod discobot;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod guide;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod import;
#[cfg(unix)]
mod lifecycle;
mod rows;
#[cfg(unix)]
mod startup;

mod status;
mod stop;

use std::path::PathBuf;

use crate::support::Sandbox;

/// Writes an executable hook: its path in the place, its front matter without leaders, its shell text.
pub fn executable(place: &Sandbox, name: &str, matter: &str, shell: &str) -> PathBuf {
    let matter: String = matter.lines().map(|line| format!("# {}\n", line.trim())).collect();
    program(place, name, format!("#!/bin/sh\n#---\n{matter}#---\n{shell}\n"))
}

/// Writes a file that may be executed.
pub fn program(place: &Sandbox, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = place.write(name, text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    path
}
