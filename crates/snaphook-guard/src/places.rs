//! What self-protection guards, and whether a path is part of it. Not here: which paths a call writes (`shell`, `lib`).

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use snaphook_discovery::Directories;
use snaphook_script::path::fold;
use snaphook_state::layout;

use crate::git;
use crate::guarded_files::{
    AGENT_FOLDERS, PROJECT_FOLDERS, PROJECT_HOOKS, PROMPTS, REGISTERS, STARTS, STARTUP, SYSTEM,
};
use crate::names::Names;
use crate::paths::{Ways, folded, lexical};

/// The paths that [`SelfProtection`](crate::SelfProtection) guards.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub(crate) home: Option<PathBuf>,
    /// The folders in which agents have their settings.
    pub(crate) bases: Vec<PathBuf>,
    /// Guarded with all that is below.
    pub(crate) guarded: Vec<Guarded>,
    /// Not guarded although it is below one that is.
    pub(crate) open: Vec<PathBuf>,
    /// Snaphook's program: every path that leads to it, and its names.
    pub(crate) programs: Vec<(PathBuf, Vec<String>)>,
    /// The place where shells look programs up.
    pub(crate) program_folders: Vec<PathBuf>,
    /// True if snaphook's hooks run before each commit of the project.
    pub(crate) checks_commits: bool,
    pub(crate) config: Option<PathBuf>,
    pub(crate) state: Option<PathBuf>,
}

/// A guarded path.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    pub(crate) path: PathBuf,
    pub(crate) names: Vec<String>,
    pub(crate) what: &'static str,
}

/// The ways in which a path may be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Touch {
    /// It is written, or made.
    Write,
    /// Something unknown is done to it, or to what is in it.
    Into,
    /// Nobody sees what is put below it.
    Below,
    /// It is replaced or taken away, with all that is below.
    Tree,
    /// A change of who may do what with it, perhaps with all that is below.
    Mode,
}

/// The reason why a path must not be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// A person may say yes.
    Ask(&'static str),
    /// Snaphook's own program.
    Program,
}

impl Places {
    /// The folder that a variable stands for, most likely.
    pub(crate) fn variable(&self, name: &str) -> Option<PathBuf> {
        let home = self.home.as_deref();
        let under = |path: &str| home.map(|home| home.join(path));
        match name {
            "HOME" | "USERPROFILE" => home.map(Path::to_owned),
            "XDG_CONFIG_HOME" => under(".config"),
            "XDG_STATE_HOME" => under(".local/state"),
            "CLAUDE_CONFIG_DIR" => under(".claude"),
            "CODEX_HOME" => under(".codex"),
            "PI_CODING_AGENT_DIR" => under(".pi/agent"),
            "KIMI_CODE_HOME" => under(".kimi-code"),
            "VIBE_HOME" => under(".vibe"),
            "SNAPHOOK_CONFIG_DIR" => self.config.clone(),
            "SNAPHOOK_STATE_DIR" => self.state.clone(),
            _ => None,
        }
    }

    /// The places of these folders. `programs` are paths of snaphook's own program, `program_folders` those in which
    /// shells look programs up.
    pub fn of(
        directories: &Directories,
        programs: impl IntoIterator<Item = PathBuf>,
        program_folders: impl IntoIterator<Item = PathBuf>,
    ) -> Self {
        let mut places = Places {
            home: directories.home.clone(),
            config: directories.user_config.as_deref().and_then(Path::parent).map(Path::to_owned),
            state: directories.state.clone(),
            program_folders: program_folders.into_iter().filter(|folder| folder.is_absolute()).collect(),
            ..Places::default()
        };
        let ways = Ways::default();
        if let Some(managed) = &directories.managed {
            places.guard(&ways, managed, "the managed hooks");
        }
        if cfg!(unix) {
            places.guard(&ways, Path::new("/etc/snaphook"), "the managed hooks");
        }
        for (path, what) in [
            (&directories.user_hooks, "the user's hooks"),
            (&directories.user_config, "snaphook's settings"),
            (&directories.state, "snaphook's state (trust, audit, store)"),
        ] {
            if let Some(path) = path {
                places.guard(&ways, path, what);
            }
        }
        // Of other products, whether their hooks are loaded or not: a setting decides that, and can change.
        if let Some(home) = &directories.home {
            places.guard(&ways, &home.join(".config/marvin/hooks"), "the user's hooks of marvin");
            places.guard(&ways, &home.join(".discobot"), "Discobot's state");
        }
        // Tools of a recorded session act there, and it is thrown away.
        if let Some(state) = &directories.state {
            let scratch = layout::scratch(state);
            places.open = vec![ways.physical(&scratch, &scratch), scratch];
        }
        if let Some(checked) = git::checked(&directories.project_root) {
            places.checks_commits = true;
            for script in checked.scripts {
                places.guard(&ways, &script, "the script that runs snaphook's hooks before each commit");
            }
            for settings in checked.settings {
                places.guard(
                    &ways,
                    &settings,
                    "the repository's settings, which say where git looks for hooks",
                );
            }
        }
        for (path, what) in SYSTEM {
            places.add(lexical(Path::new(path)), what);
        }
        for base in [directories.home.as_ref(), Some(&directories.project_root)].into_iter().flatten() {
            places.base(&ways, base);
        }
        for program in programs {
            let real = ways.physical(&program, &program);
            for path in [program, real] {
                let names = folded(&path);
                if !places.programs.iter().any(|(_, known)| *known == names) {
                    places.programs.push((path, names));
                }
            }
        }
        places
    }

