//! `snaphook git status`: what is printed of the check of commits.

use std::path::Path;

use serde_json::{Value, json};
use snaphook::HandlerInfo;
use snaphook_discovery::{Directories, printable};
use snaphook_setup::git::{CommitStatus, HooksPath, ScriptState, status as look};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::git::args::StatusArgs;
use crate::git::{Viewed, refusals, target};
use crate::{print, wiring};

/// Runs the command.
pub(crate) async fn status(env: &Env, args: &StatusArgs) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let target = target(env, directories.clone()).await?;
    let status = look(target, &env.program.clone().unwrap_or_default(), &Viewed(env))?;
    if args.json {
        print::json(&document(&status));
    } else {
        print::stdout(&text(&directories, &status));
    }
    Ok(Exit::Fine)
}

fn document(status: &CommitStatus) -> Value {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let hooks_path = |set: &HooksPath| json!({"scope": set.scope, "value": set.value});
    let state = match status.state {
        ScriptState::Installed => "installed",
        ScriptState::Outdated => "outdated",
        ScriptState::NotExecutable => "not_executable",
        ScriptState::Missing => "missing",
        ScriptState::Discobot => "discobot",
        ScriptState::Foreign => "foreign",
    };
    json!({
        "repository": path(&status.repository),
        "hooks_folder": path(&status.hooks_folder),
        "hooks_path": status.hooks_path.as_ref().map(hooks_path),
        "script": path(&status.script),
        "state": state,
        "projects": status.projects,
        "original": status.original.as_ref().map(|(original, _)| path(original)),
        "original_runs": status.original.as_ref().is_some_and(|(_, runs)| *runs),
        "pre_commit_hooks": status.hooks.handlers.iter().map(handler_document).collect::<Vec<_>>(),
        "problems": status.hooks.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "refused": status.refusal.as_ref().map(ToString::to_string),
        "advice": status.advice,
    })
}

fn handler_document(handler: &HandlerInfo) -> Value {
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

fn text(directories: &Directories, status: &CommitStatus) -> String {
    let script = directories.relative(&status.script);
    let is_ours =
        matches!(status.state, ScriptState::Installed | ScriptState::Outdated | ScriptState::NotExecutable);
    let mut text = match status.state {
        ScriptState::Installed => format!("{script} runs the hooks for pre_commit before each commit\n"),
        ScriptState::Outdated => {
            format!(
                "{script} is from another version of snaphook, or for another project: run `snaphook git install`\n"
            )
        }
        ScriptState::NotExecutable => {
            format!("{script} is not executable, so git does not run it: run `snaphook git install`\n")
        }
        ScriptState::Missing => {
            format!("{script} does not exist, so commits are not checked: run `snaphook git install`\n")
        }
        ScriptState::Discobot => format!("{script} is Discobot's: `snaphook git install` replaces it\n"),
        ScriptState::Foreign => {
            format!("{script} is not snaphook's: `snaphook git install` keeps it, and runs it first\n")
        }
    };
    if let Some((original, _)) = &status.original {
        text += &format!("{} was there before, and runs first\n", directories.relative(original));
    }
    text += &status.hooks.handlers.iter().map(line).collect::<String>();
    text += &refusals(&status.hooks.problems);
    if status.hooks.handlers.is_empty() && status.hooks.problems.is_empty() {
        text += if is_ours {
            "no hook handles pre_commit any more: the script removes itself at the next commit\n"
        } else {
            "no hook handles pre_commit\n"
        };
    }
    let refusal = status.refusal.as_ref().map(ToString::to_string);
    for advice in refusal.iter().chain(&status.advice) {
        text += &format!("note: {advice}\n");
    }
    text
}

fn line(handler: &HandlerInfo) -> String {
    let matcher = handler.matcher.as_ref().map(|matcher| format!(" {}", printable(&matcher.to_string())));
    let place = printable(&handler.location().to_string());
    format!("  {} {place}{}\n", handler.hook.id, matcher.unwrap_or_default())
}
