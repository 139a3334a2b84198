//! The session with one server, from its start to its end: requests with a limit in time that take themselves back, and what it says of
//! itself. Not here: what its tools are offered as (`listing`, `servers`).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, ErrorData,
    Implementation, JsonObject, ListToolsRequest, PaginatedRequestParams, RootsCapabilities, ServerResult,
};
#[expect(deprecated, reason = "roots are deprecated in later versions than the one that is spoken")]
use rmcp::model::{ListRootsResult, Root};
use rmcp::service::{
    NotificationContext, Peer, PeerRequestOptions, RequestContext, RequestHandle, RunningService,
};
use rmcp::{ClientHandler, RoleClient, ServiceError, ServiceExt};
use serde_json::Value;
use snaphook::CancellationToken;
use snaphook_command::process::StartError;
use snaphook_mcp_transport::Transport;
use snaphook_mcp_transport::child::Server;
use snaphook_mcp_transport::transport::channel;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use super::bridge::Bridge;
use super::config::{ServerConfig, Target};

/// The time that a server may take to start, and to say which tools it has.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(30);

/// The time that a server may take to end by itself once its input is closed.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time that the session's end waits for calls to be taken back.
const GIVE_UP_TIMEOUT: Duration = Duration::from_millis(500);

/// The pages of a list that are read.
const MAX_PAGES: usize = 64;

/// The end of a program's standard error that is kept for a message, in bytes.
const MAX_STDERR: usize = 2 << 10;

/// A server that does not start. Reads after "the MCP server NAME is not connected: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartServerError {
    /// The program.
    #[error("it cannot be started: {0}")]
    Program(#[from] StartError),
    /// It took too long.
    #[error("it said nothing usable for {} seconds{said}", START_TIMEOUT.as_secs())]
    Timeout {
        /// The end of its standard error, as the end of the text.
        said: String,
    },
    /// The session did not begin.
    #[error("the session did not begin: {why}{said}")]
    Session {
        /// The SDK's words.
        why: String,
        /// The end of its standard error, as the end of the text.
        said: String,
    },
    /// It does not say which tools it has.
    #[error("when asked for its tools, it {0}")]
    List(RequestError),
    /// The session was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// A request without an answer. Reads after "the MCP server NAME ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The server is gone.
    #[error("has ended, and is not started again in this session; the call may have run")]
    Gone,
    /// It took too long.
    #[error("did not answer within {} seconds, and the request was cancelled; it may have run", .0.as_secs())]
    Timeout(Duration),
    /// The server's own error.
    #[error("answered with an error: {message} ({code})")]
    Refused {
        /// Its words.
        message: String,
        /// Its code.
        code: i32,
    },
    /// Anything else of the SDK's.
    #[error("cannot be asked: {0}")]
    Other(String),
    /// The list of tools does not end.
    #[error("has a list of tools of more than {MAX_PAGES} pages")]
    Endless,
    /// The list of tools is none.
    #[error("answered with no list of tools")]
    NoList,
}

/// A page of the list of tools, as it came.
#[derive(Debug)]
pub(super) struct ListedPage {
    pub(super) cursor: Option<String>,
    pub(super) tools: Vec<Value>,
    pub(super) next: Option<String>,
}

/// A session with a server.
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    has_tools: bool,
    changed: Arc<AtomicBool>,
    ended: CancellationToken,
    /// The requests that are being taken back.
    given_up: Mutex<JoinSet<()>>,
    open: Mutex<Option<Open>>,
}

/// The parts that end with the session.
struct Open {
    service: RunningService<RoleClient, Client>,
    side: Side,
}

enum Side {
    Program(Server),
    Address { running: JoinHandle<()>, end: CancellationToken },
}

