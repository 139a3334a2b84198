//! The loop at one event of the agent: which of its moments the event is, and what it wants done then, lists of lifecycle
//! files and events of iterations before all. Not here: the loop itself (`agent_loop`), its state between processes
//! (`session_loop`), running a list of commands (`context`), and `on_task_complete` (`task_events`).

use std::time::{Duration, Instant};

use snaphook::{CallOptions, Deliver, Event, Lifecycle, Outcome, Ruling};
use snaphook_adapters::Effect;
use snaphook_command::lifecycle::{Lifecycle as LifecycleFile, List, Values};

use crate::agent_loop::iterations::{Iterations, Phase, SavedIterations, Step};
use crate::agent_loop::{Act, AgentLoop, Moment, Saved};
use crate::checks;
use crate::event_run::EventRun;
use crate::session_loop::{LOOP, SessionLoop, now};

/// The events of the loop for hooks.
const ITERATIONS: [Lifecycle; 3] =
    [Lifecycle::IterationStart, Lifecycle::IterationEnd, Lifecycle::IterationError];

/// The act of the loop at this event of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopAct {
    Start,
    Prompt,
    Answered,
    Failed,
    End,
}

impl LoopAct {
    /// The act; `None` where the loop does not know the event.
    fn of(run: &EventRun<'_>) -> Option<Self> {
        if run.is(Lifecycle::UserPrompt) && run.is(Lifecycle::AgentStart) {
            return Some(LoopAct::Prompt);
        }
        let others = [
            (Lifecycle::AgentError, LoopAct::Failed),
            (Lifecycle::AgentEnd, LoopAct::Answered),
            (Lifecycle::SessionStart, LoopAct::Start),
            (Lifecycle::SessionEnd, LoopAct::End),
        ];
        others.into_iter().find(|(moment, _)| run.is(*moment)).map(|(_, act)| act)
    }
}

/// The loop at one event.
pub(crate) struct LoopAtEvent<'a> {
    run: &'a EventRun<'a>,
    /// The act; `None` where no iteration has to be kept.
    act: Option<LoopAct>,
    files: Vec<LifecycleFile>,
    until: Instant,
    state: SessionLoop,
}

/// The time that is left for ending a command that takes too long, before the deadline of the whole call.
const TO_END: Duration = Duration::from_secs(3);

impl<'a> LoopAtEvent<'a> {
    /// Makes the loop for an event. Of one that it does not know, a tool call before all, no file is read. Where there is
    /// no lifecycle file and no hook for iterations, prompts are counted, and nothing else.
    pub(crate) fn of(run: &'a EventRun<'a>) -> Self {
        let act = LoopAct::of(run);
        let has_ended = matches!(act, Some(LoopAct::Answered | LoopAct::Failed));
        let phase = if has_ended { Phase::Working } else { Phase::Idle };
        let iterations = SavedIterations { phase, begun: true, ..SavedIterations::default() };
        let state = SessionLoop::new(has_ended, Saved { iterations, ..Saved::default() });
        // Hooks may have their part of the time first.
        let until = Instant::now() + run.limit().saturating_sub(TO_END).max(run.limit() / 2);
        let mut at_event = LoopAtEvent { run, act, files: Vec::new(), until, state };
        if act.is_none() {
            return at_event;
        }
        at_event.files = run.session.lifecycle_files();
        let is_heard = ITERATIONS.iter().any(|event| run.host.handles(&(*event).into()));
        if at_event.files.is_empty() && !is_heard && !run.session.folder.has(LOOP) {
            if act == Some(LoopAct::Prompt) {
                run.session.note(run.session.folder.count_unheard());
            }
            at_event.act = None;
        }
        at_event
    }

    /// Runs the checks that are due at the end of a turn; a failure is a text to go on with.
    pub(crate) async fn check(&mut self, outcome: &mut Outcome) {
        let acts = self.state.turn_at(Moment::Ended);
        let Some(Act::Evaluate(number)) = acts.first() else { return };
        if let Some(failed) = checks::at_stop(self.run).await {
            let continued = self.state.continued(self.run.session, &self.run.incoming.origin);
            outcome.continue_with.push(failed.message(continued.saturating_add(1), self.run.host.home()));
        }
        self.state.turn_at(Moment::Evaluated(*number));
    }

