//! `snaphook new`: a hook to start from, with its test, in the folder where it is found. Not here: its content
//! (`templates`).

use std::path::{Path, PathBuf};

use serde_json::json;
use snaphook_discovery::Directories;
use snaphook_discovery::replace::Mode;

use crate::author::templates::{Lang, Template};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::print;
use crate::trust::trust_own;
use crate::wiring;

/// Write a hook to start from, with a test that passes
///
/// Writes it to the project's hooks, or to your own outside of a project. Never overwrites a file. With --lang sh it
/// is an executable, which has no test: try it with `snaphook check`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 written, 64 usage (also where a hook of this name is there), 70 internal error."
)]
pub(crate) struct NewArgs {
    /// The hook's name: letters, digits, `-` and `_`
    #[arg(value_name = "NAME")]
    name: String,

    /// The language
    #[arg(long, value_enum, default_value_t = Lang::Lua)]
    lang: Lang,

    /// A sentence about what the hook does
    #[arg(long, value_enum, default_value_t = Template::Gate)]
    template: Template,

    /// Write to the project's hooks, .snaphook/hooks; creates the folder
    #[arg(long, conflicts_with = "user")]
    project: bool,

    /// Write to your own hooks, for all your projects
    #[arg(long)]
    user: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The longest name, in bytes: file systems end at 255, and endings come behind it.
const MAX_NAME_BYTES: usize = 64;

/// Runs the command.
///
/// # Errors
/// The name is invalid, a hook of this name exists already, or a file cannot be written.
pub(crate) fn new(env: &Env, args: &NewArgs) -> Result<Exit, Failure> {
    let name = checked(&args.name)?;
    let directories = wiring::directories(env, None)?;
    let (scope, folder) = target_folder(&directories, (args.project, args.user))?;
    if let Some(known) = is_there(&folder, name) {
        let known = directories.relative(&known);
        return Err(Failure::Usage(format!(
            "{known} is there already; nothing was written. Take another name"
        )));
    }
    let extension = args.lang.extension();
    let hook = folder.join(format!("{name}.{extension}"));
    let Some((hook_text, test_text)) = args.template.texts(args.lang, name) else {
        let template = args.template.name();
        return Err(Failure::Usage(format!(
            "there is no template {template} in {extension}: take --lang lua or --lang rhai"
        )));
    };
    let test = test_text.map(|text| (folder.join(format!("{name}.test.{extension}")), text));
    make_folder(&directories, &folder, scope)?;
    let kind = if args.lang == Lang::Sh { FileKind::Executable } else { FileKind::Text };
    write_new(&directories, &hook, &hook_text, scope, kind)?;
    if let Some((test, text)) = &test
        && let Err(failure) = write_new(&directories, test, text, scope, FileKind::Text)
    {
        // Half of a pair is not what was asked for.
        let _ = files::target(&directories, &hook).map(|hook| hook.remove());
        return Err(failure);
    }
    // Who asked for these bytes need not be asked about them.
    let trusted = match scope {
        "project" => Some(trust_own(&directories, &hook, &[&hook_text])),
        _ => None,
    };
    let first = match &test {
        Some(_) => format!("snaphook test {}", quoted(&directories.relative(&hook))),
        None => "snaphook list".to_owned(),
    };
    let next = [first.as_str(), args.template.trial(args.lang)];
    if args.json {
        print::json(&json!({
            "hook": hook.display().to_string(),
            "test": test.as_ref().map(|(test, _)| test.display().to_string()),
            "scope": scope,
            "language": extension,
            "template": args.template.name(),
            "trusted": trusted.as_ref().map(Result::is_ok),
            "next": next,
        }));
    } else {
        let hook = directories.relative(&hook);
        let test =
            test.map(|(test, _)| format!("written {}\n", directories.relative(&test))).unwrap_or_default();
        let [first, second] = next;
        let trusted = match trusted {
            None => String::new(),
            Some(Ok(())) => {
                format!("trusted {name} as it was written; after each change: snaphook trust {name}\n")
            }
            Some(Err(why)) => format!("{name} is not trusted: {}\n", print::lines(&why)),
        };
        print::stdout(&format!("written {hook}\n{test}{trusted}Next:\n    {first}\n    {second}\n"));
    }
    Ok(Exit::Fine)
}

fn checked(name: &str) -> Result<&str, Failure> {
    let wrong = |why: &str| Err(Failure::Usage(format!("{name:?} is no name for a hook: {why}")));
    if let Some((plain, extension)) = name.rsplit_once('.')
        && ["lua", "luau", "rhai", "sh"].contains(&extension)
    {
        let language = match extension {
            "rhai" | "sh" => format!(" --lang {extension}"),
            _ => String::new(),
        };
        return wrong(&format!("leave the extension out: snaphook new {plain}{language}"));
    }
    match () {
        () if name.is_empty() => wrong("it is empty"),
        () if name.len() > MAX_NAME_BYTES => wrong(&format!("it is longer than {MAX_NAME_BYTES} letters")),
        () if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) => {
            wrong("it may have letters, digits, - and _")
        }
        () if !name.starts_with(|c: char| c.is_ascii_alphabetic()) => wrong("it has to begin with a letter"),
        () if name.eq_ignore_ascii_case("init") => wrong("init is the first file of a folder hook"),
        () => Ok(name),
    }
}

