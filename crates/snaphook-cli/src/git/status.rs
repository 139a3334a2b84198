//! `snaphook git status`: whether commits are checked, and what stands in the way. Not here: changing it.

use std::path::PathBuf;

use serde_json::{Value, json};
use snaphook::{EventName, HandlerInfo, Lifecycle, Severity};
use snaphook_discovery::{Trust, printable};
use snaphook_session::hosting::Records;
use snaphook_state::plain;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::git::Ground;
use crate::git::args::StatusArgs;
use crate::git::change::{Found, MAX_BYTES, Slot};
use crate::git::repository::HooksPath;
use crate::git::script::{self, Owner};
use crate::{out, wiring};

/// The handlers of `pre_commit` of every project that the script serves, or will, and what keeps others from being known: each of
/// these refuses every commit.
///
/// # Errors
/// An engine does not start.
pub(crate) fn found(env: &Env, ground: &Ground) -> Result<(Vec<HandlerInfo>, Vec<Value>), Failure> {
    let (mut hooks, mut problems) = (Vec::new(), Vec::new());
    let mut projects = super::run::projects(env, &ground.repository, &ground.slot)?;
    if projects.iter().all(|known| known.project_root != ground.directories.project_root) {
        projects.push(ground.directories.clone());
    }
    for directories in projects {
        let discovery = wiring::hooks_of(env, &directories, &[], &Trust::default());
        let host = wiring::host(env, &directories, discovery, "git", None, Records::Store)?.build();
        let event = EventName::Lifecycle(Lifecycle::PreCommit);
        let handlers = host.hooks().into_iter().flat_map(|hook| hook.handlers);
        hooks.extend(handlers.filter(|handler| handler.event == event));
        let errors = host.problems().into_iter().filter(|problem| problem.severity == Severity::Error);
        problems.extend(errors.map(|problem| Value::from(problem.to_string())));
    }
    Ok((hooks, problems))
}

/// Returns what a person should know about other tools in the same place. `before` is what stood there before it was
/// changed.
pub(crate) fn advice(ground: &Ground, before: Option<&Found>) -> Vec<String> {
    let mut advice = Vec::new();
    let now = ground.slot.found();
    let foreign = match before.unwrap_or(&now) {
        Found::Script { owner: Owner::Foreign, bytes } => Some(bytes.clone()),
        _ => plain::read(&ground.slot.original, MAX_BYTES).ok(),
    };
    if let Some(text) = foreign.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) {
        if text.contains("lefthook") {
            advice.push(
                "lefthook writes its hooks anew by itself, over this script: put `snaphook git run pre-commit` into lefthook.yml \
                 instead"
                    .to_owned(),
            );
        } else if text.contains("pre-commit.com") || text.contains("pre_commit") {
            advice.push(
                "`pre-commit install` moves this script to pre-commit.legacy, where it goes on working; with `-f` it is gone: run \
                 `snaphook git install` again then"
                    .to_owned(),
            );
        } else if ["basename", "##*/", "PROGRAM_NAME"].iter().any(|sign| text.contains(sign)) {
            advice.push(
                "the hook that was there looks at its own name, which is pre-commit.original now: see whether it still does its \
                 work"
                    .to_owned(),
            );
        }
    }
    if let Some(HooksPath { value, .. }) = &ground.repository.hooks_path
        && ground.repository.refuses().is_none()
        && ground.repository.hooks.starts_with(&ground.repository.top)
    {
        advice.push(format!(
            "core.hooksPath is {}, in the working tree: if its files are committed, the script is, too. It has the path of \
             snaphook on this machine in it, and looks in PATH elsewhere",
            printable(value)
        ));
    }
    if ground.slot.has_original() && !Slot::runs(&ground.slot.original) {
        advice.push(format!(
            "{} is not executable, so it does not run, as git would not have run it",
            ground.shown(&ground.slot.original)
        ));
    }
    advice
}

