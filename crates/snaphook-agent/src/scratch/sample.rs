//! The sample project, embedded file by file.
//!
//! `include_dir` and `rust-embed` were compared: both add a procedural macro for a dozen lines, neither keeps the executable
//! bit, and both take whatever lies in the folder. A table does without, and a test holds it complete.

use std::path::Path;

use super::ScratchError;

/// A file of the sample: its path in the project and its text.
pub(super) type SampleFile = (&'static str, &'static str);

/// `.env` and `.gitignore` are stored under other names: the first would be left out by many people's global ignore
/// file, the second would act on this repository.
pub(super) const FILES: &[SampleFile] = &[
    (".env", include_str!("../../sample/dot-env")),
    (".gitignore", include_str!("../../sample/dot-gitignore")),
    ("CHANGELOG.md", include_str!("../../sample/CHANGELOG.md")),
    ("README.md", include_str!("../../sample/README.md")),
    ("build.sh", include_str!("../../sample/build.sh")),
    ("config/settings.toml", include_str!("../../sample/config/settings.toml")),
    ("docs/CONTRIBUTING.md", include_str!("../../sample/docs/CONTRIBUTING.md")),
    ("src/greet.sh", include_str!("../../sample/src/greet.sh")),
    ("src/lib.sh", include_str!("../../sample/src/lib.sh")),
    ("tests/run.sh", include_str!("../../sample/tests/run.sh")),
];

pub(super) fn write(project: &Path) -> Result<(), ScratchError> {
    for (path, text) in FILES {
        let place = project.join(path);
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(ScratchError::io(folder))?;
        }
        std::fs::write(&place, text).map_err(ScratchError::io(&place))?;
        if text.starts_with("#!") {
            make_executable(&place).map_err(ScratchError::io(&place))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(place: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(place, std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_place: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_every_file_of_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample");
        let mut found: Vec<String> = ignore::WalkBuilder::new(&folder)
            .standard_filters(false)
            .build()
            .flatten()
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.path().strip_prefix(&folder).unwrap().to_str().unwrap().replace("dot-", "."))
            .collect();
        found.sort();
        let listed: Vec<_> = FILES.iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(listed, found);
    }
}
