//! The hooks of a session's folder. Not here: where hooks are and how they are loaded (`snaphook-session`).

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use snaphook::{Host, UiContext};

/// The reason why there are no hooks for a folder. Its text is for the person.
pub type HostError = Box<dyn Error + Send + Sync>;

/// Makes hosts. An editor may begin sessions in several folders, and each has its own project hooks.
pub trait Hosts: Send + Sync {
    /// Returns a host with the hooks of this folder, which asks this person. May block while it loads.
    ///
    /// # Errors
    /// The folder is not there, or an engine does not start. The session is refused then.
    fn host(&self, folder: &Path, ui: Arc<dyn UiContext>) -> Result<Host, HostError>;
}
