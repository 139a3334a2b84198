//! Looking for a text in a text: in time that grows with both lengths together, without copies.

use memchr::memmem;
use rhai::Module;

use crate::natives::interrupt::check_bytes;
use crate::natives::{Failure, pure};

pub(super) fn register(library: &mut Module) {
    pure("contains").set_into_module(library, contains);
    pure("contains")
        .set_into_module(library, |text: &str, wanted: char| contains(text, wanted.encode_utf8(&mut [0; 4])));
    pure("index_of").set_into_module(library, |text: &str, wanted: &str| index_of(text, wanted, 0));
    pure("index_of").set_into_module(library, |text: &str, wanted: char| {
        index_of(text, wanted.encode_utf8(&mut [0; 4]), 0)
    });
    pure("index_of").set_into_module(library, index_of);
    pure("index_of").set_into_module(library, |text: &str, wanted: char, start: i64| {
        index_of(text, wanted.encode_utf8(&mut [0; 4]), start)
    });
}

fn contains(text: &str, wanted: &str) -> Result<bool, Failure> {
    check_bytes(text.len())?;
    Ok(memmem::find(text.as_bytes(), wanted.as_bytes()).is_some())
}

/// Returns where `wanted` stands at or after the char `start`, in chars; -1 where it does not.
fn index_of(text: &str, wanted: &str, start: i64) -> Result<i64, Failure> {
    check_bytes(text.len())?;
    let Some(start) = start_of(text, start) else { return Ok(-1) };
    let found = memmem::find(&text.as_bytes()[start..], wanted.as_bytes());
    Ok(found.map_or(-1, |at| i64::try_from(text[..start + at].chars().count()).unwrap_or(-1)))
}

/// The byte where the char `start` begins; a negative one counts from the end and stops at the first. `None` for one
/// that is not there.
pub(super) fn start_of(text: &str, start: i64) -> Option<usize> {
    let chars = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
    if text.is_empty() {
        None
    } else if start < 0 {
        Some(text.char_indices().rev().nth(chars - 1).map_or(0, |(at, _)| at))
    } else {
        text.char_indices().nth(chars).map(|(at, _)| at)
    }
}

/// The byte where so many chars end.
pub(super) fn end_of(text: &str, chars: i64) -> usize {
    let chars = usize::try_from(chars).unwrap_or(if chars < 0 { 0 } else { usize::MAX });
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}
