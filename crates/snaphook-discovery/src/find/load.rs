//! Reading one found hook into a candidate. Not here: finding it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use snaphook_core::{Grants, HookRef, Problem, Product, Severity};

use super::FoundHook;
use crate::candidate::{Candidate, Language};
use crate::diagnostic::{Diagnostic, io_message};
use crate::display::display_path;
use crate::file_bytes::{decode, read_seen};
use crate::front_matter::{self, FileKind, FrontMatter};
use crate::package_dir::{Module, read_modules};

/// A hook that was read.
pub(super) struct Loaded {
    pub(super) candidate: Candidate,
    pub(super) warnings: Vec<Problem>,
    /// The metadata of its one file when it was read; `None` of a folder.
    pub(super) read: Option<Metadata>,
}

/// Reads a hook whole, or says why it cannot be had. `seen` is what is at its path, links not followed, where the caller just
/// looked.
pub(super) fn load(
    found: &FoundHook,
    resolved: &Path,
    seen: Option<&Metadata>,
    id: String,
) -> Result<Loaded, Vec<Problem>> {
    let kind = match found.language {
        Language::Lua => FileKind::Lua,
        Language::Rhai => FileKind::Rhai,
        Language::Executable | Language::Lifecycle | Language::McpServer => FileKind::Executable,
    };
    let mut read = None;
    let (entry_name, files) = match &found.folder {
        None => {
            let (bytes, metadata) =
                read_seen(resolved, seen).map_err(|diagnostic| vec![diagnostic.into_error(&found.shown)])?;
            read = Some(metadata);
            let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let module = Module { relative: name.clone(), bytes };
            (name, vec![module])
        }
        Some(folder) => read_folder(found, folder)?,
    };

    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    let mut entry = None;
    let mut modules = BTreeMap::new();
    let mut raw = BTreeMap::new();
    for Module { relative, bytes } in files {
        let is_entry = relative == entry_name;
        let shown = if is_entry { found.shown.clone() } else { beside(found, Path::new(&relative)) };
        match decode(&bytes) {
            Err(diagnostic) => problems.push(diagnostic.into_error(shown)),
            Ok(text) if is_entry => match read_entry(text, kind, found.product) {
                Ok((source, front_matter, diagnostics)) => {
                    let one =
                        |(severity, diagnostic): (_, Diagnostic)| diagnostic.into_problem(severity, &shown);
                    warnings.extend(diagnostics.into_iter().map(one));
                    entry = Some((source, front_matter));
                }
                Err(diagnostics) => problems
                    .extend(diagnostics.into_iter().map(|diagnostic| diagnostic.into_error(shown.clone()))),
            },
            Ok(text) => {
                modules.insert(relative.clone(), shared(text, front_matter::blank(text, None, kind)));
            }
        }
        raw.insert(relative, Arc::from(bytes));
    }
    let Some((source, front_matter)) = entry.filter(|_| problems.is_empty()) else { return Err(problems) };
    let name = front_matter.name.clone().unwrap_or_else(|| id.clone());
    let candidate = Candidate {
        hook: HookRef::new(id, name, found.scope, &found.shown),
        path: resolved.to_owned(),
        language: found.language,
        source,
        modules: found.folder.is_some().then_some(modules),
        raw,
        executable: front_matter.executable.clone().map(Arc::new),
        front_matter,
    };
    Ok(Loaded { candidate, warnings, read })
}

/// Every script of a folder hook, and which of them is the entry.
fn read_folder(found: &FoundHook, folder: &Path) -> Result<(String, Vec<Module>), Vec<Problem>> {
    let resolved = std::fs::canonicalize(folder)
        .map_err(|error| vec![Problem::error(&found.shown, io_message(&error))])?;
    let files = read_modules(&resolved, found.language, &|path| {
        beside(found, path.strip_prefix(&resolved).unwrap_or(path))
    })?;
    let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if files.iter().any(|file| file.relative == name) {
        return Ok((name, files));
    }
    Err(vec![Problem::error(&found.shown, "was removed while it was read").with_help("try again")])
}

/// A path relative to a folder hook as people see it: through the folder as it was found, not to where links lead.
fn beside(found: &FoundHook, relative: &Path) -> PathBuf {
    let folder = found.shown.parent().unwrap_or(Path::new(""));
    // Joining nothing would leave a slash at the end.
    if relative.as_os_str().is_empty() { folder.to_owned() } else { display_path(&folder.join(relative)) }
}

type Entry = (Arc<str>, FrontMatter, Vec<(Severity, Diagnostic)>);

/// The entry script's text for the engine, its front matter, and what is to be said of it.
fn read_entry(text: &str, kind: FileKind, product: Product) -> Result<Entry, Vec<Diagnostic>> {
    let block = front_matter::split(text, kind).map_err(|diagnostic| vec![diagnostic])?;
    let read = block.as_ref().map(|block| front_matter::parse_for(block, kind, product)).transpose()?;
    let (front_matter, remarks) = read.map_or((None, Vec::new()), |(read, remarks)| (Some(read), remarks));
    let mut said: Vec<_> = remarks.into_iter().map(|diagnostic| (Severity::Note, diagnostic)).collect();
    if kind == FileKind::Executable {
        let front_matter = front_matter.unwrap_or_default();
        is_whole(&front_matter, block.map_or(1, |block| block.open))?;
        // Not blanked: it is compared with what is there when it runs.
        return Ok((Arc::from(text), front_matter, said));
    }
    let source = shared(text, front_matter::blank(text, block.as_ref(), kind));
    if text.trim().is_empty() {
        let diagnostic = Diagnostic::new("is empty, so it answers no event");
        said.push((Severity::Warning, diagnostic.help("write a handler, or remove the file")));
    } else if front_matter.is_none()
        && let Some(line) = front_matter::misplaced(text, kind)
    {
        let diagnostic =
            Diagnostic::at(line, "looks like front matter, which is read at the top of the file only");
        said.push((Severity::Warning, diagnostic.help("move it to the first line")));
    }
    Ok((source, front_matter.unwrap_or_default(), said))
}

/// Checks whether the front matter is that of an executable hook.
fn is_whole(front_matter: &FrontMatter, line: u32) -> Result<(), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    if front_matter.executable.is_none() {
        diagnostics.push(Diagnostic::at(line, "says of no event that it is for it").help(
            "name one: `event: tool_call`, or `type: session`, `type: file` with a `pattern`, `type: pre-commit`",
        ));
    }
    if front_matter.grants != Grants::default() {
        let diagnostic =
            Diagnostic::at(line, "`grants` are for scripts: nothing holds an executable to them");
        diagnostics.push(diagnostic.help("remove them: an executable can do whatever you can"));
    }
    if !front_matter.examples.is_empty() {
        diagnostics.push(Diagnostic::at(line, "`examples` are for scripts").help("remove them"));
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

fn shared(text: &str, blanked: Option<String>) -> Arc<str> {
    blanked.map_or_else(|| Arc::from(text), Arc::from)
}
