//! Verifies a session's files: every line is as it was written, none is missing between two, none was put in. Lines cut off at the
//! very end, and a chain that was written anew, are seen by the heads (`heads`); and where those are written anew as well, by a
//! hash that was noted elsewhere.

use serde_json::{Map, Value};

use crate::chain::{self, Chain, LineError, count};
use crate::disk::{self, HEADS, Part};
use crate::events::{DAMAGED, ROTATED, fields, is};

/// The result of verifying a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The session's id, from its first line that can be read.
    pub session: Option<String>,
    /// The number of lines that hold.
    pub lines: u64,
    /// The number of files that there are.
    pub files: usize,
    /// The number and the hash of the last line that holds.
    pub last: Option<(u64, String)>,
    /// The numbers and the hashes of lines that hold and were looked for, in order.
    pub found: Vec<(u64, String)>,
    /// The notes that are no faults: a torn line, files that were removed because there were too many.
    pub notes: Vec<String>,
    /// The first line that does not hold.
    pub bad: Option<BadLine>,
}

/// A line that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The file's name.
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    /// The reason.
    pub why: String,
}

/// The line that is looked for in a session's files.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    /// Hashes of lines that were noted elsewhere.
    pub(crate) hashes: &'a [String],
    /// Numbers and hashes of lines that the heads know.
    pub(crate) heads: &'a [(u64, String)],
}

struct Walk<'a> {
    stem: &'a str,
    wanted: Wanted<'a>,
    result: Verified,
    chain: Chain,
    /// True if the first line says that there are heads.
    has_heads: bool,
    /// Files that are not there: the numbers up to here have to be named as removed.
    missing_to: u64,
    dropped_to: u64,
    /// The line that `missing_to` shows in, for the message.
    after_gap: Option<String>,
}

/// Verifies the files of a session, and says which lines have one of the wanted hashes; and whether its first line says that there
/// are heads.
pub(crate) fn verify(stem: &str, parts: &[Part], wanted: Wanted<'_>) -> (Verified, bool) {
    let result = Verified {
        session: None,
        lines: 0,
        files: parts.len(),
        last: None,
        found: Vec::new(),
        notes: Vec::new(),
        bad: None,
    };
    let mut walk = Walk {
        stem,
        wanted,
        result,
        chain: Chain::default(),
        has_heads: false,
        missing_to: 0,
        dropped_to: 0,
        after_gap: None,
    };
    let mut before = 0;
    for (index, part) in parts.iter().enumerate() {
        let number = part.number.unwrap_or_else(|| number_of_current(part, before));
        if number != before + 1 {
            walk.gap(part, number);
        }
        before = number;
        if let Err(bad) = walk.part(part, index + 1 == parts.len()) {
            walk.result.bad = Some(bad);
            break;
        }
    }
    if walk.result.bad.is_none()
        && walk.missing_to > walk.dropped_to
        && let Some(file) = walk.after_gap.clone()
    {
        let why = format!(
            "the file before it, {}, is missing",
            disk::rotated(std::path::Path::new(""), stem, walk.missing_to).display()
        );
        walk.result.bad = Some(BadLine { file, line: 1, why });
    }
    if walk.dropped_to > 0 {
        let text = format!("full files up to number {} were removed, as `keep` asks", walk.dropped_to);
        walk.result.notes.push(text);
    }
    if walk.result.bad.is_none() {
        walk.ends_as_noted(parts);
    }
    walk.result.last = walk.chain.last.map(|link| (link.seq, link.hash));
    (walk.result, walk.has_heads)
}

/// The number that the file which is written would get: one more than the one it says it goes on from.
fn number_of_current(part: &Part, before: u64) -> u64 {
    let first = part.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let from =
        fields(first).filter(|fields| is(fields, ROTATED)).and_then(|fields| fields.get("from")?.as_u64());
    from.map_or(1, |from| from + 1).max(before + 1)
}

