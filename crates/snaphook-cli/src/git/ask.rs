//! Asking git: its own answers, never a reading of its files. It gets the surroundings that snaphook was called with, so that what
//! git itself set for a hook (`GIT_DIR`, `GIT_INDEX_FILE`) counts. Not here: what is asked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snaphook_command::process::{Limits, Outcome, Output, Request, StartError, run};

use crate::exit::Failure;

/// Variables of git that are paths, relative to where it was called.
const PATHS: [&str; 5] =
    ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];

/// The time that git may take: it reads an index.
const LIMIT: Duration = Duration::from_secs(120);

/// A program that the repository names would be started for nothing: no file is looked at.
const SETTINGS: [&str; 2] = ["-c", "core.fsmonitor=false"];

/// The longest answer, in bytes: a million staged files.
const MAX_ANSWER_BYTES: usize = 128 << 20;

/// git, with surroundings.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    pub(crate) cwd: PathBuf,
    vars: Vec<(OsString, OsString)>,
}

impl Git {
    pub(crate) fn new(cwd: &Path, vars: &[(OsString, OsString)]) -> Self {
        Git { cwd: cwd.to_owned(), vars: absolute(cwd, vars) }
    }

    /// Returns whether git itself called, and said where its files are.
    pub(crate) fn is_told(&self) -> bool {
        self.vars.iter().any(|(name, _)| name == "GIT_DIR")
    }

    /// The same from another folder.
    pub(crate) fn at(&self, cwd: &Path) -> Self {
        Git { cwd: cwd.to_owned(), vars: self.vars.clone() }
    }

    /// Returns what git has to say; its own words where it refuses.
    ///
    /// # Errors
    /// There is no git, or it fails.
    pub(crate) async fn say(&self, args: &[&str]) -> Result<String, Failure> {
        let output = self.run(args).await?;
        match output.outcome {
            Outcome::Exited(0) if output.truncated => {
                Err(Failure::Usage(format!("the answer of `git {}` is too long", args.join(" "))))
            }
            Outcome::Exited(0) => Ok(output.stdout),
            outcome => {
                let said = output.stderr.trim();
                let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                Err(Failure::Usage(format!("`git {}` {outcome}{said}", args.join(" "))))
            }
        }
    }

    /// The same as one path or word: without the line end that git puts behind it.
    pub(crate) async fn word(&self, args: &[&str]) -> Result<String, Failure> {
        let said = self.say(args).await?;
        Ok(said
            .strip_suffix('\n')
            .map(|said| said.strip_suffix('\r').unwrap_or(said))
            .unwrap_or(&said)
            .to_owned())
    }

    /// Returns what git says where 1 is an answer, too: `None`.
    pub(crate) async fn perhaps(&self, args: &[&str]) -> Result<Option<String>, Failure> {
        let output = self.run(args).await?;
        match output.outcome {
            Outcome::Exited(0) => Ok(Some(output.stdout)),
            Outcome::Exited(1) => Ok(None),
            outcome => {
                Err(Failure::Usage(format!("`git {}` {outcome}: {}", args.join(" "), output.stderr.trim())))
            }
        }
    }

    async fn run(&self, args: &[&str]) -> Result<Output, Failure> {
        let request = Request {
            args: SETTINGS.iter().chain(args).map(OsString::from).collect(),
            env: self.vars.clone(),
            timeout: Some(LIMIT),
            limits: Limits { stdout: MAX_ANSWER_BYTES, ..Limits::default() },
            ..Request::new("git", &self.cwd)
        };
        run(request).await.map_err(|error| match error {
            StartError::NotInPath { .. } | StartError::NoPath { .. } => {
                Failure::Usage("there is no `git` in PATH".to_owned())
            }
            error => Failure::Usage(format!("git cannot be run: {error}")),
        })
    }
}

/// The variables with git's own paths as they are from everywhere: git names its index relative to where it stands.
pub(crate) fn absolute(cwd: &Path, vars: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
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
        let now: Vec<_> = absolute(Path::new("/top"), &vars).into_iter().map(|(_, value)| value).collect();
        assert_eq!(now, ["/top/.git/index", "/r/.git", "a/", "x"]);
    }
}
