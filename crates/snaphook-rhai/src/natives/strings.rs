//! Texts made out of texts: the length is known before the memory is taken.

use std::ops::{Range, RangeInclusive};

use memchr::memmem;
use rhai::{Blob, Dynamic, ImmutableString, Module, NativeCallContext};

use crate::natives::interrupt::{InterruptCheck, check_bytes};
use crate::natives::print::shown;
use crate::natives::search::{end_of, start_of};
use crate::natives::{Failure, changing, exclusive, inclusive, limits, pure};
use crate::raise::raise;

type Text = ImmutableString;
type Context<'a> = NativeCallContext<'a>;

pub(super) fn register(library: &mut Module) {
    parts(library);
    replacing(library);
    sums(library);
    changing("pad").set_into_module(library, |text: &mut Text, len: i64, by: char| {
        pad(text, len, by.encode_utf8(&mut [0; 4]))
    });
    changing("pad").set_into_module(library, |text: &mut Text, len: i64, by: &str| pad(text, len, by));
    changing("set").set_into_module(library, set);
    pure("to_upper").set_into_module(library, upper);
    pure("to_lower").set_into_module(library, lower);
    changing("make_upper")
        .set_into_module(library, |text: &mut Text| upper(text.clone()).map(|changed| *text = changed));
    changing("make_lower")
        .set_into_module(library, |text: &mut Text| lower(text.clone()).map(|changed| *text = changed));
}

fn parts(library: &mut Module) {
    let of = |text: &str, (start, len): (i64, i64)| -> Result<Text, Failure> {
        check_bytes(text.len())?;
        Ok(part(text, start, len).into())
    };
    pure("sub_string")
        .set_into_module(library, move |text: &str, start: i64, len: i64| of(text, (start, len)));
    pure("sub_string").set_into_module(library, move |text: &str, start: i64| of(text, (start, i64::MAX)));
    pure("sub_string")
        .set_into_module(library, move |text: &str, range: Range<i64>| of(text, exclusive(&range)));
    pure("sub_string")
        .set_into_module(library, move |text: &str, range: RangeInclusive<i64>| of(text, inclusive(&range)));
    let crop = move |text: &mut Text, span: (i64, i64)| of(text, span).map(|part| *text = part);
    changing("crop")
        .set_into_module(library, move |text: &mut Text, start: i64, len: i64| crop(text, (start, len)));
    changing("crop")
        .set_into_module(library, move |text: &mut Text, start: i64| crop(text, (start, i64::MAX)));
    changing("crop")
        .set_into_module(library, move |text: &mut Text, range: Range<i64>| crop(text, exclusive(&range)));
    changing("crop").set_into_module(library, move |text: &mut Text, range: RangeInclusive<i64>| {
        crop(text, inclusive(&range))
    });
    changing("truncate").set_into_module(library, |text: &mut Text, len: i64| -> Result<(), Failure> {
        check_bytes(text.len())?;
        let end = end_of(text, len);
        if end < text.len() {
            text.make_mut().truncate(end);
        }
        Ok(())
    });
    pure("get").set_into_module(library, |text: &str, index: i64| -> Result<Dynamic, Failure> {
        check_bytes(text.len())?;
        let char = char_at(text, index).and_then(|at| text[at..].chars().next());
        Ok(char.map_or(Dynamic::UNIT, Dynamic::from))
    });
    changing("pop").set_into_module(library, |text: &mut Text, len: i64| -> Result<Text, Failure> {
        check_bytes(text.len())?;
        let kept = if len > 0 { start_of(text, -len).unwrap_or(0) } else { text.len() };
        let popped = text[kept..].into();
        *text = text[..kept].into();
        Ok(popped)
    });
}

/// So many chars from the char `start` on.
fn part(text: &str, start: i64, len: i64) -> &str {
    let Some(start) = start_of(text, start) else { return "" };
    let rest = &text[start..];
    &rest[..end_of(rest, len)]
}

fn replacing(library: &mut Module) {
    type Receiver<'a> = &'a mut Text;
    changing("replace")
        .set_into_module(library, |text: Receiver<'_>, wanted: &str, by: &str| replace(text, wanted, by));
    changing("replace").set_into_module(library, |text: Receiver<'_>, wanted: &str, by: char| {
        replace(text, wanted, by.encode_utf8(&mut [0; 4]))
    });
    changing("replace").set_into_module(library, |text: Receiver<'_>, wanted: char, by: &str| {
        replace(text, wanted.encode_utf8(&mut [0; 4]), by)
    });
    changing("replace").set_into_module(library, |text: Receiver<'_>, wanted: char, by: char| {
        replace(text, wanted.encode_utf8(&mut [0; 4]), by.encode_utf8(&mut [0; 4]))
    });
    changing("remove").set_into_module(library, |text: Receiver<'_>, wanted: &str| replace(text, wanted, ""));
    changing("remove").set_into_module(library, |text: Receiver<'_>, wanted: char| {
        replace(text, wanted.encode_utf8(&mut [0; 4]), "")
    });
}

fn replace(text: &mut Text, wanted: &str, by: &str) -> Result<(), Failure> {
    if text.is_empty() || wanted.is_empty() && by.is_empty() {
        return Ok(());
    }
    let mut interrupt = InterruptCheck::default();
    let mut found = 0_usize;
    for_each_match(text, wanted, |_| {
        found += 1;
        interrupt.count(1)
    })?;
    if found == 0 {
        return Ok(());
    }
    let length = found.saturating_mul(by.len()).saturating_add(text.len() - found * wanted.len());
    limits::text("replace", length)?;
    let mut out = String::with_capacity(length);
    let mut done = 0;
    for_each_match(text, wanted, |at| {
        out.push_str(&text[done..at]);
        out.push_str(by);
        done = at + wanted.len();
        interrupt.count(1)
    })?;
    out.push_str(&text[done..]);
    *text = out.into();
    Ok(())
}

