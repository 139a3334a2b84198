//! `snaphook list`: the hooks in the order in which they run, and every problem.

use serde_json::{Value, json};
use snaphook::{HandlerInfo, HookSummary, Host, Limits, Scope, Severity};
use snaphook_discovery::{Directories, printable};

use crate::args::ListArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::out::{self, Paint};
use crate::{tell, wiring};

/// Runs the command.
pub(crate) fn list(env: &Env, args: &ListArgs) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let host = wiring::host(env, &directories, &args.hooks, "list")?.build();
    let broken = host.problems().iter().any(|problem| problem.severity == Severity::Error);
    if args.json {
        out::print_json(&document(&host, &directories));
    } else {
        out::print(&text(&host, &directories, Paint { on: env.colours(env.stdout_is_terminal) }));
    }
    Ok(if broken { Exit::Denied } else { Exit::Fine })
}

fn document(host: &Host, directories: &Directories) -> Value {
    json!({
        "hooks": host.hooks().iter().map(hook).collect::<Vec<_>>(),
        "problems": host.problems(),
        "directories": {
            "managed": directories.managed,
            "user": directories.user_hooks,
            "project": directories.project_hooks,
            "project_root": directories.project_root,
            "state": directories.state,
        },
    })
}

fn hook(hook: &HookSummary) -> Value {
    json!({
        "id": hook.hook.id,
        "name": hook.hook.name,
        "description": hook.description,
        "scope": hook.hook.scope,
        "language": hook.language.map(|language| language.as_str().to_lowercase()),
        "file": hook.hook.file.display().to_string(),
        "path": hook.path.as_ref().map(|path| path.display().to_string()),
        "loaded": hook.loaded,
        "handlers": hook.handlers.iter().map(handler).collect::<Vec<_>>(),
        "memory_bytes": hook.memory,
        "limits": limits(&hook.limits),
    })
}

fn handler(info: &HandlerInfo) -> Value {
    let place = info.location();
    json!({
        "event": info.event,
        "matcher": info.matcher,
        "file": place.file.display().to_string(),
        "line": place.line,
    })
}

fn limits(limits: &Limits) -> Value {
    json!({
        "handler_cpu_ms": limits.handler_cpu.as_millis(),
        "event_cpu_ms": limits.event_cpu.as_millis(),
        "load_cpu_ms": limits.load_cpu.as_millis(),
        "wait_ms": limits.wait.as_millis(),
        "memory_bytes": limits.memory,
    })
}

fn text(host: &Host, directories: &Directories, paint: Paint) -> String {
    let hooks = host.hooks();
    let mut text = String::new();
    for summary in &hooks {
        let hook = &summary.hook;
        let state = if summary.loaded { String::new() } else { paint.red(" does not load") };
        let scope = paint.dim(hook.scope.as_str());
        text += &format!(
            "{} {scope} {}{state}\n",
            paint.bold(&hook.id),
            printable(&hook.file.display().to_string())
        );
        if let Some(description) = &summary.description {
            text += &format!("    {}\n", printable(description));
        }
        for info in &summary.handlers {
            let matcher = info.matcher.as_ref().map(|matcher| format!(" {matcher}")).unwrap_or_default();
            let line = info.line.map(|line| format!(" line {line}")).unwrap_or_default();
            text += &format!(
                "    {}{}{}\n",
                paint.cyan(info.event.as_str()),
                printable(&matcher),
                paint.dim(&line)
            );
        }
    }
    match hooks.first() {
        None => text += &nothing(directories),
        Some(hook) => {
            let Limits { handler_cpu, event_cpu, wait, memory, .. } = &hook.limits;
            let one = format!(
                "limits of each hook: {handler_cpu:?} CPU a handler, {event_cpu:?} an event, {wait:?} waiting in handlers that are neither gates nor checks, {} MiB",
                memory >> 20
            );
            text += &format!("{}\n", paint.dim(&one));
        }
    }
    if hooks.iter().any(|hook| hook.hook.scope == Scope::Project) {
        text += &format!("{}\n", paint.yellow("project hooks run without a trust question in this version"));
    }
    let problems = host.problems();
    for problem in &problems {
        text += &format!("{}\n", tell::problem_line(paint, problem));
    }
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        text += &format!("{}\n", paint.red("every gated call is denied until the errors are mended"));
    }
    text
}

fn nothing(directories: &Directories) -> String {
    let shown = |path: Option<&std::path::Path>| {
        path.map(|path| format!("  {}\n", path.display())).unwrap_or_default()
    };
    format!(
        "no hooks. They are looked for in\n{}{}{}",
        shown(directories.managed.as_deref()),
        shown(directories.user_hooks.as_deref()),
        shown(Some(&directories.project_hooks)),
    )
}
