//! The effects that an answer to an event can have on an agent.

use std::fmt;

snaphook_core::named_enum! {
    /// One thing that an answer can do.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Effect {
        /// The agent does not do what it was about to do, and the model reads why.
        Block = "block",
        /// The agent asks its person in its own way.
        Ask = "ask",
        /// The agent goes on with another input.
        RewriteInput = "rewrite_input",
        /// The model reads another result instead of the tool's.
        RewriteResult = "rewrite_result",
        /// The model reads a text instead of the result, as a failure: what hides a result where it cannot be replaced.
        HideResult = "hide_result",
        /// The model reads an additional text.
        Inject = "inject",
        /// The agent goes on working with a text instead of ending.
        Continue = "continue",
        /// The person reads a text.
        Tell = "tell",
        /// With a denial, the agent ends altogether.
        Stop = "stop",
    }
}

/// A set of effects. The empty one is that of an event which can only be observed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Effects(u16);

impl Effects {
    /// None: the event can only be observed.
    pub const OBSERVE: Effects = Effects(0);

    /// These.
    pub const fn of(list: &[Effect]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < list.len() {
            bits |= 1 << list[at] as u16;
            at += 1;
        }
        Effects(bits)
    }

    /// Returns whether it is among them.
    pub const fn has(self, effect: Effect) -> bool {
        self.0 & (1 << effect as u16) != 0
    }

    /// Those that are here, in the order of [`Effect::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.into_iter().filter(move |effect| self.has(*effect))
    }

    /// Those that are in both.
    #[must_use]
    pub const fn and(self, other: Effects) -> Self {
        Effects(self.0 & other.0)
    }

    /// With this one, too.
    #[must_use]
    pub const fn or(self, effect: Effect) -> Self {
        Effects(self.0 | 1 << effect as u16)
    }

    /// Without this one.
    #[must_use]
    pub const fn without(self, effect: Effect) -> Self {
        Effects(self.0 & !(1 << effect as u16))
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