impl Walk<'_> {
    /// Files before this one are not there.
    fn gap(&mut self, part: &Part, number: u64) {
        self.missing_to = number - 1;
        self.after_gap = Some(part.name.clone());
        self.chain.last = None;
    }

    fn part(&mut self, part: &Part, is_last: bool) -> Result<(), BadLine> {
        let bad = |line: usize, why: String| BadLine { file: part.name.clone(), line, why };
        let mut lines: Vec<&[u8]> = part.bytes.split(|byte| *byte == b'\n').collect();
        // Behind the last line end is nothing, or a torn line.
        let torn = lines.pop().unwrap_or_default();
        let after_gap = self.after_gap.as_ref().is_some_and(|file| *file == part.name);
        for (index, line) in lines.iter().enumerate() {
            if self.chain.is_told_as_torn(line, lines.get(index + 1).copied()) {
                self.result.notes.push(format!(
                    "{}:{} is torn, as the line after it says: a process or the power ended while it was written",
                    part.name,
                    index + 1
                ));
                continue;
            }
            self.line(line, index == 0 && after_gap).map_err(|why| bad(index + 1, why.to_string()))?;
        }
        if torn.is_empty() {
            return Ok(());
        }
        let line = lines.len() + 1;
        if !is_last {
            return Err(bad(line, "it is cut off".to_owned()));
        }
        let next = if chain::check(torn).is_ok() {
            self.line(torn, line == 1 && after_gap).map_err(|why| bad(line, why.to_string()))?;
            "it is whole but for its line end, which the next line will add"
        } else {
            "the next line will say so"
        };
        self.result.notes.push(format!(
            "{}:{line} is torn ({} bytes): a process or the power ended while it was written; {next}",
            part.name,
            torn.len()
        ));
        Ok(())
    }

    /// Takes a line that has to hold. What the first one after missing files follows cannot be known.
    fn line(&mut self, line: &[u8], after_gap: bool) -> Result<(), LineError> {
        let mut chain = self.chain.clone();
        let link = chain.take(line, after_gap)?;
        let fields = fields(line).ok_or(LineError::NoObject)?;
        self.take(&fields)?;
        if link.seq == 1 {
            self.has_heads = fields.get("heads") == Some(&Value::Bool(true));
        }
        let mut heads = self.wanted.heads.iter().filter(|(seq, _)| *seq == link.seq);
        if heads.any(|(_, hash)| *hash != link.hash) {
            return Err(LineError::NotNoted { seq: link.seq, noted_in: HEADS });
        }
        if self.wanted.hashes.contains(&link.hash) {
            self.result.found.push((link.seq, link.hash));
        }
        self.chain = chain;
        self.result.lines += 1;
        Ok(())
    }

    /// Holds the end of the session to what the heads know.
    fn ends_as_noted(&mut self, parts: &[Part]) {
        let Some((noted, _)) = self.wanted.heads.iter().max_by_key(|(seq, _)| *seq) else { return };
        let there = self.chain.last.as_ref().map_or(0, |last| last.seq);
        let last = parts.last();
        let lines = last.map_or(0, |part| part.bytes.iter().filter(|byte| **byte == b'\n').count());
        let file = last.map_or_else(|| format!("{}.jsonl", self.stem), |part| part.name.clone());
        let bad = |why: String| Some(BadLine { file, line: lines + 1, why });
        if parts.is_empty() {
            self.result.bad =
                bad(format!("the file is gone: {} noted {} of this session", HEADS, count(*noted, "line")));
        } else if there < *noted {
            self.result.bad = bad(format!(
                "{} after this {} missing: {} noted {noted}. They were cut off, or lost with the power",
                count(noted - there, "line"),
                if noted - there == 1 { "is" } else { "are" },
                HEADS
            ));
        } else if there > *noted {
            self.result.notes.push(format!(
                "the last {} not in {} yet: the program that wrote {} still runs, or was killed",
                match there - noted {
                    1 => "line is".to_owned(),
                    late => format!("{late} lines are"),
                },
                HEADS,
                if there - noted == 1 { "it" } else { "them" }
            ));
        }
    }

    /// Takes in what lines say of the audit itself, and of whom they are.
    fn take(&mut self, fields: &Map<String, Value>) -> Result<(), LineError> {
        let session = fields.get("gen_ai.conversation.id").and_then(Value::as_str).unwrap_or_default();
        if disk::stem(session) != self.stem {
            return Err(LineError::OtherSession(session.to_owned()));
        }
        self.result.session.get_or_insert_with(|| session.to_owned());
        if is(fields, ROTATED) {
            let dropped = fields.get("dropped_to").and_then(Value::as_u64).unwrap_or_default();
            self.dropped_to = self.dropped_to.max(dropped);
        }
        if is(fields, DAMAGED) {
            return Err(LineError::Damaged);
        }
        Ok(())
    }
}
