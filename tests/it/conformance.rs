//! The conformance suite: each case under `tests/conformance/cases` is a hook in every language and one test script, which
//! has to pass whichever language the hook is written in. A case is run as if it had been written in one language only:
//! in a folder that holds the test scripts and the hooks of that language.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use snaphook::{Engine, Language};
use snaphook_discovery::{Directories, Environment};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use snaphook_testing::{Engines, Options, Results, find, run};
use tempfile::TempDir;

use crate::tree::{files, root};

const CASES: &str = "tests/conformance/cases";
const LANGUAGES: [(Language, &str); 2] = [(Language::Lua, "lua"), (Language::Rhai, "rhai")];
/// The suite does not shrink unseen.
const FEWEST: usize = 250;

/// The files with this extension by their path without it, as seen from the folder of cases.
fn stems(extension: &str) -> BTreeSet<String> {
    let inside = |path: &Path| path.strip_prefix(CASES).unwrap().to_str().unwrap().to_owned();
    let paths = files(CASES, extension).into_iter().map(|path| inside(&path));
    paths.filter_map(|path| path.strip_suffix(&format!(".{extension}")).map(str::to_owned)).collect()
}

/// The test scripts' names: one a case.
fn cases() -> BTreeSet<String> {
    stems("lua").iter().filter_map(|stem| stem.strip_suffix(".test")).map(str::to_owned).collect()
}

/// The scripts that are hooks, or parts of them.
fn scripts(extension: &str) -> BTreeSet<String> {
    stems(extension).into_iter().filter(|stem| !stem.ends_with(".test")).collect()
}

#[test]
fn every_case_is_there_in_every_language() {
    let cases = cases();
    assert!(cases.len() >= FEWEST, "{} cases", cases.len());
    let [lua, rhai] = ["lua", "rhai"].map(scripts);
    let alone: Vec<_> = lua.symmetric_difference(&rhai).collect();
    assert!(alone.is_empty(), "in one language only: {alone:?}");
    assert!(stems("rhai").iter().all(|stem| !stem.ends_with(".test")), "tests are in one language");
    for case in &cases {
        let folder = format!("{case}/init");
        assert!(lua.contains(case) || lua.contains(&folder), "{case} has no hook");
    }
    // A second hook of a case is called `case-2`; what stands in a folder belongs to it.
    for script in &lua {
        let mut parts = script.splitn(3, '/');
        let name = [parts.next(), parts.next()].map(Option::unwrap_or_default).join("/");
        assert!(cases.contains(name.trim_end_matches("-2")), "{script} belongs to no case");
    }
}

/// A folder with the test scripts and one language's hooks.
fn written_in(extension: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let scripts = scripts(extension).into_iter().map(|stem| format!("{stem}.{extension}"));
    let tests = cases().into_iter().map(|stem| format!("{stem}.test.lua"));
    for file in scripts.chain(tests) {
        let copy = folder.path().join(&file);
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(root().join(CASES).join(&file), copy).unwrap();
    }
    folder
}

fn results_of(extension: &str) -> Results {
    let folder = written_in(extension);
    let places = Directories::locate(&Environment {
        home: Some(folder.path().to_owned()),
        managed_dir: None,
        ..Environment::new(folder.path())
    });
    let mut engines = Engines::new();
    let lua: Arc<dyn Engine> = Arc::new(LuaEngine::new().unwrap());
    let rhai: Arc<dyn Engine> = Arc::new(RhaiEngine::new());
    engines.extend([(Language::Lua, lua), (Language::Rhai, rhai)]);
    let path = std::env::var("PATH").unwrap();
    let options = Options { engines, env: vec![("PATH".into(), path.into())], ..Options::default() };
    let found = find(&places, &[".".into()]);
    run(&found, &options, &mut ())
}

/// What went wrong, one paragraph a failure.
fn failures(language: Language, results: &Results) -> Vec<String> {
    let mut wrong: Vec<String> =
        results.problems.iter().map(|problem| format!("{}: {problem}", language.as_str())).collect();
    for suite in &results.suites {
        let title = |rest: &str| format!("{} {}{rest}", language.as_str(), suite.file.display());
        wrong.extend(suite.problem.iter().map(|problem| title(&format!(": {problem}"))));
        for test in &suite.tests {
            let Some(failure) = &test.failure else { continue };
            let line = failure.line.or(test.line).unwrap_or_default();
            wrong.push(title(&format!(":{line}: {}\n{}", test.name, failure.message)));
        }
    }
    wrong
}

#[test]
fn every_case_passes_in_every_language() {
    let mut wrong = Vec::new();
    let mut ran = BTreeMap::new();
    for (language, extension) in LANGUAGES {
        let results = results_of(extension);
        wrong.extend(failures(language, &results));
        assert_eq!(results.suites.len(), cases().len(), "{}: suites that did not run", language.as_str());
        ran.insert(extension, results.passed() + results.failed());
    }
    assert!(wrong.is_empty(), "{} went wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert_eq!(ran["lua"], ran["rhai"], "as many tests in each language");
}
