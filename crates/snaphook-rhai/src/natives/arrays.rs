//! Functions that make arrays longer.

use std::ops::{Range, RangeInclusive};

use rhai::{Array, Dynamic, Module};

use crate::natives::{Failure, changing, exclusive, inclusive, limits, pure, span};
use crate::raise::raise;

pub(super) fn register(library: &mut Module) {
    type Items<'a> = &'a mut Array;
    changing("push").set_into_module(library, |items: Items<'_>, item: Dynamic| -> Result<(), Failure> {
        limits::values("push", items.len() + 1)?;
        items.push(item);
        Ok(())
    });
    changing("append").set_into_module(library, |items: Items<'_>, more: Array| -> Result<(), Failure> {
        limits::values("append", items.len() + more.len())?;
        items.extend(more);
        Ok(())
    });
    pure("+").set_into_module(library, |mut items: Array, more: Array| -> Result<Array, Failure> {
        limits::values("+", items.len() + more.len())?;
        items.extend(more);
        Ok(items)
    });
    changing("insert").set_into_module(
        library,
        |items: Items<'_>, index: i64, item: Dynamic| -> Result<(), Failure> {
            limits::values("insert", items.len() + 1)?;
            let (index, _) = span(items.len(), index, 0);
            items.insert(index, item);
            Ok(())
        },
    );
    changing("pad").set_into_module(library, pad);
    changing("splice").set_into_module(library, splice);
    changing("splice").set_into_module(library, |items: Items<'_>, range: Range<i64>, by: Array| {
        let (start, len) = exclusive(&range);
        splice(items, start, len, by)
    });
    changing("splice").set_into_module(library, |items: Items<'_>, range: RangeInclusive<i64>, by: Array| {
        let (start, len) = inclusive(&range);
        splice(items, start, len, by)
    });
}

fn splice(items: &mut Array, start: i64, len: i64, by: Array) -> Result<(), Failure> {
    let (start, len) = span(items.len(), start, len);
    limits::values("splice", items.len() - len + by.len())?;
    items.splice(start..start + len, by);
    Ok(())
}

fn pad(items: &mut Array, len: i64, item: Dynamic) -> Result<(), Failure> {
    let Ok(len) = usize::try_from(len) else { return Ok(()) };
    let missing = len.saturating_sub(items.len());
    if missing == 0 {
        return Ok(());
    }
    // Each place gets a copy of its own.
    let weight = weigh(&item, 0)?;
    limits::values("pad", items.len().saturating_add(missing.saturating_mul(weight)))?;
    items.resize(len, item);
    Ok(())
}

/// Returns how many values a value holds, itself included; texts are shared, blobs are not.
fn weigh(value: &Dynamic, depth: usize) -> Result<usize, Failure> {
    if depth > limits::DEPTH {
        return Err(raise(format!("pad: the value nests deeper than {} levels", limits::DEPTH)));
    }
    let sum = |weights: &mut dyn Iterator<Item = &Dynamic>| -> Result<usize, Failure> {
        let mut sum = 1_usize;
        for item in weights {
            sum = sum.saturating_add(weigh(item, depth + 1)?);
        }
        Ok(sum)
    };
    if let Ok(items) = value.as_array_ref() {
        return sum(&mut items.iter());
    }
    if let Ok(map) = value.as_map_ref() {
        // A key is as large as its value.
        return sum(&mut map.values()).map(|weight| weight.saturating_mul(2));
    }
    Ok(value.as_blob_ref().map_or(1, |blob| 1 + blob.len() / size_of::<Dynamic>()))
}
