//! Makes a git repository of a scratch project. `.git` is never copied: a copy would have the remotes, the hooks and
//! the credentials of the original, and a replayed `git push --force` would really push.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use snaphook_command::process::{self, ProcessOutcome, Request, StartError};
use snaphook_core::Problem;

/// The time that one git command may take. Adding 50 000 files takes a few seconds.
const GIT_TIMEOUT: Duration = Duration::from_secs(120);

/// The author and both dates of the first commit are fixed, so that its hash is the same in every run.
const DATE: &str = "2026-01-01T12:00:00+0000";

/// Local settings win over the user's. Automatic maintenance runs in the background and would outlive the session.
const SETTINGS: &str = "\
[user]
\tname = Sample Author
\temail = author@example.com
[commit]
\tgpgsign = false
[tag]
\tgpgsign = false
[core]
\thooksPath = .git/hooks
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

/// The reason why there is no repository.
#[derive(Debug, thiserror::Error)]
enum GitError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("`git {command}` {outcome}: {stderr}")]
    Failed { command: String, outcome: ProcessOutcome, stderr: String },
}

/// Commits everything in the folder. A failure is a problem, not an error: a session may do without git.
pub(super) async fn init(project: &Path, env: &[(OsString, OsString)]) -> Option<Problem> {
    let failed = |why: GitError| Some(Problem::warning(project, format!("not a git repository: {why}")));
    let steps: [&[&str]; 3] = [
        &["init", "--quiet", "--initial-branch=main", "--template="],
        &["add", "--all"],
        &["commit", "--quiet", "--no-verify", "--allow-empty", "--message", "Start"],
    ];
    for (number, step) in steps.iter().enumerate() {
        if number == 1
            && let Err(error) = configure(project)
        {
            return failed(error.into());
        }
        if let Err(why) = git(project, env, step).await {
            return failed(why);
        }
    }
    None
}

fn configure(project: &Path) -> std::io::Result<()> {
    let file = project.join(".git/config");
    let mut text = std::fs::read_to_string(&file)?;
    text.push_str(SETTINGS);
    std::fs::write(file, text)
}

async fn git(project: &Path, env: &[(OsString, OsString)], args: &[&str]) -> Result<(), GitError> {
    let mut env = env.to_vec();
    env.extend(["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name.into(), DATE.into())));
    let request = Request {
        args: args.iter().map(OsString::from).collect(),
        env,
        timeout: Some(GIT_TIMEOUT),
        ..Request::new("git", project)
    };
    let output = process::run(request).await?;
    if output.success() {
        return Ok(());
    }
    let command = args.first().copied().unwrap_or_default().to_owned();
    Err(GitError::Failed { command, outcome: output.outcome, stderr: output.stderr.trim().to_owned() })
}