    /// The folder of a person or a project, in which agents have their settings. Their paths themselves are known by their
    /// names wherever they stand; settings that are a link into a folder of dot files are guarded there, too. What is not there
    /// leads nowhere, and is not looked at: this runs in each process.
    fn base(&mut self, ways: &Ways, base: &Path) {
        self.add(lexical(&base.join(".snaphook/config.toml")), "snaphook's settings of the project");
        let names = Names::of(base);
        let mut looked_at: Vec<(&str, bool)> = Vec::new();
        let at_home = self.home.as_deref() == Some(base);
        let startup = STARTUP.iter().filter(|_| at_home).map(|parts| (parts, &STARTS));
        for (parts, what) in REGISTERS.iter().map(|(parts, what)| (parts, what)).chain(startup) {
            let first = parts.first().copied().unwrap_or_default();
            let there = match looked_at.iter().find(|(name, _)| *name == first) {
                Some((_, there)) => *there,
                None => {
                    let there = names.may_have(first) && exists(&base.join(first));
                    looked_at.push((first, there));
                    there
                }
            };
            if there {
                let path = joined(base, parts);
                let real = ways.physical(&path, &path);
                let plain =
                    real.strip_prefix(base).is_ok_and(|inside| inside.iter().eq(parts.iter().copied()));
                if !plain {
                    self.add(real, what);
                }
            }
        }
        self.bases.push(base.to_owned());
    }

    /// All that is guarded where it stands now, by its path and its names: what was looked for, and agents' settings and what
    /// starts below each base.
    pub(crate) fn names(&self) -> impl Iterator<Item = (Cow<'_, Path>, Cow<'_, [String]>, &'static str)> {
        let found = self
            .guarded
            .iter()
            .map(|guarded| (Cow::Borrowed(&*guarded.path), Cow::Borrowed(&guarded.names[..]), guarded.what));
        let below = self.bases.iter().flat_map(|base| {
            let at_home = self.home.as_ref() == Some(base);
            let startup = STARTUP.iter().filter(move |_| at_home).map(|parts| (*parts, STARTS));
            REGISTERS.iter().copied().chain(startup).map(move |(parts, what)| {
                let path = joined(base, parts);
                let names = folded(&path);
                (Cow::Owned(path), Cow::Owned(names), what)
            })
        });
        found.chain(below)
    }

    fn guard(&mut self, ways: &Ways, path: &Path, what: &'static str) {
        let (plain, real) = (lexical(path), ways.physical(path, path));
        if plain != real {
            self.add(real, what);
        }
        self.add(plain, what);
    }

    fn add(&mut self, path: PathBuf, what: &'static str) {
        let names = folded(&path);
        if !names.is_empty() && !self.guarded.iter().any(|other| other.names == names) {
            self.guarded.push(Guarded { path, names, what });
        }
    }

    /// Returns whether an absolute path is guarded against this. `cwd` as for [`Ways::physical`].
    pub(crate) fn look(
        &self,
        ways: &Ways,
        path: &Path,
        cwd: &Path,
        touch: Touch,
        removes: bool,
    ) -> Option<Guard> {
        let plain = lexical(path);
        let real = ways.physical(path, cwd);
        let one = self.look_at(&plain, touch, removes);
        if real == plain { one } else { strictest(one, self.look_at(&real, touch, removes)) }
    }

