//! What is written holds together: each event is there, each name is declared once, and nothing names what nobody declares.
//! That checkers understand it is tried with real ones, in `tests/typecheck`.

use std::collections::HashSet;

use super::{api, event_types, luals, luau, reference};

/// The names behind a prefix, each of which may be there once only.
fn declared<'a>(text: &'a str, prefix: &str) -> HashSet<&'a str> {
    let mut found = HashSet::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(prefix)) {
        let name = line.split([' ', ':', '(']).next().unwrap();
        assert!(found.insert(name), "{prefix}{name} is there twice");
    }
    found
}

/// The words with a capital at their start, outside of remarks and texts.
fn capitals(code: &str) -> Vec<&str> {
    let plain = code.split('"').step_by(2);
    let words = plain.flat_map(|part| part.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).collect()
}

#[test]
fn luals_declares_what_it_names() {
    let text = luals().unwrap();
    let classes = declared(&text, "---@class ");
    let known: HashSet<_> = classes.union(&declared(&text, "---@alias ")).copied().collect();
    for line in text.lines() {
        // Behind the type of a field or a parameter stands what it is.
        let code = match line.strip_prefix("---@field ").or_else(|| line.strip_prefix("---@param ")) {
            Some(rest) => rest.split(' ').nth(1).unwrap_or_default(),
            None => line.strip_prefix("---@overload ").unwrap_or_default(),
        };
        for name in capitals(code) {
            assert!(known.contains(name), "{name} in: {line}");
        }
    }
    assert!(!text.contains("-- Rhai"), "remarks about Rhai are for the page");
}

#[test]
fn luau_declares_what_it_names() {
    let text = luau().unwrap();
    let known = declared(&text, "export type ");
    for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
        for name in capitals(line) {
            assert!(known.contains(name), "{name} in: {line}");
        }
    }
    declared(&text, "declare function ");
}

#[test]
fn every_event_is_in_all_of_them() {
    let (luals, luau, page) = (luals().unwrap(), luau().unwrap(), reference().unwrap());
    for event in event_types() {
        let name = event.event.name();
        let form = format!("event: {}, ctx: ctx)", event.payload);
        assert!(luals.contains(&form), "{name}: {form}");
        assert!(luau.contains(&format!("export type {} = {{\n", event.payload)), "{name}");
        assert!(luau.contains(&format!("\n  | \"{name}\"")) || name == "startup", "{name}");
        let section = page.split(&format!("\n### {name}\n")).nth(1).unwrap_or_else(|| panic!("{name}"));
        let section = section.split("\n### ").next().unwrap();
        for field in event.fields.iter().chain(&event.answers) {
            assert!(section.contains(&format!("| `{}` | ", field.name)), "{name}: {}", field.name);
        }
        if event.matcher.is_some() {
            assert!(luals.contains(&format!("event: \"{name}\", matcher: ")), "{name}");
        }
    }
}

#[test]
fn the_page_is_the_same_each_time_and_its_headings_are_unique() {
    let page = reference().unwrap();
    assert_eq!(page, reference().unwrap());
    let mut seen = HashSet::new();
    for heading in
        page.lines().filter_map(|line| line.strip_prefix("### ").or_else(|| line.strip_prefix("## ")))
    {
        assert!(seen.insert(heading.to_lowercase()), "two headings lead to #{heading}");
    }
    // Prose is wrapped on the page.
    let flowing = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = flowing(&page);
    for function in api().unwrap().classes.iter().flat_map(|class| &class.functions) {
        assert!(page.contains(&flowing(&function.doc)), "{}", function.location);
    }
}
