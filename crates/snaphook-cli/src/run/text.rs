//! The steps of a session as text for a person.

use snaphook::{Decision, ToolCall, Verdict, printable_lines};
use snaphook_agent::driver::{Ending, ServerState, Step, Summary};

use crate::print::{Paint, brief, lines};
use crate::render;

/// Turns steps into text.
pub(crate) struct Teller {
    paint: Paint,
    /// The scratch project, which need not be repeated with each path.
    project: String,
    /// True to show an answer as it comes.
    streams: bool,
    /// True if a part of an answer is shown, and its end is not.
    open: bool,
}

impl Teller {
    pub(crate) fn new(paint: Paint) -> Self {
        Teller { paint, project: String::new(), streams: false, open: false }
    }

    /// Shows an answer as it comes.
    #[cfg(feature = "drive")]
    pub(crate) fn streaming(mut self, streams: bool) -> Self {
        self.streams = streams;
        self
    }

    /// The text of a step, with line ends; empty for what is not shown.
    pub(crate) fn tell(&mut self, step: &Step) -> String {
        if let Step::TextDelta { text } = step {
            if !self.streams {
                return String::new();
            }
            let begins = !std::mem::replace(&mut self.open, true);
            let shown = printable_lines(text).replace('\n', "\n  ");
            return if begins { format!("  {shown}") } else { shown };
        }
        let was_open = std::mem::take(&mut self.open);
        if was_open && matches!(step, Step::AssistantText { .. } | Step::ModelAnswered { .. }) {
            // All of it is there already.
            self.open = matches!(step, Step::ModelAnswered { .. });
            return if self.open { String::new() } else { "\n".to_owned() };
        }
        let told = self.step(step);
        if was_open { format!("\n{told}") } else { told }
    }

    fn step(&mut self, step: &Step) -> String {
        let paint = self.paint;
        match step {
            Step::Started { name, agent, project } => {
                self.project = format!("{}/", project.display());
                let place = lines(&project.display().to_string());
                format!("{} {name} ({agent}) in {}\n", paint.bold("session:"), paint.dim(&place))
            }
            Step::Problem(problem) => format!("{}\n", render::problem_line(paint, problem)),
            Step::PromptSent { text, decision } => {
                format!("\n{} {}\n{}", paint.bold(">"), lines(text), self.reasons(decision))
            }
            Step::PromptBlocked { text, decision } => {
                let head = paint.red("prompt blocked");
                format!("\n{} {}\n  {head}\n{}", paint.bold(">"), lines(text), self.reasons(decision))
            }
            Step::AssistantText { text, subagent } => {
                let who = subagent.as_ref().map(|name| format!("[{name}] ")).unwrap_or_default();
                format!("  {}\n", paint.dim(&format!("{who}{}", lines(text))))
            }
            Step::CallDecided { call, decision } => self.call(call, decision),
            Step::CallRefused { id, tool, why } => {
                format!(
                    "    {} {} {}\n",
                    paint.yellow("not run:"),
                    lines(tool),
                    paint.dim(&format!("{id} {}", lines(why)))
                )
            }
            Step::CallFinished { result, rewritten, recorded, duration } => {
                let head = match (rewritten, result.is_error) {
                    (true, _) => paint.cyan("result rewritten:"),
                    (false, true) => paint.yellow("failed:"),
                    (false, false) => paint.dim("result:"),
                };
                let from = if *recorded {
                    " (recorded)".to_owned()
                } else {
                    format!(" ({} ms)", duration.as_millis())
                };
                let shown = if *rewritten {
                    format!("\n        {}", lines(&result.content).trim_end().replace('\n', "\n        "))
                } else {
                    format!(" {}", brief(&result.content, 100))
                };
                format!(
                    "    {}{head}{}{shown}\n",
                    paint.dim(&format!("{} ", result.call.id)),
                    paint.dim(&from)
                )
            }
            Step::Delivered { text, .. } => {
                let head = paint.cyan("to the agent");
                format!("  {head} {}: {}\n", text.hook.id, lines(&text.text).replace('\n', "\n    "))
            }
            Step::ContinueWith { text } => {
                format!("  {} {}: {}\n", paint.cyan("go on"), text.hook.id, lines(&text.text))
            }
            Step::Terminated { turns_left_out } => {
                format!("  {} {turns_left_out} turns left out\n", paint.red("terminated:"))
            }
            Step::CheckSent { text } => {
                format!("  {} {}\n", paint.cyan("go on:"), lines(text).replace('\n', "\n    "))
            }
            Step::ModelAsked { model, attempt } if *attempt > 1 => {
                format!("  {}\n", paint.dim(&format!("{model} is asked again (attempt {attempt})")))
            }
            Step::TurnBroken { why, again_after } => {
                let again = again_after.map(|wait| format!("; asked again in {:.1} s", wait.as_secs_f64()));
                format!("  {} {}{}\n", paint.yellow("no answer:"), lines(why), again.unwrap_or_default())
            }
            Step::AgentFailed { error } => format!("  {} {}\n", paint.red("failed:"), lines(error)),
            Step::PromptCancelled => format!("  {}\n", paint.yellow("ended by the person")),
            Step::Cleared => format!("  {}\n", paint.dim("the conversation begins anew")),
            Step::Compacted { summary } => {
                format!("  {} {}\n", paint.dim("compacted to:"), lines(summary).replace('\n', "\n    "))
            }
            Step::CheckPassed { hook } => {
                format!("  {} {}\n", paint.green("check passed:"), hook.id)
            }
            Step::CheckFailed { hook, reason, pending } => {
                let rest = if *pending > 0 { format!(" ({pending} more not run)") } else { String::new() };
                let reason = lines(reason).replace('\n', "\n    ");
                format!("  {} {}{rest}: {reason}\n", paint.red("check failed:"), hook.id)
            }
            Step::Server { name, state } => self.server(name, state),
            Step::Notice { text } => format!("  {} {}\n", paint.dim("note:"), lines(text)),
            Step::Report(report) => format!("  {} {}\n", paint.red("report:"), lines(&report.to_string())),
            Step::SubagentStarted { subagent } => {
                format!("  {}\n", paint.dim(&format!("subagent {subagent} starts")))
            }
            Step::SubagentEnded { subagent } => {
                format!("  {}\n", paint.dim(&format!("subagent {subagent} ends")))
            }
            Step::Ended(summary) => self.summary(summary),
            // Output is shown with the result; turns show themselves by their calls.
            _ => String::new(),
        }
    }

