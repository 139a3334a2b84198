//! Functions that Rhai has and hooks do not: each is an error that says what to use instead.

use rhai::{Dynamic, Map, Module};

use crate::natives::{Failure, pure};
use crate::raise::raise;

pub(super) fn register(library: &mut Module) {
    const SLEEP: &str = "sleep is not available to hooks: the agent would wait with them";
    const TIMESTAMP: &str = "timestamp is not available to hooks: use snaphook::time::now() for the time";
    const EXIT: &str = "exit is not available to hooks: return from the handler";
    const PARSE: &str = "parse_json is not available to hooks: use snaphook::json::decode(text)";
    const FORMAT: &str = "to_json is not available to hooks: use snaphook::json::encode(value)";
    type Refused = Result<Dynamic, Failure>;
    let absent = |name| pure(name).with_volatility(true);
    absent("sleep").set_into_module(library, |_: i64| -> Refused { Err(raise(SLEEP)) });
    absent("sleep").set_into_module(library, |_: f64| -> Refused { Err(raise(SLEEP)) });
    absent("timestamp").set_into_module(library, || -> Refused { Err(raise(TIMESTAMP)) });
    absent("exit").set_into_module(library, || -> Refused { Err(raise(EXIT)) });
    absent("exit").set_into_module(library, |_: Dynamic| -> Refused { Err(raise(EXIT)) });
    absent("parse_json").set_into_module(library, |_: &str| -> Refused { Err(raise(PARSE)) });
    absent("to_json").set_into_module(library, |_: &mut Map| -> Refused { Err(raise(FORMAT)) });
}
