//! When a VM collects what its script has dropped. Luau's own settings suit one large heap; here are many small ones, of which
//! each event leaves half a kilobyte behind.

use mlua::Lua;
use mlua::state::{GcIncParams, GcMode};

/// A heap may grow to this many percent of what was in use after the last collection.
const HEAP_GOAL_PERCENT: i32 = 160;
/// The speed of the collector once it has begun, in percent of what is allocated meanwhile. So fast that a small heap is
/// through within a few events: as long as it is at work, the heap grows beyond its goal.
const PACE_PERCENT: i32 = 3200;

/// Sets how a VM collects that stays, once its script has loaded: loading itself drops too little to collect more often for it.
pub(crate) fn tune(lua: &Lua) {
    let params = GcIncParams::default().goal(HEAP_GOAL_PERCENT).step_multiplier(PACE_PERCENT);
    lua.gc_set_mode(GcMode::Incremental(params));
}

/// Collects what loading left behind, a quarter of the heap, in 84,000 instructions.
pub(crate) fn collect_after_load(lua: &Lua) {
    // Refused memory here, it is refused again where the script allocates.
    let _ = lua.gc_collect();
}
