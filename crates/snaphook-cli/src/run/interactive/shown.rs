//! The steps of a session as a person at its terminal sees them: the answer as it comes, each call with its decision and hooks, results
//! folded. Not here: other steps (`super::super::text`), and writing to the terminal (`owner`).

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use similar::{ChangeTag, TextDiff};
use snaphook::{Decision, Reason, ToolCall, Verdict, printable_lines};
use snaphook_agent::driver::{Observer, Step};

use super::owner::Terminal;
use crate::exit::Failure;
use crate::print::{Paint, brief, lines};
use crate::run::formatted::Formatted;
use crate::run::summary::Report;
use crate::run::text::Teller;

/// The number of lines of a result that are shown at once.
const SHOWN_LINES: usize = 4;

/// The longest line of a result, in characters, and the longest text of a call.
const LINE: usize = 160;

/// The most results that are kept for `/show`, and the longest one, in bytes.
const MAX_RESULTS: usize = 200;
const MAX_RESULT: usize = 1 << 20;

/// The results of a session, for `/show`.
#[derive(Debug, Clone, Default)]
pub(super) struct Results(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// The number of the first that is kept, less one.
    before: usize,
    texts: std::collections::VecDeque<Arc<str>>,
}

impl Results {
    /// Keeps a result; gives its number.
    fn keep(&self, content: &Arc<str>) -> usize {
        let mut kept = self.0.lock();
        let text = match content.get(..content.floor_char_boundary(MAX_RESULT)) {
            Some(cut) if cut.len() < content.len() => format!("{cut}\n(cut)").into(),
            _ => Arc::clone(content),
        };
        kept.texts.push_back(text);
        if kept.texts.len() > MAX_RESULTS {
            kept.texts.pop_front();
            kept.before += 1;
        }
        kept.before + kept.texts.len()
    }

    /// The whole text of a result, or of the newest.
    pub(super) fn show(&self, number: Option<usize>) -> Result<String, NoResult> {
        let kept = self.0.lock();
        let newest = kept.before + kept.texts.len();
        let number = number.unwrap_or(newest);
        let text = number.checked_sub(kept.before + 1).and_then(|at| kept.texts.get(at));
        match text {
            Some(text) => {
                let shown = lines(text).replace('\n', "\n    ");
                Ok(format!("  result {number}:\n    {shown}\n"))
            }
            None if newest == 0 => Err(NoResult::NoneYet),
            None => Err(NoResult::NotKept { number, oldest: kept.before + 1, newest }),
        }
    }
}

/// A result that `/show` cannot show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoResult {
    #[error("there is no result yet")]
    NoneYet,
    #[error("there is no result {number}; there are {oldest} to {newest}")]
    NotKept { number: usize, oldest: usize, newest: usize },
}

/// Shows the steps.
pub(in crate::run) struct Shown {
    terminal: Terminal,
    paint: Paint,
    teller: Teller,
    report: Report,
    results: Results,
    /// The answer that comes; `None` where Markdown is shown as it was written.
    formatted: Option<Formatted>,
    /// True if a piece of the answer was shown, and its end was not.
    is_open: bool,
    /// True if all of the answer was shown as it came.
    has_streamed: bool,
    /// The folder that paths are told from.
    project: String,
}

impl Shown {
    pub(super) fn new(terminal: Terminal, paint: Paint, results: Results, project: &Path) -> Self {
        Shown {
            terminal,
            paint,
            teller: Teller::new(paint),
            report: Report::default(),
            results,
            formatted: paint.on.then(|| Formatted::new(paint)),
            is_open: false,
            has_streamed: false,
            project: format!("{}/", project.display()),
        }
    }

    /// Writes the summary, where there is a file for it.
    ///
    /// # Errors
    /// It cannot be written.
    pub(in crate::run) fn write(&self, file: Option<&Path>, model: &str) -> Result<(), Failure> {
        self.report.write(file, model)
    }

