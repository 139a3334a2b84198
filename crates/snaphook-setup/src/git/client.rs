//! Running git: its own answers, never a reading of its files. It gets the variables that snaphook was called with, so that those
//! that git itself set for a hook (`GIT_DIR`, `GIT_INDEX_FILE`) count. Not here: the questions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snaphook_command::process::{Limits, Output, ProcessOutcome, Request, StartError, run};

use crate::git::GitError;

/// Variables of git that are paths, relative to where it was called.
const PATHS: [&str; 5] =
    ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];

/// The time that git may take: it reads an index.
const LIMIT: Duration = Duration::from_secs(120);

/// A program that the repository names would be started for nothing: no file is looked at.
const SETTINGS: [&str; 2] = ["-c", "core.fsmonitor=false"];

/// The longest answer, in bytes: a million staged files.
const MAX_ANSWER_BYTES: usize = 128 << 20;

/// git in a folder, with variables.
#[derive(Debug, Clone)]
pub struct Git {
    pub(crate) cwd: PathBuf,
    vars: Vec<(OsString, OsString)>,
}

impl Git {
    /// git in this folder, with these variables.
    pub fn new(cwd: &Path, vars: &[(OsString, OsString)]) -> Self {
        Git { cwd: cwd.to_owned(), vars: absolute_paths(cwd, vars) }
    }

    /// Returns whether git itself called, and set where its files are.
    pub(crate) fn has_git_dir(&self) -> bool {
        self.vars.iter().any(|(name, _)| name == "GIT_DIR")
    }

    /// The same from another folder.
    pub(crate) fn at(&self, cwd: &Path) -> Self {
        Git { cwd: cwd.to_owned(), vars: self.vars.clone() }
    }

    /// Returns git's answer.
    ///
    /// # Errors
    /// There is no git, or it fails.
    pub(crate) async fn output(&self, args: &[&str]) -> Result<String, GitError> {
        let output = self.run(args).await?;
        match output.outcome {
            ProcessOutcome::Exited(0) if output.truncated => {
                Err(GitError::TooLong { command: args.join(" ") })
            }
            ProcessOutcome::Exited(0) => Ok(output.stdout),
            outcome => Err(failed(args, outcome, &output.stderr)),
        }
    }

    /// Returns git's answer as one path or word: without the line end that git puts behind it.
    pub(crate) async fn line(&self, args: &[&str]) -> Result<String, GitError> {
        let mut answer = self.output(args).await?;
        if answer.ends_with('\n') {
            answer.truncate(answer.len() - 1);
            if answer.ends_with('\r') {
                answer.truncate(answer.len() - 1);
            }
        }
        Ok(answer)
    }

    /// Returns git's answer; `None` where git exits with 1, which is an answer, too.
    pub(crate) async fn optional(&self, args: &[&str]) -> Result<Option<String>, GitError> {
        let output = self.run(args).await?;
        match output.outcome {
            ProcessOutcome::Exited(0) => Ok(Some(output.stdout)),
            ProcessOutcome::Exited(1) => Ok(None),
            outcome => Err(failed(args, outcome, &output.stderr)),
        }
    }

    async fn run(&self, args: &[&str]) -> Result<Output, GitError> {
        let request = Request {
            args: SETTINGS.iter().chain(args).map(OsString::from).collect(),
            env: self.vars.clone(),
            timeout: Some(LIMIT),
            limits: Limits { stdout: MAX_ANSWER_BYTES, ..Limits::default() },
            ..Request::new("git", &self.cwd)
        };
        run(request).await.map_err(|error| match error {
            StartError::NotInPath { .. } | StartError::NoPath { .. } => GitError::NoGit,
            error => GitError::Start(error),
        })
    }
}

fn failed(args: &[&str], outcome: ProcessOutcome, stderr: &str) -> GitError {
    GitError::Failed { command: args.join(" "), outcome, stderr: stderr.trim().to_owned() }
}

/// Returns the variables with git's own paths made absolute: git names its index relative to its working directory.
pub fn absolute_paths(cwd: &Path, vars: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let one = |(name, value): &(OsString, OsString)| {
        let is_path = PATHS.iter().any(|path| name == path) && !value.is_empty();
        let value = if is_path { cwd.join(value).into_os_string() } else { value.clone() };
        (name.clone(), value)
    };
    vars.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_s_own_paths_hold_everywhere() {
        let vars =
            [("GIT_INDEX_FILE", ".git/index"), ("GIT_DIR", "/r/.git"), ("GIT_PREFIX", "a/"), ("HOME", "x")];
        let vars: Vec<_> = vars.map(|(name, value)| (name.into(), value.into())).to_vec();
        let now: Vec<_> =
            absolute_paths(Path::new("/top"), &vars).into_iter().map(|(_, value)| value).collect();
        assert_eq!(now, ["/top/.git/index", "/r/.git", "a/", "x"]);
    }
}
