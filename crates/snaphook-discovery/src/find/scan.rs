//! The kinds of entries in a hooks folder, and the file that `--hook PATH` names. Not here: reading scripts.

use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use snaphook_core::{Problem, Product, Scope};

use super::{FoundHook, Item, NoHook};
use crate::candidate::Language;
use crate::diagnostic::{Diagnostic, io_message};
use crate::dirs::Directories;
use crate::display::display_path;
use crate::file_bytes::read_up_to;
use crate::front_matter::{self, FileKind};
use crate::names::{self, Name};
use crate::package_dir::not_a_script;
use crate::walk::{Entry, Unusable, list};

/// The amount of an unknown file that is looked at for front matter.
const LOOKED_AT_BYTES: u64 = 64 * 1024;

/// A hooks folder that may be absent.
pub(super) fn standard_folder(
    of: (Product, Scope),
    folder: &Path,
    show: &dyn Fn(&Path) -> PathBuf,
) -> Vec<Item> {
    let shown = show(folder);
    let error = |message: String| {
        vec![Item::Problem(Problem::error(&shown, message).with_help("fix it or remove it"))]
    };
    let looked = match std::fs::symlink_metadata(folder) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Vec::new(),
        Ok(link) if link.is_symlink() => std::fs::metadata(folder),
        looked => looked,
    };
    match looked {
        Ok(metadata) if metadata.is_dir() => scan(of, folder, show),
        Ok(_) => error("is not a folder, so no hook is found in it".to_owned()),
        Err(cause) if cause.kind() == ErrorKind::NotFound => error(Unusable::BrokenLink.message()),
        Err(cause) => error(io_message(&cause)),
    }
}

/// Returns what the user named: a script, a folder hook, or a folder of hooks. It was asked for, so it has to be there.
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
            return error(Unusable::BrokenLink.message(), "fix the link");
        }
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            return error("does not exist".to_owned(), "check the path");
        }
        Err(cause) => return error(io_message(&cause), "check the path and its permissions"),
    };
    if !file_type.is_dir() {
        return vec![adhoc_file(named, path, shown, file_type)];
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
    let of = (Product::Snaphook, Scope::Adhoc);
    match folder_hook(of, &path, &name.unwrap_or_default(), &show) {
        Folder::Items(items) => items,
        Folder::NoHook { .. } => {
            let items = scan(of, &path, &show);
            if items.iter().any(Item::denies) {
                return items;
            }
            items.into_iter().chain(error("holds no hook".to_owned(), "check the path")).collect()
        }
    }
}

/// One file that the user named.
fn adhoc_file(named: &Path, path: PathBuf, shown: PathBuf, file_type: FileType) -> Item {
    let error = |message: String, help: &str| Item::Problem(Problem::error(&shown, message).with_help(help));
    let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if names::is_test(&name) {
        return error("is a test, not a hook".to_owned(), "run it with `snaphook test`");
    }
    if names::is_test_or_stub(&name) {
        return error("is a type stub, not a hook".to_owned(), "name the hook");
    }
    let language = match names::language(names::split(&name).1) {
        Some(language) => language,
        None => match look(&path, file_type) {
            Look::Hook => Language::Executable,
            Look::Unreadable(diagnostic) => return Item::Problem(diagnostic.into_error(shown)),
            Look::NoShebang => return error(NO_SHEBANG.to_owned(), "begin it with `#!` and its interpreter"),
            Look::LostBit => return error(LOST_BIT.to_owned(), "make it executable (`chmod +x`)"),
            Look::NotExecutable => return error(NOT_EXECUTABLE.to_owned(), "make it executable"),
            Look::Other => {
                let help = "a hook ends in .lua, .luau or .rhai, or is an executable with front matter";
                return error("is not a hook file".to_owned(), help);
            }
        },
    };
    let of = (Product::Snaphook, Scope::Adhoc);
    Item::Hook(FoundHook::file(of, None, language, path, shown))
}

/// The hooks of a folder in natural order, not those of its subfolders.
fn scan(of: (Product, Scope), folder: &Path, show: &dyn Fn(&Path) -> PathBuf) -> Vec<Item> {
    let entries = match list(folder) {
        Ok(entries) => entries,
        Err(unusable) => {
            let problem = Problem::error(show(folder), unusable.message());
            return vec![Item::Problem(problem.with_help("fix its permissions or remove it"))];
        }
    };
    let judged = |entry| match of.0 {
        Product::Discobot => judge_theirs(of, folder, entry, show),
        _ => judge(of, folder, entry, show),
    };
    let one = |entry: Entry| {
        let no_hook = (of.1 == Scope::Project).then(|| NoHook {
            product: of.0,
            hooks: folder.to_owned(),
            name: entry.name.clone(),
            shown: show(&entry.path),
        });
        let mut items = judged(entry);
        items.extend(no_hook.filter(|_| !items.iter().any(Item::denies)).map(Item::NoHook));
        items
    };
    entries.into_iter().flat_map(one).collect()
}

