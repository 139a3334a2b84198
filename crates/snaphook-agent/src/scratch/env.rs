//! The environment of what tools run in a scratch project: an allow list, so that nothing slips in.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The name of the home folder, beside the project.
pub(super) const HOME: &str = "home";

/// The place where programs are looked for if the caller's environment does not say.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The variables that are taken over. The last row is what Windows programs do not start without.
const TAKEN: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "USER",
    "LOGNAME",
    "TMPDIR", //
    "SystemRoot",
    "SystemDrive",
    "PATHEXT",
    "COMSPEC",
    "TEMP",
    "TMP",
];

pub(super) fn for_tools(given: &[(OsString, OsString)], dir: &Path) -> Vec<(OsString, OsString)> {
    // Windows does not tell `Path` from `PATH`.
    let same =
        |one: &str, other: &str| if cfg!(windows) { one.eq_ignore_ascii_case(other) } else { one == other };
    let taken = |name: &OsStr| {
        name.to_str()
            .is_some_and(|name| TAKEN.iter().any(|taken| same(taken, name)) || name.starts_with("LC_"))
    };
    let mut env: Vec<_> = given.iter().filter(|(name, _)| taken(name)).cloned().collect();
    if !env.iter().any(|(name, _)| name.to_str().is_some_and(|name| same(name, "PATH"))) {
        env.push(("PATH".into(), PATH.into()));
    }
    let home = dir.join(HOME);
    env.extend([
        ("HOME".into(), home.clone().into_os_string()),
        ("USERPROFILE".into(), home.into_os_string()),
        ("TERM".into(), "dumb".into()),
        // git: the repository in the scratch project and no other, no questions, no configuration of the machine.
        ("GIT_CEILING_DIRECTORIES".into(), dir.as_os_str().to_owned()),
        ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ("GIT_TERMINAL_PROMPT".into(), "0".into()),
    ]);
    env
}
