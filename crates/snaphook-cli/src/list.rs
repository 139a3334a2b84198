//! `snaphook list`: the hooks in the order in which they run, and every problem.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook::{
    Candidate, DefaultRule, DefaultVerdict, EventName, HandlerInfo, HoldTools, HookRef, HookSummary, Host,
    Language, Limits, Problem, Scope, Severity,
};
use snaphook_adapters::{Effect, table};
use snaphook_discovery::{
    ChangedTools, ContentHash, Directories, ProjectHook, Settings, Trust, TrustState, Unseen,
    lifecycle_files, printable, with_lifecycle_files,
};
use snaphook_guard::SELF_PROTECTION;
use snaphook_session::hosting::{self, HostPlan, Records};
use snaphook_testing::{Engines, Options, self_check};
use tokio::runtime::Handle;

use crate::args::ListArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::lifecycle::LifecycleState;
use crate::print::{self, Paint};
use crate::{lifecycle, render, wiring};

/// Runs the command.
pub(crate) fn list(env: &Env, args: &ListArgs, runtime: &Handle) -> Result<Exit, Failure> {
    let directories = args.project.directories(env)?;
    let engines = wiring::engines(false)?;
    let mut discovery = wiring::hooks_of(env, &directories, &args.hooks, &Trust::default());
    let settings = wiring::settings(&directories, &mut discovery);
    let has_examples = |hook: &&Candidate| !hook.front_matter.examples.is_empty();
    let with_examples: Vec<_> = discovery.hooks.iter().filter(has_examples).cloned().collect();
    let hashes: Hashes =
        discovery.hooks.iter().map(|hook| (hook.hook.clone(), hook.content_hash())).collect();
    let lifecycles = lifecycle_files(&directories, &Trust::default());
    let project = with_lifecycle_files(discovery.project.clone(), &lifecycles);
    let session = hosting::new_session(&directories, "list");
    let plan = HostPlan {
        env,
        directories: &directories,
        hooks: discovery,
        settings: &settings,
        session,
        default: None,
        records: Records::Store,
        hold: HoldTools::Off,
    };
    let host = plan.builder(&engines).build();
    let mut problems = host.problems();
    let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    problems.extend(try_examples(&host, with_examples, engines, runtime));
    problems.extend(crate::mcp::pins::problems(&directories));
    problems.extend(snaphook_session::lifecycle_files::problems(&lifecycles));
    let known = lifecycle::LifecycleEntry::all(&lifecycles);
    let broken = broken || known.iter().any(|file| file.state == LifecycleState::Broken);
    let hooks = host.hooks();
    let unhonoured = args.agent.as_deref().map(|agent| unhonoured(&hooks, agent)).transpose()?;
    if args.json {
        let entries = entries(&hooks, &project);
        let mut document = document(&entries, &hashes, &problems, &settings, &directories);
        document["lifecycle"] = known.iter().map(lifecycle::LifecycleEntry::document).collect();
        if let Some(unhonoured) = unhonoured {
            document["unhonoured"] = unhonoured.iter().map(Unhonoured::document).collect();
        }
        print::json(&document);
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        print::stdout(&text(&entries(&hooks, &project), &problems, &settings, &directories, paint));
        for line in unhonoured.iter().flatten() {
            print::stdout(&format!("{}\n", line.text(paint)));
        }
    }
    Ok(if broken { Exit::Denied } else { Exit::Fine })
}

/// The effects that an agent lacks for a handler.
struct Unhonoured {
    handler: HandlerInfo,
    title: &'static str,
    /// `None`: it never calls it.
    effects: Option<Vec<Effect>>,
}

impl Unhonoured {
    fn names(&self) -> Vec<String> {
        self.effects.iter().flatten().map(|effect| effect.as_str().replace('_', " ")).collect()
    }

    fn text(&self, paint: Paint) -> String {
        let (event, place) = (self.handler.event.as_str(), self.handler.location());
        let what = match &self.effects {
            None => format!("{} never tells of {event}", self.title),
            Some(_) => format!("{} does not honour for {event}: {}", self.title, self.names().join(", ")),
        };
        format!("{} {place}: {what}", paint.yellow("note:"))
    }

    fn document(&self) -> Value {
        json!({
            "hook": self.handler.hook.id,
            "event": self.handler.event.as_str(),
            "line": self.handler.line,
            "called": self.effects.is_some(),
            "effects": self.effects.iter().flatten().map(|effect| effect.as_str()).collect::<Vec<_>>(),
        })
    }
}

