//! Tries what this machine can hold, on the system at hand. Not here: what was found (`support`), and how Linux is tried
//! (`linux::probe`).

use crate::support::Support;

impl Support {
    /// Tries what this machine can hold, each in a process of its own. The process that asks stays as it is.
    pub fn probe() -> Self {
        #[cfg(target_os = "linux")]
        return crate::linux::probe();
        #[cfg(target_os = "macos")]
        return Self::none("macOS holds a command by sandbox-exec");
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        Self::none("this system cannot hold a command")
    }
}
