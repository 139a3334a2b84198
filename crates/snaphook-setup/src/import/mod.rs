//! `snaphook import`: hooks of Discobot, iteratr and marvin, explained and copied. Each product has a module that says what its
//! files come to (`imported_file`); here is writing them: all checks first, then all files or none.

mod discobot;
mod imported_file;
mod iteratr;
mod marvin;

use std::path::{Path, PathBuf};

use snaphook::Product;
use snaphook_discovery::replace::{Mode, Target};
use snaphook_discovery::{Directories, natural_cmp};

pub use imported_file::{Fate, ImportedFile};

use crate::install::backup;
use crate::{SetupError, files};

/// The files of a product.
#[derive(Debug)]
pub struct ImportReport {
    /// Every file, in natural order.
    pub files: Vec<ImportedFile>,
    /// True if the copies were written.
    pub is_written: bool,
}

impl ImportReport {
    /// Returns the files that are copied.
    pub fn copies(&self) -> impl Iterator<Item = (&ImportedFile, &Path)> {
        self.files.iter().filter_map(|file| match &file.fate {
            Fate::Copied { to, .. } => Some((file, to.as_path())),
            Fate::Left(_) | Fate::Wrong(_) => None,
        })
    }

    /// Returns the number of files that keep all others from being imported.
    pub fn wrong(&self) -> usize {
        self.files.iter().filter(|file| matches!(file.fate, Fate::Wrong(_))).count()
    }
}

/// Imports the hooks of a product: from its own place, or from `from`. A dry run writes nothing, and so does one with a file
/// that is wrong.
///
/// # Errors
/// The product has no hooks there, or a file cannot be written: then none is.
pub fn import(
    directories: &Directories,
    product: Product,
    from: Option<PathBuf>,
    is_dry: bool,
) -> Result<ImportReport, SetupError> {
    let _alone = (!is_dry).then(|| backup::lock(directories)).transpose()?;
    let files = files_of(product, directories, from)?.into_iter().map(ImportedFile::checked).collect();
    let mut report = ImportReport { files, is_written: false };
    if !is_dry && report.wrong() == 0 {
        write_all(directories, &report.files)?;
        report.is_written = true;
    }
    Ok(report)
}

fn files_of(
    product: Product,
    directories: &Directories,
    from: Option<PathBuf>,
) -> Result<Vec<ImportedFile>, SetupError> {
    let root = &directories.project_root;
    let ours = &directories.project_hooks;
    let is_named = from.is_some();
    let nothing = |looked| Err(SetupError::NothingToImport { product, looked, is_named });
    if product == Product::Iteratr {
        let named = from.unwrap_or_else(|| root.clone());
        let file = if named.is_dir() { named.join(iteratr::FILE) } else { named };
        if !file.is_file() {
            return nothing(vec![file]);
        }
        return Ok(vec![iteratr::file(file, root.join(".snaphook/lifecycle.yml"))]);
    }
    let places: Vec<(PathBuf, PathBuf)> = match (product, from) {
        (Product::Marvin, None) => {
            let home = directories.home.as_ref().map(|home| home.join(".config/marvin/hooks"));
            let user = home.zip(directories.user_hooks.clone());
            user.into_iter().chain([(root.join(".marvin/hooks"), ours.clone())]).collect()
        }
        (_, Some(from)) => vec![(from, ours.clone())],
        (_, None) => vec![(root.join(".discobot/hooks"), ours.clone())],
    };
    let there: Vec<_> = places.iter().filter(|(folder, _)| folder.is_dir()).collect();
    if there.is_empty() {
        return nothing(places.into_iter().map(|(folder, _)| folder).collect());
    }
    let mut all = Vec::new();
    for (folder, to) in there {
        let entries = entries(folder)?.into_iter();
        match product {
            Product::Marvin => all.extend(entries.map(|path| marvin::file(path, to))),
            _ => all.extend(entries.map(|path| discobot::file(path, to))),
        }
    }
    Ok(all)
}

/// Returns what is in a folder, in natural order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, SetupError> {
    let entries = std::fs::read_dir(folder).and_then(|all| all.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> =
        entries.map_err(|source| SetupError::Read { path: folder.to_owned(), source })?;
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    paths.sort_by(|a, b| natural_cmp(&name(a), &name(b)));
    Ok(paths)
}

/// Writes every file, none in the place of another. If one fails, all are removed again.
fn write_all(directories: &Directories, items: &[ImportedFile]) -> Result<(), SetupError> {
    let mut targets: Vec<(Target, &[u8], Mode)> = Vec::new();
    for item in items {
        let Fate::Copied { to, bytes, executable } = &item.fate else { continue };
        let mode = if *executable { Mode::Executable } else { Mode::Shared };
        targets.push((files::target(directories, to)?, bytes, mode));
    }
    let mut done: Vec<&Target> = Vec::new();
    for (target, bytes, mode) in &targets {
        if let Err(source) = target.create(bytes, *mode) {
            for target in done {
                let _ = target.remove();
            }
            return Err(SetupError::Import { path: target.path().to_owned(), source });
        }
        done.push(target);
    }
    Ok(())
}
