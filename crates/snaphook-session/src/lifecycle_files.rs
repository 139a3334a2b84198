//! Lifecycle files: the problems with them, each with its place, those that may run, and running a list of them. Not here: when
//! a list runs (`lifecycle`).

use snaphook::{CancellationToken, Problem, Severity};
use snaphook_command::lifecycle::{
    Finding, Lifecycle, List, Surroundings, Values, Weight, join_outputs, parse_for, run_all,
};
use snaphook_discovery::{Directories, LifecycleFile, LifecycleFiles, Trust, TrustState, lifecycle_files};

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

/// Returns the trusted files, ours first, and the problems with any of them.
pub fn trusted(directories: &Directories, trust: &Trust) -> (Vec<Lifecycle>, Vec<Problem>) {
    let found = lifecycle_files(directories, trust);
    let mut worth_telling = problems(&found);
    worth_telling.retain(|problem| problem.severity > Severity::Note);
    let trusted = found.files.iter().filter(|file| file.hook.state == TrustState::Trusted);
    (trusted.map(|file| parse_for(file.bytes(), file.product).lifecycle).collect(), worth_telling)
}

/// A list that ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListRan {
    /// The output for the agent.
    pub piped: String,
    /// The commands, a line each: whether it succeeded, and that line.
    pub told: Vec<(bool, String)>,
}

/// Runs a list of each file, in order.
pub async fn run_list(
    files: &[Lifecycle],
    list: List,
    values: &Values,
    around: &Surroundings,
    cancel: &CancellationToken,
) -> ListRan {
    let (mut piped, mut told) = (Vec::new(), Vec::new());
    for file in files {
        let done = run_all(file, list, values, around, cancel.cancelled()).await;
        for ran in &done.ran {
            let how = if ran.success { "ran" } else { "failed" };
            let output = if ran.piped { "" } else { ran.output.trim_end() };
            let more = if output.is_empty() { String::new() } else { format!(": {output}") };
            let seconds = ran.duration.as_secs_f64();
            told.push((ran.success, format!("{list}: {how} in {seconds:.1} s: {}{more}", ran.command)));
        }
        piped.push(done.piped());
        if done.cancelled {
            break;
        }
    }
    ListRan { piped: join_outputs(piped.iter().map(String::as_str)), told }
}
