//! The conformance suite: each case under `tests/conformance/cases` is a hook in every language and one test script, which
//! has to pass whichever language the hook is written in. A case is run as if it had been written in one language only:
//! in a folder that holds the test scripts and the hooks of that language.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use snaphook_testing::SuiteKind;
use tempfile::TempDir;

use crate::runner::{failures, run_tests};
use crate::tree::{files, root};

const CASES: &str = "tests/conformance/cases";
const LANGUAGES: [(&str, &str); 2] = [("Lua", "lua"), ("Rhai", "rhai")];
/// The suite does not shrink unseen.
const MIN_CASES: usize = 260;

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
    assert!(cases.len() >= MIN_CASES, "{} cases", cases.len());
    let [lua, rhai] = ["lua", "rhai"].map(scripts);
    let alone: Vec<_> = lua.symmetric_difference(&rhai).collect();
    assert!(alone.is_empty(), "in one language only: {alone:?}");
    assert!(stems("rhai").iter().all(|stem| !stem.ends_with(".test")), "tests are in one language");
    for case in &cases {
        let folder = format!("{case}/init");
        assert!(lua.contains(case) || lua.contains(&folder), "{case} has no hook");
    }
    // A second hook of a case is called `case-2`; what is in a folder belongs to it.
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

#[test]
fn every_case_passes_in_every_language() {
    let mut wrong = Vec::new();
    let mut ran = BTreeMap::new();
    for (language, extension) in LANGUAGES {
        let results = run_tests(written_in(extension).path());
        wrong.extend(failures(language, &results));
        let files = results.suites.iter().filter(|suite| suite.kind == SuiteKind::File).count();
        assert_eq!(files, cases().len(), "{language}: cases that did not run");
        ran.insert(extension, results.passed() + results.failed());
    }
    assert!(wrong.is_empty(), "{} went wrong\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert_eq!(ran["lua"], ran["rhai"], "as many tests in each language");
}