    /// Returns whether the agent may be made to go on with a text, and counts it.
    pub(crate) fn may_go_on(&mut self, text: &str) -> bool {
        self.state.may_go_on(self.run.session, &self.run.incoming.origin, text)
    }

    /// Does what comes before the agent has its answer: a prompt that was not denied begins an iteration, an error ends
    /// one.
    pub(crate) async fn before(&mut self, outcome: &mut Outcome) {
        let Some(act) = self.act else { return };
        if matches!(outcome.ruling, Ruling::Deny(_)) {
            if act == LoopAct::Prompt {
                let prompt = self.run.prompt_of_the_person().unwrap_or_default().to_owned();
                self.with(|agent_loop| agent_loop.at(now(), Moment::PromptBlocked(prompt)));
            }
            return;
        }
        match act {
            LoopAct::Prompt => {
                let texts = self.prompt().await;
                outcome.context.splice(0..0, texts);
            }
            LoopAct::Failed => {
                let texts = self.failed().await;
                if self.run.effects.has(Effect::Continue) {
                    outcome.continue_with.splice(0..0, texts);
                } else {
                    // The agent hears of it with its next prompt.
                    self.with(|agent_loop| wait(agent_loop, texts));
                }
            }
            LoopAct::Start => self.start().await,
            LoopAct::Answered | LoopAct::End => {}
        }
    }

    /// Does what comes when the answer is known: an agent that goes on has not ended its iteration.
    pub(crate) async fn after(&mut self, outcome: &Outcome) {
        match self.act {
            Some(LoopAct::Answered) if outcome.continue_with.is_empty() => self.answered().await,
            Some(LoopAct::End) => self.end().await,
            _ => {}
        }
    }

    async fn start(&mut self) {
        if let Some(act) = self.at(Moment::Begin) {
            self.work(act).await;
        }
    }

    async fn prompt(&mut self) -> Vec<String> {
        // An agent that tells no start, or hooks that came later.
        self.start().await;
        let prompt = self.run.prompt_of_the_person().unwrap_or_default().to_owned();
        let Some(act) = self.at(Moment::Prompt(prompt)) else { return Vec::new() };
        let context = self.emit(Lifecycle::IterationStart, &act).await;
        let mut texts = match self.work(act).await {
            // The agent has the prompt itself.
            Some(Act::Iterate(Step::Send(mut parts))) => {
                parts.pop();
                parts
            }
            _ => Vec::new(),
        };
        texts.extend(context);
        texts
    }

    async fn failed(&mut self) -> Vec<String> {
        let event = self.run.find(Lifecycle::AgentError);
        let error = event.and_then(|event| event.subject().get("error")?.as_str().map(str::to_owned));
        let Some(act) = self.at(Moment::Failed(error.unwrap_or_default())) else { return Vec::new() };
        let context = self.emit(Lifecycle::IterationError, &act).await;
        self.keep(context);
        match self.work(act).await {
            Some(Act::Iterate(Step::Send(parts))) => parts,
            // No output, or too many failures in a row: then it waits for the person's next prompt.
            _ => Vec::new(),
        }
    }

    async fn answered(&mut self) {
        let Some(act) = self.at(Moment::Rest) else { return };
        let mut context = self.emit(Lifecycle::IterationEnd, &act).await;
        // What is sent from here on is for later.
        for when in [Deliver::Now, Deliver::NextTurn] {
            context.extend(self.run.host.outbox().take(when).into_iter().map(|sent| sent.text));
        }
        self.keep(context);
        self.work(act).await;
    }

    /// The agent is gone: nothing can be delivered any more.
    async fn end(&mut self) {
        let left = self.with(|agent_loop| agent_loop.iterations().pending().drain()).unwrap_or_default();
        for text in left {
            self.run.session.log.line(&format!("output of hooks that the agent never saw: {text}"));
        }
        self.run_list(List::SessionEnd, None, None).await;
    }

