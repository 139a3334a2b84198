//! `snaphook mcp --listen`: clients over HTTP, each with a host and a server of its own. Not here: HTTP.

use std::pin::pin;
use std::sync::Arc;

use snaphook::CancellationToken;
use snaphook_mcp::{Proxy, run};
use snaphook_mcp_transport::Transport;
use snaphook_mcp_transport::http::server::{Backend, BindError, Options, Server};
use tokio::sync::{mpsc, oneshot};

use crate::exit::{Exit, Failure};
use crate::mcp::PATIENCE;
use crate::mcp::upstream::{Side, Target};
use crate::print;

/// A client that is there, and what tells its connection that all is over.
type Begun = (Transport, oneshot::Sender<()>);

/// Serves clients until the process is asked to end. Then all sessions end, and with them their servers.
pub(super) async fn listen(
    address: &str,
    allow_remote: bool,
    proxy: impl Fn() -> Result<Proxy, Failure>,
    target: &Target,
    told: &CancellationToken,
) -> Result<Exit, Failure> {
    // Problems of the hooks are reported now, and not when the first client comes.
    drop(proxy()?);
    let options = Options { allow_remote, ..Options::default() };
    let server = Server::bind(address, options).await.map_err(|error| {
        let hint = match error {
            BindError::Remote(_) => "; --allow-remote if that is meant",
            BindError::Address(_) | BindError::System(..) => "",
        };
        Failure::Usage(format!("{error}{hint}"))
    })?;
    print::stderr(&format!("listening at http://{}/mcp\n", server.address()));
    let (begin, mut begun) = mpsc::channel::<Begun>(1);
    let mut serving = pin!(server.run(backend(begin), told.cancelled()));
    loop {
        let (transport, done) = tokio::select! {
            () = &mut serving => return Ok(Exit::Fine),
            Some(begun) = begun.recv() => begun,
        };
        let proxy = match proxy() {
            Ok(proxy) => proxy,
            Err(failure) => {
                tracing::error!(target: "snaphook", "a client is turned away: {failure}");
                continue;
            }
        };
        match target.begin().await {
            Ok((side, server)) => drop(tokio::spawn(session(proxy, transport, side, server, done))),
            Err(failure) => tracing::error!(target: "snaphook", "a client is turned away: {failure}"),
        }
    }
}

/// Hands each client to who has the host and the server, and waits until they are done with it.
fn backend(begin: mpsc::Sender<Begun>) -> Backend {
    Arc::new(move |transport| {
        let begin = begin.clone();
        Box::pin(async move {
            let (done, over) = oneshot::channel();
            if begin.send((transport, done)).await.is_ok() {
                let _ = over.await;
            }
        })
    })
}

async fn session(proxy: Proxy, client: Transport, side: Side, server: Transport, done: oneshot::Sender<()>) {
    let (over, mut done) = (side.over(), Some(done));
    let mut serving = pin!(run(proxy, client, server));
    tokio::select! {
        () = &mut serving => {}
        () = over.cancelled() => {
            // A client over HTTP can begin another session, and gets another server with it; so this one ends.
            done = None;
            serving.await;
        }
    }
    side.end(PATIENCE).await;
    drop(done);
}
