//! The holder of hook tests: it holds nothing, so that tests see the command line as the hook left it. Not here: what a
//! held command line looks like (`snaphook check` shows it).

use snaphook::{Hold, Holder, NotHeld, ToolCall};

/// Leaves command lines as they are.
#[derive(Debug)]
pub(crate) struct TestHolder;

impl Holder for TestHolder {
    fn held(&self, _hold: &Hold, call: &ToolCall) -> Result<String, NotHeld> {
        Ok(call.command().unwrap_or_default().into_owned())
    }
}
