//! The effects that agents honour, as people read them: the table of `docs/agents.md`, and what an agent will not do for an event. Made of the
//! rows, which are the only source.

use snaphook_core::{Lifecycle, ReplyClass};

use crate::agent::Agent;
use crate::agents::AGENTS;
use crate::effects::{Effect, Effects};

/// The tables of all agents, in Markdown.
pub fn markdown() -> String {
    let mut text = String::new();
    for agent in AGENTS {
        text += &format!("### {} (`{}`)\n\n", agent.title(), agent.id());
        let effects: Vec<Effect> = Effect::ALL
            .into_iter()
            .filter(|effect| agent.rows().iter().any(|row| agent.honoured(row).has(*effect)))
            .collect();
        let names: Vec<String> = effects.iter().map(|effect| effect.as_str().replace('_', " ")).collect();
        text += &format!("| event | hooks see | {} | |\n", names.join(" | "));
        text += &format!("|---|---|{}---|\n", "---|".repeat(names.len()));
        for row in agent.rows() {
            let events: Vec<String> = row.events.iter().map(|event| format!("`{}`", event.name())).collect();
            let events = if events.is_empty() { "–".to_owned() } else { events.join(", ") };
            let cells: Vec<&str> = effects
                .iter()
                .map(|effect| if agent.honoured(row).has(*effect) { "yes" } else { "" })
                .collect();
            text += &format!("| `{}` | {events} | {} | {} |\n", row.native, cells.join(" | "), row.note);
        }
        text.push('\n');
    }
    text
}

/// Returns what hooks may want of an event, whatever the agent.
pub fn wished(event: Lifecycle) -> Effects {
    use Effect::{Ask, Block, Continue, Inject, RewriteInput, RewriteResult};
    match (event, event.class()) {
        (Lifecycle::ToolCall | Lifecycle::PermissionRequest | Lifecycle::UserPrompt, _) => {
            Effects::of(&[Block, Ask, RewriteInput, Inject])
        }
        (_, ReplyClass::Gate) => Effects::of(&[Block, Ask, Inject]),
        (Lifecycle::ToolResult, _) => Effects::of(&[RewriteResult, Inject]),
        (Lifecycle::AgentEnd | Lifecycle::SubagentEnd, _) => Effects::of(&[Continue, Inject]),
        _ => Effects::of(&[Inject]),
    }
}

/// Returns what becomes of an event's handlers with an agent: what it honours nowhere; `None` where it never tells of
/// the event.
pub fn missing(agent: &dyn Agent, event: Lifecycle) -> Option<Vec<Effect>> {
    let rows: Vec<_> = agent.rows().iter().filter(|row| row.events.contains(&event)).collect();
    if rows.is_empty() {
        return None;
    }
    Some(
        wished(event)
            .iter()
            .filter(|effect| !rows.iter().any(|row| agent.honoured(row).has(*effect)))
            .collect(),
    )
}
