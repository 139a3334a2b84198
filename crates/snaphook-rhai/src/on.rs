//! `on(event, handler)` and `on(event, matcher, handler)`: what a script registers while it loads.

use std::any::TypeId;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rhai::{Dynamic, FnPtr, GlobalRuntimeState, ImmutableString, Module, NativeCallContext};
use serde_json::Value as Json;
use snaphook_core::{EventName, HookRef, Problem};
use snaphook_script::matcher::Matcher;

use crate::bindings::put;
use crate::bridge::{Raised, here, host, raise};
use crate::meter::outside;

/// One call of `on`.
pub(crate) struct Registration {
    pub(crate) event: EventName,
    pub(crate) matcher: Option<Arc<Matcher>>,
    /// The matcher as it was written.
    pub(crate) written: Option<Json>,
    pub(crate) function: Callback,
    pub(crate) line: Option<u32>,
    /// The file that the line counts in, where it is not the hook's own.
    pub(crate) file: Option<PathBuf>,
}

/// A function of the script with what it sees: the functions, imports and constants around the place where it was handed
/// over. Rhai finds functions by name in its surroundings, not by the pointer.
pub(crate) struct Callback {
    pub(crate) pointer: FnPtr,
    pub(crate) surroundings: GlobalRuntimeState,
    /// The number of arguments that it takes.
    pub(crate) takes: usize,
}

/// The handlers that a script has registered so far.
pub(crate) struct Registrations {
    hook: HookRef,
    list: Mutex<Option<Vec<Registration>>>,
    pub(crate) warnings: Mutex<Vec<Problem>>,
}

/// More handlers than that is a loop gone wrong.
const MAX_HANDLERS: usize = 256;
const USAGE: &str = "use on(event, handler) or on(event, matcher, handler)";

impl Registrations {
    pub(crate) fn new(hook: HookRef) -> Self {
        Registrations { hook, list: Mutex::new(Some(Vec::new())), warnings: Mutex::default() }
    }

    /// Ends registration; later calls of `on` are errors.
    pub(crate) fn seal(&self) -> Vec<Registration> {
        self.list.lock().take().unwrap_or_default()
    }

    fn add(&self, context: &NativeCallContext<'_>, mut args: Vec<Dynamic>) -> Result<(), Raised> {
        let wrong = |what: &str| raise(format!("{what}; {USAGE}"));
        if self.list.lock().is_none() {
            return Err(raise("on() can be called only while the hook loads, not from a handler"));
        }
        let function = args.pop().and_then(|last| last.try_cast::<FnPtr>());
        let function = function.ok_or_else(|| wrong("on() needs a function as its last argument"))?;
        if args.is_empty() || args.len() > 2 {
            return Err(wrong("on() takes two or three arguments"));
        }
        let name = args.remove(0).try_cast::<ImmutableString>();
        let name = name.ok_or_else(|| wrong("the first argument of on() is an event's name"))?;
        let event = host(|| EventName::parse(&name))?;
        let line = context.call_position().line().and_then(|line| u32::try_from(line).ok());
        let own = self.hook.file.to_string_lossy();
        let file = context.call_source().filter(|source| *source != own).map(PathBuf::from);
        let mut doubts: Vec<String> = outside(|| event.doubt().into_iter().collect());
        let (matcher, written) = match args.pop() {
            None => (None, None),
            Some(value) => {
                let written = here()?.bridge.to_json(&value)?;
                let written = written.take().unwrap_or_default();
                let (matcher, warnings) = host(|| Matcher::parse(&event, &written))?;
                outside(|| doubts.extend(warnings));
                (Some(Arc::new(matcher)), Some(written))
            }
        };
        let place = file.clone().unwrap_or_else(|| self.hook.file.clone());
        outside(|| {
            let told = doubts.into_iter().map(|text| {
                let problem = Problem::warning(place.clone(), text);
                line.map_or(problem.clone(), |line| problem.at_line(line))
            });
            self.warnings.lock().extend(told);
        });
        let function = Callback::new(context, function, 1..=2)
            .map_err(|what| wrong(&format!("a handler takes the event, or the event and ctx, but {what}")))?;
        let mut list = self.list.lock();
        let list = list.as_mut().ok_or_else(|| raise("the hook is loaded"))?;
        if list.len() >= MAX_HANDLERS {
            return Err(raise(format!("a hook may register at most {MAX_HANDLERS} handlers")));
        }
        list.push(Registration { event, matcher, written, function, line, file });
        Ok(())
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
    /// It is none of the script's own.
    #[error("the script defines no function \"{0}\"")]
    Undefined(String),
}

impl Callback {
    /// A function with the surroundings of the call that it was handed over in.
    ///
    /// # Errors
    /// It takes another number of arguments, or is none of the script's own.
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
            here()?.bridge.registrations.add(context, args).map(Dynamic::from)
        });
    }
}
