//! `snaphook list`: the hooks in the order in which they run, and every problem.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook::{
    Candidate, DefaultRule, DefaultVerdict, HandlerInfo, HookSummary, Host, Limits, Problem, Scope, Severity,
};
use snaphook_discovery::{AuditInputs, Directories, Settings, printable};
use snaphook_testing::{Engines, Options, self_check};
use tokio::runtime::Handle;

use crate::args::ListArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::out::{self, Paint};
use crate::{tell, wiring};

/// Runs the command.
pub(crate) fn list(env: &Env, args: &ListArgs, runtime: &Handle) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let engines = wiring::engines(false)?;
    let mut discovery = wiring::hooks_of(env, &directories, &args.hooks);
    let settings = wiring::settings(&directories, &mut discovery);
    let has_examples = |hook: &&Candidate| !hook.front_matter.examples.is_empty();
    let with_examples: Vec<_> = discovery.hooks.iter().filter(has_examples).cloned().collect();
    let host = wiring::host_of(env, &directories, discovery, &settings, &engines, "list").build();
    let mut problems = host.problems();
    let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    problems.extend(try_examples(&host, with_examples, engines, runtime));
    if args.json {
        out::print_json(&document(&host, &problems, &settings, &directories));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        out::print(&text(&host, &problems, &settings, &directories, paint));
    }
    Ok(if broken { Exit::Denied } else { Exit::Fine })
}

/// How long all examples together may take.
const EXAMPLES: Duration = Duration::from_secs(1);

/// Tries the examples in the front matter of the hooks that loaded; those that fail are warnings.
fn try_examples(host: &Host, hooks: Vec<Candidate>, engines: Engines, runtime: &Handle) -> Vec<Problem> {
    let until = Instant::now() + EXAMPLES;
    let options = Options { engines, ..Options::default() };
    let loaded = host.hooks();
    let loads = |hook: &Candidate| loaded.iter().any(|other| other.loaded && other.hook == hook.hook);
    let mut problems = Vec::new();
    for hook in hooks.iter().filter(|hook| loads(hook)) {
        let left = until.saturating_duration_since(Instant::now());
        problems.extend(self_check(hook, &options, runtime, left).problems(hook));
    }
    problems
}

fn document(host: &Host, problems: &[Problem], settings: &Settings, directories: &Directories) -> Value {
    json!({
        "hooks": host.hooks().iter().map(hook).collect::<Vec<_>>(),
        "problems": problems,
        "settings": {
            "default": settings.default.verdict,
            "default_source": Some(&settings.default.source).filter(|source| !source.is_empty()),
            "self_protection": settings.self_protection,
            "audit": {
                "enabled": settings.audit.enabled,
                "inputs": match settings.audit.inputs {
                    AuditInputs::Full => "full",
                    AuditInputs::Hash => "hash",
                },
                "max_bytes": settings.audit.max_bytes,
                "keep": settings.audit.keep,
            },
        },
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

fn text(
    host: &Host,
    problems: &[Problem],
    settings: &Settings,
    directories: &Directories,
    paint: Paint,
) -> String {
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
    if settings.default.verdict != DefaultVerdict::Allow {
        let what = match settings.default.verdict {
            DefaultVerdict::Ask => "asked about",
            _ => "denied",
        };
        let DefaultRule { source, .. } = &settings.default;
        text += &format!("tool calls that no hook explicitly allows are {what}: {}\n", printable(source));
    }
    if !settings.self_protection {
        text += &format!(
            "{}\n",
            paint.yellow("self-protection is off: your config.toml says `self_protection = false`")
        );
    }
    if hooks.iter().any(|hook| hook.hook.scope == Scope::Project) {
        text += &format!("{}\n", paint.yellow("project hooks run without a trust question in this version"));
    }
    for problem in problems {
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
