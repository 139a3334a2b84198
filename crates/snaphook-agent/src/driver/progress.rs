//! Progress between iterations: whether the last ones left the same files and the same failing checks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::tools::Workspace;

/// The facts that count as progress: the contents of files, and the checks that fail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Marks {
    files: BTreeMap<PathBuf, [u8; 32]>,
    failing: Vec<String>,
}

/// The place where the work stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    /// Something changed, or nobody asked.
    Moves,
    /// Nothing did.
    Rests {
        /// True if that was so often enough.
        enough: bool,
        /// The reason, for the person.
        text: String,
    },
}

/// Looks for progress, where the plan asks for it.
#[derive(Debug, Default)]
pub(super) struct Progress {
    most: Option<u32>,
    last: Option<Marks>,
    same: u32,
    calls: u64,
    /// The checks that failed last.
    pub(super) failing: Vec<String>,
}

impl Progress {
    /// Begins to look, `most` times without progress at most.
    pub(super) async fn begin(&mut self, workspace: &Arc<Workspace>, most: Option<u32>) {
        self.most = most;
        if most.is_some() {
            self.last = Some(self.marks(workspace).await);
        }
    }

    /// Looks after an iteration; `calls` were made until now.
    pub(super) async fn standing(&mut self, workspace: &Arc<Workspace>, calls: u64) -> Standing {
        let Some(most) = self.most else { return Standing::Moves };
        let made = calls.saturating_sub(std::mem::replace(&mut self.calls, calls));
        if made == 0 {
            return Standing::Rests { enough: true, text: "the agent made no tool call".to_owned() };
        }
        let marks = self.marks(workspace).await;
        let is_same = self.last.as_ref() == Some(&marks);
        self.last = Some(marks);
        self.same = if is_same { self.same + 1 } else { 0 };
        if !is_same {
            return Standing::Moves;
        }
        let text = format!("{} in a row left the same files and the same failing checks", self.same);
        Standing::Rests { enough: self.same >= most, text }
    }

    async fn marks(&self, workspace: &Arc<Workspace>) -> Marks {
        let (workspace, failing) = (Arc::clone(workspace), self.failing.clone());
        let look = move || {
            let files = workspace.files().into_iter();
            let read = |file: PathBuf| Some((file.clone(), Sha256::digest(std::fs::read(file).ok()?).into()));
            Marks { files: files.filter_map(read).collect(), failing }
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }
}
