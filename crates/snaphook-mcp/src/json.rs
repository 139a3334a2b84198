//! Texts in a server's JSON. Not here: values without duplicate keys (`snaphook_mcp_transport::strict`), objects whose values stay
//! text, and the replacement of parts of a message (`snaphook_mcp_transport::json`).

use std::borrow::Cow;

use serde_json::value::RawValue;
use snaphook::Unreadable;
use snaphook_mcp_transport::json::text_of;
pub(crate) use snaphook_mcp_transport::strict::{folded_twice, rewritten, strict};

/// The text that a JSON string means; `None` where the value is not a string.
///
/// # Errors
/// It is one that does not decode, as with half a surrogate pair.
pub(crate) fn decoded(value: &RawValue) -> Result<Option<Cow<'_, str>>, Unreadable> {
    match text_of(value) {
        None if value.get().starts_with('"') => Err(Unreadable::Text),
        text => Ok(text),
    }
}
