//! How much work one call may cost: input size, nesting, steps, commands, words of one brace expansion.
//!
//! A gate runs on text that an adversary may have written, so each bound ends in an error, which a gate denies.
//! The steps bound is what makes time linear in the end: a construct that has to be read twice (`((`) can nest,
//! and only a shared allowance stops the doubling.

use super::ParseError;

/// Longest text that is read, in bytes.
pub const MAX_INPUT: usize = 256 * 1024;
/// Deepest nesting of constructs, counted together over quotes, substitutions, groups and texts within texts.
pub const MAX_DEPTH: u32 = 48;
/// Most commands that one text may yield.
pub const MAX_COMMANDS: usize = 10_000;
/// Most words that the brace expressions of one word may make before the word counts as unknown.
pub const MAX_BRACES: usize = 256;
/// Steps of reading and walking: some hundred for each byte of the longest input.
const MAX_STEPS: u64 = 12_000_000;

/// What is left of the allowance, shared by every text that one call looks into.
#[derive(Debug)]
pub(super) struct Budget {
    steps: u64,
    depth: u32,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { steps: MAX_STEPS, depth: 0 }
    }

    /// Pays for `n` steps.
    pub(super) fn spend(&mut self, n: usize) -> Result<(), ParseError> {
        match self.steps.checked_sub(n as u64 + 1) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(ParseError::limit("the text takes too much work to read")),
        }
    }

    /// Goes one level deeper; every `enter` that succeeds is paired with a `leave`.
    pub(super) fn enter(&mut self) -> Result<(), ParseError> {
        if self.depth >= MAX_DEPTH {
            return Err(ParseError::limit("constructs are nested too deeply"));
        }
        self.depth += 1;
        self.spend(0)
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns to a depth that was read before, after an attempt that failed midway.
    pub(super) fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }
}
