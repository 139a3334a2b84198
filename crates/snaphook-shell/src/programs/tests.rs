//! The table is whole: every name is found in its row, and in no other.

use std::collections::HashSet;

use super::index::rows;
use super::{find, word_count, words};

#[test]
fn every_name_is_in_one_row_and_found_there() {
    let mut seen = HashSet::new();
    for row in rows() {
        assert!(!row.names.is_empty());
        for name in row.names {
            assert!(seen.insert(name), "`{name}` is in two rows");
            assert!(find(name).is_some_and(|found| found.names == row.names), "`{name}` is not found");
        }
    }
    assert!(seen.len() > 700 && seen.len() < 1024, "{} names: make the index larger", seen.len());
    for name in ["", "nothing-of-this-name", "SUDO", "rm ", "sud"] {
        assert!(find(name).is_none(), "{name:?}");
    }
}

#[test]
fn words_are_parted_by_blanks_and_line_ends() {
    assert_eq!(words!(" a  bc\n   d\\ "), &["a", "bc", "d\\"]);
    assert_eq!(word_count(" "), 0);
}
