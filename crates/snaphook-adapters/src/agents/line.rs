//! Snaphook's plugins for agents without command hooks: each keeps one `snaphook serve` and asks it about every event. What all of them share is
//! `line.js`; what an agent's plugin does with the answers is in that agent's folder.

use serde_json::{Value, json};

use crate::agent::Row;
use crate::install::Setup;

/// The process that answers, and the line to it.
const LINE: &str = include_str!("line.js");

/// The text of a plugin: `own` with the shared part, the program, the events and the time that the plugin waits. It asks about the
/// set-up's events among those of the agent, and about `always`.
pub(crate) fn plugin(own: &str, setup: &Setup<'_>, known: &[Row], always: &[&str], seconds: u64) -> String {
    let asked = |name: &&str| always.contains(name) || setup.rows.iter().any(|row| row.native == *name);
    let events: Vec<_> = known.iter().map(|row| row.native).filter(asked).collect();
    let program = Value::from(setup.launcher.program.as_str()).to_string();
    own.replace("// @LINE@\n", LINE)
        .replace("@AGENT@", setup.launcher.agent)
        .replace("[\"@EVENTS@\"]", &json!(events).to_string())
        .replace("LIMIT_MS = 60000", &format!("LIMIT_MS = {}", seconds * 1000))
        .replace("\"@PROGRAM@\"", &program)
}
