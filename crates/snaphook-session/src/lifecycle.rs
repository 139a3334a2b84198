//! Lifecycle files and the events of iterations at one event of the agent: the loop is the same that a driver of ours
//! runs (`snaphook::iterations`), resumed from the session's folder and saved there. Not here: running a list of
//! commands (`context`), and `on_task_complete` (`task_events`).

use std::time::{Duration, Instant};

use snaphook::iterations::{Iterations, Phase, Saved, Signal, Step, Unexpected};
use snaphook::{CallOptions, Deliver, Event, Lifecycle as Moment, Outcome, Ruling};
use snaphook_adapters::Effect;
use snaphook_command::lifecycle::{Lifecycle, List, Values};

use crate::context::SessionContext;
use crate::event::EventRun;

/// The file with the state of the loop.
const STATE: &str = "iterations.json";

/// The events of the loop for hooks.
const ITERATIONS: [Moment; 3] = [Moment::IterationStart, Moment::IterationEnd, Moment::IterationError];

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
        if run.is(Moment::UserPrompt) && run.is(Moment::AgentStart) {
            return Some(LoopAct::Prompt);
        }
        let others = [
            (Moment::AgentError, LoopAct::Failed),
            (Moment::AgentEnd, LoopAct::Answered),
            (Moment::SessionStart, LoopAct::Start),
            (Moment::SessionEnd, LoopAct::End),
        ];
        others.into_iter().find(|(moment, _)| run.is(*moment)).map(|(_, act)| act)
    }
}

/// The loop at one event.
pub(crate) struct LoopAtEvent<'a> {
    run: &'a EventRun<'a>,
    act: LoopAct,
    files: Vec<Lifecycle>,
    until: Instant,
    /// The loop where there is no session to keep it in.
    own: Iterations,
}

/// The time that is left for ending a command that takes too long, before the deadline of the whole call.
const TO_END: Duration = Duration::from_secs(3);

impl<'a> LoopAtEvent<'a> {
    /// For an event that the loop knows; `None` for any other, a tool call before all: no file is read for it. Also
    /// `None` where there is no lifecycle file and no hook for iterations: then prompts are counted, and nothing else.
    pub(crate) fn of(run: &'a EventRun<'a>) -> Option<Self> {
        let act = LoopAct::of(run)?;
        // Hooks may have their part of the time first.
        let until = Instant::now() + run.limit().saturating_sub(TO_END).max(run.limit() / 2);
        let files = run.session.lifecycle_files();
        let heard = ITERATIONS.iter().any(|moment| run.host.handles(&(*moment).into()));
        if files.is_empty() && !heard && !run.session.folder.has(STATE) {
            if act == LoopAct::Prompt {
                run.session.note(run.session.folder.count_unheard());
            }
            return None;
        }
        let phase =
            if matches!(act, LoopAct::Answered | LoopAct::Failed) { Phase::Working } else { Phase::Idle };
        let own = Iterations::resume(Saved { phase, begun: true, ..Saved::default() });
        Some(LoopAtEvent { run, act, files, until, own })
    }

