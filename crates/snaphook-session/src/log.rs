//! The log of `snaphook hook`, with its problems and the lines of hooks: a file in the state folder, because both output streams belong to the
//! agent. One line a text, each by one write, so that many processes can be at it at once; at one mebibyte the file becomes
//! `hook.log.1`. Not here: the log of the other commands (`crate::log`), and notices on their way to the person (`notices`).

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::env::ProcessEnv;
use snaphook::{HookRef, Level};
use snaphook_discovery::{Directories, printable};
use snaphook_state::{layout, private_fs};

/// At this size the file becomes `hook.log.1`, and what that was before is gone.
const MAX_BYTES: u64 = 1 << 20;

/// The longest line, in bytes: one text must not push everything else out.
const MAX_LINE: usize = 16 << 10;

/// Returns whether a text of a hook with this level is written.
pub type LevelFilter = Arc<dyn Fn(Level) -> bool + Send + Sync>;

/// The log of one process.
#[derive(Clone)]
pub struct Log {
    file: Option<PathBuf>,
    /// True if a person named it: it may be a link then.
    is_named: bool,
    agent: &'static str,
    wanted: LevelFilter,
}

impl Log {
    /// Returns the log of a process for an agent. `named` is a file that a person named instead of the usual one;
    /// `wanted` says which texts of hooks are written.
    pub fn new(env: &ProcessEnv, named: Option<PathBuf>, agent: &'static str, wanted: LevelFilter) -> Self {
        let cwd = env.cwd.clone().unwrap_or_else(|| PathBuf::from("/"));
        let usual = || Directories::state_of(&env.environment(cwd)).map(|state| layout::hook_log(&state));
        Log { is_named: named.is_some(), file: named.or_else(usual), agent, wanted }
    }

    /// Writes what a hook logs, unless its level is not wanted.
    pub fn hook(&self, hook: &HookRef, level: Level, text: &str) {
        if (self.wanted)(level) {
            let text = if text.trim().is_empty() { "(an empty text)" } else { text };
            self.line(&format!("[{}] {}: {text}", hook.id, level.as_str()));
        }
    }

    /// Writes a line. A log that cannot be written changes no answer.
    pub fn line(&self, text: &str) {
        let Some(file) = &self.file else { return };
        let time =
            snaphook_script::time::iso(snaphook::Clock::now(&snaphook::SystemClock)).unwrap_or_default();
        let mut line = text.lines().map(printable).collect::<Vec<_>>().join(" | ");
        if line.len() > MAX_LINE {
            line.truncate(line.floor_char_boundary(MAX_LINE));
            line.push_str(" [cut]");
        }
        let options = if self.is_named { private_fs::options_for_named } else { private_fs::options };
        rotate(file, options);
        let open = || options().create(true).append(true).open(file);
        let opened = open().or_else(|_| {
            let _ = file.parent().map(private_fs::make_dir);
            open()
        });
        if let Ok(mut opened) = opened {
            // One write, at the end of the file: lines of several processes do not mix.
            let _ = opened.write_all(format!("{time} {} {line}\n", self.agent).as_bytes());
        }
    }
}

/// Gives a file that is full its second name. Of several processes that see it full one does, under a lock; the others write on.
fn rotate(file: &Path, options: fn() -> OpenOptions) {
    // A link, and what is not a file, was set up by the user.
    let is_full =
        || std::fs::symlink_metadata(file).is_ok_and(|known| known.is_file() && known.len() > MAX_BYTES);
    if !is_full() {
        return;
    }
    let beside = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let Ok(lock) = options().write(true).create(true).truncate(false).open(beside(".lock")) else { return };
    // Looked at again: the one that held the lock a moment ago has made place.
    if lock.try_lock().is_ok() && is_full() {
        let _ = std::fs::rename(file, beside(".1"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(file: PathBuf) -> Log {
        Log { file: Some(file), is_named: false, agent: "test", wanted: Arc::new(|_| true) }
    }

    /// Eight writers, and several times what the file may hold: no line is torn, and no more is kept than two files' worth.
    #[test]
    fn many_writers_share_a_bounded_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/hook.log");
        let text = "x".repeat(4000);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (log, text) = (log(file.clone()), &text);
                scope.spawn(move || {
                    for count in 0..100 {
                        log.line(&format!("{number}.{count} {text} end"));
                    }
                });
            }
        });
        let mut kept = 0;
        for name in ["hook.log", "hook.log.1"] {
            let text = std::fs::read_to_string(file.with_file_name(name)).unwrap();
            // Each writer may add a line before it sees that the file is full.
            assert!((text.len() as u64) < MAX_BYTES + 8 * 4100, "{name}: {}", text.len());
            kept += text.lines().count();
            for line in text.lines() {
                assert!(line.ends_with(" end") && line.matches("test").count() == 1, "{name}: {line:.100}");
            }
        }
        // The last whole file is never thrown away for a small one.
        assert!(kept >= 256, "{kept}");
    }

    #[test]
    fn a_line_is_bounded_and_nothing_steers_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hook.log");
        log(file.clone()).line(&format!("a\u{1b}[2J\nb{}", "ü".repeat(MAX_LINE)));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.len() < MAX_LINE + 60 && text.ends_with(" [cut]\n"), "{}", text.len());
        assert!(text.lines().count() == 1 && !text.contains('\u{1b}') && text.contains(" | b"), "{text:.80}");
    }
}
