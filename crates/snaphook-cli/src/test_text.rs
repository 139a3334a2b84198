//! The output of `snaphook test` for people. Not here: running tests (`snaphook-testing`).

use snaphook_testing::{FileLines, FoundTests, Results, SuiteKind, SuiteResult, TestFailure, TestResult};

use crate::args::TestArgs;
use crate::print::{self, Paint};
use crate::test_agents::AgentFit;
use crate::{render, test};

/// One file with its tests: those that passed in a line each, the others with all that is known.
pub(crate) fn suite(suite: &SuiteResult, fit: &AgentFit, paint: Paint) -> String {
    if suite.tests.is_empty() && suite.problem.is_none() {
        return String::new();
    }
    let file = print::lines(&suite.file.display().to_string());
    let what = if suite.kind == SuiteKind::Examples { paint.dim(" (examples)") } else { String::new() };
    let mut text = format!("{}{what}\n", paint.bold(&file));
    if let Some(problem) = &suite.problem {
        text += &format!("  {} {}\n", paint.red("failed"), render::problem_line(paint, problem));
    }
    for test in &suite.tests {
        text += &one(test, paint);
        for note in fit.notes(test) {
            let note = print::lines(&note).replace('\n', "\n          ");
            text += &format!("    {} {note}\n", paint.yellow("note:"));
        }
    }
    text
}

fn one(test: &TestResult, paint: Paint) -> String {
    let name = print::lines(&test.name).replace('\n', " ");
    let Some(failure) = &test.failure else {
        return format!("  {} {name}\n", paint.green("passed"));
    };
    let mut text = format!("  {} {name}\n", paint.red("failed"));
    text += &failed(failure, paint);
    if !test.log.is_empty() {
        text += &format!("      {}\n", paint.dim("printed:"));
        for line in &test.log {
            text +=
                &format!("        {}\n", print::lines(&line.replace('\t', "  ")).replace('\n', "\n        "));
        }
    }
    text
}

fn failed(failure: &TestFailure, paint: Paint) -> String {
    let file = print::lines(&failure.file.display().to_string());
    let place = match failure.line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    };
    let message: Vec<String> =
        print::lines(&failure.message).lines().map(|line| coloured(line, paint)).collect();
    let mut text = format!("    {}\n      {}\n", paint.cyan(&place), message.join("\n      "));
    if let Some(frames) = &failure.traceback {
        let frames = print::lines(frames).replace('\n', "\n        ");
        text += &format!("      {}\n        {frames}\n", paint.dim("called from:"));
    }
    text
}

/// The lines of a difference in colours.
fn coloured(line: &str, paint: Paint) -> String {
    match line.get(..4) {
        Some("  - ") => paint.red(line),
        Some("  + ") => paint.green(line),
        _ => line.to_owned(),
    }
}

/// Returns what closes a run.
pub(crate) fn summary(results: &Results, found: &FoundTests, args: &TestArgs, paint: Paint) -> String {
    let mut text = String::new();
    for problem in &results.problems {
        text += &format!("{}\n", render::problem_line(paint, problem));
    }
    if args.coverage {
        text += &coverage(&results.coverage, paint);
    }
    if results.is_empty() && !results.cancelled {
        text += &match (&args.filter, results.filtered()) {
            (Some(filter), more) if more > 0 => {
                format!("no test matches \"{}\" ({more} filtered out)\n", print::lines(filter))
            }
            _ => format!(
                "no test found. Tests are next to their hooks, guard.test.lua next to guard.lua; searched:\n{}",
                test::places(found)
            ),
        };
    }
    if results.cancelled {
        text += &format!("{}\n", paint.yellow("interrupted; not all tests have run"));
    }
    let filtered = match results.filtered() {
        0 => String::new(),
        filtered => format!(", {filtered} filtered out"),
    };
    let passed = format!("{} passed", results.passed());
    let failed = format!("{} failed", results.failed());
    let passed = if results.passed() > 0 { paint.green(&passed) } else { passed };
    let failed = if results.failed() > 0 { paint.red(&failed) } else { failed };
    let took = paint.dim(&format!(" ({:.1} s)", results.took.as_secs_f64()));
    text + format!("{passed}, {failed}{filtered}{took}\n").as_str()
}

fn coverage(files: &[FileLines], paint: Paint) -> String {
    let mut text = format!("{}\n", paint.bold("coverage"));
    for file in files {
        let name = print::lines(&file.shown.display().to_string());
        if file.lines.is_none() {
            text += &format!("  {name}  not available: its engine counts no lines\n");
            continue;
        }
        let (covered, total) = (file.covered(), file.total());
        let percent = (covered * 100).checked_div(total).unwrap_or(100);
        let ranges: Vec<String> = file
            .uncovered()
            .into_iter()
            .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") })
            .collect();
        let missing = if ranges.is_empty() {
            String::new()
        } else {
            paint.yellow(&format!("  not run: {}", ranges.join(", ")))
        };
        text += &format!("  {name}  {covered}/{total} lines, {percent} %{missing}\n");
    }
    text
}
