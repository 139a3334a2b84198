//! Messages about the members of objects that scripts reach. Not here: the objects (`bindings` of each engine).

use snaphook_core::nearest;

/// The message about a name that an object does not have.
pub fn no_such(object: &str, name: &str, names: &[&str]) -> String {
    let hint = nearest(name, names.iter().copied()).map(|near| format!("; did you mean {object}.{near}?"));
    format!("{object} has no `{name}`{} (it has {})", hint.unwrap_or_default(), names.join(", "))
}

/// The message about a function that is read as if it were a value.
pub fn is_function(object: &str, name: &str) -> String {
    format!("{object}.{name} is a function: call it, {object}.{name}(…)")
}