/// Runs the command.
pub(crate) async fn status(env: &Env, args: &StatusArgs) -> Result<Exit, Failure> {
    let ground = Ground::find(env, args.cwd.as_deref()).await?;
    let (hooks, problems) = found(env, &ground)?;
    let found = ground.slot.found();
    let ours = match &found {
        Found::Script { owner: Owner::Ours, bytes } => Some(bytes.clone()),
        _ => None,
    };
    let program = env.program.clone().unwrap_or_default();
    let projects = ground.slot.projects();
    let runs = Slot::runs(&ground.slot.script);
    let state = match (&found, &ours) {
        (_, Some(_)) if !runs => "not_executable",
        (_, Some(text))
            if *text == script::text(&program, &projects, &ground.slot.compat())
                && projects.contains(&ground.project) =>
        {
            "installed"
        }
        (_, Some(_)) => "outdated",
        (Found::Nothing, _) => "missing",
        (Found::Script { owner: Owner::Discobot, .. }, _) => "discobot",
        _ => "foreign",
    };
    let refused = ground.repository.refuses();
    let advice = advice(&ground, None);
    let original = ground.slot.has_original().then(|| ground.slot.original.clone());
    if args.json {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        out::print_json(&json!({
            "repository": path(&ground.repository.top),
            "hooks_folder": path(&ground.repository.hooks),
            "hooks_path": ground.repository.hooks_path.as_ref().map(|set| json!({"scope": set.scope, "value": set.value})),
            "script": path(&ground.slot.script),
            "state": state,
            "projects": projects,
            "original": original.as_ref().map(path),
            "original_runs": original.as_ref().is_some_and(|original| Slot::runs(original)),
            "pre_commit_hooks": hooks.iter().map(document).collect::<Vec<_>>(),
            "problems": problems,
            "refused": refused,
            "advice": advice,
        }));
        return Ok(Exit::Fine);
    }
    let script = ground.shown(&ground.slot.script);
    let mut text = match state {
        "installed" => format!("{script} runs the hooks for pre_commit before each commit\n"),
        "outdated" => {
            format!("{script} is of another snaphook, or for another project: run `snaphook git install`\n")
        }
        "not_executable" => {
            format!("{script} is not executable, so git does not run it: run `snaphook git install`\n")
        }
        "missing" => {
            format!("{script} is not there, so commits are not checked: run `snaphook git install`\n")
        }
        "discobot" => format!("{script} is Discobot's: `snaphook git install` writes its own in its place\n"),
        _ => format!("{script} is not snaphook's: `snaphook git install` keeps it, and runs it first\n"),
    };
    if let Some(original) = &original {
        text += &format!("{} was there before, and runs first\n", ground.shown(original));
    }
    text += &hooks.iter().map(line).collect::<String>();
    for problem in &problems {
        let problem = problem.as_str().unwrap_or_default();
        text += &format!("every commit is refused: {}\n", out::lines(problem));
    }
    if hooks.is_empty() && problems.is_empty() {
        text += match ours {
            Some(_) => "no hook is for pre_commit any more: the script goes with the next commit\n",
            None => "no hook is for pre_commit\n",
        };
    }
    for advice in refused.iter().chain(&advice) {
        text += &format!("note: {advice}\n");
    }
    out::print(&text);
    Ok(Exit::Fine)
}

fn document(handler: &HandlerInfo) -> Value {
    let place = handler.location();
    json!({
        "id": handler.hook.id,
        "name": handler.hook.name,
        "scope": handler.hook.scope,
        "file": place.file.display().to_string(),
        "line": place.line,
        "matcher": handler.matcher,
    })
}

fn line(handler: &HandlerInfo) -> String {
    let matcher = handler.matcher.as_ref().map(|matcher| format!(" {}", printable(&matcher.to_string())));
    let place = printable(&handler.location().to_string());
    format!("  {} {place}{}\n", handler.hook.id, matcher.unwrap_or_default())
}
