//! Functions of scripts that the host calls: handlers and tests. Not here: calling them (`vm`), registering
//! them (`on`, `bindings/testing`).

use rhai::{FnPtr, GlobalRuntimeState, NativeCallContext};

/// A function of the script with what it sees: the functions, imports and constants around the place where it was handed
/// over. Rhai finds functions by name in its surroundings, not by the pointer.
pub(crate) struct Callback {
    pub(crate) pointer: FnPtr,
    pub(crate) surroundings: GlobalRuntimeState,
    /// The number of arguments that it takes.
    pub(crate) takes: usize,
}

impl Callback {
    /// A function with the surroundings of the call that it was handed over in.
    ///
    /// # Errors
    /// It takes another number of arguments, or the script does not define it.
    pub(crate) fn new(
        context: &NativeCallContext<'_>,
        pointer: FnPtr,
        takes: std::ops::RangeInclusive<usize>,
    ) -> Result<Self, CallbackError> {
        let curried = pointer.curry().len();
        let name = pointer.fn_name();
        let libraries = context.namespaces();
        let has = |count: &usize| {
            libraries.iter().any(|library| library.get_script_fn(name, count + curried).is_some())
        };
        let surroundings = context.global_runtime_state().clone();
        if let Some(takes) = takes.rev().find(has) {
            return Ok(Callback { pointer, surroundings, takes });
        }
        let functions = libraries.iter().flat_map(|library| library.iter_script_fn_info());
        let count = functions.filter(|info| info.2 == name).map(|info| info.3).next();
        Err(match count.map(|count| count.saturating_sub(curried)) {
            Some(1) => CallbackError::OneArgument,
            Some(count) => CallbackError::Arguments(count),
            None => CallbackError::Undefined(name.to_owned()),
        })
    }
}

/// The reason why a function cannot be a handler or a test.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallbackError {
    /// It takes one argument, which is the wrong number.
    #[error("this one takes 1 argument")]
    OneArgument,
    /// It takes so many arguments, which is the wrong number.
    #[error("this one takes {0} arguments")]
    Arguments(usize),
    /// The script defines no such function.
    #[error("the script defines no function \"{0}\"")]
    Undefined(String),
}
