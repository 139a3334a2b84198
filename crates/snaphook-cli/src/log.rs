//! The log: to standard error, or to a file. `SNAPHOOK_LOG` takes a level (`debug`) or directives (`snaphook=debug`). Each event is
//! one line, whatever texts of others are in it.

use std::path::Path;
use std::sync::Mutex;

use snaphook::printable;
use snaphook_state::private_fs;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::env::Env;
use crate::exit::Failure;

/// Libraries that log what they send and get, whatever level is wanted: keys of models may be in it, and a failed request is told
/// where it is dealt with.
const QUIET: [&str; 7] = ["genai", "reqwest", "hyper", "hyper_util", "h2", "rmcp", "rustls"];

/// Starts the log.
///
/// # Errors
/// The file cannot be opened, or `SNAPHOOK_LOG` cannot be read.
pub(crate) fn start(env: &Env, file: Option<&Path>, default: &str) -> Result<(), Failure> {
    let wanted = env.text("SNAPHOOK_LOG").filter(|wanted| !wanted.is_empty());
    // Not `EnvFilter`: it brings a feature of the regex engine that builds a whole automaton for each small pattern of a hook.
    let filter: Targets = wanted.as_deref().unwrap_or(default).parse().map_err(|error| {
        Failure::Usage(format!("SNAPHOOK_LOG: {error} (expected a level, like debug, or TARGET=LEVEL)"))
    })?;
    let filter = filter.with_targets(QUIET.map(|target| (target, LevelFilter::OFF)));
    let field = |writer: &mut Writer<'_>, field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
        let text = printable(&format!("{value:?}"));
        match field.name() {
            "message" => write!(writer, "{text}"),
            name => write!(writer, "{name}={text}"),
        }
    };
    let fields = debug_fn(field).delimited(" ");
    let log = tracing_subscriber::fmt().fmt_fields(fields).with_max_level(LevelFilter::TRACE).without_time();
    // The log's own message about a closed standard error would panic.
    let log = log.log_internal_errors(false);
    let started = match file {
        None => log
            .with_writer(std::io::stderr)
            .with_ansi(env.colours(env.stderr_is_terminal))
            .with_target(false)
            .finish()
            .with(filter)
            .try_init(),
        Some(path) => {
            let opened = private_fs::options_for_named().create(true).append(true).open(path);
            let file = opened.map_err(|error| {
                Failure::Usage(format!("failed to open the log file {}: {error}", path.display()))
            })?;
            log.with_writer(Mutex::new(file)).with_ansi(false).finish().with(filter).try_init()
        }
    };
    started.map_err(|error| Failure::Internal(format!("failed to start the log: {error}")))
}
