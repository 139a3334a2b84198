//! Which agent really sent a payload: Cursor, Copilot, VS Code, Grok, Droid, Qwen and Devin also run what stands in Claude Code's
//! settings, so a hook that is installed for two of them is asked twice about the same call. Pure: variables come from the
//! caller. What follows from it is the caller's business; the answer goes out in the form of the agent it was read as.
//!
//! What a payload says beats what a variable says: an agent that another one started inherits its variables.

use serde_json::{Map, Value};

use crate::agent::{Agent, Refused, Unreadable};
use crate::agents;
use crate::clear;
use crate::effects::{Effect, Effects};
use crate::fields::Fields;
use crate::incoming::Incoming;

/// The agent that really sent this, where it is another than `agent_id`. `env` looks a variable up.
///
/// `None` also where nothing tells: most payloads look the same whoever sent them.
pub fn really(
    agent_id: &str,
    payload: &Map<String, Value>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Option<&'static str> {
    by_payload(Fields(payload)).or_else(|| by_variable(agent_id, env)).filter(|sender| *sender != agent_id)
}

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
    let sender = really(agent.id(), payload, env);
    let own = agent.read(native, payload).map(|mut incoming| {
        incoming.origin.really = sender;
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
    borrowed.origin.really = sender;
    Ok(borrowed)
}

/// Returns what the answer to this very event can do: as the agent says that it was read as, and not more than its
/// real sender does with an answer. What can be denied is denied all the same, should the sender's table be wrong.
pub fn effects(agent: &dyn Agent, incoming: &Incoming) -> Effects {
    let own = agent.effects(incoming);
    let sender = incoming.origin.really.filter(|sender| *sender != agent.id()).and_then(agents::agent);
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

/// Returns whether an agent also runs hooks that were set up for another one, so that it may tell of one event in two
/// forms.
pub fn borrows(agent_id: &str) -> bool {
    ["cursor", "copilot", "grok", "droid", "qwen", "devin"].contains(&agent_id)
}

/// Folders in which agents keep their sessions.
const HOMES: &[(&str, &str)] = &[
    (".claude", "claude-code"),
    (".codex", "codex"),
    (".cursor", "cursor"),
    (".copilot", "copilot"),
    (".qwen", "qwen"),
    (".factory", "droid"),
    (".grok", "grok"),
    (".devin", "devin"),
];

/// Returns what the payload itself tells of it.
pub(crate) fn by_payload(fields: Fields<'_>) -> Option<&'static str> {
    let has = |name: &str| fields.0.contains_key(name);
    let camel = has("hookEventName") || has("toolName");
    // Where Copilot calls it so, too, it names the event.
    let grok = has("workspaceRoot") || (has("toolInput") && !has("hookName"));
    match () {
        () if has("cursor_version") => Some("cursor"),
        () if fields.text("client_type") == Some("kimi_code_cli") => Some("kimi"),
        () if has("turn_id") && has("model") => Some("codex"),
        () if camel && grok => Some("grok"),
        () if camel && has("sessionId") => Some("copilot"),
        () if is_copilot_result(fields) => Some("copilot"),
        () => by_transcript(fields).or_else(|| is_copilot_command_line(fields).then_some("copilot")),
    }
}

fn is_copilot_result(fields: Fields<'_>) -> bool {
    fields.0.get("tool_result").is_some_and(|result| result.get("text_result_for_llm").is_some())
}

/// Copilot's command line under Claude Code's names says when, but not where the transcript is.
fn is_copilot_command_line(fields: Fields<'_>) -> bool {
    let names = ["session_id", "hook_event_name", "timestamp"];
    names.iter().all(|name| fields.text(name).is_some()) && !fields.0.contains_key("transcript_path")
}

fn by_transcript(fields: Fields<'_>) -> Option<&'static str> {
    let path = fields.any_text(&["transcript_path", "transcriptPath"])?;
    // The last one: a home folder may itself be in such a folder.
    path.rsplit(['/', '\\'])
        .find_map(|part| HOMES.iter().find(|(folder, _)| *folder == part).map(|(_, sender)| *sender))
}

/// Variables that an agent sets for the hooks that it runs, those of an agent's whole shell last.
const VARIABLES: &[(&str, &str)] = &[
    ("CURSOR_VERSION", "cursor"),
    ("GROK_HOOK_EVENT", "grok"),
    ("DROID_PROJECT_DIR", "droid"),
    ("FACTORY_PROJECT_DIR", "droid"),
    ("QWEN_PROJECT_DIR", "qwen"),
    ("GEMINI_PROJECT_DIR", "gemini"),
    ("DEVIN_PROJECT_DIR", "devin"),
    ("CRUSH_EVENT", "crush"),
    ("COPILOT_CLI", "copilot"),
];

/// The variables by which an agent is known. Where something is tried in an agent's name, they would speak for another.
pub fn variables() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().map(|(name, _)| *name)
}

fn by_variable(agent_id: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<&'static str> {
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let senders = || VARIABLES.iter().filter(|(name, _)| set(name)).map(|(_, sender)| *sender);
    // Whose own variable is there has not borrowed the hook.
    if senders().any(|sender| sender == agent_id) { None } else { senders().next() }
}