impl Side {
    async fn begin(target: Target) -> Result<(Side, Transport, CancellationToken, Stderr), StartServerError> {
        match target {
            Target::Program(request) => {
                let (server, transport, stderr) = Server::start_with_stderr(&request).await?;
                let ended = server.ended().clone();
                Ok((Side::Program(server), transport, ended, Stderr::read(stderr)))
            }
            Target::Address(client) => {
                let (side, driver) = channel();
                let (end, ended) = (CancellationToken::new(), CancellationToken::new());
                let (served, is_over) = (client.run(driver, end.clone()), ended.clone().drop_guard());
                let running = tokio::spawn(async move {
                    served.await;
                    drop(is_over);
                });
                Ok((Side::Address { running, end }, side, ended, Stderr::default()))
            }
        }
    }

    async fn end(self, patience: Duration) {
        match self {
            Side::Program(server) => drop(server.end(patience).await),
            Side::Address { mut running, end } => {
                if timeout(patience, &mut running).await.is_err() {
                    end.cancel();
                    let _ = timeout(PATIENCE, running).await;
                }
            }
        }
    }
}

impl Connection {
    /// Starts or reaches a server, and begins a session. `root` is the folder that it is told of when it asks.
    pub(super) async fn start(
        config: ServerConfig,
        root: &Path,
        cancel: &CancellationToken,
    ) -> Result<Self, StartServerError> {
        let (side, transport, ended, stderr) = Side::begin(config.target).await?;
        let changed = Arc::new(AtomicBool::new(false));
        let client = Client { root: root_url(root), changed: Arc::clone(&changed) };
        let begun = tokio::select! {
            begun = client.serve(Bridge::new(transport)) => match begun {
                Ok(service) => Ok(service),
                Err(error) => Err(StartServerError::Session { why: error.to_string(), said: stderr.said().await }),
            },
            () = tokio::time::sleep(START_TIMEOUT) => Err(StartServerError::Timeout { said: stderr.so_far() }),
            () = cancel.cancelled() => Err(StartServerError::Interrupted),
        };
        let service = match begun {
            Ok(service) => service,
            Err(error) => {
                side.end(Duration::ZERO).await;
                return Err(error);
            }
        };
        let peer = service.peer().clone();
        let has_tools = peer.peer_info().is_some_and(|info| info.capabilities.tools.is_some());
        let open = Mutex::new(Some(Open { service, side }));
        Ok(Connection { peer, has_tools, changed, ended, given_up: Mutex::default(), open })
    }

    /// Returns whether the server said that its list changed, once.
    pub(super) fn has_changed(&self) -> bool {
        self.changed.swap(false, Ordering::SeqCst)
    }

    /// Returns whether the server has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_cancelled() || self.peer.is_transport_closed()
    }

    /// The whole list of tools, page by page.
    pub(super) async fn list(&self) -> Result<Vec<ListedPage>, RequestError> {
        let mut pages: Vec<ListedPage> = Vec::new();
        if !self.has_tools {
            return Ok(pages);
        }
        let mut cursor: Option<String> = None;
        while pages.len() < MAX_PAGES {
            let at = cursor.clone().map(|at| PaginatedRequestParams::default().with_cursor(Some(at)));
            let request = ListToolsRequest { params: at, ..ListToolsRequest::default() };
            let mut said = self.ask(ClientRequest::ListToolsRequest(request), START_TIMEOUT).await?;
            let Some(Value::Array(tools)) = said.get_mut("tools").map(Value::take) else {
                return Err(RequestError::NoList);
            };
            let next = said.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            let is_last = next.is_none();
            pages.push(ListedPage { cursor, tools, next: next.clone() });
            if is_last {
                return Ok(pages);
            }
            cursor = next;
        }
        Err(RequestError::Endless)
    }

    /// Calls a tool. Dropping the future takes the call back.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        limit: Duration,
    ) -> Result<Value, RequestError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.ask(ClientRequest::CallToolRequest(CallToolRequest::new(params)), limit).await
    }

    async fn ask(&self, request: ClientRequest, limit: Duration) -> Result<Value, RequestError> {
        if self.has_ended() {
            return Err(RequestError::Gone);
        }
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let handle = Some(sent.await.map_err(request_error)?);
        let mut open = Asked { handle, given_up: &self.given_up };
        let Some(handle) = &mut open.handle else { return Err(RequestError::Gone) };
        let answered = tokio::select! {
            answered = timeout(limit, &mut handle.rx) => answered.map_err(|_| RequestError::Timeout(limit))?,
            // What it started may hold its pipe.
            () = self.ended.cancelled() => return Err(RequestError::Gone),
        };
        open.handle = None;
        match answered.map_err(|_| RequestError::Gone)?.map_err(request_error)? {
            ServerResult::CustomResult(result) => Ok(result.0),
            _ => Err(RequestError::Other("its answer is of another request".to_owned())),
        }
    }

    /// Ends the session and the server with all that it started. Once; later it does nothing.
    pub(super) async fn end(&self) {
        let Some(Open { mut service, side }) = self.open.lock().take() else { return };
        let mut given_up = std::mem::take(&mut *self.given_up.lock());
        // A server that does not read is ended without.
        let _ = timeout(GIVE_UP_TIMEOUT, async { while given_up.join_next().await.is_some() {} }).await;
        // Closes the server's input.
        let _ = service.close_with_timeout(PATIENCE).await;
        side.end(PATIENCE).await;
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("ended", &self.has_ended()).finish_non_exhaustive()
    }
}

