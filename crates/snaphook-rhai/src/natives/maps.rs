//! Functions that make maps larger.

use rhai::{Dynamic, Map, Module};

use crate::natives::{Failure, changing, limits, pure};

pub(super) fn register(library: &mut Module) {
    changing("set").set_into_module(
        library,
        |map: &mut Map, key: &str, value: Dynamic| -> Result<(), Failure> {
            if let Some(known) = map.get_mut(key) {
                *known = value;
                return Ok(());
            }
            limits::values("set", map.len() + 1)?;
            map.insert(key.into(), value);
            Ok(())
        },
    );
    for name in ["mixin", "+="] {
        changing(name).set_into_module(library, mixin);
    }
    pure("+").set_into_module(library, |mut map: Map, more: Map| mixin(&mut map, more).map(|()| map));
    changing("fill_with").set_into_module(library, |map: &mut Map, more: Map| -> Result<(), Failure> {
        limits::values("fill_with", map.len() + more.len())?;
        for (key, value) in more {
            map.entry(key).or_insert(value);
        }
        Ok(())
    });
}

fn mixin(map: &mut Map, more: Map) -> Result<(), Failure> {
    limits::values("mixin", map.len() + more.len())?;
    map.extend(more);
    Ok(())
}
