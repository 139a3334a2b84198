//! One event on its way: from what the agent sent to what it is told.

use std::sync::Arc;

use snaphook::{
    AskMode, CallOptions, CancellationToken, DeferUi, Deliver, Discovery, Event, EventName, HeadlessUi, Host,
    Lifecycle, Outcome, Payload, ReplyClass, Ruling, Session, UiContext, Unreadable,
};
use snaphook_adapters::{Agent, Effect, Incoming, Row, effects_of, fit_to_agent};
use snaphook_discovery::{Directories, Trust};

use crate::args::DefaultArg;
use crate::env::Env;
use crate::exit::Failure;
use crate::hook::before;
use crate::hook::checks;
use crate::hook::desk::{Answered, Desk, Read};
use crate::hook::hosts::{Hosted, Key};
use crate::hook::lifecycle;
use crate::hook::log::Log;
use crate::hook::notices::Notices;
use crate::hook::once::{self, Claim, Turn};
use crate::hook::session::SessionFolder;
use crate::hook::standby::{Standby, result_of};
use crate::hook::startup;
use crate::hook::tasks::Tasks;
use crate::{guarded, wiring};

/// Dispatches the event and gives the answer.
///
/// # Errors
/// What keeps hooks from being run at all: the caller denies.
pub(crate) fn call(
    desk: &Desk<'_>,
    event: &Read,
    standby: &Standby,
    cancel: CancellationToken,
) -> Result<Answered, Failure> {
    let Desk { env, choice, agent, log, .. } = desk;
    let Read { row, incoming, unreadable } = event;
    let (row, incoming) = (*row, &**incoming);
    if incoming.events.is_empty() && unreadable.is_none() {
        return Ok(agent.nothing(Some(row.native)).into());
    }
    let (directories, settings) = surroundings(env, *agent, incoming)?;
    let directories = choice.compat.with(directories);
    let sender = incoming.origin.sender.unwrap_or(agent.id());
    let session = SessionFolder::of(&directories, sender, &incoming.origin);
    // Two that cannot be read are not known to be the same.
    let turn = match unreadable {
        None => once::claim(&session, agent.id(), sender, row, incoming, log),
        Some(_) => Turn::First(None),
    };
    let claim = match turn {
        Turn::First(claim) => claim,
        Turn::Said(outcome) => return Ok(told(desk, row, incoming, outcome, (None, None))),
    };
    let trust = choice.pins.trust(env, &[&directories.project_root])?;
    let mut hooks = wiring::gating_hooks(env, &directories, &choice.hooks, &trust);
    // What cannot be denied needs no gate.
    if row.is_gate() {
        guarded::require(&mut hooks, &directories, &trust);
    }
    let Hosted { host, notices } = host(desk, incoming, (&directories, settings), hooks, &session, &trust)?;
    standby.hooks(&host, incoming);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Internal(format!("failed to start the runtime: {error}")))?;
    let effects = effects_of(*agent, incoming);
    let ask = if effects.has(Effect::Ask) { AskMode::Defer } else { AskMode::Resolve };
    let around = (&directories, &session, incoming, &trust);
    let mut iterations = lifecycle::AtEvent::of(desk, &host, around, &cancel, before(row.limit));
    // The deadline's thread looks after a process for one event.
    let options = CallOptions {
        cancel: Some(cancel),
        ask,
        supervised: desk.deadline.is_none(),
        ..CallOptions::default()
    };
    runtime.block_on(startup::run(&host, row, incoming, &session, &options, log));
    let mut outcome = match unreadable {
        None => runtime.block_on(dispatch(&host, incoming, &options, log)),
        Some(why) => withhold(&host, incoming, *why, log),
    };
    runtime.block_on(checks::at_stop(desk, row, incoming, &host, &session, &options, &mut outcome));
    for problem in host.problems() {
        log.line(&problem.to_string());
    }
    if let Some(prompt) = prompt_of_the_person(incoming) {
        let begun = session.prompted(prompt).and_then(|()| checks::at_prompt(&directories, &host, &session));
        begun.unwrap_or_else(|error| log.line(&format!("the session's folder: {error}")));
    }
    if let Some(iterations) = &mut iterations {
        runtime.block_on(iterations.before(&host, &mut outcome));
    }
    deliver(&mut outcome, &host, *agent, incoming, &session, log);
    if let Some(iterations) = &mut iterations {
        runtime.block_on(iterations.after(&host, &outcome));
    }
    if incoming.events.iter().any(|event| is(event, Lifecycle::SessionStart))
        && let Some(said) = runtime.block_on(crate::git::at_start(env, &directories, &host))
    {
        log.line(&format!("git: {said}"));
    }
    let has = |wanted| incoming.events.iter().any(|event| is(event, wanted));
    if has(Lifecycle::SessionEnd) {
        // The session may be taken up again.
        for text in session.waiting() {
            log.line(&format!("{}: {} has not taken a text yet: {text}", incoming.native, agent.title()));
        }
    }
    if has(Lifecycle::SessionStart) || has(Lifecycle::SessionEnd) {
        session.sweep();
    }
    let notices = notices.take();
    if desk.deadline.is_some() {
        // The process ends now: to take the hooks apart first would keep the agent waiting.
        std::mem::forget((host, runtime));
    } else {
        // A handler that was answered without may still be computing.
        runtime.shutdown_background();
    }
    Ok(told(desk, row, incoming, outcome, (claim, notices)))
}

