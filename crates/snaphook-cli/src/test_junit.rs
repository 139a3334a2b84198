//! The results of `snaphook test` as JUnit XML, which CI systems read.

use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use snaphook_discovery::Directories;
use snaphook_discovery::replace::Mode;
use snaphook_testing::{Results, SuiteKind, SuiteResult, TestResult};

use crate::exit::Failure;
use crate::files;

/// Writes the file.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(results: &Results, directories: &Directories, file: &Path) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!("failed to write the JUnit file {}: {error}", file.display()))
    };
    let target = directories.cwd.join(file);
    // A report in a folder that is made on the way would be looked for elsewhere.
    if target.parent().is_some_and(|folder| !folder.is_dir()) {
        return Err(failed(&"there is no such folder"));
    }
    let text = report(results).to_string().map_err(|error| failed(&error))?;
    files::write(directories, &target, &text, Mode::Kept)
}

fn report(results: &Results) -> Report {
    let mut report = Report::new("snaphook test");
    report.set_time(results.took);
    report.add_test_suites(results.suites.iter().filter(|suite| !is_empty(suite)).map(suite));
    if !results.problems.is_empty() {
        let mut suite = TestSuite::new("snaphook");
        for problem in &results.problems {
            let name = problem.file.display().to_string();
            suite.add_test_case(broken(&name, &name, &problem.to_string()));
        }
        report.add_test_suite(suite);
    }
    report
}

fn is_empty(suite: &SuiteResult) -> bool {
    suite.tests.is_empty() && suite.problem.is_none()
}

fn suite(result: &SuiteResult) -> TestSuite {
    let file = result.file.display().to_string();
    let name = match result.kind {
        SuiteKind::File => file.clone(),
        SuiteKind::Examples => format!("{file} (examples)"),
    };
    let mut suite = TestSuite::new(name);
    suite.set_time(result.took);
    if let Some(problem) = &result.problem {
        suite.add_test_case(broken("loads", &file, &problem.to_string()));
    }
    suite.add_test_cases(result.tests.iter().map(|test| case(test, &file)));
    suite
}

/// A file whose tests could not be had.
fn broken(name: &str, file: &str, message: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(message).set_type("load").set_description(message);
    let mut case = TestCase::new(name, status);
    case.set_classname(file);
    case
}

fn case(test: &TestResult, file: &str) -> TestCase {
    let status = match &test.failure {
        None => TestCaseStatus::success(),
        Some(failure) => {
            let line = failure.line.map(|line| format!(":{line}")).unwrap_or_default();
            let place = format!("{}{line}", failure.file.display());
            let first = failure.message.lines().next().unwrap_or_default();
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_message(format!("{place}: {first}"))
                .set_type("failure")
                .set_description(format!("{place}\n{}", failure.message));
            status
        }
    };
    let mut case = TestCase::new(test.name.as_str(), status);
    case.set_classname(file).set_time(test.took);
    if !test.log.is_empty() {
        // XML has no place for control characters, so tabs would vanish.
        case.set_system_out(test.log.join("\n").replace('\t', "  "));
    }
    case
}
