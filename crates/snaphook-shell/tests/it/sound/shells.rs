//! The shells that texts are run in, and how each is called.

use std::path::{Path, PathBuf};

use snaphook_shell::Dialect;

/// A real shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shell {
    Bash,
    /// bash called as `sh`.
    BashSh,
    Dash,
    Busybox,
    Zsh,
    Ksh,
    Mksh,
}

impl Shell {
    pub const ALL: [Self; 7] =
        [Self::Bash, Self::BashSh, Self::Dash, Self::Busybox, Self::Zsh, Self::Ksh, Self::Mksh];
    /// The five that the property is about.
    pub const FIVE: [Self; 5] = [Self::Bash, Self::Dash, Self::Busybox, Self::Zsh, Self::Ksh];

    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::BashSh => "bash-sh",
            Self::Dash => "dash",
            Self::Busybox => "busybox",
            Self::Zsh => "zsh",
            Self::Ksh => "ksh",
            Self::Mksh => "mksh",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shell| shell.name() == name)
    }

    /// The program, as it is called in Debian's packages.
    pub fn program(self) -> &'static str {
        match self {
            Self::Bash | Self::BashSh => "bash",
            other => other.name(),
        }
    }

    /// The arguments in front of the text, with the name that the shell is called by.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Bash => &["bash", "-c"],
            Self::BashSh | Self::Busybox => &["sh", "-c"],
            Self::Dash => &["dash", "-c"],
            // no start-up files: they are not in the text
            Self::Zsh => &["zsh", "-f", "-c"],
            Self::Ksh => &["ksh", "-c"],
            Self::Mksh => &["mksh", "-c"],
        }
    }

    /// Returns whether a text that was read in `dialect` may be given to this shell.
    pub fn speaks(self, dialect: Dialect) -> bool {
        match dialect {
            Dialect::Bash => matches!(self, Self::Bash | Self::Zsh | Self::Ksh),
            Dialect::Sh => true,
        }
    }

    /// The file of the installed program.
    pub fn file(self) -> Option<PathBuf> {
        find_program(self.program())
    }
}

/// A program of the system by its name.
pub fn find_program(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}
