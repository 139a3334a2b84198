//! Executables as hooks: an [`Engine`] that makes one handler of each. It is the only way in which one runs, so trust, order, audit
//! and failing closed are those of every hook.
//!
//! `handler` runs the program and bounds it, `environment` says what it is given, `answer` reads what it said, `dots` knows which dot
//! files patterns of Discobot's are about. Not here: finding
//! executables and reading their front matter (`snaphook-discovery`), the process itself (`process`).

mod answer;
mod dots;
mod environment;
mod handler;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook_core::{Engine, LoadRequest, LoadedHook, Problem};
use snaphook_script::glob::Globs;

use self::handler::CommandHandler;
use crate::process::{Identity, IdentityError};

/// The state that all executables of a host have in common.
#[derive(Debug, Clone)]
struct World {
    /// The host's whole environment: executables are arbitrary code with the user's rights.
    env: Arc<[(OsString, OsString)]>,
    /// The place where files for them are made.
    scratch: PathBuf,
    /// The user to become, where we are root.
    user: Option<String>,
    root: bool,
    /// The program that holds those that ask for it.
    holder: Option<PathBuf>,
}

/// Makes handlers of executables.
#[derive(Debug, Clone)]
pub struct CommandEngine {
    world: Arc<World>,
}

impl CommandEngine {
    /// An engine whose executables have this environment. Files for them are made in its `TMPDIR`.
    pub fn new(env: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self::shared(env.into_iter().collect())
    }

    /// The same with an environment that others have, too.
    pub fn shared(env: Arc<[(OsString, OsString)]>) -> Self {
        let folder = env
            .iter()
            .rev()
            .find(|(name, value)| name == if cfg!(windows) { "TEMP" } else { "TMPDIR" } && !value.is_empty());
        let scratch = folder.map_or_else(|| PathBuf::from("/tmp"), |(_, folder)| PathBuf::from(folder));
        CommandEngine { world: Arc::new(World { env, scratch, user: None, root: is_root(), holder: None }) }
    }

    /// As whom executables run where the host runs as root, unless they ask to run as root. Default: as root.
    #[must_use]
    pub fn run_as_user(mut self, name: Option<String>) -> Self {
        Arc::make_mut(&mut self.world).user = name;
        self
    }

    /// The program that holds executables which ask for it: one that has the command `hold`. Default: none, and they fail.
    #[must_use]
    pub fn held_by(mut self, program: Option<PathBuf>) -> Self {
        Arc::make_mut(&mut self.world).holder = program;
        self
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

impl Engine for CommandEngine {
    fn load(&self, LoadRequest { script, .. }: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        let error = |message: String| Problem::error(&script.hook.file, message);
        let (Some(executable), Some(path)) = (&script.executable, &script.path) else {
            return Err(error("is no executable that is a file".to_owned()));
        };
        let globs = |patterns: &[String]| match patterns {
            [] => Ok(None),
            some => {
                Globs::new(some.iter().map(String::as_str)).map(Some).map_err(|bad| error(bad.to_string()))
            }
        };
        let handler = CommandHandler::new(
            script,
            Arc::clone(executable),
            path.clone(),
            (globs(&executable.patterns)?, globs(&executable.ignore)?),
            Arc::clone(&self.world),
        );
        let memory = script.source.len();
        Ok(LoadedHook { handlers: vec![Arc::new(handler)], problems: Vec::new(), memory, coverage: None })
    }
}

impl World {
    /// The user to become for a program that does not ask for root.
    fn user(&self) -> Result<Option<Identity>, IdentityError> {
        self.user.as_deref().filter(|_| self.root).map(Identity::of).transpose()
    }
}
