//! What agents send to `snaphook hook`, whatever the agent: an event that can be denied and can be read is one for a gate; a denial
//! reaches the agent with its reason, where it has a way; what cannot be read can be denied; standard output is one document or
//! nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snaphook_adapters::{AGENTS, Agent, Effect, Incoming, Reply, fit_to_effects};
use snaphook_core::ReplyClass;
use snaphook_core::{Outcome, Ruling};
use snaphook_fuzz::choice_and_text;

const REASON: &str = "not approved by zzz";

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = choice_and_text(data) else { return };
    let Ok(Value::Object(payload)) = serde_json::from_str(text) else { return };
    let agent = AGENTS[choice % AGENTS.len()];
    let rows = agent.rows();
    // The event as the command line names it; none for one number more.
    let native = rows.get(choice / AGENTS.len() % (rows.len() + 1)).map(|row| row.native);
    let incoming = match agent.read(native, &payload) {
        Ok(incoming) => incoming,
        Err(error) => {
            assert!(!error.0.is_empty());
            return refuses(&agent.deny(native, REASON), native);
        }
    };
    let row = agent.row(&incoming.native);
    if row.is_some_and(|row| row.is_gate()) {
        let gates = incoming.events.first().is_some_and(|event| event.name().class() == ReplyClass::Gate);
        assert!(gates, "{} is a gate and asks none: {:?}", incoming.native, incoming.events);
    }
    for event in &incoming.events {
        event.visit(&mut |_, _| {});
    }
    let say = |outcome: Outcome| reply(agent, &incoming, outcome);
    document(&say(Outcome::default()));
    document(&say(Outcome {
        ruling: Ruling::Ask(REASON.to_owned()),
        context: vec![text.to_owned()],
        ..Outcome::default()
    }));
    let denied = say(Outcome { ruling: Ruling::Deny(REASON.to_owned()), ..Outcome::default() });
    if agent.effects(&incoming).has(Effect::Block) { refuses(&denied, native) } else { document(&denied) }
});

fn reply(agent: &dyn Agent, incoming: &Incoming, outcome: Outcome) -> Reply {
    let fitted = fit_to_effects(agent.title(), agent.effects(incoming), agent.profile().longest_context, outcome);
    agent.answer(incoming, &fitted.response)
}

/// A denial says why, by an exit code or in its document.
fn refuses(reply: &Reply, native: Option<&str>) {
    document(reply);
    let told = if reply.stdout.is_empty() { &reply.stderr } else { &reply.stdout };
    assert!(told.contains(REASON), "{native:?}: {reply:?}");
    assert!(!reply.stdout.is_empty() || reply.code != 0, "{native:?}: {reply:?}");
}

fn document(reply: &Reply) {
    if !reply.stdout.is_empty() {
        let read: Result<Value, _> = serde_json::from_str(&reply.stdout);
        assert!(read.is_ok(), "{reply:?}");
    }
}
