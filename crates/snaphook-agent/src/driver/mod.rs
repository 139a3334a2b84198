//! Driving a session: a driver in the agent's place behind one trait, the steps that it reports, and its summary. Not here:
//! the gates (the host) and the tools (`tools`).

mod calls;
mod changes;
mod history;
mod replay;
mod run;
mod step;
mod summary;

use snaphook::Host;
use snaphook_core::{BoxFuture, PayloadError};

pub use replay::Replay;
pub use step::{Observer, Step};
pub use summary::{Ending, Summary};

/// Drives an agent session under a host's hooks.
pub trait SessionDriver: Send {
    /// Runs the session from `startup` to `shutdown`. Both are dispatched in any case, also when the session is
    /// interrupted or fails; only dropping the future leaves them out.
    ///
    /// # Errors
    /// The driver itself failed. What hooks and tools get wrong is part of the session.
    fn run<'a>(
        &'a mut self,
        host: &'a Host,
        observer: &'a mut dyn Observer,
    ) -> BoxFuture<'a, Result<Summary, DriveError>>;
}

/// A driver that failed. Reads after "failed to drive the session: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// An event that the core does not take.
    #[error(transparent)]
    Event(#[from] PayloadError),
}
