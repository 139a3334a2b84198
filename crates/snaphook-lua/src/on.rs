//! `on(event, handler)` and `on(event, matcher, handler)`: what a script registers while it loads.

use std::path::PathBuf;
use std::sync::Arc;

use mlua::{Function, Lua, Value};
use parking_lot::Mutex;
use serde_json::Value as Json;
use snaphook_core::{EventName, HookRef, Problem};
use snaphook_script::matcher::Matcher;

use crate::bridge::Bridge;
use crate::raw::{self, Pin, host_function};

/// One call of `on`.
pub(crate) struct Registration {
    pub(crate) event: EventName,
    pub(crate) matcher: Option<Arc<Matcher>>,
    /// The matcher as it was written.
    pub(crate) written: Option<Json>,
    /// The function, kept in the VM.
    pub(crate) function: Pin,
    pub(crate) line: Option<u32>,
    /// The file that the line counts in, where it is not the hook's own.
    pub(crate) file: Option<PathBuf>,
}

/// The handlers that a script has registered so far.
pub(crate) struct Registrations {
    hook: HookRef,
    list: Mutex<Option<Vec<Registration>>>,
    pub(crate) warnings: Mutex<Vec<Problem>>,
}

/// More handlers than that is a loop gone wrong.
const MAX_HANDLERS: usize = 256;

impl Registrations {
    pub(crate) fn new(hook: HookRef) -> Self {
        Registrations { hook, list: Mutex::new(Some(Vec::new())), warnings: Mutex::default() }
    }

    /// Ends registration; later calls of `on` are errors.
    pub(crate) fn seal(&self) -> Vec<Registration> {
        self.list.lock().take().unwrap_or_default()
    }

    fn add(&self, bridge: &Bridge, lua: &Lua, args: [Value; 4]) -> mlua::Result<()> {
        let runtime = mlua::Error::runtime;
        let usage = "use on(event, handler) or on(event, matcher, handler)";
        // What was not given is nil at the end.
        let given = args.iter().rposition(|value| !value.is_nil()).map_or(0, |last| last + 1);
        let mut args: Vec<Value> = args.into_iter().take(given).collect();
        let Some(Value::Function(function)) = args.pop() else {
            return Err(runtime(format!("on() needs a function as its last argument; {usage}")));
        };
        if args.is_empty() || args.len() > 2 {
            return Err(runtime(format!("on() takes two or three arguments; {usage}")));
        }
        let Value::String(name) = args.remove(0) else {
            return Err(runtime(format!("the first argument of on() is an event's name; {usage}")));
        };
        let event = EventName::parse(&name.to_str()?).map_err(|error| runtime(error.to_string()))?;
        let info = function.info();
        // A function of ours or of Luau's own (`on("shutdown", print)`) stands nowhere; the call of `on` does. Level 0 is
        // this function, 1 the wrapper around it, 2 the script.
        let (source, line) = match info.source.filter(|source| !source.starts_with('=')) {
            Some(source) => (Some(source), info.line_defined),
            None => lua
                .inspect_stack(2, |frame| {
                    let source = frame.source().source.map(|source| source.into_owned());
                    (source, frame.current_line())
                })
                .unwrap_or_default(),
        };
        let line = line.and_then(|line| u32::try_from(line).ok());
        let own = self.hook.file.to_string_lossy();
        let source = source.map(|source| source.trim_start_matches('@').to_owned());
        let file = source.filter(|source| *source != own).map(PathBuf::from);
        let mut doubts: Vec<String> = event.doubt().into_iter().collect();
        let (matcher, written) = match args.pop() {
            None => (None, None),
            Some(value) => {
                let written = bridge.to_json(lua, &value).map_err(mlua::Error::runtime)?;
                let parsed = Matcher::parse(&event, &written);
                let (matcher, warnings) = parsed.map_err(mlua::Error::runtime)?;
                doubts.extend(warnings);
                (Some(Arc::new(matcher)), Some(written))
            }
        };
        let place = file.clone().unwrap_or_else(|| self.hook.file.clone());
        let told = doubts.into_iter().map(|text| {
            let problem = Problem::warning(place.clone(), text);
            line.map_or(problem.clone(), |line| problem.at_line(line))
        });
        self.warnings.lock().extend(told);
        let mut list = self.list.lock();
        let list = list.as_mut().ok_or_else(|| {
            runtime("on() can be called only while the hook loads, not from a handler".to_owned())
        })?;
        if list.len() >= MAX_HANDLERS {
            return Err(runtime(format!("a hook may register at most {MAX_HANDLERS} handlers")));
        }
        let function = raw::pin(lua, function)?;
        list.push(Registration { event, matcher, written, function, line, file });
        Ok(())
    }
}

/// The global `on`.
pub(crate) fn function(
    lua: &Lua,
    bridge: &Arc<Bridge>,
    registrations: &Arc<Registrations>,
) -> mlua::Result<Function> {
    let (bridge, registrations) = (Arc::clone(bridge), Arc::clone(registrations));
    host_function(lua, move |lua, (a, b, c, d): (Value, Value, Value, Value)| {
        registrations.add(&bridge, lua, [a, b, c, d])
    })
}
