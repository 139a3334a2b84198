//! Lifecycle files where an agent calls for each event: its events as signals of the iteration loop, whose state is kept in the
//! session's folder between processes. An iteration is one prompt of the person. Not here: the loop (`snaphook::iterations`), the
//! files (`snaphook_discovery`, `snaphook_command::lifecycle`).

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook::iterations::{Iterations, Saved, Signal, Step};
use snaphook::{CallOptions, CancellationToken, Event, EventName, Host, Lifecycle as Moment, Payload};
use snaphook_adapters::{Incoming, Ruling, Wants};
use snaphook_command::lifecycle::{Lifecycle, List, Parsed, Surroundings, Values, Variable, Weight, parse, run_all};
use snaphook_discovery::{Directories, Trust, TrustState, lifecycle_files, printable};

use crate::env::Env;
use crate::hook::log::Log;
use crate::hook::session::SessionFolder;

/// What is kept of the loop.
const STATE: &str = "iterations.json";

/// What the loop does at this event of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Start,
    Prompt,
    Answered,
    Failed,
    End,
}

/// Lifecycle files at one event.
pub(crate) struct AtEvent<'a> {
    env: &'a Env,
    log: &'a Log,
    directories: &'a Directories,
    session: &'a SessionFolder,
    incoming: &'a Incoming,
    cancel: CancellationToken,
    what: What,
    files: Vec<Lifecycle>,
    until: Instant,
    /// What the loop made of a signal that only a later one completes.
    step: Option<Step>,
}

/// The part of the agent's time in which commands have to be over, so that there is an answer when they are not.
fn until(began: Instant, limit: Duration) -> Instant {
    let spare = Duration::from_secs(4);
    began + limit.mul_f64(0.85).checked_sub(spare).unwrap_or_default().max(limit.mul_f64(0.4))
}

impl<'a> AtEvent<'a> {
    /// For an event that the loop knows; `None` for any other, a tool call before all: no file is read for it.
    pub(crate) fn of(
        (env, log): (&'a Env, &'a Log),
        directories: &'a Directories,
        session: &'a SessionFolder,
        incoming: &'a Incoming,
        (trust, cancel): (&Trust, &CancellationToken),
        limit: Duration,
    ) -> Option<Self> {
        let has = |moment: Moment| incoming.events.iter().any(|event| is(event, moment));
        let what = if has(Moment::UserPrompt) && has(Moment::AgentStart) {
            What::Prompt
        } else if has(Moment::AgentError) {
            What::Failed
        } else if has(Moment::AgentEnd) {
            What::Answered
        } else if has(Moment::SessionStart) {
            What::Start
        } else if has(Moment::SessionEnd) {
            What::End
        } else {
            return None;
        };
        let until = until(Instant::now(), limit);
        let files = files(directories, trust, log);
        let cancel = cancel.clone();
        Some(AtEvent { env, log, directories, session, incoming, cancel, what, files, until, step: None })
    }

    /// Before the agent is told anything: a prompt that nobody denied begins an iteration, an error ends one.
    pub(crate) async fn before(&mut self, host: &Host, wants: &mut Wants) {
        if matches!(wants.ruling, Ruling::Deny(_)) {
            return;
        }
        match self.what {
            What::Prompt => {
                let said = self.prompt(host).await;
                wants.context.splice(0..0, said);
            }
            What::Failed => {
                let said = self.failed(host).await;
                wants.continue_with.splice(0..0, said);
            }
            What::Start => {
                self.start().await;
            }
            What::Answered | What::End => {}
        }
    }

    /// When it is known what the agent is told: one that goes on has not ended its iteration.
    pub(crate) async fn after(&mut self, host: &Host, wants: &Wants) {
        match self.what {
            What::Answered if wants.continue_with.is_empty() => self.answered(host).await,
            What::End => self.end().await,
            _ => {}
        }
    }

    async fn start(&mut self) {
        if self.signal(Signal::Begin) {
            let said = self.run_step().await;
            self.signal(Signal::Ran(said));
        }
    }

    async fn prompt(&mut self, host: &Host) -> Vec<String> {
        // An agent that tells no start, or hooks that came later.
        self.start().await;
        if !self.signal(Signal::PersonPrompt(String::new())) {
            return Vec::new();
        }
        let iteration = self.iteration();
        let mut texts = self.tell(host, Moment::IterationStart, iteration, None).await;
        let said = self.run_step().await;
        if self.signal(Signal::Ran(said)) {
            // The agent has the prompt itself.
            if let Some(Step::Send(mut parts)) = self.step.take() {
                parts.pop();
                texts.splice(0..0, parts);
            }
        }
        texts
    }

