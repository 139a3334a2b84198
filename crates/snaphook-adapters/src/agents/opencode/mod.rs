//! OpenCode, and Kilo, which was made from it. They have no command hooks: snaphook's plugin runs in their process and hands each call of a
//! plugin hook over as one line of JSON, and applies the one line that comes back. Verified on OpenCode 1.18.33 and Kilo 7.7.9;
//! `experimental.` hooks and the shape of parts by a third party's reading of OpenCode 1.18.31. The plugin is `plugin.js`; the process that it
//! starts is `snaphook serve`.
//!
//! What is handed over: `{"hook": NAME, "input": …, "output": …}`, the two arguments of the hook (`input` alone for `event`).
//! Beside them the plugin says what only it knows: `directory`, where the agent works, and `root`, the session of the person,
//! where the hook's session is a subagent's.
//!
//! What comes back is a map with at most these keys; `{}` is nothing:
//!
//! | key | the plugin |
//! |---|---|
//! | `throw`: text | throws an error with this text, and applies nothing else |
//! | `args`: map | puts these into `output.args`, and takes out what is not in them |
//! | `parts`: list | puts these in the place of `output.parts` |
//! | `output`: map | sets each of these keys in `output` |
//! | `inject`: text | pushes a synthetic text part (`chat.message`), or a text to `output.context` (compacting) |
//!
//! It fails closed: where no such map comes back (another key, no JSON, no answer in time, no process), the plugin throws
//! from `tool.execute.before` and `chat.message`.

mod events;
mod native_payloads;
mod tools;

use serde_json::{Map, Value, json};
use snaphook_core::Payload;

use super::family::results;
use super::line;
use crate::agent::{Agent, CANARY, Profile, Row, Tier, Unreadable};
use crate::effects::{Effect, Effects};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Setup};
use crate::reply::Reply;
use native_payloads::Line;
use snaphook_core::{NewResult, Ruling};

/// OpenCode, or what was made from it: where they differ.
#[derive(Debug, Clone, Copy)]
pub struct OpenCode {
    profile: &'static Profile,
    /// The plugin in the home folder, and in a project.
    user: &'static str,
    project: &'static str,
    /// The canonical names of tools that OpenCode does not have.
    own: tools::Own,
}

/// OpenCode itself.
pub static OPENCODE: OpenCode = OpenCode {
    profile: &Profile { tier: Tier::Run("1.18.33"), ..Profile::new("opencode", "OpenCode", events::EVENTS) },
    user: ".config/opencode/plugins/snaphook.js",
    project: ".opencode/plugins/snaphook.js",
    own: |_, _| None,
};

/// Kilo.
pub static KILO: OpenCode = OpenCode {
    profile: &Profile { tier: Tier::Run("7.7.9"), ..Profile::new("kilo", "Kilo", events::EVENTS) },
    user: ".config/kilo/plugins/snaphook.js",
    project: ".kilo/plugins/snaphook.js",
    own: tools::kilo,
};

impl Agent for OpenCode {
    fn profile(&self) -> &'static Profile {
        self.profile
    }

    fn read(&self, _: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable> {
        let empty = Map::new();
        let line = Line::of(payload, &empty, self)?;
        Ok(Incoming {
            native: line.native.to_owned(),
            events: line.events()?,
            origin: line.origin(),
            raw: payload.clone(),
        })
    }

    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply {
        if let Ruling::Deny(reason) = &response.ruling {
            return thrown(reason);
        }
        let mut document = Map::new();
        let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
        match incoming.native.as_str() {
            "chat.message" => {
                if let Some(prompt) = response.input.as_ref().and_then(Value::as_str) {
                    put("parts", parts(incoming, prompt));
                }
                if let Some(context) = &response.context {
                    put("inject", context.as_str().into());
                }
            }
            "tool.execute.before" => {
                if let Some(args) = &response.input {
                    put("args", args.clone());
                }
            }
            "tool.execute.after" => {
                // A failure is what a plugin throws.
                if let Some(new) = response.result.as_ref().filter(|new| new.is_error && !was_error(incoming))
                {
                    let context = response.context.iter().map(|context| format!("\n\n{context}"));
                    return thrown(&format!("{}{}", new.content, context.collect::<String>()));
                }
                if let Some(output) = output(incoming, response.result.as_ref(), response.context.as_deref())
                {
                    put("output", output);
                }
            }
            _ => {
                if let Some(context) = &response.context {
                    put("inject", context.as_str().into());
                }
            }
        }
        Reply::json(&document.into())
    }

    fn deny(&self, _: Option<&str>, reason: &str) -> Reply {
        thrown(reason)
    }

    fn nothing(&self, _: Option<&str>) -> Reply {
        Reply::json(&json!({}))
    }

    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)> {
        let payload = json!({
            "hook": "tool.execute.before",
            "input": {"tool": "bash", "sessionID": CANARY, "callID": CANARY},
            "output": {"args": {"command": "true"}},
            "directory": cwd,
        });
        Some(("tool.execute.before", payload))
    }

    fn effects(&self, incoming: &Incoming) -> Effects {
        let effects = self.row_effects(&incoming.native);
        match incoming.native.as_str() {
            // A result without a place for a text.
            "tool.execute.after" if output_key(incoming).is_none() => {
                effects.without(Effect::RewriteResult).without(Effect::Inject)
            }
            // Hooks see a subagent's start, which is no prompt of the person.
            "chat.message" if incoming.raw.contains_key("root") => Effects::of(&[Effect::Inject]),
            _ => effects,
        }
    }

    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let file = setup.file(self.user, self.project);
        // What hooks say to the model waits for a prompt or a result, so those events are always asked about.
        let always = ["tool.execute.before", "tool.execute.after", "chat.message"];
        let text = line::plugin(PLUGIN, setup, events::EVENTS, &always, events::TIMEOUT_SECONDS);
        let text = text.replace("@TITLE@", self.title());
        Ok(vec![Edit::own(file, text)])
    }

    fn registers(&self, row: &Row) -> bool {
        !row.events.is_empty()
    }

    fn takes(&self, incoming: &Incoming, _: &Value) -> bool {
        // A message of files alone has no text to put another in the place of.
        incoming.native != "chat.message" || parts_of(incoming).iter().any(native_payloads::is_written)
    }
}

