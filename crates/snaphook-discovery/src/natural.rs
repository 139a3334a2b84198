//! Natural order of file names. Not here: which files are compared.
//!
//! Own code because the order decides which gate sees a call first. Both crates that were compared get a hook
//! prefix wrong or are no total order: `natord` reads a leading zero as a fraction (`02-x` before `1-x`) and skips
//! spaces, `natural-sort-rs` calls unequal names equal in `Ord` only and knows no case folding.

use std::cmp::Ordering;

/// Compares two file names: runs of digits by their number (any length), all else case-insensitively. Names that
/// differ only in case or in leading zeros fall back to the plain order, so no two different names are equal.
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let order = match (left.chars().next(), right.chars().next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(l), Some(r)) if l.is_ascii_digit() && r.is_ascii_digit() => {
                let (left_number, left_rest) = split_number(left);
                let (right_number, right_rest) = split_number(right);
                (left, right) = (left_rest, right_rest);
                left_number.len().cmp(&right_number.len()).then_with(|| left_number.cmp(right_number))
            }
            // Names in a folder begin alike, and most are ASCII.
            (Some(l), Some(r)) if l.is_ascii() && r.is_ascii() => {
                (left, right) = (&left[1..], &right[1..]);
                l.to_ascii_lowercase().cmp(&r.to_ascii_lowercase())
            }
            (Some(l), Some(r)) => {
                left = &left[l.len_utf8()..];
                right = &right[r.len_utf8()..];
                l.to_lowercase().cmp(r.to_lowercase())
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The leading digits without leading zeros, and the rest of the text.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.trim_start_matches('0'), rest)
}
