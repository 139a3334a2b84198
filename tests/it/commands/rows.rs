//! `docs/dev/compatibility.md` says of each behaviour of the systems that command hooks come from where it is shown. Here: that no row is
//! missing or given twice, and that each named test exists.

use std::collections::HashMap;

use crate::tree::{root, text};

/// The rows of each system: the letter of its ids, and how many there are.
const ROWS: [(char, usize); 4] = [('D', 91), ('S', 20), ('I', 48), ('M', 49)];

#[test]
fn every_row_is_shown_by_a_test_or_says_why_not() {
    let page = text("docs/dev/compatibility.md");
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut wrong = Vec::new();
    for (id, shown) in rows(&page) {
        *seen.entry(id.clone()).or_default() += 1;
        let tests: Vec<&str> =
            shown.split('`').skip(1).step_by(2).filter(|test| test.contains("::")).collect();
        if tests.is_empty() && !shown.trim_start().starts_with("not here: ") {
            wrong.push(format!("{id} names no test and no reason"));
        }
        wrong.extend(
            tests.into_iter().filter_map(|test| missing(test).map(|why| format!("{id}: {test}: {why}"))),
        );
    }
    for id in ROWS.iter().flat_map(|(letter, count)| (1..=*count).map(move |at| format!("{letter}-{at:03}")))
    {
        match seen.remove(&id) {
            None => wrong.push(format!("{id} is missing")),
            Some(1) => {}
            Some(times) => wrong.push(format!("{id} is there {times} times")),
        }
    }
    wrong.extend(seen.into_keys().map(|id| format!("there is no row {id}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The tables above those with ids: what differs, and what was found to differ once.
#[test]
fn every_difference_is_shown_by_a_test() {
    let page = text("docs/dev/compatibility.md");
    let (above, _) = page.split_once("\n## ").unwrap();
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| what |");
    let mut wrong = Vec::new();
    let lines: Vec<_> = above.lines().filter(is_row).collect();
    for line in &lines {
        let shown = line.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let tests: Vec<&str> =
            shown.split('`').skip(1).step_by(2).filter(|test| test.contains("::")).collect();
        if tests.is_empty() {
            wrong.push(format!("no test: {line}"));
        }
        wrong.extend(tests.into_iter().filter_map(|test| missing(test).map(|why| format!("{test}: {why}"))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines.len() > 30, "the tables are read: {}", lines.len());
}

/// The ids of the page's tables with their last columns.
fn rows(page: &str) -> Vec<(String, String)> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let ids = |cell: &str| {
        let mut chars = cell.chars();
        chars.next().is_some_and(|first| first.is_ascii_uppercase()) && chars.next() == Some('-')
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let (first, last) = (cells.first()?, cells.last()?);
        (cells.len() == 3 && ids(first)).then(|| ((*first).to_owned(), (*last).to_owned()))
    };
    cells.filter_map(row).collect()
}

/// Returns why a test, `path/to/file.rs::name`, is invalid.
fn missing(test: &str) -> Option<String> {
    let (file, name) = test.split_once("::")?;
    let Ok(source) = std::fs::read_to_string(root().join(file)) else {
        return Some("there is no such file".to_owned());
    };
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let named = |line: &str| {
        let rest = line.strip_prefix("async ").unwrap_or(line);
        rest.strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('('))
    };
    let Some(at) = lines.iter().position(|line| named(line)) else {
        return Some("there is no such function".to_owned());
    };
    let above =
        lines.iter().take(at).rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    let is_test =
        above.into_iter().any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"));
    // Of a macro that makes tests, the attribute is somewhere else.
    (!is_test).then(|| "it is no test".to_owned())
}

#[test]
fn what_is_no_test_is_found() {
    let here = "tests/it/commands/rows.rs";
    assert_eq!(missing(&format!("{here}::what_is_no_test_is_found")), None);
    for (test, why) in [
        (format!("{here}::rows"), "no test"),
        (format!("{here}::what_is_no_test_is"), "no such function"),
        ("tests/it/nowhere.rs::x".to_owned(), "no such file"),
    ] {
        assert!(missing(&test).is_some_and(|said| said.contains(why)), "{test}");
    }
    let page = "| id | what | shown by |\n|---|---|---|\n| D-001 | a | `x.rs::y` |\n| D-002 | b | not here: c |\ntext D-003 | x |\n";
    let found: Vec<_> = rows(page).into_iter().map(|(id, shown)| format!("{id} {shown}")).collect();
    assert_eq!(found, ["D-001 `x.rs::y`", "D-002 not here: c"]);
}
