//! Soundness: whatever a real shell executes for a text is in the list of commands, or the text was refused or flagged.
//!
//! `compose` (with `words`, `word_lists` and `commands`), `tokens` and `mutate` write texts, `sandbox` (with `runner.c`) runs them in the `shells`, `judge`
//! compares, `shrink` makes a failing text small, `campaign` does all of it for many texts. Nothing here knows how the reader works.

pub mod campaign;
pub mod commands;
pub mod compose;
pub mod judge;
pub mod mutate;
pub mod rng;
pub mod sandbox;
pub mod shells;
pub mod shrink;
pub mod tokens;
pub mod word_lists;
pub mod words;
