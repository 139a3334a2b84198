//! The choices of a caller: which hooks decide beside those in the usual folders, by what rule, and whose decisions
//! about hooks of the project count.

use std::path::{Path, PathBuf};

use snaphook::{DefaultVerdict, Product};
use snaphook_discovery::trust::{Pin, Pins};
use snaphook_discovery::{Directories, Trust};
use snaphook_state::plain_fs;

use crate::env::ProcessEnv;
use crate::error::{PinFileError, SessionError};

/// The choices for one process.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Hook files and folders beside those in the usual places.
    pub hooks: Vec<PathBuf>,
    /// The verdict on a call that no hook explicitly allows. Default: the settings say.
    pub default: Option<DefaultVerdict>,
    /// Products whose hooks are loaded, too.
    pub compat: Vec<Product>,
    /// Decisions about hooks of the project, for this process.
    pub pins: PinChoice,
}

impl Choice {
    /// Returns the folders with those of the products, too.
    pub fn with_compat(&self, mut directories: Directories) -> Directories {
        directories.add_compat(self.compat.iter().copied());
        directories
    }
}

/// Decisions about hooks of the project that are given with each run.
#[derive(Debug, Clone, Default)]
pub struct PinChoice {
    /// Pins as they were written: `NAME=sha256:…`.
    pub pins: Vec<String>,
    /// A file with a pin a line.
    pub file: Option<PathBuf>,
}

/// The largest file of pins that is read, in bytes: some ten thousand lines.
const MAX_BYTES: u64 = 1 << 20;

impl PinChoice {
    /// Returns the decisions. `roots` are the folders that the file must not be in.
    ///
    /// # Errors
    /// A pin is invalid; the file cannot be read, or is in the project.
    pub fn trust(&self, env: &ProcessEnv, roots: &[&Path]) -> Result<Trust, SessionError> {
        let given = self.pins.iter().map(|text| Pin::parse(text));
        let mut pins: Vec<Pin> = given.collect::<Result<_, _>>().map_err(SessionError::Pin)?;
        if let Some(named) = &self.file {
            let read = read(env, named, roots);
            pins.extend(read.map_err(|cause| SessionError::PinFile { file: named.clone(), cause })?.0);
        }
        Ok(Trust { pins: Pins(pins), ..Trust::default() })
    }
}

fn read(env: &ProcessEnv, named: &Path, roots: &[&Path]) -> Result<Pins, PinFileError> {
    let file = env.cwd.as_deref().map_or_else(|| named.to_owned(), |here| here.join(named)).canonicalize()?;
    if roots.iter().filter_map(|root| root.canonicalize().ok()).any(|root| file.starts_with(root)) {
        return Err(PinFileError::InProject);
    }
    let text = plain_fs::read_text(&file, MAX_BYTES)?;
    Pins::read(&text).map_err(|(line, cause)| PinFileError::Line { line, cause })
}
