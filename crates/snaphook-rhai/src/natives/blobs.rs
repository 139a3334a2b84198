//! Functions that make blobs longer, and lists and texts of them.

use std::ops::{Range, RangeInclusive};

use rhai::{Array, Blob, Dynamic, ImmutableString, Module};

use crate::natives::{Failure, changing, exclusive, inclusive, limits, pure, span};

pub(super) fn register(library: &mut Module) {
    type Bytes<'a> = &'a mut Blob;
    pure("blob").set_into_module(library, |len: i64| blob(len, 0));
    pure("blob").set_into_module(library, blob);
    pure("to_array").set_into_module(library, |blob: Bytes<'_>| -> Result<Array, Failure> {
        limits::values("to_array", blob.len())?;
        Ok(blob.iter().map(|byte| Dynamic::from(i64::from(*byte))).collect())
    });
    pure("as_string").set_into_module(library, |blob: Blob| -> Result<ImmutableString, Failure> {
        // What is no UTF-8 becomes up to three times as long.
        let text = String::from_utf8_lossy(&blob);
        limits::text("as_string", text.len())?;
        Ok(text.as_ref().into())
    });
    for name in ["push", "append"] {
        changing(name).set_into_module(library, |blob: Bytes<'_>, value: i64| extend(blob, &[byte(value)]));
    }
    changing("append").set_into_module(library, |blob: Bytes<'_>, more: Blob| extend(blob, &more));
    changing("append").set_into_module(library, |blob: Bytes<'_>, more: &str| extend(blob, more.as_bytes()));
    changing("append").set_into_module(library, |blob: Bytes<'_>, char: char| {
        extend(blob, char.encode_utf8(&mut [0; 4]).as_bytes())
    });
    changing("insert").set_into_module(
        library,
        |blob: Bytes<'_>, index: i64, value: i64| -> Result<(), Failure> {
            limits::bytes("insert", blob.len() + 1)?;
            let (index, _) = span(blob.len(), index, 0);
            blob.insert(index, byte(value));
            Ok(())
        },
    );
    changing("pad").set_into_module(
        library,
        |blob: Bytes<'_>, len: i64, value: i64| -> Result<(), Failure> {
            let len = usize::try_from(len).unwrap_or(if len < 0 { 0 } else { usize::MAX });
            limits::bytes("pad", len)?;
            blob.resize(len.max(blob.len()), byte(value));
            Ok(())
        },
    );
    changing("splice").set_into_module(library, splice);
    changing("splice").set_into_module(library, |blob: Bytes<'_>, range: Range<i64>, by: Blob| {
        let (start, len) = exclusive(&range);
        splice(blob, start, len, by)
    });
    changing("splice").set_into_module(library, |blob: Bytes<'_>, range: RangeInclusive<i64>, by: Blob| {
        let (start, len) = inclusive(&range);
        splice(blob, start, len, by)
    });
}

/// The lowest byte of a number, as Rhai takes it.
fn byte(value: i64) -> u8 {
    value.to_le_bytes()[0]
}

fn blob(len: i64, value: i64) -> Result<Blob, Failure> {
    let len = usize::try_from(len).unwrap_or(if len < 0 { 0 } else { usize::MAX });
    limits::bytes("blob", len)?;
    Ok(vec![byte(value); len])
}

fn extend(blob: &mut Blob, more: &[u8]) -> Result<(), Failure> {
    limits::bytes("append", blob.len() + more.len())?;
    blob.extend_from_slice(more);
    Ok(())
}

fn splice(blob: &mut Blob, start: i64, len: i64, by: Blob) -> Result<(), Failure> {
    let (start, len) = span(blob.len(), start, len);
    limits::bytes("splice", blob.len() - len + by.len())?;
    match len {
        // Rhai's reading: where nothing is taken out, the new bytes go to the end.
        0 => blob.extend(by),
        len => drop(blob.splice(start..start + len, by)),
    }
    Ok(())
}
