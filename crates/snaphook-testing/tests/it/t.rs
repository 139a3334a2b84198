//! What the functions of `t` do.

use crate::support::{failure, one};

/// Says what it was asked to.
const HOOK: &str = "on('tool_call', function(event, ctx)
  if event.command == 'no' then return { block = true, reason = 'never' } end
end)";

#[test]
fn a_test_passes_or_fails() {
    let passes = one(HOOK, "expect(t.tool_call{tool = 'bash', command = 'no'}).denied('never')");
    assert_eq!(failure(&passes), "");
    let fails = one(HOOK, "expect(t.tool_call{tool = 'bash', command = 'yes'}).denied('never')");
    assert!(failure(&fails).starts_with("guard.test.lua:2\nexpected: denied"), "{}", failure(&fails));
}
