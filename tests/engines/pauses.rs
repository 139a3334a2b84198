//! Time that passes while a script does not compute is not its own: its thread is paused, or others have the processor. The tests
//! are the same for both engines; each one's `support.rs` has the scripts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use snaphook_core::*;

use crate::support::*;

const PAUSED: Duration = Duration::from_millis(400);

/// A budget that a pause goes far beyond, with the grace after it.
const BUDGET: Duration = Duration::from_millis(80);

fn tight() -> Limits {
    Limits { handler_cpu: BUDGET, load_cpu: BUDGET, event_cpu: BUDGET, stop_grace: BUDGET, ..limits() }
}

fn paused(source: &str) -> Result<Bed, Problem> {
    load_with(source, &[], Fake { pause: PAUSED, ..Fake::default() }, tight())
}

#[test]
fn a_handler_that_is_paused_has_its_budget_still() {
    let bed = paused(&in_a_handler(PAUSE)).unwrap();
    assert_eq!(bed.say(), "nothing");
}

#[test]
fn a_script_that_is_paused_while_it_loads_has_its_budget_still() {
    let source = format!("{PAUSE}\n{}", in_a_handler(""));
    assert_eq!(paused(&source).unwrap().say(), "nothing");
}

#[test]
fn the_sum_of_an_event_has_no_pauses_in_it() {
    let bed = paused(&in_a_handler(PAUSE)).unwrap();
    let context = bed.context();
    for _ in 0..2 {
        let event = bash(serde_json::json!({}));
        runtime().block_on(bed.hook.handlers[0].handle(&event, &context)).unwrap();
    }
    assert!(!context.cpu_left().is_zero());
}

#[test]
fn who_computes_behind_a_pause_is_stopped() {
    let bed = paused(&in_a_handler(&format!("{PAUSE}\n{COMPUTE}"))).unwrap();
    let said = bed.say();
    assert!(said.starts_with("budget: "), "{said}");
    let failed = paused(&format!("{PAUSE}\n{COMPUTE}")).err().unwrap();
    assert!(failed.to_string().contains("loading used up its CPU budget of 80ms"), "{failed}");
}

/// It would be taken for one that cannot be stopped, and replaced.
#[test]
fn a_vm_that_is_paused_stays() {
    let bed = paused(&counts_after_a_pause()).unwrap();
    assert_eq!([bed.say(), bed.say()], ["context 1", "context 2"]);
}

#[test]
fn a_busy_machine_changes_nothing() {
    let unhurried =
        Limits { handler_cpu: Duration::from_secs(60), event_cpu: Duration::from_secs(60), ..limits() };
    let source = in_a_handler(WORK);
    let alone = load_with(&source, &[], Fake::default(), unhurried).unwrap();
    let context = alone.context();
    let before = context.cpu_left();
    let event = bash(serde_json::json!({}));
    runtime().block_on(alone.hook.handlers[0].handle(&event, &context)).unwrap();
    let takes = before - context.cpu_left();

    let budget = takes * 4;
    let limits = Limits { handler_cpu: budget, event_cpu: budget, stop_grace: budget, ..limits() };
    let bed = load_with(&source, &[], Fake::default(), limits).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let others = std::thread::available_parallelism().map_or(2, usize::from) * 20;
    std::thread::scope(|scope| {
        for _ in 0..others {
            let over = Arc::clone(&over);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let said = bed.say();
        over.store(true, Ordering::Relaxed);
        assert_eq!(said, "nothing");
    });
}
