//! `snaphook git`: hooks for `pre_commit` before each commit. `args` is the command line, `ask` asks git, `repository` finds the hooks
//! folder, `script` is what git runs, `change` puts it there and takes it away, `run` is what it calls, with the files of `staged`.

pub(crate) mod args;
mod ask;
mod change;
mod repository;
mod run;
mod script;
mod staged;
mod status;

use std::path::{Path, PathBuf};

use serde_json::Value;
use snaphook::{EventName, Host, Lifecycle, Product};
use snaphook_discovery::{Directories, printable};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::git::args::{GitArgs, GitCommand, InstallArgs, UninstallArgs};
use crate::git::ask::Git;
use crate::git::change::{Done, Found, Slot};
use crate::git::repository::Repository;
use crate::install::record;
use crate::{files, out, wiring};

/// Runs the command.
pub(crate) async fn git(env: &Env, args: &GitArgs) -> Result<Exit, Failure> {
    match &args.command {
        GitCommand::Install(args) => install(env, args).await,
        GitCommand::Uninstall(args) => uninstall(env, args).await,
        GitCommand::Status(args) => status::status(env, args).await,
        GitCommand::Run(args) => run::run(env, args).await,
    }
}

/// A project in a repository.
struct Ground {
    directories: Directories,
    repository: Repository,
    slot: Slot,
    /// The project's folder as the script names it.
    project: String,
}

impl Ground {
    async fn find(env: &Env, cwd: Option<&Path>) -> Result<Self, Failure> {
        let directories = wiring::directories(env, cwd)?;
        let git = Git::new(&directories.cwd, &ask::absolute(&here(env), &env.vars));
        let repository = Repository::find(&git).await?;
        let slot = Slot::of(&repository.hooks);
        // A project that is around the repository is found from its top.
        let inside = directories.project_root.strip_prefix(&repository.top).unwrap_or(Path::new(""));
        let project = inside.to_str().map(|project| project.replace(std::path::MAIN_SEPARATOR, "/"));
        let project = project.ok_or_else(|| {
            Failure::Usage("the project's path is not UTF-8, which snaphook cannot work with here".to_owned())
        })?;
        let project = if project.is_empty() { ".".to_owned() } else { project };
        Ok(Ground { directories, repository, slot, project })
    }

    fn shown(&self, path: &Path) -> String {
        files::shown(&self.directories, path)
    }
}

fn here(env: &Env) -> PathBuf {
    env.cwd.clone().unwrap_or_default()
}

async fn install(env: &Env, args: &InstallArgs) -> Result<Exit, Failure> {
    let mut ground = Ground::find(env, args.cwd.as_deref()).await?;
    ground.directories = args.compat.with(ground.directories);
    let found = ground.slot.found();
    let done = put(env, &ground)?;
    let (script, original) = (ground.shown(&ground.slot.script), ground.shown(&ground.slot.original));
    let mut text = match done {
        Done::Nothing => format!("{script}: nothing to change\n"),
        Done::Renewed => format!("{script} is renewed\n"),
        Done::Kept => format!("{script} is written; what was there is {original} now, and runs first\n"),
        _ => format!("{script} is written\n"),
    };
    if done == Done::Written && ground.slot.has_original() {
        text += &format!("{original} was there, and runs first\n");
    }
    let (hooks, problems) = status::found(env, &ground)?;
    for problem in problems.iter().filter_map(Value::as_str) {
        text += &format!("every commit is refused: {}\n", out::lines(problem));
    }
    if hooks.is_empty() && problems.is_empty() {
        text += "no hook is for pre_commit yet: the script takes itself away with the next commit. Write one with \
                 `snaphook new`, for the event pre_commit\n";
    }
    for advice in status::advice(&ground, Some(&found)) {
        text += &format!("note: {advice}\n");
    }
    out::print(&text);
    Ok(Exit::Fine)
}

/// Writes the script for a project, beside those that it is for already.
fn put(env: &Env, ground: &Ground) -> Result<Done, Failure> {
    if let Some(why) = ground.repository.refuses() {
        return Err(Failure::Usage(why));
    }
    let program = env
        .program
        .as_deref()
        .ok_or_else(|| Failure::Internal("the path of this program cannot be told".to_owned()))?;
    let _alone = record::lock(&ground.directories)?;
    let mut projects = ground.slot.projects();
    if !projects.contains(&ground.project) {
        projects.push(ground.project.clone());
    }
    let mut compat = ground.directories.compat.clone();
    compat.extend(
        ground.slot.compat().into_iter().filter(|product| !ground.directories.compat.contains(product)),
    );
    ground.slot.install(&script::text(program, &projects, &compat))
}

/// Puts the script there at an agent's start, where Discobot's hooks are in use, as Discobot does; says what was done.
pub(crate) async fn at_start(env: &Env, directories: &Directories, host: &Host) -> Option<String> {
    let discobot = directories.compat.contains(&Product::Discobot);
    if !discobot || !host.handles(&EventName::Lifecycle(Lifecycle::PreCommit)) {
        return None;
    }
    let done = async {
        let mut ground = Ground::find(env, Some(&directories.cwd)).await?;
        ground.directories.add_compat(directories.compat.iter().copied());
        Ok::<_, Failure>((put(env, &ground)?, ground.slot.script))
    };
    match done.await {
        Ok((Done::Nothing, _)) => None,
        Ok((Done::Kept, script)) => Some(format!(
            "{} is written; what was there is kept and runs first",
            printable(&script.display().to_string())
        )),
        Ok((_, script)) => Some(format!("{} is written", printable(&script.display().to_string()))),
        Err(why) => Some(format!("commits are not checked: {why}")),
    }
}

async fn uninstall(env: &Env, args: &UninstallArgs) -> Result<Exit, Failure> {
    let ground = Ground::find(env, args.cwd.as_deref()).await?;
    let _alone = record::lock(&ground.directories)?;
    let program = env.program.clone().unwrap_or_default();
    let mut rest = ground.slot.projects();
    rest.retain(|project| *project != ground.project && ground.repository.top.join(project).is_dir());
    let others = printable(&rest.join(", "));
    let text = (!rest.is_empty()).then(|| script::text(&program, &rest, &ground.slot.compat()));
    let script = ground.shown(&ground.slot.script);
    out::print(&match ground.slot.remove(text)? {
        Done::Removed => format!("{script} is removed\n"),
        Done::Restored => format!("{script} is again what it was before\n"),
        Done::Stays => format!("{script} stays for other projects of the repository: {others}\n"),
        _ => match ground.slot.found() {
            Found::Nothing => "there is nothing to take away\n".to_owned(),
            _ => format!("{script} is not snaphook's, and is left as it is\n"),
        },
    });
    Ok(Exit::Fine)
}
