//! What stands at the head of a session: its hooks, and the problems with them.

use serde_json::json;
use snaphook::{Host, Problem, Severity};
use snaphook_discovery::Directories;

use crate::print::{self, Paint};
use crate::render;

/// Tells it.
pub(super) fn tell(host: &Host, directories: &Directories, paint: Paint, as_json: bool) {
    if as_json {
        for problem in host.problems() {
            print::json(&json!({ "step": "hook_problem", "problem": problem }));
        }
        return;
    }
    let hooks = host.hooks();
    let names: Vec<_> = hooks.iter().map(|hook| hook.hook.id.as_str()).collect();
    let denies = host.problems().iter().any(|problem| problem.severity == Severity::Error);
    let names = match names.as_slice() {
        // The problem below says what to do.
        [] if denies => "none".to_owned(),
        [] => "none; everything is allowed (add one with --hook PATH)".to_owned(),
        names => names.join(", "),
    };
    print::stdout(&format!("{} {names}\n", paint.bold("hooks:")));
    // Notes are shown by `list`.
    let notes = |problem: &Problem| problem.severity == Severity::Note;
    for problem in host.problems().into_iter().filter(|problem| !notes(problem)) {
        print::stdout(&render::problem_text(paint, &problem, directories));
    }
}
