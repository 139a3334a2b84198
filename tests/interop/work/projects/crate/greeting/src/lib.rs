//! A crate that another one has by its path.

/// A sentence about a number.
pub fn of(number: u32) -> String {
    format!("{number} is here")
}