    fn server(&self, name: &str, state: &ServerState) -> String {
        let paint = self.paint;
        let head = paint.bold(&format!("mcp server {}:", lines(name)));
        match state {
            ServerState::Connected { tools: 1 } => format!("{head} 1 tool\n"),
            ServerState::Connected { tools } => format!("{head} {tools} tools\n"),
            ServerState::NotAllowed { why } => {
                format!("{head} {} {}\n", paint.yellow("not started:"), lines(why))
            }
            ServerState::Failed { why } => format!("{head} {} {}\n", paint.red("not connected:"), lines(why)),
            _ => String::new(),
        }
    }

    fn call(&self, call: &ToolCall, decision: &Decision) -> String {
        let paint = self.paint;
        let verdict = match decision.verdict {
            Verdict::Deny => paint.red("denied "),
            Verdict::Ask => paint.yellow("asks   "),
            Verdict::Abstain | Verdict::Allow => paint.green("allowed"),
        };
        let mut text = format!("  {verdict} {} {}\n", paint.bold(&lines(&call.tool)), self.subject(call));
        if let Some(hold) = &decision.hold {
            text += &format!("    {} {}\n", paint.cyan("held:"), lines(&hold.arguments().join(" ")));
        }
        if decision.is_rewritten_by_hooks()
            && let Some(now) = decision.judged().call()
        {
            text += &format!("    {} {}\n", paint.cyan("input rewritten:"), self.subject(now));
        }
        text + self.reasons(decision).as_str()
    }

    fn reasons(&self, decision: &Decision) -> String {
        let shown = decision
            .reasons
            .iter()
            .filter(|reason| reason.verdict > Verdict::Allow || !reason.text.is_empty());
        shown.map(|reason| format!("    {}\n", render::reason_line(self.paint, reason))).collect()
    }

    fn summary(&self, summary: &Summary) -> String {
        let paint = self.paint;
        let ending = match (summary.ending, summary.limit) {
            (Ending::Completed, _) => String::new(),
            (_, Some(limit)) => format!(" ({limit})"),
            (ending, None) => format!(" ({})", ending.as_str().replace('_', " ")),
        };
        let blocked = match summary.blocked_prompts {
            0 => String::new(),
            count => format!(" ({count} blocked)"),
        };
        let tokens = match summary.usage.total() {
            0 => String::new(),
            tokens => format!(", {tokens} tokens"),
        };
        format!(
            "\n{}{ending} {} prompts{blocked}, {} turns{tokens}, {} tool calls: {} allowed, {} denied\n         {} asked, {} inputs rewritten, \
             {} results rewritten, {} failed, {} recorded, {} checks failed, {} texts delivered, {} reports, {} ms\n",
            paint.bold("summary:"),
            summary.prompts,
            summary.turns,
            summary.calls,
            summary.allowed,
            summary.denied,
            summary.asked,
            summary.rewritten_inputs,
            summary.rewritten_results,
            summary.failed,
            summary.recorded,
            summary.failed_checks,
            summary.delivered,
            summary.reports,
            summary.duration.as_millis(),
        )
    }

    /// Returns what a call is about, in one line.
    fn subject(&self, call: &ToolCall) -> String {
        let paths = call.paths();
        let text = match call.command() {
            Some(command) => command.into_owned(),
            None if paths.is_empty() => call.input.to_string(),
            None => paths.join(" "),
        };
        brief(&text.replace(&self.project, ""), 120)
    }
}
