//! The files of the scratch project that changed while the agent worked on a prompt, for `files_changed`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use crate::tools::Workspace;

/// The facts that are remembered of a file: enough to see that it is another one.
type Mark = (u64, Option<SystemTime>);

/// The files of a workspace at one moment.
#[derive(Debug, Default)]
pub(super) struct Snapshot(BTreeMap<PathBuf, Mark>);

impl Snapshot {
    /// Looks at every file but ignored ones.
    pub(super) async fn take(workspace: &Arc<Workspace>) -> Self {
        let workspace = Arc::clone(workspace);
        let look = move || {
            let files = workspace.files();
            Snapshot(files.into_iter().filter_map(marked).collect())
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// The files that are new, different or gone in `later`, relative to the workspace, in order.
    pub(super) fn changed_until(&self, later: &Snapshot, workspace: &Workspace) -> Vec<String> {
        let now = later.0.iter().filter(|(file, mark)| self.0.get(*file) != Some(*mark));
        let gone = self.0.keys().filter(|file| !later.0.contains_key(*file));
        let mut changed: Vec<_> =
            now.map(|(file, _)| file).chain(gone).map(|file| workspace.show(file)).collect();
        changed.sort();
        changed
    }
}

fn marked(file: PathBuf) -> Option<(PathBuf, Mark)> {
    let metadata = file.symlink_metadata().ok()?;
    Some((file, (metadata.len(), metadata.modified().ok())))
}
