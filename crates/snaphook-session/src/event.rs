//! One event on its way: from what the agent sent to what it gets. Not here: reading it, and the answer where something
//! fails (`service`).

use std::sync::Arc;

use snaphook::{
    AskMode, CallOptions, CancellationToken, Cause, Deliver, HoldTools, Lifecycle, Outcome, ReplyClass,
    Ruling, Session, Unreadable,
};
use snaphook_adapters::{Effect, Effects, Incoming, Row, effects_of, fit_to_agent};
use snaphook_discovery::{Directories, Unsupported};
use snaphook_guard::{OnDisk, Places};

use crate::context::SessionContext;
use crate::dedup::{self, Turn};
use crate::error::SessionError;
use crate::event_run::EventRun;
use crate::folder::SessionFolder;
use crate::holder::ProgramHolder;
use crate::host_cache::{CachedHost, Key};
use crate::hosting::{self, HostPlan, LoadedSettings, Records};
use crate::lifecycle::LoopAtEvent;
use crate::service::{Answered, ReadEvent, Service};
use crate::standby::{Standby, result_of};
use crate::task_events::TaskEvents;
use crate::{checks, required, startup, wall};

impl Service<'_> {
    /// Lets hooks decide.
    pub fn decide(&self, event: &ReadEvent, standby: &Standby, cancel: CancellationToken) -> Answered {
        match answer(self, event, standby, cancel) {
            Ok(answered) => answered,
            Err(failure) => {
                self.failed(None, Some(event.row), &failure.to_string(), Cause::Load, standby).into()
            }
        }
    }
}

/// Lets hooks decide about the event, and gives the answer.
///
/// # Errors
/// Whatever keeps hooks from being run at all: the caller denies.
fn answer(
    service: &Service<'_>,
    event: &ReadEvent,
    standby: &Standby,
    cancel: CancellationToken,
) -> Result<Answered, SessionError> {
    let Service { env, choice, agent, log, .. } = service;
    let ReadEvent { row, incoming, unreadable } = event;
    let (row, incoming) = (*row, &**incoming);
    if incoming.events.is_empty() && unreadable.is_none() {
        return Ok(agent.nothing(Some(row.native)).into());
    }
    let (directories, settings) = surroundings(service, incoming)?;
    let directories = choice.with_compat(directories);
    let sender = incoming.origin.sender.unwrap_or(agent.id());
    let folder = SessionFolder::of(&directories, sender, &incoming.origin);
    // Two that cannot be read are not known to be the same.
    let turn = match unreadable {
        None => dedup::claim(&folder, agent.id(), sender, row, incoming, log),
        Some(_) => Turn::First(None),
    };
    let claim = match turn {
        Turn::First(claim) => claim,
        Turn::Repeat(outcome) => return Ok(reply(service, row, incoming, outcome, None)),
    };
    let trust = choice.pins.trust(env, &[&directories.project_root])?;
    let session = SessionContext {
        vars: Arc::clone(&env.vars),
        program: env.program.clone(),
        directories,
        trust,
        folder,
        log: log.clone(),
    };
    let session = Arc::new(session);
    let effects = effects_of(*agent, incoming);
    let CachedHost { host, notices } = host(service, row, incoming, effects, settings, &session)?;
    standby.hooks(&host, incoming);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(SessionError::Runtime)?;
    let options = CallOptions {
        cancel: Some(cancel),
        ask: if effects.has(Effect::Ask) { AskMode::Defer } else { AskMode::Resolve },
        supervised: service.hosts.stay(),
        ..CallOptions::default()
    };
    let way = EventRun { service, session: &session, row, incoming, effects, host: &host, options };
    let outcome = runtime.block_on(way.run(*unreadable));
    let notices = notices.take();
    if service.hosts.stay() {
        // A handler that was answered without may still be computing.
        runtime.shutdown_background();
    } else {
        // The process ends now: to take the hooks apart first would keep the agent waiting.
        std::mem::forget((runtime, host));
    }
    let kept = claim.map(|claim| claim.with(&outcome));
    Ok(Answered { claim: kept, ..reply(service, row, incoming, outcome, notices) })
}

