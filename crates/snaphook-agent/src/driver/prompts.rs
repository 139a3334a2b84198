//! The source of a session's prompts.

use snaphook_core::BoxFuture;

/// Gives the session its prompts, one after the other.
pub trait Prompts: Send {
    /// The next prompt; `None` where there is none any more.
    fn next(&mut self) -> BoxFuture<'_, Option<String>>;

    /// Resolves when the person has written a prompt that [`Prompts::next`] will give at once: checks that are about to begin,
    /// or run, are given up for it. The default never does.
    fn spoken(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
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
    fn next(&mut self) -> BoxFuture<'_, Option<String>> {
        Box::pin(std::future::ready(self.0.next()))
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
    fn next(&mut self) -> BoxFuture<'_, Option<String>> {
        self.given = true;
        Box::pin(std::future::ready(Some(self.prompt.clone())))
    }

    fn are_by_a_person(&self) -> bool {
        // The person wrote it once.
        !self.given
    }
}
