//! Scripts that compute for ever or eat memory. Each is stopped, and the next call works.

use crate::support::*;

#[test]
fn the_events_budget_is_shared() {
    let bed = load_with(
        "on(\"tool_call\", |event| { while true {} });",
        &[],
        Fake::default(),
        snaphook_core::Limits { event_cpu: std::time::Duration::from_millis(50), ..limits() },
    )
    .unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(bed.say(), "budget: the handlers of this event used up their CPU budget of 50ms");
}
