//! The prompts of earlier sessions, for the keys up and down: a file of this person's in the state folder, a JSON text a line.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use snaphook_state::{layout, plain_fs, private_fs};

/// The most that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The file. One that cannot be read or written is done without: it is a convenience.
#[derive(Debug, Clone)]
pub(super) struct History {
    file: PathBuf,
}

impl History {
    /// The most prompts that are kept.
    pub(super) const MAX_ENTRIES: usize = 1000;

    /// That of a state folder.
    pub(super) fn of(state: &Path) -> Self {
        History { file: layout::prompts(state) }
    }

    /// The prompts, oldest first.
    pub(super) fn load(&self) -> Vec<String> {
        let Ok(text) = plain_fs::read_text(&self.file, MAX_BYTES) else { return Vec::new() };
        let mut all: Vec<String> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let more = all.len().saturating_sub(Self::MAX_ENTRIES);
        if more > 0 {
            all.drain(..more);
            self.replace(&all);
        }
        all
    }

    /// Puts one behind the others.
    pub(super) fn append(&self, line: &str) {
        let Ok(mut text) = serde_json::to_string(line) else { return };
        text.push('\n');
        let folder = self.file.parent().map_or(Ok(()), private_fs::make_dir);
        let opened = folder.and_then(|()| private_fs::options().append(true).create(true).open(&self.file));
        if let Ok(mut file) = opened {
            let _ = file.write_all(text.as_bytes());
        }
    }

    fn replace(&self, lines: &[String]) {
        let text: String = lines
            .iter()
            .filter_map(|line| serde_json::to_string(line).ok())
            .map(|line| line + "\n")
            .collect();
        let _ = private_fs::replace(&self.file, text.as_bytes(), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_come_back_in_order_and_old_ones_go() {
        let state = tempfile::tempdir().unwrap();
        let history = History::of(state.path());
        assert!(history.load().is_empty());
        history.append("one\ntwo");
        history.append("ä\u{1b}");
        assert_eq!(history.load(), ["one\ntwo", "ä\u{1b}"]);
        for number in 0..History::MAX_ENTRIES {
            history.append(&number.to_string());
        }
        let all = history.load();
        assert_eq!((all.len(), all[0].as_str()), (History::MAX_ENTRIES, "0"));
        assert_eq!(history.load(), all);
    }
}
