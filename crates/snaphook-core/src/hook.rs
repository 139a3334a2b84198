//! A hook as every other crate knows it: its scope, its identity, the location of a handler.
//! Not here: how hooks are found (`snaphook-discovery`) or run (the engines).

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

crate::named_enum! {
    /// The origin of a hook. The order of the variants is the order in which hooks run (law 3 of the design):
    /// managed hooks see a call first, ad-hoc ones last.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Scope {
        /// Installed by the administrator, under `/etc/snaphook/hooks`.
        Managed = "managed",
        /// The user's own, under the configuration folder.
        User = "user",
        /// Came with the project, under `.snaphook/hooks` of its root.
        Project = "project",
        /// Named for this run only, by `--hook PATH` or by an embedder.
        Adhoc = "adhoc",
    }
}

/// A hook as the rest of the system names it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HookRef(Arc<HookIdentity>);

/// The fields behind a [`HookRef`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct HookIdentity {
    /// A slug of the file name without its extension; unique in a host.
    pub id: String,
    /// The `name` of the front matter, else the id.
    pub name: String,
    /// The origin of the hook.
    pub scope: Scope,
    /// The file as it is shown to people: relative to the project, or with `~`, where that is possible.
    pub file: PathBuf,
}

impl HookRef {
    /// Names a hook.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        scope: Scope,
        file: impl Into<PathBuf>,
    ) -> Self {
        HookRef(Arc::new(HookIdentity { id: id.into(), name: name.into(), scope, file: file.into() }))
    }
}

impl std::ops::Deref for HookRef {
    type Target = HookIdentity;

    fn deref(&self) -> &HookIdentity {
        &self.0
    }
}

/// A place in a hook's source, for messages: `guard.lua:12`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Location {
    /// The file as it is shown to people.
    pub file: PathBuf,
    /// The line, from 1; `None` where it cannot be known.
    pub line: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        match self.line {
            Some(line) => write!(f, ":{line}"),
            None => Ok(()),
        }
    }
}
