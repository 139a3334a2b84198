//! The denial where no hook is in force, for an agent, the MCP gate and `check`: a missing gate must not allow everything.
//! One rule for all three: a gated call passes only where there is a hook, of whichever scope, or the project has a lifecycle file that
//! is trusted. Not here: hooks that are there and do not load, or that are undecided; they deny by themselves.

use std::io::ErrorKind;
use std::path::Path;

use snaphook::{Cause, Discovery, Problem, Scope, Severity};
use snaphook_discovery::{Directories, Trust, TrustState, lifecycle_files};

/// The most reasons that are given for one folder.
const MAX_REASONS: usize = 3;

const REMEDY: &str = "put your hooks back, add one with `snaphook add` or `snaphook new`, or take snaphook out of the agent with `snaphook uninstall AGENT`";

/// Adds the problem that denies gated events where no hook is in force.
pub fn require(hooks: &mut Discovery, directories: &Directories, trust: &Trust) {
    let missing = missing(hooks, directories, trust);
    hooks.problems.extend(missing);
}

/// The problem that denies gated events where no hook is in force; `None` where there is one, or another problem denies.
pub fn missing(hooks: &Discovery, directories: &Directories, trust: &Trust) -> Option<Problem> {
    let denied = hooks.problems.iter().any(|problem| problem.severity == Severity::Error);
    if denied || !hooks.hooks.is_empty() || has_lifecycle(directories, trust) {
        return None;
    }
    let managed = directories.managed.as_deref().filter(|folder| folder.is_dir());
    let looked = [
        (Scope::User, directories.user_hooks.as_deref()),
        (Scope::Project, Some(directories.project_hooks.as_path())),
        (Scope::Managed, managed),
    ];
    let mut looked = looked.into_iter().filter_map(|(scope, folder)| {
        let folder = folder?;
        let shown = directories.display_path(folder, scope);
        let why = why((scope, folder), &shown, hooks);
        Some((shown, why))
    });
    let (first, mut text) = looked.next()?;
    for (folder, why) in looked {
        text += &format!(", {} {why}", folder.display());
    }
    text += "; so no hook is in force, and a missing gate must not allow everything";
    Some(Problem::error(first, text).with_help(REMEDY).with_cause(Cause::Load))
}

/// Returns whether a lifecycle file is trusted: then there is something that snaphook is asked for.
fn has_lifecycle(directories: &Directories, trust: &Trust) -> bool {
    lifecycle_files(directories, trust).files.iter().any(|file| file.hook.state == TrustState::Trusted)
}

/// Returns why a folder has no hook in force.
fn why((scope, folder): (Scope, &Path), shown: &Path, hooks: &Discovery) -> String {
    let mut entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return "does not exist".to_owned(),
        Err(error) => return format!("cannot be read ({})", error.kind()),
    };
    let name = |path: &Path| path.strip_prefix(shown).unwrap_or(path).display().to_string();
    let ignored =
        hooks.project.iter().filter(|hook| scope == Scope::Project && hook.state == TrustState::Ignored);
    let ignored = ignored.map(|hook| format!("you ignored {}", hook.candidate.hook.name));
    let others =
        hooks.problems.iter().filter(|problem| problem.file.starts_with(shown) && problem.file != shown);
    let others = others.map(|problem| format!("{} {}", name(&problem.file), problem.message));
    let all: Vec<String> = ignored.chain(others).collect();
    match (all.len(), entries.next()) {
        (0, None) => "is empty".to_owned(),
        (0, Some(_)) => "has no hook in it".to_owned(),
        (count, _) => {
            let more = if count > MAX_REASONS {
                format!("; and {} more", count - MAX_REASONS)
            } else {
                String::new()
            };
            format!("has no hook in it ({}{more})", all[..count.min(MAX_REASONS)].join("; "))
        }
    }
}