/// The plugin that the agent loads, without what all plugins share.
const PLUGIN: &str = include_str!("plugin.js");

fn thrown(reason: &str) -> Reply {
    Reply::json(&json!({"throw": reason}))
}

/// The parts of a message.
fn parts_of(incoming: &Incoming) -> &[Value] {
    let parts = incoming.raw.get("output").and_then(|output| output.get("parts"));
    parts.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The parts of a message with another prompt: it is where the first text was, the other texts go.
fn parts(incoming: &Incoming, prompt: &str) -> Value {
    let mut prompt = Some(prompt);
    let mut parts = Vec::new();
    for part in parts_of(incoming) {
        if !native_payloads::is_written(part) {
            parts.push(part.clone());
        } else if let Some(text) = prompt.take() {
            let mut part = part.clone();
            part["text"] = text.into();
            parts.push(part);
        }
    }
    parts.into()
}

/// Returns where the text of a result is.
fn output_key(incoming: &Incoming) -> Option<&'static str> {
    let output = incoming.raw.get("output")?;
    match (output.get("output"), output.get("content")) {
        (Some(Value::String(_)), _) => Some("output"),
        (_, Some(Value::Array(_))) => Some("content"),
        _ => None,
    }
}

fn was_error(incoming: &Incoming) -> bool {
    incoming.events.first().is_some_and(|event| match event.payload() {
        Payload::Result(result) => result.is_error,
        _ => false,
    })
}

/// The keys of the result that change.
fn output(incoming: &Incoming, new: Option<&NewResult>, context: Option<&str>) -> Option<Value> {
    let (place, before) = (output_key(incoming)?, incoming.raw.get("output")?);
    let mut changed = match new.map(|new| &*new.details) {
        Some(Value::Object(details)) => {
            let other = details.iter().filter(|(key, value)| before.get(key.as_str()) != Some(*value));
            other.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        _ => Map::new(),
    };
    let text = results::text(before);
    let rewritten = new.map(|new| &*new.content).filter(|content| *content != text);
    if rewritten.is_some() || context.is_some() {
        changed.insert(
            place.to_owned(),
            match place {
                "output" => joined(rewritten.unwrap_or(&text), context).into(),
                _ => blocks(before.get("content"), rewritten, context),
            },
        );
    }
    (!changed.is_empty()).then_some(Value::Object(changed))
}

fn joined(text: &str, context: Option<&str>) -> String {
    match context {
        Some(context) => format!("{text}\n\n{context}"),
        None => text.to_owned(),
    }
}

/// The content of an MCP tool's result.
fn blocks(before: Option<&Value>, rewritten: Option<&str>, context: Option<&str>) -> Value {
    let block = |text: &str| json!({"type": "text", "text": text});
    let mut blocks = match (rewritten, before) {
        (Some(text), _) => vec![block(text)],
        (None, Some(Value::Array(blocks))) => blocks.clone(),
        (None, _) => Vec::new(),
    };
    blocks.extend(context.map(block));
    blocks.into()
}
