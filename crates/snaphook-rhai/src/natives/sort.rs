//! Sorting: a merge sort of places, so that an error of the comparing function ends it at once and leaves the list as it
//! was. Rhai's own goes on without a word, also when the script is to be stopped.

use rhai::{Array, Dynamic, FnPtr, Module, NativeCallContext};

use crate::natives::interrupt::InterruptCheck;
use crate::natives::{Failure, changing};
use crate::raise::raise;

type Context<'a> = NativeCallContext<'a>;

pub(super) fn register(library: &mut Module) {
    type Items<'a> = &'a mut Array;
    for name in ["sort", "sort_by"] {
        changing(name).set_into_module(library, |context: Context<'_>, items: Items<'_>, f: FnPtr| {
            sort_by(&context, items, &f)
        });
    }
    // Rhai's older form, with the name of a function.
    changing("sort").set_into_module(library, |context: Context<'_>, items: Items<'_>, f: &str| {
        sort_by(&context, items, &FnPtr::new(f)?)
    });
    changing("sort").set_into_module(library, |items: Items<'_>| sort_natural(items, false));
    changing("sort_desc").set_into_module(library, |items: Items<'_>| sort_natural(items, true));
    for name in ["order", "order_by"] {
        changing(name).set_into_module(library, |context: Context<'_>, items: Items<'_>, f: FnPtr| {
            let mut copy = items.clone();
            sort_by(&context, &mut copy, &f).map(|()| copy)
        });
    }
    changing("order").set_into_module(library, |items: Items<'_>| {
        let mut copy = items.clone();
        sort_natural(&mut copy, false).map(|()| copy)
    });
    changing("order_desc").set_into_module(library, |items: Items<'_>| {
        let mut copy = items.clone();
        sort_natural(&mut copy, true).map(|()| copy)
    });
}

/// Sorts by a function of two values that says which comes first: a negative or positive number, or whether the first
/// does.
fn sort_by(context: &Context<'_>, items: &mut Array, compare: &FnPtr) -> Result<(), Failure> {
    merge_sort(items, |a, b| {
        let said = compare.call_raw(context, None, [a.clone(), b.clone()])?;
        let before = said.as_bool().or_else(|_| said.as_int().map(|number| number < 0));
        before.map_err(|_| raise("sort: the comparing function has to give a number or a boolean"))
    })
}

/// Sorts values of one type by their natural order.
fn sort_natural(items: &mut Array, descending: bool) -> Result<(), Failure> {
    let Some(first) = items.first() else { return Ok(()) };
    if items.iter().any(|item| item.type_id() != first.type_id()) {
        return Err(raise("elements of different types cannot be sorted"));
    }
    let known = first.is_int()
        || first.is_float()
        || first.is_char()
        || first.is_bool()
        || first.is_unit()
        || first.is_string();
    if items.len() > 1 && !known {
        return Err(raise(format!("elements of {} cannot be sorted", first.type_name())));
    }
    let mut interrupt = InterruptCheck::default();
    merge_sort(items, |a, b| {
        interrupt.count(1)?;
        let (a, b) = if descending { (b, a) } else { (a, b) };
        if let (Ok(a), Ok(b)) = (a.as_int(), b.as_int()) {
            return Ok(a < b);
        }
        if let (Ok(a), Ok(b)) = (a.as_immutable_string_ref(), b.as_immutable_string_ref()) {
            interrupt.count(a.len().min(b.len()) / 8)?;
            return Ok(a.as_str() < b.as_str());
        }
        if let (Ok(a), Ok(b)) = (a.as_float(), b.as_float()) {
            return Ok(a < b);
        }
        if let (Ok(a), Ok(b)) = (a.as_char(), b.as_char()) {
            return Ok(a < b);
        }
        Ok(a.as_bool().is_ok_and(|a| !a) && b.as_bool().is_ok_and(|b| b))
    })
}

/// A stable sort; `before` returns whether its first value comes before its second.
fn merge_sort(
    items: &mut Array,
    mut before: impl FnMut(&Dynamic, &Dynamic) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let len = items.len();
    let mut order: Vec<usize> = (0..len).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(len);
    let mut width = 1;
    while width < len {
        merged.clear();
        for run in order.chunks(width * 2) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
                if before(&items[*b], &items[*a])? {
                    merged.push(*b);
                    right = right_rest;
                } else {
                    merged.push(*a);
                    left = left_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    let mut taken: Vec<Dynamic> = std::mem::take(items);
    *items = order.into_iter().map(|at| taken.get_mut(at).map(std::mem::take).unwrap_or_default()).collect();
    Ok(())
}
