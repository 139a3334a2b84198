//! Comparing values, and finding one in a list: without a copy of what is compared, and no deeper than
//! values may nest.

use rhai::{Array, Dynamic, EvalAltResult, FnPtr, Map, Module, NativeCallContext};

use crate::natives::interrupt::InterruptCheck;
use crate::natives::{Failure, changing, limits, pure, span};
use crate::raise::raise;

type Context<'a> = NativeCallContext<'a>;

const EQUALS: &str = "==";

pub(super) fn register(library: &mut Module) {
    pure("==").set_into_module(library, |context: Context<'_>, a: &mut Array, b: Array| {
        Comparison::new(&context).arrays(a, &b, 0)
    });
    pure("!=").set_into_module(library, |context: Context<'_>, a: &mut Array, b: Array| {
        Comparison::new(&context).arrays(a, &b, 0).map(|equal| !equal)
    });
    pure("==").set_into_module(library, |context: Context<'_>, a: &mut Map, b: Map| {
        Comparison::new(&context).maps(a, &b, 0)
    });
    pure("!=").set_into_module(library, |context: Context<'_>, a: &mut Map, b: Map| {
        Comparison::new(&context).maps(a, &b, 0).map(|equal| !equal)
    });
    pure("contains").set_into_module(library, |context: Context<'_>, items: &mut Array, wanted: Dynamic| {
        position(&context, items, &wanted, 0).map(|found| found.is_some())
    });
    pure("index_of").set_into_module(library, |context: Context<'_>, items: &mut Array, wanted: Dynamic| {
        position(&context, items, &wanted, 0).map(index)
    });
    pure("index_of").set_into_module(
        library,
        |context: Context<'_>, items: &mut Array, wanted: Dynamic, start: i64| {
            let (start, _) = span(items.len(), start, 0);
            position(&context, items, &wanted, start).map(index)
        },
    );
    changing("dedup").set_into_module(library, |context: Context<'_>, items: &mut Array| {
        let mut comparison = Comparison::new(&context);
        dedup(items, |kept, next| comparison.values(kept, next, 0))
    });
    changing("dedup").set_into_module(library, |context: Context<'_>, items: &mut Array, same: FnPtr| {
        dedup_by(&context, items, &same)
    });
    // Rhai's older form, with the name of a function.
    changing("dedup").set_into_module(library, |context: Context<'_>, items: &mut Array, same: &str| {
        dedup_by(&context, items, &FnPtr::new(same)?)
    });
}

fn index(found: Option<usize>) -> i64 {
    found.map_or(-1, |at| i64::try_from(at).unwrap_or(i64::MAX))
}

fn position(
    context: &Context<'_>,
    items: &Array,
    wanted: &Dynamic,
    start: usize,
) -> Result<Option<usize>, Failure> {
    let mut comparison = Comparison::new(context);
    for (index, item) in items.iter().enumerate().skip(start) {
        if comparison.values(item, wanted, 0)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn dedup_by(context: &Context<'_>, items: &mut Array, same: &FnPtr) -> Result<(), Failure> {
    dedup(items, |kept, next| {
        Ok(same.call_raw(context, None, [kept.clone(), next.clone()])?.as_bool().unwrap_or(false))
    })
}

/// Drops each item that is the same as the one kept before it. After an error all items are as they were.
fn dedup(
    items: &mut Array,
    mut same: impl FnMut(&Dynamic, &Dynamic) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let mut last = 0;
    let mut kept = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let keep = index == 0 || !same(&items[last], item)?;
        if keep {
            last = index;
        }
        kept.push(keep);
    }
    let mut kept = kept.into_iter();
    items.retain(|_| kept.next().unwrap_or(true));
    Ok(())
}

/// Compares within one call.
struct Comparison<'a> {
    context: &'a Context<'a>,
    interrupt: InterruptCheck,
}

impl<'a> Comparison<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        Comparison { context, interrupt: InterruptCheck::default() }
    }

    fn values(&mut self, a: &Dynamic, b: &Dynamic, depth: usize) -> Result<bool, Failure> {
        self.interrupt.count(1)?;
        if let Some(equal) = small(a, b) {
            return Ok(equal);
        }
        if let (Ok(a), Ok(b)) = (a.as_immutable_string_ref(), b.as_immutable_string_ref()) {
            if a.len() != b.len() {
                return Ok(false);
            }
            self.interrupt.count(a.len() / 8)?;
            return Ok(a.as_str() == b.as_str());
        }
        if let (Ok(a), Ok(b)) = (a.as_array_ref(), b.as_array_ref()) {
            return self.arrays(&a, &b, depth + 1);
        }
        if let (Ok(a), Ok(b)) = (a.as_map_ref(), b.as_map_ref()) {
            return self.maps(&a, &b, depth + 1);
        }
        if let (Ok(a), Ok(b)) = (a.as_blob_ref(), b.as_blob_ref()) {
            self.interrupt.count(a.len().min(b.len()) / 8)?;
            return Ok(*a == *b);
        }
        if is_long(a) || is_long(b) {
            return Ok(false);
        }
        self.others(a, b)
    }

    fn arrays(&mut self, a: &Array, b: &Array, depth: usize) -> Result<bool, Failure> {
        shallow(depth)?;
        if a.len() != b.len() {
            return Ok(false);
        }
        for (a, b) in a.iter().zip(b) {
            if !self.values(a, b, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn maps(&mut self, a: &Map, b: &Map, depth: usize) -> Result<bool, Failure> {
        shallow(depth)?;
        if a.len() != b.len() {
            return Ok(false);
        }
        for ((key, a), (other, b)) in a.iter().zip(b) {
            if key != other || !self.values(a, b, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whatever has its own `==`. Such values cost nothing to copy, but the call costs a thousand times as much as
    /// comparing two numbers.
    fn others(&self, a: &Dynamic, b: &Dynamic) -> Result<bool, Failure> {
        let equal = self.context.call_native_fn_raw(EQUALS, true, &mut [&mut a.clone(), &mut b.clone()]);
        match equal {
            Ok(equal) => Ok(equal.as_bool().unwrap_or(false)),
            // Values of two types without a comparison are different; two of one type cannot be told.
            Err(error) => match *error {
                EvalAltResult::ErrorFunctionNotFound(ref function, _)
                    if function.starts_with(EQUALS) && a.type_id() != b.type_id() =>
                {
                    Ok(false)
                }
                _ => Err(error),
            },
        }
    }
}

/// Values without parts, where Rhai compares them itself.
fn small(a: &Dynamic, b: &Dynamic) -> Option<bool> {
    if let (Ok(a), Ok(b)) = (a.as_int(), b.as_int()) {
        return Some(a == b);
    }
    if let (Ok(a), Ok(b)) = (a.as_bool(), b.as_bool()) {
        return Some(a == b);
    }
    if let (Ok(a), Ok(b)) = (a.as_char(), b.as_char()) {
        return Some(a == b);
    }
    // Nothing equals `()` but itself.
    (a.is_unit() || b.is_unit()).then(|| a.is_unit() && b.is_unit())
}

fn is_long(value: &Dynamic) -> bool {
    value.is_array() || value.is_map() || value.is_blob()
}

fn shallow(depth: usize) -> Result<(), Failure> {
    if depth < limits::DEPTH {
        Ok(())
    } else {
        Err(raise(format!("values that nest deeper than {} levels cannot be compared", limits::DEPTH)))
    }
}
