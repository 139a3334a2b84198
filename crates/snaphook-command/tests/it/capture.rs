//! The bounded buffer, against the obvious unbounded one.

use proptest::prelude::*;
use snaphook_command::process::Capture;

/// Text, broken text and noise in pieces of any size.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        "[a-zäß€😀\u{FFFD}]{0,8}".prop_map(String::into_bytes),
        "[é€😀]{1,4}".prop_map(|text| text.as_bytes()[1..].to_vec()),
        "[é€😀]{1,4}".prop_map(|text| text.as_bytes()[..text.len() - 1].to_vec()),
        prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(piece, 0..8)
}

proptest! {
    #[test]
    fn is_the_whole_text_cut_at_a_boundary(pieces in pieces(), limit in 0_usize..48) {
        let mut capture = Capture::new(limit);
        pieces.iter().for_each(|piece| capture.push(piece));
        let all = pieces.concat();
        prop_assert_eq!(capture.total(), all.len() as u64);

        let whole = String::from_utf8_lossy(&all);
        let (text, truncated) = capture.finish();
        prop_assert!(text.len() <= limit);
        prop_assert_eq!(truncated, whole.len() > limit);
        prop_assert_eq!(&text, &whole[..whole.floor_char_boundary(limit)]);
    }
}

#[test]
fn a_limit_of_any_size_is_fine() {
    for (limit, expected) in [(0, ("", true)), (3, ("abc", false)), (usize::MAX, ("abc", false))] {
        let mut capture = Capture::new(limit);
        capture.push(b"abc");
        assert_eq!(capture.finish(), (expected.0.to_owned(), expected.1), "limit {limit}");
    }
}
