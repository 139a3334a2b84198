//! Tokens that a model took.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The tokens of one answer, or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens that were sent.
    pub input: u64,
    /// Of them, those that came from the provider's cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Tokens that were written.
    pub output: u64,
}

impl Usage {
    /// All of them.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Returns whether there are none.
    pub fn is_zero(&self) -> bool {
        *self == Usage::default()
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
