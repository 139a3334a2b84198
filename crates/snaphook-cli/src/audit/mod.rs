//! `snaphook audit`: what the audit holds, whether it still is what was written (`verify`), what hooks did
//! (`stats`). Writing it is in `write`.

mod stats;
mod text;
mod verify;

use snaphook_audit::{AuditLog, StoredLine};

use crate::args::{AuditArgs, AuditCommand, ShowArgs, StatsArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::wiring;

/// Runs the command.
pub(crate) fn audit(env: &Env, args: &AuditArgs) -> Result<Exit, Failure> {
    let state = wiring::directories(env, None)?.state;
    let state = state.ok_or_else(|| {
        Failure::Usage("there is no folder for the audit: set HOME or SNAPHOOK_STATE_DIR".to_owned())
    })?;
    let log = AuditLog::new(snaphook_state::layout::audit(&state));
    match &args.command {
        AuditCommand::Show(args) => show(env, &log, args),
        AuditCommand::Verify(args) => verify::verify(env, &log, args),
        AuditCommand::Stats(args) => stats(env, &log, args),
    }
}

/// The names of the sessions to look at.
fn names(log: &AuditLog, session: Option<&str>) -> Result<Vec<String>, Failure> {
    let names = log.names().map_err(|error| unreadable(log, &error))?;
    let Some(session) = session else { return Ok(names) };
    let wanted = AuditLog::name_of(session);
    if names.contains(&wanted) {
        return Ok(vec![wanted]);
    }
    Err(absent(log, session))
}

fn absent(log: &AuditLog, session: &str) -> Failure {
    let text = format!("there is no audit of a session \"{session}\" in {}", log.dir().display());
    Failure::Usage(format!("{text}; `snaphook audit verify` names all sessions"))
}

fn unreadable(log: &AuditLog, error: &std::io::Error) -> Failure {
    Failure::Internal(format!("failed to read the audit in {}: {error}", log.dir().display()))
}

/// The lines about events of these sessions, oldest first.
fn lines(log: &AuditLog, session: Option<&str>) -> Result<Vec<StoredLine>, Failure> {
    let mut lines = Vec::new();
    for name in names(log, session)? {
        lines.extend(log.lines(&name).map_err(|error| unreadable(log, &error))?);
    }
    lines.retain(StoredLine::is_event);
    // Stable: within a session the order of the file is the order of the decisions.
    lines.sort_by(|one, other| one.text_of("time").cmp(other.text_of("time")));
    Ok(lines)
}

fn show(env: &Env, log: &AuditLog, args: &ShowArgs) -> Result<Exit, Failure> {
    let mut lines = lines(log, args.session.as_deref())?;
    if args.denied {
        lines.retain(|line| line.text_of("decision") == "deny");
    }
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    let left_out = lines.len().saturating_sub(limit);
    lines.drain(..left_out);
    if args.json {
        print::stdout(&lines.iter().map(|line| format!("{}\n", line.text)).collect::<String>());
        return Ok(Exit::Fine);
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    let mut shown = String::new();
    if lines.is_empty() {
        shown += &format!("nothing in {}\n", print::brief(&log.dir().display().to_string(), 500));
    }
    if left_out > 0 {
        shown += &format!("{}\n", paint.dim(&format!("({left_out} earlier lines; --limit 0 shows all)")));
    }
    for line in &lines {
        shown += &text::line(paint, line);
    }
    print::stdout(&shown);
    Ok(Exit::Fine)
}

/// The last decisions of one session, as text; nothing where there is none yet.
///
/// # Errors
/// The audit cannot be read.
#[cfg(feature = "drive")]
pub(crate) fn of_session(
    directories: &snaphook_discovery::Directories,
    session: &str,
    most: usize,
    paint: Paint,
) -> Result<String, Failure> {
    let Some(state) = &directories.state else { return Ok(String::new()) };
    let log = AuditLog::new(snaphook_state::layout::audit(state));
    let name = AuditLog::name_of(session);
    if !log.names().map_err(|error| unreadable(&log, &error))?.contains(&name) {
        return Ok(String::new());
    }
    let lines = lines(&log, Some(session))?;
    let from = lines.len().saturating_sub(most);
    Ok(lines.iter().skip(from).map(|line| text::line(paint, line)).collect())
}

fn stats(env: &Env, log: &AuditLog, args: &StatsArgs) -> Result<Exit, Failure> {
    let stats = stats::Stats::of(&lines(log, args.session.as_deref())?);
    if args.json {
        print::json(&stats.document());
    } else {
        print::stdout(&stats.text(Paint { on: env.colours(env.stdout_is_terminal) }));
    }
    Ok(Exit::Fine)
}
