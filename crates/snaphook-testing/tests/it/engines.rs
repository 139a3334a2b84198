//! Engines that fail: a panic, or a test that never comes back, loses no other test's results.

use std::sync::Arc;
use std::time::Duration;

use snaphook::{Engine, Language, LoadRequest, LoadedHook, Location, Problem, TestBench, TestCase};
use snaphook_testing::Options;

use crate::support::{TestProject, failure};

/// Takes each line of a test file as a test: `ok`, `panic`, `sleep`.
struct Words;

impl Engine for Words {
    fn load(&self, request: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        Err(Problem::error(&request.script.hook.file, "no hooks here"))
    }

    fn load_tests(
        &self,
        LoadRequest { script, .. }: LoadRequest<'_>,
        bench: &Arc<dyn TestBench>,
    ) -> Result<Vec<TestCase>, Problem> {
        assert!(!script.source.starts_with("panic while loading"), "the engine is broken");
        let case = |(at, word): (usize, &str)| {
            let (word, bench) = (word.to_owned(), Arc::clone(bench));
            TestCase {
                name: format!("{at} {word}"),
                location: Location { file: script.hook.file.clone(), line: u32::try_from(at + 1).ok() },
                run: Box::new(move || {
                    match word.as_str() {
                        "panic" => panic!("a test is broken"),
                        "park" => loop {
                            std::thread::park();
                        },
                        "unknown" => assert!(bench.call("fly", Vec::new()).is_err()),
                        _ => {}
                    }
                    Ok(())
                }),
            }
        };
        Ok(script.source.lines().enumerate().map(case).collect())
    }
}

fn options() -> Options {
    let mut options = Options { time: Duration::from_millis(200), ..Options::default() };
    options.engines.insert(Language::Lua, Arc::new(Words));
    options
}

#[test]
fn a_panic_is_one_tests_failure() {
    let place =
        TestProject::with(&[("a.test.lua", "ok\npanic\nunknown\n"), ("b.test.lua", "panic while loading")]);
    // a backtrace takes its time
    let options = Options { time: Duration::from_secs(20), ..options() };
    let results = place.run_with(&[], &options);
    let told: Vec<_> = results.suites[0].tests.iter().map(failure).collect();
    assert_eq!(told, ["", "a.test.lua:2\nthe runner failed: a test is broken", ""]);
    let problem = results.suites[1].problem.as_ref().unwrap();
    assert_eq!(problem.to_string(), "b.test.lua: the runner failed: the engine is broken");
}

#[test]
fn a_test_that_never_comes_back_is_left_behind() {
    let place =
        TestProject::with(&[("a.test.lua", "ok\npark\nok\nok"), ("b.test.lua", "ok"), ("c.test.lua", "ok")]);
    for threads in [1, 2] {
        let results = place.run_with(&[], &Options { threads, ..options() });
        let told: Vec<_> = results.suites[0].tests.iter().map(failure).collect();
        assert_eq!((told.len(), told[0].as_str()), (4, ""));
        assert!(told[1].starts_with("a.test.lua:2\nit still computes after "), "{told:?}");
        for left in &told[2..] {
            assert!(
                left.ends_with("it was not run, because a test before it could not be stopped"),
                "{left}"
            );
        }
        assert_eq!((results.passed(), results.failed()), (3, 3));
    }
}

#[test]
fn a_language_without_an_engine_is_said_so() {
    let place = TestProject::with(&[("a.test.rhai", "")]);
    let results = place.run_with(&[], &options());
    let problem = results.suites[0].problem.as_ref().unwrap();
    assert_eq!(problem.to_string(), "a.test.rhai: this program runs no Rhai tests");
}