    fn look_at(&self, path: &Path, touch: Touch, removes: bool) -> Option<Guard> {
        let names = folded(path);
        // A folder far above it is named for many a reason.
        if self.is_program(path, &names, removes && touch != Touch::Into) {
            return Some(Guard::Program);
        }
        let open = self.open.iter().any(|open| path != open && path.starts_with(open));
        let registered = REGISTERS.iter().find(|(parts, _)| has_run(&names, parts)).map(|(_, what)| *what);
        let below = || {
            let inside = |guarded: &&Guarded| names.starts_with(&guarded.names);
            self.guarded.iter().filter(|_| !open).find(inside).map(|guarded| guarded.what)
        };
        let starts = || {
            let home = folded(self.home.as_deref()?);
            let own = names.strip_prefix(&home[..])?;
            let starts =
                |parts: &&&[&str]| own.len() >= parts.len() && own.iter().zip(**parts).all(|(a, b)| a == b);
            STARTUP.iter().find(starts).map(|_| STARTS)
        };
        if let Some(what) = registered.or_else(below).or_else(starts) {
            return Some(Guard::Ask(what));
        }
        let holds_hooks = || names.last().is_some_and(|name| PROJECT_FOLDERS.contains(&name.as_str()));
        let is_folder = || names.last().is_some_and(|name| name == "hooks");
        let takes = removes || (touch == Touch::Mode && (holds_hooks() || is_folder()));
        if takes && (PROJECT_HOOKS.iter().any(|parts| has_run(&names, parts)) || holds_hooks()) {
            return Some(Guard::Ask("the project's hooks, which would be gone without a word"));
        }
        if !matches!(touch, Touch::Into | Touch::Below) && is_executable_hook(path, &names) {
            return Some(Guard::Ask("an executable hook of the project, which may be no hook any more then"));
        }
        match touch {
            Touch::Write => None,
            Touch::Into => self.holds(&names),
            Touch::Below => self.holds(&names).or_else(|| self.above_settings(path, &names, false)),
            Touch::Tree => self.holds(&names).or_else(|| self.above(path, &names, removes)),
            Touch::Mode => self.holds(&names).or_else(|| self.above(path, &names, true)),
        }
        .filter(|_| !open)
        .map(Guard::Ask)
    }

    /// Returns whether the folder is one whose very purpose is to hold what is guarded.
    fn holds(&self, names: &[String]) -> Option<&'static str> {
        let last = names.last()?;
        let agents = AGENT_FOLDERS.contains(&last.as_str()).then_some("an agent's settings");
        let home = self.home.as_deref().map(folded);
        let parent = |guarded: &&Guarded| {
            guarded.names.split_last().is_some_and(|(_, parent)| parent == names)
                && home.as_deref().is_none_or(|home| home != names)
                && guarded.what.contains("snaphook")
        };
        agents.or_else(|| self.guarded.iter().find(parent).map(|guarded| guarded.what))
    }

    fn holds_program(&self, names: &[String]) -> bool {
        self.programs.iter().any(|(_, program)| program.starts_with(names))
    }

    /// Returns whether something that is guarded, and is there, lies below.
    fn above(&self, path: &Path, names: &[String], removes: bool) -> Option<&'static str> {
        let program = || self.holds_program(names).then_some("the folder of snaphook's own program");
        program().or_else(|| self.above_settings(path, names, removes))
    }

    /// The same without snaphook's program.
    fn above_settings(&self, path: &Path, names: &[String], removes: bool) -> Option<&'static str> {
        let begins = |parts: &&[&str]| {
            let dotted = parts.first().is_some_and(|first| first.starts_with('.'));
            dotted
                && (1..parts.len()).any(|end| parts.get(..end).is_some_and(|start| ends_with(names, start)))
        };
        if let Some((_, what)) = REGISTERS.iter().find(|(parts, _)| begins(parts)) {
            return Some(what);
        }
        let below = |guarded: &&Guarded| guarded.names.starts_with(names) && exists(&guarded.path);
        if let Some(guarded) = self.guarded.iter().find(below) {
            return Some(guarded.what);
        }
        for base in self.bases.iter().filter(|base| folded(base).starts_with(names)) {
            if let Some((_, what)) = REGISTERS.iter().find(|(parts, _)| exists(&joined(base, parts))) {
                return Some(what);
            }
        }
        let registered = |(parts, what): &(&'static [&'static str], &'static str)| {
            exists(&joined(path, parts)).then_some(*what)
        };
        if !removes {
            return None;
        }
        REGISTERS.iter().find_map(registered).or_else(|| {
            PROJECT_HOOKS
                .iter()
                .any(|parts| exists(&joined(path, parts)))
                .then_some("the project's hooks, which would be gone without a word")
        })
    }

    /// Returns whether one of the project's settings for agents registers snaphook.
    pub(crate) fn is_registered_in(&self, project: &Path) -> bool {
        let names = |path: PathBuf| {
            let mut text = String::new();
            let file = std::fs::File::open(path);
            let read = file.and_then(|file| {
                std::io::Read::read_to_string(&mut std::io::Read::take(file, 64 << 10), &mut text)
            });
            read.is_ok() && text.contains("snaphook")
        };
        REGISTERS.iter().map(|(parts, _)| joined(project, parts)).filter(|path| path.is_file()).any(names)
    }

    /// The executables among a project's hooks.
    pub(crate) fn executables(project: &Path) -> Vec<PathBuf> {
        let folders = PROJECT_HOOKS.iter().filter(|parts| parts.last() == Some(&"hooks"));
        let entries = folders.flat_map(|parts| std::fs::read_dir(joined(project, parts))).flatten().flatten();
        let paths = entries.take(1000).map(|entry| entry.path());
        paths.filter(|path| is_executable_hook(path, &folded(path))).collect()
    }

    fn is_program(&self, path: &Path, names: &[String], removes: bool) -> bool {
        if self.programs.iter().any(|(_, program)| program == names) {
            return true;
        }
        if removes && self.holds_program(names) {
            return true;
        }
        // Another program of that name, which shells would find.
        let named = names.last().is_some_and(|name| matches!(name.as_str(), "snaphook" | "snaphook.exe"));
        let parent = path.parent();
        let bin = parent
            .and_then(Path::file_name)
            .is_some_and(|name| matches!(fold(&name.to_string_lossy()).as_str(), "bin" | ".bin" | "sbin"));
        named
            && (bin
                || parent.is_some_and(|parent| self.program_folders.iter().any(|folder| folder == parent)))
    }
}