fn unhonoured(hooks: &[HookSummary], id: &str) -> Result<Vec<Unhonoured>, Failure> {
    let agent = crate::install::agent_named(id)?;
    let one = |handler: &HandlerInfo| {
        let EventName::Lifecycle(event) = handler.event else { return None };
        let effects = table::missing(agent, event);
        let honoured = effects.as_ref().is_some_and(Vec::is_empty);
        (!honoured).then(|| Unhonoured { handler: handler.clone(), title: agent.title(), effects })
    };
    Ok(hooks.iter().flat_map(|hook| &hook.handlers).filter_map(one).collect())
}

/// The time that all examples together may take.
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

/// The content of each hook that came from a file.
type Hashes = Vec<(HookRef, ContentHash)>;

/// A hook, in force or withheld.
enum Entry<'a> {
    Host(&'a HookSummary, Option<&'a ProjectHook>),
    Withheld(&'a ProjectHook),
}

/// All hooks in the order in which they run, or would run.
fn entries<'a>(hooks: &'a [HookSummary], project: &'a [ProjectHook]) -> Vec<Entry<'a>> {
    let known = |summary: &HookSummary| project.iter().find(|hook| hook.candidate.hook == summary.hook);
    let host = |summary: &'a HookSummary| Entry::Host(summary, known(summary));
    let (before, rest): (Vec<_>, Vec<_>) =
        hooks.iter().partition(|summary| summary.hook.scope < Scope::Project);
    let mut all: Vec<_> = before.into_iter().map(host).collect();
    for hook in project {
        match rest.iter().find(|summary| summary.hook == hook.candidate.hook) {
            Some(summary) => all.push(Entry::Host(summary, Some(hook))),
            None => all.push(Entry::Withheld(hook)),
        }
    }
    all.extend(rest.into_iter().filter(|summary| known(summary).is_none()).map(host));
    all
}

fn entry(entry: &Entry<'_>, hashes: &Hashes) -> Value {
    let (mut document, trust, hash) = match entry {
        Entry::Host(summary, known) => {
            let hash = hashes.iter().find(|(hook, _)| *hook == summary.hook).map(|(_, hash)| *hash);
            (hook(summary), known.map(|known| known.state), hash)
        }
        Entry::Withheld(known) => (withheld(known), Some(known.state), Some(known.hash)),
    };
    document["trust"] = json!(trust);
    document["content_hash"] = json!(hash);
    document
}

/// Nothing of it ran, so only what it says about itself is known.
fn withheld(hook: &ProjectHook) -> Value {
    let candidate = &hook.candidate;
    json!({
        "id": candidate.hook.id,
        "name": candidate.hook.name,
        "description": candidate.front_matter.description,
        "scope": candidate.hook.scope,
        "language": candidate.language.as_str().to_lowercase(),
        "file": candidate.hook.file.display().to_string(),
        "path": candidate.path.display().to_string(),
        "loaded": candidate.language == Language::Lifecycle && LifecycleState::of(hook) == LifecycleState::Loaded,
        "commands": lifecycle::document(candidate),
        "grants": render::grants(&candidate.front_matter.grants),
        "handlers": [],
        "memory_bytes": 0,
        "limits": null,
    })
}

