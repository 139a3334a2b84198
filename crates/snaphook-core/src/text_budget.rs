//! The amount of text that a handler may hand to the host for others to read: the log, the person, the agent. The host
//! keeps it where the script's own memory limit does not count it, so it is bounded here. Not here: what becomes of the
//! text.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::requests::UiRequest;
use crate::services::ServiceError;

/// The longest text of one call, in bytes.
pub const MAX_TEXT_AT_ONCE: usize = 64 << 10;

/// The most text of one handler while it handles one event, in bytes, and of a hook while it loads. Each text counts
/// [`BYTES_PER_TEXT`] more than its bytes, so that a million empty texts count, too.
pub const MAX_TEXT: usize = 1 << 20;

/// The bytes that each text counts beside its own.
const BYTES_PER_TEXT: usize = 128;

/// The amount of text that one handler has handed to the host so far.
#[derive(Debug, Default)]
pub struct TextBudget(AtomicUsize);

impl TextBudget {
    /// Counts a text of so many bytes; `what` is the function that takes it. Gives the sum so far, in bytes.
    ///
    /// # Errors
    /// The text is too long, or the sum is too large.
    pub fn add(&self, what: &str, bytes: usize) -> Result<usize, ServiceError> {
        if bytes > MAX_TEXT_AT_ONCE {
            let text =
                format!("{what} takes at most {} KiB of text, not {bytes} bytes", MAX_TEXT_AT_ONCE >> 10);
            return Err(ServiceError(text));
        }
        let more = |said: usize| said.checked_add(bytes + BYTES_PER_TEXT).filter(|all| *all <= MAX_TEXT);
        // The handler is alone in its VM.
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(before) => Ok(before + bytes + BYTES_PER_TEXT),
            Err(_) => Err(ServiceError(format!(
                "{what}: a handler can log, show and send at most {} MiB of text for one event",
                MAX_TEXT >> 20
            ))),
        }
    }
}

impl UiRequest {
    /// The bytes of all its texts.
    pub fn text_len(&self) -> usize {
        let or_none = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            UiRequest::Confirm { title, message } => title.len() + or_none(message),
            UiRequest::Select { title, options } => {
                title.len() + options.iter().map(String::len).sum::<usize>()
            }
            UiRequest::Input { title, initial } | UiRequest::Editor { title, initial } => {
                title.len() + or_none(initial)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_and_all_of_them_have_bounds() {
        let said = TextBudget::default();
        let error = said.add("ctx.send", MAX_TEXT_AT_ONCE + 1).unwrap_err();
        assert_eq!(error.0, "ctx.send takes at most 64 KiB of text, not 65537 bytes");
        assert_eq!(said.add("ctx.send", MAX_TEXT_AT_ONCE), Ok(MAX_TEXT_AT_ONCE + BYTES_PER_TEXT));
        let more = (0..).take_while(|_| said.add("ctx.log", 0).is_ok()).count();
        assert_eq!(more, (MAX_TEXT - MAX_TEXT_AT_ONCE - BYTES_PER_TEXT) / BYTES_PER_TEXT);
        let error = said.add("ctx.log", 0).unwrap_err();
        assert_eq!(error.0, "ctx.log: a handler can log, show and send at most 1 MiB of text for one event");
    }
}
