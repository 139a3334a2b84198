//! Answers to what an ACP agent asks for: permission, files of the session's folder, terminals. The proxy has gated each request
//! before.

use std::sync::Arc;

use serde_json::{Value, json};
use snaphook_acp::client::{AgentRequest, Refused, Serve, TerminalRequest};
use snaphook_core::{BoxFuture, Tool as _, ToolCall};

use super::terminals::{Command, Terminals};
use crate::tools::{ToolRefused, Workspace, Write};

/// The code of a request that the tools refuse.
const REFUSED: i64 = -32001;

/// Answers an agent: permission that has passed its gate is given, files of the folder are read and written.
#[derive(Debug)]
pub(super) struct ServeAgent {
    pub(super) workspace: Arc<Workspace>,
    pub(super) terminals: Terminals,
}

impl Serve for ServeAgent {
    fn serve<'a>(&'a self, request: AgentRequest) -> BoxFuture<'a, Result<Value, Refused>> {
        Box::pin(async move {
            match request {
                // Hooks have allowed it, and asked the person where they wanted one.
                AgentRequest::Permission { options, .. } => Ok(options.yes().unwrap_or_else(|| options.no())),
                AgentRequest::ReadTextFile { path, line, limit, .. } => {
                    let workspace = Arc::clone(&self.workspace);
                    let reading = tokio::task::spawn_blocking(move || read(&workspace, &path, line, limit));
                    match reading.await {
                        Ok(Ok(text)) => Ok(json!({ "content": text })),
                        Ok(Err(refused)) => Err(refuse(refused.0)),
                        Err(error) => Err(refuse(format!("the read broke off: {error}"))),
                    }
                }
                AgentRequest::WriteTextFile { path, content, .. } => {
                    let call = ToolCall::new("acp", "write", json!({ "path": path, "content": content }));
                    let said = Write(Arc::clone(&self.workspace)).run(&call, None).await;
                    if said.is_error { Err(refuse(said.content)) } else { Ok(json!({})) }
                }
                AgentRequest::CreateTerminal { command, args, env, cwd, output_byte_limit, .. } => {
                    let command = Command { command, args, env, cwd, limit: output_byte_limit };
                    let created = self.terminals.create(command).map(|id| json!({ "terminalId": id }));
                    created.map_err(|refused| refuse(refused.0))
                }
                AgentRequest::Terminal { terminal, request, .. } => {
                    let answer = match request {
                        TerminalRequest::Output => self.terminals.output(&terminal),
                        TerminalRequest::WaitForExit => self.terminals.wait(&terminal).await,
                        TerminalRequest::Kill => self.terminals.kill(&terminal),
                        TerminalRequest::Release => self.terminals.release(&terminal),
                    };
                    answer.map_err(|refused| refuse(refused.0))
                }
                AgentRequest::Other { method, .. } => Err(Refused::method_not_found(&method)),
            }
        })
    }
}

fn refuse(text: String) -> Refused {
    Refused { code: REFUSED, text }
}

fn read(
    workspace: &Workspace,
    path: &str,
    line: Option<u64>,
    limit: Option<u64>,
) -> Result<String, ToolRefused> {
    let place = workspace.resolve(path)?;
    let text = workspace.load_text(&workspace.show(&place), &place)?;
    if line.is_none() && limit.is_none() {
        return Ok(text);
    }
    let count = |count: Option<u64>| count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let first = count(line).unwrap_or(1).saturating_sub(1);
    let lines = text.split_inclusive('\n').skip(first).take(count(limit).unwrap_or(usize::MAX));
    Ok(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_by_lines_and_only_inside() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "1\n2\n3\n").unwrap();
        let workspace = Workspace::new(folder.path()).unwrap();
        for (line, limit, want) in [
            (None, None, "1\n2\n3\n"),
            (Some(2), None, "2\n3\n"),
            (Some(2), Some(1), "2\n"),
            (Some(9), None, ""),
        ] {
            assert_eq!(read(&workspace, "a", line, limit).unwrap(), want);
        }
        assert!(read(&workspace, "../b", None, None).unwrap_err().0.contains("outside"));
    }
}
