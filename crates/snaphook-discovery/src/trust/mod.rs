//! Trust by content (law 7): nothing of a project's hook runs before a person has said yes to exactly these bytes.
//!
//! `hash` says what the bytes are, `store` keeps what people decided, `decide` says what follows for the hooks that were
//! found, `gone` for those that were not, `pins` are decisions on a command line, `owners` are the rules for hooks that come with no project. Not here:
//! asking a person.
//!
//! **The rule.** A *place* is a project's root and a hook's path in its hooks folder.
//!
//! 1. Where a decision was made at the place, only the last one counts, and only for the content that it was about. With
//!    any other content the hook is undecided. So a project cannot go back to a version that was trusted once.
//! 2. Where none was made, the hook is trusted if its content is what a yes stands for at any other place. So a yes holds in
//!    another worktree, in a clone, after a move and for two projects with the same hook; and what was superseded
//!    everywhere is trusted nowhere.
//! 3. To ignore is a decision about the place alone: not to be held by a gate is no property of its bytes. It ends with
//!    the content, too: another version is another question.
//! 4. What was trusted at the place and is no hook any more (an executable without its bit or its front matter, a folder without its
//!    `init`) denies like a hook that changed: else a file that may be written could take a gate away. So does what was
//!    trusted at the place and is gone, removed or not on this branch, until the person takes the trust back; a hook with the
//!    same bytes under another name stands in for it. A yes that is shared from another place is noted where it held, so
//!    that the hook is missed there, too.
//! 5. To take trust back is about the content: it ends at every place. Where a hook is not trusted, only the place becomes
//!    undecided.

mod decide;
mod gone;
mod hash;
mod owners;
mod pins;
mod store;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use crate::candidate::Candidate;

pub(crate) use decide::{Judge, tell_apart};
pub(crate) use gone::Present;
pub use hash::{ContentHash, NoHash, hex};
pub use owners::Owners;
pub(crate) use owners::{Folders, Looks};
pub use pins::{BadPin, Pin, Pins};
pub use store::{Decided, Decisions, Kept, TrustStore, Verdict};

/// The settings that decide about hooks beside the trust store. The default is what a person without a command line
/// gets.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// Decisions of the command line.
    pub pins: Pins,
    /// The project that decisions are about, where it is not the one that hooks are found in: a scratch copy stands for
    /// the folder that was copied.
    pub project: Option<PathBuf>,
    /// The one who has to own hooks that come with no project.
    pub owners: Owners,
}

snaphook_core::named_enum! {
    /// The knowledge about a project hook.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TrustState {
        /// A person said yes to this content.
        Trusted = "trusted",
        /// A person does not want this content here: it is not loaded, and denies nothing.
        Ignored = "ignored",
        /// There is no decision: nothing of it runs, and gated events are denied.
        Undecided = "undecided",
    }
}

/// The place that decisions about a hook are kept under.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrustKey {
    /// The project's root; bytes that are no UTF-8 in hexadecimal.
    pub project: String,
    /// The hook's file, or its folder, in the project's hooks folder.
    pub hook: String,
}

/// A hook of the project with what is known about it, loaded or not.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectHook {
    /// The hook as it was read. It may run only if it is trusted.
    pub candidate: Candidate,
    /// The place that decisions about it are kept under.
    pub key: TrustKey,
    /// The hash of its content.
    pub hash: ContentHash,
    /// The state that follows from decisions.
    pub state: TrustState,
    /// The other content that the last decision at this place was about.
    pub changed_from: Option<ContentHash>,
    /// The name for the command line: the slug of its file name, where no other hook of the project has it, else
    /// [`TrustKey::hook`]. Unlike the id it does not depend on the user's hooks.
    pub name: String,
}

/// A former hook of the project that a person trusted: it changed into something else, or it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerHook {
    /// The place that the decision is kept under.
    pub key: TrustKey,
}

impl FormerHook {
    /// Returns whether a name on a command line means it.
    pub fn answers_to(&self, name: &str) -> bool {
        self.key.hook == name
    }

    /// Returns the hash for decisions about it: that of no content, which cannot have been trusted.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&BTreeMap::new())
    }
}

impl ProjectHook {
    /// Returns whether a name on a command line means this hook.
    pub fn answers_to(&self, name: &str) -> bool {
        [&self.name, &self.candidate.hook.id, &self.key.hook].into_iter().any(|known| known == name)
    }
}
