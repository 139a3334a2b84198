//! Words that the sources begin with or are called by: doc comments say what a thing is or does, and a limit's name says
//! what it bounds.

use std::collections::BTreeMap;

use super::{rust_files, sources};

/// Beginnings that make a question of a description.
const QUESTIONS: [&str; 8] = ["What", "Who", "Whose", "Where", "Whether", "How", "Why", "Which"];

/// The part of a crate's doc comments, in percent, that may begin so all the same.
const MAX_PERCENT: usize = 5;

#[test]
fn doc_comments_say_what_a_thing_is_or_does() {
    let mut crates: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    for (file, source) in rust_files() {
        let name = file.split('/').take(2).collect::<Vec<_>>().join("/");
        let (all, questions) = crates.entry(name).or_default();
        for (number, text) in first_lines(&source) {
            *all += 1;
            let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            if QUESTIONS.contains(&word) {
                questions.push(format!("{file}:{number}: {text}"));
            }
        }
    }
    assert!(crates.len() >= 10 && crates.values().map(|(all, _)| all).sum::<usize>() > 1000);
    let wrong: Vec<_> = crates
        .into_iter()
        .filter(|(_, (all, questions))| questions.len() * 100 > all * MAX_PERCENT)
        .map(|(name, (all, questions))| {
            format!("{name}: {} of {all} doc comments:\n  {}", questions.len(), questions.join("\n  "))
        })
        .collect();
    assert!(wrong.is_empty(), "begin with a verb (`Returns whether …`) or a noun:\n{}", wrong.join("\n"));
}

/// The first line of each doc comment, with its number.
fn first_lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_in_one = false;
    source.lines().enumerate().filter_map(move |(at, line)| {
        let text = line.trim_start().strip_prefix("///").map(str::trim_start);
        let is_first = text.is_some() && !is_in_one;
        is_in_one = text.is_some();
        text.filter(|_| is_first).map(|text| (at + 1, text))
    })
}

/// `MOST` of what? `MAX_HOSTS`, `HOST_TTL` and `TASK_TIMEOUT` say it.
#[test]
fn limits_say_what_they_bound() {
    const VAGUE: [&str; 10] =
        ["MOST", "LONGEST", "SHORTEST", "DEEPEST", "LATER", "KEPT", "LONG", "SHORT", "MANY", "FEW"];
    let mut wrong = Vec::new();
    for (file, source) in rust_files() {
        for (at, line) in source.lines().enumerate() {
            let Some((_, rest)) = line.split_once("const ") else { continue };
            let Some((name, _)) = rest.split_once(':') else { continue };
            if VAGUE.contains(&name) || name.starts_with("MOST_") || name.starts_with("LONGEST_") {
                wrong.push(format!("{file}:{}: {name}", at + 1));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0], "MAX_…, …_TIMEOUT, …_TTL, with what they bound");
}

/// Mutexes are those of `parking_lot`, which know no poison. Core does without that dependency, with one helper of its own.
#[test]
fn only_core_passes_over_poisoned_locks() {
    let files = sources().filter(|(_, source)| source.contains("PoisonError")).map(|(file, _)| file);
    assert_eq!(files.collect::<Vec<_>>(), ["crates/snaphook-core/src/sync.rs"]);
}

/// Turns that read like riddles; what stands for them now is plain.
const OLD_TURNS: &[&str] = &[
    "without --dry-run they are",
    "are called otherwise",
    "nobody is asked here",
    "has no content hash behind its =",
    "with exactly the content that they have now",
    "a decision about hooks of the project back",
    "Leave hooks of the project out",
    "what a plugin in its process starts",
    "Stand between an MCP client",
    "What becomes of a tool call",
    "no line that holds",
    "is told to ask snaphook",
    "denies what it cannot judge",
    "this needs a person's yes",
    "until the errors are mended",
    "mend it",
    "unless it is said",
    "unless told",
    "let through too much rather than",
    "is not rid of",
    "is JSON, but no object",
    "a file of somebody else's",
    "takes no such name",
    "nobody tells of changes",
];

#[test]
fn old_turns_are_gone() {
    let read = |file: &String| (file.clone(), super::text(file));
    let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    let docs = super::files("docs", "md").into_iter().map(|path| path.display().to_string());
    let stubs = super::files("crates", "lua").into_iter().map(|path| path.display().to_string());
    let texts: Vec<_> = pages.into_iter().chain(docs).chain(stubs).collect();
    // This file has them in a list.
    let sources = rust_files().filter(|(file, _)| !file.ends_with("architecture/words.rs"));
    let all: Vec<_> = texts.iter().map(read).chain(sources).collect();
    assert!(all.len() > 400, "{}", all.len());
    let mut wrong = Vec::new();
    for (file, text) in &all {
        wrong.extend(
            OLD_TURNS.iter().filter(|turn| text.contains(**turn)).map(|turn| format!("{file}: {turn}")),
        );
    }
    assert_eq!(wrong, [] as [String; 0]);
}
