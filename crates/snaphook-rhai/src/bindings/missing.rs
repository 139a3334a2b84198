//! What a script is told when it calls a function that is not there: the names that an object of ours has, or how many
//! arguments the function takes.

use rhai::{Dynamic, Engine};

use crate::bindings::ctx::{self, Ctx};
use crate::bindings::keep::{self, Kept};
use crate::bindings::ui::{self, Ui};
use crate::bindings::{Args, no_such};
use crate::bridge::{Raised, raise};
use crate::event::{self, EventObject};

/// Makes the engine ask here.
pub(crate) fn install(engine: &mut Engine) {
    #[expect(deprecated, reason = "Rhai marks what may change in any version so; the version is pinned")]
    engine.on_missing_function(|name, args, _, _| of(name, args).map_or(Ok(None), Err));
}

fn of(name: &str, args: &Args<'_>) -> Option<Raised> {
    // Getters, setters and indexers have names of their own kind; misspelt properties are the objects' own matter.
    if name.contains('$') {
        return None;
    }
    let this: &Dynamic = args.first()?;
    let (object, names) = if this.is::<Ctx>() {
        ("ctx", ctx::names().collect::<Vec<_>>())
    } else if this.is::<Ui>() {
        ("ctx.ui", ui::NAMES.to_vec())
    } else if this.is::<EventObject>() {
        ("event", event::METHODS.to_vec())
    } else {
        (this.read_lock::<Kept>()?.name(), keep::NAMES.to_vec())
    };
    if names.contains(&name) {
        let count = args.len() - 1;
        let plural = if count == 1 { "" } else { "s" };
        return Some(raise(format!("{object}.{name} does not take {count} argument{plural}")));
    }
    Some(no_such(object, name, &names))
}
