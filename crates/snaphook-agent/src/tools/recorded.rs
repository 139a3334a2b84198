//! The stand-in for a tool that the driver does not have, such as an MCP server's: it says what it said when the
//! session was recorded, so that `tool_result` handlers have something to act on.

use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};

/// A tool that only repeats a recorded result.
#[derive(Debug, Clone)]
pub struct Recorded {
    name: String,
    output: Option<ToolOutput>,
}

impl Recorded {
    /// A stand-in for the tool of this canonical name; without a recorded result each call fails and says so.
    pub fn new(name: impl Into<String>, output: Option<ToolOutput>) -> Self {
        Recorded { name: name.into(), output }
    }
}

impl Tool for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn run<'a>(&'a self, _call: &'a ToolCall, _output: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        let output = self.output.clone().unwrap_or_else(|| {
            let name = &self.name;
            ToolOutput::error(format!(
                "there is no tool \"{name}\" here, and no result of this call was recorded"
            ))
        });
        Box::pin(std::future::ready(output))
    }
}
