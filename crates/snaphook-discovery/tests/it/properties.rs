//! Properties of any input.

use std::cmp::Ordering;

use proptest::prelude::*;
use snaphook_core::ExecGrant;
use snaphook_discovery::front_matter::{FileKind, blank, parse, split};
use snaphook_discovery::{decode, natural_cmp, printable};

fn kinds() -> impl Strategy<Value = FileKind> {
    prop_oneof![Just(FileKind::Lua), Just(FileKind::Rhai), Just(FileKind::Executable)]
}

/// Text that often is nearly front matter.
fn nearly() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("-----".to_owned()),
        Just("---".to_owned()),
        Just("#---".to_owned()),
        Just("#!x".to_owned()),
        "(-- |# |// |)(name|api|grants|exec|x):? ?[ -~]{0,12}",
        "(-- |# |)[ ]{0,4}(- |\\[|\\{|&a |\\*a|!!x |\\? |<<: )?[a-z\"'|>:,\\]}]{0,6}",
        any::<String>(),
    ];
    (prop::collection::vec(line, 0..12), prop_oneof![Just("\n"), Just("\r\n")])
        .prop_map(|(lines, end)| lines.join(end))
}

/// Names that collide and differ in case, digits and zeros.
fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[aAbB0-9 ._-]{0,8}", "[a-b]?0{0,3}[0-9]{1,25}[aA]?", any::<String>()]
}

proptest! {
    #[test]
    fn front_matter_never_panics_and_names_real_lines(text in nearly(), kind in kinds()) {
        let lines = u32::try_from(text.lines().count()).unwrap();
        if let Err(diagnostics) = parse(&text, kind) {
            prop_assert!(!diagnostics.is_empty());
            for diagnostic in diagnostics {
                prop_assert!(diagnostic.line.is_some_and(|line| (1..=lines).contains(&line)), "{diagnostic:?}");
                prop_assert!(!diagnostic.message.chars().any(char::is_control), "{diagnostic:?}");
            }
        }
    }

    #[test]
    fn any_text_is_survived(text in any::<String>(), kind in kinds()) {
        let _ = parse(&text, kind);
        let _ = parse(&format!("---\n{text}\n---\n"), kind);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match decode(&bytes) {
            Ok(text) => prop_assert!(!text.contains('\0')),
            Err(diagnostic) => {
                let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
                prop_assert!((1..=lines).contains(&(diagnostic.line.unwrap() as usize)));
            }
        }
    }

    #[test]
    fn blanking_keeps_every_line_after_the_block(text in nearly(), kind in kinds()) {
        let Ok(block) = split(&text, kind) else { return Ok(()) };
        let Some(blanked) = blank(&text, block.as_ref(), kind) else { return Ok(()) };
        prop_assert_eq!(blanked.matches('\n').count(), text.matches('\n').count());
        let end = block.map_or(1, |block| block.close) as usize;
        prop_assert!(blanked.lines().skip(end).eq(text.lines().skip(end)));
    }

    #[test]
    fn names_and_grants_come_back(
        name in "[!-~äß漢🎣][ -~äß漢🎣]{0,40}[!-~]",
        exec in prop::collection::vec("[!-~]([ -~]{0,10}[!-~])?", 0..4),
        leader in prop_oneof![Just(("-----", "-- ")), Just(("-- ---", "--")), Just(("---", ""))],
    ) {
        let (delimiter, leader) = leader;
        let name_yaml = serde_json::to_string(&name).unwrap();
        let exec_yaml = serde_json::to_string(&exec).unwrap();
        let text = format!(
            "{delimiter}\n{leader}name: {name_yaml}\n{leader}grants:\n{leader}  exec: {exec_yaml}\n{delimiter}\n"
        );
        let is_grant = |entry: &String| ExecGrant::parse(entry).is_ok();
        let found = parse(&text, FileKind::Lua);
        prop_assert_eq!(found.is_ok(), exec.iter().all(is_grant));
        let Ok(found) = found else { return Ok(()) };
        let found = found.unwrap();
        prop_assert_eq!(found.name, Some(name));
        prop_assert_eq!(found.grants.exec, exec);
    }

    #[test]
    fn natural_order_is_total(a in names(), b in names(), c in names()) {
        prop_assert_eq!(natural_cmp(&a, &b), natural_cmp(&b, &a).reverse());
        prop_assert_eq!(natural_cmp(&a, &b) == Ordering::Equal, a == b);
        if natural_cmp(&a, &b).is_le() && natural_cmp(&b, &c).is_le() {
            prop_assert!(natural_cmp(&a, &c).is_le());
        }
    }

    #[test]
    fn natural_order_counts(a in any::<u64>(), b in any::<u64>(), zeros in 0_usize..4) {
        let left = format!("{}{a}-x.lua", "0".repeat(zeros));
        let right = format!("{b}-x.lua");
        if a != b {
            prop_assert_eq!(natural_cmp(&left, &right), a.cmp(&b));
        }
    }

    #[test]
    fn nothing_printable_is_lost(text in any::<String>()) {
        let shown = printable(&text);
        prop_assert!(!shown.chars().any(char::is_control));
        prop_assert!(text.chars().any(char::is_control) || shown.len() >= text.len());
    }
}

#[test]
fn natural_order_examples() {
    let mut names = ["10-x", "2-x", "B", "a", "2-X", "02-x", "a2", "a10", "", "é"];
    names.sort_by(|a, b| natural_cmp(a, b));
    assert_eq!(names, ["", "02-x", "2-X", "2-x", "10-x", "a", "a2", "a10", "B", "é"]);
}