    fn text(&mut self, step: &Step) -> String {
        if let Step::TextDelta { text } = step {
            let before = if std::mem::replace(&mut self.is_open, true) { "" } else { "\n" };
            let text = match &mut self.formatted {
                Some(formatted) => formatted.push(text),
                None => printable_lines(text),
            };
            return format!("{before}{text}");
        }
        let mut text = String::new();
        if std::mem::take(&mut self.is_open) {
            text = self.formatted.as_mut().map_or_else(|| "\n".to_owned(), Formatted::end);
            self.has_streamed = matches!(step, Step::ModelAnswered { .. });
        }
        text + self.step(step).as_str()
    }

    fn step(&mut self, step: &Step) -> String {
        let paint = self.paint;
        match step {
            // The head says it.
            Step::Started { .. } | Step::ModelAnswered { .. } | Step::CallOutput { .. } => String::new(),
            // It stands above, as it was typed.
            Step::PromptSent { text, decision } => {
                let typed = decision.original.subject();
                let typed = typed.get("prompt").and_then(|prompt| prompt.as_str()).unwrap_or_default();
                let rewritten = rewritten(paint, typed, text);
                format!("{rewritten}{}", self.reasons(decision))
            }
            Step::PromptBlocked { decision, .. } => {
                format!("  {}\n{}", paint.red("prompt blocked"), self.reasons(decision))
            }
            Step::PromptCancelled => format!("  {}\n", paint.yellow("ended by you")),
            Step::Cleared => {
                format!("  {}\n", paint.dim("the conversation begins anew; the session is the same"))
            }
            Step::AssistantText { .. } if std::mem::take(&mut self.has_streamed) => String::new(),
            Step::AssistantText { text, .. } => match self.formatted.as_mut() {
                Some(formatted) => format!("\n{}{}", formatted.push(text), formatted.end()),
                None => format!("\n{}\n", printable_lines(text)),
            },
            Step::CallStarted { call } => {
                format!("  {} {}\n", paint.bold(&lines(&call.tool)), self.subject(call))
            }
            Step::CallDecided { call, decision } => self.decided(call, decision),
            Step::CallFinished { result, rewritten, duration, .. } => {
                let number = self.results.keep(&result.content);
                let head = match (rewritten, result.is_error) {
                    (true, _) => paint.cyan("result, rewritten by hooks"),
                    (false, true) => paint.yellow("failed"),
                    (false, false) => paint.dim("result"),
                };
                let time = paint.dim(&format!("{number} ({} ms)", duration.as_millis()));
                format!("    {head} {time}{}", folded(paint, &result.content, number))
            }
            Step::Ended(_) => String::new(),
            step => self.teller.tell(step),
        }
    }

    fn decided(&self, call: &ToolCall, decision: &Decision) -> String {
        let paint = self.paint;
        let name = format!("{} {}", paint.bold(&lines(&call.tool)), self.subject(call));
        let mut text = match decision.verdict {
            Verdict::Deny => format!("  {} {name}\n", paint.red("denied")),
            Verdict::Ask => format!("  {} {name}\n", paint.yellow("asks")),
            Verdict::Abstain | Verdict::Allow => {
                let mut hooks: Vec<&str> = decision
                    .reasons
                    .iter()
                    .filter_map(|reason: &Reason| reason.hook.as_ref().map(|hook| hook.id.as_str()))
                    .collect();
                hooks.dedup();
                let by = if hooks.is_empty() {
                    String::new()
                } else {
                    format!(" by {}", lines(&hooks.join(", ")))
                };
                let held = decision
                    .hold
                    .as_ref()
                    .map(|hold| paint.dim(&format!(", held: {}", lines(&hold.arguments().join(" ")))));
                format!("    {}{by}{}\n", paint.green("allowed"), held.unwrap_or_default())
            }
        };
        if decision.is_rewritten_by_hooks()
            && let Some(now) = decision.judged().call()
        {
            text += &rewritten(paint, &whole_subject(call), &whole_subject(now));
        }
        text + self.reasons(decision).as_str()
    }

    fn reasons(&self, decision: &Decision) -> String {
        // What the person was asked and answered stands above.
        let answered = |reason: &Reason| {
            decision.is_allowed()
                && (reason.verdict == Verdict::Ask || reason.text.starts_with("approved by the person:"))
        };
        let shown = decision.reasons.iter().filter(|reason| !reason.text.is_empty() && !answered(reason));
        shown.map(|reason| format!("    {}\n", crate::render::reason_line(self.paint, reason))).collect()
    }

