//! The server: a socket on loopback, and the answer to each request. Not here: the end of a connection (`connection`), what is
//! kept of requests (`record`).

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request as HttpRequest, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use super::body::{Noted, StepBody};
use super::connection::{self, CutShort, Line};
use super::delivery::Plan;
use super::error::ModelError;
use super::fault::{Ending, Fault};
use super::record::{Delivery, Record, Request};
use super::script::Exchange;
use super::wires::{Asked, Wire};

/// A model provider on loopback that answers by a script. It ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    record: Arc<Record>,
    serving: JoinHandle<()>,
}

impl ScriptedModel {
    /// Listens on a free port of 127.0.0.1 and serves on the present tokio runtime.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start(script: impl IntoIterator<Item = Exchange>) -> Result<Self, ModelError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let record = Arc::new(Record::new(script.into_iter().collect()));
        let serving = tokio::spawn(serve(listener, Arc::clone(&record)));
        Ok(ScriptedModel { address, record, serving })
    }

    /// Does the same with a script in JSON: a list of [`Exchange`]s.
    ///
    /// # Errors
    /// The script is invalid, or there is no port.
    pub async fn from_json(script: &str) -> Result<Self, ModelError> {
        ScriptedModel::start(serde_json::from_str::<Vec<Exchange>>(script)?).await
    }

    /// Returns the address without a path: `http://127.0.0.1:PORT`.
    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the base URL of a wire's API, as its provider writes it, without a slash at the end: `…/v1`, for Gemini `…/v1beta`.
    pub fn url(&self, wire: Wire) -> String {
        format!("{}{}", self.root(), wire.version())
    }

    /// Adds an exchange at the end of the script.
    pub fn push(&self, exchange: Exchange) {
        self.record.push(exchange);
    }

    /// Returns the number of exchanges that no request has used.
    pub fn remaining(&self) -> usize {
        self.record.remaining()
    }

    /// Returns all requests so far, in order, also those to paths that are not a wire's.
    pub fn requests(&self) -> Vec<Request> {
        self.record.requests()
    }

    /// Waits until there was this request, counted from 0, and returns it.
    pub async fn request(&self, index: usize) -> Request {
        self.record.request(index).await
    }

    /// Waits until the answer to this request, counted from 0, has ended in one way or another.
    pub async fn delivery(&self, index: usize) -> Delivery {
        self.record.delivery(index).await
    }

    /// Waits until an answer stands at this gate ([`Fault::Pause`], [`Fault::Hold`]).
    pub async fn reached(&self, gate: &str) {
        self.record.reached(gate).await;
    }

    /// Releases a gate, for all that stand at it and all that will.
    pub fn release(&self, gate: &str) {
        self.record.release(gate);
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Accepts connections. They end with this future, which owns them.
async fn serve(listener: TcpListener, record: Arc<Record>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection::serve(stream, Arc::clone(&record)));
                }
                // The system has no more files. A connection that ends gives one back.
                Err(_) => { connections.join_next().await; }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Answers one request of a connection.
///
/// # Errors
/// The script ends the connection without an answer, or the request did not arrive.
pub(super) async fn answer(
    request: HttpRequest<Incoming>,
    record: Arc<Record>,
    line: Arc<Line>,
) -> Result<Response<StepBody>, CutShort> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| CutShort)?.to_bytes();
    let asked = Asked::read(&parts.method, &parts.uri, &body);
    let (index, exchange) = record.take(Request::new(&parts, &body, asked.as_ref()));
    let noted = Noted::new(Arc::clone(&record), index);
    let Some(asked) = asked else {
        let plan = Plan::not_found(format!("no wire has {} {}", parts.method, parts.uri.path()));
        return Ok(response(plan, noted, line));
    };
    let planned = exchange.and_then(|exchange| Ok((Plan::of(&asked, &exchange, index)?, exchange.faults)));
    let (plan, faults) = match planned {
        Ok(planned) => planned,
        Err(error) => return Ok(response(Plan::failed(&asked, &error), noted, line)),
    };
    for fault in &faults {
        match fault {
            Fault::Hold { gate } => record.pass(gate).await,
            Fault::NoAnswer(how) => {
                noted.end(Delivery::Cut);
                line.cut(Bytes::new(), *how == Ending::Reset);
                return Err(CutShort);
            }
            _ => {}
        }
    }
    Ok(response(plan, noted, line))
}

fn response(plan: Plan, noted: Noted, line: Arc<Line>) -> Response<StepBody> {
    let mut response = Response::new(StepBody::new(plan.steps, plan.length, noted, line));
    *response.status_mut() = plan.status;
    *response.headers_mut() = plan.headers;
    response
}
