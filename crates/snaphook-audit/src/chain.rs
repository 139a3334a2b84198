//! The hash chain: each line ends with its number, the hash of the line before it and its own hash. A
//! single line, and lines that follow each other. Not here: files (`disk`), and what a session's lines come
//! to (`verify`).
//!
//! `{…,"seq":7,"prev":"sha256:…","hash":"sha256:…"}`: the hash is over all bytes of the line before `,"hash":`. So a line can
//! be verified with `sha256sum`, and the end of a file is enough to go on from it.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::events::{TORN, fields, is};

/// The text before the hash at the end of a line.
const MARK: &[u8] = b",\"hash\":\"";
/// `sha256:` and the digits.
const HASH: usize = 7 + 64;
/// `,"hash":"sha256:…"}`.
const SEAL: usize = MARK.len() + HASH + 2;
/// The amount of a line's end that is enough for [`link_at_end`]: the seal, `prev` and the number.
pub(crate) const END: usize = 256;

/// The most that a line has beside its content: `,"seq":…`, `,"prev":"sha256:…"` and the seal.
const ADDED: usize = 27 + 10 + HASH + SEAL;

/// The facts about a line that the next line needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The line's number, from 1.
    pub(crate) seq: u64,
    /// The line's hash, `sha256:…`.
    pub(crate) hash: String,
}

/// A line whose own hash is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) link: Link,
    /// The hash of the line before it; none for the first.
    pub(crate) prev: Option<String>,
}

/// SHA-256 as it is in lines.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    written(Sha256::digest(bytes).as_slice())
}

/// A digest as it is in lines.
pub(crate) fn written(digest: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(HASH);
    text.push_str("sha256:");
    for byte in digest {
        for half in [byte >> 4, byte & 15] {
            text.push(DIGITS.get(usize::from(half)).copied().unwrap_or(b'0').into());
        }
    }
    text
}

/// Writes a JSON object as a line behind `before`, with its line end, behind what is in `bytes`.
pub(crate) fn seal(bytes: &mut Vec<u8>, body: &[u8], before: Option<&Link>) -> Link {
    let start = bytes.len();
    bytes.reserve(body.len() + ADDED);
    bytes.extend_from_slice(body.strip_suffix(b"}").unwrap_or(body));
    let seq = before.map_or(1, |before| before.seq + 1);
    bytes.extend_from_slice(b",\"seq\":");
    bytes.extend_from_slice(seq.to_string().as_bytes());
    bytes.extend_from_slice(b",\"prev\":");
    match before {
        None => bytes.extend_from_slice(b"null"),
        Some(before) => {
            bytes.push(b'"');
            bytes.extend_from_slice(before.hash.as_bytes());
            bytes.push(b'"');
        }
    }
    let hash = hash_of(bytes.get(start..).unwrap_or_default());
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(hash.as_bytes());
    bytes.extend_from_slice(b"\"}\n");
    Link { seq, hash }
}

/// The link of the line that `bytes` end with, its line end included. The hash is not checked: that needs the whole line.
pub(crate) fn link_at_end(bytes: &[u8]) -> Option<Link> {
    let line = bytes.strip_suffix(b"\n")?;
    let (head, hash) = split(line)?;
    let (seq, _) = numbers(head)?;
    Some(Link { seq, hash })
}

/// The reason why a line does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineError {
    /// It has no number, or no hash.
    #[error("it is no line of an audit")]
    NotALine,
    /// Its hash is another.
    #[error("it was changed: its hash is not that of its content")]
    Changed,
    /// It has a hash and is no JSON.
    #[error("it is no JSON object")]
    NoObject,
    /// Lines before it are missing.
    #[error("{} before it {} missing", count(*.0, "line"), if *.0 == 1 { "is" } else { "are" })]
    Gap(u64),
    /// Another number comes next.
    #[error("it has the number {seq} where {next} comes: it was put in, repeated or moved")]
    OutOfOrder {
        /// Its number.
        seq: u64,
        /// The number that comes.
        next: u64,
    },
    /// It names another hash than that of the line before it.
    #[error("it does not follow the line before it: one of the two was replaced")]
    Replaced,
    /// The heads know another line of this number.
    #[error(
        "it is not the line {seq} that {noted_in} noted: the file was replaced, or written anew from here on"
    )]
    NotNoted {
        /// Its number.
        seq: u64,
        /// The file of the heads.
        noted_in: &'static str,
    },
    /// It names another session than its file does.
    #[error("it belongs to another session, \"{0}\"")]
    OtherSession(String),
    /// It was written behind a damaged line.
    #[error("it says that the line before it was damaged")]
    Damaged,
    /// A head without a number.
    #[error("it names no line")]
    NoNumber,
    /// An invalid line among the heads.
    #[error("it is no head")]
    NoHead,
}

