//! Lifecycle files where an agent calls for each event: its events as signals of the iteration loop, whose state is kept in the
//! session's folder between processes. An iteration is one prompt of the person. Not here: the loop (`snaphook::iterations`), the
//! files (`snaphook_discovery`, `snaphook_command::lifecycle`).

use std::ffi::OsString;
use std::time::{Duration, Instant};

use snaphook::iterations::{Iterations, Phase, Saved, Signal, Step, Unexpected};
use snaphook::{
    CallOptions, CancellationToken, Deliver, Event, Host, Lifecycle as Moment, Outcome, Ruling, Severity,
};
use snaphook_adapters::{Effect, Incoming, effects_of};
use snaphook_command::lifecycle::{Lifecycle, List, Surroundings, Values, join_outputs, parse_for, run_all};
use snaphook_discovery::{Directories, Trust, TrustState, lifecycle_files};

use crate::env::Env;
use crate::hook::call::is;
use crate::hook::desk::Desk;
use crate::hook::log::Log;
use crate::hook::session::SessionFolder;

/// The file with the state of the loop.
const STATE: &str = "iterations.json";

/// The events of the loop for hooks.
const ITERATIONS: [Moment; 3] = [Moment::IterationStart, Moment::IterationEnd, Moment::IterationError];

/// The act of the loop at this event of the agent.
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
    /// True if the agent can be made to go on now.
    continues: bool,
    /// The loop where there is no session to keep it in.
    own: Iterations,
}

/// The time that is left for ending a command that takes too long, before the deadline of the whole call.
const TO_END: Duration = Duration::from_secs(3);

