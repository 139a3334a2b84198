//! Walking over a text char by char, without a list of them all.

use std::any::TypeId;
use std::ops::{Range, RangeInclusive};

use rhai::{Dynamic, ImmutableString, Module};

use crate::natives::interrupt::check_bytes;
use crate::natives::search::{end_of, start_of};
use crate::natives::{Failure, exclusive, pure};

/// The chars of a part of a text, one after the other.
#[derive(Clone)]
struct Chars {
    text: ImmutableString,
    at: usize,
    end: usize,
}

impl Chars {
    fn new(text: ImmutableString, start: i64, len: i64) -> Result<Self, Failure> {
        check_bytes(text.len())?;
        let at = start_of(&text, start).unwrap_or(text.len());
        let end = at + end_of(&text[at..], len);
        Ok(Chars { text, at, end })
    }

    fn all(text: ImmutableString) -> Self {
        let end = text.len();
        Chars { text, at: 0, end }
    }
}

impl Iterator for Chars {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let char = self.text.get(self.at..self.end)?.chars().next()?;
        self.at += char.len_utf8();
        Some(char)
    }
}

pub(super) fn register(library: &mut Module) {
    type Text = ImmutableString;
    library.set_custom_type::<Chars>("chars");
    library.set_iterator::<Chars>();
    library.set_iter(TypeId::of::<Text>(), |text| Box::new(Chars::all(text.cast()).map(Dynamic::from)));
    pure("chars").set_into_module(library, Chars::all);
    library
        .set_getter_fn("chars", |text: &mut Text| -> Result<Chars, Failure> { Ok(Chars::all(text.clone())) });
    pure("chars").set_into_module(library, |text: Text, start: i64| Chars::new(text, start, i64::MAX));
    pure("chars").set_into_module(library, Chars::new);
    pure("chars").set_into_module(library, |text: Text, range: Range<i64>| {
        let (start, len) = exclusive(&range);
        Chars::new(text, start, len)
    });
    pure("chars").set_into_module(library, |text: Text, range: RangeInclusive<i64>| {
        // Other than for the rest of a text, Rhai lets this range be empty.
        let start = (*range.start()).max(0);
        let end = (*range.end()).max(start - 1).min(i64::MAX - 1);
        Chars::new(text, start, end - start + 1)
    });
}
