//! The result of discovery: hooks that were found and read, ready for an engine. Not here: finding them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook_core::{Executable, HookRef, Problem};

use crate::front_matter::FrontMatter;
use crate::trust::{ContentHash, FormerHook, ProjectHook, TrustKey};

snaphook_core::named_enum! {
    /// The script language of a hook, by its extension.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Language {
        /// Luau: `.lua` and `.luau`.
        Lua = "Lua",
        /// Rhai: `.rhai`.
        Rhai = "Rhai",
        /// No script: a program with a `#!` line and front matter.
        Executable = "executable",
        /// No script: a file of shell commands for the moments of a session.
        Lifecycle = "lifecycle file",
        /// No script: an entry of `.mcp.json`.
        McpServer = "MCP server",
    }
}

/// A hook that was found and read. Everything that it will run is in memory: a later change on disk has no effect,
/// and `require` never needs the file system.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its identity; `hook.file` is the path that people see, also the chunk name.
    pub hook: HookRef,
    /// The resolved path of the script, or of the entry script of a folder hook.
    pub path: PathBuf,
    /// The language.
    pub language: Language,
    /// The text that the engine compiles: the file without a byte order mark, with the `#!` line and any front matter that
    /// is no comment in the language blanked, so that line numbers are those of the file.
    pub source: Arc<str>,
    /// The other scripts of a folder hook, by path relative to the folder with `/` (`lib/paths.lua`); prepared like
    /// `source`. `None` for a single file, which can `require` nothing.
    pub modules: Option<BTreeMap<String, Arc<str>>>,
    /// Every file of the hook exactly as it was read, by path relative to the folder (for a single file: its name).
    /// This is what a content hash covers.
    pub raw: BTreeMap<String, Arc<[u8]>>,
    /// The hook's own description.
    pub front_matter: FrontMatter,
    /// The meaning of an executable's front matter.
    pub executable: Option<Arc<Executable>>,
}

/// All hooks, in the order in which they run, and everything that is wrong (law 10: never one instead of the other).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discovery {
    /// Those that may run: managed, user, project, ad hoc; within a folder by natural file name.
    pub hooks: Vec<Candidate>,
    /// In the same order. One of [`Severity::Error`](snaphook_core::Severity::Error) means that a hook which should
    /// be there is not.
    pub problems: Vec<Problem>,
    /// Every hook of the project that could be read, in the same order, with what is known about it. Those that are not
    /// trusted are in no other list.
    pub project: Vec<ProjectHook>,
    /// The hooks of the project that a person trusted, and that are no hooks any more or are gone. Each is a problem, too.
    pub former: Vec<FormerHook>,
    /// The places where a yes at another place holds for a hook of the project, and the store does not say so yet
    /// ([`TrustStore::note_shared`](crate::trust::TrustStore::note_shared)).
    pub shared: Vec<(TrustKey, ContentHash)>,
}
