//! Folder hooks: every script under `name/` is read with the entry script, so that `require` and `import` never
//! touch the disk and a content hash covers all of it. Not here: which folders are hooks (`find`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_core::Problem;

use crate::candidate::Language;
use crate::diagnostic::Diagnostic;
use crate::file_bytes::{decode, read_source};
use crate::front_matter::{self, FileKind};
use crate::names;
use crate::walk::{explain, walker};
use snaphook_state::plain_fs::kind;

/// Scripts in one folder, the entry included.
const MAX_FILES: usize = 256;
/// All scripts of one folder together.
const MAX_TOTAL_BYTES: usize = 4 * 1024 * 1024;
/// Folders below the hook's, its own counted.
const MAX_DEPTH: usize = 8;
/// Names that are looked at, scripts or not.
const MAX_NAMES: usize = 10_000;

/// A script of a folder hook as it was read.
pub(crate) struct Module {
    /// Relative to the folder, with `/`.
    pub(crate) relative: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads the scripts of a language under a resolved folder, the entry among them, by relative path. Tests, type
/// stubs and hidden names are left out. A single fault means that the hook cannot load whole, so it does not load.
pub(crate) fn read_modules(
    folder: &Path,
    language: Language,
    shown: &dyn Fn(&Path) -> PathBuf,
) -> Result<Vec<Module>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut modules = Vec::new();
    let mut total = 0;
    let mut seen = 0_usize;
    let walk = walker(folder)
        .follow_links(false)
        .max_depth(Some(MAX_DEPTH + 1))
        .sort_by_file_name(|a, b| a.cmp(b))
        .filter_entry(|entry| entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .build();
    for item in walk {
        let entry = match item {
            Ok(entry) => entry,
            Err(error) => {
                let (path, unusable) = explain(&error);
                problems.push(Problem::error(shown(path.as_deref().unwrap_or(folder)), unusable.message()));
                continue;
            }
        };
        seen += 1;
        if seen > MAX_NAMES || modules.len() > MAX_FILES || total > MAX_TOTAL_BYTES {
            break;
        }
        if entry.depth() == 0 {
            continue;
        }
        let is_folder = entry.file_type().is_some_and(|file_type| file_type.is_dir());
        match wanted(entry.path(), entry.path_is_symlink(), is_folder, entry.depth(), folder, language) {
            Ok(None) => {}
            Ok(Some((relative, path))) => match read_source(&path) {
                Ok(bytes) => {
                    total += bytes.len();
                    modules.push(Module { relative, bytes });
                }
                Err(diagnostic) => problems.push(diagnostic.into_error(shown(entry.path()))),
            },
            Err(diagnostic) => problems.push(diagnostic.into_error(shown(entry.path()))),
        }
    }
    let limit = if seen > MAX_NAMES {
        Some(format!("holds more than {MAX_NAMES} files and folders"))
    } else if modules.len() > MAX_FILES {
        Some(format!("holds more than {MAX_FILES} scripts"))
    } else if total > MAX_TOTAL_BYTES {
        Some("holds more than 4 MiB of scripts".to_owned())
    } else {
        None
    };
    if let Some(limit) = limit {
        problems.push(
            Problem::error(shown(folder), limit).with_help("keep only the hook's own scripts in its folder"),
        );
    }
    if problems.is_empty() { Ok(modules) } else { Err(problems) }
}

/// The scripts of a language in a folder and below it, as their engine takes them, by relative path with `/`: what a test
/// that is in the folder may `require`. Tests, type stubs and hidden names are left out.
///
/// # Errors
/// What cannot be read; too many scripts.
pub fn read_scripts(
    folder: &Path,
    language: Language,
    shown: &dyn Fn(&Path) -> PathBuf,
) -> Result<BTreeMap<String, Arc<str>>, Vec<Problem>> {
    let mut scripts = BTreeMap::new();
    let mut problems = Vec::new();
    let kind = match language {
        Language::Lua => FileKind::Lua,
        Language::Rhai => FileKind::Rhai,
        Language::Executable | Language::Lifecycle | Language::McpServer => FileKind::Executable,
    };
    for Module { relative, bytes } in read_modules(folder, language, shown)? {
        match decode(&bytes) {
            Ok(text) => {
                let source = front_matter::blank(text, None, kind).map_or_else(|| Arc::from(text), Arc::from);
                scripts.insert(relative, source);
            }
            Err(diagnostic) => problems.push(diagnostic.into_error(shown(&folder.join(&relative)))),
        }
    }
    if problems.is_empty() { Ok(scripts) } else { Err(problems) }
}

/// The relative name and the resolved path of a script that belongs to the hook.
fn wanted(
    path: &Path,
    is_link: bool,
    is_folder: bool,
    depth: usize,
    folder: &Path,
    language: Language,
) -> Result<Option<(String, PathBuf)>, Diagnostic> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let script = names::language(names::split(&name).1) == Some(language) && !names::is_test_or_stub(&name);
    if depth > MAX_DEPTH && (is_folder || script) {
        return Err(Diagnostic::new(format!("is more than {MAX_DEPTH} folders deep")).help("move it up"));
    }
    if is_link {
        return linked(path, script, folder);
    }
    if !script || is_folder {
        return Ok(None);
    }
    Ok(Some((relative_name(path, folder)?, path.to_owned())))
}

/// A link in the folder: fine when it leads to a script inside, of no interest when it leads to other data.
fn linked(path: &Path, script: bool, folder: &Path) -> Result<Option<(String, PathBuf)>, Diagnostic> {
    let target = match std::fs::canonicalize(path) {
        Ok(target) => target,
        Err(_) if script => {
            return Err(Diagnostic::new("is a broken link").help("fix it or remove it"));
        }
        // Not followed, whatever it was meant to lead to; a script behind it would fail to be required.
        Err(_) => return Ok(None),
    };
    let is_folder = target.is_dir();
    if !is_folder && !script {
        return Ok(None);
    }
    if !target.starts_with(folder) {
        return Err(Diagnostic::new("is a link that leaves the hook's folder")
            .help("copy what it leads to into the folder"));
    }
    if is_folder {
        return Err(Diagnostic::new("is a link to a folder, which is not followed")
            .help("replace the link by the folder"));
    }
    Ok(Some((relative_name(path, folder)?, target)))
}

fn relative_name(path: &Path, folder: &Path) -> Result<String, Diagnostic> {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let parts = inside.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>();
    parts.map(|parts| parts.join("/")).ok_or_else(|| {
        Diagnostic::new("has a file name that is not UTF-8").help("rename it, so that it can be required")
    })
}

/// Returns what is where a script should be.
pub(crate) fn not_a_script(file_type: std::fs::FileType) -> Diagnostic {
    Diagnostic::new(format!("is {}, not a script", kind(file_type)))
        .help("a hook is a regular file, or a folder with an init script")
}