/// Goes through where `wanted` stands, one place after the other; the empty text stands before each char and at the
/// end.
fn for_each_match(
    text: &str,
    wanted: &str,
    mut at: impl FnMut(usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if wanted.is_empty() {
        return text.char_indices().map(|(index, _)| index).chain([text.len()]).try_for_each(at);
    }
    let finder = memmem::Finder::new(wanted);
    finder.find_iter(text.as_bytes()).try_for_each(&mut at)
}

/// The byte where the char of this index begins, which may count from the end; `None` for one that is not there.
fn char_at(text: &str, index: i64) -> Option<usize> {
    // `start_of` stops at the first char; here nothing stands before it.
    let outside =
        index < 0 && text.chars().count() < usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    start_of(text, index).filter(|_| !outside)
}

/// Another char at one place; a negative one counts from the end. What is not there stays so.
fn set(text: &mut Text, index: i64, char: char) -> Result<(), Failure> {
    let Some(at) = char_at(text, index) else { return Ok(()) };
    let after = at + text[at..].chars().next().map_or(0, char::len_utf8);
    limits::text("set", text.len() + char.len_utf8())?;
    *text = [&text[..at], char.encode_utf8(&mut [0; 4]), &text[after..]].concat().into();
    Ok(())
}

fn pad(text: &mut Text, len: i64, by: &str) -> Result<(), Failure> {
    let Ok(len) = usize::try_from(len) else { return Ok(()) };
    let missing = len.saturating_sub(text.chars().count());
    if missing == 0 {
        return Ok(());
    }
    if by.is_empty() {
        return Err(raise("pad: the text to pad with is empty"));
    }
    let each = by.chars().count();
    let rest = &by[..end_of(by, i64::try_from(missing % each).unwrap_or(0))];
    let padding = (missing / each).saturating_mul(by.len()).saturating_add(rest.len());
    limits::text("pad", text.len().saturating_add(padding))?;
    let mut padded = String::with_capacity(text.len() + padding);
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(by, missing / each));
    padded.push_str(rest);
    *text = padded.into();
    Ok(())
}

fn upper(text: Text) -> Result<Text, Failure> {
    if text.chars().all(char::is_uppercase) {
        return Ok(text);
    }
    converted("to_upper", &text, true, str::to_uppercase)
}

fn lower(text: Text) -> Result<Text, Failure> {
    if text.chars().all(char::is_lowercase) {
        return Ok(text);
    }
    // What becomes of a sigma depends on its word; of any other char, on nothing but itself.
    let cut_anywhere = memmem::find(text.as_bytes(), "Σ".as_bytes()).is_none();
    converted("to_lower", &text, cut_anywhere, str::to_lowercase)
}

/// The amount of a text that is converted at once, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// The text in another case, converted in parts that end with a word unless they may be cut anywhere.
fn converted(
    function: &str,
    text: &str,
    cut_anywhere: bool,
    convert: fn(&str) -> String,
) -> Result<Text, Failure> {
    let mut interrupt = InterruptCheck::default();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let later = rest.as_bytes().get(CHUNK_BYTES..).unwrap_or_default();
        let word_end =
            || later.iter().position(|byte| matches!(byte, b' ' | b'\n')).map(|at| CHUNK_BYTES + at + 1);
        let end = if cut_anywhere {
            rest.floor_char_boundary(CHUNK_BYTES)
        } else {
            word_end().unwrap_or(rest.len())
        };
        let (part, later) = rest.split_at(end);
        out.push_str(&convert(part));
        limits::text(function, out.len())?;
        interrupt.count(part.len())?;
        rest = later;
    }
    Ok(out.into())
}

fn sums(library: &mut Module) {
    pure("+").set_into_module(library, |a: &str, b: &str| sum(a, b));
    pure("+").set_into_module(library, |text: &str, char: char| sum(text, char.encode_utf8(&mut [0; 4])));
    pure("+").set_into_module(library, |char: char, text: &str| sum(char.encode_utf8(&mut [0; 4]), text));
    pure("+").set_into_module(library, |context: Context<'_>, text: &mut Text, item: Dynamic| {
        sum(text, &shown(&context, &item))
    });
    pure("+").set_into_module(library, |context: Context<'_>, item: &mut Dynamic, text: &str| {
        sum(&shown(&context, item), text)
    });
    pure("+").set_into_module(library, |text: Text, utf8: Blob| sum(&text, &String::from_utf8_lossy(&utf8)));
    pure("+").set_into_module(library, |utf8: Blob, text: &str| sum(&String::from_utf8_lossy(&utf8), text));
    changing("+=").set_into_module(library, |text: &mut Text, more: Text| add(text, &more));
    // Rhai has this one for constants, too, which it does not change.
    pure("+=")
        .set_into_module(library, |text: &mut Text, char: char| add(text, char.encode_utf8(&mut [0; 4])));
    for name in ["+=", "append"] {
        changing(name).set_into_module(library, |context: Context<'_>, text: &mut Text, item: Dynamic| {
            add(text, &shown(&context, &item))
        });
        changing(name).set_into_module(library, |text: &mut Text, utf8: Blob| {
            add(text, &String::from_utf8_lossy(&utf8))
        });
    }
}

fn sum(a: &str, b: &str) -> Result<Text, Failure> {
    limits::text("+", a.len() + b.len())?;
    Ok([a, b].concat().into())
}

fn add(text: &mut Text, more: &str) -> Result<(), Failure> {
    limits::text("+=", text.len() + more.len())?;
    *text += more;
    Ok(())
}
