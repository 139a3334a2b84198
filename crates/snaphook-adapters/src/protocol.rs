//! One event from its payload to the response, by the agent's own table and by that of its real sender, which may be another.
//! Not here: how the sender is found (`sender`), and how an outcome is fitted into effects (`fit`).

use serde_json::{Map, Value};
use snaphook_core::{Event, Lifecycle, Outcome, Ruling};

use crate::agent::{Agent, Refused, Unreadable};
use crate::agents;
use crate::clear;
use crate::effects::{Effect, Effects};
use crate::fit::{Fitted, fit_to_effects};
use crate::incoming::Incoming;
use crate::sender::sender;

/// Reads what was sent to `agent`'s hooks. Where another agent is known to have sent it, the event is what that one's own table
/// makes of it, as far as `agent` has such an event under the name on the command line: read as Claude Code's, a `Shell` of
/// Cursor would be no `bash`, and gates about `bash` would not see it.
///
/// The event that the command line names binds: it is what the agent waits for an answer to.
///
/// # Errors
/// As [`Agent::read`]; and the payload names another event than the command line.
pub fn read(
    agent: &dyn Agent,
    native: Option<&str>,
    payload: &Map<String, Value>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Incoming, Refused> {
    let incoming = read_any(agent, native, payload, env)?;
    if let Some(named) = native.filter(|named| !agent.is_named(named, &incoming.native)) {
        return Err(Refused::OtherEvent { named: named.to_owned(), told: incoming.native });
    }
    clear::all(&incoming.events)?;
    Ok(incoming)
}

/// The same, whatever event the command line names.
fn read_any(
    agent: &dyn Agent,
    native: Option<&str>,
    payload: &Map<String, Value>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Incoming, Unreadable> {
    let sender = sender(agent.id(), payload, env);
    let own = agent.read(native, payload).map(|mut incoming| {
        incoming.origin.sender = sender;
        incoming
    });
    let Some(theirs) = sender.and_then(agents::agent).and_then(|sender| sender.read(native, payload).ok())
    else {
        return own;
    };
    let named = native.or_else(|| own.as_ref().ok().map(|own| own.native.as_str()));
    let Some(row) = named.and_then(|native| agent.row(native)) else { return own };
    let fits =
        theirs.events.iter().all(|event| row.events.iter().any(|known| event.name() == &(*known).into()));
    if theirs.events.is_empty() || !fits {
        return own;
    }
    let mut borrowed = Incoming { native: row.native.to_owned(), ..theirs };
    borrowed.origin.sender = sender;
    Ok(borrowed)
}

/// Returns what the answer to this very event can do: as the agent says that it was read as, and not more than its
/// real sender does with an answer. What can be denied is denied all the same, should the sender's table be wrong.
pub fn effects(agent: &dyn Agent, incoming: &Incoming) -> Effects {
    let own = agent.effects(incoming);
    let sender = incoming.origin.sender.filter(|sender| *sender != agent.id()).and_then(agents::agent);
    let theirs = sender.and_then(|sender| {
        let theirs = sender.read(Some(&incoming.native), &incoming.raw).ok()?;
        sender.row(&theirs.native).map(|_| sender.effects(&theirs))
    });
    match theirs {
        Some(theirs) if own.has(Effect::Block) => own.and(theirs.or(Effect::Block)),
        Some(theirs) => own.and(theirs),
        None => own,
    }
}

/// Fits what hooks want into what this agent can do with this event.
pub fn fit_to_agent(agent: &dyn Agent, incoming: &Incoming, outcome: Outcome) -> Fitted {
    let mut effects = effects(agent, incoming);
    // Another input is part of a permission: without one there is no place for the input.
    let permission = incoming.events.first().map(Event::name) == Some(&Lifecycle::PermissionRequest.into());
    let carried =
        |input: &Value| agent.takes(incoming, input) && (!permission || outcome.ruling == Ruling::Allow);
    if outcome.input.as_ref().is_some_and(|input| !carried(input)) {
        effects = effects.without(Effect::RewriteInput);
    }
    fit_to_effects(agent.title(), effects, agent.profile().longest_context, outcome)
}
