//! Runs: many files, in a stable order, ended early, as data.

use std::path::Path;

use snaphook_testing::{SuiteResult, Watcher, find, run};

use crate::support::{TestProject, options};

const HOOK: &str = "on('tool_call', function() end)";

#[derive(Default)]
struct Noted(Vec<String>);

impl Watcher for Noted {
    fn ended(&mut self, suite: &SuiteResult) {
        self.0.push(suite.file.display().to_string());
    }

    fn waiting(&mut self, _: usize, running: &[&Path]) {
        assert!(!running.is_empty());
    }
}

#[test]
fn files_run_side_by_side_and_are_told_in_order() {
    let place = TestProject::with(&[("guard.lua", HOOK)]);
    for number in 0..20 {
        // The first ones take longest.
        let work = 2_000_000 / (number + 1);
        let text = format!(
            "test('it', function(t) t.load('guard') for i = 1, {work} do end expect(t.tool_call{{tool = 'x'}}).allowed() end)"
        );
        place.write(&format!("t{number}.test.lua"), &text);
    }
    for threads in [1, 4, 0] {
        let mut options = options();
        options.threads = threads;
        let mut noted = Noted::default();
        let results = run(&find(&place.directories(), &[]), &options, &mut noted);
        let expected: Vec<_> = (0..20).map(|number| format!("t{number}.test.lua")).collect();
        assert_eq!(noted.0, expected);
        assert_eq!((results.passed(), results.failed()), (20, 0));
    }
}

#[test]
fn a_run_that_is_cancelled_has_what_ended_before() {
    let place = TestProject::with(&[("guard.lua", HOOK), ("guard.test.lua", "test('it', function(t) end)")]);
    let options = options();
    options.cancel.cancel();
    let results = place.run_with(&[], &options);
    assert!(results.cancelled);
    assert!(results.suites.is_empty());
}

#[test]
fn results_are_a_document() {
    let place = TestProject::with(&[
        ("guard.lua", HOOK),
        (
            "guard.test.lua",
            "test('passes', function(t) print('hello') end)\ntest('fails', function(t) expect(1).eq(2) end)",
        ),
        ("broken.test.lua", "test("),
    ]);
    let mut document = place.run(&[]).document();
    document["duration_ms"] = 0.into();
    for suite in document["suites"].as_array_mut().unwrap() {
        suite["duration_ms"] = 0.into();
        for test in suite["tests"].as_array_mut().unwrap() {
            test["duration_ms"] = 0.into();
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
}

/// Without a file of its own, what one test does is not seen by the next.
#[test]
fn tests_of_a_file_share_its_variables_and_nothing_else() {
    let hook = "local n = 0
on('tool_call', function() n += 1 return { block = true, reason = tostring(n) } end)";
    let test = "local times = 0
for i = 1, 3 do
  test('t' .. i, function(t)
    times += 1
    expect(times).eq(i)
    expect(t.tool_call{tool = 'bash'}).denied('^1$')
    expect(t.tool_call{tool = 'bash'}).denied('^2$')
  end)
end";
    let place = TestProject::with(&[("guard.lua", hook), ("guard.test.lua", test)]);
    let results = place.run(&[]);
    assert_eq!((results.passed(), results.failed()), (3, 0), "{results:?}");
}
