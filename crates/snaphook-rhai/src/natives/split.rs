//! Texts in pieces, which have to be few enough.

use rhai::{Array, Dynamic, ImmutableString, Module};

use crate::natives::interrupt::{InterruptCheck, check_bytes};
use crate::natives::search::end_of;
use crate::natives::{Failure, limits, pure};

type Text = ImmutableString;

pub(super) fn register(library: &mut Module) {
    pure("to_chars").set_into_module(library, |text: &str| -> Result<Array, Failure> {
        limits::values("to_chars", text.chars().count())?;
        Ok(text.chars().map(Dynamic::from).collect())
    });
    pure("split").set_into_module(library, split_at);
    pure("split").set_into_module(library, |text: &mut Text| {
        if text.is_empty() { as_single(text) } else { pieces("split", text.split_whitespace()) }
    });
    // A text without the separator, or with one piece at most, is given as it is.
    pure("split").set_into_module(library, |text: &mut Text, by: &str| {
        if is_in(text, by) { pieces("split", text.split(by)) } else { as_single(text) }
    });
    pure("split").set_into_module(library, |text: &mut Text, by: char| {
        if text.contains(by) { pieces("split", text.split(by)) } else { as_single(text) }
    });
    pure("split").set_into_module(library, |text: &mut Text, by: &str, most: i64| match count(most) {
        Some(most) if is_in(text, by) => pieces("split", text.splitn(most, by)),
        _ => as_single(text),
    });
    pure("split").set_into_module(library, |text: &mut Text, by: char, most: i64| match count(most) {
        Some(most) if text.contains(by) => pieces("split", text.splitn(most, by)),
        _ => as_single(text),
    });
    pure("split_rev").set_into_module(library, |text: &mut Text, by: &str| {
        if is_in(text, by) { pieces("split_rev", text.rsplit(by)) } else { as_single(text) }
    });
    pure("split_rev").set_into_module(library, |text: &mut Text, by: char| {
        if text.contains(by) { pieces("split_rev", text.rsplit(by)) } else { as_single(text) }
    });
    pure("split_rev").set_into_module(library, |text: &mut Text, by: &str, most: i64| match count(most) {
        Some(most) if is_in(text, by) => pieces("split_rev", text.rsplitn(most, by)),
        _ => as_single(text),
    });
    pure("split_rev").set_into_module(library, |text: &mut Text, by: char, most: i64| match count(most) {
        Some(most) if text.contains(by) => pieces("split_rev", text.rsplitn(most, by)),
        _ => as_single(text),
    });
}

/// The text in two. Rhai's reading: a negative index counts from the end, and 0 is the end.
fn split_at(text: &mut Text, index: i64) -> Result<Array, Failure> {
    check_bytes(text.len())?;
    let at = match usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX) {
        0 => text.len(),
        _ if index > 0 => end_of(text, index),
        back => text.char_indices().rev().nth(back - 1).map_or(0, |(at, _)| at),
    };
    Ok(vec![text[..at].into(), text[at..].into()])
}

/// Returns whether splitting by this text would do anything: the empty text splits any text but the empty one into
/// chars.
fn is_in(text: &str, by: &str) -> bool {
    !text.is_empty() && memchr::memmem::find(text.as_bytes(), by.as_bytes()).is_some()
}

fn as_single(text: &Text) -> Result<Array, Failure> {
    check_bytes(text.len())?;
    Ok(vec![text.clone().into()])
}

/// A number of pieces above one.
fn count(most: i64) -> Option<usize> {
    (most > 1).then(|| usize::try_from(most).unwrap_or(usize::MAX))
}

fn pieces<'a>(function: &str, pieces: impl Iterator<Item = &'a str>) -> Result<Array, Failure> {
    let mut list = Array::new();
    let mut interrupt = InterruptCheck::default();
    for piece in pieces {
        limits::pieces(function, list.len() + 1)?;
        interrupt.count(4 + piece.len() / 8)?;
        list.push(piece.into());
    }
    Ok(list)
}