/// A number of things.
pub(crate) fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("{number} {what}") } else { format!("{number} {what}s") }
}

/// Checks a line without its line end by itself.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(line: &[u8]) -> Result<Sealed, LineError> {
    let parts = split(line).and_then(|(head, hash)| Some((head, hash, numbers(head)?)));
    let Some((head, hash, (seq, prev))) = parts else { return Err(LineError::NotALine) };
    if hash_of(head) != hash {
        return Err(LineError::Changed);
    }
    Ok(Sealed { link: Link { seq, hash }, prev })
}

/// Lines that follow each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chain {
    pub(crate) last: Option<Link>,
}

impl Chain {
    /// Takes a line that has to hold. What the first one after missing files follows cannot be known.
    pub(crate) fn take(&mut self, line: &[u8], after_gap: bool) -> Result<Link, LineError> {
        let sealed = check(line)?;
        if !after_gap {
            self.follows(&sealed)?;
        }
        self.last = Some(sealed.link.clone());
        Ok(sealed.link)
    }

    fn follows(&self, sealed: &Sealed) -> Result<(), LineError> {
        let seq = sealed.link.seq;
        let next = self.last.as_ref().map_or(1, |last| last.seq + 1);
        if seq > next {
            return Err(LineError::Gap(seq - next));
        }
        if seq < next {
            return Err(LineError::OutOfOrder { seq, next });
        }
        if sealed.prev.as_deref() != self.last.as_ref().map(|last| last.hash.as_str()) {
            return Err(LineError::Replaced);
        }
        Ok(())
    }

    /// Returns whether it is no line, and the next one accounts for it: then a process ended within it, and
    /// an append went on behind it.
    pub(crate) fn is_told_as_torn(&self, line: &[u8], next: Option<&[u8]>) -> bool {
        let Some(next) = next.filter(|_| check(line).is_err()) else { return false };
        let Some(told) = fields(next).filter(|fields| is(fields, TORN)) else { return false };
        let follows = check(next).is_ok_and(|sealed| self.follows(&sealed).is_ok());
        follows
            && told.get("torn_bytes").and_then(Value::as_u64) == Some(line.len() as u64)
            && told.get("torn_hash").and_then(Value::as_str) == Some(hash_of(line).as_str())
    }
}

/// Returns what is hashed, and the hash.
fn split(line: &[u8]) -> Option<(&[u8], String)> {
    let (head, seal) = line.split_at_checked(line.len().checked_sub(SEAL)?)?;
    let hash = seal.strip_prefix(MARK)?.strip_suffix(b"\"}")?;
    Some((head, hash_text(hash)?))
}

/// The number, and the hash of the line before.
fn numbers(head: &[u8]) -> Option<(u64, Option<String>)> {
    let end = head.get(head.len().saturating_sub(END)..)?;
    const SEQ: &[u8] = b",\"seq\":";
    let at = end.windows(SEQ.len()).rposition(|window| window == SEQ)?;
    let text = std::str::from_utf8(end.get(at + SEQ.len()..)?).ok()?;
    let (seq, prev) = text.split_once(",\"prev\":")?;
    let prev = match prev {
        "null" => None,
        prev => Some(hash_text(prev.strip_prefix('"')?.strip_suffix('"')?.as_bytes())?),
    };
    Some((seq.parse().ok()?, prev))
}

fn hash_text(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let digits = text.strip_prefix("sha256:")?;
    let fine = digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    fine.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (Vec<u8>, Vec<u8>) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let link = seal(&mut first, br#"{"a":",\"seq\":9,\"prev\":null","b":{"x":1,"seq":5}}"#, None);
        seal(&mut second, br#"{"a":2}"#, Some(&link));
        (first, second)
    }

    #[test]
    fn a_line_says_what_it_follows() {
        let (first, second) = two();
        let one = check(first.strip_suffix(b"\n").unwrap()).unwrap();
        let two = check(second.strip_suffix(b"\n").unwrap()).unwrap();
        assert_eq!((one.link.seq, &one.prev), (1, &None));
        assert_eq!((two.link.seq, two.prev), (2, Some(one.link.hash.clone())));
        assert_eq!(link_at_end(&first), Some(one.link));
        let end = &second[second.len().saturating_sub(END)..];
        assert_eq!(link_at_end(end), Some(two.link));
    }

    #[test]
    fn no_byte_can_change() {
        let (first, second) = two();
        for line in [first, second] {
            let line = line.strip_suffix(b"\n").unwrap();
            for at in 0..line.len() {
                let mut changed = line.to_vec();
                changed[at] ^= 1;
                assert!(check(&changed).is_err(), "byte {at}");
                assert!(check(&line[..at]).is_err(), "cut at {at}");
            }
        }
    }
}
