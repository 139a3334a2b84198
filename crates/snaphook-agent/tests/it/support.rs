//! Helpers of the tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use snaphook_agent::scratch::{Base, CopyLimits, Scratch, ScratchError, ScratchPlan};
use tempfile::TempDir;

/// An environment as a CLI would pass it on: with a secret that must not reach tools.
pub fn env() -> Vec<(OsString, OsString)> {
    #[expect(clippy::disallowed_methods, reason = "the tests need the machine's search path")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    vec![
        ("PATH".into(), path),
        ("LANG".into(), "C.UTF-8".into()),
        ("SECRET".into(), "do not pass on".into()),
        ("GIT_DIR".into(), "/nowhere".into()),
    ]
}

/// A scratch project with what it lies in.
pub struct Project {
    pub scratch: Scratch,
    pub under: TempDir,
}

impl Project {
    pub fn path(&self) -> &Path {
        self.scratch.project()
    }
}

/// A scratch project of the sample, of nothing, or of a folder.
pub async fn project(base: Base) -> Project {
    let under = TempDir::new().unwrap();
    let scratch = create(under.path(), &base, &BTreeMap::new(), CopyLimits::default()).await.unwrap();
    Project { scratch, under }
}

pub async fn create(
    under: &Path,
    base: &Base,
    files: &BTreeMap<String, String>,
    limits: CopyLimits,
) -> Result<Scratch, ScratchError> {
    Scratch::create(ScratchPlan { under, base, files, env: &env(), limits }).await
}

/// A file of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
