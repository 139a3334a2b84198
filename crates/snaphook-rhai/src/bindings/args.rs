//! Arguments of the API's functions: what they may be, and the error for what they may not.

use rhai::{Array, Dynamic, FnPtr, ImmutableString};

use crate::bindings::Args;
use crate::raise::{Raised, raise};

/// A text.
///
/// # Errors
/// The value is not a text; the message names the function.
pub(crate) fn text(function: &str, value: &Dynamic) -> Result<ImmutableString, Raised> {
    value.as_immutable_string_ref().map(|text| text.clone()).map_err(|_| wrong(function, "a string", value))
}

/// The same for the argument of a host function at this place, counted from 0; of a method the object is 0.
///
/// # Errors
/// It is no text.
pub(crate) fn at(function: &str, place: usize, args: &Args<'_>) -> Result<ImmutableString, Raised> {
    text(function, args.get(place).map(|value| &**value).unwrap_or(&Dynamic::UNIT))
}

/// The same for an argument that may be left out or `()`.
///
/// # Errors
/// It is something else.
pub(crate) fn optional(
    function: &str,
    place: usize,
    args: &Args<'_>,
) -> Result<Option<ImmutableString>, Raised> {
    match args.get(place) {
        Some(value) if !value.is_unit() => text(function, value).map(Some),
        _ => Ok(None),
    }
}

/// The longest path that is looked at, in bytes.
const MAX_PATH_BYTES: usize = 64 << 10;

/// A path.
///
/// # Errors
/// The value is no text, or too long for a path.
pub(crate) fn path(function: &str, value: &Dynamic) -> Result<ImmutableString, Raised> {
    let text = text(function, value)?;
    if text.len() <= MAX_PATH_BYTES {
        Ok(text)
    } else {
        Err(raise(format!("{function} takes paths of at most {MAX_PATH_BYTES} bytes")))
    }
}

/// The items of an array; `None` for what is no array.
pub(crate) fn items(value: &Dynamic) -> Option<Array> {
    value.as_array_ref().ok().map(|items| items.clone())
}

/// The error for an argument of the wrong kind.
pub(crate) fn wrong(function: &str, wanted: &str, value: &Dynamic) -> Raised {
    let hint = match () {
        () if value.is_char() => "; a string is \"text\", '…' is one character",
        () if value.is_array() && function == "ctx.exec" => "; write ctx.exec(\"git\", [\"status\"])",
        () if value.is_unit() => "; a field that is absent is (): test value != () first",
        () => "",
    };
    raise(format!("{function} takes {wanted}, got {}{hint}", kind(value)))
}

/// Names the type of a value, as authors of hooks call it.
pub(crate) fn kind(value: &Dynamic) -> &'static str {
    match value.type_name() {
        "()" => "()",
        "bool" => "a boolean",
        "i64" | "f64" => "a number",
        "char" => "a char",
        "string" => "a string",
        "array" => "an array",
        "map" => "a map",
        "blob" => "a blob",
        _ if value.is::<FnPtr>() => "a function",
        _ => "an object",
    }
}
