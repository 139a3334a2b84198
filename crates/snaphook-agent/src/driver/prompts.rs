//! The source of a session's prompts.

use snaphook::CancellationToken;
use snaphook_core::BoxFuture;

/// A thing that the person wants of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The agent works on this.
    Prompt(String),
    /// The conversation begins anew, in the same session.
    Clear,
    /// The conversation is replaced by a summary of it.
    Compact,
}

/// Gives the session its prompts, one after the other.
pub trait Prompts: Send {
    /// The next prompt; `None` where there is none any more.
    fn next(&mut self) -> BoxFuture<'_, Option<Input>>;

    /// Takes the token that ends work on the prompt that was given last, and not the session. The default needs none.
    fn work_begins(&mut self, _cancel: &CancellationToken) {}

    /// Resolves when the person has written a prompt that [`Prompts::next`] will give at once: checks that are about to begin,
    /// or run, are given up for it. The default never does.
    fn spoken(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// Returns whether the person is still there when work on a prompt has ended, however it did: a denial that ends the agent's work
    /// then ends that of the prompt, and not the session.
    fn go_on_after_a_denial(&self) -> bool {
        false
    }

    /// Returns whether a person writes each prompt. A failure before it then does not count against the next.
    fn are_by_a_person(&self) -> bool {
        true
    }
}

/// Prompts that are known.
#[derive(Debug, Clone)]
pub struct Listed(std::vec::IntoIter<String>);

impl Listed {
    /// These, in order.
    pub fn new(prompts: Vec<String>) -> Self {
        Listed(prompts.into_iter())
    }
}

impl Prompts for Listed {
    fn next(&mut self) -> BoxFuture<'_, Option<Input>> {
        Box::pin(std::future::ready(self.0.next().map(Input::Prompt)))
    }
}

/// The same prompt each time, for iterations: the session's limits end it.
#[derive(Debug, Clone)]
pub struct Repeated {
    prompt: String,
    given: bool,
}

impl Repeated {
    /// This prompt, for ever.
    pub fn new(prompt: impl Into<String>) -> Self {
        Repeated { prompt: prompt.into(), given: false }
    }
}

impl Prompts for Repeated {
    fn next(&mut self) -> BoxFuture<'_, Option<Input>> {
        self.given = true;
        Box::pin(std::future::ready(Some(Input::Prompt(self.prompt.clone()))))
    }

    fn are_by_a_person(&self) -> bool {
        // The person wrote it once.
        !self.given
    }
}
