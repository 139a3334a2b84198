//! What the entries of a hooks folder are, and what `--hook PATH` names. Not here: reading scripts.

use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use snaphook_core::{Problem, Scope};

use super::{Found, Item};
use crate::dirs::Directories;
use crate::display::display_path;
use crate::fault::io_message;
use crate::folder::not_a_script;
use crate::front_matter::{self, FileKind};
use crate::names::{self, Name};
use crate::source::read_up_to;
use crate::walk::{Entry, Unusable, list};

/// How much of an unknown file is looked at for front matter.
const LOOKED_AT_BYTES: u64 = 64 * 1024;

/// A hooks folder that may be absent.
pub(super) fn standard_folder(scope: Scope, folder: &Path, show: &dyn Fn(&Path) -> PathBuf) -> Vec<Item> {
    let shown = show(folder);
    let error = |message: String| {
        vec![Item::Problem(Problem::error(&shown, message).with_help("mend it or remove it"))]
    };
    match std::fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => scan(scope, folder, show),
        Ok(_) => error("is not a folder, so no hook is found in it".to_owned()),
        Err(cause) if cause.kind() == ErrorKind::NotFound => match std::fs::symlink_metadata(folder) {
            Ok(_) => error(Unusable::BrokenLink.message()),
            Err(_) => Vec::new(),
        },
        Err(cause) => error(io_message(&cause)),
    }
}

/// What the user named: a script, a folder hook, or a folder of hooks. It was asked for, so it has to be there.
pub(super) fn adhoc(directories: &Directories, named: &Path) -> Vec<Item> {
    let shown = display_path(named);
    let error =
        |message: String, help: &str| vec![Item::Problem(Problem::error(&shown, message).with_help(help))];
    if named.as_os_str().is_empty() {
        return vec![Item::Problem(Problem::error("--hook", "names no file").with_help("give it a path"))];
    }
    let path = directories.cwd.join(named);
    let file_type = match std::fs::metadata(&path) {
        Ok(metadata) => metadata.file_type(),
        Err(cause) if cause.kind() == ErrorKind::NotFound && std::fs::symlink_metadata(&path).is_ok() => {
            return error(Unusable::BrokenLink.message(), "mend the link");
        }
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            return error("does not exist".to_owned(), "check the path");
        }
        Err(cause) => return error(io_message(&cause), "check the path and its permissions"),
    };
    if !file_type.is_dir() {
        let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (stem, extension) = names::split(&name);
        let Some(language) = names::language(extension) else {
            return error("is not a hook file".to_owned(), "a hook ends in .lua, .luau or .rhai");
        };
        if names::is_test(&name) {
            return error("is a test, not a hook".to_owned(), "run it with `snaphook test`");
        }
        if names::is_test_or_stub(&name) {
            return error("is a type stub, not a hook".to_owned(), "name the hook");
        }
        return vec![Item::Hook(Found {
            scope: Scope::Adhoc,
            path,
            shown,
            folder: None,
            stem: stem.to_owned(),
            extension: extension.to_ascii_lowercase(),
            language,
        })];
    }
    // Shown as it was given, with what was found below it.
    let show = |inner: &Path| match inner.strip_prefix(&path) {
        Ok(inside) if inside.as_os_str().is_empty() => display_path(named),
        Ok(inside) => display_path(&named.join(inside)),
        Err(_) => display_path(inner),
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.or_else(|| {
        let real = std::fs::canonicalize(&path).ok()?;
        Some(real.file_name()?.to_string_lossy().into_owned())
    });
    match folder_hook(Scope::Adhoc, &path, &name.unwrap_or_default(), &show) {
        Folder::Items(items) => items,
        Folder::NoHook { .. } => {
            let items = scan(Scope::Adhoc, &path, &show);
            let denies = |item: &Item| match item {
                Item::Hook(_) => true,
                Item::Problem(problem) => problem.severity == snaphook_core::Severity::Error,
            };
            if items.iter().any(denies) {
                return items;
            }
            items.into_iter().chain(error("holds no hook".to_owned(), "check the path")).collect()
        }
    }
}

/// The hooks of a folder in natural order, not those of its subfolders.
fn scan(scope: Scope, folder: &Path, show: &dyn Fn(&Path) -> PathBuf) -> Vec<Item> {
    let entries = match list(folder) {
        Ok(entries) => entries,
        Err(unusable) => {
            let problem = Problem::error(show(folder), unusable.message());
            return vec![Item::Problem(problem.with_help("mend its permissions or remove it"))];
        }
    };
    entries.into_iter().flat_map(|entry| judge(scope, entry, show)).collect()
}