impl EventRun<'_> {
    /// Runs hooks, checks and lifecycle files, and gives the outcome for the agent.
    async fn run(&self, unreadable: Option<Unreadable>) -> Outcome {
        let mut agent_loop = LoopAtEvent::of(self);
        if self.is(Lifecycle::SessionStart) {
            startup::run(self).await;
        }
        let mut outcome = match unreadable {
            None => self.dispatch().await,
            Some(why) => self.withhold(why),
        };
        self.tell_wall(&mut outcome);
        if self.is(Lifecycle::AgentEnd) {
            agent_loop.check(&mut outcome).await;
        }
        for problem in self.host.problems() {
            self.session.log.line(&problem.to_string());
        }
        if self.prompt_of_the_person().is_some() {
            self.session.note(checks::at_prompt(self));
        }
        agent_loop.before(&mut outcome).await;
        self.deliver(&mut outcome, &mut agent_loop);
        agent_loop.after(&outcome).await;
        if self.is(Lifecycle::SessionStart)
            && let Some(at_start) = self.service.at_start
            && let Some(text) = at_start.started(&self.session.directories, self.host).await
        {
            self.session.log.line(&text);
        }
        if self.is(Lifecycle::SessionEnd) {
            // The session may be taken up again.
            let title = self.service.agent.title();
            for text in self.session.folder.waiting() {
                self.log(&format!("{title} has not taken a text yet: {text}"));
            }
        }
        if self.is(Lifecycle::SessionStart) || self.is(Lifecycle::SessionEnd) {
            self.session.folder.sweep();
        }
        outcome
    }

    /// Runs the events in order; one that is denied ends the row.
    async fn dispatch(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for event in &self.incoming.events {
            let reports = if event.name().class() == ReplyClass::Gate {
                let decided = self.host.decide(event.clone(), &self.options).await;
                outcome = Outcome::decided(&decided.decision);
                decided.reports
            } else {
                let emitted = self.host.emit(event.clone(), &self.options).await;
                let more = emitted.outcome();
                outcome.input = more.input.or(outcome.input);
                outcome.result = more.result.or(outcome.result);
                outcome.context.extend(more.context);
                outcome.continue_with.extend(more.continue_with);
                emitted.reports
            };
            for report in reports {
                self.log(&report.to_string());
            }
            if matches!(outcome.ruling, Ruling::Deny(_) | Ruling::Ask(_)) {
                break;
            }
        }
        outcome
    }

    /// Withholds what a tool returned where hooks would have to look at it and cannot.
    fn withhold(&self, why: Unreadable) -> Outcome {
        let call = result_of(self.incoming).map(|result| result.call.clone());
        let Some(emitted) = self.host.unreadable_result(call, why) else { return Outcome::default() };
        for report in &emitted.reports {
            self.log(&report.to_string());
        }
        emitted.outcome()
    }

    /// Adds what a held command failed at, if its result looks like it.
    fn tell_wall(&self, outcome: &mut Outcome) {
        let Some(result) = result_of(self.incoming).filter(|result| result.call.runs_command_line()) else {
            return;
        };
        let (env, directories) = (self.service.env, &self.session.directories);
        let holder = ProgramHolder::new(env, directories, Unsupported::Deny);
        let line = result.call.command().and_then(|command| holder.read(&command));
        let Some(line) = line else { return };
        let guarded = || match line.hold.profile {
            Some(_) => OnDisk::of([&Places::of(directories, env.program.clone(), [])]).guarded,
            None => Vec::new(),
        };
        if let Some(text) = wall::note(&line.hold, guarded, &result.content) {
            self.host.note_wall(&result.call, &text);
            self.log(&text);
            outcome.context.push(text);
        }
    }

    /// Adds what waits for the agent, keeps what cannot be delivered now, and holds the number of continuations.
    fn deliver(&self, outcome: &mut Outcome, agent_loop: &mut LoopAtEvent<'_>) {
        let (injects, continues) = (self.effects.has(Effect::Inject), self.effects.has(Effect::Continue));
        let folder = &self.session.folder;
        let outbox = self.host.outbox();
        let texts = |deliver| outbox.take(deliver).into_iter().map(|text| text.text).collect::<Vec<_>>();
        let mut soon = Vec::new();
        if !injects && !matches!(outcome.ruling, Ruling::Deny(_)) {
            soon.append(&mut outcome.context);
        }
        if !continues {
            soon.append(&mut outcome.continue_with);
        }
        soon.extend(texts(Deliver::Now));
        soon.extend(texts(Deliver::NextTurn));
        let mut after = texts(Deliver::FollowUp);
        if injects || continues {
            let (waiting, waiting_after) = self.session.note(folder.take_waiting(injects, continues));
            soon.splice(0..0, waiting);
            after.splice(0..0, waiting_after);
        }
        if injects {
            outcome.context.append(&mut soon);
        }
        if continues {
            outcome.continue_with.append(&mut after);
        }
        if !soon.is_empty() || !after.is_empty() {
            self.session.note(folder.keep_waiting(soon, after));
        }
        if outcome.continue_with.is_empty() || !continues {
            return;
        }
        if !agent_loop.may_go_on(&outcome.continue_with.join("\n\n")) {
            let text = outcome.continue_with.join(" | ");
            self.log(&format!(
                "the agent was made to go on often enough; it ends now. The last message was: {text}"
            ));
            outcome.continue_with.clear();
        }
    }
}

