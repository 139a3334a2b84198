//! `t.load`: which file a name in a test means, and loading it. Not here: reading hooks (`snaphook-discovery`).

use std::path::{Component, Path, PathBuf};

use snaphook::{Directories, Discovery, HookRef, Language, Scope};
use snaphook_discovery::{discover, language_of};

use crate::error::TestError;
use crate::harness::Setting;

/// The hooks that a test has loaded so far.
#[derive(Default)]
pub(crate) struct Loads {
    paths: Vec<(PathBuf, Option<Scope>)>,
}

impl Loads {
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Adds a hook; one that is there already is loaded again at its place.
    pub(crate) fn add(&mut self, path: PathBuf, scope: Option<Scope>) {
        match self.paths.iter_mut().find(|(other, _)| *other == path) {
            Some(known) => known.1 = scope.or(known.1),
            None => self.paths.push((path, scope)),
        }
    }

    /// Reads all of them.
    pub(crate) fn discover(&self, setting: &Setting) -> Discovery {
        let directories = directories(&setting.folder);
        let paths: Vec<_> = self.paths.iter().map(|(path, _)| path.clone()).collect();
        let mut discovery = discover(&directories, &paths);
        for candidate in &mut discovery.hooks {
            let hook = &candidate.hook;
            let wanted = self.paths.iter().find(|(path, _)| hook.file.starts_with(path));
            let scope = wanted.and_then(|(_, scope)| *scope).unwrap_or(hook.scope);
            candidate.hook = HookRef::new(hook.id.clone(), hook.name.clone(), scope, normal(&hook.file));
        }
        for problem in &mut discovery.problems {
            problem.file = normal(&problem.file);
        }
        discovery
    }
}

/// No folders but this one: tests see the hooks that they load, and no others.
pub(crate) fn directories(folder: &Path) -> Directories {
    Directories {
        managed: None,
        user_hooks: None,
        user_config: None,
        project_root: folder.to_owned(),
        project_hooks: folder.join(".no-hooks-but-those-of-the-test"),
        project_config: folder.join(".no-config"),
        state: None,
        home: None,
        cwd: folder.to_owned(),
        problems: Vec::new(),
        compat: Vec::new(),
    }
}

/// The scope of this name.
///
/// # Errors
/// There is none.
pub(crate) fn scope(name: &str) -> Result<Scope, TestError> {
    let all = [Scope::Managed, Scope::User, Scope::Project, Scope::Adhoc];
    let found = all.into_iter().find(|scope| scope.as_str() == name);
    found.ok_or_else(|| {
        TestError::Usage(format!(
            "t.load: there is no scope \"{name}\"; there are managed, user, project, adhoc"
        ))
    })
}

/// The file or folder that a name means, relative to the folder of the test.
///
/// # Errors
/// There is none, or it is outside.
pub(crate) fn find(setting: &Setting, name: &str) -> Result<PathBuf, TestError> {
    if name.trim().is_empty() || name.contains('\0') {
        return Err("t.load needs the path of a hook".into());
    }
    if Path::new(name).is_absolute() {
        return Err(format!("t.load(\"{name}\"): the path is relative to the test file").into());
    }
    let plain = normal(Path::new(name));
    let named = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let candidates = if language_of(named).is_some() { vec![plain] } else { endings(setting, &plain) };
    for candidate in &candidates {
        let whole = setting.folder.join(candidate);
        let Ok(resolved) = whole.canonicalize() else { continue };
        if !resolved.starts_with(&setting.root) {
            let root = setting.root.display();
            return Err(format!("t.load(\"{name}\") leads out of {root}, where the tests are").into());
        }
        return Ok(candidate.clone());
    }
    let looked: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
    Err(format!("there is no hook \"{name}\" (looked for {})", looked.join(", ")).into())
}

/// Returns what a name without an extension may stand for, in order.
fn endings(setting: &Setting, plain: &Path) -> Vec<PathBuf> {
    let order = match (setting.language, setting.only) {
        (language, true) => vec![language],
        (Language::Lua, false) => vec![Language::Lua, Language::Rhai],
        (Language::Rhai, false) => vec![Language::Rhai, Language::Lua],
        (Language::Executable | Language::Lifecycle | Language::McpServer, false) => Vec::new(),
    };
    let mut found = Vec::new();
    for extension in order.into_iter().flat_map(extensions) {
        let mut file = plain.as_os_str().to_owned();
        file.push(format!(".{extension}"));
        // `.` and `..` are folders, whatever is behind them.
        if matches!(plain.components().next_back(), Some(Component::Normal(_))) {
            found.push(PathBuf::from(file));
        }
    }
    found.push(if plain.as_os_str().is_empty() { PathBuf::from(".") } else { plain.to_owned() });
    found
}

fn extensions(language: Language) -> &'static [&'static str] {
    match language {
        Language::Lua => &["lua", "luau"],
        Language::Rhai => &["rhai"],
        Language::Executable | Language::Lifecycle | Language::McpServer => &[],
    }
}

/// Without `.` parts, so that the same file has one name.
pub(crate) fn normal(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