fn document(
    entries: &[Entry<'_>],
    hashes: &Hashes,
    problems: &[Problem],
    settings: &Settings,
    directories: &Directories,
) -> Value {
    json!({
        "hooks": entries.iter().map(|one| entry(one, hashes)).collect::<Vec<_>>(),
        "problems": problems,
        "settings": {
            "default": settings.default.verdict,
            "default_source": Some(&settings.default.source).filter(|source| !source.is_empty()),
            "self_protection": settings.self_protection,
            "audit": settings.audit,
            "mcp": settings.mcp,
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
        "description": description(hook),
        "scope": hook.hook.scope,
        "language": hook.language.map(|language| language.as_str().to_lowercase()),
        "file": hook.hook.file.display().to_string(),
        "path": hook.path.as_ref().map(|path| path.display().to_string()),
        "loaded": hook.loaded,
        "grants": render::grants(&hook.grants),
        "handlers": hook.handlers.iter().map(handler).collect::<Vec<_>>(),
        "memory_bytes": hook.memory,
        "limits": limits(&hook.limits),
    })
}

fn description(hook: &HookSummary) -> Option<&str> {
    let built_in = || {
        is_built_in(hook).then_some(
            "Asks before an agent changes hooks, settings or what is trusted; keeps snaphook itself from being ended or replaced",
        )
    };
    hook.description.as_deref().or_else(built_in)
}

fn is_built_in(hook: &HookSummary) -> bool {
    hook.language.is_none() && hook.hook.scope == Scope::Managed && hook.hook.id == SELF_PROTECTION
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

/// The number of hooks of the project that do not run and are shown, and how many problems: a project may have any number of
/// them.
const MAX_WITHHELD: usize = 50;
const MAX_PROBLEMS: usize = 100;

fn text(
    entries: &[Entry<'_>],
    problems: &[Problem],
    settings: &Settings,
    directories: &Directories,
    paint: Paint,
) -> String {
    let mut text = String::new();
    let mut withheld = 0;
    for entry in entries {
        let (summary, trust) = match entry {
            Entry::Host(summary, known) => (summary, known.map(|known| known.state)),
            Entry::Withheld(known) => {
                withheld += 1;
                if withheld <= MAX_WITHHELD {
                    text += &withheld_text(known, paint);
                }
                continue;
            }
        };
        let hook = &summary.hook;
        let trust = trust.map(|trust| format!(" {}", paint.dim(trust.as_str()))).unwrap_or_default();
        let state = if summary.loaded { trust } else { trust + paint.red(" does not load").as_str() };
        let scope = paint.dim(hook.scope.as_str());
        text += &format!(
            "{} {scope} {}{state}\n",
            paint.bold(&hook.id),
            printable(&hook.file.display().to_string())
        );
        if let Some(description) = description(summary) {
            text += &format!("    {}\n", printable(description));
        }
        text += &render::grant_lines(&summary.grants);
        if summary.language == Some(Language::Executable) {
            text += &format!("    {}\n", paint.dim("an executable: it can do whatever you can"));
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
    if withheld > MAX_WITHHELD {
        let more = withheld - MAX_WITHHELD;
        text += &format!("{more} more hooks of the project do not run; --json names them\n");
    }
    let host = |entry: &Entry<'_>| match entry {
        Entry::Host(summary, _) if !is_built_in(summary) => Some(summary.limits.clone()),
        Entry::Host(..) | Entry::Withheld(_) => None,
    };
    match entries.iter().find_map(host) {
        None if withheld == 0 => text += &nothing(directories),
        None => {}
        Some(limits) => {
            let Limits { handler_cpu, event_cpu, wait, memory, .. } = &limits;
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
    if settings.mcp.changed_tools == ChangedTools::Deny {
        text += "calls to MCP tools whose definition changed are denied: `mcp.changed_tools = \"deny\"`\n";
    }
    if settings.mcp.unseen == Unseen::Withhold {
        text += "what MCP servers say and no hook looks at is withheld: `mcp.unseen = \"withhold\"`\n";
    }
    for problem in problems.iter().take(MAX_PROBLEMS) {
        text += &render::problem_text(paint, problem, directories);
    }
    if problems.len() > MAX_PROBLEMS {
        text += &format!("{} more problems; --json names them\n", problems.len() - MAX_PROBLEMS);
    }
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        text += &format!("{}\n", paint.red("every gated call is denied until these errors are fixed"));
    }
    text
}

/// One line about a hook that does not run: the events that it answers are known only when it does.
fn withheld_text(hook: &ProjectHook, paint: Paint) -> String {
    let candidate = &hook.candidate;
    let state = match hook.state {
        TrustState::Ignored => paint.dim("ignored"),
        TrustState::Undecided | TrustState::Trusted => paint.yellow(hook.state.as_str()),
    };
    let file = printable(&candidate.hook.file.display().to_string());
    let scope = paint.dim(candidate.hook.scope.as_str());
    let broken =
        candidate.language == Language::Lifecycle && LifecycleState::of(hook) == LifecycleState::Broken;
    let broken = if broken { format!(" {}", paint.red("broken")) } else { String::new() };
    let mut text = format!("{} {scope} {file} {state}{broken}\n", paint.bold(&candidate.hook.id));
    if let Some(description) = &candidate.front_matter.description {
        text += &format!("    {}\n", printable(description));
    }
    text += &render::grant_lines(&candidate.front_matter.grants);
    if candidate.language == Language::Lifecycle {
        text += &format!("    {}\n", paint.dim("shell commands: they can do whatever you can"));
        text += &lifecycle::lines(candidate);
    }
    if let Some(executable) = &candidate.executable {
        text += &format!("    {}\n", paint.dim("an executable: it can do whatever you can"));
        text += &render::executable_lines(executable);
    }
    text
}

fn nothing(directories: &Directories) -> String {
    let shown = |path: Option<&std::path::Path>| {
        path.map(|path| format!("  {}\n", path.display())).unwrap_or_default()
    };
    format!(
        "no hooks of yours. They are looked for in\n{}{}{}",
        shown(directories.managed.as_deref()),
        shown(directories.user_hooks.as_deref()),
        shown(Some(&directories.project_hooks)),
    )
}
