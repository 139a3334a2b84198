//! `snaphook add`: a hook of `hooks-examples/`, with its modules and its test, in the folder where it is found. Not here: what the
//! hooks are (`examples`), and hooks to start from (`new`).

use std::path::{Path, PathBuf};

use serde_json::json;
use snaphook_discovery::Directories;
use snaphook_discovery::replace::Mode;

use crate::arg_values::LanguageArg;
use crate::author::new::{all_there, make_folder, quoted, target_folder};
use crate::env::Env;
use crate::examples::{self, Example};
use crate::exit::{Exit, Failure};
use crate::files;
use crate::trust::trust_own;
use crate::{print, wiring};

/// Add bundled hooks, with their tests
///
/// Writes them to the project's hooks, or to your own outside of a project. Does not overwrite a file without
/// --force.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 written, 64 usage (also where a hook of this name is there), 70 internal error."
)]
pub(crate) struct AddArgs {
    /// The hooks; `snaphook add --list` shows all
    #[arg(value_name = "HOOK")]
    hooks: Vec<String>,

    /// List the bundled hooks
    #[arg(long, conflicts_with = "hooks")]
    list: bool,

    /// The language; each hook does the same in both
    #[arg(long, visible_alias = "lang", value_enum, default_value_t)]
    language: LanguageArg,

    /// Write to the project's hooks, .snaphook/hooks; creates the folder
    #[arg(long, conflicts_with = "user")]
    project: bool,

    /// Write to your own hooks, for all your projects
    #[arg(long)]
    user: bool,

    /// Overwrite an existing hook in the same language
    #[arg(long)]
    force: bool,

    /// Print JSON: one document a line for each hook, or one for --list
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// There is no such hook, one is in the folder already, or a file cannot be written. What can be known before comes before
/// anything is written.
pub(crate) fn add(env: &Env, args: &AddArgs) -> Result<Exit, Failure> {
    if args.list {
        list(args);
        return Ok(Exit::Fine);
    }
    let mut chosen: Vec<&Example> = Vec::new();
    for name in &args.hooks {
        let example = find(name, args.language)?;
        if chosen.iter().all(|one| one.name() != example.name()) {
            chosen.push(example);
        }
    }
    if chosen.is_empty() {
        let names: Vec<&str> = examples::all(args.language.language()).iter().map(Example::name).collect();
        return Err(Failure::Usage(format!(
            "which hook? There are {} (`snaphook add --list` says what each does)",
            names.join(", ")
        )));
    }
    let directories = wiring::directories(env, None)?;
    let (scope, folder) = target_folder(&directories, (args.project, args.user))?;
    let mut added = Vec::new();
    for example in chosen {
        let files = [example.hook(), example.test()].into_iter().chain(example.modules());
        let files: Files = files.map(|(path, text)| (folder.join(path), text)).collect();
        may_be_written(&directories, &folder, example, &files, args.force)?;
        added.push(Added { example, files, trusted: None });
    }
    for one in &mut added {
        let hook = folder.join(one.example.hook().0);
        make_folder(&directories, &folder, scope)?;
        if let Some(own) = hook.parent().filter(|own| *own != folder) {
            make_folder(&directories, own, scope)?;
        }
        let mode = if scope == "user" { Mode::Shared } else { Mode::Plain };
        write(&directories, &one.files, mode, args.force)?;
        // Who asked for these bytes need not be asked about them.
        let texts: Vec<&str> = one.files.iter().map(|(_, text)| *text).collect();
        one.trusted = (scope == "project").then(|| trust_own(&directories, &hook, &texts));
    }
    tell(&directories, (scope, &folder), &added, args);
    Ok(Exit::Fine)
}

/// The path of each file, with its text.
type Files = Vec<(PathBuf, &'static str)>;

/// A hook that was chosen.
struct Added {
    example: &'static Example,
    files: Files,
    /// The outcome of trusting it, where that is needed.
    trusted: Option<Result<(), String>>,
}

impl Added {
    /// Lists what a person does next with it.
    fn next(&self, directories: &Directories, folder: &Path) -> Vec<String> {
        let test = folder.join(self.example.hook().0);
        let test = format!("snaphook test {}", quoted(&directories.relative(&test)));
        let trust = self.trusted.as_ref().filter(|done| done.is_err());
        trust.map(|_| format!("snaphook trust {}", self.example.name())).into_iter().chain([test]).collect()
    }
}

fn find(name: &str, language: LanguageArg) -> Result<&'static Example, Failure> {
    let all = examples::all(language.language());
    all.iter().find(|one| one.name() == name).ok_or_else(|| {
        let near = snaphook::nearest(name, all.iter().map(Example::name));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Failure::Usage(format!(
            "there is no bundled hook {name:?}{near} (see `snaphook add --list`; `snaphook new {}` writes one of your own)",
            if name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) { name } else { "NAME" }
        ))
    })
}

