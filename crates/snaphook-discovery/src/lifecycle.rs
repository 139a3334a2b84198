//! Lifecycle files of the project: where they are, their bytes, and whether they are trusted. They are looked for only where an
//! event of theirs happens, so a tool call does not wait for them. Not here: their content (`snaphook-command`).
//!
//! They gate nothing: one that is not trusted does not run, and says so, but denies no tool call.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use snaphook_core::{HookRef, Problem, Product, Scope};

use crate::candidate::{Candidate, Language};
use crate::dirs::Directories;
use crate::file_bytes::{MAX_SOURCE_BYTES, read_up_to};
use crate::front_matter::FrontMatter;
use crate::trust::{Judge, ProjectHook, Trust, TrustState, tell_apart};

/// A lifecycle file that was read.
#[derive(Debug, Clone)]
pub struct LifecycleFile {
    /// The file as a hook of the project: it runs only if it is trusted.
    pub hook: ProjectHook,
    /// The product whose file it is.
    pub product: Product,
}

impl LifecycleFile {
    /// Returns what was read, which is what is trusted and what runs.
    pub fn bytes(&self) -> &[u8] {
        self.hook.candidate.raw.values().next().map_or(&[], |bytes| bytes)
    }

    /// Returns why nothing of it runs, if so.
    pub fn problem(&self) -> Option<Problem> {
        let ProjectHook { candidate, name, .. } = &self.hook;
        if self.hook.state != TrustState::Undecided {
            return None;
        }
        let (why, what) = match self.hook.changed_from {
            Some(_) => ("changed since it was decided on", "see what changed"),
            None => ("is not trusted", "read it"),
        };
        let message = format!("this lifecycle file {why}, so none of its commands runs");
        let help = format!("{what} and decide: `snaphook trust {name}`");
        Some(Problem::warning(&candidate.hook.file, message).with_help(help))
    }
}

/// The files that were found.
#[derive(Debug, Clone, Default)]
pub struct LifecycleFiles {
    /// Ours first.
    pub files: Vec<LifecycleFile>,
    /// The problems with those that cannot be read.
    pub unread: Vec<Problem>,
    /// The problems with decisions.
    pub problems: Vec<Problem>,
}

/// Reads the project's lifecycle files: `.snaphook/lifecycle.yml`, and `.iteratr.hooks.yml` where hooks of iteratr are loaded.
pub fn lifecycle_files(directories: &Directories, trust: &Trust) -> LifecycleFiles {
    let mut places = vec![(Product::Snaphook, "lifecycle", ".snaphook/lifecycle.yml")];
    if directories.compat.contains(&Product::Iteratr) {
        places.push((Product::Iteratr, "iteratr", ".iteratr.hooks.yml"));
    }
    let mut found = LifecycleFiles::default();
    let mut judge = Judge::new(directories, trust);
    for (product, id, place) in places {
        let path = directories.project_root.join(place);
        let shown = directories.display_path(&path, Scope::Project);
        match std::fs::symlink_metadata(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            _ => {}
        }
        if let Some(problem) = leaves(directories, &path, &shown) {
            found.unread.push(problem);
            continue;
        }
        // One that is too long is for its reader to refuse, which takes a byte more.
        let bytes = match read_up_to(&path, MAX_SOURCE_BYTES + 1) {
            Ok(bytes) => bytes,
            Err(diagnostic) => {
                let problem = diagnostic.into_error(&shown);
                found.unread.push(Problem { severity: snaphook_core::Severity::Warning, ..problem });
                continue;
            }
        };
        let candidate = Candidate {
            hook: HookRef::new(id, id, Scope::Project, &shown),
            path,
            language: Language::Lifecycle,
            source: String::from_utf8_lossy(&bytes).into(),
            modules: None,
            raw: BTreeMap::from([(place.to_owned(), Arc::from(bytes))]),
            front_matter: FrontMatter::default(),
            executable: None,
        };
        let mut hook = judge.judge(candidate, place, false);
        id.clone_into(&mut hook.name);
        found.files.push(LifecycleFile { hook, product });
    }
    found.problems.extend(judge.store_problem());
    found
}

/// The project's hooks with its lifecycle files among them, each under a name of its own.
pub fn with_lifecycle_files(mut hooks: Vec<ProjectHook>, files: &LifecycleFiles) -> Vec<ProjectHook> {
    hooks.extend(files.files.iter().map(|file| file.hook.clone()));
    tell_apart(&mut hooks);
    hooks
}

/// As with a hook: what leads elsewhere is content that a clone does not have.
pub(crate) fn leaves(directories: &Directories, path: &Path, shown: &Path) -> Option<Problem> {
    let root = std::fs::canonicalize(&directories.project_root).ok();
    let real = std::fs::canonicalize(path).ok();
    let inside = real.zip(root).is_some_and(|(real, root)| real.starts_with(root));
    (!inside).then(|| {
        Problem::warning(shown, "is a link that leads nowhere, or out of the project, so nothing of it runs")
            .with_help("copy what it leads to into the project")
    })
}