/// Returns what the agent is told of what hooks want, and its person of what hooks have for them.
fn told(
    desk: &Desk<'_>,
    row: &'static Row,
    incoming: &Incoming,
    outcome: Outcome,
    (claim, notices): (Option<Claim>, Option<String>),
) -> Answered {
    let asked = outcome.clone();
    let mut fitted = fit_to_agent(desk.agent, incoming, outcome);
    // Elsewhere the log is all that there is.
    if let Some(notices) = notices.filter(|_| effects_of(desk.agent, incoming).has(Effect::Tell)) {
        let texts = [fitted.response.tell.take(), Some(notices)];
        fitted.response.tell = Some(texts.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    for lost in &fitted.lost {
        desk.log.line(&format!("{}: {lost}", row.native));
    }
    let reply = if fitted.response.is_nothing() {
        desk.agent.nothing(Some(row.native))
    } else {
        desk.agent.answer(incoming, &fitted.response)
    };
    Answered { reply, claim: claim.map(|claim| claim.with(asked)) }
}

/// The prompt with which the person starts the agent. What a subagent is asked to do is a prompt, too, and starts none.
fn prompt_of_the_person(incoming: &Incoming) -> Option<&str> {
    let told = |wanted| incoming.events.iter().find(|event| is(event, wanted));
    told(Lifecycle::AgentStart)?;
    match told(Lifecycle::UserPrompt)?.payload() {
        Payload::Fields(fields) => fields.get("prompt")?.as_str(),
        _ => None,
    }
}

pub(crate) fn is(event: &Event, lifecycle: Lifecycle) -> bool {
    *event.name() == EventName::Lifecycle(lifecycle)
}

/// The folders of the agent's working directory, of our own where it names none; in the project in which its session began, where it
/// tells that. With the settings that are in them.
fn surroundings(
    env: &Env,
    asked: &dyn Agent,
    incoming: &Incoming,
) -> Result<(Directories, wiring::Read), Failure> {
    let sender = incoming.origin.sender.and_then(snaphook_adapters::agent).unwrap_or(asked);
    let start = sender.start_variable().and_then(|name| env.path(name));
    let cwd = incoming.origin.cwd.as_deref().filter(|cwd| cwd.is_absolute());
    // A folder that is gone has no hooks of its own, but the project around it may.
    let cwd = cwd.and_then(|cwd| cwd.ancestors().find(|folder| folder.is_dir()));
    wiring::surroundings(env, cwd, start)
}

fn host(
    desk: &Desk<'_>,
    incoming: &Incoming,
    (directories, settings): (&Directories, wiring::Read),
    mut hooks: Discovery,
    session: &SessionFolder,
    trust: &Trust,
) -> Result<Hosted, Failure> {
    let (agent, origin) = (desk.agent, &incoming.origin);
    let settings = wiring::in_force(settings, &mut hooks);
    let key = Key {
        session: origin.session.clone().unwrap_or_else(|| agent.id().to_owned()),
        transcript: origin.transcript.clone(),
        cwd: directories.cwd.clone(),
        asks: effects_of(agent, incoming).has(Effect::Ask),
    };
    let named = Session {
        id: key.session.clone(),
        path: key.transcript.clone(),
        outputs: session.hooks().map(|store| store.outputs()),
        ..wiring::session(directories, agent.id(), String::new())
    };
    // Only the agent can ask its person: its screen is not ours.
    let ui: Arc<dyn UiContext> = if key.asks { Arc::new(DeferUi) } else { Arc::new(HeadlessUi) };
    let (notices, log) = (Notices::new(ui, &desk.log), desk.log.clone());
    let build = |hooks| {
        let default = desk.choice.default.map(DefaultArg::verdict);
        let engines = desk.hosts.engines()?;
        let builder =
            wiring::audited_host(desk.env, directories, hooks, &settings, &engines, agent.id(), default);
        let tasks = Tasks::new(&desk.env.vars, directories, session, trust, &desk.log);
        let builder = builder.session(named).handler(Arc::new(tasks));
        let builder = builder.on_log(move |hook, level, text| log.hook(hook, level, text));
        let builder = match session.state() {
            Some(dir) => builder.session_dir(dir),
            None => builder,
        };
        Ok(match &directories.state {
            Some(state) => builder.known_in(state),
            None => builder,
        })
    };
    desk.hosts.get(key, directories, hooks, &settings, notices, build)
}

/// Runs the events in order; one that is denied ends the row.
async fn dispatch(host: &Host, incoming: &Incoming, options: &CallOptions, log: &Log) -> Outcome {
    let mut outcome = Outcome::default();
    for event in &incoming.events {
        let reports = if event.name().class() == ReplyClass::Gate {
            let decided = host.decide(event.clone(), options).await;
            outcome = Outcome::decided(&decided.decision);
            decided.reports
        } else {
            let emitted = host.emit(event.clone(), options).await;
            let more = emitted.outcome();
            outcome.input = more.input.or(outcome.input);
            outcome.result = more.result.or(outcome.result);
            outcome.context.extend(more.context);
            outcome.continue_with.extend(more.continue_with);
            emitted.reports
        };
        for report in reports {
            log.line(&format!("{}: {report}", incoming.native));
        }
        if matches!(outcome.ruling, Ruling::Deny(_) | Ruling::Ask(_)) {
            break;
        }
    }
    outcome
}

/// Withholds what a tool said where hooks would have to look at it and cannot.
fn withhold(host: &Host, incoming: &Incoming, why: Unreadable, log: &Log) -> Outcome {
    let call = result_of(incoming).map(|result| result.call.clone());
    let Some(emitted) = host.unreadable_result(call, why) else { return Outcome::default() };
    for report in &emitted.reports {
        log.line(&format!("{}: {report}", incoming.native));
    }
    emitted.outcome()
}

/// Adds what waits for the agent, keeps what cannot be said now, and holds the number of continuations.
fn deliver(
    outcome: &mut Outcome,
    host: &Host,
    agent: &dyn Agent,
    incoming: &Incoming,
    session: &SessionFolder,
    log: &Log,
) {
    let effects = effects_of(agent, incoming);
    let report = |error: std::io::Error| log.line(&format!("the session's folder: {error}"));
    let outbox = host.outbox();
    let texts = |deliver| outbox.take(deliver).into_iter().map(|text| text.text).collect::<Vec<_>>();
    let mut soon = Vec::new();
    if !effects.has(Effect::Inject) && !matches!(outcome.ruling, Ruling::Deny(_)) {
        soon.append(&mut outcome.context);
    }
    if !effects.has(Effect::Continue) {
        soon.append(&mut outcome.continue_with);
    }
    soon.extend(texts(Deliver::Now));
    soon.extend(texts(Deliver::NextTurn));
    let mut after = texts(Deliver::FollowUp);
    if effects.has(Effect::Inject) || effects.has(Effect::Continue) {
        match session.take_waiting(effects.has(Effect::Inject), effects.has(Effect::Continue)) {
            Ok((waiting, waiting_after)) => {
                soon.splice(0..0, waiting);
                after.splice(0..0, waiting_after);
            }
            Err(error) => report(error),
        }
    }
    if effects.has(Effect::Inject) {
        outcome.context.append(&mut soon);
    }
    if effects.has(Effect::Continue) {
        outcome.continue_with.append(&mut after);
    }
    if !soon.is_empty() || !after.is_empty() {
        session.keep_waiting(soon, after).unwrap_or_else(report);
    }
    if !outcome.continue_with.is_empty() && effects.has(Effect::Continue) {
        match session.continues(&incoming.origin, &outcome.continue_with.join("\n\n")) {
            Ok(true) => {}
            Ok(false) => {
                let text = outcome.continue_with.join(" | ");
                log.line(&format!(
                    "{}: the agent was made to go on often enough; it ends now. It was told: {text}",
                    incoming.native
                ));
                outcome.continue_with.clear();
            }
            // Without the count the agent could be sent on for ever.
            Err(error) => {
                report(error);
                outcome.continue_with.clear();
            }
        }
    }
}
