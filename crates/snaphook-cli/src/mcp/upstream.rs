//! The server's side: a program that is started, or an address that is connected to. Not here: what is done with its messages.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use snaphook::{CancellationToken, Hold};
use snaphook_command::process::{Limits, ProcessOutcome, Request};
use snaphook_discovery::Directories;
use snaphook_mcp_transport::Transport;
use snaphook_mcp_transport::child::Server;
use snaphook_mcp_transport::http::client::Client;
use snaphook_mcp_transport::transport::channel;
use tokio::task::JoinHandle;

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::mcp::args::GateArgs;

/// The time that a program may take to end when it is asked to, before it is killed.
const TERM_GRACE: Duration = Duration::from_secs(3);

/// The time that it may take to tell a server at an address that the session is over.
const FAREWELL: Duration = Duration::from_secs(5);

/// The server that is meant. Each session has one of its own.
pub(super) enum Target {
    /// A program, with what it is called until it says so itself.
    Program(Box<Request>, String),
    Address(Client),
}

impl Target {
    /// The one of the command line.
    pub(super) fn of(env: &Env, args: &GateArgs, directories: &Directories) -> Result<Self, Failure> {
        if let Some(url) = &args.url {
            let fields = args.header.iter().map(|field| header(env, field)).collect::<Result<Vec<_>, _>>()?;
            let client = Client::new(url, &fields, snaphook::system_tls)
                .map_err(|error| Failure::Usage(error.to_string()))?;
            return Ok(Target::Address(client));
        }
        let request = program_request(env, &args.server, &directories.cwd);
        let stem = Path::new(&request.program).file_stem();
        let called = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(profile) = args.hold else { return Ok(Target::Program(Box::new(request), called)) };
        let holder = crate::install::program(env)?;
        let hold = Hold { profile: Some(vec![profile.profile()]), ..Hold::default() };
        let request = request.held(Path::new(holder), &hold, &directories.project_root);
        Ok(Target::Program(Box::new(request), called))
    }

    /// Returns what it is called until it says so itself.
    pub(super) fn called(&self) -> String {
        match self {
            Target::Program(_, called) => called.clone(),
            Target::Address(client) => client.host().to_owned(),
        }
    }

    /// A session with it.
    pub(super) async fn begin(&self) -> Result<(Side, Transport), Failure> {
        match self {
            Target::Program(request, _) => match Server::start(request).await {
                Ok((server, transport)) => Ok((Side::Program(server), transport)),
                Err(error) => {
                    let program = Path::new(&request.program).display();
                    Err(Failure::Usage(format!("the server `{program}` cannot be started: {error}")))
                }
            },
            Target::Address(client) => {
                let (side, driver) = channel();
                let (end, over) = (CancellationToken::new(), CancellationToken::new());
                let (served, is_over) = (client.clone().run(driver, end.clone()), over.clone().drop_guard());
                let running = tokio::spawn(async move {
                    served.await;
                    drop(is_over);
                });
                Ok((Side::Address { running, end, over }, side))
            }
        }
    }
}

/// The program of a command line, with our environment.
pub(crate) fn program_request(env: &Env, words: &[OsString], cwd: &Path) -> Request {
    let mut words = words.iter().cloned();
    let program = words.next().unwrap_or_default();
    // What has no name cannot be handed on; it was not a variable of the program's before either.
    let has_name = |name: &OsString| {
        let bytes = name.as_encoded_bytes();
        !bytes.is_empty() && !bytes.contains(&b'=')
    };
    Request {
        args: words.collect(),
        env: env.vars.iter().filter(|(name, _)| has_name(name)).cloned().collect(),
        limits: Limits { term_grace: TERM_GRACE, ..Limits::default() },
        ..Request::new(program, cwd.to_owned())
    }
}

/// A session with a server.
pub(super) enum Side {
    Program(Server),
    Address { running: JoinHandle<()>, end: CancellationToken, over: CancellationToken },
}

impl Side {
    /// Cancelled when the server has ended it.
    pub(super) fn over(&self) -> CancellationToken {
        match self {
            Side::Program(server) => server.ended().clone(),
            Side::Address { over, .. } => over.clone(),
        }
    }

    /// Ends it, after so much time for what is still on its way.
    pub(super) async fn end(self, patience: Duration) -> Exit {
        match self {
            Side::Program(server) => Exit::Server(code(&server.end(patience).await)),
            Side::Address { mut running, end, .. } => {
                if tokio::time::timeout(patience, &mut running).await.is_err() {
                    end.cancel();
                    let _ = tokio::time::timeout(FAREWELL, running).await;
                }
                Exit::Fine
            }
        }
    }
}

/// The exit code as a shell would tell it.
pub(crate) fn code(outcome: &ProcessOutcome) -> i32 {
    match (outcome.code(), outcome.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => Exit::Internal.code(),
    }
}

/// A header field as the command line has it: what is secret is in a variable, because everybody can read command lines.
fn header(env: &Env, field: &str) -> Result<(String, String), Failure> {
    let Some((name, value)) = field.split_once(':') else {
        return Err(Failure::Usage("--header wants 'NAME: VALUE'".to_owned()));
    };
    let (name, value) = (name.trim(), value.trim());
    let Some(variable) = value.strip_prefix("env:") else { return Ok((name.to_owned(), value.to_owned())) };
    let found = env.var(variable).and_then(|value| value.to_str());
    let missing =
        || Failure::Usage(format!("--header {name}: the variable {variable} is not set, or is no text"));
    Ok((name.to_owned(), found.ok_or_else(missing)?.to_owned()))
}