    /// Does what comes before the agent has its answer: a prompt that nobody denied begins an iteration, an error ends
    /// one.
    pub(crate) async fn before(&mut self, outcome: &mut Outcome) {
        if matches!(outcome.ruling, Ruling::Deny(_)) {
            return;
        }
        match self.act {
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
                    self.with_loop(|iterations| {
                        texts.into_iter().for_each(|text| drop(iterations.pending().push(text)))
                    });
                }
            }
            LoopAct::Start => self.start().await,
            LoopAct::Answered | LoopAct::End => {}
        }
    }

    /// Does what comes when the answer is known: an agent that goes on has not ended its iteration.
    pub(crate) async fn after(&mut self, outcome: &Outcome) {
        match self.act {
            LoopAct::Answered if outcome.continue_with.is_empty() => self.answered().await,
            LoopAct::End => self.end().await,
            _ => {}
        }
    }

    async fn start(&mut self) {
        if let Some(step) = self.signal(Signal::Begin) {
            self.work(step).await;
        }
    }

    async fn prompt(&mut self) -> Vec<String> {
        // An agent that tells no start, or hooks that came later.
        self.start().await;
        let Some(step) = self.signal(Signal::PersonPrompt(String::new())) else { return Vec::new() };
        let context = self.emit(Moment::IterationStart, &step).await;
        let mut texts = match self.work(step).await {
            // The agent has the prompt itself.
            Some(Step::Send(mut parts)) => {
                parts.pop();
                parts
            }
            _ => Vec::new(),
        };
        texts.extend(context);
        texts
    }

    async fn failed(&mut self) -> Vec<String> {
        let event = self.run.find(Moment::AgentError);
        let error = event.and_then(|event| event.subject().get("error")?.as_str().map(str::to_owned));
        let Some(step) = self.signal(Signal::Failed(error.unwrap_or_default())) else { return Vec::new() };
        let context = self.emit(Moment::IterationError, &step).await;
        self.keep(context);
        match self.work(step).await {
            Some(Step::Send(parts)) => parts,
            // No output, or too many failures in a row: then it waits for the person's next prompt.
            _ => Vec::new(),
        }
    }

    async fn answered(&mut self) {
        let Some(step) = self.signal(Signal::Answered) else { return };
        let mut context = self.emit(Moment::IterationEnd, &step).await;
        // What is sent from here on is for later.
        for when in [Deliver::Now, Deliver::NextTurn] {
            context.extend(self.run.host.outbox().take(when).into_iter().map(|sent| sent.text));
        }
        self.keep(context);
        self.work(step).await;
    }

    /// The agent is gone: nothing can be delivered any more.
    async fn end(&mut self) {
        let left = self.with_loop(|iterations| iterations.pending().drain()).unwrap_or_default();
        for text in left {
            self.run.session.log.line(&format!("output of hooks that the agent never saw: {text}"));
        }
        self.run_list(List::SessionEnd, None, None).await;
    }

    fn with_loop<T>(&mut self, change: impl FnOnce(&mut Iterations) -> T) -> Option<T> {
        with_loop(self.run.session, &mut self.own, change)
    }

    /// Gives the loop a signal; `None` where it makes nothing of it.
    fn signal(&mut self, signal: Signal) -> Option<Step> {
        let (begins, failed) = (signal == Signal::Begin, matches!(signal, Signal::Failed(_)));
        if begins && self.files.is_empty() {
            return None;
        }
        self.with_loop(|iterations| {
            let mut saved = iterations.save().settled();
            // A file that somebody trusted later begins later.
            saved.phase = match saved.phase {
                _ if begins && !saved.begun => Phase::New,
                Phase::New => Phase::Idle,
                phase => phase,
            };
            // An error of a prompt that the agent did not report, or that it reports behind its end.
            if failed && saved.phase == Phase::Idle {
                saved.phase = Phase::Working;
            }
            let mut resumed = Iterations::resume(saved);
            let step = resumed.signal(Duration::ZERO, signal).ok()?;
            *iterations = resumed;
            Some(step)
        })?
    }

    /// Runs the list that the loop wants to run, and gives it the output.
    async fn work(&mut self, step: Step) -> Option<Step> {
        let Step::Run { list, iteration, error } = step else {
            return self.settle(Ok(step));
        };
        let piped = self.run_list(list, iteration, error).await;
        let step = self.with_loop(|iterations| {
            let step = iterations.signal(Duration::ZERO, Signal::Ran(piped.clone()));
            if step.is_err() {
                // Another process was faster: the text is not lost.
                iterations.pending().push(piped);
            }
            step
        })?;
        self.settle(step)
    }

    /// Returns what the loop would do next where it drives the agent itself: here the agent's next event decides.
    fn settle(&mut self, step: Result<Step, Unexpected>) -> Option<Step> {
        let step = step.ok()?;
        self.with_loop(|iterations| {
            match (&step, iterations.phase()) {
                (Step::Check, _) => drop(iterations.signal(Duration::ZERO, Signal::Complete(false))),
                // The end of the loop is not the end of the session: it waits for the person.
                (Step::Send(texts), Phase::Delivering) => {
                    texts.iter().for_each(|text| drop(iterations.pending().push(text.clone())));
                    *iterations = Iterations::resume(iterations.save().settled());
                    return Step::Next;
                }
                _ => {}
            }
            step
        })
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
    async fn emit(&self, moment: Moment, step: &Step) -> Vec<String> {
        let Step::Run { iteration: Some(iteration), error, .. } = step else { return Vec::new() };
        if !self.run.host.handles(&moment.into()) {
            return Vec::new();
        }
        let mut fields = serde_json::Map::new();
        fields.insert("iteration".to_owned(), (*iteration).into());
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.as_str().into());
        }
        let Ok(event) = Event::lifecycle(moment, fields) else { return Vec::new() };
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

/// Changes the loop's state under the session's lock; `own` where there is no session to keep it in. `None` where the
/// session's folder cannot be used.
pub(crate) fn with_loop<T>(
    session: &SessionContext,
    own: &mut Iterations,
    change: impl FnOnce(&mut Iterations) -> T,
) -> Option<T> {
    let locked = match session.folder.locked() {
        None => return Some(change(own)),
        Some(locked) => locked.map_err(|error| session.report(&error)).ok()?,
    };
    let document = session.note(locked.read(STATE));
    let mut saved = Saved::from_json(&document);
    if saved == Saved::default() {
        saved.iteration = session.folder.unheard();
    }
    let mut iterations = Iterations::resume(saved);
    let done = change(&mut iterations);
    let new = iterations.save().to_json();
    if new != document {
        session.note(locked.write(STATE, &new));
    }
    Some(done)
}