/// Looks at what goes by the hook's name already. With `force`, what is there has to be the same hook in the same language: two
/// of one name would both run.
fn may_be_written(
    directories: &Directories,
    folder: &Path,
    example: &Example,
    written: &[(PathBuf, &str)],
    force: bool,
) -> Result<(), Failure> {
    let name = example.name();
    let ours = |path: &Path| written.iter().any(|(own, _)| own == path);
    for there in all_there(folder, name) {
        let shown = directories.relative(&there);
        if !force {
            return Err(Failure::Usage(format!(
                "{shown} is there already; nothing was written. --force overwrites it"
            )));
        }
        let is_folder =
            there.is_dir() && written.iter().any(|(own, _)| own.parent() == Some(there.as_path()));
        let other = ["init.lua", "init.luau", "init.rhai"].map(|init| there.join(init));
        let is_other = other.iter().any(|init| init.exists() && !ours(init));
        if !(ours(&there) || is_folder && !is_other) {
            return Err(Failure::Usage(format!(
                "{shown} is another hook called {name}; nothing was written. Move it away first"
            )));
        }
    }
    Ok(())
}

fn write(
    directories: &Directories,
    written: &[(PathBuf, &str)],
    mode: Mode,
    force: bool,
) -> Result<(), Failure> {
    let mut done = Vec::new();
    for (path, text) in written {
        let put = files::target(directories, path).and_then(|target| {
            let put = if force {
                target.replace(text.as_bytes(), mode)
            } else {
                target.create(text.as_bytes(), mode)
            };
            put.map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", path.display())))?;
            Ok(target)
        });
        match put {
            Ok(target) => done.push(target),
            Err(failure) => {
                // Half of a hook is not what was asked for.
                for target in done.iter().filter(|_| !force) {
                    let _ = target.remove();
                }
                return Err(failure);
            }
        }
    }
    Ok(())
}

fn list(args: &AddArgs) {
    let language = args.language.language();
    let all = examples::all(language);
    if args.json {
        let one = |one: &Example| json!({"name": one.name(), "description": one.description(language)});
        print::json(&all.iter().map(one).collect());
        return;
    }
    let longest = all.iter().map(|one| one.name().len()).max().unwrap_or_default();
    let line = |one: &Example| format!("{:longest$}  {}\n", one.name(), one.description(language));
    print::stdout(&all.iter().map(line).collect::<String>());
}

fn tell(directories: &Directories, (scope, folder): (&str, &Path), added: &[Added], args: &AddArgs) {
    const LAST: &str = "snaphook install AGENT";
    if args.json {
        for one in added {
            let files: Vec<_> = one.files.iter().map(|(path, _)| path.display().to_string()).collect();
            let mut next = one.next(directories, folder);
            next.push(LAST.to_owned());
            print::json(&json!({
                "hook": one.example.name(),
                "files": files,
                "scope": scope,
                "language": args.language.language().as_str().to_lowercase(),
                "trusted": one.trusted.as_ref().map(Result::is_ok),
                "next": next,
            }));
        }
        return;
    }
    let mut text = String::new();
    for one in added {
        let name = one.example.name();
        for (path, _) in &one.files {
            text += &format!("written {}\n", directories.relative(path));
        }
        text += &match &one.trusted {
            None => String::new(),
            Some(Ok(())) => {
                format!("trusted {name} as it was written; after each change: snaphook trust {name}\n")
            }
            Some(Err(why)) => format!("{name} is not trusted: {}\n", print::lines(why)),
        };
    }
    text += "Next:\n";
    for command in added.iter().flat_map(|one| one.next(directories, folder)) {
        text += &format!("    {command}\n");
    }
    text += &format!("    {LAST}\n");
    print::stdout(&text);
}
