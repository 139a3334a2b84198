//! The time that the audit adds to a gated call: a line in a file of its own folder, nothing synced.

use std::sync::Arc;

use serde_json::json;
use snaphook::{AuditOptions, Builder, Host, ToolCall};
use snaphook_audit::FileAudit;

use crate::measure::{Case, Timing, compare};
use crate::scenes::{self, pass};
use crate::{line, show};

/// The time that the design allows for one line, in nanoseconds.
const BUDGET: f64 = 20_000.0;

pub fn all() {
    let dir = tempfile::tempdir().unwrap();
    let file = |builder: Builder| {
        let file = FileAudit::new(dir.path()).max_bytes(u64::MAX);
        builder.audit(Arc::new(file), AuditOptions::default()).build()
    };
    let engine = scenes::engine();
    let builder = || scenes::builder_of(scenes::scripts(1, scenes::GUARD), &engine);
    let (without, with, first, second) =
        (builder().build(), file(builder()), file(builder()), file(builder()));
    let call = scenes::call();
    let secret = secret();
    let both = |one: &Host, two: &Host| {
        pass(one, &call);
        pass(two, &call);
    };
    let [none, one, two, masked] = compare(
        [
            Case::new(|| pass(&without, &call)),
            Case::new(|| pass(&with, &call)),
            Case::new(|| both(&first, &second)),
            Case::new(|| pass(&with, &secret)),
        ],
        200,
    );
    let more = |of: Timing, times: f64| Timing {
        least: of.least / times - none.least,
        middle: of.middle / times - none.middle,
    };
    line("audit: added to a gate, one Lua handler", more(one, 1.0), None, Some(BUDGET));
    line("audit: added where two writers take turns", more(two, 2.0), None, Some(BUDGET));
    line("audit: added where a secret is masked", more(masked, 1.0), None, Some(BUDGET));
    println!("  the gate without it: {}\n", show(none.middle));
}

/// A call with something to mask.
fn secret() -> ToolCall {
    ToolCall::new("call_1", "bash", json!({"command": "API_TOKEN=abc123def456 cargo test"}))
}

/// Repeats one case for a profiler; says whether there is such a case.
pub fn count(name: &str, times: usize) -> bool {
    let call = match name {
        "audit" => scenes::call(),
        "masked" => secret(),
        _ => return false,
    };
    let dir = tempfile::tempdir().unwrap();
    let file = FileAudit::new(dir.path()).max_bytes(u64::MAX);
    let host = scenes::builder_of(scenes::scripts(1, scenes::GUARD), &scenes::engine());
    let host = host.audit(Arc::new(file), AuditOptions::default()).build();
    (0..times).for_each(|_| pass(&host, &call));
    true
}
