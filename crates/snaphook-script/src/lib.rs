//! What both script engines share: matchers, answers, and the script API's functions without a VM.

pub mod shell;