impl<'a> AtEvent<'a> {
    /// For an event that the loop knows; `None` for any other, a tool call before all: no file is read for it. Also `None` where
    /// there is no lifecycle file and no hook for iterations: then prompts are counted, and nothing else. The agent waits for `limit`.
    pub(crate) fn of(
        desk: &'a Desk<'_>,
        host: &Host,
        (directories, session, incoming, trust): (&'a Directories, &'a SessionFolder, &'a Incoming, &Trust),
        cancel: &CancellationToken,
        limit: Duration,
    ) -> Option<Self> {
        let (env, log) = (desk.env, &desk.log);
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
        // Hooks may have their part of the time first.
        let until = Instant::now() + limit.saturating_sub(TO_END).max(limit / 2);
        let files = files(directories, trust, log);
        let heard = ITERATIONS.iter().any(|moment| host.handles(&(*moment).into()));
        if files.is_empty() && !heard && !session.has(STATE) {
            if what == What::Prompt {
                let report = |error: std::io::Error| log.line(&format!("the session's folder: {error}"));
                session.count_unheard().unwrap_or_else(report);
            }
            return None;
        }
        let cancel = cancel.clone();
        let phase = if matches!(what, What::Answered | What::Failed) { Phase::Working } else { Phase::Idle };
        let own = Iterations::resume(Saved { phase, begun: true, ..Saved::default() });
        let continues = effects_of(desk.agent, incoming).has(Effect::Continue);
        Some(AtEvent { continues, env, log, directories, session, incoming, cancel, what, files, until, own })
    }

    /// Before the agent is told anything: a prompt that nobody denied begins an iteration, an error ends one.
    pub(crate) async fn before(&mut self, host: &Host, outcome: &mut Outcome) {
        if matches!(outcome.ruling, Ruling::Deny(_)) {
            return;
        }
        match self.what {
            What::Prompt => {
                let said = self.prompt(host).await;
                outcome.context.splice(0..0, said);
            }
            What::Failed => {
                let said = self.failed(host).await;
                if self.continues {
                    outcome.continue_with.splice(0..0, said);
                } else {
                    // The agent hears of it with its next prompt.
                    self.with_state(|machine| {
                        said.into_iter().for_each(|text| drop(machine.pending().push(text)))
                    });
                }
            }
            What::Start => {
                self.start().await;
            }
            What::Answered | What::End => {}
        }
    }

    /// When it is known what the agent is told: one that goes on has not ended its iteration.
    pub(crate) async fn after(&mut self, host: &Host, outcome: &Outcome) {
        match self.what {
            What::Answered if outcome.continue_with.is_empty() => self.answered(host).await,
            What::End => self.end().await,
            _ => {}
        }
    }

    async fn start(&mut self) {
        if let Some(step) = self.open(Signal::Begin) {
            self.work(step).await;
        }
    }

    async fn prompt(&mut self, host: &Host) -> Vec<String> {
        // An agent that tells no start, or hooks that came later.
        self.start().await;
        let Some(step) = self.open(Signal::PersonPrompt(String::new())) else { return Vec::new() };
        let told = self.tell(host, Moment::IterationStart, &step).await;
        let mut texts = match self.work(step).await {
            // The agent has the prompt itself.
            Some(Step::Send(mut parts)) => {
                parts.pop();
                parts
            }
            _ => Vec::new(),
        };
        texts.extend(told);
        texts
    }

    async fn failed(&mut self, host: &Host) -> Vec<String> {
        let event = self.incoming.events.iter().find(|event| is(event, Moment::AgentError));
        let error = event.and_then(|event| event.subject().get("error")?.as_str().map(str::to_owned));
        let Some(step) = self.open(Signal::Failed(error.unwrap_or_default())) else { return Vec::new() };
        let told = self.tell(host, Moment::IterationError, &step).await;
        self.keep(told);
        match self.work(step).await {
            Some(Step::Send(parts)) => parts,
            // It said nothing, or failed too often in a row: then it waits for the person's next prompt.
            _ => Vec::new(),
        }
    }

    async fn answered(&mut self, host: &Host) {
        let Some(step) = self.open(Signal::Answered) else { return };
        let mut told = self.tell(host, Moment::IterationEnd, &step).await;
        // What is sent from here on is for later.
        told.extend(
            [Deliver::Now, Deliver::NextTurn]
                .map(|when| host.outbox().take(when))
                .concat()
                .into_iter()
                .map(|sent| sent.text),
        );
        self.keep(told);
        self.work(step).await;
    }

    /// The agent is gone: nothing can be delivered any more.
    async fn end(&mut self) {
        let left = self.with_state(|machine| machine.pending().drain()).unwrap_or_default();
        for text in left {
            self.log.line(&format!("output of hooks that the agent never saw: {text}"));
        }
        self.run(List::SessionEnd, None, None).await;
    }

    fn with_state<T>(&mut self, change: impl FnOnce(&mut Iterations) -> T) -> Option<T> {
        with_state(self.session, &mut self.own, self.log, change)
    }

    /// Tells the loop what the agent told us; `None` where it makes nothing of it.
    fn open(&mut self, signal: Signal) -> Option<Step> {
        let (begins, failed) = (signal == Signal::Begin, matches!(signal, Signal::Failed(_)));
        if begins && self.files.is_empty() {
            return None;
        }
        self.with_state(|machine| {
            let mut saved = machine.save().settled();
            // A file that somebody trusted later begins later.
            saved.phase = match saved.phase {
                _ if begins && !saved.begun => Phase::New,
                Phase::New => Phase::Idle,
                phase => phase,
            };
            // An error of a prompt that nobody told us of, or that is told behind its end.
            if failed && saved.phase == Phase::Idle {
                saved.phase = Phase::Working;
            }
            let mut resumed = Iterations::resume(saved);
            let step = resumed.signal(Duration::ZERO, signal).ok()?;
            *machine = resumed;
            Some(step)
        })?
    }

    /// Runs the list that the loop outcome, and tells it what came of it.
    async fn work(&mut self, step: Step) -> Option<Step> {
        let Step::Run { list, iteration, error } = step else {
            return self.settle(Ok(step));
        };
        let piped = self.run(list, iteration, error).await;
        let step = self.with_state(|machine| {
            let step = machine.signal(Duration::ZERO, Signal::Ran(piped.clone()));
            if step.is_err() {
                // Another process was faster: the text is not lost.
                machine.pending().push(piped);
            }
            step
        })?;
        self.settle(step)
    }

    /// Returns what the loop would do next where it drives the agent itself: here the agent's next event decides.
    fn settle(&mut self, step: Result<Step, Unexpected>) -> Option<Step> {
        let step = step.ok()?;
        self.with_state(|machine| {
            match (&step, machine.phase()) {
                (Step::Check, _) => drop(machine.signal(Duration::ZERO, Signal::Complete(false))),
                // The end of the loop is not the end of the session: it waits for the person.
                (Step::Send(texts), Phase::Delivering) => {
                    texts.iter().for_each(|text| drop(machine.pending().push(text.clone())));
                    *machine = Iterations::resume(machine.save().settled());
                    return Step::Next;
                }
                _ => {}
            }
            step
        })
    }

    async fn run(&self, list: List, iteration: Option<u64>, error: Option<String>) -> String {
        let values = Values {
            session: self.incoming.origin.session.clone().unwrap_or_default(),
            iteration,
            error: error.unwrap_or_default(),
            ..Values::default()
        };
        let around = surroundings(&self.env.vars, self.directories, self.until);
        run_files(&self.files, list, &values, &around, &self.cancel, self.log).await
    }

    /// Tells hooks of an iteration; gives what they have for the agent.
    async fn tell(&self, host: &Host, moment: Moment, step: &Step) -> Vec<String> {
        let Step::Run { iteration: Some(iteration), error, .. } = step else { return Vec::new() };
        if !host.handles(&moment.into()) {
            return Vec::new();
        }
        let mut fields = serde_json::Map::new();
        fields.insert("iteration".to_owned(), (*iteration).into());
        if let Some(error) = error {
            fields.insert("error".to_owned(), error.as_str().into());
        }
        let Ok(event) = Event::lifecycle(moment, fields) else { return Vec::new() };
        let options = CallOptions { cancel: Some(self.cancel.clone()), ..CallOptions::default() };
        let emitted = host.emit(event, &options).await;
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

/// Returns where commands run: in the project, with our own environment.
pub(super) fn surroundings(
    vars: &[(OsString, OsString)],
    directories: &Directories,
    until: Instant,
) -> Surroundings {
    let mut env = vars.to_vec();
    env.push(("SNAPHOOK_PROJECT_ROOT".into(), directories.project_root.clone().into()));
    Surroundings { cwd: directories.project_root.clone(), env, until: Some(until) }
}

/// Runs a list of each file, ours first; gives what is for the agent. The rest is in the log.
pub(super) async fn run_files(
    files: &[Lifecycle],
    list: List,
    values: &Values,
    around: &Surroundings,
    cancel: &CancellationToken,
    log: &Log,
) -> String {
    let mut piped = Vec::new();
    for file in files {
        let done = run_all(file, list, values, around, cancel.cancelled()).await;
        for ran in &done.ran {
            let how = if ran.success { "ran" } else { "failed" };
            let told = if ran.piped { "" } else { ran.output.trim_end() };
            let more = if told.is_empty() { String::new() } else { format!(": {told}") };
            let seconds = ran.duration.as_secs_f64();
            log.line(&format!("{list}: {how} in {seconds:.1} s: {}{more}", ran.command));
        }
        piped.push(done.piped());
        if done.cancelled {
            break;
        }
    }
    join_outputs(piped.iter().map(String::as_str))
}

/// The loop's state under the session's lock; `own` where there is no session to keep it in.
pub(super) fn with_state<T>(
    session: &SessionFolder,
    own: &mut Iterations,
    log: &Log,
    change: impl FnOnce(&mut Iterations) -> T,
) -> Option<T> {
    let report = |error: std::io::Error| log.line(&format!("the session's folder: {error}"));
    match session.locked() {
        None => Some(change(own)),
        Some(Err(error)) => {
            report(error);
            None
        }
        Some(Ok(locked)) => {
            let saved = locked.read(STATE).map_err(report).unwrap_or_default();
            let mut known = Saved::from_json(&saved);
            if known == Saved::default() {
                known.iteration = session.unheard();
            }
            let mut machine = Iterations::resume(known);
            let done = change(&mut machine);
            let new = machine.save().to_json();
            if new != saved {
                locked.write(STATE, &new).unwrap_or_else(report);
            }
            Some(done)
        }
    }
}

/// Returns what the trusted files say. What is wrong with any of them goes into the log.
pub(super) fn files(directories: &Directories, trust: &Trust, log: &Log) -> Vec<Lifecycle> {
    let found = lifecycle_files(directories, trust);
    for problem in crate::lifecycle::problems(&found) {
        if problem.severity > Severity::Note {
            log.line(&problem.to_string());
        }
    }
    let trusted = found.files.iter().filter(|file| file.hook.state == TrustState::Trusted);
    trusted.map(|file| parse_for(file.bytes(), file.product).lifecycle).collect()
}
