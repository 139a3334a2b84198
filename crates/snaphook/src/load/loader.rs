//! Loading: what discovery found, scripts from memory and handlers written in Rust become one set. Nothing here fails:
//! a hook that does not load is a problem, and denies (laws 4 and 10).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook_core::{
    DefaultRule, Engine, Grants, Handler, HookRef, Limits, LoadRequest, LoadedHook, OnFailure, Problem,
    Script, Services,
};
use snaphook_discovery::front_matter::{self, FileKind};
use snaphook_discovery::{ContentHash, Discovery, Language};

use crate::dispatch::hold::Holding;
use crate::dispatch::poll_handler::guard;
use crate::grants::{Remark, ReservedPaths};
use crate::load::hook_set::{Failure, HookSet, HookSummary};
use crate::load::registration_cache::{RegistrationCache, Watched};

/// The parts that an embedder gave the builder; it outlives reloads.
#[derive(Default)]
pub(crate) struct Recipe {
    pub(crate) engines: BTreeMap<Language, Arc<dyn Engine>>,
    pub(crate) scripts: Vec<(Script, Language)>,
    pub(crate) handlers: Vec<Arc<dyn Handler>>,
    pub(crate) limits: Limits,
    pub(crate) default: Arc<DefaultRule>,
    pub(crate) holding: Holding,
    /// The project that the session's project is a copy of.
    pub(crate) copied_from: Option<PathBuf>,
    /// The places that no script may change.
    pub(crate) own: Arc<ReservedPaths>,
    /// The place where it is kept what hooks register.
    pub(crate) known: Option<RegistrationCache>,
}

/// Gives a script the services that its grants allow; what is to be said of them becomes a problem.
pub(crate) type ServicesOf<'a> = dyn Fn(&Grants, &mut Vec<Remark>) -> Arc<dyn Services> + 'a;

/// A hook on its way into the set.
struct Source {
    hook: HookRef,
    path: Option<PathBuf>,
    description: Option<String>,
    content_hash: Option<Arc<str>>,
    on_failure: OnFailure,
    code: Code,
}

enum Code {
    Script(Script, Language),
    Native(Vec<Arc<dyn Handler>>),
}

/// Loads everything. `announce` is told of each hook and its path before any of its code runs.
pub(crate) fn load(
    recipe: &Recipe,
    discovery: Discovery,
    services: &ServicesOf<'_>,
    announce: &dyn Fn(&HookRef, Option<&PathBuf>),
) -> HookSet {
    let mut loaded = HookSet::default();
    for problem in discovery.problems {
        // One that may not run is named like one that does not load.
        let mut withheld = discovery.project.iter().map(|hook| &hook.candidate.hook);
        let hook = withheld.find(|hook| problem.cause.is_some() && hook.file == problem.file).cloned();
        note(&mut loaded, problem, hook.as_ref());
    }
    let mut sources = discovered(discovery.hooks);
    sources.extend(recipe.scripts.iter().map(|(script, language)| Source {
        hook: script.hook.clone(),
        path: None,
        description: None,
        content_hash: Some(memory_hash(script)),
        on_failure: said_in(script, *language),
        code: Code::Script(script.clone(), *language),
    }));
    sources.extend(native(&recipe.handlers));
    // Stable: within a scope, discovery's order first, then the builder's.
    sources.sort_by_key(|source| source.hook.scope);
    if let Some(known) = &recipe.known {
        known.open(sources.iter().filter_map(|source| source.path.as_deref()));
    }
    for source in sources {
        announce(&source.hook, source.path.as_ref());
        if loaded.hooks.iter().any(|other| other.hook.id == source.hook.id) {
            let message = format!("another hook has the id \"{}\" too", source.hook.id);
            note(&mut loaded, Problem::warning(&source.hook.file, message), Some(&source.hook));
        }
        add(&mut loaded, recipe, services, source);
    }
    if let Some(known) = &recipe.known {
        known.save();
    }
    loaded
}

fn discovered(candidates: Vec<snaphook_discovery::Candidate>) -> Vec<Source> {
    let one = |candidate: snaphook_discovery::Candidate| Source {
        content_hash: Some(candidate.content_hash().to_string().into()),
        path: Some(candidate.path.clone()),
        on_failure: candidate.front_matter.on_failure,
        description: candidate.front_matter.description,
        code: Code::Script(
            Script {
                hook: candidate.hook.clone(),
                source: candidate.source,
                modules: Arc::new(candidate.modules.unwrap_or_default()),
                grants: Arc::new(candidate.front_matter.grants),
                path: Some(candidate.path),
                executable: candidate.executable,
            },
            candidate.language,
        ),
        hook: candidate.hook,
    };
    candidates.into_iter().map(one).collect()
}

/// The hash of a script from memory: as of a hook with these files, the script by its file name.
fn memory_hash(script: &Script) -> Arc<str> {
    let bytes = |text: &Arc<str>| Arc::<[u8]>::from(text.as_bytes());
    let name =
        script.hook.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files: BTreeMap<String, Arc<[u8]>> =
        script.modules.iter().map(|(path, text)| (path.clone(), bytes(text))).collect();
    files.insert(name, bytes(&script.source));
    ContentHash::of(&files).to_string().into()
}

