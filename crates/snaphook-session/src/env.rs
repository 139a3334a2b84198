//! The parts of a process's surroundings that decide where hooks are and what they see. Not here: reading them, which
//! only the command does.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use snaphook_discovery::Environment;

/// The working directory, variables and program of a process, as they were at its start.
#[derive(Debug, Clone)]
pub struct ProcessEnv {
    /// The working directory; `None` if it is gone.
    pub cwd: Option<PathBuf>,
    /// Every variable.
    pub vars: Arc<[(OsString, OsString)]>,
    /// The program's own file.
    pub program: Option<PathBuf>,
}

impl ProcessEnv {
    /// Returns a variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        let set = self.vars.iter().find(|(key, value)| key == name && !value.is_empty());
        set.map(|(_, value)| value.as_os_str())
    }

    /// Returns a variable as text, with a replacement character for what is no UTF-8.
    pub fn text(&self, name: &str) -> Option<String> {
        self.var(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// Returns a variable as a path.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.var(name).map(PathBuf::from)
    }

    /// Returns the folders of `PATH`.
    pub fn search_path(&self) -> Vec<PathBuf> {
        self.var("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default()
    }

    /// Returns the places that decide where hooks and state are, for this working directory.
    pub fn environment(&self, cwd: PathBuf) -> Environment {
        Environment {
            home: self.path("HOME").or_else(|| self.path("USERPROFILE")),
            xdg_config_home: self.path("XDG_CONFIG_HOME"),
            xdg_state_home: self.path("XDG_STATE_HOME"),
            snaphook_config_dir: self.path("SNAPHOOK_CONFIG_DIR"),
            snaphook_state_dir: self.path("SNAPHOOK_STATE_DIR"),
            ..Environment::new(cwd)
        }
    }
}
