//! A tool of a server, as a tool of the session. Not here: the gate before it and the hooks behind it (the host).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use snaphook_core::{BoxFuture, PartialOutput, Tool, ToolCall, ToolOutput};

use super::connection::Connection;
use super::result;

/// The time that a call may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// The tool.
#[derive(Debug)]
pub(super) struct ServerTool {
    /// The name that the model calls: `mcp__SERVER__TOOL`.
    pub(super) name: String,
    /// The server's name.
    pub(super) server: String,
    /// The server's own name for the tool.
    pub(super) tool: String,
    pub(super) connection: Arc<Connection>,
}

impl Tool for ServerTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn run<'a>(&'a self, call: &'a ToolCall, _: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let arguments = match &*call.input {
                Value::Object(arguments) => arguments.clone(),
                Value::Null => Map::new(),
                _ => return ToolOutput::error(format!("{}: the input has to be an object", self.name)),
            };
            match self.connection.call(&self.tool, arguments, CALL_TIMEOUT).await {
                Ok(said) => result::output(&said),
                Err(error) => {
                    ToolOutput::error(crate::tools::cut(format!("the MCP server {} {error}", self.server)))
                }
            }
        })
    }
}