    fn subject(&self, call: &ToolCall) -> String {
        brief(&whole_subject(call).replace(&self.project, ""), LINE)
    }
}

impl Observer for Shown {
    fn step(&mut self, step: &Step) {
        self.report.take(step);
        let text = self.text(step);
        self.terminal.print(&text);
    }
}

/// The command or the files that a call is about, else its input.
fn whole_subject(call: &ToolCall) -> String {
    let paths = call.paths();
    match call.command() {
        Some(command) => command.into_owned(),
        None if paths.is_empty() => call.input.to_string(),
        None => paths.join(" "),
    }
}

/// A rewrite, word by word; nothing where nothing changed.
fn rewritten(paint: Paint, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let (before, after) = (printable_lines(before), printable_lines(after));
    let diff = TextDiff::from_words(before.as_str(), after.as_str());
    let mut words = String::new();
    let (mut gone, mut new) = (String::new(), String::new());
    let flush = |words: &mut String, gone: &mut String, new: &mut String| {
        for (text, marks, colour) in
            [(gone, ("[-", "-]"), Paint::red as fn(Paint, &str) -> String), (new, ("{+", "+}"), Paint::green)]
        {
            if !text.is_empty() {
                words.push_str(&colour(paint, &format!("{}{text}{}", marks.0, marks.1)));
                text.clear();
            }
        }
    };
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {
                flush(&mut words, &mut gone, &mut new);
                words.push_str(change.value());
            }
            ChangeTag::Delete => gone.push_str(change.value()),
            ChangeTag::Insert => new.push_str(change.value()),
        }
    }
    flush(&mut words, &mut gone, &mut new);
    format!("    {} {}\n", paint.cyan("rewritten:"), words.replace('\n', "\n      "))
}

/// The first lines of a result, and where the rest is.
fn folded(paint: Paint, content: &str, number: usize) -> String {
    let all = lines(content);
    let all = all.trim_end();
    if all.is_empty() {
        return format!(" {}\n", paint.dim("(nothing)"));
    }
    let count = all.lines().count();
    let cut = |line: &str| {
        let short: String = line.chars().take(LINE).collect();
        if short.len() < line.len() { (format!("{short} …"), true) } else { (short, false) }
    };
    let mut is_cut = false;
    let mut shown = String::from("\n");
    for line in all.lines().take(SHOWN_LINES) {
        let (line, was_cut) = cut(line);
        is_cut |= was_cut;
        shown += &format!("      {}\n", paint.dim(&line));
    }
    if count > SHOWN_LINES {
        shown += &format!(
            "      {}\n",
            paint.dim(&format!("… {} more lines: /show {number}", count - SHOWN_LINES))
        );
    } else if is_cut {
        shown += &format!("      {}\n", paint.dim(&format!("… all of it: /show {number}")));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { on: false };

    #[test]
    fn results_are_folded_and_kept() {
        let results = Results::default();
        assert_eq!(results.show(None), Err(NoResult::NoneYet));
        let long: Arc<str> = (1..=6).map(|line| format!("line {line}\n")).collect::<String>().into();
        assert_eq!(results.keep(&long), 1);
        let shown = folded(PLAIN, &long, 1);
        assert!(shown.contains("line 4\n      … 2 more lines: /show 1"), "{shown}");
        assert!(results.show(None).unwrap().contains("line 6"));
        assert_eq!(results.show(Some(2)), Err(NoResult::NotKept { number: 2, oldest: 1, newest: 1 }));
        for _ in 0..MAX_RESULTS {
            results.keep(&"x".into());
        }
        assert_eq!(results.show(Some(1)), Err(NoResult::NotKept { number: 1, oldest: 2, newest: 201 }));
        assert!(folded(PLAIN, &"x".repeat(200), 3).contains("all of it: /show 3"));
        assert_eq!(folded(PLAIN, " \n", 1), " (nothing)\n");
    }

    #[test]
    fn a_rewrite_is_shown_by_its_words() {
        assert_eq!(
            rewritten(PLAIN, "rm -rf build", "trash build"),
            "    rewritten: [-rm -rf-]{+trash+} build\n"
        );
        assert_eq!(rewritten(PLAIN, "a", "a"), "");
    }
}