fn request_error(error: ServiceError) -> RequestError {
    match error {
        ServiceError::McpError(ErrorData { code, message, .. }) => {
            RequestError::Refused { message: message.into_owned(), code: code.0 }
        }
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => RequestError::Gone,
        other => RequestError::Other(other.to_string()),
    }
}

/// A request that waits for its answer; dropped before it has one, it is taken back.
struct Asked<'a> {
    handle: Option<RequestHandle<RoleClient>>,
    given_up: &'a Mutex<JoinSet<()>>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let (Some(handle), Ok(runtime)) = (self.handle.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        let mut given_up = self.given_up.lock();
        while given_up.try_join_next().is_some() {}
        // Nobody waits for it here: a server that does not read must not hold an interruption.
        let take_back = handle.cancel(Some("the call was given up".to_owned()));
        given_up.spawn_on(async move { drop(take_back.await) }, &runtime);
    }
}

/// Our side of the session. What is not here (sampling, elicitation) is refused, as nothing else is declared.
struct Client {
    root: Option<String>,
    changed: Arc<AtomicBool>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut can = ClientCapabilities::default();
        can.roots = Some(RootsCapabilities::default());
        ClientConfig::new(can, Implementation::new("snaphook", env!("CARGO_PKG_VERSION")))
    }

    #[expect(deprecated, reason = "roots are deprecated in later versions than the one that is spoken")]
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.root.iter().map(Root::new).collect()))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::SeqCst);
    }
}

fn root_url(root: &Path) -> Option<String> {
    url::Url::from_file_path(root).ok().map(|url| url.to_string())
}

/// The end of what a program wrote to its standard error. All of it is in the log, at the level `debug`.
#[derive(Default)]
struct Stderr {
    end: Arc<Mutex<Vec<u8>>>,
    reading: Option<JoinHandle<()>>,
}

impl Stderr {
    fn read(mut from: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let end = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&end);
        let reading = tokio::spawn(async move {
            let mut piece = vec![0; MAX_STDERR];
            while let Ok(count @ 1..) = from.read(&mut piece).await {
                let new = piece.get(..count).unwrap_or_default();
                tracing::debug!(target: "snaphook::mcp", "a server says: {}", String::from_utf8_lossy(new));
                let mut kept = kept.lock();
                kept.extend_from_slice(new);
                let over = kept.len().saturating_sub(MAX_STDERR);
                kept.drain(..over);
            }
        });
        Stderr { end, reading: Some(reading) }
    }

    /// The last line so far, as the end of a message.
    fn so_far(&self) -> String {
        let end = self.end.lock();
        let text = String::from_utf8_lossy(&end);
        match text.trim_end().lines().next_back().map(str::trim) {
            Some(line) if !line.is_empty() => format!("; it wrote: {line}"),
            _ => String::new(),
        }
    }

    /// The last line of a program that has ended.
    async fn said(mut self) -> String {
        if let Some(reading) = self.reading.take() {
            let _ = timeout(Duration::from_millis(500), reading).await;
        }
        self.so_far()
    }
}