/// Returns whether a path is below a folder of texts for agents. `cwd` as for [`Ways::physical`].
pub(crate) fn holds_prompts(ways: &Ways, path: &Path, cwd: &Path) -> bool {
    [lexical(path), ways.physical(path, cwd)]
        .iter()
        .any(|path| PROMPTS.iter().any(|parts| has_run(&folded(path), parts)))
}

/// Returns whether it is what may be an executable hook now. A script that changes is a hook still, and another
/// question; an executable that loses its bit or its front matter is no hook, and denies nothing.
fn is_executable_hook(path: &Path, names: &[String]) -> bool {
    let inside = |parts: &&&[&str]| parts.len() > 1 && names.len() > parts.len() && has_run(names, parts);
    PROJECT_HOOKS.iter().any(|parts| inside(&parts))
        && names.last().is_some_and(|name| snaphook_discovery::language_of(name).is_none())
        && std::fs::metadata(path).is_ok_and(|known| known.is_file() && may_run(&known))
}

#[cfg(unix)]
fn may_run(known: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&known.permissions()) & 0o111 != 0
}

/// Without such bits every file may.
#[cfg(not(unix))]
fn may_run(_: &std::fs::Metadata) -> bool {
    true
}

pub(crate) fn joined(base: &Path, parts: &[&str]) -> PathBuf {
    base.iter().chain(parts.iter().map(std::ffi::OsStr::new)).collect()
}

pub(crate) fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn has_run(names: &[String], parts: &[&str]) -> bool {
    names.windows(parts.len()).any(|window| window.iter().zip(parts).all(|(name, part)| is_part(name, part)))
}

fn ends_with(names: &[String], parts: &[&str]) -> bool {
    names.len() >= parts.len()
        && names.iter().rev().zip(parts.iter().rev()).all(|(name, part)| is_part(name, part))
}

/// Returns whether a name is this part, or ends as a part says that begins with `*`.
fn is_part(name: &str, part: &str) -> bool {
    part.strip_prefix('*').map_or(name == part, |end| name.ends_with(end))
}

/// The guard that gives less way.
pub(crate) fn strictest(one: Option<Guard>, other: Option<Guard>) -> Option<Guard> {
    match (one, other) {
        (Some(Guard::Program), _) | (_, Some(Guard::Program)) => Some(Guard::Program),
        (one, other) => one.or(other),
    }
}