    async fn failed(&mut self, host: &Host) -> Vec<String> {
        let error = self.incoming.events.iter().find(|event| is(event, Moment::AgentError));
        let error = error.and_then(|event| event.subject().get("error").and_then(|text| text.as_str().map(str::to_owned)));
        let error = error.unwrap_or_default();
        if !self.signal(Signal::Failed(error.clone())) {
            return Vec::new();
        }
        let iteration = self.iteration();
        let told = self.tell(host, Moment::IterationError, iteration, Some(error)).await;
        self.keep(told);
        let said = self.run_step().await;
        if !self.signal(Signal::Ran(said)) {
            return Vec::new();
        }
        match self.step.take() {
            Some(Step::Send(parts)) => parts,
            // It failed too often in a row: what waits is for the person's next prompt.
            _ => Vec::new(),
        }
    }

    async fn answered(&mut self, host: &Host) {
        if !self.signal(Signal::Answered) {
            return;
        }
        let iteration = self.iteration();
        let told = self.tell(host, Moment::IterationEnd, iteration, None).await;
        self.keep(told);
        if matches!(self.step, Some(Step::Run { .. })) {
            let said = self.run_step().await;
            self.signal(Signal::Ran(said));
        }
        self.signal(Signal::Complete(false));
    }

    /// The agent is gone: nothing can be delivered any more.
    async fn end(&mut self) {
        let left = self.with_state(|machine| machine.pending().drain()).unwrap_or_default();
        for text in left {
            self.log.line(&format!("output of hooks that the agent never saw: {text}"));
        }
        self.run(List::SessionEnd, None, None).await;
    }

    /// The loop's state under the session's lock; without a session, a loop that is thrown away.
    fn with_state<T>(&self, change: impl FnOnce(&mut Iterations) -> T) -> Option<T> {
        let report = |error: std::io::Error| self.log.line(&format!("the session's folder: {error}"));
        match self.session.locked() {
            None => {
                let saved = Saved { phase: snaphook::iterations::Phase::Idle, ..Saved::default() };
                Some(change(&mut Iterations::resume(saved)))
            }
            Some(Err(error)) => {
                report(error);
                None
            }
            Some(Ok(locked)) => {
                let saved = locked.read(STATE).map_err(report).ok().map(|document| Saved::from_json(&document));
                let mut machine = Iterations::resume(saved.unwrap_or_default());
                let done = change(&mut machine);
                locked.write(STATE, &machine.save().to_json()).unwrap_or_else(report);
                Some(done)
            }
        }
    }

    /// Gives the loop a signal; false where it does not expect it.
    fn signal(&mut self, signal: Signal) -> bool {
        // What ran in another process runs no more, unless it is this one's that ends.
        let own = matches!(signal, Signal::Ran(_) | Signal::Complete(_));
        let late = match &signal {
            Signal::Ran(text) => Some(text.clone()),
            _ => None,
        };
        let without_session = self.session.state().is_none();
        if without_session && own {
            // The machine is gone; what it would say is known.
            self.step = match (self.what, late) {
                (What::Prompt, Some(text)) if !text.is_empty() => Some(Step::Send(vec![text, String::new()])),
                (What::Failed, Some(text)) if !text.is_empty() => Some(Step::Send(vec![text])),
                _ => None,
            };
            return self.step.is_some();
        }
        if without_session && signal == Signal::Begin {
            return false;
        }
        let what = self.what;
        let step = self.with_state(move |machine| {
            if !own {
                let mut saved = machine.save().settled();
                // The error of a prompt of which nobody told us.
                if matches!(what, What::Failed | What::Answered) && signal != Signal::Begin {
                    saved.phase = match saved.phase {
                        snaphook::iterations::Phase::Idle if what == What::Failed || without_session => {
                            snaphook::iterations::Phase::Working
                        }
                        phase => phase,
                    };
                }
                *machine = Iterations::resume(saved);
            }
            let step = machine.signal(Duration::ZERO, signal);
            // An iteration that failed for good ends as such: the person goes on, and with them what waits.
            match (step, late) {
                (Ok(Step::Check), _) => {
                    let step = Step::Check;
                    let _ = machine.signal(Duration::ZERO, Signal::Complete(false));
                    Ok(step)
                }
                (Ok(Step::Send(texts)), _) if machine.phase() == snaphook::iterations::Phase::Delivering => {
                    texts.into_iter().for_each(|text| drop(machine.pending().push(text)));
                    *machine = Iterations::resume(machine.save().settled());
                    Ok(Step::Next)
                }
                // Another process was faster: the text is not lost.
                (Err(unexpected), Some(text)) => {
                    machine.pending().push(text);
                    Err(unexpected)
                }
                (step, _) => step,
            }
        });
        match step {
            Some(Ok(step)) => {
                self.step = Some(step);
                true
            }
            _ => false,
        }
    }

