//! Reads the heads: how far each session was, by the file beside them. Not here: writing them (`heads`), and holding a session's
//! files to them (`verify`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::chain::{self, Chain, LineError};
use crate::disk::HEADS;
use crate::events::{DAMAGED, HEAD, SHORTENED, TORN, fields, is};
use crate::verify::BadLine;

/// The result of verifying the heads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifiedHeads {
    /// The number of lines that hold.
    pub lines: u64,
    /// The number and the hash of the last line that holds.
    pub last: Option<(u64, String)>,
    /// The hashes that were looked for and are there.
    pub found: Vec<String>,
    /// The notes that are no faults.
    pub notes: Vec<String>,
    /// The first line that does not hold.
    pub bad: Option<BadLine>,
}

/// The knowledge of the heads.
#[derive(Debug, Default)]
pub(crate) struct RecordedHeads {
    pub(crate) verified: VerifiedHeads,
    /// Numbers and hashes of lines, by session, as they were noted.
    pub(crate) sessions: BTreeMap<String, Vec<(u64, String)>>,
    /// All hashes.
    hashes: Vec<String>,
}

impl RecordedHeads {
    /// Notes which of these hashes are there.
    pub(crate) fn look_for(&mut self, wanted: &[String]) {
        self.verified.found = wanted.iter().filter(|hash| self.hashes.contains(hash)).cloned().collect();
    }
}

/// Reads and verifies the file's bytes. Of a line that does not hold, and of those behind it, nothing is known.
pub(crate) fn parse(bytes: &[u8]) -> RecordedHeads {
    let mut known = RecordedHeads::default();
    let mut chain = Chain::default();
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let torn = lines.pop().unwrap_or_default();
    for (index, line) in lines.iter().enumerate() {
        if chain.is_told_as_torn(line, lines.get(index + 1).copied()) {
            let text = format!("{HEADS}:{} is torn, as the line after it says", index + 1);
            known.verified.notes.push(text);
            continue;
        }
        if let Err(why) = known.line(&mut chain, line) {
            known.verified.bad =
                Some(BadLine { file: HEADS.to_owned(), line: index + 1, why: why.to_string() });
            return known;
        }
    }
    if !torn.is_empty() && (chain::check(torn).is_err() || known.line(&mut chain, torn).is_err()) {
        let text = format!(
            "{HEADS}:{} is torn ({} bytes): a process or the power ended while it was written",
            lines.len() + 1,
            torn.len()
        );
        known.verified.notes.push(text);
    }
    known
}

impl RecordedHeads {
    fn line(&mut self, chain: &mut Chain, line: &[u8]) -> Result<(), LineError> {
        let link = chain.take(line, false)?;
        let fields = fields(line).ok_or(LineError::NoObject)?;
        if is(&fields, DAMAGED) {
            return Err(LineError::Damaged);
        }
        if is(&fields, SHORTENED) {
            let from = text(&fields, "from");
            self.hashes.push(from.to_owned());
            let lines = fields.get("from_lines").and_then(Value::as_u64).unwrap_or_default();
            self.verified.notes.push(format!(
                "it was shortened to the last head of each session after {lines} lines; the last of them was {from}"
            ));
        } else if is(&fields, HEAD) {
            let seq = fields.get("lines").and_then(Value::as_u64).ok_or(LineError::NoNumber)?;
            let head = (seq, text(&fields, "last").to_owned());
            self.sessions.entry(text(&fields, "file").to_owned()).or_default().push(head);
        } else if !is(&fields, TORN) {
            return Err(LineError::NoHead);
        }
        self.hashes.push(link.hash.clone());
        self.verified.last = Some((link.seq, link.hash));
        self.verified.lines += 1;
        Ok(())
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns how long the file was, in bytes, when it was shortened; `None` where it never was.
pub(crate) fn shortened_to(bytes: &[u8]) -> Option<u64> {
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    fields(first).filter(|fields| is(fields, SHORTENED))?.get("size")?.as_u64()
}
