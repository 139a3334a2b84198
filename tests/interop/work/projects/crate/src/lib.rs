//! A library with a table that its build script made.

include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The square of a small number.
///
/// ```
/// assert_eq!(parcel::square(7), Some(49));
/// ```
pub fn square(number: usize) -> Option<u32> {
    SQUARES.get(number).copied()
}

#[cfg(test)]
mod tests {
    #[test]
    fn small_numbers_have_squares() {
        assert_eq!((0..100).filter_map(super::square).sum::<u32>(), 328_350);
        assert_eq!(super::square(100), None);
    }

    #[test]
    #[should_panic(expected = "no square")]
    fn a_panic_is_caught() {
        super::square(1000).expect("no square");
    }
}
