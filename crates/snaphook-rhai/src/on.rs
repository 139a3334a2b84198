//! `on(event, handler)` and `on(event, matcher, handler)`: the arguments of the call. Not here: what is registered
//! (`snaphook_script::kit`).

use std::any::TypeId;

use rhai::{Dynamic, FnPtr, GlobalRuntimeState, ImmutableString, Module, NativeCallContext};
use snaphook_core::EventName;
use snaphook_script::kit::{self, OnError};

use crate::bindings::put;
use crate::meter::Foreign;
use crate::raise::{Raised, host, raise};
use crate::vm_context::active;

/// The handlers that a script has registered so far.
pub(crate) type Registrations = kit::Registrations<Callback>;

/// A function of the script with what it sees: the functions, imports and constants around the place where it was handed
/// over. Rhai finds functions by name in its surroundings, not by the pointer.
pub(crate) struct Callback {
    pub(crate) pointer: FnPtr,
    pub(crate) surroundings: GlobalRuntimeState,
    /// The number of arguments that it takes.
    pub(crate) takes: usize,
}

fn add(context: &NativeCallContext<'_>, mut args: Vec<Dynamic>) -> Result<(), Raised> {
    let vm = active()?.vm;
    let registrations = &vm.registrations;
    host(|| registrations.check_open())?;
    let function = args.pop().and_then(|last| last.try_cast::<FnPtr>());
    let function = function.ok_or_else(|| raise(OnError::NoFunction))?;
    if args.is_empty() || args.len() > 2 {
        return Err(raise(OnError::Arguments));
    }
    let name = args.remove(0).try_cast::<ImmutableString>();
    let name = name.ok_or_else(|| raise(OnError::NoName))?;
    let event = Foreign::new(host(|| EventName::parse(&name))?);
    let matcher = args.pop().map(|value| vm.to_json(&value)).transpose()?;
    let line = context.call_position().line().and_then(|line| u32::try_from(line).ok());
    let handler = host(|| {
        let (event, matcher) = (event.take().ok_or(OnError::NoName)?, matcher.and_then(Foreign::take));
        registrations.prepare(event, matcher, context.call_source(), line)
    });
    let handler = Foreign::new(handler?);
    let function = Callback::new(context, function, 1..=2)
        .map_err(|error| raise(OnError::Function(error.to_string())))?;
    host(|| registrations.add(handler.take().ok_or(OnError::Loaded)?, function))
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

/// Puts `on` into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    for count in 0..=4 {
        put(globals, "on", vec![TypeId::of::<Dynamic>(); count], true, |context, args| {
            let args: Vec<Dynamic> = args.iter_mut().map(|arg| std::mem::take(*arg)).collect();
            add(context, args).map(Dynamic::from)
        });
    }
}
