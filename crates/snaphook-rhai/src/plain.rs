//! Objects of the host that are plain values in JSON. Not here: the objects, each of which is defined
//! beside what it belongs to, and converting (`convert`).

use crate::bindings::{exec, fs, http, regex, shell};
use crate::convert::PlainForm;
use crate::event;

/// The forms of all of them.
pub(crate) const FORMS: &[PlainForm] =
    &[regex::plain, shell::plain, exec::plain, fs::plain, http::plain, event::plain];
