//! The content of the files of a recorded session before the session touched them, as far as its results show it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::paths;
use super::text_of;

/// The number of empty lines that all parts together may get before them, where what was there was not recorded: a
/// number in a small recording must not fill the memory.
const MAX_MISSING_LINES: usize = 1 << 20;

/// The first thing that is known of each file.
#[derive(Default)]
pub(super) struct FileStates {
    first: BTreeMap<String, FirstState>,
}

enum FirstState {
    /// It was there, with this text.
    Whole(String),
    /// A part of it, from this line on, was read.
    Part(usize, String),
    /// It was not there.
    Missing,
}

impl FileStates {
    /// Takes a `toolUseResult`: of a Read (`file`), an Edit or a Write (`filePath` and `originalFile`).
    pub(super) fn learn(&mut self, details: &Value) {
        let known = match details.get("file") {
            Some(file) => read(file),
            None => written(details),
        };
        let Some((path, state)) = known else { return };
        match (self.first.get(path), &state) {
            // An edit of a file that was read in part shows all of it, unless it was changed before.
            (Some(FirstState::Part(..)), FirstState::Whole(_)) | (None, _) => {
                self.first.insert(path.to_owned(), state);
            }
            _ => {}
        }
    }

    /// The files below the roots by relative path, and notes about those that are known in part.
    pub(super) fn finish(self, roots: &[String]) -> (BTreeMap<String, String>, Vec<String>) {
        let (mut files, mut notes) = (BTreeMap::new(), Vec::new());
        let mut room = MAX_MISSING_LINES;
        for (path, state) in self.first {
            let Some(inside) = paths::below(roots, &path) else { continue };
            let inside = inside.trim_start_matches(['/', '\\']);
            match state {
                FirstState::Missing => {}
                FirstState::Whole(text) => {
                    files.insert(inside.to_owned(), text);
                }
                FirstState::Part(start, text) => {
                    let missing = start.saturating_sub(1);
                    let lines = missing.min(room);
                    room -= lines;
                    let moved = if lines < missing { ", and its lines have other numbers" } else { "" };
                    notes.push(format!(
                        "of {inside} only a part was recorded; the rest is missing in the replay{moved}"
                    ));
                    files.insert(inside.to_owned(), "\n".repeat(lines) + &text);
                }
            }
        }
        (files, notes)
    }
}

fn read(file: &Value) -> Option<(&str, FirstState)> {
    let path = text_of(file, "filePath")?;
    let text = text_of(file, "content")?.to_owned();
    let number = |key| file.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    let start = number("startLine").unwrap_or(1);
    let whole = start == 1 && number("numLines") >= number("totalLines");
    Some((path, if whole { FirstState::Whole(text) } else { FirstState::Part(start.min(100_000), text) }))
}

fn written(details: &Value) -> Option<(&str, FirstState)> {
    let path = text_of(details, "filePath")?;
    let state = match details.get("originalFile")? {
        Value::String(text) => FirstState::Whole(text.clone()),
        Value::Null if text_of(details, "type") == Some("create") => FirstState::Missing,
        // A large file's text is not recorded; what the edit replaces at least is.
        _ => FirstState::Part(1, text_of(details, "oldString")?.to_owned()),
    };
    Some((path, state))
}
