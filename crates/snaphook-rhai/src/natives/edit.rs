//! Texts made out of texts: the length is known before the memory is taken.

use std::ops::{Range, RangeInclusive};

use memchr::memmem;
use rhai::{Blob, Dynamic, ImmutableString, Module, NativeCallContext};

use crate::bindings::raise;
use crate::natives::print::shown;
use crate::natives::pulse::Pulse;
use crate::natives::search::{end_of, start_of};
use crate::natives::{Failure, changing, exclusive, inclusive, limits, pure};

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
    pure("to_upper").set_into_module(library, |context: Context<'_>, text: Text| upper(&context, text));
    pure("to_lower").set_into_module(library, |context: Context<'_>, text: Text| lower(&context, text));
    changing("make_upper").set_into_module(library, |context: Context<'_>, text: &mut Text| {
        upper(&context, text.clone()).map(|changed| *text = changed)
    });
    changing("make_lower").set_into_module(library, |context: Context<'_>, text: &mut Text| {
        lower(&context, text.clone()).map(|changed| *text = changed)
    });
}

fn parts(library: &mut Module) {
    let of = |text: &str, (start, len): (i64, i64)| -> Text { part(text, start, len).into() };
    pure("sub_string")
        .set_into_module(library, move |text: &str, start: i64, len: i64| of(text, (start, len)));
    pure("sub_string").set_into_module(library, move |text: &str, start: i64| of(text, (start, i64::MAX)));
    pure("sub_string")
        .set_into_module(library, move |text: &str, range: Range<i64>| of(text, exclusive(&range)));
    pure("sub_string")
        .set_into_module(library, move |text: &str, range: RangeInclusive<i64>| of(text, inclusive(&range)));
    let crop = move |text: &mut Text, span: (i64, i64)| *text = of(text, span);
    changing("crop")
        .set_into_module(library, move |text: &mut Text, start: i64, len: i64| crop(text, (start, len)));
    changing("crop")
        .set_into_module(library, move |text: &mut Text, start: i64| crop(text, (start, i64::MAX)));
    changing("crop")
        .set_into_module(library, move |text: &mut Text, range: Range<i64>| crop(text, exclusive(&range)));
    changing("crop").set_into_module(library, move |text: &mut Text, range: RangeInclusive<i64>| {
        crop(text, inclusive(&range));
    });
    changing("pop").set_into_module(library, |text: &mut Text, len: i64| -> Text {
        let kept = match len > 0 {
            true => start_of(text, -len).unwrap_or(0),
            false => text.len(),
        };
        let popped = text[kept..].into();
        *text = text[..kept].into();
        popped
    });
}

/// So many chars from the char `start` on.
fn part(text: &str, start: i64, len: i64) -> &str {
    let Some(start) = start_of(text, start) else { return "" };
    let rest = &text[start..];
    &rest[..end_of(rest, len)]
}

fn replacing(library: &mut Module) {
    changing("replace").set_into_module(library, replace);
    changing("replace").set_into_module(library, |text: &mut Text, wanted: &str, by: char| {
        replace(text, wanted, by.encode_utf8(&mut [0; 4]))
    });
    changing("replace").set_into_module(library, |text: &mut Text, wanted: char, by: &str| {
        replace(text, wanted.encode_utf8(&mut [0; 4]), by)
    });
    changing("replace").set_into_module(library, |text: &mut Text, wanted: char, by: char| {
        replace(text, wanted.encode_utf8(&mut [0; 4]), by.encode_utf8(&mut [0; 4]))
    });
}

fn replace(text: &mut Text, wanted: &str, by: &str) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    let found = match wanted.is_empty() {
        // The empty text stands before each char and at the end.
        true => text.chars().count() + 1,
        false => memmem::find_iter(text.as_bytes(), wanted).count(),
    };
    if found == 0 {
        return Ok(());
    }
    let kept = text.len() - found.saturating_mul(wanted.len());
    limits::text("replace", found.saturating_mul(by.len()).saturating_add(kept))?;
    *text = text.replace(wanted, by).into();
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

fn upper(context: &Context<'_>, text: Text) -> Result<Text, Failure> {
    if text.chars().all(char::is_uppercase) {
        return Ok(text);
    }
    converted(context, "to_upper", &text, str::to_uppercase)
}

fn lower(context: &Context<'_>, text: Text) -> Result<Text, Failure> {
    if text.chars().all(char::is_lowercase) {
        return Ok(text);
    }
    converted(context, "to_lower", &text, str::to_lowercase)
}

/// How much of a text is converted at once, in bytes.
const CHUNK: usize = 256 << 10;

/// The text in another case. It is converted in parts that end with a space or a line's end: what becomes of a char
/// depends on its word (a sigma at the end of a Greek word), never on another word.
fn converted(
    context: &Context<'_>,
    function: &str,
    text: &str,
    convert: fn(&str) -> String,
) -> Result<Text, Failure> {
    let mut pulse = Pulse::new(context);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let is_end = |byte: &u8| matches!(byte, b' ' | b'\n');
        let end = match bytes.get(CHUNK..).and_then(|later| later.iter().position(is_end)) {
            Some(at) => CHUNK + at + 1,
            None => bytes.len(),
        };
        let (part, later) = rest.split_at(end);
        out.push_str(&convert(part));
        limits::text(function, out.len())?;
        pulse.beat(part.len())?;
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
