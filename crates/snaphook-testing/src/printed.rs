//! The output and log of a test and its hooks, in order, for when the test fails.

use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::{HookRef, Level};

/// More would only fill the memory.
const MAX_LINES: usize = 1000;

/// The amount of one line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 1000;

/// The lines of one test. Clones are the same list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Printed(Arc<Mutex<Vec<String>>>);

impl Printed {
    /// Adds what the test's own script says.
    pub(crate) fn by_test(&self, level: Level, text: &str) {
        self.add(format!("{}{text}", prefix(level)));
    }

    /// Adds what a hook says.
    pub(crate) fn by_hook(&self, hook: &HookRef, level: Level, text: &str) {
        self.add(format!("[{}] {}{text}", hook.id, prefix(level)));
    }

    fn add(&self, line: String) {
        let mut lines = self.0.lock();
        match lines.len() {
            len if len < MAX_LINES => {
                let mut line = line;
                if line.len() > MAX_LINE_BYTES {
                    line.truncate(line.floor_char_boundary(MAX_LINE_BYTES));
                    line.push('…');
                }
                lines.push(line);
            }
            MAX_LINES => lines.push("… (there is more)".to_owned()),
            _ => {}
        }
    }

    /// Takes all lines out.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

fn prefix(level: Level) -> String {
    if level == Level::Info { String::new() } else { format!("{}: ", level.as_str()) }
}
