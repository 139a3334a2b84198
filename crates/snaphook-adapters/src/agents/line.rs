//! Snaphook's plugins for agents without command hooks: each keeps one `snaphook serve` and asks it about every event. What all of them share is
//! `line.js`; what an agent's plugin does with the answers is in that agent's folder.

use std::time::Duration;

use serde_json::{Value, json};

use crate::install::Launcher;

/// The process that answers, and the line to it.
const LINE: &str = include_str!("line.js");

/// The text of a plugin: `own` with the shared part, the program, these events and the time that the plugin waits.
pub(crate) fn plugin(own: &str, launcher: &Launcher, events: &[&str], limit: Duration) -> String {
    let program = Value::from(launcher.program.as_str()).to_string();
    own.replace("// @LINE@\n", LINE)
        .replace("@AGENT@", launcher.agent)
        .replace("[\"@EVENTS@\"]", &json!(events).to_string())
        .replace("LIMIT_MS = 60000", &format!("LIMIT_MS = {}", limit.as_millis()))
        .replace("\"@PROGRAM@\"", &program)
}