/// The scope and its folder: the one that was asked for, else the project's, else the user's own.
pub(super) fn target_folder(
    directories: &Directories,
    (project, user): (bool, bool),
) -> Result<(&'static str, PathBuf), Failure> {
    if project || !user && files::project(directories).is_some() {
        return Ok(("project", directories.project_hooks.clone()));
    }
    let none = || {
        Failure::Usage("there is no folder for your own hooks: set HOME or SNAPHOOK_CONFIG_DIR".to_owned())
    };
    directories.user_hooks.clone().map(|folder| ("user", folder)).ok_or_else(none)
}

/// Returns what already goes by this name: a hook in any language, a folder hook, a test.
fn is_there(folder: &Path, name: &str) -> Option<PathBuf> {
    all_there(folder, name).next()
}

/// The same with all that there is.
pub(super) fn all_there(folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let endings = ["", ".lua", ".luau", ".rhai", ".sh", ".test.lua", ".test.luau", ".test.rhai"];
    let paths = endings.map(|ending| folder.join(format!("{name}{ending}")));
    paths.into_iter().filter(|path| path.symlink_metadata().is_ok())
}

/// Makes the folder for hooks of this scope.
///
/// # Errors
/// It cannot be made, or a link leads out of the project.
pub(super) fn make_folder(directories: &Directories, folder: &Path, scope: &str) -> Result<(), Failure> {
    let made: Vec<_> = folder.ancestors().take(2).filter(|folder| !folder.exists()).collect();
    files::make_folder(directories, folder)?;
    if scope == "user" {
        made.into_iter().for_each(own);
    }
    Ok(())
}

/// Takes a folder that was just made for the user's hooks from others, whatever the umask: what they could write would not
/// count.
fn own(folder: &Path) {
    #[cfg(unix)]
    if let Ok(metadata) = folder.metadata() {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode();
        // Where that fails, `snaphook list` tells.
        let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode & !0o022));
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// The files that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Text,
    Executable,
}

fn write_new(
    directories: &Directories,
    path: &Path,
    text: &str,
    scope: &str,
    kind: FileKind,
) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::Usage(format!("{} cannot be written: {error}", path.display()));
    let mode = match kind {
        FileKind::Executable => Mode::Executable,
        FileKind::Text if scope == "user" => Mode::Shared,
        FileKind::Text => Mode::Plain,
    };
    files::target(directories, path)?.create(text.as_bytes(), mode).map_err(failed)
}

/// A path as a shell takes it.
pub(super) fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-~".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for name in ["guard", "no-forced-push", "a", "x_1"] {
            assert_eq!(checked(name).unwrap(), name);
        }
        for (name, why) in [
            ("", "it is empty"),
            ("a b", "letters, digits"),
            ("../x", "letters, digits"),
            ("a/b", "letters, digits"),
            (".hidden", "letters, digits"),
            ("ü", "letters, digits"),
            ("-x", "begin with a letter"),
            ("1x", "begin with a letter"),
            ("Init", "first file of a folder hook"),
            ("guard.lua", "snaphook new guard"),
            ("guard.rhai", "snaphook new guard --lang rhai"),
            ("guard.sh", "snaphook new guard --lang sh"),
            ("guard.test", "letters, digits"),
        ] {
            let told = checked(name).unwrap_err().to_string();
            assert!(told.contains(why), "{name}: {told}");
        }
        assert!(checked(&"x".repeat(65)).unwrap_err().to_string().contains("longer than 64"));
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        assert_eq!(quoted(".snaphook/hooks/guard.lua"), ".snaphook/hooks/guard.lua");
        assert_eq!(quoted("my hooks/it's.lua"), r"'my hooks/it'\''s.lua'");
    }
}
