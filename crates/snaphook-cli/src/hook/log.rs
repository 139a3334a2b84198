//! Where the problems of `snaphook hook` go: a file in the state folder, because both output streams belong to the agent. One
//! line a problem; at one mebibyte the file becomes `hook.log.1`.

use std::io::Write as _;
use std::path::PathBuf;

use snaphook_discovery::{Directories, printable, private};

use crate::env::Env;

const MAX_BYTES: u64 = 1 << 20;

/// The log of one process.
#[derive(Clone)]
pub(crate) struct Log {
    file: Option<PathBuf>,
    /// Whether a person named it: it may be a link then.
    is_named: bool,
    agent: &'static str,
}

impl Log {
    /// The log; `named` is the file of `--log-file`.
    pub(crate) fn new(env: &Env, named: Option<PathBuf>, agent: &'static str) -> Self {
        let cwd = env.cwd.clone().unwrap_or_else(|| PathBuf::from("/"));
        let usual = || Directories::state_of(&env.environment(cwd)).map(|state| state.join("hook.log"));
        Log { is_named: named.is_some(), file: named.or_else(usual), agent }
    }

    /// Writes a line. A log that cannot be written changes no answer.
    pub(crate) fn line(&self, text: &str) {
        let Some(file) = &self.file else { return };
        if std::fs::metadata(file).is_ok_and(|known| known.len() > MAX_BYTES) {
            let _ = std::fs::rename(file, file.with_extension("log.1"));
        }
        let time =
            snaphook_script::time::iso(snaphook::Clock::now(&snaphook::SystemClock)).unwrap_or_default();
        let line = text.lines().map(printable).collect::<Vec<_>>().join(" | ");
        let options = if self.is_named { private::options_for_named } else { private::options };
        let open = || options().create(true).append(true).open(file);
        let opened = open().or_else(|_| {
            let _ = file.parent().map(private::make_dir);
            open()
        });
        if let Ok(mut opened) = opened {
            let _ = opened.write_all(format!("{time} {} {line}\n", self.agent).as_bytes());
        }
    }
}
