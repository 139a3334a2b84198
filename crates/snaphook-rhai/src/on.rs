//! `on(event, handler)` and `on(event, matcher, handler)`: the arguments of the call. Not here: what is registered
//! (`snaphook_script::kit`).

use std::any::TypeId;

use rhai::{Dynamic, FnPtr, ImmutableString, Module, NativeCallContext};
use snaphook_core::EventName;
use snaphook_script::kit::OnError;

use crate::bindings::put;
use crate::callback::Callback;
use crate::meter::Foreign;
use crate::raise::{Raised, host, raise};
use crate::vm_context::active;

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

/// Puts `on` into the module of globals.
pub(crate) fn register(globals: &mut Module) {
    for count in 0..=4 {
        put(globals, "on", vec![TypeId::of::<Dynamic>(); count], true, |context, args| {
            let args: Vec<Dynamic> = args.iter_mut().map(|arg| std::mem::take(*arg)).collect();
            add(context, args).map(Dynamic::from)
        });
    }
}
