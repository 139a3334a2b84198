//! Driving a session: the agent's part behind one trait ([`Driver`]), the session around it ([`drive`]), the steps that it
//! reports, and its summary. Not here: the gates (the host) and the tools (`tools`).

mod answer;
mod calls;
mod changes;
mod conversation;
mod iterate;
mod plan;
mod progress;
mod prompts;
mod replay;
mod session;
mod step;
mod summary;

use snaphook_core::{BoxFuture, PayloadError};

pub use calls::{CallsEnd, DriverCall};
pub use conversation::{Conversation, Recorder, Rewritten};
pub use plan::{Complete, DrivePlan, ListRun, ListValues, Lists, NoLists, Until};
pub use prompts::{Input, Listed, Prompts, Repeated};
pub use replay::Replay;
pub use session::{Driven, drive};
pub use step::{Observer, ServerState, Step};
pub use summary::{Ending, Limit, Summary};

/// The agent's part of a session: it answers prompts. All else (the lifecycle's events, checks, iterations, closing) is the
/// session's, which is the same for every driver.
pub trait Driver: Send {
    /// Works on a prompt until the agent rests. `texts` are parts of one request: the output of hooks first, where there is
    /// any, then the prompt; they are in the conversation already.
    ///
    /// # Errors
    /// The agent failed. What hooks and tools get wrong is part of the conversation.
    fn answer<'a>(
        &'a mut self,
        conversation: &'a mut Conversation<'_>,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Answered, DriveError>>;

    /// Returns whether the agent can be sent on with a text that no person wrote. A recording cannot.
    fn can_go_on(&self) -> bool {
        true
    }

    /// Puts a summary in place of the conversation, as the person wants; false where it is as it was, and the person was told why.
    ///
    /// # Errors
    /// The summary cannot be written down.
    fn compact<'a>(
        &'a mut self,
        conversation: &'a mut Conversation<'_>,
    ) -> BoxFuture<'a, Result<bool, DriveError>> {
        let text = "this agent has no way to sum its conversation up";
        conversation.tell(Step::Notice { text: text.to_owned() });
        Box::pin(std::future::ready(Ok(false)))
    }

    /// Ends what the driver has open, once, after the last answer.
    fn close(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// The way work on a prompt ended, if not by an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The agent rests.
    Rests {
        /// Its last words.
        last: Option<String>,
    },
    /// A denial asked it to stop altogether.
    Terminated,
    /// The session was interrupted.
    Interrupted,
    /// A limit of the session was reached.
    Limit(Limit),
}

/// A driver that failed. Reads after "failed to drive the session: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// An event that the core does not take.
    #[error(transparent)]
    Event(#[from] PayloadError),
    /// The agent failed, by this; the session may go on.
    #[error("{0}")]
    Agent(String),
    /// The session's file cannot be written: nothing more runs that would not be in it.
    #[error("the session's file cannot be written: {0}")]
    Record(#[from] std::io::Error),
}

impl DriveError {
    /// Returns whether the session may go on after it, as after a failed prompt.
    pub fn is_of_the_agent(&self) -> bool {
        matches!(self, DriveError::Agent(_))
    }
}
