//! The folder of the status of hooks: one for each session of an agent, beside what else is kept of it, and one for what git runs.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use snaphook::{Host, Product};
use snaphook_command::status::Store;
use snaphook_discovery::{Directories, hex};
use snaphook_state::{Document, layout};

/// The session that the hooks belong to, beside the status.
const SESSION: &str = "session.json";

/// The longest of these files that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The agent in paths of what git runs.
const GIT: &str = "git";

/// A folder's name out of a text that may be anything.
pub fn name(id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    hex(&digest[..16])
}

/// The status of an agent's session. With Discobot's conventions it is where Discobot has it.
pub fn of_session(directories: &Directories, agent: &str, session: Option<&str>) -> Option<Store> {
    let discobot = directories.compat.contains(&Product::Discobot);
    if let (Some(home), Some(id)) = (&directories.home, session.filter(|id| discobot && is_plain(id))) {
        return Some(Store::new(home.join(".discobot").join(id).join("hooks")));
    }
    let all = sessions(directories)?.join(agent);
    // An agent that names no session has one a project.
    let own = session.map_or_else(|| name(&directories.project_root.display().to_string()), name);
    Some(Store::new(all.join(own).join("hooks")))
}

/// The status of what git runs in a project.
pub fn of_git(directories: &Directories) -> Option<Store> {
    of_session(&Directories { compat: Vec::new(), ..directories.clone() }, GIT, None)
}

/// An id that is a folder's name and nothing else.
fn is_plain(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= 200 && !id.starts_with('.') && id.chars().all(plain)
}

fn sessions(directories: &Directories) -> Option<PathBuf> {
    Some(layout::sessions(directories.state.as_ref()?))
}

/// Notes whose status it is, where there is one.
pub fn note(store: &Store, host: &Host, session: Option<&str>) -> Result<()> {
    let (document, of) = (session_document(store.dir()), host.session());
    if !store.file().exists() {
        return Ok(());
    }
    let says =
        json!({"session": session, "agent": of.agent, "project": of.project_root.display().to_string()});
    if document.read_json::<Value>().is_ok_and(|there| there.as_ref() == Some(&says)) {
        return Ok(());
    }
    Ok(document.replace_json(&says)?)
}

fn session_document(folder: &Path) -> Document {
    Document::new(folder.join(SESSION), MAX_BYTES)
}

/// A session with a status.
#[derive(Debug)]
pub struct SessionStatus {
    /// The status of its hooks.
    pub store: Store,
    /// The agent.
    pub agent: String,
    /// The agent's id of the session, where it names one.
    pub session: Option<String>,
    changed: SystemTime,
}

/// The newest session of an agent in this project that has a status, or the one of this id.
pub fn newest(directories: &Directories, session: Option<&str>) -> Option<SessionStatus> {
    let project = directories.project_root.display().to_string();
    let mut folders = Vec::new();
    let agents = sessions(directories).map(|all| entries(&all)).unwrap_or_default();
    for agent in agents.into_iter().filter(|agent| !agent.ends_with(GIT)) {
        folders.extend(entries(&agent).into_iter().map(|session| session.join("hooks")));
    }
    let discobot = directories.home.as_ref().filter(|_| directories.compat.contains(&Product::Discobot));
    folders.extend(
        discobot
            .iter()
            .flat_map(|home| entries(&home.join(".discobot")))
            .map(|session| session.join("hooks")),
    );
    let found = folders.into_iter().filter_map(|folder| {
        let says: Value = session_document(&folder).read_json().ok()??;
        let text = |key: &str| says[key].as_str().map(str::to_owned);
        let store = Store::new(folder);
        let changed = std::fs::metadata(store.file()).and_then(|known| known.modified()).ok()?;
        let fits = match session {
            Some(id) => says["session"] == id,
            None => says["project"] == project.as_str(),
        };
        let agent = text("agent").unwrap_or_default();
        fits.then(|| SessionStatus { store, agent, session: text("session"), changed })
    });
    found.max_by_key(|found| found.changed)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