    fn iteration(&self) -> u64 {
        match &self.step {
            Some(Step::Run { iteration: Some(number), .. }) => *number,
            _ => 0,
        }
    }

    /// Runs the list that the loop wants now; gives what is for the agent.
    async fn run_step(&mut self) -> String {
        match self.step.take() {
            Some(Step::Run { list, iteration, error }) => self.run(list, iteration, error).await,
            _ => String::new(),
        }
    }

    async fn run(&self, list: List, iteration: Option<u64>, error: Option<String>) -> String {
        let origin = &self.incoming.origin;
        let values = Values {
            session: origin.session.clone().unwrap_or_default(),
            iteration,
            error: error.unwrap_or_default(),
            ..Values::default()
        };
        let mut env: Vec<(OsString, OsString)> = self.env.vars.iter().cloned().collect();
        env.push(("SNAPHOOK_PROJECT_ROOT".into(), self.directories.project_root.clone().into()));
        let around = Surroundings { cwd: self.directories.project_root.clone(), env, until: Some(self.until) };
        let mut piped = String::new();
        for file in &self.files {
            let done = run_all(file, list, &values, &around, self.cancel.cancelled()).await;
            for ran in &done.ran {
                let how = if ran.success { "ran" } else { "failed" };
                let more = if ran.piped || ran.output.is_empty() { String::new() } else { format!(": {}", ran.output.trim_end()) };
                self.log.line(&format!("{list}: {how} in {:.1} s: {}{more}", ran.duration.as_secs_f64(), ran.command));
            }
            let text = done.piped();
            if !piped.is_empty() && !piped.ends_with('\n') && !text.is_empty() {
                piped.push('\n');
            }
            piped.push_str(&text);
            if done.cancelled {
                break;
            }
        }
        piped
    }

    /// Tells hooks of an iteration; gives what they have for the agent.
    async fn tell(&self, host: &Host, moment: Moment, iteration: u64, error: Option<String>) -> Vec<String> {
        if !host.handles(&moment.into()) {
            return Vec::new();
        }
        let mut fields = serde_json::Map::new();
        fields.insert("iteration".to_owned(), iteration.into());
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.into());
        }
        let Ok(event) = Event::lifecycle(moment, fields) else { return Vec::new() };
        let options = CallOptions { cancel: Some(self.cancel.clone()), ..CallOptions::default() };
        let emitted = host.emit_with(event, &options).await;
        for report in emitted.reports {
            self.log.line(&format!("{}: {report}", self.incoming.native));
        }
        emitted.context.into_iter().map(|text| text.text).collect()
    }

    fn keep(&self, texts: Vec<String>) {
        if !texts.is_empty() {
            let report = |error: std::io::Error| self.log.line(&format!("the session's folder: {error}"));
            self.session.keep_waiting(texts, Vec::new()).unwrap_or_else(report);
        }
    }
}

fn is(event: &Event, moment: Moment) -> bool {
    *event.name() == EventName::Lifecycle(moment)
}

/// What the trusted files say. What is wrong with any of them goes into the log.
fn files(directories: &Directories, trust: &Trust, log: &Log) -> Vec<Lifecycle> {
    let found = lifecycle_files(directories, trust);
    for problem in &found.problems {
        log.line(&problem.to_string());
    }
    let mut all = Vec::new();
    for file in &found.files {
        if let Some(problem) = file.problem() {
            log.line(&problem.to_string());
        }
        if file.hook.state != TrustState::Trusted {
            continue;
        }
        let Parsed { lifecycle, findings, .. } = parse(file.bytes());
        for finding in findings.iter().filter(|finding| finding.weight == Weight::Warning) {
            log.line(&format!("{}:{finding}", file.hook.candidate.hook.file.display()));
        }
        all.push(lifecycle);
    }
    all
}
