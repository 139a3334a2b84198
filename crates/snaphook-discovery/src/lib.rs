//! Directories to ordered hook candidates and problems; front matter; settings.
//!
//! [`Directories::locate`] says where hooks live, [`discover`] reads them and hands over those that may run; [`trust`]
//! says which. Nothing here runs a script, asks a person, or reads the environment: home, working directory and `XDG_*` are
//! parameters.

mod candidate;
mod diagnostic;
mod dirs;
mod display;
mod file_bytes;
mod find;
pub mod front_matter;
mod ids;
mod lifecycle;
mod mcp_servers;
mod names;
mod natural;
mod package_dir;
pub mod replace;
mod settings;
pub mod trust;
mod walk;
pub mod yaml;

pub use candidate::{Candidate, Discovery, Language};
pub use diagnostic::Diagnostic;
pub use dirs::{Directories, Environment, default_managed_dir, resolved};
pub use display::display_path;
pub use file_bytes::{MAX_SOURCE_BYTES, decode, read_source, read_test};
pub use find::{discover, discover_with};
pub use front_matter::{API_VERSION, Example, FrontMatter, Grants};
pub use lifecycle::{LifecycleFile, LifecycleFiles, lifecycle_files, with_lifecycle_files};
pub use mcp_servers::{
    PROJECT_SERVERS, ProjectServer, ProjectServers, SERVER_PREFIX, ServerEntry, ServersError,
    project_servers, read_servers,
};
pub use names::{is_init, is_test, language_of};
pub use natural::natural_cmp;
pub use package_dir::read_scripts;
pub use settings::{
    AuditInputs, AuditSettings, ChangedTools, DEFAULT_AUDIT_BYTES, DEFAULT_AUDIT_KEEP, HoldSettings,
    McpDenied, McpSettings, ModelSettings, Settings, Unseen, Unsupported,
};
pub use snaphook_core::printable;
pub use trust::{ContentHash, FormerHook, ProjectHook, Trust, TrustState, hex};