/// Puts the outcome into the agent's form, with what hooks have for its person.
fn reply(
    service: &Service<'_>,
    row: &'static Row,
    incoming: &Incoming,
    outcome: Outcome,
    notices: Option<String>,
) -> Answered {
    let mut fitted = fit_to_agent(service.agent, incoming, outcome);
    // Elsewhere the log is all that there is.
    if let Some(notices) = notices.filter(|_| effects_of(service.agent, incoming).has(Effect::Tell)) {
        let texts = [fitted.response.tell.take(), Some(notices)];
        fitted.response.tell = Some(texts.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    for lost in &fitted.lost {
        service.log.line(&format!("{}: {lost}", row.native));
    }
    if fitted.response.is_nothing() {
        service.agent.nothing(Some(row.native)).into()
    } else {
        service.agent.answer(incoming, &fitted.response).into()
    }
}

/// Returns the folders of the agent's working directory, of our own where it names none; in the project in which its
/// session began, where it says so. With the settings that are in them.
fn surroundings(
    service: &Service<'_>,
    incoming: &Incoming,
) -> Result<(Directories, LoadedSettings), SessionError> {
    let sender = incoming.origin.sender.and_then(snaphook_adapters::agent).unwrap_or(service.agent);
    let start = sender.profile().start_variable.and_then(|name| service.env.path(name));
    let cwd = incoming.origin.cwd.as_deref().filter(|cwd| cwd.is_absolute());
    // A folder that is gone has no hooks of its own, but the project around it may.
    let cwd = cwd.and_then(|cwd| cwd.ancestors().find(|folder| folder.is_dir()));
    hosting::surroundings(service.env, cwd, start)
}

fn host(
    service: &Service<'_>,
    row: &Row,
    incoming: &Incoming,
    effects: Effects,
    settings: LoadedSettings,
    context: &Arc<SessionContext>,
) -> Result<CachedHost, SessionError> {
    let Service { env, choice, agent, .. } = service;
    let SessionContext { directories, trust, folder, .. } = &**context;
    let mut hooks = hosting::gating_hooks(env, directories, &choice.hooks, trust);
    // What cannot be denied needs no gate.
    if row.is_gate() {
        required::require(&mut hooks, directories, trust);
    }
    let settings = hosting::in_force(settings, &mut hooks);
    let origin = &incoming.origin;
    let key = Key {
        session: origin.session.clone().unwrap_or_else(|| agent.id().to_owned()),
        transcript: origin.transcript.clone(),
        cwd: directories.cwd.clone(),
        asks: effects.has(Effect::Ask),
    };
    let session = Session {
        path: key.transcript.clone(),
        outputs: folder.hooks().map(|store| store.outputs()),
        ..hosting::session(directories, agent.id(), key.session.clone())
    };
    let build = |hooks| {
        let records = Records::Audit;
        let plan = HostPlan {
            env,
            directories,
            hooks,
            settings: &settings,
            session,
            default: choice.default,
            records,
            hold: HoldTools::Off,
        };
        let log = context.log.clone();
        let builder = plan
            .builder(&*service.hosts.engines()?)
            .handler(Arc::new(TaskEvents::new(Arc::clone(context))))
            .on_log(move |hook, level, text| log.hook(hook, level, text));
        let builder = match folder.state() {
            Some(dir) => builder.session_dir(dir),
            None => builder,
        };
        Ok(match &directories.state {
            Some(state) => builder.known_in(state),
            None => builder,
        })
    };
    service.hosts.get(key, directories, hooks, &settings, &context.log, build)
}