/// Returns what the front matter of a script from memory says of results. One that cannot be read may say anything.
fn said_in(script: &Script, language: Language) -> OnFailure {
    let kind = match language {
        Language::Lua => FileKind::Lua,
        Language::Rhai => FileKind::Rhai,
        Language::Executable | Language::Lifecycle | Language::McpServer => FileKind::Executable,
    };
    match front_matter::parse(&script.source, kind) {
        Ok(matter) => matter.map(|matter| matter.on_failure).unwrap_or_default(),
        Err(_) => OnFailure::Withhold,
    }
}

/// Returns whether a handler written in Rust withholds. One that panics over it does.
fn withholds(handler: &Arc<dyn Handler>) -> bool {
    guard(|| handler.on_failure() == OnFailure::Withhold).unwrap_or(true)
}

/// Handlers written in Rust, by hook in the order of each hook's first handler.
fn native(handlers: &[Arc<dyn Handler>]) -> Vec<Source> {
    let mut groups: Vec<(HookRef, Vec<Arc<dyn Handler>>)> = Vec::new();
    for handler in handlers {
        let hook = &handler.info().hook;
        match groups.iter_mut().find(|(other, _)| other == hook) {
            Some((_, group)) => group.push(Arc::clone(handler)),
            None => groups.push((hook.clone(), vec![Arc::clone(handler)])),
        }
    }
    let one = |(hook, group): (_, Vec<Arc<dyn Handler>>)| Source {
        hook,
        path: None,
        description: None,
        content_hash: None,
        on_failure: if group.iter().any(withholds) { OnFailure::Withhold } else { OnFailure::Keep },
        code: Code::Native(group),
    };
    groups.into_iter().map(one).collect()
}

fn add(loaded: &mut HookSet, recipe: &Recipe, services: &ServicesOf<'_>, source: Source) {
    let Source { hook, path, description, content_hash, on_failure, code } = source;
    let (language, grants, result) = match code {
        Code::Script(script, language) => {
            let mut remarks = Vec::new();
            let content = content_hash.as_deref().unwrap_or_default();
            let result = run_engine(recipe, services, &script, (language, content), &mut remarks);
            for (severity, text) in remarks {
                note(loaded, Problem { severity, ..Problem::note(&hook.file, text) }, Some(&hook));
            }
            (Some(language), script.grants, result)
        }
        Code::Native(handlers) => {
            let loaded = LoadedHook { handlers, problems: Vec::new(), memory: 0, coverage: None };
            (None, Arc::default(), Ok(loaded))
        }
    };
    let mut summary = HookSummary {
        hook: hook.clone(),
        description,
        path,
        content_hash,
        language,
        grants,
        on_failure,
        handlers: Vec::new(),
        memory: 0,
        coverage: None,
        limits: recipe.limits.clone(),
        loaded: result.is_ok(),
    };
    match result {
        Ok(LoadedHook { handlers, problems, memory, coverage }) => {
            summary.coverage = coverage;
            summary.memory = memory;
            summary.handlers = handlers.iter().map(|handler| handler.info().clone()).collect();
            let checks = |handler: &Arc<dyn Handler>| handler.info().event.can_be_withheld();
            if on_failure == OnFailure::Withhold && !handlers.iter().any(checks) {
                let text = "`on_failure: withhold` has no effect: the hook handles neither `tool_result` nor `mcp.server_message`";
                note(loaded, Problem::warning(&hook.file, text), Some(&hook));
            }
            for problem in problems {
                note(loaded, problem.with_on_failure(on_failure), Some(&hook));
            }
            for handler in handlers {
                loaded.add(handler);
            }
        }
        Err(problem) => note(loaded, problem.with_on_failure(on_failure), Some(&hook)),
    }
    if on_failure == OnFailure::Withhold {
        loaded.withholding.push(hook);
    }
    loaded.hooks.push(summary);
}

fn run_engine(
    recipe: &Recipe,
    services: &ServicesOf<'_>,
    script: &Script,
    (language, content): (Language, &str),
    remarks: &mut Vec<Remark>,
) -> Result<LoadedHook, Problem> {
    let Some(engine) = recipe.engines.get(&language) else {
        let message = format!("this program runs no {language} hooks");
        let help = "remove the hook, or use a program that was built with that language";
        return Err(Problem::error(&script.hook.file, message).with_help(help));
    };
    let services = services(&script.grants, remarks);
    let load = || match recipe.known.as_ref().filter(|_| !content.is_empty() && script.executable.is_none()) {
        None => engine.load(LoadRequest::new(script, &services, &recipe.limits)),
        Some(known) => {
            let place = known.entry_for(&script.hook, language, content);
            if let Some(handlers) = place.handlers() {
                let request = LoadRequest::new(script, &services, &recipe.limits);
                return engine.load_known(request, &handlers);
            }
            let watched = Watched::new(Arc::clone(&services));
            let services: Arc<dyn Services> = watched.clone();
            let loaded = engine.load(LoadRequest::new(script, &services, &recipe.limits))?;
            if !watched.has_asked() && loaded.problems.is_empty() {
                place.learn(&loaded);
            }
            Ok(loaded)
        }
    };
    match guard(load) {
        Ok(result) => result,
        Err(error) => {
            Err(Problem::error(&script.hook.file, format!("the {language} engine {}", error.message)))
        }
    }
}

fn note(loaded: &mut HookSet, problem: Problem, hook: Option<&HookRef>) {
    loaded.failures.extend(Failure::of(&problem, hook));
    loaded.lost_checks.extend(Failure::of_check(&problem));
    loaded.problems.push(problem);
}
