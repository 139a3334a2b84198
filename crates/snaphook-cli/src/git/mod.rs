//! `snaphook git`: what is printed of the script and of the hooks before a commit. `run` is what the script calls. Not here: finding
//! and changing the script, and running hooks (`snaphook_setup::git`).

pub(crate) mod args;
mod run;
mod status;

use std::path::Path;

use snaphook::{Builder, Checks, Host, Problem};
use snaphook_discovery::{Directories, Trust, printable};
use snaphook_session::hosting::Records;
use snaphook_setup::git::{
    self as setup, CommitTarget, Git, LoadError, Projects, ScriptChange, absolute_paths,
};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::git::args::{GitArgs, GitCommand, InstallArgs, UninstallArgs};
use crate::{print, wiring};

/// Runs the command.
pub(crate) async fn git(env: &Env, args: &GitArgs) -> Result<Exit, Failure> {
    match &args.command {
        GitCommand::Install(args) => install(env, args).await,
        GitCommand::Uninstall(args) => uninstall(env, args).await,
        GitCommand::Status(args) => status::status(env, args).await,
        GitCommand::Run(args) => run::run(env, args).await,
    }
}

/// The projects of a repository, with hooks that are looked at only.
struct Viewed<'a>(&'a Env);

impl Projects for Viewed<'_> {
    fn directories(&self, folder: &Path) -> Result<Directories, LoadError> {
        Ok(wiring::directories(self.0, Some(folder))?)
    }

    fn host(&self, directories: &Directories) -> Result<Host, LoadError> {
        let hooks = wiring::hooks_of(self.0, directories, &[], &Trust::default());
        Ok(wiring::host(self.0, directories, hooks, "git", None, Records::Store).map(Builder::build)?)
    }

    fn record(&self, _: &Directories, _: &Host, _: &Checks) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns git in a project.
fn client(env: &Env, directories: &Directories) -> Git {
    let here = env.cwd.clone().unwrap_or_default();
    Git::new(&directories.cwd, &absolute_paths(&here, &env.vars))
}

async fn target(env: &Env, directories: Directories) -> Result<CommitTarget, Failure> {
    let git = client(env, &directories);
    Ok(CommitTarget::find(directories, &git).await?)
}

fn program(env: &Env) -> Result<&Path, Failure> {
    let program = env.program.as_deref();
    program.ok_or_else(|| Failure::Internal("the path of this program is unknown".to_owned()))
}

async fn install(env: &Env, args: &InstallArgs) -> Result<Exit, Failure> {
    let directories = args.compat.with(wiring::directories(env, args.cwd.as_deref())?);
    let shown = |path: &Path| directories.relative(path);
    let done = setup::install(&target(env, directories.clone()).await?, program(env)?, &Viewed(env))?;
    let (script, original) = (shown(&done.script), done.original.as_deref().map(shown));
    let mut text = match (done.change, &original) {
        (ScriptChange::Unchanged, _) => format!("{script}: nothing to change\n"),
        (ScriptChange::Renewed, _) => format!("{script} is updated\n"),
        (ScriptChange::Kept, Some(original)) => {
            format!("{script} is written; the hook that was there is now {original}, and runs first\n")
        }
        (ScriptChange::Written, Some(original)) => {
            format!("{script} is written\n{original} was there, and runs first\n")
        }
        _ => format!("{script} is written\n"),
    };
    text += &refusals(&done.hooks.problems);
    if done.hooks.handlers.is_empty() && done.hooks.problems.is_empty() {
        text += "no hook handles pre_commit yet: the script removes itself at the next commit. Write one with `snaphook new`, for the \
                 event pre_commit\n";
    }
    text += &done.advice.iter().map(|advice| format!("note: {advice}\n")).collect::<String>();
    print::stdout(&text);
    Ok(Exit::Fine)
}

/// A line for each problem that refuses every commit.
fn refusals(problems: &[Problem]) -> String {
    let line =
        |problem: &Problem| format!("every commit is refused: {}\n", print::lines(&problem.to_string()));
    problems.iter().map(line).collect()
}

/// Puts the script there at an agent's start, where Discobot's hooks are in use, as Discobot does; returns what was done.
pub(crate) async fn at_start(env: &Env, directories: &Directories, host: &Host) -> Option<String> {
    if !setup::is_wanted_at_start(directories, host) {
        return None;
    }
    let done = async {
        let mut project = wiring::directories(env, Some(&directories.cwd))?;
        project.add_compat(directories.compat.iter().copied());
        Ok::<_, Failure>(setup::install_at_start(&target(env, project).await?, program(env)?)?)
    };
    let shown = |script: &Path| printable(&script.display().to_string());
    match done.await {
        Ok((ScriptChange::Unchanged, _)) => None,
        Ok((ScriptChange::Kept, script)) => {
            Some(format!("{} is written; the hook that was there is kept and runs first", shown(&script)))
        }
        Ok((_, script)) => Some(format!("{} is written", shown(&script))),
        Err(why) => Some(format!("commits are not checked: {why}")),
    }
}

async fn uninstall(env: &Env, args: &UninstallArgs) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let target = target(env, directories.clone()).await?;
    let done = setup::uninstall(&target, &env.program.clone().unwrap_or_default())?;
    let script = directories.relative(&done.script);
    print::stdout(&match done.change {
        ScriptChange::Removed => format!("{script} is removed\n"),
        ScriptChange::Restored => format!("{script} is restored to what it was before\n"),
        ScriptChange::Stays => {
            let others = printable(&done.others.join(", "));
            format!("{script} stays for other projects of the repository: {others}\n")
        }
        _ if done.is_foreign => format!("{script} is not snaphook's, and was not changed\n"),
        _ => "there is nothing to remove\n".to_owned(),
    });
    Ok(Exit::Fine)
}