    fn with<T>(&mut self, change: impl FnOnce(&mut AgentLoop) -> T) -> Option<T> {
        self.state.with(self.run.session, change)
    }

    /// Gives the loop a moment; `None` where it makes nothing of it.
    fn at(&mut self, moment: Moment) -> Option<Act> {
        let (begins, failed) = (moment == Moment::Begin, matches!(moment, Moment::Failed(_)));
        if begins && self.files.is_empty() {
            return None;
        }
        self.with(|agent_loop| {
            let mut saved = agent_loop.iterations().save().without_running_steps();
            // A file that is trusted later begins later.
            saved.phase = match saved.phase {
                _ if begins && !saved.begun => Phase::New,
                Phase::New => Phase::Idle,
                phase => phase,
            };
            // An error of a prompt that the agent did not report, or that it reports behind its end.
            if failed && saved.phase == Phase::Idle {
                saved.phase = Phase::Working;
            }
            let mut resumed = agent_loop.clone();
            *resumed.iterations_mut() = Iterations::resume(saved);
            let act = resumed.at(now(), moment).pop()?;
            *agent_loop = resumed;
            Some(act)
        })?
    }

    /// Runs the list that the loop wants to run, and gives it the output. Returns what the loop would do next where it
    /// drives the agent itself: here the agent's next event decides.
    async fn work(&mut self, act: Act) -> Option<Act> {
        let Act::Iterate(Step::Run { list, iteration, error }) = act else { return Some(act) };
        let piped = self.run_list(list, iteration, error).await;
        self.with(|agent_loop| {
            let Some(act) = agent_loop.at(now(), Moment::Ran(piped.clone())).pop() else {
                // Another process was faster: the text is not lost.
                wait(agent_loop, vec![piped]);
                return None;
            };
            match (act, agent_loop.iterations().phase()) {
                (check @ Act::Iterate(Step::Check), _) => {
                    agent_loop.at(now(), Moment::Complete(false));
                    Some(check)
                }
                // The end of the loop is not the end of the session: it waits for the person.
                (Act::Iterate(Step::Send(texts)), Phase::Delivering) => {
                    wait(agent_loop, texts);
                    let settled = agent_loop.iterations().save().without_running_steps();
                    *agent_loop.iterations_mut() = Iterations::resume(settled);
                    Some(Act::Iterate(Step::Next))
                }
                (act, _) => Some(act),
            }
        })?
    }

    async fn run_list(&self, list: List, iteration: Option<u64>, error: Option<String>) -> String {
        let values = Values {
            session: self.run.incoming.origin.session.clone().unwrap_or_default(),
            iteration,
            error: error.unwrap_or_default(),
            ..Values::default()
        };
        let cancel = self.run.options.cancel.clone().unwrap_or_default();
        self.run.session.run_list(&self.files, list, &values, self.until, &cancel).await
    }

    /// Dispatches an event of the iteration to hooks; gives their context for the agent.
    async fn emit(&self, event: Lifecycle, act: &Act) -> Vec<String> {
        let Act::Iterate(Step::Run { iteration: Some(iteration), error, .. }) = act else {
            return Vec::new();
        };
        if !self.run.host.handles(&event.into()) {
            return Vec::new();
        }
        let mut fields = serde_json::Map::new();
        fields.insert("iteration".to_owned(), (*iteration).into());
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.as_str().into());
        }
        let Ok(event) = Event::lifecycle(event, fields) else { return Vec::new() };
        let options = CallOptions { cancel: self.run.options.cancel.clone(), ..CallOptions::default() };
        let emitted = self.run.host.emit(event, &options).await;
        for report in emitted.reports {
            self.run.log(&report.to_string());
        }
        emitted.context.into_iter().map(|text| text.text).collect()
    }

    fn keep(&self, texts: Vec<String>) {
        if !texts.is_empty() {
            self.run.session.note(self.run.session.folder.keep_waiting(texts, Vec::new()));
        }
    }
}

/// Lets texts wait for the next iteration.
pub(crate) fn wait(agent_loop: &AgentLoop, texts: Vec<String>) {
    for text in texts {
        // What does not fit is more than would be read.
        drop(agent_loop.iterations().pending().push(text));
    }
}
