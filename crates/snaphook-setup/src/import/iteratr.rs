//! iteratr's lifecycle file: `.iteratr.hooks.yml`, which is ours byte for byte under another name. Not here: reading it
//! (`snaphook-command`), writing (`mod`).

use std::path::PathBuf;

use serde_json::json;
use snaphook_command::lifecycle::{self, List, Weight};

use crate::import::imported_file::{Fate, ImportedFile, MAX_BYTES};

/// The name of iteratr's file.
pub(crate) const FILE: &str = ".iteratr.hooks.yml";

/// Returns the outcome for the file, which would be copied to `to`.
pub(super) fn file(from: PathBuf, to: PathBuf) -> ImportedFile {
    let bytes = match snaphook_state::plain_fs::read(&from, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return ImportedFile::wrong(from, format!("cannot be read: {error}")),
    };
    let parsed = lifecycle::parse(&bytes);
    let text = |finding: &lifecycle::Finding| finding.to_string();
    if parsed.broken {
        let errors: Vec<_> = parsed.findings.iter().map(text).collect();
        return ImportedFile::wrong(from, errors.join("; "));
    }
    let mut facts = Vec::new();
    for list in List::ALL {
        for command in parsed.lifecycle.commands(list) {
            facts.push((
                list.as_str(),
                json!(format!(
                    "{} (limit {}s{})",
                    command.written,
                    command.timeout.as_secs(),
                    if command.pipe_output { ", output to the agent" } else { "" }
                )),
            ));
        }
    }
    let notes = parsed.findings.iter().filter(|finding| finding.weight != Weight::Note).map(text);
    let hints = parsed.findings.iter().filter(|finding| finding.weight == Weight::Note).map(text);
    let notes = notes.chain(hints).collect();
    ImportedFile { from, fate: Fate::Copied { to, bytes, executable: false }, facts, notes }
}
