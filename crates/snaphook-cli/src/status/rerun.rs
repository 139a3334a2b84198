//! `snaphook rerun`: one check, now.

use snaphook::checks::{Ended, Evaluated, RanCheck};
use snaphook::{CallOptions, CancellationToken, Host, Severity};
use snaphook_discovery::Directories;
use snaphook_session::hosting::Records;
use snaphook_session::status_folder;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::status::args::RerunArgs;
use crate::status::session;
use crate::wiring;

/// Runs the command.
///
/// # Errors
/// There is no such check or session, or the status cannot be kept.
pub(crate) async fn rerun(env: &Env, args: RerunArgs) -> Result<Exit, Failure> {
    let directories = args.project.directories(env)?;
    let found = session(&directories, args.session.as_deref())?;
    let (store, agent, id) = match found {
        Some(found) => (found.store, found.agent, found.session),
        None => {
            let gone = || Failure::Usage("there is no state folder to keep the result in".to_owned());
            let store = status_folder::of_session(&directories, "snaphook", None).ok_or_else(gone)?;
            (store, "snaphook".to_owned(), None)
        }
    };
    let trust = args.pins.trust(env, &[&directories.project_root])?;
    let hooks = wiring::hooks_of(env, &directories, &args.hooks, &trust);
    let named = wiring::session(&directories, &agent, id.clone().unwrap_or_else(|| "rerun".to_owned()));
    let host = wiring::host(env, &directories, hooks, &agent, None, Records::Audit)?.session(named).build();
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::supervised() };
    wiring::cancel_when_told(&cancel);
    let done = host.rerun_check(&store, &args.hook, &options).await;
    let done = done.map_err(|error| Failure::Internal(format!("{}: {error}", store.dir().display())))?;
    let Some(evaluated) = done else { return Err(unknown(&args.hook, &host)) };
    let noted = status_folder::note(&store, &host, id.as_deref());
    noted.map_err(|error| Failure::Internal(format!("{}: {error}", store.dir().display())))?;
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    print::stdout(&text(&args.hook, &evaluated, &directories, paint));
    if cancel.is_cancelled() {
        // What was running has got TERM; KILL follows only as long as this process is there.
        tokio::time::sleep(snaphook_command::process::Limits::default().term_grace).await;
    }
    Ok(match evaluated.ended {
        Ended::NoAction | Ended::Passed => Exit::Fine,
        Ended::Failed => Exit::Denied,
        Ended::Abandoned => Exit::Interrupted,
    })
}

fn unknown(id: &str, host: &Host) -> Failure {
    let known: Vec<String> = host.file_checks().iter().map(|hook| hook.id.clone()).collect();
    let there = host.hooks().iter().any(|hook| hook.hook.id == id);
    let what = if there {
        format!("the hook \"{id}\" does not check changed files")
    } else {
        format!("there is no hook \"{id}\"")
    };
    let hint = if known.is_empty() {
        "no hook here checks changed files (`files_changed`); `snaphook list` shows all".to_owned()
    } else {
        format!("hooks that check changed files: {}", known.join(", "))
    };
    // The one that is meant may be among them.
    let errors = host.problems().into_iter().filter(|problem| problem.severity == Severity::Error);
    let errors: String = errors.map(|problem| format!("\nnot loaded: {problem}")).collect();
    Failure::Usage(format!("{what}; {hint}{errors}"))
}

fn text(id: &str, evaluated: &Evaluated, directories: &Directories, paint: Paint) -> String {
    let mut text = String::new();
    for note in &evaluated.notes {
        text += &format!("{} {}\n", paint.yellow("note:"), print::lines(note));
    }
    match evaluated.ran.last() {
        Some(ran) => text += &ran_text(ran, directories, paint),
        None if evaluated.ended == Ended::Abandoned => {
            text += &format!("{id} was interrupted and stays pending\n");
        }
        None => text += &format!("no changed file is one for {id}; it did not run\n"),
    }
    text
}

fn ran_text(ran: &RanCheck, directories: &Directories, paint: Paint) -> String {
    let mut text = String::new();
    if !ran.output.trim().is_empty() {
        text += &format!("{}\n", print::lines(ran.output.trim_end()));
    }
    if (ran.output.len() as u64) < ran.bytes {
        text += &format!("{}\n", paint.dim(&format!("… ({} lines)", ran.lines)));
    }
    let word = if ran.passed { paint.green("passed") } else { paint.red("failed") };
    let files = ran.files.len() + ran.deleted.len() + ran.nameless.len();
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let (id, code, took) = (&ran.hook.id, ran.exit_code, ran.took.as_secs_f64());
    text += &format!("{word} {id}: {files}, exit code {code}, {took:.1} s\n");
    if let Some(log) = &ran.log {
        let log = match directories.home.as_ref().and_then(|home| log.strip_prefix(home).ok()) {
            Some(inside) => format!("~/{}", inside.display()),
            None => log.display().to_string(),
        };
        text += &format!("  output: {}\n", print::brief(&log, 400));
    }
    text
}
