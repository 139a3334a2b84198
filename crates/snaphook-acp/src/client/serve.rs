//! Requests of an agent, as they are answered: permission, files, terminals.

use serde_json::{Map, Value};
use snaphook::BoxFuture;

use crate::permission::{PermissionRequest, cancelled, selected};

/// Answers the agent. Each request has a task of its own, so that one may wait for a person.
pub trait Serve: Send + Sync {
    /// Answers a request.
    fn serve<'a>(&'a self, request: AgentRequest) -> BoxFuture<'a, Result<Value, Refused>>;
}

/// A request that is not answered as the agent wants it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refused {
    /// The code of the protocol.
    pub code: i64,
    /// The reason, which the agent reads.
    pub text: String,
}

impl Refused {
    /// The protocol's answer to a method that is not offered.
    pub fn method_not_found(method: &str) -> Self {
        Refused { code: -32601, text: format!("{method} is not offered") }
    }

    /// A request whose parameters cannot be read.
    pub fn invalid(text: impl Into<String>) -> Self {
        Refused { code: -32602, text: text.into() }
    }
}

/// What a terminal of the client's is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalRequest {
    /// What it printed until now.
    Output,
    /// Its end.
    WaitForExit,
    /// To end its command.
    Kill,
    /// To end it and forget it.
    Release,
}

/// A request of the agent's.
#[derive(Debug)]
pub enum AgentRequest {
    /// The person's yes to a tool call.
    Permission {
        /// The session.
        session: String,
        /// The tool call as the agent describes it.
        call: Map<String, Value>,
        /// Chooses among the options.
        options: PermissionOptions,
    },
    /// The text of a file.
    ReadTextFile {
        /// The session.
        session: String,
        /// The file.
        path: String,
        /// The first line, from 1.
        line: Option<u64>,
        /// The most lines.
        limit: Option<u64>,
    },
    /// To write a file.
    WriteTextFile {
        /// The session.
        session: String,
        /// The file.
        path: String,
        /// The whole new text.
        content: String,
    },
    /// To run a command in a terminal.
    CreateTerminal {
        /// The session.
        session: String,
        /// A program, or a line for a shell where there are no arguments.
        command: String,
        /// The arguments.
        args: Vec<String>,
        /// The environment variables beside the terminal's own.
        env: Vec<(String, String)>,
        /// The working directory.
        cwd: Option<String>,
        /// The most bytes of output to keep, of its end.
        output_byte_limit: Option<u64>,
    },
    /// Something of a terminal that was created.
    Terminal {
        /// The session.
        session: String,
        /// The terminal.
        terminal: String,
        /// What is wanted.
        request: TerminalRequest,
    },
    /// Any other method.
    Other {
        /// The method.
        method: String,
        /// The parameters.
        params: Value,
    },
}

/// The options of a permission request, and the answers that they are.
#[derive(Debug)]
pub struct PermissionOptions(PermissionRequest);

impl PermissionOptions {
    /// The answer that allows this call, for once where the agent offers that, else for good; `None` if it offers neither.
    pub fn yes(&self) -> Option<Value> {
        self.0.approval().or_else(|| self.0.option(&["allow_always"]).map(selected))
    }

    /// The answer that refuses it.
    pub fn no(&self) -> Value {
        self.0.refusal()
    }

    /// The answer of a turn that was cancelled.
    pub fn cancelled(&self) -> Value {
        cancelled()
    }
}

impl AgentRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// Its parameters have not the form that the protocol gives them.
    pub(super) fn read(method: &str, params: Option<&str>) -> Result<Self, Refused> {
        let value: Value = serde_json::from_str(params.unwrap_or("null"))
            .map_err(|error| Refused::invalid(error.to_string()))?;
        let text = |key: &str| {
            let text = value.get(key).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| Refused::invalid(format!("it has no `{key}`")))
        };
        let count = |key: &str| value.get(key).and_then(Value::as_u64);
        let terminal = |request| {
            Ok(AgentRequest::Terminal { session: text("sessionId")?, terminal: text("terminalId")?, request })
        };
        match method {
            "session/request_permission" => {
                let request =
                    PermissionRequest::read(params).map_err(|error| Refused::invalid(error.to_string()))?;
                let (session, call) = (text("sessionId")?, request.described().clone());
                Ok(AgentRequest::Permission { session, call, options: PermissionOptions(request) })
            }
            "fs/read_text_file" => Ok(AgentRequest::ReadTextFile {
                session: text("sessionId")?,
                path: text("path")?,
                line: count("line"),
                limit: count("limit"),
            }),
            "fs/write_text_file" => Ok(AgentRequest::WriteTextFile {
                session: text("sessionId")?,
                path: text("path")?,
                content: text("content")?,
            }),
            "terminal/create" => {
                let list = |key: &str| value.get(key).and_then(Value::as_array).into_iter().flatten();
                let pair = |entry: &Value| {
                    let text = |key: &str| Some(entry.get(key)?.as_str()?.to_owned());
                    Some((text("name")?, text("value")?))
                };
                Ok(AgentRequest::CreateTerminal {
                    session: text("sessionId")?,
                    command: text("command")?,
                    args: list("args").filter_map(Value::as_str).map(str::to_owned).collect(),
                    env: list("env").filter_map(pair).collect(),
                    cwd: value.get("cwd").and_then(Value::as_str).map(str::to_owned),
                    output_byte_limit: count("outputByteLimit"),
                })
            }
            "terminal/output" => terminal(TerminalRequest::Output),
            "terminal/wait_for_exit" => terminal(TerminalRequest::WaitForExit),
            "terminal/kill" => terminal(TerminalRequest::Kill),
            "terminal/release" => terminal(TerminalRequest::Release),
            other => Ok(AgentRequest::Other { method: other.to_owned(), params: value }),
        }
    }
}
