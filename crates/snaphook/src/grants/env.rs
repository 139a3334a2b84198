//! Environment variables: which a script may see and set, and which its processes get.

use std::ffi::{OsStr, OsString};

use snaphook_core::{ServiceError, Severity, env_name};
use snaphook_discovery::printable;

use super::Remark;
use super::asker::{Asker, entry_text};

/// The variables that every process of a script gets beside what is granted, where the host has them. No tokens, and
/// nothing that makes a program run another one. `LC_` stands for all names that begin so; `PATH` is cleaned first.
pub const CHILD_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    // Which repository and which index: git sets them for its hooks, and `git` in a hook for `pre_commit` has to see the same.
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_WORK_TREE",
];

/// The variables that Windows programs need beside these.
const WINDOWS_VARIABLES: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// The prefixes of variables that the loader of every program obeys: with these any granted program is any program,
/// so no grant reaches them.
const LOADER_PREFIXES: &[&str] = &["LD_", "DYLD_"];

/// The granted names.
pub(super) struct Variables(Vec<String>);

impl Variables {
    /// Reads the names, and reports those that allow nothing.
    pub(super) fn new(names: &[String], remarks: &mut Vec<Remark>) -> Self {
        for name in names {
            let grant = || format!("the grant `env: [{}]`", entry_text(name));
            if let Err(wrong) = env_name(name) {
                remarks.push((Severity::Warning, format!("{} allows nothing: {wrong}", grant())));
            } else if is_loader(OsStr::new(name)) {
                let text = format!("{} is for reading only: no process of a hook gets {name}", grant());
                remarks.push((Severity::Warning, text));
            }
        }
        Variables(names.to_vec())
    }

    /// Checks whether this one may be seen.
    ///
    /// # Errors
    /// The grant that is missing.
    pub(super) fn allow(&self, asker: &Asker, name: &str) -> Result<(), ServiceError> {
        if env_name(name).is_err() {
            asker.note("env", &printable(name), true);
            return Err(ServiceError(format!("`{}` is no name of an environment variable", printable(name))));
        }
        if self.has(OsStr::new(name)) {
            asker.used("env", name);
            Ok(())
        } else {
            Err(asker.missing(&format!("the environment variable {name}"), "env", name))
        }
    }

    /// Checks whether a script may set this one for its processes.
    ///
    /// # Errors
    /// The grant that is missing; that there is none for it.
    pub(super) fn allow_setting(&self, asker: &Asker, name: &str) -> Result<(), ServiceError> {
        if is_loader(OsStr::new(name)) {
            asker.note("env", &printable(name), true);
            let name = printable(name);
            return Err(ServiceError(format!(
                "the environment variable {name} is not given to processes of hooks, and no grant changes that"
            )));
        }
        self.allow(asker, name)
    }

    /// The environment of a process: what every one gets of the host's, then what is granted of the variables that scripts
    /// see, with this `PATH`.
    pub(super) fn for_child(
        &self,
        env: &[(OsString, OsString)],
        variables: &[(OsString, OsString)],
        path: Option<OsString>,
    ) -> Vec<(OsString, OsString)> {
        let may_pass = |name: &OsStr| !same(name, "PATH") && !is_loader(name);
        let plain = env.iter().filter(|(name, _)| may_pass(name) && is_plain(name));
        let granted = variables.iter().filter(|(name, _)| may_pass(name) && self.has(name));
        path.map(|path| ("PATH".into(), path)).into_iter().chain(plain.chain(granted).cloned()).collect()
    }

    fn has(&self, name: &OsStr) -> bool {
        self.0.iter().any(|granted| same(name, granted))
    }
}

fn is_plain(name: &OsStr) -> bool {
    let windows = if cfg!(windows) { WINDOWS_VARIABLES } else { &[] };
    CHILD_VARIABLES.iter().chain(windows).any(|plain| match plain.strip_suffix('*') {
        Some(prefix) => name.to_str().is_some_and(|name| name.starts_with(prefix)),
        None => same(name, plain),
    })
}

fn is_loader(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    LOADER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether two names mean one variable: Windows does not tell case apart.
pub(super) fn same(name: &OsStr, other: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other }
}