/// An entry of a folder in which every file that may be executed can be a hook, whatever its name.
fn judge_theirs(
    of: (Product, Scope),
    folder: &Path,
    entry: Entry,
    show: &dyn Fn(&Path) -> PathBuf,
) -> Vec<Item> {
    let shown = show(&entry.path);
    let file_type = match entry.kind {
        _ if entry.name.starts_with('.') => return Vec::new(),
        Ok(file_type) if file_type.is_dir() => return Vec::new(),
        Ok(file_type) => file_type,
        Err(Unusable::Loop) => return Vec::new(),
        Err(unusable) => {
            let problem = Problem::error(shown, unusable.message());
            return vec![Item::Problem(problem.with_help("fix it or remove it: it may have been a hook"))];
        }
    };
    let looked = match look(&entry.path, file_type) {
        Look::Hook if !entry.is_utf8 => {
            let problem = Problem::error(shown, "has a file name that is not UTF-8");
            return vec![Item::Problem(problem.with_help("rename it"))];
        }
        // It is no hook there either.
        Look::Hook if !names_a_type(&entry.path) => {
            let message =
                "has front matter without a `type` of session, file or pre-commit, so it is no hook";
            return vec![Item::Problem(Problem::warning(shown, message))];
        }
        looked => looked,
    };
    match looked {
        Look::Hook => {
            let language = Language::Executable;
            vec![Item::Hook(FoundHook::file(of, Some(folder), language, entry.path, shown))]
        }
        Look::Unreadable(diagnostic) => vec![Item::Problem(diagnostic.into_error(shown))],
        Look::NoShebang => vec![Item::Problem(Problem::warning(shown, NO_SHEBANG))],
        Look::LostBit | Look::NotExecutable => vec![Item::Problem(Problem::warning(shown, NOT_EXECUTABLE))],
        Look::Other => vec![Item::Problem(Problem::note(shown, "is not a hook file"))],
    }
}

/// Returns true where the front matter names a type or an event that exists. Other errors are reported when it is read.
fn names_a_type(path: &Path) -> bool {
    let Ok(bytes) = read_up_to(path, LOOKED_AT_BYTES) else { return true };
    front_matter::may_be_hook(&String::from_utf8_lossy(&bytes))
}

/// Returns what an unreadable hook of Discobot's is for, as far as its lines say it.
pub(super) fn legible(path: &Path) -> front_matter::Legible {
    match read_up_to(path, LOOKED_AT_BYTES) {
        Ok(bytes) => front_matter::legible(&String::from_utf8_lossy(&bytes)),
        Err(_) => front_matter::Legible::Event,
    }
}

