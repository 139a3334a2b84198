//! `--summary`: what a session came to, in Markdown, as GitHub shows it beside a job.

use std::path::Path;

use snaphook_agent::driver::{Step, Summary};

use super::input;
use crate::exit::Failure;
use crate::print::{brief, lines};

/// The most rows of each table.
const MAX_ROWS: usize = 50;

/// Takes the steps, and makes the summary of them.
#[derive(Debug, Default)]
pub(super) struct Report {
    prompts: Vec<String>,
    denied: Vec<(String, String)>,
    checks: Vec<(String, bool, String)>,
    last: Option<String>,
    notes: Vec<String>,
    summary: Option<Summary>,
}

impl Report {
    /// Takes a step.
    pub(super) fn take(&mut self, step: &Step) {
        match step {
            Step::PromptSent { text, .. } => self.prompts.push(text.clone()),
            Step::AssistantText { text, subagent: None } => self.last = Some(text.clone()),
            Step::CallDecided { call, decision } if !decision.is_allowed() => {
                let what = call.command().map(|command| command.into_owned());
                let what = what.unwrap_or_else(|| call.input.to_string());
                self.denied.push((format!("{} {}", call.tool, brief(&what, 100)), decision.message()));
            }
            Step::CheckPassed { hook } => self.check(&hook.name, true, ""),
            Step::CheckFailed { hook, reason, .. } => self.check(&hook.name, false, reason),
            Step::TurnBroken { why, again_after: None } => self.notes.push(why.clone()),
            Step::Notice { text } => self.notes.push(text.clone()),
            Step::AgentFailed { error } => self.notes.push(error.clone()),
            Step::Ended(summary) => self.summary = Some(summary.clone()),
            _ => {}
        }
    }

    /// Of a check the last word counts.
    fn check(&mut self, name: &str, passed: bool, reason: &str) {
        self.checks.retain(|(known, ..)| known != name);
        self.checks.push((name.to_owned(), passed, reason.to_owned()));
    }

    /// Puts the summary behind what is in a file, where there is one for it. `model` is whose session it was.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, file: Option<&Path>, model: &str) -> Result<(), Failure> {
        file.map_or(Ok(()), |file| input::append(file, &self.text(model)))
    }

    /// Returns the text.
    pub(super) fn text(&self, model: &str) -> String {
        let Some(summary) = &self.summary else {
            return "# snaphook run\n\nThe session did not end.\n".to_owned();
        };
        let ending = summary
            .limit
            .map_or_else(|| summary.ending.as_str().replace('_', " "), |limit| limit.to_string());
        let mut text = format!("# snaphook run: {}\n\n", cell(&ending));
        text.push_str(&format!(
            "`{}`, {} turns, {} calls ({} denied), {} tokens in {} s\n",
            cell(model),
            summary.turns,
            summary.calls,
            summary.denied,
            summary.usage.total(),
            summary.duration.as_secs()
        ));
        if let Some(prompt) = self.prompts.first() {
            text.push_str(&format!("\n## Task\n\n{}\n", quote(prompt)));
        }
        if let Some(last) = &self.last {
            text.push_str(&format!("\n## Answer\n\n{}\n", quote(last)));
        }
        if !self.denied.is_empty() {
            text.push_str("\n## Denied\n\n| call | reason |\n|---|---|\n");
            for (call, reason) in self.denied.iter().take(MAX_ROWS) {
                text.push_str(&format!(
                    "| `{}` | {} |\n",
                    cell(call).replace('`', "'"),
                    cell(&brief(reason, 300))
                ));
            }
            text.push_str(&left_out(self.denied.len()));
        }
        if !self.checks.is_empty() {
            text.push_str("\n## Checks\n\n| check | result |\n|---|---|\n");
            for (name, passed, reason) in self.checks.iter().take(MAX_ROWS) {
                let result =
                    if *passed { "passed".to_owned() } else { format!("**failed**: {}", brief(reason, 300)) };
                text.push_str(&format!("| {} | {} |\n", cell(name), cell(&result)));
            }
            text.push_str(&left_out(self.checks.len()));
        }
        if !self.notes.is_empty() {
            text.push_str("\n## Notes\n\n");
            for note in self.notes.iter().take(MAX_ROWS) {
                text.push_str(&format!("- {}\n", cell(&brief(note, 300))));
            }
            text.push_str(&left_out(self.notes.len()));
        }
        text
    }
}

fn left_out(count: usize) -> String {
    match count.saturating_sub(MAX_ROWS) {
        0 => String::new(),
        more => format!("\n{more} more are left out.\n"),
    }
}

/// Text of others in one line of a table.
fn cell(text: &str) -> String {
    lines(text).replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

/// Text of others as a quotation: no line of it is Markdown of ours.
fn quote(text: &str) -> String {
    lines(text).lines().map(|line| format!("> {}\n", line.replace('<', "&lt;"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_breaks_no_table() {
        assert_eq!(cell("a|b\nc <script>"), "a\\|b c &lt;script>");
        assert_eq!(quote("# x\n<b>"), "> # x\n> &lt;b>\n");
    }
}
