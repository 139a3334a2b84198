//! The log of an agent's events, with the texts of hooks that `SNAPHOOK_LOG` asks for. Not here: the file
//! (`snaphook_session::Log`), and the log of the other commands (`crate::log`).

use std::path::PathBuf;
use std::sync::Arc;

use snaphook::Level;
use snaphook_session::Log;
use tracing_subscriber::filter::Targets;

use crate::env::Env;

/// The target that hooks' texts have in `SNAPHOOK_LOG`, as in the log of the other commands.
const TARGET: &str = "snaphook::hook";

/// Opens the log of an agent; `named` is the file of `--log-file`.
pub(super) fn open(env: &Env, named: Option<PathBuf>, agent: &'static str) -> Log {
    let (wanted, invalid) = match env.text("SNAPHOOK_LOG").map(|text| text.parse::<Targets>()) {
        None => (None, None),
        Some(Ok(wanted)) => (Some(wanted), None),
        Some(Err(error)) => (None, Some(error)),
    };
    let log = Log::new(env, named, agent, Arc::new(move |level| takes(wanted.as_ref(), level)));
    if let Some(error) = invalid {
        log.line(&format!(
            "SNAPHOOK_LOG: {error} (expected a level, like debug, or TARGET=LEVEL; info is used)"
        ));
    }
    log
}

/// Returns whether a text of a hook is written; without targets, from `info` on.
fn takes(wanted: Option<&Targets>, level: Level) -> bool {
    let level = match level {
        Level::Debug => tracing::Level::DEBUG,
        Level::Info => tracing::Level::INFO,
        Level::Warn => tracing::Level::WARN,
        Level::Error => tracing::Level::ERROR,
    };
    match wanted {
        Some(wanted) => wanted.would_enable(TARGET, &level),
        None => level <= tracing::Level::INFO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_told_by_the_variable() {
        for (variable, expected) in [
            (None, [false, true, true, true]),
            (Some("debug"), [true; 4]),
            (Some("error"), [false, false, false, true]),
            (Some("snaphook::hook=warn"), [false, false, true, true]),
            (Some("off"), [false; 4]),
        ] {
            let wanted = variable.map(|text| text.parse().unwrap());
            let levels = [Level::Debug, Level::Info, Level::Warn, Level::Error];
            assert_eq!(levels.map(|level| takes(wanted.as_ref(), level)), expected, "{variable:?}");
        }
    }
}
