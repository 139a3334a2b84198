//! The MCP servers of a session with a model: which may start, by whose word, and what is told of the others. Not here: starting them
//! and their tools (`snaphook_agent::mcp`).
//!
//! A server of the project's `.mcp.json` starts if the person trusts its entry, or names it on the command line; of a file that is named
//! on the command line all do.

use std::path::Path;
use std::sync::Arc;

use snaphook::{CancellationToken, Host, Problem};
use snaphook_agent::driver::{Observer, ServerState, Step};
use snaphook_agent::mcp::{ServerConfig, ServerPlan, Servers, Surroundings};
use snaphook_discovery::{
    Directories, PROJECT_SERVERS, ProjectServer, ServerEntry, Trust, TrustState, printable, project_servers,
    read_servers,
};
use snaphook_mcp::pins::{PinGate, Pins, Server};
use snaphook_mcp::server_name;

use super::args::McpServerArgs;
use super::input;
use crate::env::Env;
use crate::exit::Failure;

/// The servers of a session, before any of them runs.
#[derive(Default)]
pub(super) struct McpPlan {
    servers: Vec<ServerPlan>,
    /// The steps about those that do not start.
    told: Vec<Step>,
    problems: Vec<Problem>,
}

impl McpPlan {
    /// Decides which servers start.
    ///
    /// # Errors
    /// The command line names a server or a file that is not there or cannot be used.
    pub(super) fn of(
        env: &Env,
        args: &McpServerArgs,
        directories: &Directories,
        trust: &Trust,
    ) -> Result<Self, Failure> {
        let mut plan = McpPlan::default();
        let around = Surroundings { folder: &directories.project_root, env: &env.vars };
        for file in &args.mcp_config {
            let shown = file.display();
            let text = input::text(&directories.cwd.join(file))?;
            let servers = read_servers(text.as_bytes())
                .map_err(|error| Failure::Usage(format!("--mcp-config: {shown} {error}")))?;
            for (name, entry) in servers {
                plan.add(&name, &entry, around, directories);
            }
        }
        let found = project_servers(directories, trust);
        plan.problems = found.problems;
        if let Some(missing) =
            args.mcp.iter().find(|name| !found.servers.iter().any(|one| one.name == **name))
        {
            let names: Vec<&str> = found.servers.iter().map(|one| one.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { printable(&names.join(", ")) };
            return Err(Failure::Usage(format!(
                "--mcp: the project's {PROJECT_SERVERS} has no server \"{}\"; it has: {known}",
                printable(missing)
            )));
        }
        for server in found.servers {
            let is_named = args.mcp.contains(&server.name);
            match server.hook.state {
                _ if is_named => plan.add(&server.name, &server.entry, around, directories),
                TrustState::Trusted => plan.add(&server.name, &server.entry, around, directories),
                TrustState::Ignored => {}
                TrustState::Undecided => plan.not_allowed(&server),
            }
        }
        Ok(plan)
    }

    fn add(&mut self, name: &str, entry: &ServerEntry, around: Surroundings<'_>, directories: &Directories) {
        let word = server_name(name);
        let failed = |why: String| Step::Server { name: word.clone(), state: ServerState::Failed { why } };
        if self.servers.iter().any(|other| other.pins.server().name == word) {
            let why = format!("another server is called {word} in the names of tools, and came before it");
            return self.told.push(failed(why));
        }
        match ServerConfig::read(name, entry, around, snaphook::system_tls) {
            Ok(config) => {
                let server = Server { name: word, target: config.words.clone() };
                let pins = Arc::new(Pins::new(directories.state.as_deref(), server));
                self.servers.push(ServerPlan { config, pins });
            }
            Err(error) => self.told.push(failed(error.to_string())),
        }
    }

    fn not_allowed(&mut self, server: &ProjectServer) {
        let what = match server.hook.changed_from {
            Some(_) => "changed since it was decided on",
            None => "is not trusted",
        };
        let (hook, name) = (printable(&server.hook.name), printable(&server.name));
        let why = format!(
            "its entry in {PROJECT_SERVERS} {what}; read it and decide: `snaphook trust {hook}`, or start it this once: `--mcp {name}`"
        );
        self.told
            .push(Step::Server { name: server_name(&server.name), state: ServerState::NotAllowed { why } });
    }

    /// The gate that holds the servers to what they said of their tools before; none where there is no server.
    pub(super) fn gate(&self, denies: bool) -> Option<Arc<PinGate>> {
        let pins: Vec<_> = self.servers.iter().map(|server| Arc::clone(&server.pins)).collect();
        (!pins.is_empty()).then(|| Arc::new(PinGate::of_servers(pins, denies)))
    }

    /// Starts the servers, and tells what became of each. None where none is to start.
    pub(super) async fn start(
        self,
        folder: &Path,
        host: &Host,
        cancel: &CancellationToken,
        telling: &mut dyn Observer,
    ) -> Option<Arc<Servers>> {
        for problem in self.problems {
            telling.step(&Step::Problem(problem));
        }
        for step in &self.told {
            telling.step(step);
        }
        if self.servers.is_empty() {
            return None;
        }
        let tell = &mut |step: Step| telling.step(&step);
        let servers = Servers::start(self.servers, folder, host.clone(), cancel.clone(), tell);
        Some(Arc::new(servers.await))
    }
}
