//! One group of tests on its way: a test file whose script is loaded, or the examples of a hook. Runs on the thread of the
//! caller and tells what happens as it happens. Not here: threads and time (`run`), what the functions of a test do.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use snaphook::{
    HandlerError, HookRef, Language, Limits, LoadRequest, Problem, Scope, Script, Services, TestBench,
    TestCase,
};
use snaphook_discovery::{language_of, read_scripts, read_test};

use crate::coverage::Lines;
use crate::error::TestError;
use crate::harness::{Harness, Leftovers, ScriptServices, Setting};
use crate::options::Filter;
use crate::results::{TestFailure, TestResult};

/// The news of a suite while it runs.
pub(crate) enum SuiteEvent {
    /// The tests that there are, and how many were filtered out.
    Loaded { tests: Vec<(String, Option<u32>)>, filtered: usize },
    /// A test begins.
    Began(usize),
    /// A test has ended.
    Ended(TestResult, Lines),
    /// There are no tests to be had.
    Broken(Problem),
    /// All is said.
    Done,
}

/// A file with tests.
#[derive(Debug, Clone)]
pub(crate) struct TestFile {
    /// Resolved.
    pub(crate) path: PathBuf,
    /// As people see it.
    pub(crate) shown: PathBuf,
}

impl TestFile {
    /// The language that it is written in.
    pub(crate) fn language(&self) -> Language {
        self.path.file_name().and_then(|name| language_of(name.to_str()?)).unwrap_or(Language::Lua)
    }

    /// The hook beside it, without extension: `guard` of `guard.test.lua`, the folder itself of `init.test.lua`.
    pub(crate) fn hook(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.rsplitn(3, '.').nth(2).unwrap_or(&name).to_owned();
        if stem.eq_ignore_ascii_case("init") { ".".to_owned() } else { stem }
    }

    fn script(&self) -> Result<Script, Problem> {
        let source = read_test(&self.path).map_err(|fault| fault.into_error(&self.shown))?;
        let language = self.language();
        // Reading a whole folder is worth it only for who uses it.
        let word = if language == Language::Lua { "require" } else { "import" };
        let modules = match self.path.parent().filter(|_| source.contains(word)) {
            Some(folder) => {
                let shown = |path: &Path| match (path.strip_prefix(folder), self.shown.parent()) {
                    (Ok(inside), Some(parent)) => parent.join(inside),
                    _ => path.to_owned(),
                };
                read_scripts(folder, language, &shown).map_err(combine_problems)?
            }
            None => Default::default(),
        };
        let name = self.hook();
        let hook = HookRef::new(name.clone(), name, Scope::Adhoc, &self.shown);
        Ok(Script { modules: Arc::new(modules), ..Script::new(hook, source) })
    }
}

fn combine_problems(problems: Vec<Problem>) -> Problem {
    let more = problems.len().saturating_sub(1);
    let first = problems.into_iter().next();
    let mut first = first.unwrap_or_else(|| Problem::error("", "the folder cannot be read"));
    if more > 0 {
        first.message.push_str(&format!("; and {more} more problem(s) like it"));
    }
    first
}

/// Runs the tests of a file.
pub(crate) fn run(file: &TestFile, setting: Setting, filter: Option<&Filter>, tell: &dyn Fn(SuiteEvent)) {
    let loaded = catch_unwind(AssertUnwindSafe(|| load(file, setting)));
    let loaded = loaded.unwrap_or_else(|panic| {
        Err(Problem::error(&file.shown, format!("the runner failed: {}", text_of(&*panic))))
    });
    let (harness, cases) = match loaded {
        Ok(loaded) => loaded,
        Err(problem) => return tell(SuiteEvent::Broken(problem)),
    };
    let all = cases.len();
    if all == 0 {
        let problem = Problem::error(&file.shown, "has no test");
        return tell(SuiteEvent::Broken(
            problem.with_help("write test(\"what it does\", function(t) … end)"),
        ));
    }
    let takes = |case: &TestCase| filter.is_none_or(|filter| filter.takes(&case.name));
    let cases: Vec<_> = cases.into_iter().filter(takes).collect();
    let tests = cases.iter().map(|case| (case.name.clone(), case.location.line)).collect();
    tell(SuiteEvent::Loaded { tests, filtered: all - cases.len() });
    for (index, mut case) in cases.into_iter().enumerate() {
        tell(SuiteEvent::Began(index));
        let began = Instant::now();
        let ran = catch_unwind(AssertUnwindSafe(|| harness.begin().map(|()| (case.run)())));
        let leftovers = catch_unwind(AssertUnwindSafe(|| harness.end())).unwrap_or_default();
        let failure = failure(file, &case, ran, &leftovers, began);
        let Leftovers { log, coverage, outcomes, .. } = leftovers;
        let took = began.elapsed();
        let result =
            TestResult { name: case.name.clone(), line: case.location.line, failure, log, outcomes, took };
        tell(SuiteEvent::Ended(result, coverage));
    }
}

type Ran = Result<Result<Result<(), HandlerError>, TestError>, Box<dyn Any + Send>>;

fn failure(
    file: &TestFile,
    case: &TestCase,
    ran: Ran,
    leftovers: &Leftovers,
    began: Instant,
) -> Option<TestFailure> {
    let at_test = |message: String| TestFailure {
        file: file.shown.clone(),
        line: case.location.line,
        message,
        traceback: None,
    };
    match ran {
        Err(panic) => Some(at_test(format!("the runner failed: {}", text_of(&*panic)))),
        Ok(Err(error)) => Some(at_test(error.to_string())),
        // Also where the script caught the error that told it so.
        Ok(Ok(Ok(()))) if leftovers.expired => {
            Some(at_test(format!("the test took too long: {:.1?}", began.elapsed())))
        }
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(error))) => {
            let place = error.location.unwrap_or_else(|| case.location.clone());
            // One frame is the place itself.
            let traceback = error.traceback.filter(|frames| frames.lines().count() > 1);
            Some(TestFailure { file: place.file, line: place.line, message: error.message, traceback })
        }
    }
}

fn load(file: &TestFile, setting: Setting) -> Result<(Arc<Harness>, Vec<TestCase>), Problem> {
    let script = file.script()?;
    let language = file.language();
    let Some(engine) = setting.engines.get(&language).map(Arc::clone) else {
        return Err(Problem::error(&file.shown, format!("this program runs no {language} tests")));
    };
    let limits = Limits { handler_cpu: setting.script_cpu, ..setting.limits.clone() };
    let harness = Arc::new(Harness::new(setting));
    let services: Arc<dyn Services> = Arc::new(ScriptServices(Arc::clone(&harness)));
    let port: Arc<dyn TestBench> = Arc::<Harness>::clone(&harness);
    let cases = engine.load_tests(LoadRequest::new(&script, &services, &limits), &port)?;
    Ok((harness, cases))
}

/// Returns what a panic said.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}
