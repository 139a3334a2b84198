//! How much work one call may cost. A gate runs on text that an adversary may have written, so each bound ends in an
//! error, which a gate denies. Reading is one pass; texts within texts are bounded by the depth.

/// The longest text that is read, in bytes.
pub const MAX_INPUT: usize = 256 * 1024;
/// The deepest nesting, counted together over quotes, substitutions, groups, wrappers and texts within texts.
pub const MAX_DEPTH: u32 = 24;
/// The most commands that one text may yield.
pub const MAX_COMMANDS: usize = 10_000;
/// The most bytes that all texts within texts may have together.
pub(crate) const MAX_TEXTS: usize = 4 * MAX_INPUT;
