//! `snaphook install` and `uninstall`: an agent's settings, changed and given back. The adapters know what is in them
//! (`Agent::install`); `target` knows which files they are, `change` changes one, its JSON in `json`, its TOML in `toml`,
//! with a `backup`. `hooks` are the hooks that an agent has to ask about.

pub(crate) mod backup;
pub(crate) mod change;
mod hooks;
pub(crate) mod json;
pub(crate) mod target;
pub(crate) mod toml;

use snaphook_adapters::install::{FileContent, is_ours};

pub use change::Change;
pub use hooks::HooksInForce;
pub use target::{SettingsTarget, UnknownAgent, agent_named, agent_names};

use crate::{SetupError, files};

/// The files of an agent's settings after `install`.
#[derive(Debug)]
pub struct Registration {
    /// The files, with those that are no longer needed.
    pub changes: Vec<Change>,
    /// The events that are registered, by the agent's own names.
    pub events: Vec<&'static str>,
}

/// Registers snaphook with an agent. A dry run writes nothing.
///
/// # Errors
/// There are no hooks; a file cannot be changed: then none is.
pub fn install(
    target: &SettingsTarget<'_>,
    hooks: &HooksInForce,
    is_dry: bool,
) -> Result<Registration, SetupError> {
    if let Some(missing) = &hooks.missing {
        return Err(SetupError::NoHooks(Box::new(missing.clone())));
    }
    let SettingsTarget { directories, agent, .. } = target;
    let rows = target.rows_for(&hooks.events);
    let edits = target.edits(&rows)?;
    let _alone = (!is_dry).then(|| backup::lock(directories)).transpose()?;
    let mut changes = Vec::new();
    for edit in &edits {
        changes.push(Change::install(target.path(&edit.file)?, edit, *agent)?);
    }
    // Snaphook's files for events that no hook is for any more.
    let mut stale = Vec::new();
    for edit in target.all_edits()? {
        let path = target.path(&edit.file)?;
        let is_own =
            matches!(edit.content, FileContent::Own { .. }) && edits.iter().all(|now| now.file != edit.file);
        if is_own && files::read(&path)?.is_some_and(|text| is_ours(&text, agent.id())) {
            stale.push(Change::removal(directories, path, &edit, *agent)?);
        }
    }
    Change::check_targets(&changes, directories)?;
    if !is_dry {
        for change in &changes {
            change.apply(directories)?;
        }
        Change::give_back_all(&stale, directories)?;
    }
    changes.append(&mut stale);
    Ok(Registration { changes, events: rows.iter().map(|row| row.native).collect() })
}

/// The files of an agent's settings after `uninstall`.
#[derive(Debug)]
pub struct Removal {
    /// The files.
    pub changes: Vec<Change>,
    /// True if a person put the entries in: there is no file of snaphook's to undo.
    pub is_by_hand: bool,
}

/// Removes snaphook from an agent's settings. A dry run writes nothing.
///
/// # Errors
/// A file cannot be changed.
pub fn uninstall(target: &SettingsTarget<'_>, is_dry: bool) -> Result<Removal, SetupError> {
    let SettingsTarget { directories, agent, .. } = target;
    let _alone = (!is_dry).then(|| backup::lock(directories)).transpose()?;
    let edits = match target.all_edits() {
        Ok(edits) => Some(edits),
        Err(SetupError::ByHand(_)) => None,
        Err(error) => return Err(error),
    };
    let mut changes = Vec::new();
    for edit in edits.iter().flatten() {
        changes.push(Change::removal(directories, target.path(&edit.file)?, edit, *agent)?);
    }
    if !is_dry {
        Change::give_back_all(&changes, directories)?;
    }
    Ok(Removal { changes, is_by_hand: edits.is_none() })
}