fn judge(scope: Scope, entry: Entry, show: &dyn Fn(&Path) -> PathBuf) -> Vec<Item> {
    let shown = show(&entry.path);
    let one = |problem: Problem| vec![Item::Problem(problem)];
    let name = names::judge(&entry.name);
    if name == Name::Skip {
        return Vec::new();
    }
    if name == Name::HiddenScript {
        return one(Problem::note(shown, "is hidden by its leading dot and not loaded"));
    }
    let file_type = match entry.kind {
        Ok(file_type) => file_type,
        // The folder itself, listed already: no hook can hide behind it.
        Err(Unusable::Loop) => {
            return one(Problem::warning(shown, Unusable::Loop.message()).with_help("remove it"));
        }
        Err(unusable) => {
            let problem = Problem::error(shown, unusable.message());
            return one(problem.with_help("mend it or remove it: it may have been a hook"));
        }
    };
    if !entry.is_utf8 && (file_type.is_dir() || matches!(name, Name::Script(_))) {
        return one(Problem::error(shown, "has a file name that is not UTF-8").with_help("rename it"));
    }
    if file_type.is_dir() {
        return match folder_hook(scope, &entry.path, &entry.name, show) {
            Folder::Items(items) => items,
            Folder::NoHook { .. } if matches!(name, Name::Script(_)) => {
                one(not_a_script(file_type).into_error(shown))
            }
            Folder::NoHook { scripts: true } => {
                one(Problem::note(shown, "holds scripts but no init script, so none of them is a hook")
                    .with_help("folders are not searched: move the scripts up, or add an init script"))
            }
            Folder::NoHook { scripts: false } => Vec::new(),
        };
    }
    match name {
        Name::Script(language) => {
            let (stem, extension) = names::split(&entry.name);
            vec![Item::Hook(Found {
                scope,
                shown,
                folder: None,
                stem: stem.to_owned(),
                extension: extension.to_ascii_lowercase(),
                language,
                path: entry.path,
            })]
        }
        Name::NearMiss(meant) => {
            one(Problem::warning(shown, "is not loaded: its name does not end like a hook's")
                .with_help(format!("did you mean `.{meant}`?")))
        }
        _ => one(other_file(&entry.path, &entry.name, file_type, shown)),
    }
}

/// A file with a name of no known kind: an executable hook when it has front matter.
fn other_file(path: &Path, name: &str, file_type: FileType, shown: PathBuf) -> Problem {
    let not_a_hook = Problem::note(&shown, "is not a hook file");
    if !file_type.is_file() {
        return not_a_hook;
    }
    let executable = is_executable(path);
    let bytes = match read_up_to(path, LOOKED_AT_BYTES) {
        Ok(bytes) => bytes,
        Err(fault) if executable => return fault.into_error(shown),
        Err(_) => return not_a_hook,
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let has_front_matter = !matches!(front_matter::split(text, FileKind::Executable), Ok(None));
    let yaml = matches!(names::split(name).1.to_ascii_lowercase().as_str(), "yaml" | "yml");
    match (has_front_matter, executable) {
        (true, true) => {
            Problem::error(shown, "is an executable hook, which this version of snaphook cannot run")
                .with_help("write it as a script, or move it out of the hooks folder")
        }
        (true, false) if !yaml => {
            Problem::warning(shown, "has front matter but is not executable, so it is no hook")
                .with_help("make it executable, or move it out of the hooks folder")
        }
        _ => not_a_hook,
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// Without permission bits every file may be one.
#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

enum Folder {
    Items(Vec<Item>),
    NoHook { scripts: bool },
}

/// A folder as one hook: the one with an init script.
fn folder_hook(scope: Scope, folder: &Path, name: &str, show: &dyn Fn(&Path) -> PathBuf) -> Folder {
    let one = |problem: Problem| Folder::Items(vec![Item::Problem(problem)]);
    let entries = match list(folder) {
        Ok(entries) => entries,
        Err(unusable) => {
            let problem = Problem::error(show(folder), unusable.message());
            return one(problem.with_help("mend it or remove it: it may be a hook"));
        }
    };
    let mut inits = entries.iter().filter(|entry| names::is_init(&entry.name));
    let Some(init) = inits.next() else {
        let scripts = entries.iter().any(|entry| matches!(names::judge(&entry.name), Name::Script(_)));
        return Folder::NoHook { scripts };
    };
    if let Some(second) = inits.next() {
        let message = format!("has two entry scripts, {} and {}", init.name, second.name);
        return one(Problem::error(show(folder), message).with_help("keep one of them"));
    }
    let shown = show(&init.path);
    match &init.kind {
        Err(unusable) => {
            return one(Problem::error(shown, unusable.message()).with_help("mend it or remove it"));
        }
        Ok(file_type) if file_type.is_dir() => return one(not_a_script(*file_type).into_error(shown)),
        Ok(_) => {}
    }
    let extension = names::split(&init.name).1;
    let Some(language) = names::language(extension) else { return Folder::NoHook { scripts: false } };
    Folder::Items(vec![Item::Hook(Found {
        scope,
        path: init.path.clone(),
        shown,
        folder: Some(folder.to_owned()),
        stem: name.to_owned(),
        extension: extension.to_ascii_lowercase(),
        language,
    })])
}
