//! `ctx`: the names of its members, the values that are looked up on each touch, and what scripts write for `ctx.log`,
//! `ctx.send` and `ctx.emit`. Not here: processes (`exec`), dialogs (`ui`), the object itself, which each engine makes.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook_core::{CallContext, Deliver, HookRef, Level, Notation, Services, nearest};

/// The members that are objects and functions.
pub const FIXED_MEMBERS: &[&str] = &["exec", "ui", "send", "emit", "state", "store", "log"];
/// The members that are looked up on each touch.
pub const LIVE_MEMBERS: &[&str] =
    &["cwd", "project_root", "session_id", "session_path", "has_ui", "agent", "scope", "hook", "cancelled"];

/// The names of all members.
pub fn names() -> impl Iterator<Item = &'static str> {
    FIXED_MEMBERS.iter().chain(LIVE_MEMBERS).copied()
}

/// A value that is looked up when a script touches it.
#[derive(Debug)]
pub enum CtxValue<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// Yes or no.
    Flag(bool),
    /// It is absent.
    Nothing,
}

/// The present value of one of [`LIVE_MEMBERS`].
pub fn live<'a>(
    name: &str,
    hook: &'a HookRef,
    services: &dyn Services,
    call: &'a Arc<CallContext>,
) -> CtxValue<'a> {
    let session = &call.session;
    let text = |text: &'a str| CtxValue::Text(Cow::Borrowed(text));
    match name {
        "cwd" => CtxValue::Text(session.cwd.to_string_lossy()),
        "project_root" => CtxValue::Text(session.project_root.to_string_lossy()),
        "session_id" => text(&session.id),
        "session_path" => session.path.as_deref().map_or(CtxValue::Nothing, text),
        "agent" => text(&session.agent),
        "scope" => text(hook.scope.as_str()),
        "hook" => text(&hook.id),
        "has_ui" => CtxValue::Flag(services.has_ui(hook, call)),
        _ => CtxValue::Flag(call.is_cancelled()),
    }
}

/// The reason why a function of `ctx` refuses an argument.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CtxError {
    /// There is no such level.
    #[error("the level is debug, info, warn or error, not \"{0}\"")]
    Level(String),
    /// `ctx.send` has no such option; true if `deliver` is probably meant.
    #[error("ctx.send has no option `{0}`{hint}", hint = if *.1 { "; did you mean `deliver`?" } else { "" })]
    SendOption(String, bool),
    /// `deliver` has a value that it cannot have.
    #[error("`deliver` is \"now\", \"next_turn\" or \"follow_up\", not {0}")]
    Deliver(Value),
    /// The payload of `ctx.emit` has no names.
    #[error("the payload of ctx.emit is {0}")]
    Payload(&'static str),
}

/// The level of this name; default: `info`.
///
/// # Errors
/// There is no such level.
pub fn level(name: Option<&str>) -> Result<Level, CtxError> {
    let Some(name) = name else { return Ok(Level::Info) };
    Level::from_name(name).ok_or_else(|| CtxError::Level(name.to_owned()))
}

/// Reads the options of `ctx.send`.
///
/// # Errors
/// An option that it does not have, or a value that `deliver` cannot have.
pub fn deliver(options: &Map<String, Value>) -> Result<Deliver, CtxError> {
    let mut deliver = Deliver::default();
    for (name, value) in options {
        if name != "deliver" {
            return Err(CtxError::SendOption(name.clone(), nearest(name, ["deliver"]).is_some()));
        }
        let named = value.as_str().and_then(Deliver::from_name);
        deliver = named.ok_or_else(|| CtxError::Deliver(value.clone()))?;
    }
    Ok(deliver)
}

/// The payload of `ctx.emit`.
///
/// # Errors
/// It has no names.
pub fn payload(fields: Option<Value>, notation: Notation) -> Result<Map<String, Value>, CtxError> {
    match fields {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map),
        Some(_) if notation == Notation::Lua => Err(CtxError::Payload("a table with named fields")),
        Some(_) => Err(CtxError::Payload("a map")),
    }
}
