//! The session that an event belongs to: its folders, whose decisions count, what is kept of it, where problems are
//! logged. Not here: the event itself (`event`).

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use snaphook::CancellationToken;
use snaphook_command::lifecycle::{Lifecycle, List, Surroundings, Values};
use snaphook_discovery::{Directories, Trust};

use crate::folder::SessionFolder;
use crate::lifecycle_files;
use crate::log::Log;

/// A session, as far as it is known from one of its events.
#[derive(Clone)]
pub(crate) struct SessionContext {
    /// The variables of the process.
    pub(crate) vars: Arc<[(OsString, OsString)]>,
    /// The program of the process.
    pub(crate) program: Option<PathBuf>,
    pub(crate) directories: Directories,
    /// Decisions about hooks of the project.
    pub(crate) trust: Trust,
    pub(crate) folder: SessionFolder,
    pub(crate) log: Log,
}

impl SessionContext {
    /// Logs what is wrong with the session's folder, and goes on without it.
    pub(crate) fn report(&self, error: &io::Error) {
        self.log.line(&format!("the session's folder: {error}"));
    }

    /// Does the same with a result.
    pub(crate) fn note<T: Default>(&self, result: io::Result<T>) -> T {
        result.unwrap_or_else(|error| {
            self.report(&error);
            T::default()
        })
    }

    /// Returns the trusted lifecycle files. Problems with any of them are logged.
    pub(crate) fn lifecycle_files(&self) -> Vec<Lifecycle> {
        let (files, problems) = lifecycle_files::trusted(&self.directories, &self.trust);
        for problem in problems {
            self.log.line(&problem.to_string());
        }
        files
    }

    /// Runs a list of each file, ours first, in the project and with our own environment; gives the output for the
    /// agent. The rest is logged.
    pub(crate) async fn run_list(
        &self,
        files: &[Lifecycle],
        list: List,
        values: &Values,
        until: Instant,
        cancel: &CancellationToken,
    ) -> String {
        let root = &self.directories.project_root;
        let mut env = self.vars.to_vec();
        env.push(("SNAPHOOK_PROJECT_ROOT".into(), root.clone().into()));
        let around =
            Surroundings { cwd: root.clone(), env, until: Some(until), holder: self.program.clone() };
        let ran = lifecycle_files::run_list(files, list, values, &around, cancel).await;
        for (_, line) in &ran.told {
            self.log.line(line);
        }
        ran.piped
    }
}
