//! The servers of a session: all started together, asked anew when they say that their tools changed, and ended together. Not here: one
//! session (`connection`), one list (`listing`).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use snaphook::{CancellationToken, Host};
use snaphook_core::{BoxFuture, Tool};
use snaphook_mcp::pins::Pins;
use tokio::task::JoinSet;

use super::config::ServerConfig;
use super::connection::{Connection, START_TIMEOUT, StartServerError};
use super::listing::{self, Offered};
use super::tool::ServerTool;
use crate::driver::{ServerState, Step};
use crate::toolset::{Listing, ToolSource};

/// A server that is to be started.
#[derive(Debug)]
pub struct ServerPlan {
    /// The server.
    pub config: ServerConfig,
    /// The earlier definitions of its tools, which also have its name as a word: `mcp__NAME__TOOL`.
    pub pins: Arc<Pins>,
}

impl ServerPlan {
    fn name(&self) -> &str {
        &self.pins.server().name
    }
}

/// The servers that are connected.
pub struct Servers {
    all: Vec<Running>,
    host: Host,
    cancel: CancellationToken,
    /// True until the tools were given once.
    is_new: AtomicBool,
}

struct Running {
    name: String,
    pins: Arc<Pins>,
    connection: Arc<Connection>,
    tools: Mutex<Vec<Offered>>,
    /// True once the person was told of its end.
    is_told: AtomicBool,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.all.iter().map(|server| &server.name).collect();
        f.debug_struct("Servers").field("all", &names).finish_non_exhaustive()
    }
}

impl Servers {
    /// Starts all servers at once, and asks for their tools. `root` is the folder that they are told of when they ask. Tells what became
    /// of each; one that does not start is left out. An interruption ends all of them.
    pub async fn start(
        plans: Vec<ServerPlan>,
        root: &Path,
        host: Host,
        cancel: CancellationToken,
        tell: &mut (dyn FnMut(Step) + Send),
    ) -> Self {
        let mut starting = JoinSet::new();
        for (at, plan) in plans.into_iter().enumerate() {
            let (root, host, cancel) = (root.to_owned(), host.clone(), cancel.clone());
            starting.spawn(async move {
                let name = plan.name().to_owned();
                (at, name, start(plan, &root, &host, &cancel).await)
            });
        }
        let mut started = Vec::new();
        while let Some(joined) = starting.join_next().await {
            started.extend(joined.ok());
        }
        started.sort_by_key(|(at, ..)| *at);
        let mut all = Vec::new();
        for (_, name, started) in started {
            match started {
                Ok((running, news)) => {
                    let tools = running.tools.lock().len();
                    tell(Step::Server { name, state: ServerState::Connected { tools } });
                    news.into_iter().for_each(|text| tell(Step::Notice { text }));
                    all.push(running);
                }
                Err(error) => {
                    tell(Step::Server { name, state: ServerState::Failed { why: error.to_string() } })
                }
            }
        }
        Servers { all, host, cancel, is_new: AtomicBool::new(true) }
    }

    fn offered(&self) -> Vec<(crate::tools::ToolSpec, Arc<dyn Tool>)> {
        let mut all: Vec<(crate::tools::ToolSpec, Arc<dyn Tool>)> = Vec::new();
        for server in &self.all {
            for Offered { tool, spec } in &*server.tools.lock() {
                let tool = ServerTool {
                    name: spec.name.clone(),
                    server: server.name.clone(),
                    tool: tool.clone(),
                    connection: Arc::clone(&server.connection),
                };
                all.push((spec.clone(), Arc::new(tool)));
            }
        }
        all
    }
}

async fn start(
    plan: ServerPlan,
    root: &Path,
    host: &Host,
    cancel: &CancellationToken,
) -> Result<(Running, Vec<String>), StartServerError> {
    let name = plan.name().to_owned();
    let ServerPlan { config, pins } = plan;
    let connection = Arc::new(Connection::start(config, root, cancel).await?);
    let listed = tokio::select! {
        listed = connection.list() => listed.map_err(StartServerError::List),
        () = cancel.cancelled() => Err(StartServerError::Interrupted),
    };
    let pages = match listed {
        Ok(pages) => pages,
        Err(error) => {
            connection.end().await;
            return Err(error);
        }
    };
    let (tools, news) = listing::offered(&name, pages, &pins, host, cancel).await;
    let tools = Mutex::new(tools);
    Ok((Running { name, pins, connection, tools, is_told: AtomicBool::new(false) }, news))
}

impl Running {
    /// Asks for the tools again; gives what the person should know.
    async fn list_again(&self, host: &Host, cancel: &CancellationToken) -> Vec<String> {
        let listed = tokio::select! {
            listed = tokio::time::timeout(START_TIMEOUT, self.connection.list()) => listed.ok(),
            () = cancel.cancelled() => return Vec::new(),
        };
        match listed {
            Some(Ok(pages)) => {
                let (tools, news) = listing::offered(&self.name, pages, &self.pins, host, cancel).await;
                *self.tools.lock() = tools;
                news
            }
            // What it had may be gone, or be another tool now.
            failed => {
                self.tools.lock().clear();
                let why = match failed {
                    Some(Err(error)) => error.to_string(),
                    _ => "takes too long to list its tools".to_owned(),
                };
                vec![format!("the MCP server {} {why}; its tools are not offered any more", self.name)]
            }
        }
    }
}

impl ToolSource for Servers {
    fn changed(&self) -> BoxFuture<'_, Option<Listing>> {
        Box::pin(async move {
            let mut is_changed = self.is_new.swap(false, Ordering::SeqCst);
            let mut news = Vec::new();
            for server in &self.all {
                if server.connection.has_ended() {
                    if !server.is_told.swap(true, Ordering::SeqCst) {
                        let text = format!(
                            "the MCP server {} has ended, and is not started again in this session; its calls fail",
                            server.name
                        );
                        news.push(text);
                    }
                } else if server.connection.has_changed() {
                    news.extend(server.list_again(&self.host, &self.cancel).await);
                    is_changed = true;
                }
            }
            (is_changed || !news.is_empty()).then(|| Listing { tools: self.offered(), news })
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut ending = JoinSet::new();
            for server in &self.all {
                let connection = Arc::clone(&server.connection);
                ending.spawn(async move { connection.end().await });
            }
            ending.join_all().await;
        })
    }
}