fn judge(of: (Product, Scope), folder: &Path, entry: Entry, show: &dyn Fn(&Path) -> PathBuf) -> Vec<Item> {
    let shown = show(&entry.path);
    let one = |problem: Problem| vec![Item::Problem(problem)];
    let name = names::judge(&entry.name);
    let file = matches!(&entry.kind, Ok(file_type) if file_type.is_file());
    if name == Name::Skip || (name == Name::Data && !file) {
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
            return one(problem.with_help("fix it or remove it: it may have been a hook"));
        }
    };
    if !entry.is_utf8 && (file_type.is_dir() || matches!(name, Name::Script(_))) {
        return one(Problem::error(shown, "has a file name that is not UTF-8").with_help("rename it"));
    }
    if file_type.is_dir() {
        return match folder_hook(of, &entry.path, &entry.name, show) {
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
    let extension = names::split(&entry.name).1;
    let found = |language: Language| {
        vec![Item::Hook(FoundHook::file(of, Some(folder), language, entry.path.clone(), shown.clone()))]
    };
    match name {
        Name::Script(language) => found(language),
        Name::NearMiss(meant) => {
            one(Problem::warning(shown, "is not loaded: its name does not end like a hook's")
                .with_help(format!("did you mean `.{meant}`?")))
        }
        _ if of.0 == Product::Marvin && is_typescript(extension) => one(
            Problem::warning(shown, "is a hook in TypeScript, which snaphook does not run")
                .with_help("port it: `marvin.on(\"tool_call\", …)` becomes `on(\"tool_call\", …)` in Lua or Rhai; see docs/commands.md"),
        ),
        // Not even opened: there may be many, and large ones.
        Name::Data if !is_executable(&entry.path) => Vec::new(),
        name => match look(&entry.path, file_type) {
            Look::Hook if entry.is_utf8 => found(Language::Executable),
            Look::Hook => one(Problem::error(shown, "has a file name that is not UTF-8").with_help("rename it")),
            _ if name == Name::Data => Vec::new(),
            Look::Unreadable(diagnostic) => one(diagnostic.into_error(shown)),
            Look::NoShebang => one(Problem::error(shown, NO_SHEBANG)
                .with_help("begin it with `#!` and its interpreter, or move it out of the hooks folder")),
            Look::LostBit => one(Problem::error(shown, LOST_BIT)
                .with_help("make it executable (`chmod +x`), or move it out of the hooks folder")),
            Look::NotExecutable if is_yaml(extension) => one(Problem::note(shown, "is not a hook file")),
            Look::NotExecutable => one(Problem::warning(shown, NOT_EXECUTABLE)
                .with_help("make it executable, or move it out of the hooks folder")),
            Look::Other => one(Problem::note(shown, "is not a hook file")),
        },
    }
}

const NO_SHEBANG: &str = "is executable and has front matter, but no `#!` line, so it is no hook";
const LOST_BIT: &str = "has a `#!` line and front matter but is not executable, so it cannot run";
const NOT_EXECUTABLE: &str = "has front matter but is not executable, so it is no hook";

fn is_typescript(extension: &str) -> bool {
    matches!(extension.to_ascii_lowercase().as_str(), "ts" | "mts" | "cts" | "tsx")
}

fn is_yaml(extension: &str) -> bool {
    matches!(extension.to_ascii_lowercase().as_str(), "yaml" | "yml")
}

/// The kind of a file whose name says nothing.
enum Look {
    /// An executable with a `#!` line and front matter.
    Hook,
    /// It may be executed, and cannot be read.
    Unreadable(Diagnostic),
    /// It has all but the `#!` line.
    NoShebang,
    /// It has all but the executable bit, which is lost by many ways to copy a file: it may be a gate.
    LostBit,
    /// It has front matter, and may not be executed.
    NotExecutable,
    /// Something else.
    Other,
}

fn look(path: &Path, file_type: FileType) -> Look {
    if !file_type.is_file() {
        return Look::Other;
    }
    let executable = is_executable(path);
    let bytes = match read_up_to(path, LOOKED_AT_BYTES) {
        Ok(bytes) => bytes,
        Err(diagnostic) if executable => return Look::Unreadable(diagnostic),
        Err(_) => return Look::Other,
    };
    let text = String::from_utf8_lossy(&bytes);
    let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if matches!(front_matter::split(plain, FileKind::Executable), Ok(None)) {
        return Look::Other;
    }
    match (executable, text.starts_with("#!")) {
        (true, true) => Look::Hook,
        (true, false) => Look::NoShebang,
        (false, true) => Look::LostBit,
        (false, false) => Look::NotExecutable,
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
fn folder_hook(
    (product, scope): (Product, Scope),
    folder: &Path,
    name: &str,
    show: &dyn Fn(&Path) -> PathBuf,
) -> Folder {
    let one = |problem: Problem| Folder::Items(vec![Item::Problem(problem)]);
    let entries = match list(folder) {
        Ok(entries) => entries,
        Err(unusable) => {
            let problem = Problem::error(show(folder), unusable.message());
            return one(problem.with_help("fix it or remove it: it may be a hook"));
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
            return one(Problem::error(shown, unusable.message()).with_help("fix it or remove it"));
        }
        Ok(file_type) if file_type.is_dir() => return one(not_a_script(*file_type).into_error(shown)),
        Ok(_) => {}
    }
    let extension = names::split(&init.name).1;
    let Some(language) = names::language(extension) else { return Folder::NoHook { scripts: false } };
    Folder::Items(vec![Item::Hook(FoundHook {
        scope,
        path: init.path.clone(),
        shown,
        folder: Some(folder.to_owned()),
        stem: name.to_owned(),
        extension: extension.to_ascii_lowercase(),
        language,
        product,
        hooks: folder.parent().filter(|_| scope != Scope::Adhoc).map(Path::to_owned),
    })])
}
