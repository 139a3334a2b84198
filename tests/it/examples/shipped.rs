//! Every example, against its cases.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::bed::{EVERYBODY, SharedBed, find, repository, run};
use super::cases::{Case, parse};

/// A script that is handed out can be read at one sitting.
const MAX_LINES: usize = 150;
/// The gate that knows code in eight languages is half tables.
const LONG_EXAMPLE: (&str, usize) = ("permission-gate", 250);

/// The languages, by their folders and extensions.
pub const LANGUAGES: [&str; 2] = ["lua", "rhai"];

/// An example in one language, with its cases, which are the same for all.
pub struct Example {
    pub name: String,
    pub language: &'static str,
    pub path: PathBuf,
    pub cases: Vec<Case>,
}

impl Example {
    /// Returns how failures name it.
    pub fn title(&self) -> String {
        format!("{}/{}", self.language, self.name)
    }
}

/// The files with this ending in a folder of the repository, by name.
fn files(folder: &str, ending: &str) -> BTreeMap<String, PathBuf> {
    let folder = repository().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
        Some((name, path))
    };
    paths.filter_map(named).collect()
}

/// The examples in a language. A folder hook is one example.
pub fn examples_in(language: &'static str) -> Vec<Example> {
    let folder = format!("hooks-examples/{language}");
    let mut hooks = files(&folder, &format!(".{language}"));
    hooks.retain(|name, _| !name.ends_with(".test"));
    let init = format!("init.{language}");
    hooks.extend(files(&folder, "").into_iter().filter(|(_, path)| path.join(&init).is_file()));
    let cases = files("tests/examples", ".cases");
    for name in cases.keys() {
        assert!(hooks.contains_key(name), "{name}.cases has no example in {language}");
    }
    let with_cases = |(name, path): (String, PathBuf)| {
        let file = cases.get(&name).unwrap_or_else(|| panic!("the example {name} has no cases"));
        let text = std::fs::read_to_string(file).unwrap();
        let cases = parse(&format!("{name}.cases"), &text);
        Example { name, language, path, cases }
    };
    hooks.into_iter().map(with_cases).collect()
}

/// Every example in every language.
pub fn examples() -> Vec<Example> {
    LANGUAGES.into_iter().flat_map(examples_in).collect()
}

#[test]
fn every_example_is_there_in_both_languages() {
    let names = |language| examples_in(language).into_iter().map(|one| one.name).collect::<Vec<_>>();
    assert_eq!(names("lua"), names("rhai"));
    assert!(names("lua").len() >= 8);
    for example in examples() {
        let test = if example.path.is_dir() {
            example.path.join(format!("init.test.{}", example.language))
        } else {
            example.path.with_extension(format!("test.{}", example.language))
        };
        assert!(test.is_file(), "{} has no test beside it", example.title());
    }
}

#[test]
fn every_example_is_complete() {
    for example in examples() {
        let name = example.title();
        assert!(example.cases.len() >= 15, "{name} has {} cases only", example.cases.len());
        let discovery = find(std::slice::from_ref(&example.path));
        assert!(discovery.problems.is_empty(), "{name}: {:?}", discovery.problems);
        let [hook] = discovery.hooks.as_slice() else { panic!("{name}: {discovery:?}") };
        assert_eq!(hook.hook.id.as_str(), example.name);
        assert!(hook.front_matter.description.is_some(), "{name}: no description");
        let scripts =
            hook.raw.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect::<Vec<_>>();
        let most = if example.name == LONG_EXAMPLE.0 { LONG_EXAMPLE.1 } else { MAX_LINES };
        for script in &scripts {
            assert!(script.lines().count() <= most, "{name} is longer than a person reads");
        }
        let runs = scripts.iter().any(|script| script.contains("ctx.exec"));
        assert_eq!(runs, !hook.front_matter.grants.exec.is_empty(), "{name}: grants and use differ");
    }
}

async fn do_what_their_cases_say(language: &'static str) {
    let mut wrong = Vec::new();
    for example in examples_in(language) {
        let discovery = find(std::slice::from_ref(&example.path));
        for person in EVERYBODY {
            let mut shared = SharedBed::default();
            for case in &example.cases {
                let error = run(&discovery, case, person, &mut shared).await.err();
                wrong.extend(error.map(|error| format!("{}: {error}", example.title())));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases went wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[tokio::test]
async fn every_example_in_lua_does_what_its_cases_say() {
    do_what_their_cases_say("lua").await;
}

#[tokio::test]
async fn every_example_in_rhai_does_what_its_cases_say() {
    do_what_their_cases_say("rhai").await;
}

fn passes_its_own_tests(language: &str) {
    let results = crate::runner::run_tests(&repository().join("hooks-examples").join(language));
    let wrong = crate::runner::failures(language, &results);
    assert!(wrong.is_empty(), "{} went wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(results.passed() > 30, "{}", results.passed());
}

/// Users read these as models, so each language has its own; the same things are tested in both.
#[test]
fn the_examples_in_lua_pass_their_own_tests() {
    passes_its_own_tests("lua");
}

#[test]
fn the_examples_in_rhai_pass_their_own_tests() {
    passes_its_own_tests("rhai");
}

/// Each example, loaded: no problem, and every handler is there.
#[test]
fn every_example_loads_without_a_word() {
    for language in LANGUAGES {
        let paths: Vec<_> = examples_in(language).into_iter().map(|example| example.path).collect();
        let count = paths.len();
        let host = super::bed::builder(find(&paths)).build();
        let faults = super::bed::faults(&host);
        assert!(faults.is_empty(), "{faults:?}");
        let hooks = host.hooks();
        assert_eq!(hooks.len(), count);
        assert!(hooks.iter().all(|hook| hook.loaded && !hook.handlers.is_empty()));
    }
}

/// A result of megabytes goes through `redact-secrets` as a small one does. What it costs: `benches/budgets`.
#[tokio::test]
async fn a_big_result_is_looked_through() {
    use snaphook::{CallOptions, Event, ToolCall, ToolResult};
    let path = repository().join("hooks-examples/lua/redact-secrets.lua");
    let host = super::bed::builder(find(&[path])).build();
    let line = "the quick brown fox jumps over 13 lazy dogs; let total = price * count; // ok\n";
    let clean = line.repeat((1 << 20) / line.len());
    let secret = format!("{clean}API_TOKEN=abcdef0123456789\n{clean}");
    for (content, found) in [(&clean, false), (&secret, true)] {
        let event = Event::tool_result(ToolResult {
            call: ToolCall::new("1", "bash", serde_json::json!({ "command": "ls" })),
            original_input: Default::default(),
            content: content.as_str().into(),
            details: Default::default(),
            is_error: false,
        });
        let emitted = host.emit(event, &CallOptions::default()).await;
        assert_eq!((emitted.rewritten, emitted.reports.len()), (found, 0));
    }
}
