//! The problems with lifecycle files, each with its place. Not here: running them (`lifecycle`).

use snaphook::Problem;
use snaphook_command::lifecycle::{Finding, Weight, parse_for};
use snaphook_discovery::{LifecycleFile, LifecycleFiles};

/// Returns every problem with the files that were found.
pub fn problems(found: &LifecycleFiles) -> Vec<Problem> {
    let mut all = found.unread.clone();
    all.extend(found.problems.iter().cloned());
    for file in &found.files {
        all.extend(file.problem());
        let findings = parse_for(file.bytes(), file.product).findings;
        all.extend(findings.into_iter().map(|finding| problem(file, finding)));
    }
    all
}

/// Returns the problem that a finding in a file is.
pub fn problem(file: &LifecycleFile, finding: Finding) -> Problem {
    let shown = &file.hook.candidate.hook.file;
    let Finding { weight, position, message, help } = finding;
    let message = match position {
        Some(position) => format!("column {}: {message}", position.column),
        None => message,
    };
    let mut problem = match weight {
        Weight::Note => Problem::note(shown, message),
        Weight::Warning => Problem::warning(shown, message),
    };
    problem.line = position.map(|position| position.line);
    problem.help = help;
    problem
}
