//! The table of docs/security.md: every way in which a hook can fail, and what happens. Each row is one case here, provoked in both
//! languages with the real engines, in a host and through `snaphook check`; a row without a case fails, and so does a case without
//! a row. `cases` has the ways, `scene` provokes them.

mod cases;
mod load_cases;
mod scene;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cases::{CASES, Case, How};
use load_cases::LOAD_CASES;
use scene::{Class, LUA, Language, RHAI};

use crate::tree::text;

/// The text of a cell with nothing to say: the class has no such answer, or the way is not open there.
const NONE: &str = "–";
const COLUMNS: [&str; 6] = ["a hook that …", "gate", "`check` exits", "rewrite", "check", "notify"];

/// The rows under "When a hook fails", by their first cell.
fn rows() -> BTreeMap<String, [String; 5]> {
    let page = text("docs/security.md");
    let section = page.split("\n## ").find(|section| section.starts_with("When a hook fails\n")).unwrap();
    let cells =
        |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut rows = BTreeMap::new();
    let mut tables = 0;
    for line in section.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---")) {
        let mut cells = cells(line);
        if cells == COLUMNS {
            tables += 1;
            continue;
        }
        let what = cells.remove(0);
        let rest: [String; 5] = cells.try_into().unwrap_or_else(|cells| panic!("{what}: {cells:?}"));
        assert!(rows.insert(what.clone(), rest).is_none(), "{what} is there twice");
    }
    assert_eq!(tables, 2, "one table for loading, one for running");
    rows
}

#[test]
fn every_way_to_fail_is_told_and_happens_as_it_is_told() {
    let told = rows();
    let cases: Vec<&Case> = LOAD_CASES.iter().chain(CASES).collect();
    let (next, happened) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    // Some at a time: most of them wait.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let cells = provoke(case);
                    let before = happened.lock().unwrap().insert(case.what.to_owned(), cells);
                    assert!(before.is_none(), "{} is there twice", case.what);
                }
            });
        }
    });
    let happened = happened.into_inner().unwrap();
    let mut wrong = Vec::new();
    for (what, cells) in &happened {
        match told.get(what) {
            Some(told) if told == cells => {}
            Some(told) => wrong.push(format!(
                "{what}\n  told:     {}\n  happened: {}",
                told.join(" | "),
                cells.join(" | ")
            )),
            None => wrong.push(format!("| {what} | {} |\n  is not in docs/security.md", cells.join(" | "))),
        }
    }
    wrong.extend(
        told.keys().filter(|what| !happened.contains_key(*what)).map(|what| format!("{what}\n  has no case")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The cells of a row. What both languages can do has to come to the same in both.
fn provoke(case: &Case) -> [String; 5] {
    let languages: &[Language] = match case.how {
        How::Rust(_) | How::Lua(_) => &[LUA],
        _ => &[LUA, RHAI],
    };
    let mut each = languages.iter().map(|language| cells(case, *language));
    let mut first = each.next().unwrap();
    for other in each {
        for (cell, other) in first.iter_mut().zip(other).filter(|(cell, other)| *cell != other) {
            cell.push_str(&format!(" in {}, and {other} in {}", LUA.extension, RHAI.extension));
        }
    }
    first
}

fn cells(case: &Case, language: Language) -> [String; 5] {
    let cell = |class: Class| scene::in_a_host(case, language, class).unwrap_or_else(|| NONE.to_owned());
    let exits = scene::through_check(case, language).map_or_else(|| NONE.to_owned(), |code| code.to_string());
    [cell(Class::Gate), exits, cell(Class::Rewrite), cell(Class::Check), cell(Class::Notify)]
}
